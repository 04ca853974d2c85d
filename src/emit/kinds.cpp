#include "emit/kinds.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "emit/costs.h"
#include "emit/timing.h"
#include "skel_sampling.h"

namespace skelgen::emit {
namespace {

using skeleton::Node;

/// Kept iterations take at most this many times as long as evenly spread ones.
constexpr double kMostLonger = 1.5;
/// Of a statement, whose bytes are else not looked at.
constexpr std::size_t kMostCounts = std::size_t{1} << 20;

/// Elements of messages and collectives whose counts vary, as the time in calls is shared out by them.
class Counts {
 public:
  explicit Counts(const Node& loop) { collect(loop.loop().body, {&loop}); }

  /// Of a location in the first iterations of the loop: what an element takes.
  double second(std::uint32_t location, std::uint64_t iterations) const {
    double calls_s = 0;
    for (const Statement& one : statements_) {
      const int at = one.node->position(location);
      if (at >= 0 && !one.node->call().duration_s.empty())
        calls_s += one.node->call().duration_s[static_cast<std::size_t>(at)] *
                   static_cast<double>(one.counted.passes(static_cast<std::size_t>(at), 0, iterations));
    }
    const double all = elements(location, 0, iterations);
    return all > 0 ? calls_s / all : 0;
  }

  double elements(std::uint32_t location, std::uint64_t begin, std::uint64_t end) const {
    double sum = 0;
    for (const Statement& one : statements_) {
      const int found = one.sums.empty() ? -1 : one.node->position(location);
      if (found < 0) continue;
      const auto at = static_cast<std::size_t>(found);
      const Sums& sums = one.sums[one.counts->choice.empty() ? 0 : one.counts->choice[at]];
      const std::uint64_t before = one.counted.passes(at, 0, begin);
      sum += static_cast<double>(sums.sum(before + one.counted.passes(at, begin, end)) - sums.sum(before));
    }
    return sum;
  }

 private:
  struct Statement {
    Counted counted;
    const Node* node;
    const skeleton::Argument* counts = nullptr;
    std::vector<Sums> sums{};  ///< by choice; empty: they do not vary
  };

  void collect(const skeleton::Block& block, const Around& around) {
    for (const Node& node : block) {
      if (node.is_loop()) {
        Around inside = around;
        inside.push_back(&node);
        collect(node.loop().body, inside);
        continue;
      }
      statements_.push_back({Counted(around, node, false), &node});
      const mpi::Function& function = *node.call().function;
      const int count = function.find(mpi::Role::count);
      if (count < 0 || function.find(mpi::Role::buffer) < 0) continue;
      const auto& counts = node.call().arguments[static_cast<std::size_t>(count)];
      std::size_t values = 0;
      for (const auto& choice : counts.choices) values += choice.values.size();
      if (values > kMostCounts || std::ranges::all_of(counts.choices, is_constant)) continue;
      statements_.back().counts = &counts;
      for (const auto& choice : counts.choices) statements_.back().sums.emplace_back(choice);
    }
  }

  std::vector<Statement> statements_;
};

/// The coordinates by which iterations are compared: the longest time of a location, the times of all locations, and the time of the bytes that they
/// move, each by 1 / sqrt(locations), so that all three say as much of how far two of them are apart.
class Times {
 public:
  /// Of a loop, from iteration `first` of location 0 on.
  Times(const Node& loop, const Costs& costs, std::uint64_t first, std::uint64_t iterations)
      : width_(1 + 2 * costs.locations()), of_(iterations * width_) {
    const double share = 1 / std::sqrt(static_cast<double>(costs.locations()));
    const Counts counts(loop);
    for (std::uint64_t n = 0; n < costs.locations(); ++n) {
      const std::uint32_t location = costs.location(n);
      const std::uint64_t begin = costs.iteration(n, first);
      const double second = counts.second(location, begin + iterations);
      for (std::uint64_t i = 0; i < iterations; ++i) {
        double* const own = &of_[i * width_];
        const double seconds = costs.of(n, first + i, first + i + 1, true);
        own[0] = std::max(own[0], seconds);
        own[1 + n] = share * seconds;
        if (second > 0)
          own[1 + costs.locations() + n] = share * second * counts.elements(location, begin + i, begin + i + 1);
      }
    }
  }
  std::size_t width() const { return width_; }
  double at(std::uint64_t iteration, std::size_t d) const { return of_[iteration * width_ + d]; }

