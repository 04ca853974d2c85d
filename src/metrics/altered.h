#pragma once
// The same run with something taking half as long. Internal to src/metrics.

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "metrics/meetings.h"
#include "metrics/replay.h"

namespace skelgen::metrics {

/// Times of the altered runs at each location's last step. What waits for others waits as long as they let it in that run;
/// all else that is not halved takes as long as it did.
class AlteredRuns {
 public:
  AlteredRuns(std::span<const Halved> runs, std::size_t locations) : runs_(runs), at_(locations) {}

  const Altered& now(std::uint32_t location) const { return at_[location].now; }

  /// Up to where the step may wait for others: the call's entry if it is its first one. Steps that wait for nobody end.
  /// start: of the location.
  void pass(std::uint32_t location, Rank rank, const Step& step, double start) {
    At& at = at_[location];
    const bool waits = step.kind == StepKind::receive || step.kind == StepKind::leave;
    const bool enters = std::exchange(at.call, step.call) != step.call;
    const double inside = enters ? std::min(step.blocked, step.at - step.entered) : step.blocked;
    const bool first = !std::exchange(at.begun, true);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      double& now = at.now[i];
      if (first) now = start;
      if (enters) {
        now += share(runs_[i].rank == rank) * step.computing + (step.blocked - inside);
        at.entry[i] = now;
      }
      if (!waits) now += share(runs_[i].function == step.function->name) * inside;
    }
  }

  /// The end of a step that waited for others; what they did not cause takes as long as it did.
  void wait(std::uint32_t location, const Step& step, const Clocks& from) {
    At& at = at_[location];
    const bool alone = from.location == kNone;
    const double rest = step.at - (alone ? step.entered : std::max(step.entered, from.at));
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const double came = alone ? at.entry[i] : std::max(at.entry[i], from.altered[i]);
      const double took = share(runs_[i].function == step.function->name) * rest;
      at.now[i] = std::max(at.now[i], came + took);
    }
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
    Altered now{}, entry{};  // of the last step; when its call was entered
    std::uint32_t call = kNone;
    bool begun = false;
  };

  /// How much of its time something takes.
  static double share(bool halved) { return halved ? 0.5 : 1; }

  std::span<const Halved> runs_;
  std::vector<At> at_;
};

}  // namespace skelgen::metrics
