#include "emit/cursor.h"

namespace skelgen::emit {

Cursor::Cursor(const skeleton::Skeleton& skeleton, std::uint32_t location) : location_(location) {
  stack_.push_back({&skeleton.program, 0, 0});
}

const skeleton::Call* Cursor::next() {
  while (!stack_.empty()) {
    auto& frame = stack_.back();
    if (frame.index == frame.block->size()) {
      if (frame.trips_left > 0) {
        --frame.trips_left;
        frame.index = 0;
      } else {
        stack_.pop_back();
      }
      continue;
    }
    const auto& node = (*frame.block)[frame.index++];
    const int position = node.position(location_);
    if (position < 0) continue;
    position_ = static_cast<std::size_t>(position);
    occurrence_ = seen_[&node]++;
    if (!node.is_loop()) return call_ = &node.call();
    const auto trips = node.loop().trips.of(position_).at(occurrence_);
    if (trips > 0 && !node.loop().body.empty())
      stack_.push_back({&node.loop().body, 0, static_cast<std::uint64_t>(trips) - 1});
  }
  return call_ = nullptr;
}

std::int64_t Cursor::value(int parameter) const {
  return call_->arguments[static_cast<std::size_t>(parameter)].of(position_).at(occurrence_);
}

std::int64_t Cursor::matched() const {
  return call_->matched ? call_->matched->of(position_).at(occurrence_) : mpi::kAnySource;
}

}  // namespace skelgen::emit
