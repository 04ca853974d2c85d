#include "fold/fold.h"

#include <algorithm>
#include <map>
#include <queue>

#include "strings/runs.h"

namespace skelgen::fold {
namespace {

using strings::Index;
using strings::Run;

/// A part of the text that is folded by itself. Once split it is: left part, loop over the body, right part.
struct Segment {
  Index begin, end;
  Index loop_begin = 0, period = 0;
  std::uint64_t trips = 0;                      // 0: not split
  std::uint32_t left = 0, body = 0, right = 0;  // numbers of segments
};

/// A run, clipped to where it may still be folded.
struct Candidate {
  Index begin, end, period;
  /// Longest first, then leftmost, then shortest period: the top of a heap.
  bool operator<(const Candidate& other) const {
    const Index mine = end - begin, its = other.end - other.begin;
    if (mine != its) return mine < its;
    if (begin != other.begin) return begin > other.begin;
    return period > other.period;
  }
};

/// Splits the text into segments. Runs of a segment are the runs of the text, clipped to it: so they are computed once,
/// and clipped again whenever they come up and their segment has been split in the meantime.
class LongestFirst {
 public:
  explicit LongestFirst(std::span<const Symbol> text) {
    const auto n = static_cast<Index>(text.size());
    segments_.push_back({0, n});
    live_[0] = 0;
    std::vector<Candidate> all;
    for (const Run& run : strings::runs(text)) all.push_back({run.begin, run.end, run.period});
    heap_ = std::priority_queue<Candidate>(std::less<Candidate>{}, std::move(all));
    while (!heap_.empty()) {
      const Candidate top = heap_.top();
      heap_.pop();
      consider(top);
    }
  }

  const std::vector<Segment>& segments() const { return segments_; }

 private:
  void consider(const Candidate& candidate) {
    auto at = live_.upper_bound(candidate.begin);
    if (at != live_.begin()) --at;
    if (at == live_.end()) return;
    const Segment& first = segments_[at->second];
    if (first.begin <= candidate.begin && candidate.end <= first.end) return split(at->second, candidate);
    for (; at != live_.end() && at->first < candidate.end; ++at) {
      const Segment& segment = segments_[at->second];
      const Index begin = std::max(candidate.begin, segment.begin), end = std::min(candidate.end, segment.end);
      if (begin < end && end - begin >= 2 * candidate.period) heap_.push({begin, end, candidate.period});
    }
  }

  void split(std::uint32_t number, const Candidate& run) {
    const Segment whole = segments_[number];
    const Index trips = (run.end - run.begin) / run.period, loop_end = run.begin + trips * run.period;
    live_.erase(whole.begin);
    const std::uint32_t left = add(whole.begin, run.begin), body = add(run.begin, run.begin + run.period),
                        right = add(loop_end, whole.end);
    segments_[number] = {whole.begin, whole.end, run.begin, run.period, trips, left, body, right};
    // the run lies in the body (nothing to fold: one period) and may reach into the right part by less than one period
  }

  std::uint32_t add(Index begin, Index end) {
    const auto number = static_cast<std::uint32_t>(segments_.size());
    segments_.push_back({begin, end});
    if (end > begin) live_[begin] = number;
    return number;
  }

  std::vector<Segment> segments_;
  std::map<Index, std::uint32_t> live_;  // by begin: segments that are not split, not empty
  std::priority_queue<Candidate> heap_;
};

/// Puts the segments together again, without recursion along left and right parts (there may be very many).
Program assemble(std::span<const Symbol> text, const std::vector<Segment>& segments, std::uint32_t number) {
  Program program;
  std::vector<std::pair<std::uint32_t, bool>> todo{{number, false}};  // segment; true: only its loop
  while (!todo.empty()) {
    const auto [current, loop_only] = todo.back();
    todo.pop_back();
    const Segment& segment = segments[current];
    if (loop_only) {
      program.push_back({0, segment.trips, assemble(text, segments, segment.body)});
    } else if (segment.trips == 0) {
      for (Index i = segment.begin; i < segment.end; ++i) program.push_back({text[i], 1, {}});
    } else {
      todo.push_back({segment.right, false});
      todo.push_back({current, true});
      todo.push_back({segment.left, false});
    }
  }
  return program;
}

void expand_into(const Program& program, std::vector<Symbol>& out) {
  for (const Node& node : program) {
    if (!node.is_loop()) {
      out.push_back(node.symbol);
      continue;
    }
    const std::size_t begin = out.size();
    expand_into(node.body, out);
    const std::size_t body = out.size() - begin;
    for (std::uint64_t trip = 1; trip < node.trips; ++trip)
      for (std::size_t i = 0; i < body; ++i) out.push_back(out[begin + i]);
  }
}

void print_into(const Program& program, std::string& out) {
  for (const Node& node : program) {
    if (!out.empty() && out.back() != ' ') out += ' ';
    if (node.is_loop()) {
      out += std::to_string(node.trips) + " x {";
      print_into(node.body, out);
      out += " }";
    } else if (node.symbol < 26) {
      out += static_cast<char>('a' + node.symbol);
    } else {
      out += "#" + std::to_string(node.symbol);
    }
  }
}

}  // namespace

Program fold(std::span<const Symbol> text, Mode) { return assemble(text, LongestFirst(text).segments(), 0); }

std::size_t length(const Program& program) {
  std::size_t sum = 0;
  for (const Node& node : program) sum += node.is_loop() ? length(node.body) : 1;
  return sum;
}

std::vector<Symbol> expand(const Program& program) {
  std::vector<Symbol> text;
  expand_into(program, text);
  return text;
}

std::string print(const Program& program) {
  std::string text;
  print_into(program, text);
  return text;
}

}  // namespace skelgen::fold
