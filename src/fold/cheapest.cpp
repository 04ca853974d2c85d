#include "fold/cheapest.h"

#include <algorithm>
#include <array>
#include <bit>

namespace skelgen::fold {
namespace {

using strings::Run;
using strings::Symbol;

constexpr Index kNone = ~Index{0};
constexpr Index kPlain = kNone;  // a body without loops
/// All phases of a run are tried in texts up to this length and for periods up to this one; else a few.
constexpr Index kShortText = 256, kShortPeriod = 4;
/// So many phases of any other run.
constexpr std::size_t kPhases = 6;
/// Runs whose periods differ by less than this power of two are neighbours.
constexpr int kClasses = 3;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a ^ 0x9e3779b97f4a7c15) * (b ^ 0xd1b54a32d192ed03);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

constexpr std::size_t kBlock = 32;
constexpr auto kKeys = [] {
  std::array<std::uint32_t, kBlock> keys{};
  std::uint64_t state = 1;
  for (auto& key : keys) key = static_cast<std::uint32_t>((state *= 0x5851f42d4c957f2d) >> 32);
  return keys;
}();

/// Products of pairs, added up for each block (Black, Halevi, Krawczyk, Krovetz & Rogaway: UMAC, CRYPTO 1999): they do
/// not wait for each other.
std::uint64_t hash_of(std::span<const Symbol> text) {
  std::uint64_t hash = text.size();
  const auto product = [&](std::size_t i, std::size_t k, std::uint32_t second) {
    return std::uint64_t{text[i + k] + kKeys[k]} * std::uint64_t{second + kKeys[k + 1]};
  };
  std::size_t i = 0;
  for (; i + kBlock <= text.size(); i += kBlock) {
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < kBlock; k += 2) sum += product(i, k, text[i + k + 1]);
    hash = mix(hash, sum);
  }
  std::uint64_t sum = 0;
  for (std::size_t k = 0; i + k < text.size(); k += 2)
    sum += product(i, k, i + k + 1 < text.size() ? text[i + k + 1] : 0);
  return mix(hash, sum);
}

int class_of(Index period) { return std::bit_width(period); }

/// A loop in a text that is folded by itself, at [begin, end) of it.
struct Loop {
  Index begin, end, period, body;  // body: number, or kPlain
};

/// A text that is solved. Other symbols than those of its loops remain.
struct Body {
  Index cost = 0;  // symbols in the folded form
  std::vector<Loop> loops;
};

/// A rotation of a run's body that may be looped: from `start` on, in steps of a period, as far as the run goes.
struct Channel {
  Index end, period, cost, body;
  Index best = kNone, entered = 0;  // cheapest way to be inside the loop, and where it begins
  Index step = 0;                   // 1 + number of the step that says so, if there is one
  Index next = 0;                   // 1 + channel that waits at the same position, or that is free as well
};

/// From where a position is reached cheapest: by looping a body from `entered` on.
struct Step {
  Index entered, period, body;
};

class Solver {
 public:
  Solver(std::span<const Symbol> text, double work)
      : text_(text), budget_(work * static_cast<double>(text.size()) + 16384), least_(-budget_) {}

  std::vector<Repetition> solve(const std::vector<Run>& runs) {
    const Body whole = solved(0, static_cast<Index>(text_.size()), runs);
    std::vector<Repetition> all;
    for (const Loop& loop : whole.loops) append(loop, 0, all);
    return all;
  }

 private:
  struct Known {
    std::uint64_t hash;
    Index begin, length, body;  // body: kNone where nothing is known
  };

  /// The body at [begin, begin + length), solved once for all places where the same symbols stand.
  Index body_at(Index begin, Index length) {
    const auto symbols = text_.subspan(begin, length);
    const std::uint64_t hash = hash_of(symbols);
    const auto same = [&](const Known& known) {
      return known.hash == hash && known.length == length &&
             std::ranges::equal(text_.subspan(known.begin, length), symbols);
    };
    std::size_t at = hash & (known_.size() - 1);
    for (; known_[at].body != kNone; at = (at + 1) & (known_.size() - 1))
      if (same(known_[at])) return known_[at].body;
    const Index body = new_body(begin, length);
    if (2 * bodies_.size() > known_.size()) grow();
    known_[free_place(hash)] = {hash, begin, length, body};
    return body;
  }

