#pragma once
// The same run with something taking half as long. Internal to src/metrics.

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "metrics/asking.h"
#include "metrics/late_receivers.h"
#include "metrics/meetings.h"
#include "metrics/replay.h"

namespace skelgen::metrics {

/// Times of the altered runs at each location's last step. What waits for others waits as long as they let it in that run;
/// all else that is not halved takes as long as it did. So do waits for late receivers.
class AlteredRuns {
 public:
  /// late: by location; empty: none.
  AlteredRuns(std::span<const Halved> runs, std::span<const LateReceivers::List> late, std::size_t locations)
      : runs_(runs), at_(locations) {
    for (std::size_t i = 0; i < late.size(); ++i) at_[i].late_receivers = LateReceiversOf(late[i]);
  }

  const Altered& now(std::uint32_t location) const { return at_[location].now; }

  /// Up to where the step may wait for others: the call's entry if it is its first one. Steps that wait for nobody end.
  /// start: of the location. asking: of the location, as of the step.
  void pass(std::uint32_t location, Rank rank, const Step& step, double start, const Asking& asking) {
    At& at = at_[location];
    const bool waits = step.kind == StepKind::receive || step.kind == StepKind::leave;
    const bool enters = std::exchange(at.call, step.call) != step.call;
    const double inside = enters ? std::min(step.blocked, step.at - step.entered) : step.blocked;
    const bool first = !std::exchange(at.begun, true);
    if (enters) at.late = at.late_receivers.at(step.call);
    const unsigned halved = halve(step.function);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      double& now = at.now[i];
      if (first) now = start;
      if (enters) {
        now += share(runs_[i].rank == rank) * step.computing + (step.blocked - inside);
        at.entry[i] = now;
      }
      if (!waits) now += at.inside(halved >> i & 1, inside);
      if (step.asks) {
        at.asked[i] = at.asking ? at.asked[i] + at.entry[i] - at.answered[i] : at.entry[i];
        at.answered[i] = now;
      } else if (waits && enters && asking.any()) {  // at least it is not known to have waited in vain
        now -= at.answered[i] - at.asked[i];
      }
    }
    at.asking = asking.open();
  }

  /// The end of a step that waited for others; what they did not cause takes as long as it did.
  void wait(std::uint32_t location, const Step& step, const Clocks& from, const Asking& asking) {
    At& at = at_[location];
    const bool alone = from.location == kNone;
    const double begin = asking.any() && from.at > asking.to() ? asking.to() : step.entered;
    const double rest = step.at - (alone ? step.entered : std::max(begin, from.at));
    const unsigned halved = halve(step.function), asking_halved = asking.any() && !alone ? halve(asking.function()) : 0;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      double entry = at.entry[i];
      if (asking.any() && !alone) {  // what it asked for came while it did, or later
        const double answer = std::clamp(from.at, asking.from(), asking.to());
        const double began = from.at > asking.to() ? at.asked[i] : std::max(at.asked[i], from.altered[i]);
        const double rest_of_asking = share(asking_halved >> i & 1) * (asking.to() - answer);
        entry += began + rest_of_asking - at.answered[i];
      }
      const double came = alone ? entry : std::max(entry, from.altered[i]);
      const double took = at.inside(halved >> i & 1, rest);
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
  /// How much of its time something takes.
  static double share(bool halved) { return halved ? 0.5 : 1; }

  struct At {
    Altered now{}, entry{};       // of the last step; when its call was entered
    Altered asked{}, answered{};  // when the location began to ask, and had asked last: see Asking
    std::uint32_t call = kNone;
    bool begun = false, asking = false;
    LateReceiversOf late_receivers;
    double late = 0;  // of the call

    /// How long a call takes that waited for nobody but late receivers; that is not halved.
    double inside(bool halved, double seconds) const {
      return seconds - (1 - share(halved)) * std::max(0.0, seconds - late);
    }
  };

  /// A bit for each run in which the function takes half as long.
  unsigned halve(const mpi::Function* function) {
    const auto known = std::ranges::find(halved_, function, &std::pair<const mpi::Function*, unsigned>::first);
    if (known != halved_.end()) return known->second;
    unsigned runs = 0;
    for (std::size_t i = 0; i < runs_.size(); ++i)
      if (runs_[i].function == function->name) runs |= 1u << i;
    return halved_.emplace_back(function, runs).second;
  }

  std::span<const Halved> runs_;
  std::vector<At> at_;
  std::vector<std::pair<const mpi::Function*, unsigned>> halved_;  // by function, as far as it was asked for
};

}  // namespace skelgen::metrics
