#include "normalize/buffers.h"

#include <algorithm>

namespace skelgen::normalize {

void Buffers::touch(std::uint64_t address, std::uint64_t bytes) { touched_.insert({address, address + bytes}); }

void Buffers::attach(std::uint64_t address, std::uint64_t bytes) {
  touch(address, bytes);
  attached_begins_.insert(address);
  attached_ends_.insert(address + bytes);
}

void Buffers::finish(Areas areas) {
  addresses_ = areas == Areas::addresses;
  const std::uint64_t gap = areas == Areas::touching ? 1 : 0;
  for (const auto seam : attached_begins_)
    if (attached_ends_.contains(seam)) touch(seam - 1, 2);
  std::vector<Interval> all(touched_.begin(), touched_.end());
  touched_.clear();
  std::ranges::sort(
      all, [](const Interval& a, const Interval& b) { return a.begin != b.begin ? a.begin < b.begin : a.end < b.end; });
  for (const Interval& interval : all) {
    if (!areas_.empty() && interval.begin < areas_.back().end + gap && !addresses_)
      areas_.back().end = std::max(areas_.back().end, interval.end);
    else
      areas_.push_back(interval);
  }
  slot_.assign(areas_.size(), -1);
}

std::optional<Buffers::Place> Buffers::at_address(std::uint64_t address) {
  const auto [known, fresh] = slots_.try_emplace(address, static_cast<int>(size_.size()));
  if (!fresh) return Place{known->second, 0};
  std::uint64_t bytes = 0;  // the most that calls touch from here on
  for (const Interval& area : areas_)
    if (area.begin <= address && address < area.end) bytes = std::max(bytes, area.end - address);
  if (bytes == 0) {
    slots_.erase(known);
    return {};
  }
  size_.push_back(bytes);
  return Place{known->second, 0};
}

std::optional<Buffers::Place> Buffers::find(std::uint64_t address) {
  if (addresses_) return at_address(address);
  if (last_ >= areas_.size() || address < areas_[last_].begin || address >= areas_[last_].end) {
    const auto after = std::ranges::upper_bound(areas_, address, {}, &Interval::begin);
    if (after == areas_.begin() || address >= std::prev(after)->end) return {};
    last_ = static_cast<std::size_t>(std::prev(after) - areas_.begin());
  }
  int& slot = slot_[last_];
  if (slot < 0) {
    slot = static_cast<int>(size_.size());
    size_.push_back(areas_[last_].end - areas_[last_].begin);
  }
  return Place{slot, address - areas_[last_].begin};
}

std::vector<std::uint64_t> Buffers::bytes_by_slot() const { return size_; }

}  // namespace skelgen::normalize
