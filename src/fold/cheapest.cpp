#include "fold/cheapest.h"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>

namespace skelgen::fold {
namespace {

using strings::Run;
using strings::Symbol;

constexpr Index kNone = ~Index{0};
/// All phases of a run are tried in texts up to this length and for periods up to this one; else a few.
constexpr Index kShortText = 128, kShortPeriod = 4;
/// So many phases of any other run.
constexpr std::size_t kPhases = 6;
/// Runs whose periods differ by less than this power of two are neighbours.
constexpr int kClasses = 3;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a ^ 0x9e3779b97f4a7c15) * (b ^ 0xd1b54a32d192ed03);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t hash_of(std::span<const Symbol> text) {
  std::uint64_t first = text.size(), second = ~first;
  std::size_t i = 0;
  for (; i + 4 <= text.size(); i += 4) {
    first = mix(first, text[i] | std::uint64_t{text[i + 1]} << 32);
    second = mix(second, text[i + 2] | std::uint64_t{text[i + 3]} << 32);
  }
  for (; i < text.size(); ++i) first = mix(first, text[i]);
  return mix(first, second);
}

int class_of(Index period) { return std::bit_width(period); }

/// A rotation of a run's body that may be looped: from `start` on, in steps of a period, as far as the run goes.
struct Channel {
  Index end, period, cost, body;
  Index best = kNone, entered = 0;  // cheapest way to be inside the loop, and where it begins
  Index next = kNone;               // channel that waits at the same position
};

class Solver {
 public:
  Solver(std::span<const Symbol> text, double work)
      : text_(text), budget_(work * static_cast<double>(text.size()) + 4096), least_(-budget_) {}

  Cheapest solve(const std::vector<Run>& runs) {
    const std::uint32_t number = whole(0, static_cast<Index>(text_.size()), runs);
    return {std::move(bodies_), number, costs_.empty() ? 0 : costs_[number]};
  }

 private:
  struct Known {
    Index begin, length;
    std::uint32_t body;
  };

  /// The body at [begin, begin + length), solved once for all places where the same symbols stand.
  std::uint32_t body_at(Index begin, Index length) {
    const auto symbols = text_.subspan(begin, length);
    const std::uint64_t hash = hash_of(symbols);
    const auto [first, last] = known_.equal_range(hash);
    for (auto at = first; at != last; ++at)
      if (at->second.length == length && std::ranges::equal(text_.subspan(at->second.begin, length), symbols))
        return at->second.body;
    std::uint32_t body;
    if (length < 3 || budget_ < least_) {
      body = add({{begin, begin + length}}, length, length);
    } else {
      budget_ -= length;
      body = whole(begin, length, strings::runs(symbols));
    }
    known_.emplace(hash, Known{begin, length, body});
    return body;
  }

  std::uint32_t add(std::vector<Part> parts, Index length, Index cost) {
    bodies_.push_back(std::move(parts));
    lengths_.push_back(length);
    costs_.push_back(cost);
    return static_cast<std::uint32_t>(bodies_.size() - 1);
  }

  /// f[j]: cost of the first j symbols. Every phase of a run is a channel: who is at one of its positions may enter it
  /// for the cost of a body, and is then at all of its later positions.
  std::uint32_t whole(Index begin, Index length, const std::vector<Run>& runs);

  std::span<const Symbol> text_;
  double budget_, least_;  // below 0: one phase of each run; below least_: no new bodies
  std::vector<std::vector<Part>> bodies_;
  std::vector<Index> lengths_, costs_;
  std::unordered_multimap<std::uint64_t, Known> known_;
};

/// For each run the phases that are worth a try, as offsets from its begin.
class Phases {
 public:
  Phases(const std::vector<Run>& runs, Index length) : runs_(runs), all_(length <= kShortText) {
    if (all_) return;
    following_.resize(runs.size());
    Near near;
    near.fill(kNone);
    for (std::size_t r = runs.size(); r-- > 0;) {
      const Run& run = runs[r];
      near[static_cast<std::size_t>(class_of(run.period))] = static_cast<Index>(r);
      following_[r] = nearest(near, run);
    }
    before_.fill(kNone);
  }

