#pragma once
// All runs of a string in one scan. Internal to src/strings; docs/theory/runs.md says how and why.

#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "strings/agreement.h"
#include "strings/runs_in_order.h"
#include "strings/words.h"

namespace skelgen::strings {

/// A string between symbols that end every comparison. S: unsigned.
template <typename S>
class Fenced {
 public:
  static constexpr S kEnd = 0, kLast = static_cast<S>(~S{0});

  /// n symbols, to be set.
  explicit Fenced(std::size_t n) : size_(n), memory_(std::make_unique_for_overwrite<S[]>(n + 2 * kFence)) {
    std::fill_n(memory_.get(), kFence, kEnd);
    std::fill_n(symbols() + n, kFence, kEnd);
    symbols()[n + 1] = kLast;
  }

  std::size_t size() const { return size_; }
  S* symbols() { return memory_.get() + kFence; }
  const S* symbols() const { return memory_.get() + kFence; }

 private:
  static constexpr std::size_t kFence = 64;  // more than a comparison reads too much

  std::size_t size_;
  std::unique_ptr<S[]> memory_;
};

/// The scan. It goes from right to left over a fenced string, T with T[n] smaller than all symbols and T[n + 1] larger,
/// and has for each of both orders of symbols the chain i, next smaller suffix of i, its next smaller suffix, ...
template <typename Position, typename S>
class LyndonScan {
 public:
  LyndonScan(const Fenced<S>& text, const Agreement& agreement)
      : text_(text.symbols()),
        size_(static_cast<Position>(text.size())),
        agreement_(agreement),
        chains_(std::make_unique_for_overwrite<Link[]>(2 * (text.size() + 2))),
        known_(static_cast<Stretch*>(std::calloc(text.size() / 2 + 1, sizeof(Stretch)))),
        found_(size_) {
    if (!known_) throw std::bad_alloc();
  }

  std::vector<BasicRun<Position>> runs() && {
    const S* const text = text_;
    // Chains end with what no suffix is smaller than: T[n ...] in the natural order, T[n + 1 ...] in the other one.
    Link* smaller = chains_.get();  // of the order in which the suffix at i is smaller than the one behind it
    Link* larger = smaller + size_ + 2;
    *smaller = {size_, 0};
    *larger = {static_cast<Position>(size_ + 1), 0};
    S flip = 0;  // of the symbols in the order of `smaller`
    for (Position i = size_; i > 0;) {
      // i goes from the last to the first of a stretch of equal symbols.
      --i;
      const S wanted = text[i] < text[i + 1] ? S{0} : Fenced<S>::kLast;
      if (wanted != flip) std::swap(smaller, larger);
      flip = wanted;
      found_.reach(i);
      *++larger = {static_cast<Position>(i + 1), 0};
      Position agrees = next_smaller(i, 0, flip, smaller);
      check(i, smaller->at, agrees);
      if ((text + i)[-1] != text[i]) continue;

      const Position end = i + 1;
      Position equal = 1;  // symbols behind i
      do {
        --i;
        found_.reach(i);
        *++larger = {static_cast<Position>(i + 1), equal};
        agrees = next_smaller(i, equal, flip, smaller);
        // Within a stretch, a run that has i as its leftmost root begins there.
        if (agrees >= smaller->at - i && (text + i)[-1] == text[i])
          found_.add({i, smaller->at + agrees, static_cast<Position>(smaller->at - i)});
        ++equal;
      } while (agrees >= equal && (text + i)[-1] == text[i]);
      // From here on the next smaller suffix is the same for all of the stretch.
      for (; (text + i)[-1] == text[i]; --i) *++larger = {i, equal++};
      found_.reach(i);
      found_.add({i, end, 1});
      check_far(i, smaller->at, agrees);
    }
    return std::move(found_).finish();
  }

 private:
  struct Link {
    Position at;      // a suffix
    Position agrees;  // common prefix with the one before it in the chain
  };
  struct Stretch {
    Position begin, end;  // text[begin, end) agrees with what is d further right
  };
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  static constexpr Position kWord = sizeof(std::uint64_t) / sizeof(S);

  /// Pops from the chain of i + 1 what is larger than the suffix at i, which agrees with the one at i + 1 for `common`
  /// symbols and is smaller. Returns for how many it agrees with the new top, its next smaller suffix.
  Position next_smaller(Position i, Position common, S flip, Link*& chain) {
    for (;; --chain) {
      // j, popped, agrees with i for `common` symbols and with the top for `agrees`: where these differ, so do i and
      // the top, at the smaller one.
      const auto [at, agrees] = *chain;
      if (agrees > common) continue;
      if (agrees < common) return agrees;
      common = forward(i, at, common);
      if ((text_[i + common] ^ flip) > (text_[at + common] ^ flip)) return chain->agrees = common;
    }
  }

  Position forward(Position i, Position j, Position agreed) {
    const auto difference = word_at(text_ + i + agreed) ^ word_at(text_ + j + agreed);
    if (difference != 0) return agreed + static_cast<Position>(zero_bytes_first(difference) / sizeof(S));
    return forward_far(i, j, agreed + kWord);
  }

  [[gnu::noinline]] Position forward_far(Position i, Position j, Position agreed) {
    const Position distance = j - i;
    if (agreed < distance) agreed = right(i, j, agreed, distance);
    if (agreed < distance) return agreed;
    Stretch& known = known_[distance];
    if (j < known.begin || j >= known.end) known.end = i + right(i, j, agreed, size_);
    known.begin = i;
    return known.end - i;
  }

  Position right(Position i, Position j, Position agreed, Position stop) {
    return static_cast<Position>(
        agreement_.right(bytes(text_ + i), bytes(text_ + j), agreed * sizeof(S), stop * sizeof(S)) / sizeof(S));
  }

  /// Adds the run that [i, j) is the leftmost root of, if it is, j being the next smaller suffix of i.
  void check(Position i, Position j, Position agrees) {
    const auto difference = word_at(text_ + i - kWord) ^ word_at(text_ + j - kWord);
    const Position left = static_cast<Position>(zero_bytes_last(difference) / sizeof(S));
    if (left == kWord || agrees + left >= j - i) check_far(i, j, agrees);
  }

  [[gnu::noinline]] void check_far(Position i, Position j, Position agrees) {
    const Position period = j - i;
    const std::size_t left = agreement_.left(bytes(text_ + i), bytes(text_ + j), 0, period * sizeof(S)) / sizeof(S);
    // Further left than a period, there is another root.
    if (left < period && left + agrees >= period) found_.add({static_cast<Position>(i - left), j + agrees, period});
  }

  static const Byte* bytes(const S* symbols) { return reinterpret_cast<const Byte*>(symbols); }

  const S* text_;
  Position size_;
  Agreement agreement_;
  std::unique_ptr<Link[]> chains_;
  std::unique_ptr<Stretch[], Free> known_;  // by distance: where suffixes are known to agree for longer than that
  RunsInOrder<Position> found_;
};

}  // namespace skelgen::strings
