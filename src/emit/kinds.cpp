#include "emit/kinds.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

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

  /// Of a location in the first so many iterations of the loop: what an element takes.
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
  /// iterations: of location 0, ascending. trips: see Costs::of.
  Times(const Node& loop, const Costs& costs, const std::vector<std::uint64_t>& iterations, std::uint64_t trips)
      : width_(1 + 2 * costs.locations()), of_(iterations.size() * width_), spent_(iterations.size()) {
    const double share = 1 / std::sqrt(static_cast<double>(costs.locations()));
    const Counts counts(loop);
    for (std::uint64_t n = 0; n < costs.locations(); ++n) {
      const std::uint32_t location = costs.location(n);
      const double second = counts.second(location, costs.iteration(n, iterations.back()) + 1);
      for (std::size_t i = 0; i < iterations.size(); ++i) {
        double* const own = &of_[i * width_];
        const auto [seconds, spent] = costs.of(n, iterations[i], iterations[i] + 1, trips);
        own[0] = std::max(own[0], seconds);
        spent_[i] = std::max(spent_[i], spent);
        own[1 + n] = share * seconds;
        const std::uint64_t here = costs.iteration(n, iterations[i]);
        if (second > 0) own[1 + costs.locations() + n] = share * second * counts.elements(location, here, here + 1);
      }
    }
  }
  std::size_t width() const { return width_; }
  double at(std::uint64_t iteration, std::size_t d) const { return of_[iteration * width_ + d]; }
  /// Seconds of the iteration in the phase of the loop itself, without cut loops inside, at the slowest location.
  double spent(std::uint64_t iteration) const { return spent_[iteration]; }

 private:
  std::size_t width_;
  std::vector<double> of_, spent_;
};

struct OneKind {
  std::vector<std::uint64_t> members;  ///< iterations, ascending
  double squares = 0;                  ///< sum of squares of their distances from their mean
  std::size_t widest = 0;              ///< the time that has most of it
  double spent_s = 0;                  ///< mean of Times::spent()
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
    double squares = 0;
    for (const auto i : one.members) squares += std::pow(times.at(i, d) - middle, 2);
    one.squares += squares;
    if (squares > most) most = squares, one.widest = d;
  }
  for (const auto i : one.members) one.spent_s += times.spent(i) / static_cast<double>(one.members.size());
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

/// Mean seconds of a kept iteration in the loop's own phase, divided by those of all iterations.
double longer(const std::vector<OneKind>& kinds, const std::vector<std::uint64_t>& shares) {
  double kept_s = 0, kept = 0, all_s = 0, all = 0;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const auto own = static_cast<double>(shares[k]), members = static_cast<double>(kinds[k].members.size());
    kept_s += own * kinds[k].spent_s, kept += own;
    all_s += members * kinds[k].spent_s, all += members;
  }
  return all_s > 0 ? kept_s / kept / (all_s / all) : 1;
}

/// Iterations that may be left out, of all executions that run.
struct Population {
  std::vector<std::uint64_t> iterations{};  ///< of location 0, ascending
  std::vector<double> weights{};            ///< how often the execution of each counts
  std::vector<std::size_t> ends{};          ///< of each execution, how many there are up to its end
  std::uint64_t kept = 0;

  Population(const std::vector<LoopRun>& executions, const Cut& cut) {
    for (const LoopRun& run : executions) {
      const std::uint64_t later = cut.later(run.trips);
      if (iterations.size() + later > kMostCompared || kept > kMostChosen) return;
      for (std::uint64_t i = 0; i < later; ++i) iterations.push_back(run.first + cut.ends.first + i);
      weights.resize(iterations.size(), run.weight);
      ends.push_back(iterations.size());
      kept += cut.kept(run.trips);
    }
  }
};

/// Takes of each kind what is due to it, execution by execution.
class Chooser {
 public:
  /// due: of each kind, over all executions.
  Chooser(const std::vector<OneKind>& kinds, const std::vector<std::uint64_t>& due)
      : kinds_(kinds), due_(due), taken_(kinds.size()) {}

