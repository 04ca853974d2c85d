#pragma once
// Messages under way and collectives that are not over, and the clocks that they carry. Internal to src/metrics.

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "metrics/path.h"
#include "metrics/roots.h"
#include "metrics/steps.h"
#include "metrics/windows.h"

namespace skelgen::metrics {

/// W and U of He & Sun, only kept where regions are asked for, and V of Raynal, only where cuts are to be counted.
struct Vectors {
  std::vector<double> w, u;
  std::vector<std::uint32_t> v;
  std::vector<double> events,
      logical;  ///< V and W of Raynal, only where a cone is to be measured
};

/// Times of the same moment if the run had been others; see ReplayOptions::altered. Twelve doubles are three AVX vectors.
inline constexpr std::size_t kMostAltered = 12;
using Altered = std::array<double, kMostAltered>;

/// Longest chains that led somewhere: of events, of computation scaled with rho, of computation.
struct Chains {
  double events = 0, scaled = 0, seconds = 0;
  void join(const Chains& other) {
    events = std::max(events, other.events);
    scaled = std::max(scaled, other.scaled);
    seconds = std::max(seconds, other.seconds);
  }
};

/// What a message carries, a posted receive has for its sender, or a rank brings to a collective; of several, what the
/// last of them has.
struct Clocks {
  Chains chains;
  Chains unwaited;                   ///< if sends never waited for their receives
  double at = 0;                     ///< when it was sent, or posted
  double since = 0;                  ///< enter: seconds computed since its location met the others
  std::uint32_t location = kNone;    ///< by whom; kNone: nobody
  bool enters = false;               ///< where the call of the step was entered: what the step computed counts, no more
  std::uint64_t step = 0, send = 0;  ///< its step, and which of its sends that was
  Entry entry = kNoEntry;            ///< of the step
  Altered altered{};                 ///< as at
  History history;                   ///< of the location until then
  WindowChain in_phase, in_window;
  Path path;  ///< to that step
  std::shared_ptr<const Vectors> vectors;

  void join(const Clocks& other) {
    in_phase.join(other.in_phase);
    in_window.join(other.in_window);
    chains.join(other.chains);
    unwaited.join(other.unwaited);
    for (std::size_t i = 0; i < altered.size(); ++i) altered[i] = std::max(altered[i], other.altered[i]);
    if (location == kNone || other.at > at) {
      at = other.at;
      since = other.since;
      location = other.location;
      step = other.step;
      entry = other.entry;
      path = other.path;
      history = other.history;
    }
    if (!vectors) {
      vectors = other.vectors;
    } else if (other.vectors) {
      auto both = std::make_shared<Vectors>(*vectors);
      take_larger(*both, *other.vectors);
      vectors = std::move(both);
    }
  }

  static void take_larger(Vectors& to, const Vectors& from) {
    for (std::size_t i = 0; i < to.w.size(); ++i) {
      to.w[i] = std::max(to.w[i], from.w[i]);
      to.u[i] = std::max(to.u[i], from.u[i]);
    }
    for (std::size_t i = 0; i < to.v.size() && i < from.v.size(); ++i) to.v[i] = std::max(to.v[i], from.v[i]);
    for (std::size_t i = 0; i < to.events.size(); ++i) {
      to.events[i] = std::max(to.events[i], from.events[i]);
      to.logical[i] = std::max(to.logical[i], from.logical[i]);
    }
  }
};

/// Things that are not in use, whose memory is used again: the last first, which is the one most likely in a cache.
template <class Thing>
class Spare {
 public:
  /// As new, or as it was given back.
  std::unique_ptr<Thing> take() {
    if (all_.empty()) return std::make_unique<Thing>();
    auto one = std::move(all_.back());
    all_.pop_back();
    return one;
  }
  /// Does nothing with null.
  void give_back(std::unique_ptr<Thing> one) {
    if (one) all_.push_back(std::move(one));
  }

 private:
  std::vector<std::unique_ptr<Thing>> all_;
};

/// Entries with the numbers 0, 1, 2, ..., of which only those are kept that are not done. They are those of `spare`, always
/// the same one. Nothing is allocated before the first one.
template <class Entry>
class NumberedRing {
 public:
  /// The entry, made where it does not exist, as are those before it; null if it is done. Valid until it is done.
  Entry* at(std::uint32_t number, Spare<Entry>& spare) {
    if (number < first_) return nullptr;
    if (number >= last_) {
      if (number - first_ >= ring_.size()) enlarge(number - first_ + 1);
      while (last_ <= number) slot(last_++) = spare.take();
    }
    return slot(number).get();
  }
  void done(std::uint32_t number, Spare<Entry>& spare) {
    slot(number)->reset();
    spare.give_back(std::move(slot(number)));
    while (first_ != last_ && !slot(first_)) ++first_;
    if (first_ == last_ && ring_.size() > kKept) ring_ = std::vector<std::unique_ptr<Entry>>();
  }
  /// Those with the numbers [first(), last()) are left, some of them may be done.
  std::uint32_t first() const { return first_; }
  std::uint32_t last() const { return last_; }
  /// Null if it is done.
  Entry* operator[](std::uint32_t number) { return slot(number).get(); }

