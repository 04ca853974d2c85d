#include "strings/runs.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "support/error.h"

namespace skelgen::strings {
namespace {

/// Longest common extensions of text[i...] and text[i + d...], remembered per distance d.
class Extension {
 public:
  explicit Extension(std::span<const Symbol> text) : text_(text), known_(text.size() + 1) {}

  /// Number of equal symbols from (i, i + d) on to the right.
  Index forward(Index i, Index d) {
    Stretch& known = known_[d];
    if (known.begin <= i && i < known.end) return known.end - i;
    const Index stop = known.begin > i ? known.begin : size();
    Index length = walk(i, d, std::min(stop, size() - d));
    if (i + length == known.begin && known.begin > i) {  // reached what is known
      length = known.end - i;
      known.begin = i;
    } else if (length > 0) {
      known = {i, i + length};
    }
    return length;
  }

  /// Number of equal symbols from (i - 1, i - 1 + d) on to the left, at most `most`.
  Index backward(Index i, Index d, Index most) const {
    Index length = 0;
    most = std::min(most, i);
    const Symbol *a = text_.data() + i, *b = text_.data() + i + d;
    while (length < most && a[-1 - static_cast<std::ptrdiff_t>(length)] == b[-1 - static_cast<std::ptrdiff_t>(length)])
      ++length;
    return length;
  }

 private:
  struct Stretch {
    Index begin = 0, end = 0;
  };

  Index size() const { return static_cast<Index>(text_.size()); }

  /// Equal symbols from i on, not beyond `stop`: two symbols at a time.
  Index walk(Index i, Index d, Index stop) const {
    const Symbol *a = text_.data() + i, *b = a + d;
    Index length = 0;
    while (i + length + 2 <= stop) {
      std::uint64_t x, y;
      std::memcpy(&x, a + length, sizeof x);
      std::memcpy(&y, b + length, sizeof y);
      if (const std::uint64_t different = x ^ y) return length + (std::countr_zero(different) >= 32 ? 1u : 0u);
      length += 2;
    }
    while (i + length < stop && a[length] == b[length]) ++length;
    return length;
  }

  std::span<const Symbol> text_;
  std::vector<Stretch> known_;
};

/// Adds the runs whose Lyndon root is one in the order of symbols (flipped or not).
void add_runs(std::span<const Symbol> text, bool flipped, std::vector<Run>& out) {
  const auto n = static_cast<Index>(text.size());
  Extension extension(text);
  std::vector<Index> next(n);  // next smaller suffix; n: none
  for (Index i = n; i-- > 0;) {
    Index j = i + 1, common = 0;
    while (j < n) {
      common = extension.forward(i, j - i);
      const bool ends = j + common == n;
      // the suffix that ends first is the smaller one, in both orders
      const bool smaller = ends ? false : (text[i + common] < text[j + common]) != flipped;
      if (!smaller) break;
      j = next[j];
    }
    next[i] = j;
    if (j == n) continue;
    const Index period = j - i;
    // The run is reported at its leftmost root only: a root one period further left means that it is known already.
    const Index left = extension.backward(i, period, period);
    if (left < period && left + common >= period) out.push_back({i - left, j + common, period});
  }
}

}  // namespace

std::vector<Run> runs(std::span<const Symbol> text) {
  if (text.size() > std::numeric_limits<Index>::max() - 1)
    throw Error(Code::invalid_argument, "a string of more than 2^32 - 2 symbols", "");
  std::vector<Run> found;
  add_runs(text, false, found);
  add_runs(text, true, found);
  std::ranges::sort(found);
  const auto [first, last] = std::ranges::unique(found);
  found.erase(first, last);
  return found;
}

}  // namespace skelgen::strings
