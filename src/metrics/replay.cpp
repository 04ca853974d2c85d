#include "metrics/replay.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <queue>
#include <tuple>
#include <unordered_map>

#include "metrics/he_sun.h"

namespace skelgen::metrics {
namespace {

/// W and U of He & Sun; only kept where regions are asked for.
struct Vectors {
  std::vector<double> w, u;
};

/// What a message carries, or a rank brings to a collective.
struct Clocks {
  double logical = 0, scaled_chain = 0, chain = 0, at = 0;
  Cause origin;
  std::shared_ptr<const Vectors> vectors;
};

void join(Clocks& to, const Clocks& from) {
  to.logical = std::max(to.logical, from.logical);
  to.scaled_chain = std::max(to.scaled_chain, from.scaled_chain);
  to.chain = std::max(to.chain, from.chain);
  if (to.origin.location == kNone || from.at > to.at) {
    to.at = from.at;
    to.origin = from.origin;
  }
  if (!from.vectors) return;
  if (!to.vectors) {
    to.vectors = from.vectors;
    return;
  }
  auto both = std::make_shared<Vectors>(*to.vectors);
  for (std::size_t i = 0; i < both->w.size(); ++i) {
    both->w[i] = std::max(both->w[i], from.vectors->w[i]);
    both->u[i] = std::max(both->u[i], from.vectors->u[i]);
  }
  to.vectors = std::move(both);
}

class Replay {
 public:
  Replay(const Steps& steps, std::span<const double> rho, std::size_t regions)
      : in_(steps),
        rho_(rho),
        wanted_(regions),
        locations_(steps.steps.size()),
        gatherings_(steps.collectives.size()),
        waiting_for_message_(steps.messages, kNone),
        sent_(steps.messages, 0) {
    out_.causes.resize(steps.steps.size());
    for (const Participation& p : steps.participations)
      if (p.shape == Shape::prefix || p.shape == Shape::neighbours) members(p.collective).comes[p.rank] = true;
    for (const Participation& p : steps.participations)
      if (p.shape == Shape::from_root && p.rank == p.root) gatherings_[p.collective].root_comes = true;
    for (Place& place : locations_) {
      place.vectors = std::make_shared<Vectors>();
      if (wanted_) place.vectors->w.resize(locations_.size()), place.vectors->u.resize(locations_.size());
    }
  }

  Replayed run() {
    for (std::size_t i = locations_.size(); i > 0; --i) ready_.push_back(static_cast<std::uint32_t>(i - 1));
    do {
      while (!ready_.empty()) {
        const std::uint32_t location = ready_.back();
        ready_.pop_back();
        advance(location);
      }
    } while (let_go());
    finish();
    return std::move(out_);
  }

 private:
  struct Place {
    std::size_t next = 0;
    double computing = 0, blocked = 0, scaled_computing = 0, scaled_blocked = 0;
    double logical = 0, events = 0, scaled_chain = 0, chain = 0;
    double region_computing = 0, region_blocked = 0, region_start = 0;
    bool passed = false;  // the time of the next step is already counted
    bool let_go = false;  // the next step does not wait any more
    std::shared_ptr<Vectors> vectors;
  };
  struct Members {
    std::map<std::int32_t, bool> comes;  // rank -> still to come
    std::map<std::int32_t, Clocks> here;
  };
  struct Gathering {
    std::uint32_t arrived = 0;
    bool root_comes = false, root_here = false;
    Clocks all, root;
    std::unique_ptr<Members> members;
    std::vector<std::uint32_t> waiting;
  };

  /// Of a collective whose ranks wait for some of the others.
  Members& members(std::uint32_t collective) {
    auto& pointer = gatherings_[collective].members;
    if (!pointer) pointer = std::make_unique<Members>();
    return *pointer;
  }

  /// Runs a location until it has to wait or ends.
  void advance(std::uint32_t location) {
    Place& place = locations_[location];
    const auto& steps = in_.steps[location];
    while (place.next < steps.size()) {
      const Step& step = steps[place.next];
      if (!place.passed) pass_time(location, step);
      if (!take(location, step)) return;
      place.passed = place.let_go = false;
      ++place.next;
    }
  }

  void pass_time(std::uint32_t location, const Step& step) {
    Place& place = locations_[location];
    const double rho = rho_.empty() ? 1 : rho_[location];
    place.passed = true;
    place.computing += step.computing;
    place.blocked += step.blocked;
    place.scaled_computing += rho * step.computing;
    place.scaled_blocked += rho * step.blocked;
    place.scaled_chain += rho * step.computing;
    place.chain += step.computing;
    place.logical += step.gaps;
    place.events += step.gaps;
    place.region_computing += step.computing;
    place.region_blocked += step.blocked;
    if (wanted_) {
      place.vectors->w[location] = place.scaled_computing;
      place.vectors->u[location] = place.scaled_blocked;
    }
  }

