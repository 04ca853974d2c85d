#include "work/enough.h"

#include <algorithm>

#include "trace/follow.h"
#include "work/passes.h"

namespace skelgen::work {
namespace {

constexpr double kMostMissing = 0.01;

/// Definitions that come with a location's records.
class Ignored : public trace::Visitor {
 public:
  void event(const trace::Event&) override {}
};

}  // namespace

Enough::Enough(const skeleton::Skeleton& skeleton, std::uint32_t location) {
  double all_s = 0;
  for (const Passes& passes : passes_by_place(skeleton, location)) {
    places_.push_back({std::min(kEnoughVisits, passes.times), passes.seconds, passes.iterations});
    all_s += passes.seconds;
  }
  for (Place place = 0; place < places_.size(); ++place) {
    const Wanted& wanted = places_[place];
    if (!met(place)) missing_s_ += wanted.seconds;
    if (wanted.iterations != kNoPlace) places_[wanted.iterations].waiting.push_back(place);
  }
  most_missing_s_ = kMostMissing * all_s;
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
