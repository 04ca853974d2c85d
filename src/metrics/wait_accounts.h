#pragma once
// Accounts of waiting: who waited for whom, and what for. Internal to src/metrics.

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "metrics/late_receivers.h"
#include "metrics/meetings.h"
#include "metrics/metrics.h"
#include "metrics/polling.h"
#include "metrics/rank_reader.h"

namespace skelgen::metrics {

/// By location; each second once.
class WaitAccounts {
 public:
  /// observer: may be null. most_late: see LateReceivers.
  WaitAccounts(std::span<const Location> locations, Observer* observer, std::size_t most_late)
      : waits(locations.size()),
        caused(locations.size()),
        late(locations.size(), most_late),
        locations_(locations),
        observer_(observer),
        at_(locations.size()) {}

  /// A message is received; one of the two came late. polling: of the location, as of the step.
  void message(std::uint32_t location, const Step& step, const Clocks& from, const Polling& polling) {
    if (observer_) observer_->message(locations_[from.location], from.at, locations_[location], step.at);
    if (from.location == location) return;
    for (const auto& [begin, end] : {std::pair(polling.from(), polling.to()), std::pair(step.entered, step.at)}) {
      const double waited = wait(location, begin, std::min(end, from.at));
      add(location, from.location, &Waits::late_sender_s, waited, at_[location].until);
    }
    if (from.until != kLater && step.other > from.at && step.other <= from.until)
      late_receiver(from.location, location, from.call, step.other - from.at, step.other);
  }

  /// A call completes a send that had returned before. What it waited for is not known before the message is received.
  Completion completed(std::uint32_t location, const Step& step, const Polling& polling) {
    At& at = at_[location];
    if (std::exchange(at.call, step.call) != step.call)
      at.accounted = std::make_shared<double>(std::max(step.entered - (polling.to() - polling.from()), at.until));
    return {step.at, step.call, at.accounted};
  }

  /// And its receive was posted. The receiver came late if the call returned after that.
  void received(std::uint32_t sender, std::uint32_t receiver, const Completion& completion, double posted) {
    double& until = *completion.accounted;
    if (sender == receiver || posted <= until || posted > completion.at) return;
    late_receiver(sender, receiver, completion.call, posted - until, posted);
    until = posted;
  }

  /// A collective of one of the rank's communicators, `comms`, is left. computed: by the location so far.
  void collective(std::uint32_t location, const Step& step, const Clocks& from, double computed,
                  std::span<const CommIdentity> comms, const Polling& polling) {
    if (from.location != kNone && from.location != location) {
      double more = from.since - since(location, step, computed, comms);
      for (const auto& [begin, end] : {std::pair(polling.from(), polling.to()), std::pair(step.entered, step.at)}) {
        const double waited = wait(location, begin, std::min(end, from.at));
        const double imbalance = std::clamp(more, 0.0, waited);
        const double until = at_[location].until;
        more -= imbalance;
        add(location, from.location, &Waits::imbalance_s, imbalance, until);
        add(location, from.location, &Waits::collective_s, waited - imbalance, until - imbalance);
      }
    }
    // Where all wait for all they meet. Who waited for one only is as far as that one: what it waited is as if computed.
    const bool all = step.shape == Shape::all;
    if (!all && (from.location == kNone || from.location == location || from.at <= step.entered)) return;
    auto& met = at_[location].met;
    if (met.size() <= step.link) met.resize(step.link + 1, kNever);
    met[step.link] = all ? computed : computed - from.since;
  }

  /// What it has computed since it met the others of the collective's communicator there, or where that was made.
  double since(std::uint32_t location, const Step& step, double computed, std::span<const CommIdentity> comms) const {
    const auto& met = at_[location].met;
    for (std::size_t comm = step.link;; comm = static_cast<std::size_t>(comms[comm].parent)) {
      if (comm < met.size() && met[comm] != kNever) return computed - met[comm];
      if (comms[comm].parent < 0) return computed;
    }
  }

  std::vector<Waits> waits;   ///< seconds
  std::vector<Waits> caused;  ///< of others, for it
  LateReceivers late;

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  struct At {
    double until = 0;                   // up to there waiting is accounted for
    std::vector<double> met;            // by communicator: what it had computed when it met the others there, or kNever
    std::uint32_t call = kNone;         // that completed sends
    std::shared_ptr<double> accounted;  // its Completion
  };

  /// Seconds from `from` to `to` that are not accounted for already.
  double wait(std::uint32_t location, double from, double to) {
    double& until = at_[location].until;
    from = std::max(from, until);
    until = std::max(from, to);
    return until - from;
  }

  void late_receiver(std::uint32_t sender, std::uint32_t receiver, std::uint32_t call, double seconds, double until) {
    add(sender, receiver, &Waits::late_receiver_s, seconds, until);
    late.add(sender, call, seconds);
  }

  /// It waited so long until then.
  void add(std::uint32_t location, std::uint32_t cause, double Waits::*kind, double seconds, double until) {
    waits[location].*kind += seconds;
    caused[cause].*kind += seconds;
    if (observer_ && seconds > 0)
      observer_->waited(locations_[location], locations_[cause], kind, until - seconds, until);
  }

  std::span<const Location> locations_;
  Observer* observer_;
  std::vector<At> at_;
};

}  // namespace skelgen::metrics