  Clocks clocks(std::uint32_t location, const Step& step) const {
    const Place& place = locations_[location];
    Clocks result{place.logical, place.scaled_chain, place.chain, step.at, {}, nullptr};
    result.origin = {location, static_cast<std::uint32_t>(place.next)};
    if (wanted_) result.vectors = std::make_shared<Vectors>(*place.vectors);
    return result;
  }

  /// One event of the location; `from`: what it got from others.
  void count(std::uint32_t location, const Clocks* from) {
    Place& place = locations_[location];
    if (from) {
      place.logical = std::max(place.logical, from->logical);
      place.scaled_chain = std::max(place.scaled_chain, from->scaled_chain);
      place.chain = std::max(place.chain, from->chain);
      if (from->vectors)
        for (std::size_t i = 0; i < place.vectors->w.size(); ++i) {
          place.vectors->w[i] = std::max(place.vectors->w[i], from->vectors->w[i]);
          place.vectors->u[i] = std::max(place.vectors->u[i], from->vectors->u[i]);
        }
    }
    place.logical += 1;
    place.events += 1;
  }

  /// Does the step unless it has to wait; the location is put where it will be found when the wait is over.
  bool take(std::uint32_t location, const Step& step) {
    switch (step.kind) {
      case StepKind::plain:
        return true;
      case StepKind::send:
        count(location, nullptr);
        region(location, step);
        if (step.link != kNone) send(step.link, clocks(location, step));
        return true;
      case StepKind::receive:
        return receive(location, step);
      case StepKind::enter:
        region(location, step);
        if (step.link != kNone) enter(location, step);
        return true;
      case StepKind::leave:
        return leave(location, step);
    }
    return true;
  }

  void send(std::uint32_t message, Clocks clocks) {
    sent_[message] = 1;
    carried_[message] = std::move(clocks);
    if (waiting_for_message_[message] != kNone) ready_.push_back(waiting_for_message_[message]);
  }

  bool receive(std::uint32_t location, const Step& step) {
    const bool alone = step.link == kNone || (locations_[location].let_go && !sent_[step.link]);
    if (!alone && !sent_[step.link]) {
      waiting_for_message_[step.link] = location;
      return false;
    }
    Cause cause;
    if (alone) {
      count(location, nullptr);
      if (step.link != kNone) waiting_for_message_[step.link] = kNone;
    } else {
      const auto carried = carried_.extract(step.link);
      count(location, &carried.mapped());
      cause = carried.mapped().origin;
    }
    out_.causes[location].push_back(cause);
    region(location, step);
    return true;
  }

  void enter(std::uint32_t location, const Step& step) {
    const Participation& p = in_.participations[step.link];
    Gathering& gathering = gatherings_[p.collective];
    const Clocks mine = clocks(location, step);
    ++gathering.arrived;
    join(gathering.all, mine);
    if (p.rank == p.root) {
      gathering.root_here = true;
      gathering.root = mine;
    }
    if (gathering.members) {
      gathering.members->comes[p.rank] = false;
      gathering.members->here[p.rank] = mine;
    }
    if (gathering.members || gathering.root_here || gathering.arrived == in_.collectives[p.collective].expected) {
      ready_.insert(ready_.end(), gathering.waiting.begin(), gathering.waiting.end());
      gathering.waiting.clear();
    }
  }

