#include "emit/cursor.h"

#include <algorithm>

namespace skelgen::emit {

Cursor::Cursor(const skeleton::Skeleton& skeleton, std::uint32_t location, const Shortened& shortened)
    : shortened_(shortened) {
  list(skeleton.program, location);
  stack_.push_back({0, entries_.size(), 0, 0});
}

void Cursor::list(const skeleton::Block& block, std::uint32_t location) {
  for (const auto& node : block) {
    const int position = node.position(location);
    if (position < 0) continue;
    const std::size_t i = entries_.size();
    entries_.push_back({&node, static_cast<std::size_t>(position), 0, 0});
    if (node.is_loop()) list(node.loop().body, location);
    entries_[i].end = entries_.size();
  }
}

const skeleton::Call* Cursor::next() {
  while (!stack_.empty()) {
    auto& frame = stack_.back();
    if (frame.at == frame.end) {
      if (frame.trips_left > 0) {
        --frame.trips_left;
        frame.at = frame.begin;
      } else {
        stack_.pop_back();
      }
      continue;
    }
    const std::size_t i = frame.at;
    auto& entry = entries_[i];
    frame.at = entry.end;
    position_ = entry.position;
    occurrence_ = entry.executions++;
    if (!entry.node->is_loop()) return call_ = &entry.node->call();
    auto trips = entry.node->loop().trips.of(position_).at(occurrence_);
    if (stack_.size() == 1)
      if (const auto found = shortened_.find(entry.node); found != shortened_.end())
        trips = std::min(trips, static_cast<std::int64_t>(found->second));
    if (trips > 0 && entry.end > i + 1)
      stack_.push_back({i + 1, entry.end, i + 1, static_cast<std::uint64_t>(trips) - 1});
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
