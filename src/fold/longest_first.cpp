#include "fold/longest_first.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

namespace skelgen::fold {
namespace {

using strings::Run;

Index length_of(const Run& run) { return run.end - run.begin; }

/// Whether `b` is to be taken before `a`: longest first, then leftmost.
struct Later {
  bool operator()(const Run& a, const Run& b) const {
    return length_of(a) != length_of(b) ? length_of(a) < length_of(b) : a.begin > b.begin;
  }
};

/// Where parts of the text end that are folded by themselves, a bit for each position. All positions within what a loop
/// repeats, its second period and further ones, are borders: nothing is folded there any more.
class Borders {
 public:
  explicit Borders(Index length) : words_(length / kBits + 2) {}

  /// [begin, end]
  void set(Index begin, Index end) {
    const std::uint64_t first = from(begin), last = ~from(end) << 1 | 1;
    if (begin / kBits == end / kBits) {
      words_[begin / kBits] |= first & last;
      return;
    }
    words_[begin / kBits] |= first;
    std::fill(words_.begin() + begin / kBits + 1, words_.begin() + end / kBits, ~std::uint64_t{0});
    words_[end / kBits] |= last;
  }

  /// The first border in [at, end), else end.
  Index next(Index at, Index end) const { return find(at, end, 0); }
  /// The first position in [at, end) that is none, else end.
  Index next_free(Index at, Index end) const { return find(at, end, ~std::uint64_t{0}); }

 private:
  static constexpr Index kBits = 64;

  static std::uint64_t from(Index at) { return ~std::uint64_t{0} << at % kBits; }

  Index find(Index at, Index end, std::uint64_t flip) const {
    if (at >= end) return end;
    Index word = at / kBits;
    std::uint64_t found = (words_[word] ^ flip) & from(at);
    while (found == 0) {
      if (++word * std::uint64_t{kBits} >= end) return end;
      found = words_[word] ^ flip;
    }
    return std::min(end, word * kBits + static_cast<Index>(std::countr_zero(found)));
  }

  std::vector<std::uint64_t> words_;
};

/// The runs of a part are the runs of the text, clipped to it, that still have two periods: a maximal repetition of the
/// part extends to one of the text with the same period, and no piece of two periods has a shorter period than the
/// whole (Fine & Wilf). So runs are computed once. They come in order of their length; one that no longer fits into one
/// part is clipped to those that it meets, and its pieces wait for their turn.
class LongestFirst {
 public:
  LongestFirst(Index length, std::vector<Run> runs)
      : long_enough_(std::min(length + 1, kLong)), borders_(length), short_(long_enough_) {
    by_length(runs);
    auto next = order_.begin();
    while (next != order_.end() && length_of(runs[*next]) >= long_enough_) {
      consider_longer_pieces(runs[*next]);
      consider(runs[*next++]);
    }
    consider_longer_pieces({0, long_enough_ - 1, 1});
    for (Index size = long_enough_ - 1; size > 1; --size) {
      auto pieces = std::move(short_[size]);
      std::ranges::sort(pieces, {}, &Run::begin);
      auto piece = pieces.begin();
      for (; next != order_.end() && length_of(runs[*next]) == size; ++next) {
        if (order_.end() - next > kAhead) __builtin_prefetch(&runs[next[kAhead]]);
        for (; piece != pieces.end() && piece->begin < runs[*next].begin; ++piece) consider(*piece);
        consider(runs[*next]);
      }
      std::for_each(piece, pieces.end(), [&](const Run& run) { consider(run); });
    }
  }

  std::vector<Repetition> repetitions() && { return std::move(found_); }

 private:
  static constexpr Index kLong = 1024;          // few runs are so long
  static constexpr std::ptrdiff_t kAhead = 16;  // runs that are fetched before they are looked at

  /// Sorts the runs, which come by their begin.
  void by_length(const std::vector<Run>& runs) {
    std::vector<Index> place(long_enough_ + 1);  // of runs of a length, and of all above
    for (const Run& run : runs) ++place[std::min(length_of(run), long_enough_)];
    std::exclusive_scan(place.rbegin(), place.rend(), place.rbegin(), Index{0});
    const Index longer = place[long_enough_ - 1];
    order_.resize(runs.size());
    for (Index r = 0; r < runs.size(); ++r) order_[place[std::min(length_of(runs[r]), long_enough_)]++] = r;
    std::stable_sort(order_.begin(), order_.begin() + longer,
                     [&](Index a, Index b) { return length_of(runs[a]) > length_of(runs[b]); });
  }

  /// Those that are to be taken before `run`.
  void consider_longer_pieces(const Run& run) {
    while (!long_.empty() && Later{}(run, long_.top())) {
      const Run top = long_.top();
      long_.pop();
      consider(top);
    }
  }

  void consider(const Run& run) {
    Index border = borders_.next(run.begin + 1, run.end);
    if (border == run.end) return take(run);
    for (Index begin = run.begin; begin < run.end;) {
      if (border - begin >= 2 * run.period) wait({begin, border, run.period});
      begin = border;
      if (begin >= run.end) break;
      begin = borders_.next_free(begin + 1, run.end) - 1;
      border = borders_.next(begin + 1, run.end);
    }
  }

  void wait(const Run& piece) {
    if (length_of(piece) >= long_enough_)
      long_.push(piece);
    else
      short_[length_of(piece)].push_back(piece);
  }

  void take(const Run& run) {
    const Index end = run.end - length_of(run) % run.period;
    borders_.set(run.begin, run.begin);
    borders_.set(run.begin + run.period, end);
    found_.push_back({run.begin, end, run.period});
  }

  const Index long_enough_;  // kLong, but no more than the text has room for
  Borders borders_;
  std::vector<Index> order_;  // of the runs
  std::priority_queue<Run, std::vector<Run>, Later> long_;
  std::vector<std::vector<Run>> short_;  // pieces of each length below
  std::vector<Repetition> found_;
};

}  // namespace

std::vector<Repetition> longest_first(Index length, std::vector<Run> runs) {
  return LongestFirst(length, std::move(runs)).repetitions();
}

void by_begin(std::vector<Repetition>& loops) {
  std::ranges::sort(loops, {}, [](const Repetition& loop) { return std::pair(loop.begin, ~loop.end); });
}

}  // namespace skelgen::fold
