#include "work/follower.h"

#include <algorithm>
#include <utility>

namespace skelgen::work {
namespace {

using skeleton::Block;
using skeleton::Node;
using skeleton::Sequence;

// What differences cost. A peer or tag is a hint; another number of trips is what happens; another count seldom; a call too
// many or a statement too few is the last resort.
constexpr double kOtherValue = 1, kOtherTrips = 4, kOtherCount = 10, kLeftOut = 24;
constexpr double kMostAhead = 3 * kOtherTrips;  // of loops between one call and the next
constexpr double kMargin = kLeftOut;            // above the cheapest way
constexpr std::size_t kMostOpen = 16;
constexpr int kMostLeftOut = 3;  // statements in a row

void collect(const Block& block, std::vector<const Node*>& nodes) {
  for (const Node& node : block) {
    nodes.push_back(&node);
    if (node.is_loop()) collect(node.loop().body, nodes);
  }
}

bool is_compared(mpi::Role role) {
  using mpi::Role;
  return role == Role::peer || role == Role::tag || role == Role::root || role == Role::count || role == Role::comm;
}

}  // namespace

std::vector<const Node*> nodes_of(const skeleton::Skeleton& skeleton) {
  std::vector<const Node*> nodes;
  collect(skeleton.program, nodes);
  return nodes;
}

Follower::Follower(const skeleton::Skeleton& skeleton, std::uint32_t location) {
  std::uint32_t number = 0;
  append(skeleton.program, location, number);
  Way way;
  way.frames.push_back({kProgram, 0, 1, 0, kNoPlace});
  way.executed.assign(varying_, 0);
  trail_.push_back({kNoPlace, 0});
  open_.push_back(std::move(way));
}

void Follower::append(const Block& block, std::uint32_t location, std::uint32_t& number) {
  for (const Node& node : block) {
    const int found = node.position(location);
    const std::uint32_t own = number++;
    if (found < 0) {
      if (node.is_loop()) append(node.loop().body, location, number);  // only numbers its nodes
      continue;
    }
    const std::size_t at = steps_.size();
    Step& step = steps_.emplace_back();
    step.number = own;
    step.position = static_cast<std::size_t>(found);
    if (node.is_loop()) {
      step.trips = &node.loop().trips.of(step.position);
      if (step.trips->kind != Sequence::Kind::constant) step.varying = varying_++;
      append(node.loop().body, location, number);
    } else {
      step.call = &node.call();
      const auto& arguments = node.call().arguments;
      for (std::size_t a = 0; a < arguments.size(); ++a) {
        const Sequence& values = arguments[a].of(step.position);
        if (is_compared(node.call().function->parameters[a].role) && values.kind == Sequence::Kind::constant)
          step.compared.emplace_back(a, values.values[0]);
      }
    }
    steps_[at].end = static_cast<std::uint32_t>(steps_.size());
  }
}

std::uint32_t Follower::end_of(const Frame& frame) const {
  return frame.loop == kProgram ? static_cast<std::uint32_t>(steps_.size()) : steps_[frame.loop].end;
}

/// Goes on to every call that may come next, for at most so much more cost. As in merge's Course, a loop that starts hands
/// on its own place, and one whose next iteration begins the place between its iterations.
void Follower::next(Way way, double most, std::vector<Way>& found) const {
  for (;;) {
    Frame& frame = way.frames.back();
    if (frame.at == end_of(frame)) {
      if (frame.loop == kProgram) return;
      const bool again = frame.trip + 1 < frame.trips;
      if (most >= kOtherTrips) {
        Way other = way;
        other.cost += kOtherTrips;
        ++other.differences.trips;
        if (again) {
          other.frames.pop_back();
        } else {
          Frame& own = other.frames.back();
          own.trips = ++own.trip + 1;
          own.at = own.loop + 1;
          own.place = between(steps_[own.loop].number);
        }
        next(std::move(other), most - kOtherTrips, found);
      }
      if (again) {
        ++frame.trip;
        frame.at = frame.loop + 1;
        frame.place = between(steps_[frame.loop].number);
      } else {
        way.frames.pop_back();
      }
      continue;
    }
    const std::uint32_t at = frame.at;
    const Step& step = steps_[at];
    const Place place = frame.place == kNoPlace ? before(step.number) : frame.place;
    frame.place = kNoPlace;
    frame.at = step.end;
    if (step.call) {
      way.place = place;
      way.step = at;
      found.push_back(std::move(way));
      return;
    }
    const std::uint64_t execution = step.trips->kind == Sequence::Kind::constant ? 0 : way.executed[step.varying]++;
    const bool known = step.trips->kind != Sequence::Kind::table || execution < step.trips->values.size();
    const std::int64_t trips = known ? step.trips->at(execution) : 1;
    if (most >= kOtherTrips) {
      Way other = way;
      other.cost += kOtherTrips;
      ++other.differences.trips;
      if (trips <= 0) other.frames.push_back({at, 0, 1, at + 1, place});
      next(std::move(other), most - kOtherTrips, found);
    }
    if (trips > 0) way.frames.push_back({at, 0, trips, at + 1, place});
  }
}

/// Those of the ways that have reached a statement that the call may be.
void Follower::match(const std::vector<Way>& reached, const MadeCall& call, std::vector<Way>& fitting) const {
  for (const Way& way : reached) {
    const Step& step = steps_[way.step];
    if (step.call->function != call.function) continue;
    Way& own = fitting.emplace_back(way);
    own.left_over = false;
    if (call.values.empty()) continue;
    for (const auto& [a, value] : step.compared) {
      if (a >= call.values.size() || call.values[a] == value) continue;
      const bool is_count = call.function->parameters[a].role == mpi::Role::count;
      own.cost += is_count ? kOtherCount : kOtherValue;
      if (!is_count) continue;
      ++own.differences.other_counts;
      if (!own.differences.first) own.differences.first = calls_;
    }
  }
}

void Follower::add(const MadeCall& call) {
  std::vector<Way> fitting, reached;
  for (const Way& way : open_) next(way, kMostAhead, reached);
  match(reached, call, fitting);
  const bool fits = !fitting.empty();
  for (int n = 0; n < kMostLeftOut && fitting.empty(); ++n) {
    std::vector<Way> further;
    for (Way& way : reached) {
      way.cost += kLeftOut;
      ++way.differences.left_out;
      if (!way.differences.first) way.differences.first = calls_;
      next(std::move(way), kOtherTrips, further);
    }
    std::ranges::stable_sort(further, {}, &Way::cost);
    if (further.size() > kMostOpen) further.resize(kMostOpen);
    reached = std::move(further);
    match(reached, call, fitting);
  }
  if (!fits)
    for (const Way& way : open_) {
      Way& own = fitting.emplace_back(way);
      own.place = kNoPlace;
      own.left_over = true;
      if (call.may_be_left_out) continue;
      own.cost += kLeftOut;
      ++own.differences.left_over;
      if (!own.differences.first) own.differences.first = calls_;
    }
  keep(std::move(fitting));
  ++calls_;
}

void Follower::keep(std::vector<Way> ways) {
  std::ranges::stable_sort(ways, {}, &Way::cost);
  open_.clear();
  for (Way& way : ways) {
    if (open_.size() == kMostOpen || (!open_.empty() && way.cost > open_.front().cost + kMargin)) break;
    const auto same = [&](const Way& other) { return other.step == way.step && other.left_over == way.left_over; };
    if (std::ranges::none_of(open_, same)) open_.push_back(std::move(way));
  }
  for (Way& way : open_) {
    trail_.push_back({way.place, way.trail});
    way.trail = static_cast<std::uint32_t>(trail_.size() - 1);
  }
}

bool found_nothing(const mpi::Function& function, std::span<const std::int64_t> values) {
  const int flag = function.find(mpi::Role::flag);
  return flag >= 0 && static_cast<std::size_t>(flag) < values.size() && values[static_cast<std::size_t>(flag)] == 0;
}

bool follow(Follower& follower, const trace::Event& event) {
  const mpi::Function* function = event.function;
  if (function->kind == mpi::Kind::opaque) return false;
  if (function->replayed_as >= 0) function = &mpi::functions()[static_cast<std::size_t>(function->replayed_as)];
  std::vector<std::int64_t> values;
  for (const mpi::Value& value : event.values) values.push_back(value.scalar);
  if (found_nothing(*function, values)) return false;
  follower.add({function, values});
  return true;
}

std::vector<Place> Follower::places() const {
  std::vector<Place> places(calls_);
  std::uint32_t at = open_.front().trail;
  for (std::size_t k = places.size(); k-- > 0; at = trail_[at].before) places[k] = trail_[at].place;
  return places;
}

Follower::Differences Follower::differences() const {
  auto differences = open_.front().differences;
  differences.calls = calls_;
  return differences;
}

}  // namespace skelgen::work
