#pragma once
// All runs of a string in one scan. Internal to src/strings; docs/theory/runs.md says how and why.

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "strings/common_length.h"
#include "strings/runs_in_order.h"
#include "strings/stretches.h"
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
  LyndonScan(const Fenced<S>& text, const CommonLength& common_length)
      : text_(text.symbols()),
        size_(static_cast<Position>(text.size())),
        common_length_(common_length),
        known_(size_ / 2),
        found_(size_) {}

  std::vector<BasicRun<Position>> runs() && {
    const S* const text = text_;
    // Of the order in which the suffix at i is smaller than the one behind it, and of the other one. Both end with what no
    // suffix is smaller than: T[n ...] in the natural order, T[n + 1 ...] in the other one.
    Link* smaller = chains_[0].first({size_, 0});
    Link* larger = chains_[1].first({static_cast<Position>(size_ + 1), 0});
    S flip = 0;                // of the symbols in the order of `smaller`
    Position entered = size_;  // begin of a block of positions for which there is room in both chains
    const auto enter = [&](Position i) {
      if (i >= entered) return;
      entered = found_.reach(i);
      const std::size_t left = i - entered + std::size_t{1};
      smaller = chains_[flip != 0].with_room(smaller, left);
      larger = chains_[flip == 0].with_room(larger, left);
    };
    const auto take_root = [&](Position i, Position agrees) {
      const Position period = smaller->at - i;
      const auto [trips, top] = add_run(i, smaller, larger, agrees, chains_[flip != 0]);
      if (trips == 0) return i;
      smaller = top;
      entered = size_;
      return i - trips * period;
    };
    for (Position i = size_; i > 0;) {
      // i goes from the last to the first of a stretch of equal symbols.
      --i;
      const S wanted = text[i] < text[i + 1] ? S{0} : Fenced<S>::kLast;
      if (wanted != flip) std::swap(smaller, larger);
      flip = wanted;
      enter(i);
      *++larger = {static_cast<Position>(i + 1), 0};
      Position agrees = next_smaller(i, 0, flip, smaller);
      if (may_have_root(i, smaller->at, agrees)) i = take_root(i, agrees);
      if ((text + i)[-1] != text[i]) continue;

      const Position end = i + 1;
      Position equal = 1;  // symbols behind i
      do {
        --i;
        enter(i);
        *++larger = {static_cast<Position>(i + 1), equal};
        agrees = next_smaller(i, equal, flip, smaller);
        // Within a stretch, a run that has i as its leftmost root begins there.
        if (agrees >= smaller->at - i && (text + i)[-1] == text[i])
          add(i, {i, smaller->at + agrees, static_cast<Position>(smaller->at - i)});
        ++equal;
      } while (agrees >= equal && (text + i)[-1] == text[i]);
      // From here on the next smaller suffix is the same for all of the stretch.
      while ((text + i)[-1] == text[i]) {
        --i;
        enter(i);
        *++larger = {static_cast<Position>(i + 1), equal++};
      }
      add(i, {i, end, 1});
      i = take_root(i, agrees);
    }
    return std::move(found_).finish();
  }

 private:
  struct Link {
    Position at;      // a suffix
    Position agrees;  // common prefix with the one before it in the chain
  };
  /// A stack. Who pushes has its top and asks for room before.
  class Chain {
   public:
    Link* first(const Link& link) {
      links_.reset(static_cast<Link*>(std::malloc(size_ * sizeof(Link))));
      if (!links_) throw std::bad_alloc();
      *links_.get() = link;
      return links_.get();
    }

    /// The same top, with room for `more` above.
    [[gnu::noinline]] Link* with_room(Link* top, std::size_t more) {
      const std::size_t used = static_cast<std::size_t>(top - links_.get()) + 1;
      if (used + more > size_) {
        size_ = std::max(2 * size_, used + more);
        auto* const moved = static_cast<Link*>(std::realloc(static_cast<void*>(links_.get()), size_ * sizeof(Link)));
        if (!moved) throw std::bad_alloc();
        links_.release();
        links_.reset(moved);
      }
      return links_.get() + used - 1;
    }

   private:
    struct Free {
      void operator()(void* memory) const { std::free(memory); }
    };
    std::size_t size_ = 1024;
    std::unique_ptr<Link[], Free> links_;  // realloc moves pages, not what is in them
  };
  struct Logged {
    Position at;  // where the scan found it
    BasicRun<Position> run;
  };
  struct Repeated {
    Position trips;
    Link* top;
  };
  using Stretch = typename Stretches<Position>::Stretch;
  static constexpr Position kWorth = 32;  // symbols: to repeat fewer than these costs more than to scan them
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
    if (j < known.begin || j >= known.end) known = {i, static_cast<Position>(i + right(i, j, agreed, size_))};
    known.begin = std::min(known.begin, i);
    return known.end - i;
  }

  Position right(Position i, Position j, Position agreed, Position stop) {
    return static_cast<Position>(
        common_length_.right(bytes(text_ + i), bytes(text_ + j), agreed * sizeof(S), stop * sizeof(S)) / sizeof(S));
  }

  /// Symbols for which i and j agree to the left.
  Position left(Position i, Position j, Position stop) {
    return static_cast<Position>(common_length_.left(bytes(text_ + i), bytes(text_ + j), 0, stop * sizeof(S)) /
                                 sizeof(S));
  }

  /// Whether [i, j) may be the leftmost root of a run, or one that repeat() wants, j being the next smaller suffix of i.
  bool may_have_root(Position i, Position j, Position agrees) const {
    const auto difference = word_at(text_ + i - kWord) ^ word_at(text_ + j - kWord);
    const Position left = static_cast<Position>(zero_bytes_last(difference) / sizeof(S));
    return left == kWord || agrees + left >= j - i;
  }

  /// Adds the run that has the leftmost root [i, j), j the top of `smaller`, if there is one. Where the scan would repeat
  /// itself for some periods further left, does what it would do there. Returns for how many, and the new top.
  [[gnu::noinline]] Repeated add_run(Position i, Link* smaller, Link* larger, Position agrees, Chain& chain) {
    const Position j = smaller->at, period = j - i;
    if (agrees / 2 >= period) return repeat(i, smaller, larger, agrees, chain);
    const Position before = left(i, j, period);
    // Further left than a period, there is another root.
    if (before < period && before + agrees >= period) add(i, {static_cast<Position>(i - before), j + agrees, period});
    return {0, smaller};
  }

  /// The same for a run of which three periods follow at least, i begin of one. In the `falling` order the suffixes at
  /// i, j, ... become smaller, in the other one larger. All comparisons of the scan of [i, j) have ended within the run,
  /// but for one: of the smallest suffix in [i, j) of the rising order with its next smaller one, behind the run.
  Repeated repeat(Position i, Link* falling, Link* rising, Position agrees, Chain& chain) {
    const Position j = falling->at, period = j - i, end = i + agrees;
    const Position begin = run_begin(i, period, end), before = i - begin;
    if (before < period) add(i, {begin, j + agrees, period});
    if (before < 2 * period) return {0, falling};
    const Position trips = before / period - 1;  // one remains, for what is compared to the left
    if (log_begin_ > i || log_end_ < j) {
      if ((trips - 1) * period >= kWorth) record(i, period);
      return {0, falling};
    }
    Link* base = rising;
    while (base->at < j) --base;
    const Position smallest = base[1].at;
    // The same base for the periods further left, as they agree with this one for longer than this one with the base?
    if (trips * period < kWorth || base->agrees >= end - smallest) return {0, falling};

    for (Link* link = base + 1; link <= rising; ++link) link->at -= trips * period;
    falling = chain.with_room(falling, trips);
    for (Position root = i, trip = 0; trip < trips; ++trip, root -= period) *++falling = {root, end - root};
    const std::size_t size = log_.size();
    std::size_t first = size;
    while (first > 0 && log_[first - 1].at < j) --first;
    for (Position trip = 1; trip <= trips; ++trip) {
      for (std::size_t k = first; k < size; ++k) {
        const auto [at, run] = log_[k];
        if (run.period >= period) continue;
        const Position shift = trip * period;
        found_.reach(at - shift);
        add(at - shift, {run.begin - shift, run.end - shift, run.period});
      }
    }
    return {trips, falling};
  }

  /// Begin of the run of `period` that i is in. [i, end) agrees with what is one period further right.
  Position run_begin(Position i, Position period, Position end) {
    Stretch& known = known_[period];
    if (known.end != end || known.begin > i) known = {i, end};
    const S* const begin = text_ + known.begin;
    if (begin[-1] == begin[period - 1]) known.begin -= left(known.begin, known.begin + period, known.begin);
    return known.begin;
  }

  /// Makes the log have what is found from now on, for one period.
  void record(Position i, Position period) {
    if (i <= log_begin_) {
      log_.clear();
      log_end_ = i;
      log_begin_ = i - period;
    } else {
      log_begin_ = std::min<Position>(log_begin_, i - period);
    }
  }

  void add(Position i, const BasicRun<Position>& run) {
    found_.add(run);
    if (i >= log_begin_) log_.push_back({i, run});
  }

  static const Byte* bytes(const S* symbols) { return reinterpret_cast<const Byte*>(symbols); }

  const S* text_;
  Position size_;
  CommonLength common_length_;
  Chain chains_[2];
  Stretches<Position> known_;  // where suffixes are known to agree for longer than their distance
  RunsInOrder<Position> found_;
  std::vector<Logged> log_;  // what was found in [log_begin_, log_end_)
  Position log_begin_ = static_cast<Position>(~Position{0}), log_end_ = 0;
};

}  // namespace skelgen::strings