 private:
  std::size_t width_;
  std::vector<double> of_;
};

struct OneKind {
  std::vector<std::uint64_t> members;  ///< iterations, ascending
  double squares = 0;                  ///< sum of squares of their distances from their mean
  std::size_t widest = 0;              ///< the time that has most of it
  double seconds = 0;                  ///< mean of the longest
};

double mean(const Times& times, const std::vector<std::uint64_t>& members, std::size_t d) {
  double sum = 0;
  for (const auto i : members) sum += times.at(i, d);
  return sum / static_cast<double>(members.size());
}

OneKind one_kind(const Times& times, std::vector<std::uint64_t> members) {
  OneKind one{std::move(members)};
  double most = 0;
  for (std::size_t d = 0; d < times.width(); ++d) {
    const double middle = mean(times, one.members, d);
    if (d == 0) one.seconds = middle;
    double squares = 0;
    for (const auto i : one.members) squares += std::pow(times.at(i, d) - middle, 2);
    one.squares += squares;
    if (squares > most) most = squares, one.widest = d;
  }
  return one;
}

/// In two, where that leaves the least squares in the widest time; one that cannot be split stays.
std::vector<OneKind> split(const Times& times, const OneKind& whole) {
  std::vector<std::uint64_t> sorted = whole.members;
  const auto time = [&](std::uint64_t i) { return times.at(i, whole.widest); };
  std::ranges::stable_sort(sorted, {}, time);
  double sum = 0, below = 0, most = 0;
  for (const auto i : sorted) sum += time(i);
  const auto n = static_cast<double>(sorted.size());
  std::size_t at = 0;
  for (std::size_t k = 1; k < sorted.size(); ++k) {
    below += time(sorted[k - 1]);
    const auto left = static_cast<double>(k);
    const double between = std::pow(below / left - (sum - below) / (n - left), 2) * left * (n - left);
    if (time(sorted[k - 1]) < time(sorted[k]) && between > most) most = between, at = k;
  }
  if (at == 0) return {whole};
  std::vector<OneKind> halves;
  for (const auto& [begin, end] : {std::pair(std::size_t{0}, at), std::pair(at, sorted.size())}) {
    std::vector<std::uint64_t> members(sorted.begin() + static_cast<std::ptrdiff_t>(begin),
                                       sorted.begin() + static_cast<std::ptrdiff_t>(end));
    std::ranges::sort(members);
    halves.push_back(one_kind(times, std::move(members)));
  }
  return halves;
}

/// How many of each kind are kept, `kept` in all: one at least, and in proportion.
std::vector<std::uint64_t> shares(const std::vector<OneKind>& kinds, std::uint64_t kept, std::uint64_t all) {
  std::vector<std::uint64_t> shares;
  const auto due = [&](std::size_t k) {
    return static_cast<double>(kept * kinds[k].members.size()) / static_cast<double>(all);
  };
  for (std::size_t k = 0; k < kinds.size(); ++k)
    shares.push_back(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(due(k))));
  const auto sum = [&] { return std::accumulate(shares.begin(), shares.end(), std::uint64_t{0}); };
  const auto farthest = [&](double sign, const auto& may) {
    std::size_t best = kinds.size();
    const auto off = [&](std::size_t k) { return sign * (due(k) - static_cast<double>(shares[k])); };
    for (std::size_t k = 0; k < kinds.size(); ++k)
      if (may(k) && (best == kinds.size() || off(k) > off(best))) best = k;
    return best;
  };
  while (sum() < kept) ++shares[farthest(1, [&](std::size_t k) { return shares[k] < kinds[k].members.size(); })];
  while (sum() > kept) --shares[farthest(-1, [&](std::size_t k) { return shares[k] > 1; })];
  return shares;
}

/// A kept iteration's seconds in relation to those of any.
double longer(const std::vector<OneKind>& kinds, const std::vector<std::uint64_t>& shares) {
  double kept_s = 0, kept = 0, all_s = 0, all = 0;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const auto own = static_cast<double>(shares[k]), members = static_cast<double>(kinds[k].members.size());
    kept_s += own * kinds[k].seconds, kept += own;
    all_s += members * kinds[k].seconds, all += members;
  }
  return all_s > 0 ? kept_s / kept / (all_s / all) : 1;
}

}  // namespace

Kinds kinds(const skeleton::Node& loop, const Cut& cut, const std::vector<skeleton::Ends>& ends) {
  const auto trips = static_cast<std::uint64_t>(loop.loop().trips.of(0).at(0));
  const std::uint64_t all = cut.later(trips), kept = cut.kept(trips);
  if (kept < 2 || kept == all || kept > kMostChosen || all > kMostCompared) return {};
  const Costs costs(loop, all, ends);
  if (costs.step() > 1) return {};
  const Times times(loop, costs, cut.ends.first, all);
  std::vector<std::uint64_t> members(all);
  std::iota(members.begin(), members.end(), 0);
  std::vector<OneKind> found{one_kind(times, std::move(members))};
  std::vector<std::uint64_t> kept_of{kept};
  const double alike = std::pow(kAlike * found[0].seconds, 2) * static_cast<double>(all);
  const auto squares = [&] {
    return std::accumulate(found.begin(), found.end(), 0.0, [](double s, const OneKind& k) { return s + k.squares; });
  };
  while (2 * found.size() <= kept && squares() > alike) {
    const auto most = std::ranges::max_element(found, {}, &OneKind::squares);
    auto parts = split(times, *most);
    if (parts.size() == 1) break;
    auto more = found;
    more[static_cast<std::size_t>(most - found.begin())] = std::move(parts[0]);
    more.push_back(std::move(parts[1]));
    auto of_each = shares(more, kept, all);
    if (longer(more, of_each) > kMostLonger) break;
    found = std::move(more);
    kept_of = std::move(of_each);
  }
  if (found.size() == 1) return {};
  Kinds result{{}, longer(found, kept_of)};
  double variance = 0;
  std::uint64_t before = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const std::uint64_t n = found[k].members.size();
    const double weight = static_cast<double>(n) / static_cast<double>(kept_of[k]);
    for (std::uint64_t i = 0; i < kept_of[k]; ++i)
      result.chosen.push_back({1 + found[k].members[skel_iteration_kept(i, kept_of[k], n, before) - 1], weight});
    before += kept_of[k];
    variance += (weight - 1) * found[k].squares;
  }
  std::ranges::sort(result.chosen, {}, &Chosen::iteration);
  result.error_s = std::sqrt(variance);
  return result;
}

}  // namespace skelgen::emit
