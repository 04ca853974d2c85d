#pragma once
// Times of the same run if something took less time. Internal to src/metrics.

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "metrics/meetings.h"
#include "metrics/polling.h"
#include "metrics/replay.h"
#include "support/error.h"

namespace skelgen::metrics {

/// Times of the altered runs at each location's last step. What waits for others waits as long as they let it in that run;
/// all else that is not altered takes as long as it did.
class AlteredRuns {
 public:
  AlteredRuns(std::span<const AlteredRun> runs, std::span<const Location> locations)
      : runs_(runs), at_(runs.empty() ? 0 : locations.size()) {
    if (runs.size() > kMostAltered) throw Error(Code::internal, "more altered runs than kMostAltered");
    for (std::size_t l = 0; l < at_.size(); ++l)
      at_[l].computes = shares([&](const AlteredRun& run) {
        const auto own = std::ranges::find(run.computes, locations[l].rank, &std::pair<Rank, double>::first);
        return own == run.computes.end() ? 1 : own->second;
      });
  }

  bool any() const { return !at_.empty(); }
  const Altered& now(std::uint32_t location) const { return at_[location].now; }
  /// When the call of the last step was entered.
  const Altered& entry(std::uint32_t location) const { return at_[location].entry; }

  /// Up to where the step may wait for others: the call's entry if it is its first one; wait() follows. Steps that wait for
  /// nobody end. start: of the location. polling: of the location, as of the step.
  void pass(std::uint32_t location, const Step& step, double start, const Polling& polling) {
    if (at_.empty()) return;
    At& at = at_[location];
    const bool waits = step.kind == StepKind::receive || step.kind == StepKind::leave || step.kind == StepKind::sent;
    const bool enters = std::exchange(at.call, step.call) != step.call;
    const double inside = enters ? std::min(step.blocked, step.at - step.entered) : step.blocked;
    if (!std::exchange(at.begun, true)) at.now.fill(start);
    if (enters) {
      each([&](std::size_t i) { at.now[i] += at.computes[i] * step.computing + (step.blocked - inside); });
      at.entry = at.now;
    }
    if (!waits) {
      const Altered& share = shares_of(step.function);
      each([&](std::size_t i) { at.now[i] += share[i] * inside; });
    }
    if (step.asks) {
      if (at.polling)
        each([&](std::size_t i) { at.asked[i] = at.asked[i] + at.entry[i] - at.answered[i]; });
      else
        at.asked = at.entry;
      at.answered = at.now;
    } else if (waits && enters && polling.any()) {  // at least it is not known to have waited in vain
      each([&](std::size_t i) { at.now[i] -= at.answered[i] - at.asked[i]; });
    }
    at.polling = polling.open();
  }

  /// The end of a step that waited for others, or might have (`from` is nobody's then). The call ends when all have come
  /// that its steps wait for, and what they did not cause takes as long as it did.
  void wait(std::uint32_t location, const Step& step, const Clocks& from, const Polling& polling) {
    if (at_.empty()) return;
    At& at = at_[location];
    const bool alone = from.location == kNone;
    if (alone && at.waits == step.call) return;
    const double begin = polling.any() && from.at > polling.to() ? polling.to() : step.entered;
    const double last = alone ? step.entered : std::max(begin, from.at);
    Altered came = at.entry;
    if (polling.any() && !alone) {  // what it asked for came while it did, or later
      const Altered& share = shares_of(polling.function());
      const double answer = std::clamp(from.at, polling.from(), polling.to());
      const bool later = from.at > polling.to();
      each([&](std::size_t i) {
        const double began = later ? at.asked[i] : std::max(at.asked[i], from.altered[i]);
        came[i] += began + share[i] * (polling.to() - answer) - at.answered[i];
      });
    }
    const bool first = std::exchange(at.waits, step.call) != step.call;
    if (first) at.before = at.now;
    at.last = first ? last : std::max(at.last, last);
    const Altered& share = shares_of(step.function);
    each([&](std::size_t i) {
      const double others = alone ? came[i] : std::max(came[i], from.altered[i]);
      at.came[i] = first ? others : std::max(at.came[i], others);
      at.now[i] = std::max(at.before[i], at.came[i] + share[i] * (step.at - at.last));
    });
  }

  /// When each of them ends.
  std::vector<double> ends() const {
    std::vector<double> ends(runs_.size());
    for (const At& at : at_)
      for (std::size_t i = 0; i < ends.size(); ++i) ends[i] = std::max(ends[i], at.now[i]);
    return ends;
  }

 private:
  struct At {
    Altered now{}, entry{};       // of the last step; when its call was entered
    Altered asked{}, answered{};  // when the location began to ask, and had asked last: see Polling
    Altered computes{};           // how much of its time computation takes
    std::uint32_t call = kNone;
    bool begun = false, polling = false;
    // Of the call that waited last: when it would be over if nobody was to come; when all have come, and had.
    std::uint32_t waits = kNone;
    Altered before{}, came{};
    double last = 0;
  };

  /// For every place of an Altered that is used, and up to kTogether - 1 more: a fixed number of turns lets the compiler use
  /// vector instructions.
  template <class Body>
  void each(const Body& body) const {
    for (std::size_t first = 0; first < runs_.size(); first += kTogether)
      for (std::size_t i = 0; i < kTogether; ++i) body(first + i);
  }
  /// By run: how much of its time something takes.
  template <class Share>
  Altered shares(const Share& share) const {
    Altered all;
    all.fill(1);
    for (std::size_t i = 0; i < runs_.size(); ++i) all[i] = share(runs_[i]);
    return all;
  }
  const Altered& shares_of(const mpi::Function* function) {
    if (last_ < functions_.size() && functions_[last_].first == function) return functions_[last_].second;
    auto known = std::ranges::find(functions_, function, &Shares::first);
    if (known == functions_.end())
      known = functions_.insert(
          known, {function, shares([&](const AlteredRun& run) { return run.function == function->name ? 0.5 : 1; })});
    last_ = static_cast<std::size_t>(known - functions_.begin());
    return known->second;
  }

  static constexpr std::size_t kTogether = 4;
  static_assert(kMostAltered % kTogether == 0);

  using Shares = std::pair<const mpi::Function*, Altered>;
  std::span<const AlteredRun> runs_;
  std::vector<At> at_;             // empty without runs
  std::vector<Shares> functions_;  // as far as it was asked for
  std::size_t last_ = 0;           // that was asked for
};

}  // namespace skelgen::metrics
