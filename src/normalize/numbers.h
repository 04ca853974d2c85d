#pragma once
// A long list of small numbers in little memory.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <unordered_map>
#include <vector>

namespace skelgen::normalize {

/// Numbers in one, two or four bytes each, as many as the largest needs. O(1) for everything, but for the two times at
/// which a number needs more.
class Packed {
 public:
  std::size_t size() const { return size_; }
  std::uint32_t operator[](std::size_t i) const {
    return width_ == 1 ? bytes_[i] : width_ == 2 ? shorts_[i] : words_[i];
  }
  void push_back(std::uint32_t number);
  /// n <= size().
  void shrink(std::size_t n);
  /// Keeps the memory.
  void clear();
  bool operator==(const Packed& other) const;

 private:
  void widen(std::uint32_t number);

  std::size_t size_ = 0;
  int width_ = 1;
  std::vector<std::uint8_t> bytes_;  // one of these is in use
  std::vector<std::uint16_t> shorts_;
  std::vector<std::uint32_t> words_;
};

/// A list of numbers, as a sequence of pages. Pages end where the last few numbers say so, not at fixed places (Muthitacharoen
/// et al., A low-bandwidth network file system, 2001); so a list that repeats itself has equal pages, whatever its period,
/// and each is kept once: memory grows with what is different, and by 24 bytes for some 1,500 numbers. A number is added
/// in O(1) amortized, read at any place in O(log(pages)), along the list in O(1).
class Numbers {
 public:
  /// Numbers of a page, but for the last one's least.
  static constexpr std::size_t kLeast = 512, kMost = 16384;

  std::size_t size() const { return closed_ + tail_.size(); }
  std::uint32_t operator[](std::size_t i) const {
    if (i >= closed_) return tail_[i - closed_];
    const std::size_t page = page_of(i);
    return (*pages_[page])[i - begin_of(page)];
  }
  void push_back(std::uint32_t number);
  /// n <= size(). O(numbers taken away); O(page) where the last number that stays is in another page than the last one.
  void shrink(std::size_t n);
  /// Equal for equal lists. O(size).
  std::uint64_t hash() const;
  bool operator==(const Numbers& other) const;
  /// Of pages that are different, for tests.
  std::size_t different_pages() const { return known_.size(); }

  /// Until the list changes.
  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = std::uint32_t;
    using difference_type = std::ptrdiff_t;
    using reference = std::uint32_t;
    using pointer = const std::uint32_t*;
    Iterator() = default;
    Iterator(const Numbers* list, std::size_t at) : list_(list), at_(at) {}
    std::uint32_t operator*() const {
      if (at_ - begin_ >= length_) find_page();
      return (*page_)[at_ - begin_];
    }
    std::uint32_t operator[](difference_type n) const { return *(*this + n); }
    Iterator& operator++() { return ++at_, *this; }
    Iterator operator++(int) {
      Iterator before = *this;
      ++at_;
      return before;
    }
    Iterator& operator--() { return --at_, *this; }
    Iterator operator--(int) {
      Iterator before = *this;
      --at_;
      return before;
    }
    Iterator& operator+=(difference_type n) { return at_ += static_cast<std::size_t>(n), *this; }
    Iterator& operator-=(difference_type n) { return at_ -= static_cast<std::size_t>(n), *this; }
    friend Iterator operator+(Iterator i, difference_type n) { return i += n; }
    friend Iterator operator+(difference_type n, Iterator i) { return i += n; }
    friend Iterator operator-(Iterator i, difference_type n) { return i -= n; }
    friend difference_type operator-(const Iterator& a, const Iterator& b) {
      return static_cast<difference_type>(a.at_) - static_cast<difference_type>(b.at_);
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }
    auto operator<=>(const Iterator& other) const { return at_ <=> other.at_; }

   private:
    void find_page() const;

    const Numbers* list_ = nullptr;
    std::size_t at_ = 0;
    // The page that was read last: of `length_` numbers from `begin_` on.
    mutable const Packed* page_ = nullptr;
    mutable std::size_t begin_ = 0, length_ = 0;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

 private:
  static constexpr std::size_t kRolling = 64;  // a number leaves rolling_'s bits after as many others

  std::size_t page_of(std::size_t i) const;
  std::size_t begin_of(std::size_t page) const { return page ? ends_[page - 1] : 0; }
  void roll(std::uint32_t number);
  void close();
  void reopen();

  std::vector<std::shared_ptr<const Packed>> pages_;
  std::vector<std::size_t> ends_;  // of pages_
  std::size_t closed_ = 0;         // numbers in pages_
  Packed tail_;
  std::uint64_t rolling_ = 0;  // of the last kRolling numbers of tail_
  std::unordered_multimap<std::uint64_t, std::shared_ptr<const Packed>> known_;
};

}  // namespace skelgen::normalize
