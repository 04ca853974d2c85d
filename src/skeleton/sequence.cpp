#include <algorithm>
#include <cmath>
#include <numeric>

#include "skeleton/skeleton.h"
#include "support/error.h"

namespace skelgen::skeleton {
namespace {

// Differences wrap around like unsigned numbers: any two values have one, and adding it leads back.
std::int64_t minus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

std::int64_t step_times(std::int64_t first, std::int64_t step, std::uint64_t k) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(step) * k);
}

// Shortest period by the failure function of Knuth, Morris and Pratt.
std::size_t shortest_period(std::span<const std::int64_t> all) {
  std::vector<std::uint32_t> border(all.size(), 0);
  for (std::size_t i = 1, b = 0; i < all.size(); ++i) {
    while (b > 0 && all[i] != all[b]) b = border[b - 1];
    if (all[i] == all[b]) ++b;
    border[i] = static_cast<std::uint32_t>(b);
  }
  return all.size() - border.back();
}

std::int64_t modulo(std::int64_t a, std::int64_t p) { return ((a % p) + p) % p; }

}  // namespace

std::int64_t Sequence::at(std::uint64_t k) const {
  switch (kind) {
    case Kind::constant:
      return values[0];
    case Kind::arithmetic:
      return step_times(values[0], values[1], k);
    case Kind::periodic:
      return values[k % values.size()];
    case Kind::table:
      break;
  }
  if (k >= values.size())
    throw Error(Code::internal, "occurrence " + std::to_string(k) + " is beyond the end of a table of " +
                                    std::to_string(values.size()) + " values");
  return values[k];
}

std::int64_t Sequence::sum(std::uint64_t n) const {
  const auto count = static_cast<std::int64_t>(n);
  if (n == 0) return 0;
  switch (kind) {
    case Kind::constant:
      return values[0] * count;
    case Kind::arithmetic: {
      const bool even = n % 2 == 0;
      return values[0] * count + values[1] * (even ? count / 2 * (count - 1) : count * ((count - 1) / 2));
    }
    case Kind::periodic: {
      const std::int64_t one = std::accumulate(values.begin(), values.end(), std::int64_t{0});
      const auto rest = static_cast<std::ptrdiff_t>(n % values.size());
      return std::accumulate(values.begin(), values.begin() + rest, one * static_cast<std::int64_t>(n / values.size()));
    }
    case Kind::table:
      break;
  }
  at(n - 1);
  return std::accumulate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n), std::int64_t{0});
}

bool Sequence::takes(std::int64_t value, std::uint64_t n) const {
  if (n == 0) return false;
  if (kind != Kind::arithmetic) return std::ranges::find(values, value) != values.end();
  const __int128 way = static_cast<__int128>(value) - values[0], step = values[1];
  if (step == 0 || way % step != 0) return way == 0;
  return way / step >= 0 && way / step < static_cast<__int128>(n);
}

std::uint64_t Sequence::period(std::uint64_t n) const {
  if (kind == Kind::constant) return std::min<std::uint64_t>(1, n);
  return kind == Kind::periodic ? std::min<std::uint64_t>(values.size(), n) : n;
}

std::int64_t Sequence::largest(std::uint64_t n) const {
  return kind == Kind::arithmetic ? std::max(at(0), at(n - 1)) : std::ranges::max(values);
}

std::uint64_t Sequence::positive(std::uint64_t n) const {
  const auto above = [&](std::uint64_t end) {
    std::uint64_t count = 0;
    for (std::uint64_t k = 0; k < end; ++k) count += at(k) > 0;
    return count;
  };
  switch (kind) {
    case Kind::constant:
      return values[0] > 0 ? n : 0;
    case Kind::arithmetic: {
      const __int128 first = values[0], step = values[1], last = first + step * static_cast<__int128>(n) - step;
      if (n == 0 || last != static_cast<std::int64_t>(last)) return above(n);
      if (step == 0 || (first > 0) == (last > 0)) return first > 0 ? n : 0;
      // One sign change. Rising, -first / step is the last k that is not above 0; falling, (first - 1) / -step the last
      // one that is.
      if (step > 0) return n - 1 - static_cast<std::uint64_t>(-first / step);
      return static_cast<std::uint64_t>((first - 1) / -step) + 1;
    }
    case Kind::periodic:
      return n / values.size() * above(values.size()) + above(n % values.size());
    case Kind::table:
      break;
  }
  return above(n);
}

Sequence Sequence::of(std::span<const std::int64_t> all) {
  if (all.empty()) throw Error(Code::internal, "no values to describe");
  const auto differs = std::find_if(all.begin(), all.end(), [&](std::int64_t v) { return v != all[0]; });
  if (differs == all.end()) return {Kind::constant, {all[0]}};
  const std::int64_t step = minus(all[1], all[0]);
  bool arithmetic = true;
  for (std::size_t i = 2; arithmetic && i < all.size(); ++i) arithmetic = minus(all[i], all[i - 1]) == step;
  if (arithmetic) return {Kind::arithmetic, {all[0], step}};
  const std::size_t p = shortest_period(all);
  if (p < all.size()) return {Kind::periodic, {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(p)}};
  return {Kind::table, {all.begin(), all.end()}};
}

std::optional<std::int64_t> RankRule::at(const mpi::Communicator& comm) const {
  switch (kind) {
    case Kind::constant:
      return c;
    case Kind::plus:
      return comm.rank + c;
    case Kind::plus_mod:
      return modulo(comm.rank + c, comm.size);
    case Kind::exclusive_or:
      return comm.rank ^ c;
    case Kind::transposed:
      if (c < 1 || comm.size % c != 0) return {};
      return comm.rank % c * (comm.size / c) + comm.rank / c;
    case Kind::row:
    case Kind::column:
      if (c < 1) return {};
      return kind == Kind::row ? comm.rank / c : comm.rank % c;
    case Kind::neighbour:
      break;
  }
  if (!comm.grid || dimension >= comm.grid->dimensions.size()) return {};
  return comm.grid->neighbour(comm.rank, dimension, c);
}

double deviation(const Samples::OfLocation& samples) {
  const auto n = static_cast<double>(samples.seconds.size());
  if (n < 2) return 0;
  double sum = 0, squares = 0;
  for (const double s : samples.seconds) sum += s;
  for (const double s : samples.seconds) squares += (s - sum / n) * (s - sum / n);
  return std::sqrt(squares / n);
}

}  // namespace skelgen::skeleton
