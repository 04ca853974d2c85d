#pragma once
// Root causes of waiting: where what one waited for was late because it had waited itself. Internal to src/metrics.

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "metrics/metrics.h"
#include "mpi/mpi.h"

namespace skelgen::metrics {

/// Where one waited: a function, the number of a phase, and that of a place in the program (CallSites); and the call right
/// before it that asked for the same message, in which a share of the wait passed. Places are equal whatever was asked.
struct WaitPlace {
  const mpi::Function* function = nullptr;
  std::size_t phase = 0;
  std::uint64_t site = 0;
  const mpi::Function* asked = nullptr;  ///< another function, or nothing
  double share_asked = 0;                ///< 0..1
  bool operator==(const WaitPlace& other) const {
    return function == other.function && phase == other.phase && site == other.site;
  }
};

/// What one location made others wait, place by place.
class WaitPlaces {
 public:
  struct Waited : WaitPlace {
    std::uint8_t kind;  ///< of RootCauses::kKinds
    double seconds = 0;
    double asked_s = 0;  ///< of these, in calls of `asked`

    /// share: of the seconds, in calls of that function.
    void add(double more_s, const mpi::Function* by, double share) {
      seconds += more_s;
      if (!by) return;
      asked = by;
      asked_s += share * more_s;
    }
  };
  void add(const WaitPlace& place, std::uint8_t kind, double seconds) {
    const auto is = [&](const Waited& waited) {
      return static_cast<const WaitPlace&>(waited) == place && waited.kind == kind;
    };
    if (last_ >= all_.size() || !is(all_[last_])) {
      last_ = static_cast<std::size_t>(std::ranges::find_if(all_, is) - all_.begin());
      if (last_ == all_.size()) all_.push_back({place, kind});
    }
    all_[last_].add(seconds, place.asked, place.share_asked);
  }
  const std::vector<Waited>& all() const { return all_; }

 private:
  std::vector<Waited> all_;
  std::size_t last_ = 0;  // that was added to
};

/// Seconds that one location was inside functions without waiting for others.
class InsideCalls {
 public:
  void add(const mpi::Function* function, double seconds) {
    if (last_ >= all_.size() || all_[last_].first != function) {
      last_ = static_cast<std::size_t>(
          std::ranges::find(all_, function, &std::pair<const mpi::Function*, double>::first) - all_.begin());
      if (last_ == all_.size()) all_.emplace_back(function, 0);
    }
    all_[last_].second += seconds;
  }
  const std::vector<std::pair<const mpi::Function*, double>>& all() const { return all_; }

 private:
  std::vector<std::pair<const mpi::Function*, double>> all_;
  std::size_t last_ = 0;  // that was added to
};

/// How a location has spent its time up to a moment, in seconds; all three together are the time of the moment.
struct Tally {
  double computed = 0, waited = 0, inside = 0;  ///< waited: for others; inside: the rest
  Tally operator-(const Tally& other) const {
    return {computed - other.computed, waited - other.waited, inside - other.inside};
  }
};

/// What a location's waits of late are due to, the last ones first: a location and what those waited for that it made
/// wait. Of more than kMost waits those are merged with their neighbours that are least against what came later.
class RecentRoots {
 public:
  static constexpr std::size_t kMost = 4;

  void add(std::uint32_t root, double seconds) {
    if (size_ > 0 && parts_[0].root == root) {
      parts_[0].seconds += static_cast<float>(seconds);
      return;
    }
    if (size_ == kMost) merge();
    std::move_backward(parts_.begin(), parts_.begin() + size_, parts_.begin() + size_ + 1);
    parts_[0] = {static_cast<float>(seconds), root};
    ++size_;
  }

  /// Calls visit(root, seconds) for the last `seconds`. What is not known is the oldest's that is.
  template <class Visit>
  void each(double seconds, const Visit& visit) const {
    for (std::uint8_t i = 0; i < size_ && seconds > 0; ++i) {
      const double part = i + 1 < size_ ? std::min<double>(parts_[i].seconds, seconds) : seconds;
      visit(parts_[i].root, part);
      seconds -= part;
    }
  }
  bool any() const { return size_ > 0; }

 private:
  struct Part {
    float seconds = 0;
    std::uint32_t root = 0;
  };

  void merge() {
    std::uint8_t least = 1;
    float later = parts_[0].seconds, least_weight = std::numeric_limits<float>::infinity();
    for (std::uint8_t i = 1; i < size_; ++i) {
      const float seconds = parts_[i].seconds, weight = seconds * seconds / later;
      if (weight < least_weight) {
        least_weight = weight;
        least = i;
      }
      later += seconds;
    }
    parts_[least - 1u].seconds += parts_[least].seconds;
    std::move(parts_.begin() + least + 1, parts_.begin() + size_, parts_.begin() + least);
    --size_;
  }

