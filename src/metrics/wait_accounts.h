#pragma once
// Accounts of waiting: who waited for whom, and what for. Internal to src/metrics.

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "metrics/meetings.h"
#include "metrics/metrics.h"
#include "metrics/polling.h"
#include "metrics/rank_reader.h"

namespace skelgen::metrics {

/// By location; each second once.
class WaitAccounts {
 public:
  /// observer: may be null. with_roots: find RootCauses.
  WaitAccounts(std::span<const Location> locations, Observer* observer, bool with_roots)
      : waits(locations.size()),
        caused(locations.size()),
        roots(locations.size(), with_roots),
        locations_(locations),
        observer_(observer),
        at_(locations.size()) {}

  /// A message is received; it was waited for if it was sent late. polling: of the location, as of the step.
  /// computed: by the location so far. phase: that it is in.
  void message(std::uint32_t location, const Step& step, const Clocks& from, double computed, std::size_t phase,
               const Polling& polling) {
    if (observer_) observer_->message(locations_[from.location], from.at, locations_[location], step.at);
    other(location, step, from, computed, phase, polling, 0);
  }

  /// A send is completed that depends on its receive: it waited for it if that was posted late.
  void sent(std::uint32_t location, const Step& step, const Clocks& posted, double computed, std::size_t phase,
            const Polling& polling) {
    other(location, step, posted, computed, phase, polling, 1);
  }

  /// How long the step may have waited up to `came`: what is not accounted for already.
  double unexplained(std::uint32_t location, const Step& step, double came, const Polling& polling) const {
    const double until = at_[location].until;
    const double asked = polling.any() ? std::min(polling.to(), came) - std::max(polling.from(), until) : 0;
    return std::max(0.0, asked) + std::max(0.0, std::min(step.at, came) - std::max(step.entered, until));
  }

  /// A collective of one of the rank's communicators, `comms`, is left. computed: by the location so far. meeting: a number
  /// of the collective, if all ranks are in it.
  void collective(std::uint32_t location, const Step& step, const Clocks& from, double computed,
                  std::span<const CommIdentity> comms, std::uint64_t meeting, std::size_t phase,
                  const Polling& polling) {
    if (from.location != kNone && from.location != location) {
      double more = from.since - since(location, step, computed, comms);
      double uneven = 0, rest = 0;
      for (const auto& [begin, end] : {std::pair(polling.from(), polling.to()), std::pair(step.entered, step.at)}) {
        const double waited = wait(location, begin, std::min(end, from.at));
        const double imbalance = std::clamp(more, 0.0, waited);
        const double until = at_[location].until;
        more -= imbalance;
        uneven += imbalance;
        rest += waited - imbalance;
        add(location, from.location, &Waits::imbalance_s, imbalance, until);
        add(location, from.location, &Waits::collective_s, waited - imbalance, until - imbalance);
      }
      if (uneven + rest > 0) {
        Tally late = roots.more(location, from.location, from.history, from.at - uneven - rest, computed);
        // What is as if computed the late one waited.
        const double own = late.waited > 0 ? std::clamp(late.computed, 0.0, uneven) : uneven;
        late.computed = 0;
        if (rest > 0)
          roots.waited(location, from.location, from.history, late, rest, 3, {step.function, phase, step.site});
        if (uneven > 0)
          roots.waited(location, from.location, from.history, {own, uneven - own, 0}, uneven, 2,
                       {step.function, phase, step.site});
      }
    }
    if (meeting && step.shape == Shape::all)
      roots.all_meet(
          location, meeting,
          from.location == kNone ? step.at : std::clamp(from.at, step.entered, std::max(step.entered, step.at)),
          computed);
    // Where all wait for all they meet. Who waited for one only is as far as that one: what it waited is as if computed.
    const bool all = step.shape == Shape::all;
    if (!all && (from.location == kNone || from.location == location || from.at <= step.entered)) return;
    auto& met = at_[location].met;
    if (met.size() <= step.link) met.resize(step.link + 1, kNever);
    met[step.link] = all ? computed : computed - from.since;
  }

  /// Seconds that the location has computed since its last meeting with the ranks of the collective's communicator: in that
  /// communicator or in one of its parents, whichever gives less.
  double since(std::uint32_t location, const Step& step, double computed, std::span<const CommIdentity> comms) const {
    const auto& met = at_[location].met;
    double least = kNever;
    for (std::size_t comm = step.link;; comm = static_cast<std::size_t>(comms[comm].parent)) {
      if (comm < met.size() && met[comm] != kNever) least = std::min(least, computed - met[comm]);
      if (comms[comm].parent < 0) return least == kNever ? computed : least;
    }
  }

  std::vector<Waits> waits;   ///< seconds
  std::vector<Waits> caused;  ///< of others, for it
  RootCauses roots;

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  struct At {
    double until = 0;         // up to there waiting is accounted for
    std::vector<double> met;  // by communicator: what it had computed when it met the others there, or kNever
  };

  /// Seconds from `from` to `to` that are not accounted for already.
  double wait(std::uint32_t location, double from, double to) {
    double& until = at_[location].until;
    from = std::max(from, until);
    until = std::max(from, to);
    return until - from;
  }

  /// kind: of RootCauses::kKinds.
  void other(std::uint32_t location, const Step& step, const Clocks& from, double computed, std::size_t phase,
             const Polling& polling, std::uint8_t kind) {
    if (from.location == location) return;
    double all = 0;
    const auto wait_in = [&](double begin, double end) {
      const double waited = wait(location, begin, std::min(end, from.at));
      add(location, from.location, RootCauses::kKinds[kind], waited, at_[location].until);
      all += waited;
    };
    if (polling.any()) wait_in(polling.from(), polling.to());
    const double asked_s = all;
    wait_in(step.entered, step.at);
    if (all <= 0) return;
    WaitPlace place{step.function, phase, step.site};
    if (asked_s > 0 && polling.function() != step.function) {
      place.asked = polling.function();
      place.share_asked = asked_s / all;
    }
    roots.waited(location, from.location, from.history,
                 roots.more(location, from.location, from.history, from.at - all, computed), all, kind, place);
    roots.meets(location, from.location, from.history, from.at, computed);
  }

  /// It waited so long until then.
  void add(std::uint32_t location, std::uint32_t cause, double Waits::*kind, double seconds, double until) {
    if (seconds <= 0) return;
    waits[location].*kind += seconds;
    caused[cause].*kind += seconds;
    if (observer_) observer_->waited(locations_[location], locations_[cause], kind, until - seconds, until);
  }

  std::span<const Location> locations_;
  Observer* observer_;
  std::vector<At> at_;
};

}  // namespace skelgen::metrics
