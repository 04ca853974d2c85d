#include "skeleton/cursor.h"

#include <algorithm>
#include <numeric>

namespace skelgen::skeleton {
namespace {

/// nullptr: none.
const std::vector<float>* samples_of(const Compute& compute, std::size_t position) {
  if (compute.samples.of.empty()) return nullptr;
  const auto& seconds = compute.samples.of[position].seconds;
  return seconds.empty() ? nullptr : &seconds;
}

/// By which samples are multiplied to have the mean of the place.
double factor(const Compute& compute, std::size_t position) {
  const auto* const samples = samples_of(compute, position);
  if (!samples) return 1;
  const double sum = std::accumulate(samples->begin(), samples->end(), 0.0);
  return sum > 0 ? compute.mean_s[position] * static_cast<double>(samples->size()) / sum : 0;
}

double computation(const Compute& compute, std::size_t position, std::uint64_t occurrence, double factor) {
  if (compute.mean_s.empty()) return 0;
  const auto* const samples = samples_of(compute, position);
  return samples ? factor * (*samples)[occurrence % samples->size()] : compute.mean_s[position];
}

}  // namespace

Cursor::Cursor(const Skeleton& skeleton, std::uint32_t location, const Shortened& shortened, bool timed)
    : shortened_(shortened), timed_(timed) {
  list(skeleton.program, location);
  stack_.push_back({0, entries_.size(), 0, 0});
}

void Cursor::list(const Block& block, std::uint32_t location) {
  for (const auto& node : block) {
    const int position = node.position(location);
    if (position < 0) continue;
    const std::size_t i = entries_.size();
    entries_.push_back({&node, static_cast<std::size_t>(position), 0, 0});
    if (timed_) {
      auto& entry = entries_.back();
      entry.before = factor(node.before, entry.position);
      if (node.is_loop()) entry.between = factor(node.loop().between, entry.position);
    }
    if (node.is_loop()) list(node.loop().body, location);
    entries_[i].end = entries_.size();
  }
}

const Call* Cursor::next() {
  before_s_ = 0;
  while (!stack_.empty()) {
    auto& frame = stack_.back();
    if (frame.at == frame.end) {
      if (frame.trips_left > 0) {
        --frame.trips_left;
        frame.at = frame.begin;
        if (timed_) {
          auto& loop = entries_[frame.begin - 1];
          before_s_ += computation(loop.node->loop().between, loop.position, loop.repeated++, loop.between);
        }
        if (stack_.size() == 2) ++lap_.number;
      } else {
        stack_.pop_back();
        if (stack_.size() == 1) lap_ = {};
      }
      continue;
    }
    const std::size_t i = frame.at;
    auto& entry = entries_[i];
    frame.at = entry.end;
    position_ = entry.position;
    occurrence_ = entry.executions++;
    if (timed_) before_s_ += computation(entry.node->before, position_, occurrence_, entry.before);
    if (!entry.node->is_loop()) return call_ = &entry.node->call();
    auto trips = entry.node->loop().trips.of(position_).at(occurrence_);
    if (stack_.size() == 1)
      if (const auto found = shortened_.find(entry.node); found != shortened_.end())
        trips = std::min(trips, static_cast<std::int64_t>(found->second));
    if (trips <= 0 || entry.end == i + 1) continue;
    if (stack_.size() == 1) lap_ = {entry.node, 1};
    stack_.push_back({i + 1, entry.end, i + 1, static_cast<std::uint64_t>(trips) - 1});
  }
  return call_ = nullptr;
}

std::int64_t Cursor::value(int parameter) const {
  return call_->arguments[static_cast<std::size_t>(parameter)].of(position_).at(occurrence_);
}

double Cursor::duration_s() const { return call_->duration_s.empty() ? 0 : call_->duration_s[position_]; }

std::int64_t Cursor::matched() const {
  return call_->matched ? call_->matched->of(position_).at(occurrence_) : mpi::kAnySource;
}

}  // namespace skelgen::skeleton
