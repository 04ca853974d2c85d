#pragma once
// The calls of a location in little memory.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

namespace skelgen::normalize {

using RecordId = std::uint32_t;

/// Numbers in one, two or four bytes each, as many as the largest so far needs. O(1) for everything, but for the few
/// times at which a number needs more.
class Numbers {
 public:
  std::size_t size() const { return size_; }
  std::uint32_t operator[](std::size_t i) const {
    return width_ == 1 ? bytes_[i] : width_ == 2 ? shorts_[i] : words_[i];
  }
  void push_back(std::uint32_t number);
  void set(std::size_t i, std::uint32_t number);
  /// n <= size().
  void shrink(std::size_t n);
  void reserve(std::size_t n);
  std::uint64_t hash() const;
  bool operator==(const Numbers&) const = default;

 private:
  void widen(std::uint32_t number);

  std::size_t size_ = 0;
  int width_ = 1;
  std::size_t reserved_ = 0;
  std::vector<std::uint8_t> bytes_;  // one of these is in use
  std::vector<std::uint16_t> shorts_;
  std::vector<std::uint32_t> words_;
};

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

  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = RecordId;
    using difference_type = std::ptrdiff_t;
    using reference = RecordId;
    using pointer = const RecordId*;
    Iterator() = default;
    Iterator(const CallList* list, std::size_t at) : list_(list), at_(at) {}
    RecordId operator*() const { return (*list_)[at_]; }
    RecordId operator[](difference_type n) const { return (*list_)[at_ + static_cast<std::size_t>(n)]; }
    Iterator& operator++() { return ++at_, *this; }
    Iterator operator++(int) { return {list_, at_++}; }
    Iterator& operator--() { return --at_, *this; }
    Iterator operator--(int) { return {list_, at_--}; }
    Iterator& operator+=(difference_type n) { return at_ += static_cast<std::size_t>(n), *this; }
    Iterator& operator-=(difference_type n) { return at_ -= static_cast<std::size_t>(n), *this; }
    friend Iterator operator+(Iterator i, difference_type n) { return i += n; }
    friend Iterator operator+(difference_type n, Iterator i) { return i += n; }
    friend Iterator operator-(Iterator i, difference_type n) { return i -= n; }
    friend difference_type operator-(Iterator a, Iterator b) {
      return static_cast<difference_type>(a.at_) - static_cast<difference_type>(b.at_);
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }
    auto operator<=>(const Iterator& other) const { return at_ <=> other.at_; }

   private:
    const CallList* list_ = nullptr;
    std::size_t at_ = 0;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

  void push_back(RecordId record) { own().push_back(number(record)); }
  void pop_back() { shrink(size() - 1); }
  /// O(records of the location) for a record that it does not have yet.
  void set(std::size_t i, RecordId record) { own().set(i, number(record)); }
  /// n <= size().
  void shrink(std::size_t n) { own().shrink(n); }
  void clear() { *this = {}; }
  void reserve(std::size_t n) { own().reserve(n); }
  /// The same calls, not the same numbers.
  bool operator==(const CallList& other) const;

  /// Which of records() each call is. Locations with equal pointers make their own records in the same order.
  std::shared_ptr<const Numbers> order() const { return order_; }
  /// By number; empty: every record is its own number.
  std::span<const RecordId> records() const { return records_; }
  RecordId record(std::uint32_t number) const { return records_.empty() ? number : records_[number]; }
  /// Every call of record r becomes records[r], which knows all of them. For a list that was never given other records.
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