  bool leave(std::uint32_t location, const Step& step) {
    if (step.link == kNone) {
      count(location, nullptr);
      out_.causes[location].emplace_back();
      return true;
    }
    const Participation& p = in_.participations[step.link];
    Gathering& gathering = gatherings_[p.collective];
    Clocks from;
    const auto need = [&] {  // false: somebody is still to come
      switch (p.shape) {
        case Shape::from_root:
          if (p.rank == p.root) return true;
          if (gathering.root_here) from = gathering.root;
          return gathering.root_here || !gathering.root_comes;
        case Shape::prefix:
          for (const auto& [rank, missing] : gathering.members->comes) {
            if (rank >= p.rank) break;
            if (missing) return false;
          }
          for (const auto& [rank, clocks] : gathering.members->here) {
            if (rank >= p.rank) break;
            join(from, clocks);
          }
          return true;
        case Shape::neighbours:
          for (const int rank : in_.sources[p.sources]) {
            const auto comes = gathering.members->comes.find(rank);
            if (comes != gathering.members->comes.end() && comes->second) return false;
          }
          for (const int rank : in_.sources[p.sources])
            if (const auto here = gathering.members->here.find(rank);
                rank != p.rank && here != gathering.members->here.end())
              join(from, here->second);
          return true;
        case Shape::to_root:
          if (p.rank != p.root) return true;
          [[fallthrough]];
        case Shape::all:
          from = gathering.all;
          return gathering.arrived == in_.collectives[p.collective].expected;
      }
      return true;
    };
    if (!need() && !locations_[location].let_go) {
      gathering.waiting.push_back(location);
      return false;
    }
    const bool others = from.origin.location != kNone;
    count(location, others ? &from : nullptr);
    out_.causes[location].push_back(from.origin);
    region(location, step);
    return true;
  }

  /// Nobody can go on, yet somebody is not at the end: the first one goes on without what it waits for.
  bool let_go() {
    std::uint32_t first = kNone;
    for (std::uint32_t i = 0; i < locations_.size(); ++i) {
      const Place& place = locations_[i];
      if (place.next == in_.steps[i].size()) continue;
      if (first == kNone || in_.steps[i][place.next].at < in_.steps[first][locations_[first].next].at) first = i;
    }
    if (first == kNone) return false;
    ++out_.circular;
    locations_[first].let_go = true;
    const Step& step = in_.steps[first][locations_[first].next];
    if (step.kind == StepKind::leave) std::erase(gatherings_[in_.participations[step.link].collective].waiting, first);
    ready_.push_back(first);
    return true;
  }

  /// A message event ends a region; the longest ones are kept.
  void region(std::uint32_t location, const Step& step) {
    if (!wanted_) return;
    Place& place = locations_[location];
    Region region;
    region.rank = in_.locations[location].rank;
    region.call = step.call;
    region.computing_s = place.region_computing;
    region.blocked_s = place.region_blocked;
    region.start_s = step.at - region.computing_s - region.blocked_s;
    place.region_computing = place.region_blocked = 0;
    const double length = region.computing_s + region.blocked_s;
    const Kept key{length, -location, -static_cast<std::int64_t>(place.next), {}};
    if (kept_.size() == wanted_ && !(kept_.top() < key)) return;
    const auto& [w, u] = *place.vectors;
    const double weight = std::accumulate(w.begin(), w.end(), 0.0);
    region.alpha = region_alpha(weight, weight + std::accumulate(u.begin(), u.end(), 0.0), place.scaled_chain);
    if (w[location] + u[location] > 0) region.phi1 = w[location] / (w[location] + u[location]);
    if (kept_.size() == wanted_) kept_.pop();
    kept_.push({length, key.location, key.step, region});
  }

  void finish() {
    for (const Place& place : locations_) {
      out_.computing.push_back(place.computing);
      out_.blocked.push_back(place.blocked);
      out_.scaled_computing.push_back(place.scaled_computing);
      out_.scaled_blocked.push_back(place.scaled_blocked);
      out_.events.push_back(place.events);
      out_.height = std::max(out_.height, place.logical);
      out_.scaled_chain = std::max(out_.scaled_chain, place.scaled_chain);
      out_.chain = std::max(out_.chain, place.chain);
    }
    for (; !kept_.empty(); kept_.pop()) out_.regions.push_back(kept_.top().region);
    std::ranges::reverse(out_.regions);
  }

  struct Kept {  // longest first; ties: the lower location, the earlier step
    double length;
    std::int64_t location, step;
    Region region;
    bool operator<(const Kept& other) const {
      return std::tie(length, location, step) < std::tie(other.length, other.location, other.step);
    }
    bool operator>(const Kept& other) const { return other < *this; }
  };

  const Steps& in_;
  std::span<const double> rho_;
  const std::size_t wanted_;
  std::vector<Place> locations_;
  std::vector<Gathering> gatherings_;
  std::vector<std::uint32_t> waiting_for_message_;
  std::vector<char> sent_;
  std::unordered_map<std::uint32_t, Clocks> carried_;
  std::vector<std::uint32_t> ready_;
  std::priority_queue<Kept, std::vector<Kept>, std::greater<>> kept_;
  Replayed out_;
};

}  // namespace

Replayed replay(const Steps& steps, std::span<const double> rho, std::size_t regions) {
  return Replay(steps, rho, regions).run();
}

}  // namespace skelgen::metrics
