#pragma once
// Who waited for whom, and what for. Internal to src/metrics.

#include <algorithm>
#include <vector>

#include "metrics/meetings.h"
#include "metrics/metrics.h"

namespace skelgen::metrics {

/// By location; each second once.
class WaitAccounts {
 public:
  explicit WaitAccounts(std::size_t locations) : waits(locations), caused(locations), at_(locations) {}

  /// A message is received; one of the two came late.
  void message(std::uint32_t location, const Step& step, const Clocks& from) {
    if (from.location == location) return;
    add(location, from.location, &Waits::late_sender_s, wait(location, step.entered, std::min(step.at, from.at)));
    if (step.other > from.at && step.other <= from.until)
      add(from.location, location, &Waits::late_receiver_s, step.other - from.at);
  }

  /// A collective is left. computed: by the location so far.
  void collective(std::uint32_t location, const Step& step, const Clocks& from, double computed) {
    if (from.location != kNone && from.location != location) {
      const double waited = wait(location, step.entered, std::min(step.at, from.at));
      const double more = step.shape == Shape::all ? from.since - since(location, computed) : 0;
      const double imbalance = std::clamp(more, 0.0, waited);
      add(location, from.location, &Waits::imbalance_s, imbalance);
      add(location, from.location, &Waits::collective_s, waited - imbalance);
    }
    if (step.shape == Shape::all) at_[location].met = computed;
  }

  /// What it has computed since it met all others.
  double since(std::uint32_t location, double computed) const { return computed - at_[location].met; }

  std::vector<Waits> waits;   ///< seconds
  std::vector<Waits> caused;  ///< of others, for it

 private:
  struct At {
    double until = 0;  // up to there waiting is accounted for
    double met = 0;    // what it had computed when it met all others
  };

  /// Seconds from `from` to `to` that are not accounted for already.
  double wait(std::uint32_t location, double from, double to) {
    double& until = at_[location].until;
    from = std::max(from, until);
    until = std::max(from, to);
    return until - from;
  }

  void add(std::uint32_t location, std::uint32_t cause, double Waits::*kind, double seconds) {
    waits[location].*kind += seconds;
    caused[cause].*kind += seconds;
  }

  std::vector<At> at_;
};

}  // namespace skelgen::metrics
