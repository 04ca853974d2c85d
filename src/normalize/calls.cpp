#include "normalize/calls.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace skelgen::normalize {

bool CallList::operator==(const CallList& other) const {
  return size() == other.size() && std::equal(begin(), end(), other.begin());
}

void CallList::change(std::span<const Change> changes) {
  if (changes.empty()) return;
  std::unordered_map<RecordId, std::uint32_t> numbers;
  for (std::size_t n = 0; n < records_.size(); ++n) numbers[records_[n]] = static_cast<std::uint32_t>(n);
  const auto number = [&](RecordId record) {
    if (records_.empty()) return record;
    const auto [known, fresh] = numbers.try_emplace(record, static_cast<std::uint32_t>(records_.size()));
    if (fresh) records_.push_back(record);
    return known->second;
  };
  // All over again: so equal pages are found where the changes repeat themselves, too.
  const std::shared_ptr<const Numbers> before = std::exchange(order_, std::make_shared<Numbers>());
  auto next = changes.begin();
  for (const std::uint32_t kept : *before) {
    const bool changes_here = next != changes.end() && next->call == order_->size();
    order_->push_back(changes_here ? number((next++)->record) : kept);
  }
}

Numbers& CallList::own() {
  if (!order_)
    order_ = std::make_shared<Numbers>();
  else if (order_.use_count() > 1)
    order_ = std::make_shared<Numbers>(*order_);
  return *order_;
}

std::uint32_t CallList::number(RecordId record) {
  if (records_.empty()) return record;
  const auto found = std::find(records_.rbegin(), records_.rend(), record);
  if (found != records_.rend()) return static_cast<std::uint32_t>(records_.rend() - found - 1);
  records_.push_back(record);
  return static_cast<std::uint32_t>(records_.size() - 1);
}

}  // namespace skelgen::normalize
