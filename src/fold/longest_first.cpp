#include "fold/longest_first.h"

#include <algorithm>
#include <map>
#include <queue>
#include <utility>

namespace skelgen::fold {
namespace {

using strings::Run;

/// Whether `b` is to be taken before `a`: longest first, then leftmost, then shortest period.
struct Later {
  bool operator()(const Run& a, const Run& b) const {
    const Index length_a = a.end - a.begin, length_b = b.end - b.begin;
    if (length_a != length_b) return length_a < length_b;
    if (a.begin != b.begin) return a.begin > b.begin;
    return a.period > b.period;
  }
};

/// The runs of a segment are the runs of the text, clipped to it, that still have two periods: a maximal repetition of
/// the segment extends to one of the text with the same period, and no part of two periods has a shorter period than
/// the whole (Fine & Wilf). So runs are computed once. They come in order of their length; one that no longer fits into
/// one segment is clipped to those that it meets, and its pieces wait for their turn.
class LongestFirst {
 public:
  LongestFirst(Index length, std::vector<Run> runs) {
    segments_.push_back({0, length});
    if (length > 0) live_[0] = 0;
    std::ranges::sort(runs, [](const Run& a, const Run& b) { return Later{}(b, a); });
    for (auto run = runs.begin(); run != runs.end() || !clipped_.empty();) {
      if (run != runs.end() && (clipped_.empty() || Later{}(clipped_.top(), *run))) {
        consider(*run++);
      } else {
        const Run top = clipped_.top();
        clipped_.pop();
        consider(top);
      }
    }
  }

  std::vector<Segment> segments() && { return std::move(segments_); }

 private:
  void consider(const Run& run) {
    auto at = live_.upper_bound(run.begin);
    if (at != live_.begin()) --at;
    if (at == live_.end()) return;
    const Segment& first = segments_[at->second];
    if (first.begin <= run.begin && run.end <= first.end) return split(at, run);
    for (; at != live_.end() && at->first < run.end; ++at) {
      const Segment& segment = segments_[at->second];
      const Index begin = std::max(run.begin, segment.begin), end = std::min(run.end, segment.end);
      if (begin < end && end - begin >= 2 * run.period) clipped_.push({begin, end, run.period});
    }
  }

  /// What the loop repeats, all but its first period, is in no segment any more.
  void split(std::map<Index, std::uint32_t>::iterator at, const Run& run) {
    const std::uint32_t number = at->second;
    const Segment whole = segments_[number];
    const Index trips = (run.end - run.begin) / run.period, loop_end = run.begin + trips * run.period;
    live_.erase(at);
    const std::uint32_t left = add(whole.begin, run.begin), body = add(run.begin, run.begin + run.period),
                        right = add(loop_end, whole.end);
    segments_[number] = {whole.begin, whole.end, trips, left, body, right};
  }

  std::uint32_t add(Index begin, Index end) {
    const auto number = static_cast<std::uint32_t>(segments_.size());
    segments_.push_back({begin, end});
    if (end - begin >= 2) live_[begin] = number;
    return number;
  }

  std::vector<Segment> segments_;
  std::map<Index, std::uint32_t> live_;  // by begin: segments that may still be split
  std::priority_queue<Run, std::vector<Run>, Later> clipped_;
};

}  // namespace

std::vector<Segment> longest_first(Index length, std::vector<Run> runs) {
  return LongestFirst(length, std::move(runs)).segments();
}

}  // namespace skelgen::fold