  /// Adds `kept` of the iterations begin .. end - 1, those of an execution, ascending.
  void choose(std::uint64_t begin, std::uint64_t end, std::uint64_t kept) {
    std::vector<OfKind> here;
    for (const OneKind& kind : kinds_) {
      const auto first = std::ranges::lower_bound(kind.members, begin),
                 last = std::ranges::lower_bound(kind.members, end);
      const double share = static_cast<double>(last - kind.members.begin()) / static_cast<double>(kind.members.size());
      here.push_back(
          {{first, last}, share * static_cast<double>(due_[here.size()]) - static_cast<double>(taken_[here.size()])});
    }
    for (std::uint64_t n = 0; n < kept; ++n) {
      const auto missing = [](const OfKind& one) {
        return one.kept == one.members.size() ? -HUGE_VAL : one.due - static_cast<double>(one.kept);
      };
      ++std::ranges::max_element(here, {}, missing)->kept;
    }
    std::vector<std::uint64_t> now;
    for (std::size_t k = 0; k < here.size(); taken_[k] += here[k].kept, ++k)
      for (std::uint64_t n = 0, before = all_.size() + now.size(); n < here[k].kept; ++n)
        now.push_back(here[k].members[skel_iteration_kept(n, here[k].kept, here[k].members.size(), before) - 1]);
    std::ranges::sort(now);
    all_.insert(all_.end(), now.begin(), now.end());
  }
  const std::vector<std::uint64_t>& all() const { return all_; }

 private:
  struct OfKind {  // in an execution
    std::span<const std::uint64_t> members;
    double due;  ///< until its end, besides those of executions before
    std::uint64_t kept = 0;
  };
  const std::vector<OneKind>& kinds_;
  const std::vector<std::uint64_t>& due_;
  std::vector<std::uint64_t> taken_, all_;
};

}  // namespace

Kinds kinds(const skeleton::Node& loop, bool outermost, std::uint64_t trips, const std::vector<LoopRun>& executions,
            const Cut& cut, const std::vector<skeleton::Ends>& ends, const CutInside& inside) {
  // Iterations of loops inside others have the same numbers at all locations only if all begin together.
  if (!outermost && ends.size() > 1) return {};
  const Population population(executions, cut);
  const std::uint64_t all = population.iterations.size(), kept = population.kept;
  if (kept < 2 || kept == all || kept > kMostChosen || population.ends.size() < executions.size()) return {};
  const Costs costs(loop, all, ends, inside);
  if (costs.step() > 1) return {};
  const Times times(loop, costs, population.iterations, trips);
  std::vector<std::uint64_t> members(all);
  std::iota(members.begin(), members.end(), 0);
  std::vector<OneKind> found{one_kind(times, std::move(members))};
  std::vector<std::uint64_t> kept_of{kept};
  const double alike = std::pow(kAlike * mean(times, found[0].members, 0), 2) * static_cast<double>(all);
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
  Chooser chooser(found, kept_of);
  for (std::size_t e = 0, begin = 0; e < executions.size(); begin = population.ends[e++])
    chooser.choose(begin, population.ends[e], cut.kept(executions[e].trips));
  Kinds result{{}, longer(found, kept_of)};
  std::vector<double> weight_of(all);  // of an iteration that is kept
  double variance = 0;
  for (const OneKind& kind : found) {
    double stands_for = 0, kept_for = 0;
    for (const auto i : kind.members) {
      stands_for += population.weights[i];
      if (std::ranges::binary_search(chooser.all(), i)) kept_for += population.weights[i];
    }
    if (!(kept_for > 0)) return {};  // executions are too unlike
    for (const auto i : kind.members) weight_of[i] = stands_for / kept_for;
    variance += (stands_for / kept_for - 1) * kind.squares;
  }
  for (std::size_t e = 0, n = 0; e < executions.size(); ++e)
    for (; n < chooser.all().size() && chooser.all()[n] < population.ends[e]; ++n) {
      const std::uint64_t i = chooser.all()[n];
      result.chosen.push_back({1 + i - (e == 0 ? 0 : population.ends[e - 1]), weight_of[i]});
    }
  const double often =
      std::accumulate(population.weights.begin(), population.weights.end(), 0.0) / static_cast<double>(all);
  result.error_s = often * std::sqrt(variance);
  return result;
}

}  // namespace skelgen::emit