  std::array<Part, kMost> parts_;
  std::uint8_t size_ = 0;
};

/// What others are told of a location when they wait for it.
struct History {
  Tally tally;
  std::uint64_t meeting = 0;  ///< the last one of all ranks; 0: none
  Tally met;                  ///< then
  RecentRoots roots;
};

/// Follows waits back. A wait is due to what the one that came late did more than the one that waits since the two were last
/// at the same moment: it computed, it was inside calls, or it waited, which is due to what its own waits were (as Böhme,
/// Geimer, Wolf & Arnold, Identifying the Root Causes of Wait States, 2010, compare processes). They were at the same moment
/// when the one had waited for the other, after a collective of all ranks, or when the run began. O(1) for each wait, and O(places)
/// where it is in another place than the last one that the same location made others wait in; 56
/// bytes for each two locations of which one waited for the other.
class RootCauses {
 public:
  static constexpr std::array<double Waits::*, 4> kKinds = {&Waits::late_sender_s, &Waits::late_receiver_s,
                                                            &Waits::imbalance_s, &Waits::collective_s};

  /// wanted false: nothing is followed.
  RootCauses(std::size_t locations, bool wanted)
      : caused(locations),
        through(locations),
        computing(locations),
        places(locations),
        inside(wanted ? locations : 0),
        at_(wanted ? locations : 0) {}

  /// The location was so long inside a function, waiting included.
  void was_inside(std::uint32_t location, const mpi::Function* function, double seconds) {
    if (!inside.empty() && seconds > 0) inside[location].add(function, seconds);
  }

  bool wanted() const { return !at_.empty(); }
  /// The location has computed and waited so long up to a moment.
  void tell(std::uint32_t location, double moment, double computed, History& history) const {
    const At& at = at_[location];
    history.tally = tally(location, moment, computed);
    history.meeting = at.meeting;
    history.met = at.met;
    history.roots = at.roots;
  }

  /// It waited `seconds` for a late one. more: what that did more than the location did since they met. kind: which of
  /// kKinds it is, as far as the late one is the cause itself.
  void waited(std::uint32_t location, std::uint32_t late, const History& from, const Tally& more, double seconds,
              std::uint8_t kind, const WaitPlace& place) {
    if (at_.empty()) return;
    inside[location].add(place.function, -(1 - place.share_asked) * seconds);
    if (place.asked) inside[location].add(place.asked, -place.share_asked * seconds);
    const double waited = from.roots.any() ? positive(more.waited) : 0;
    const double all = positive(more.computed) + positive(more.inside) + waited;
    const double others = all > 0 ? seconds * waited / all : 0;
    add(location, 4 * late + kind, seconds - others, place);
    if (all > waited) computing[late].*kKinds[kind] += (seconds - others) * positive(more.computed) / (all - waited);
    from.roots.each(others, [&](std::uint32_t root, double part) {
      add(location, root, part, place);
      through[root / 4].*kKinds[root % 4] += std::max(0.0, part);
    });
    at_[location].waited += seconds;
  }

  /// What a late one did more than the location since they were last at the same moment; the location begins to wait at
  /// `begin`, having computed so long.
  Tally more(std::uint32_t location, std::uint32_t late, const History& from, double begin, double computed) const {
    if (at_.empty()) return {};
    const Tally own = tally(location, begin, computed);
    const At& at = at_[location];
    const auto known = at.peers.find(late);
    const bool met = at.meeting && at.meeting == from.meeting;
    if (known != at.peers.end() && !(met && moment(at.met) >= moment(known->second.own)))
      return (from.tally - known->second.late) - (own - known->second.own);
    if (met) return (from.tally - from.met) - (own - at.met);
    return from.tally - own;
  }

  /// The location has waited for the late one until it came.
  void meets(std::uint32_t location, std::uint32_t late, const History& from, double came, double computed) {
    if (!at_.empty()) at_[location].peers[late] = {tally(location, came, computed), from.tally};
  }
  /// All have met, whose number is `meeting`.
  void all_meet(std::uint32_t location, std::uint64_t meeting, double came, double computed) {
    if (at_.empty()) return;
    At& at = at_[location];
    at.meeting = meeting;
    at.met = tally(location, came, computed);
  }

  std::vector<Waits> caused;     ///< by location, with those for others that waited for it
  std::vector<Waits> through;    ///< of these, where the late one had itself waited
  std::vector<Waits> computing;  ///< of the others, for what it computed more
  std::vector<WaitPlaces> places;
  std::vector<InsideCalls> inside;  ///< by location; empty if nothing is followed

 private:
  struct Pair {
    Tally own, late;
  };
  struct At {
    double waited = 0;
    RecentRoots roots;
    std::uint64_t meeting = 0;
    Tally met;
    std::unordered_map<std::uint32_t, Pair> peers;  // by who was late
  };

  Tally tally(std::uint32_t location, double moment, double computed) const {
    const double waited = at_[location].waited;
    return {computed, waited, moment - computed - waited};
  }
  static double positive(double seconds) { return std::max(0.0, seconds); }
  static double moment(const Tally& tally) { return tally.computed + tally.waited + tally.inside; }

  void add(std::uint32_t location, std::uint32_t root, double seconds, const WaitPlace& place) {
    if (seconds <= 0) return;
    places[root / 4].add(place, root % 4, seconds);
    caused[root / 4].*kKinds[root % 4] += seconds;
    at_[location].roots.add(root, seconds);
  }

  std::vector<At> at_;
};

}  // namespace skelgen::metrics
