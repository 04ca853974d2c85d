#include "normalize/numbers.h"

#include <algorithm>

#include "normalize/tables.h"

namespace skelgen::normalize {
namespace {

std::uint64_t hash_of(const Packed& page) {
  std::uint64_t hash = page.size();
  for (std::size_t i = 0; i < page.size(); ++i) hash = mix(hash, page[i]);
  return hash;
}

}  // namespace

void Packed::push_back(std::uint32_t number) {
  widen(number);
  ++size_;
  if (width_ == 1)
    bytes_.push_back(static_cast<std::uint8_t>(number));
  else if (width_ == 2)
    shorts_.push_back(static_cast<std::uint16_t>(number));
  else
    words_.push_back(number);
}

void Packed::shrink(std::size_t n) {
  size_ = n;
  if (width_ == 1)
    bytes_.resize(n);
  else if (width_ == 2)
    shorts_.resize(n);
  else
    words_.resize(n);
}

void Packed::clear() {
  size_ = 0;
  width_ = 1;
  bytes_.clear();
  shorts_.clear();
  words_.clear();
}

bool Packed::operator==(const Packed& other) const {
  if (width_ == other.width_) return bytes_ == other.bytes_ && shorts_ == other.shorts_ && words_ == other.words_;
  bool equal = size_ == other.size_;
  for (std::size_t i = 0; equal && i < size_; ++i) equal = (*this)[i] == other[i];
  return equal;
}

void Packed::widen(std::uint32_t number) {
  if (width_ == 1 && number > 0xff) {
    shorts_.assign(bytes_.begin(), bytes_.end());
    bytes_.clear();
    width_ = 2;
  }
  if (width_ == 2 && number > 0xffff) {
    words_.assign(shorts_.begin(), shorts_.end());
    shorts_.clear();
    width_ = 4;
  }
}

void Numbers::roll(std::uint32_t number) { rolling_ = (rolling_ << 1) + (number + 1) * 0x9e3779b97f4a7c15u; }

void Numbers::push_back(std::uint32_t number) {
  constexpr int kShare = 10;  // the highest bits: a page ends at one of 2^10 numbers
  tail_.push_back(number);
  roll(number);
  if (tail_.size() >= kMost || (tail_.size() >= kLeast && rolling_ >> (64 - kShare) == 0)) close();
}

void Numbers::close() {
  const std::uint64_t hash = hash_of(tail_);
  const auto [first, last] = known_.equal_range(hash);
  const auto known = std::find_if(first, last, [&](const auto& other) { return *other.second == tail_; });
  // A copy is as large as it must be.
  const auto page = known == last ? known_.emplace(hash, std::make_shared<const Packed>(tail_)) : known;
  closed_ += tail_.size();
  pages_.push_back(page->second);
  ends_.push_back(closed_);
  tail_.clear();
  rolling_ = 0;
}

/// Makes the last page the tail.
void Numbers::reopen() {
  tail_ = *pages_.back();
  pages_.pop_back();
  ends_.pop_back();
  closed_ -= tail_.size();
}

void Numbers::shrink(std::size_t n) {
  if (n == size()) return;
  while (n < closed_) reopen();
  tail_.shrink(n - closed_);
  rolling_ = 0;
  for (std::size_t i = tail_.size() - std::min(tail_.size(), kRolling); i < tail_.size(); ++i) roll(tail_[i]);
}

std::size_t Numbers::page_of(std::size_t i) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(ends_, i) - ends_.begin());
}

std::uint64_t Numbers::hash() const {
  std::uint64_t hash = size();
  for (const std::uint32_t number : *this) hash = mix(hash, number);
  return hash;
}

bool Numbers::operator==(const Numbers& other) const {
  if (size() != other.size()) return false;
  if (ends_ != other.ends_) return std::equal(begin(), end(), other.begin());
  const auto same = [](const auto& a, const auto& b) { return a == b || *a == *b; };
  return tail_ == other.tail_ && std::ranges::equal(pages_, other.pages_, same);
}

void Numbers::Iterator::find_page() const {
  const std::size_t page = list_->page_of(at_);
  const bool tail = page == list_->pages_.size();
  page_ = tail ? &list_->tail_ : list_->pages_[page].get();
  begin_ = tail ? list_->closed_ : list_->begin_of(page);
  length_ = page_->size();
}

}  // namespace skelgen::normalize