 private:
  static constexpr std::size_t kKept = 64;

  std::unique_ptr<Entry>& slot(std::uint32_t number) { return ring_[number & (ring_.size() - 1)]; }
  void enlarge(std::size_t entries) {
    std::vector<std::unique_ptr<Entry>> larger(std::bit_ceil(entries));
    for (std::uint32_t i = first_; i != last_; ++i) larger[i & (larger.size() - 1)] = std::move(slot(i));
    ring_ = std::move(larger);
  }

  std::vector<std::unique_ptr<Entry>> ring_;  // by number; those that are done, or do not exist, are null
  std::uint32_t first_ = 0, last_ = 0;
};

struct Message {
  std::unique_ptr<Clocks> posted;  ///< of its receive
  std::uint32_t waiting = kNone;   ///< location that is to receive it
  std::uint32_t sender = kNone;    ///< location that waits until its receive is posted
  bool sent = false, received = false;
  bool completes = false, completed = false;  ///< there is a step `sent` for it; which is over
  Clocks clocks;

  /// As new; numbers of the clocks are set with them.
  void reset() {
    clocks.path = Path();
    clocks.vectors.reset();
    posted.reset();
    waiting = sender = kNone;
    sent = received = completes = completed = false;
  }
};

struct OpenCollective {
  struct Arrival {
    double at = 0;
    std::uint32_t rank = 0, index = 0;  ///< index: into `came`
  };
  std::uint32_t arrived = 0, left = 0;
  std::uint32_t first_missing = 0;                        ///< Shape::prefix: all ranks below are here, or do not come
  std::uint32_t let_go = 0;                               ///< how many left without those that they need
  Clocks all;                                             ///< that are here; Shape::prefix: below first_missing
  Entry first = kNoEntry;                                 ///< of who came first
  std::vector<Clocks> came{};                             ///< Shape::from_root, to_root
  std::vector<Arrival> arrivals{};                        ///< of these, in order of time
  std::uint32_t root = kNone;                             ///< of these, if it is here
  std::unique_ptr<std::map<std::uint32_t, Clocks>> here;  ///< Shape::prefix, neighbours: by rank; Shape::prefix, below
                                                          ///< first_missing: with those below it
  std::vector<std::uint32_t> waiting;                     ///< locations

  void reset() {
    auto clocks = std::move(came);  // their memory is used again
    auto order = std::move(arrivals);
    clocks.clear();
    order.clear();
    *this = {};
    came = std::move(clocks);
    arrivals = std::move(order);
  }
};

/// Of a communicator.
struct Meetings {
  NumberedRing<OpenCollective> open_collectives;
  std::vector<std::uint32_t> ended;  ///< of each member that is over, to how many collectives it came; ascending
};

/// Locations that wait for a message, by the rank that is to send it. O(1) per call.
class Blocked {
 public:
  Blocked(std::size_t ranks, std::size_t locations) : by_rank_(ranks + 1), places_(locations, {kNowhere, 0}) {}
  /// rank: its index; kNone if it is not known.
  void add(std::uint32_t location, std::uint32_t rank) {
    remove(location);
    auto& all = by_rank_[slot(rank)];
    places_[location] = {slot(rank), all.size()};
    all.push_back(location);
  }
  /// Does nothing if it does not wait.
  void remove(std::uint32_t location) {
    auto& [slot, at] = places_[location];
    if (slot == kNowhere) return;
    auto& all = by_rank_[slot];
    places_[all.back()].second = at;
    all[at] = all.back();
    all.pop_back();
    slot = kNowhere;
  }
  const std::vector<std::uint32_t>& of(std::uint32_t rank) const { return by_rank_[slot(rank)]; }

 private:
  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();
  std::size_t slot(std::uint32_t rank) const { return rank == kNone ? by_rank_.size() - 1 : rank; }

  std::vector<std::vector<std::uint32_t>> by_rank_;
  std::vector<std::pair<std::size_t, std::size_t>> places_;  // by location: where it stands
};

}  // namespace skelgen::metrics