  std::size_t free_place(std::uint64_t hash) const {
    std::size_t at = hash & (known_.size() - 1);
    while (known_[at].body != kNone) at = (at + 1) & (known_.size() - 1);
    return at;
  }

  void grow() {
    std::vector<Known> old(2 * known_.size(), kNothing);
    old.swap(known_);
    for (const Known& known : old)
      if (known.body != kNone) known_[free_place(known.hash)] = known;
  }

  Index new_body(Index begin, Index length) {
    Body body{length, {}};
    if (budget_ >= least_) {
      budget_ -= length;
      body = solved(begin, length, strings::runs(text_.subspan(begin, length)));
    }
    bodies_.push_back(std::move(body));
    return static_cast<Index>(bodies_.size() - 1);
  }

  /// f(j): cost of the first j symbols. Every phase of a run is a channel: who is at one of its positions may enter it
  /// for the cost of a body, and is then at all of its later positions.
  Body solved(Index begin, Index length, const std::vector<Run>& runs);
  std::vector<Loop> loops_of(const std::vector<Index>& reached, const std::vector<Step>& steps) const;

  /// The loop, moved by `shift`, and those in its body.
  void append(const Loop& loop, Index shift, std::vector<Repetition>& all) const {
    all.push_back({loop.begin + shift, loop.end + shift, loop.period});
    if (loop.body == kPlain) return;
    for (const Loop& inner : bodies_[loop.body].loops) append(inner, loop.begin + shift, all);
  }

  std::span<const Symbol> text_;
  double budget_, least_;  // below 0: one phase of each run; below least_: no new bodies
  std::vector<Body> bodies_;
  static constexpr Known kNothing{0, 0, 0, kNone};
  std::vector<Known> known_ = std::vector<Known>(64, kNothing);  // open addressing
};

/// For each run the phases that are worth a try, as offsets from its begin.
class Phases {
 public:
  Phases(const std::vector<Run>& runs, Index length) : runs_(runs), all_(length <= kShortText) {
    before_.fill(kNone);
    if (all_) return;
    Near near;
    near.fill(kNone);
    for (std::size_t r = runs.size(); r-- > 0;) {
      const Run& run = runs[r];
      near[static_cast<std::size_t>(class_of(run.period))] = static_cast<Index>(r);
      if (run.period > kShortPeriod) following_.push_back(nearest(near, run));
    }
  }

