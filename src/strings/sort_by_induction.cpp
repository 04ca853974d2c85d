// SA-IS. A suffix is of type S if it is smaller than the one behind it, else of type L; leftmost S (LMS) suffixes
// follow an L suffix. Sorted LMS suffixes induce the order of all L, those of all S suffixes. The LMS suffixes are
// sorted by renaming the pieces between them and recursing on the string of names, which is at most half as long. No
// array of types: in each scan the type of a suffix shows in its first two symbols and its place in the bucket.
#include <algorithm>
#include <limits>
#include <vector>

#include "strings/sort_suffixes.h"

namespace skelgen::strings {
namespace {

constexpr Index kEmpty = std::numeric_limits<Index>::max();

class Level {
 public:
  Level(std::span<const Symbol> text, std::span<Index> suffixes, Symbol alphabet)
      : text_(text), suffixes_(suffixes), ends_(alphabet), edge_(alphabet) {
    for (const Symbol s : text) ++ends_[s];
    Index sum = 0;
    for (Index& end : ends_) end = sum += end;
  }

  void sort() {
    std::ranges::fill(suffixes_, kEmpty);
    to_ends();
    for_each_lms([&](Index i) { suffixes_[--edge_[text_[i]]] = i; });
    induce();
    const Index count = gather_lms();
    const Index names = name(count);
    if (names < count) sort_lms(count, names);
    // the sorted LMS suffixes go to the ends of their buckets, from the last one on: none is overwritten unread
    std::ranges::fill(suffixes_.subspan(count), kEmpty);
    to_ends();
    for (Index r = count; r-- > 0;) {
      const Index i = suffixes_[r];
      suffixes_[r] = kEmpty;
      suffixes_[--edge_[text_[i]]] = i;
    }
    induce();
  }

 private:
  Index size() const { return static_cast<Index>(text_.size()); }
  void to_ends() { edge_ = ends_; }
  void to_begins() {
    edge_[0] = 0;
    std::copy(ends_.begin(), ends_.end() - 1, edge_.begin() + 1);
  }

  /// Calls body(i) for every LMS suffix, right to left.
  template <typename Body>
  void for_each_lms(Body&& body) const {
    bool smaller = false;  // type of i + 1; the last suffix is L: the empty one behind it is smaller
    for (Index i = size() - 1; i-- > 0;) {
      if (text_[i] > text_[i + 1]) {
        if (smaller) body(i + 1);
        smaller = false;
      } else if (text_[i] < text_[i + 1]) {
        smaller = true;
      }
    }
  }

  void induce() {
    to_begins();
    const Index n = size();
    suffixes_[edge_[text_[n - 1]]++] = n - 1;
    for (Index r = 0; r < n; ++r) {  // holds LMS and L suffixes only, so an equal symbol before means L again
      const Index next = suffixes_[r];
      if (next == kEmpty || next == 0) continue;
      const Symbol s = text_[next - 1];
      if (s >= text_[next]) suffixes_[edge_[s]++] = next - 1;
    }
    to_ends();
    for (Index r = n; r-- > 0;) {
      const Index next = suffixes_[r];
      if (next == kEmpty || next == 0) continue;
      const Symbol s = text_[next - 1], t = text_[next];
      if (s < t || (s == t && edge_[s] <= r)) suffixes_[--edge_[s]] = next - 1;
    }
  }

  /// Moves the LMS suffixes to the front, in order. After induce(), edge_ is where S suffixes begin in each bucket.
  Index gather_lms() {
    Index count = 0;
    for (std::size_t s = 0; s < ends_.size(); ++s) {
      for (Index r = edge_[s]; r < ends_[s]; ++r) {
        const Index i = suffixes_[r];
        if (i > 0 && text_[i - 1] > text_[i]) suffixes_[count++] = i;
      }
    }
    return count;
  }

  /// Names the pieces from one LMS suffix to the next, both included: equal pieces, equal names; the order of names is
  /// that of pieces. Leaves the name of the piece at i at place count + i / 2 (LMS suffixes are two apart at least).
  Index name(Index count) {
    const auto place = suffixes_.subspan(count);
    std::ranges::fill(place, kEmpty);
    Index behind = kEmpty;
    for_each_lms([&](Index i) {
      place[i / 2] = behind == kEmpty ? 0 : behind - i + 1;  // length; 0: reaches the end, so unlike all others
      behind = i;
    });
    Index names = 0, previous = 0, previous_length = 0;
    for (Index r = 0; r < count; ++r) {
      const Index i = suffixes_[r], length = place[i / 2];
      const bool same = r > 0 && length != 0 && length == previous_length &&
                        std::equal(text_.begin() + i, text_.begin() + i + length, text_.begin() + previous);
      if (!same) ++names;
      place[i / 2] = names - 1;
      previous = i;
      previous_length = length;
    }
    return names;
  }

  void sort_lms(Index count, Index names) {
    const auto reduced = suffixes_.last(count);
    Index at = count;
    for (std::size_t i = suffixes_.size(); i-- > count;)
      if (suffixes_[i] != kEmpty) reduced[--at] = suffixes_[i];
    sort_by_induction(reduced, suffixes_.first(count), names);
    at = count;
    for_each_lms([&](Index i) { reduced[--at] = i; });  // the names have been used: their room serves for positions
    for (Index& r : suffixes_.first(count)) r = reduced[r];
  }

  std::span<const Symbol> text_;
  std::span<Index> suffixes_;
  std::vector<Index> ends_;  // of buckets
  std::vector<Index> edge_;  // of the filled part of each bucket
};

}  // namespace

void sort_by_induction(std::span<const Symbol> text, std::span<Index> suffixes, Symbol alphabet) {
  if (text.size() == 1) suffixes[0] = 0;
  if (text.size() > 1) Level(text, suffixes, alphabet).sort();
}

}  // namespace skelgen::strings
