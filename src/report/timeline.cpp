#include "report/timeline.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mpi/mpi.h"

namespace skelgen::report {
namespace {

using mpi::Kind;

std::size_t index(Spending what) { return static_cast<std::size_t>(what); }

/// Even, so that two columns can become one.
std::size_t columns_for(std::size_t rows, std::size_t most_cells) {
  return std::max<std::size_t>(2, std::min(Timeline::kMostColumns, most_cells / rows) & ~std::size_t{1});
}

}  // namespace

Spending spending_of(const mpi::Function& function) {
  if (function.name == metrics::CriticalPath::kWithoutCore) return Spending::waits_for_core;
  switch (function.kind) {
    case Kind::send:
    case Kind::recv:
    case Kind::sendrecv:
    case Kind::probe:
    case Kind::match:
    case Kind::recv_matched:
    case Kind::start:
    case Kind::ask:
    case Kind::complete:
    case Kind::test:
      return Spending::messages;
    case Kind::collective:
    case Kind::comm_create:
      return Spending::collectives;
    default:
      return Spending::other;
  }
}

Timeline::Timeline(const std::vector<int>& threads, double length_s, std::size_t most_cells)
    : rows_(threads, kMostRows),
      columns_(columns_for(rows_.count(), most_cells)),
      column_s_((length_s > 0 ? length_s : 1e-6) / static_cast<double>(columns_)),
      cells_(rows_.count() * columns_),
      by_rank_(std::max<std::size_t>(1, threads.size())),
      last_(rows_.locations(), Spending::other),
      seen_(rows_.locations()),
      flows_(rows_.count(), column_s_),
      pairs_{Groups(threads.size(), kMostPairs), {}, {}} {
  pairs_.messages.resize(pairs_.groups.count() * pairs_.groups.count());
  pairs_.waited_s.resize(pairs_.messages.size());
}

/// Makes room for a time behind all columns.
void Timeline::reach(double until_s) {
  end_s_ = std::max(end_s_, until_s);
  while (until_s > column_s_ * static_cast<double>(columns_)) {
    for (std::size_t row = 0; row < rows_.count(); ++row) {
      auto* cells = &cells_[row * columns_];
      for (std::size_t column = 0; column < columns_; ++column) {
        auto& to = cells[column];
        const auto one = 2 * column < columns_ ? cells[2 * column] : Spent{};
        const auto two = 2 * column < columns_ ? cells[2 * column + 1] : Spent{};
        for (std::size_t what = 0; what < kSpendings; ++what) to[what] = one[what] + two[what];
      }
    }
    column_s_ *= 2;
  }
}

void Timeline::add(std::size_t row, Spending what, double from_s, double to_s, double sign) {
  from_s = std::max(0.0, from_s);
  if (!(to_s > from_s)) return;
  reach(to_s);
  auto* cells = &cells_[row * columns_];
  auto column = std::min(columns_ - 1, static_cast<std::size_t>(from_s / column_s_));
  for (double at = from_s; at < to_s && column < columns_; ++column) {
    const double end = std::min(to_s, static_cast<double>(column + 1) * column_s_);
    if (end > at) cells[column][index(what)] += sign * (end - at);
    at = std::max(at, end);
  }
}

void Timeline::spent(Location where, double until_s, double computing_s, double blocked_s,
                     const mpi::Function& function) {
  const auto rank = static_cast<std::size_t>(where.rank);
  const std::size_t row = rows_.of(where), location = rows_.index(where);
  const Spending inside = last_[location] = spending_of(function);
  if (computing_s > 0 || blocked_s > 0) seen_[location] = true;
  const double called = until_s - blocked_s;
  add(row, Spending::computing, called - computing_s, called, 1);
  add(row, inside, called, until_s, 1);
  by_rank_[rank][index(Spending::computing)] += computing_s;
  by_rank_[rank][index(inside)] += blocked_s;
  reach(until_s);
}

void Timeline::waited(Location where, Location cause, double metrics::Waits::*what_for, double from_s, double to_s) {
  const auto rank = static_cast<std::size_t>(where.rank);
  const std::size_t row = rows_.of(where);
  const bool collective = what_for == &metrics::Waits::imbalance_s || what_for == &metrics::Waits::collective_s;
  // A collective call that does not wait is completed by one that may also complete messages.
  const Spending inside = what_for == &metrics::Waits::late_receiver_s ? Spending::messages : last_[rows_.index(where)];
  const Spending waiting = collective ? Spending::waits_in_collective : Spending::waits_for_message;
  add(row, inside, from_s, to_s, -1);
  add(row, waiting, from_s, to_s, 1);
  by_rank_[rank][index(inside)] -= to_s - from_s;
  by_rank_[rank][index(waiting)] += to_s - from_s;
  const auto& groups = pairs_.groups;
  pairs_.waited_s[groups.of(where.rank) * groups.count() + groups.of(cause.rank)] += to_s - from_s;
}

void Timeline::message(Location from, double sent_s, Location to, double received_s) {
  const auto& groups = pairs_.groups;
  if (from.rank != to.rank) pairs_.messages[groups.of(from.rank) * groups.count() + groups.of(to.rank)] += 1;
  flows_.add({rows_.of(from), sent_s, rows_.of(to), received_s});
}

std::size_t Timeline::columns() const {
  return std::min(columns_, static_cast<std::size_t>(std::ceil(end_s_ / column_s_)));
}

Spent Timeline::cell(std::size_t row, std::size_t column) const {
  Spent result{};
  const auto& cell = cells_[row * columns_ + column];
  for (std::size_t what = 0; what < kSpendings; ++what) result[what] = std::max(0.0, cell[what]);
  return result;
}

namespace {

double total(const Spent& spent) { return std::accumulate(spent.begin(), spent.end(), 0.0); }

void add_to(Spent& sum, const Spent& more) {
  for (std::size_t what = 0; what < kSpendings; ++what) sum[what] += more[what];
}

/// Columns [begin, end); whole_s: what all locations together could have computed there.
FewRanks describe(const Timeline& timeline, std::size_t begin, std::size_t end, double whole_s) {
  FewRanks stretch;
  stretch.from_s = static_cast<double>(begin) * timeline.column_s();
  stretch.to_s = static_cast<double>(end) * timeline.column_s();
  Spent sum{};
  double busiest_s = 0;
  for (std::size_t row = 0; row < timeline.rows().count(); ++row) {
    Spent own{};
    for (std::size_t column = begin; column < end; ++column) add_to(own, timeline.cell(row, column));
    add_to(sum, own);
    if (own[0] <= busiest_s) continue;
    busiest_s = own[0];
    stretch.busiest = row;
  }
  stretch.computing = sum[0] / (stretch.to_s - stretch.from_s);
  stretch.lost_s = whole_s - sum[0];
  const auto most = std::max_element(sum.begin() + 1, sum.end());
  if (*most > whole_s - total(sum)) stretch.instead = static_cast<Spending>(most - sum.begin());
  return stretch;
}

}  // namespace

std::vector<FewRanks> few_ranks(const Timeline& timeline, std::size_t most) {
  const std::size_t columns = timeline.columns();
  std::vector<Spent> sums(columns);
  for (std::size_t column = 0; column < columns; ++column)
    for (std::size_t row = 0; row < timeline.rows().count(); ++row) add_to(sums[column], timeline.cell(row, column));
  const double whole_s = static_cast<double>(timeline.seen()) * timeline.column_s();  // of a column
  std::size_t first = 0;
  while (first < columns && total(sums[first]) < 0.5 * whole_s) ++first;
  if (first == columns) return {};
  double computing_s = 0;
  for (std::size_t column = first; column < columns; ++column) computing_s += sums[column][0];
  const double limit_s = 0.5 * computing_s / static_cast<double>(columns - first);
  std::vector<FewRanks> found;
  for (std::size_t begin = first, end; begin < columns; begin = end) {
    end = begin + 1;
    if (sums[begin][0] >= limit_s) continue;
    while (end < columns && sums[end][0] < limit_s) ++end;
    found.push_back(describe(timeline, begin, end, whole_s * static_cast<double>(end - begin)));
  }
  std::ranges::stable_sort(found, std::greater<>(), &FewRanks::lost_s);
  if (found.size() > most) found.resize(most);
  return found;
}

}  // namespace skelgen::report
