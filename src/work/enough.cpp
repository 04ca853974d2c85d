#include "work/enough.h"

#include <algorithm>

#include "trace/follow.h"
#include "work/seconds.h"

namespace skelgen::work {
namespace {

constexpr double kMostMissing = 0.01;

/// Definitions that come with a location's records.
class Ignored : public trace::Visitor {
 public:
  void event(const trace::Event&) override {}
};

}  // namespace

Enough::Enough(const skeleton::Skeleton& skeleton, std::uint32_t location) : places_(2 * nodes_of(skeleton).size()) {
  std::uint32_t number = 0;
  want(skeleton.program, location, 1, kNoPlace, number);
  const auto seconds = seconds_by_place(skeleton, location);
  double all_s = 0;
  for (Place place = 0; place < places_.size(); ++place) {
    Wanted& wanted = places_[place];
    wanted.seconds = seconds[place];
    all_s += seconds[place];
    if (!met(place)) missing_s_ += seconds[place];
    if (wanted.iterations != kNoPlace) places_[wanted.iterations].waiting.push_back(place);
  }
  most_missing_s_ = kMostMissing * all_s;
}

void Enough::want(const skeleton::Block& block, std::uint32_t location, std::uint64_t executions, Place top,
                  std::uint32_t& number) {
  for (const skeleton::Node& node : block) {
    const int position = node.position(location);
    const std::uint32_t own = number++;
    const auto at = static_cast<std::size_t>(std::max(position, 0));
    const auto wanted = [&](Place place, const skeleton::Compute& compute, std::uint64_t times, Place iterations) {
      if (position < 0) return;
      places_[place].visits = std::min(kEnoughVisits, times);
      if (at < compute.samples.of.size() && place != iterations) places_[place].iterations = iterations;
    };
    wanted(before(own), node.before, executions, top);
    if (!node.is_loop()) continue;
    const skeleton::Loop& loop = node.loop();
    const std::uint64_t iterations =
        position < 0 ? 0 : static_cast<std::uint64_t>(std::max<std::int64_t>(0, loop.trips.of(at).sum(executions)));
    const std::uint64_t entered = position < 0 ? 0 : loop.trips.of(at).positive(executions);
    const Place own_top = top == kNoPlace ? between(own) : top;
    wanted(between(own), loop.between, iterations - std::min(iterations, entered), own_top);
    want(loop.body, location, iterations, own_top, number);
  }
}

bool Enough::met(Place place) const {
  const Wanted& wanted = places_[place];
  return wanted.visits == 0 && (wanted.iterations == kNoPlace || places_[wanted.iterations].visits == 0);
}

void Enough::visit(Place place) {
  if (place == kNoPlace || places_[place].visits == 0) return;
  if (--places_[place].visits > 0) return;
  if (met(place)) missing_s_ -= places_[place].seconds;
  for (const Place other : places_[place].waiting)
    if (other != place && met(other)) missing_s_ -= places_[other].seconds;
}

bool watch(const std::filesystem::path& directory, const skeleton::Skeleton& skeleton, const std::atomic<bool>& over) {
  const trace::Followed run(directory, over, false);
  Ignored ignored;
  for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l) {
    auto cursor = run.trace().read(skeleton.locations[l].where);
    Follower follower(skeleton, l);
    for (Enough enough(skeleton, l); !enough.enough(); enough.visit(follower.place())) {
      const trace::Event* event = cursor.next(ignored);
      while (event && !follow(follower, *event)) event = cursor.next(ignored);
      if (!event) return false;
    }
  }
  return true;
}

}  // namespace skelgen::work
