#include "strings/runs.h"

#include <algorithm>
#include <cstring>

#include "strings/extension.h"

namespace skelgen::strings {
namespace {

/// Common extensions by comparing words. forward() must be called with falling i.
class WordWise {
 public:
  /// work: symbols to be compared before exhausted().
  WordWise(std::span<const Symbol> text, std::uint64_t work) : text_(text), known_(text.size()), left_(work) {}

  bool exhausted() const { return left_ < 0; }

  /// `agreed` symbols are known to be equal.
  Index forward(Index i, Index j, Index agreed) {
    const Index d = j - i, from = i + agreed;
    Stretch& known = known_[d];
    if (known.begin < known.end && known.begin <= from) {
      known.begin = std::min(known.begin, i);  // what is behind the stretch differs, so it reaches to `from` at least
      return known.end - i;
    }
    const Index stop = known.begin < known.end ? known.begin : static_cast<Index>(text_.size()) - d;
    const Index end = from + equal_right(from, from + d, stop - from);
    if (end == i) return 0;
    known = {i, end == known.begin ? known.end : end};
    return known.end - i;
  }

  /// At most `most`, which is at most i.
  Index backward(Index i, Index j, Index most) {
    const Symbol *a = text_.data() + i, *b = text_.data() + j;
    Index length = 0;
    while (length + kWord <= most && words_equal(a - length - kWord, b - length - kWord)) length += kWord;
    while (length < most && *(a - length - 1) == *(b - length - 1)) ++length;
    left_ -= length;
    return length;
  }

 private:
  struct Stretch {
    Index begin = 0, end = 0;  // text[begin, end) agrees with what is d further right
  };
  static constexpr Index kWord = 8;

  static bool words_equal(const Symbol* a, const Symbol* b) {
    std::uint64_t x[kWord / 2], y[kWord / 2];
    std::memcpy(x, a, sizeof x);
    std::memcpy(y, b, sizeof y);
    return ((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3])) == 0;
  }

  Index equal_right(Index i, Index j, Index most) {
    const Symbol *a = text_.data() + i, *b = text_.data() + j;
    if (most == 0 || *a != *b) return 0;
    Index length = 1;
    while (length + kWord <= most && words_equal(a + length, b + length)) length += kWord;
    while (length < most && a[length] == b[length]) ++length;
    left_ -= length;
    return length;
  }

  std::span<const Symbol> text_;
  std::vector<Stretch> known_;  // by distance
  std::int64_t left_;
};

/// The same from suffix arrays.
class Indexed {
 public:
  explicit Indexed(const Compacted& text) : extension_(text.text, text.alphabet) {}
  static constexpr bool exhausted() { return false; }
  Index forward(Index i, Index j, Index) const { return extension_.forward(i, j); }
  Index backward(Index i, Index j, Index most) const { return std::min(extension_.backward(i, j), most); }

 private:
  Extension extension_;
};

/// Adds the runs whose Lyndon root is one in the order of symbols (flipped or not). False: exhausted, `out` is not
/// complete.
template <typename Extend>
bool add_runs(std::span<const Symbol> text, bool flipped, Extend& extend, std::vector<Run>& out) {
  const auto n = static_cast<Index>(text.size());
  std::vector<Index> next(n);    // next smaller suffix; n: none
  std::vector<Index> agrees(n);  // common extension of i and next[i]
  for (Index i = n; i-- > 0;) {
    Index j = i + 1, common = j < n ? extend.forward(i, j, 0) : 0;
    // the suffix that ends first is the smaller one, in both orders
    while (j + common < n && (text[i + common] < text[j + common]) != flipped) {
      const Index further = next[j], other = agrees[j];
      j = further;
      if (j == n) break;
      // i and j agree with what is between them, one of them longer: where that ends, they differ
      common = common != other ? std::min(common, other) : extend.forward(i, j, common);
    }
    next[i] = j;
    if (j == n) continue;
    agrees[i] = common;
    if (extend.exhausted()) return false;
    const Index period = j - i;
    // A run has many roots and is reported at the leftmost: behind another one, the symbols agree for a whole period.
    const Index left = extend.backward(i, j, std::min(i, period));
    if (left < period && left + common >= period) out.push_back({i - left, j + common, period});
  }
  return true;
}

/// Sorts by counting begins: only O(log n) runs begin at one position.
std::vector<Run> sorted_set(const std::vector<Run>& found, std::size_t n) {
  std::vector<Index> place(n + 1);
  for (const Run& run : found) ++place[run.begin + std::size_t{1}];
  for (std::size_t i = 1; i <= n; ++i) place[i] += place[i - 1];
  std::vector<Run> sorted(found.size());
  for (const Run& run : found) sorted[place[run.begin]++] = run;
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto last = std::find_if(first, sorted.end(), [&](const Run& run) { return run.begin != first->begin; });
    if (last - first > 1) std::sort(first, last);
    first = last;
  }
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

}  // namespace

std::vector<Run> runs(std::span<const Symbol> text, std::uint64_t work) {
  check_length(text.size());
  std::vector<Run> found;
  const auto by_words = [&](bool flipped) {
    WordWise extend(text, work * text.size());
    return add_runs(text, flipped, extend, found);
  };
  if (!by_words(false) || !by_words(true)) {
    found.clear();
    Indexed extend(compact(text));
    add_runs(text, false, extend, found);
    add_runs(text, true, extend, found);
  }
  return sorted_set(found, text.size());
}

}  // namespace skelgen::strings