  /// Of run r; to be asked for all, in order. `few`: only the left end.
  std::span<const Index> of(std::size_t r, bool few) {
    const Run& run = runs_[r];
    size_ = 0;
    add(run, run.begin);
    if (all_ || run.period <= kShortPeriod) {
      if (!few) add_all(run);
    } else {
      const Positions following = following_.back();
      following_.pop_back();
      if (!few) add_chosen(run, following);
    }
    if (!all_) before_[static_cast<std::size_t>(class_of(run.period))] = static_cast<Index>(r);
    return {chosen_.data(), size_};
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

  void add_all(const Run& run) {
    for (Index phase = 1; phase < run.period && run.begin + phase + 2 * run.period <= run.end; ++phase)
      chosen_[size_++] = phase;
  }

  void add_chosen(const Run& run, const Positions& following) {
    add(run, run.end);
    for (const Index position : following)
      if (position != kNone) add(run, position);
    const int middle = class_of(run.period);
    for (int c = std::max(0, middle - kClasses); c <= std::min(32, middle + kClasses); ++c) {
      const Index other = before_[static_cast<std::size_t>(c)];
      if (other != kNone && runs_[other].end > run.begin && runs_[other].end < run.end) add(run, runs_[other].end);
    }
  }

  void add(const Run& run, Index position) {
    const Index phase = (position - run.begin) % run.period;
    if (run.begin + phase + 2 * run.period > run.end || size_ >= kPhases) return;
    if (std::find(chosen_.begin(), chosen_.begin() + size_, phase) == chosen_.begin() + size_) chosen_[size_++] = phase;
  }

  const std::vector<Run>& runs_;
  bool all_;
  std::vector<Positions> following_;  // of runs with periods above kShortPeriod, the next one last
  Near before_;
  std::array<Index, kShortText / 2> chosen_;
  Index size_ = 0;
};

Body Solver::solved(Index begin, Index length, const std::vector<Run>& runs) {
  if (runs.empty()) return {length, {}};
  Phases phases(runs, length);
  std::vector<Index> at(length +
                        1);  // 1 + channel that waits; once a position is passed, 1 + step by which it is reached
  std::vector<Channel> channels;
  std::vector<Step> steps;
  Index free = 0, cost = 0;
  const auto wait = [&](Index channel, Index position) {
    channels[channel - 1].next = at[position];
    at[position] = channel;
  };
  std::size_t run = 0;
  for (Index j = 0; j <= length; ++j, ++cost) {
    for (; run < runs.size() && runs[run].begin == j; ++run) {
      const auto [first, end, period] = runs[run];
      for (const Index phase : phases.of(run, budget_ < 0)) {
        // No body of less than three symbols repeats anything.
        const Index body = period < 3 ? kPlain : body_at(begin + first + phase, period);
        Index channel = free;
        if (free == 0) {
          channels.emplace_back();
          channel = static_cast<Index>(channels.size());
        } else {
          free = channels[free - 1].next;
        }
        channels[channel - 1] = {end, period, body == kPlain ? period : bodies_[body].cost, body};
        wait(channel, j + phase);
      }
    }
    const Index waiting = at[j];
    if (waiting == 0) continue;
    Index best = 0;
    for (Index c = waiting; c != 0; c = channels[c - 1].next) {
      if (channels[c - 1].best >= cost) continue;
      cost = channels[c - 1].best;
      best = c;
    }
    if (best != 0) {
      Channel& channel = channels[best - 1];
      if (channel.step == 0) {
        steps.push_back({channel.entered, channel.period, channel.body});
        channel.step = static_cast<Index>(steps.size());
      }
      best = channel.step;
    }
    at[j] = best;
    for (Index c = waiting, next; c != 0; c = next) {
      Channel& channel = channels[c - 1];
      next = channel.next;
      if (cost + channel.cost < channel.best) {
        channel.best = cost + channel.cost;
        channel.entered = j;
        channel.step = 0;
      }
      if (channel.end - j >= channel.period) {
        wait(c, j + channel.period);
      } else {
        channel.next = free;
        free = c;
      }
    }
  }
  return {cost - 1, loops_of(at, steps)};
}

std::vector<Loop> Solver::loops_of(const std::vector<Index>& reached, const std::vector<Step>& steps) const {
  std::vector<Loop> loops;
  for (auto j = static_cast<Index>(reached.size() - 1); j > 0;) {
    if (reached[j] == 0) {
      --j;
      continue;
    }
    const auto [entered, period, body] = steps[reached[j] - 1];
    if (j - entered > period) {
      loops.push_back({entered, j, period, body});
    } else {
      for (auto inner = bodies_[body].loops.rbegin(); inner != bodies_[body].loops.rend(); ++inner)
        loops.push_back({entered + inner->begin, entered + inner->end, inner->period, inner->body});
    }
    j = entered;
  }
  std::ranges::reverse(loops);
  return loops;
}

}  // namespace

std::vector<Repetition> cheapest(std::span<const Symbol> text, const std::vector<Run>& runs, double work) {
  return Solver(text, work).solve(runs);
}

}  // namespace skelgen::fold
