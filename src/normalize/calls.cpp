#include "normalize/calls.h"

#include <algorithm>

#include "normalize/tables.h"

namespace skelgen::normalize {

void Numbers::push_back(std::uint32_t number) {
  widen(number);
  ++size_;
  if (width_ == 1)
    bytes_.push_back(static_cast<std::uint8_t>(number));
  else if (width_ == 2)
    shorts_.push_back(static_cast<std::uint16_t>(number));
  else
    words_.push_back(number);
}

void Numbers::set(std::size_t i, std::uint32_t number) {
  widen(number);
  if (width_ == 1)
    bytes_[i] = static_cast<std::uint8_t>(number);
  else if (width_ == 2)
    shorts_[i] = static_cast<std::uint16_t>(number);
  else
    words_[i] = number;
}

void Numbers::shrink(std::size_t n) {
  size_ = n;
  if (width_ == 1)
    bytes_.resize(n);
  else if (width_ == 2)
    shorts_.resize(n);
  else
    words_.resize(n);
}

void Numbers::reserve(std::size_t n) {
  reserved_ = n;
  if (width_ == 1)
    bytes_.reserve(n);
  else if (width_ == 2)
    shorts_.reserve(n);
  else
    words_.reserve(n);
}

void Numbers::widen(std::uint32_t number) {
  if (width_ == 1 && number > 0xff) {
    shorts_.reserve(std::max(reserved_, size_ + 1));
    shorts_.assign(bytes_.begin(), bytes_.end());
    bytes_ = {};
    width_ = 2;
  }
  if (width_ == 2 && number > 0xffff) {
    words_.reserve(std::max(reserved_, size_ + 1));
    words_.assign(shorts_.begin(), shorts_.end());
    shorts_ = {};
    width_ = 4;
  }
}

std::uint64_t Numbers::hash() const {
  std::uint64_t hash = size_;
  for (std::size_t i = 0; i < size_; ++i) hash = mix(hash, (*this)[i]);
  return hash;
}

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