  /// Of run r; to be asked in order. `few`: only the left end.
  const std::vector<Index>& of(std::size_t r, bool few) {
    const Run& run = runs_[r];
    chosen_.clear();
    add(run, run.begin);
    if (few) return chosen_;
    if (all_ || run.period <= kShortPeriod) {
      for (Index phase = 1; phase < run.period && run.begin + phase + 2 * run.period <= run.end; ++phase)
        chosen_.push_back(phase);
    } else {
      add(run, run.end);
      const int middle = class_of(run.period);
      for (const Index position : following_[r])
        if (position != kNone) add(run, position);
      for (int c = std::max(0, middle - kClasses); c <= std::min(32, middle + kClasses); ++c) {
        const Index other = before_[static_cast<std::size_t>(c)];
        if (other != kNone && runs_[other].end > run.begin && runs_[other].end < run.end) add(run, runs_[other].end);
      }
    }
    if (!all_) before_[static_cast<std::size_t>(class_of(run.period))] = static_cast<Index>(r);
    return chosen_;
  }

 private:
  using Near = std::array<Index, 33>;
  using Positions = std::array<Index, 2>;

  /// Begins of the next runs with similar periods, the nearest that are longer and shorter than this one.
  Positions nearest(const Near& near, const Run& run) const {
    Positions found{kNone, kNone};
    const int middle = class_of(run.period);
    for (int c = std::max(0, middle - kClasses); c <= std::min(32, middle + kClasses); ++c) {
      const Index other = near[static_cast<std::size_t>(c)];
      if (other == kNone || runs_[other].begin <= run.begin || runs_[other].begin >= run.end) continue;
      Index& place = found[runs_[other].end > run.end ? 0 : 1];
      place = std::min(place, runs_[other].begin);
    }
    return found;
  }

  void add(const Run& run, Index position) {
    const Index phase = (position - run.begin) % run.period;
    if (run.begin + phase + 2 * run.period > run.end || chosen_.size() >= kPhases) return;
    if (std::ranges::find(chosen_, phase) == chosen_.end()) chosen_.push_back(phase);
  }

  const std::vector<Run>& runs_;
  bool all_;
  std::vector<Positions> following_;
  Near before_{};
  std::vector<Index> chosen_;
};

std::uint32_t Solver::whole(Index begin, Index length, const std::vector<Run>& runs) {
  if (runs.empty()) return add({{begin, begin + length}}, length, length);
  Phases phases(runs, length);
  std::vector<Index> cost(length + 1), waiting(length + 1, kNone), from(length + 1, kNone), entered(length + 1);
  std::vector<Channel> channels;
  std::vector<Index> free;
  const auto wait = [&](Index channel, Index position) {
    channels[channel].next = waiting[position];
    waiting[position] = channel;
  };
  std::size_t run = 0;
  for (Index j = 0; j <= length; ++j) {
    if (j > 0) cost[j] = cost[j - 1] + 1;
    for (; run < runs.size() && runs[run].begin == j; ++run) {
      const auto [first, end, period] = runs[run];
      for (const Index phase : phases.of(run, budget_ < 0)) {
        const std::uint32_t body = body_at(begin + first + phase, period);
        Index channel = static_cast<Index>(channels.size());
        if (free.empty()) {
          channels.push_back({});
        } else {
          channel = free.back();
          free.pop_back();
        }
        channels[channel] = {end, period, costs_[body], body};
        wait(channel, j + phase);
      }
    }
    for (Index c = waiting[j]; c != kNone; c = channels[c].next) {
      const Channel& channel = channels[c];
      if (channel.best < cost[j]) {
        cost[j] = channel.best;
        from[j] = channel.body;
        entered[j] = channel.entered;
      }
    }
    for (Index c = waiting[j], next; c != kNone; c = next) {
      Channel& channel = channels[c];
      next = channel.next;
      if (cost[j] + channel.cost < channel.best) {
        channel.best = cost[j] + channel.cost;
        channel.entered = j;
      }
      if (channel.end - j >= channel.period)
        wait(c, j + channel.period);
      else
        free.push_back(c);
    }
  }
  std::vector<Part> parts;
  for (Index j = length; j > 0;) {
    if (from[j] == kNone) {
      const Index end = j;
      while (j > 0 && from[j] == kNone) --j;
      parts.push_back({begin + j, begin + end});
      continue;
    }
    const std::uint32_t body = from[j];
    const Index start = entered[j];
    const Index period = lengths_[body], trips = (j - start) / period;
    if (trips == 1)
      parts.insert(parts.end(), bodies_[body].rbegin(), bodies_[body].rend());
    else
      parts.push_back({begin + start, begin + start + period, trips, body});
    j = start;
  }
  std::ranges::reverse(parts);
  return add(std::move(parts), length, cost[length]);
}

}  // namespace

Cheapest cheapest(std::span<const Symbol> text, const std::vector<Run>& runs, double work) {
  return Solver(text, work).solve(runs);
}

}  // namespace skelgen::fold
