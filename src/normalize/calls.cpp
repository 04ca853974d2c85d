#include "normalize/calls.h"

#include <algorithm>

namespace skelgen::normalize {

bool CallList::operator==(const CallList& other) const {
  return size() == other.size() && std::equal(begin(), end(), other.begin());
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
