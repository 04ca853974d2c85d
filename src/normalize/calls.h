#pragma once
// The calls of a location in little memory.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include "normalize/numbers.h"

namespace skelgen::normalize {

using RecordId = std::uint32_t;

/// The record of each call of a location, like a vector of RecordId. What is kept is which of the location's own
/// records each call is: the same for all ranks that do the same with other peers, and kept once for those that share
/// it. Copies share until one is changed.
class CallList {
 public:
  CallList() = default;
  CallList(std::span<const RecordId> calls) {
    for (const RecordId call : calls) push_back(call);
  }
  CallList(std::initializer_list<RecordId> calls) : CallList(std::span(calls.begin(), calls.size())) {}

  std::size_t size() const { return order_ ? order_->size() : 0; }
  bool empty() const { return size() == 0; }
  RecordId operator[](std::size_t i) const { return record((*order_)[i]); }
  RecordId back() const { return (*this)[size() - 1]; }

  /// Until the list changes.
  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = RecordId;
    using difference_type = std::ptrdiff_t;
    using reference = RecordId;
    using pointer = const RecordId*;
    Iterator() = default;
    Iterator(const CallList* list, Numbers::Iterator at) : list_(list), at_(at) {}
    RecordId operator*() const { return list_->record(*at_); }
    RecordId operator[](difference_type n) const { return list_->record(at_[n]); }
    Iterator& operator++() { return ++at_, *this; }
    Iterator operator++(int) { return {list_, at_++}; }
    Iterator& operator--() { return --at_, *this; }
    Iterator operator--(int) { return {list_, at_--}; }
    Iterator& operator+=(difference_type n) { return at_ += n, *this; }
    Iterator& operator-=(difference_type n) { return at_ -= n, *this; }
    friend Iterator operator+(Iterator i, difference_type n) { return i += n; }
    friend Iterator operator+(difference_type n, Iterator i) { return i += n; }
    friend Iterator operator-(Iterator i, difference_type n) { return i -= n; }
    friend difference_type operator-(const Iterator& a, const Iterator& b) { return a.at_ - b.at_; }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }
    auto operator<=>(const Iterator& other) const { return at_ <=> other.at_; }

   private:
    const CallList* list_ = nullptr;
    Numbers::Iterator at_;
  };
  Iterator begin() const { return {this, {order_.get(), 0}}; }
  Iterator end() const { return {this, {order_.get(), size()}}; }

  void push_back(RecordId record) { own().push_back(number(record)); }
  void pop_back() { shrink(size() - 1); }
  struct Change {
    std::size_t call;
    RecordId record;
  };
  /// Calls, ascending, become other records. O(size + records of the location).
  void change(std::span<const Change> changes);
  /// n <= size().
  void shrink(std::size_t n) { own().shrink(n); }
  void clear() { *this = {}; }
  /// The same calls, not the same numbers.
  bool operator==(const CallList& other) const;

  /// Which of records() each call is. Locations with equal pointers make their own records in the same order.
  std::shared_ptr<const Numbers> order() const { return order_; }
  /// By number; empty: every record is its own number.
  std::span<const RecordId> records() const { return records_; }
  RecordId record(std::uint32_t number) const { return records_.empty() ? number : records_[number]; }
  /// Every call of number n becomes records[n], which knows all numbers. Of a list that was never given other records, the
  /// number is the record.
  void rename(std::vector<RecordId> records) { records_ = std::move(records); }
  /// `order` is equal to that of this list, which is given up.
  void share(std::shared_ptr<const Numbers> order) { order_ = std::const_pointer_cast<Numbers>(std::move(order)); }

 private:
  Numbers& own();
  std::uint32_t number(RecordId record);

  std::shared_ptr<Numbers> order_;
  std::vector<RecordId> records_;  // by number; empty: every record is its own number
};

}  // namespace skelgen::normalize
