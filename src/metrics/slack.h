#pragma once
// Slack: how much later the locations could do what they do. Internal to src/metrics.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "metrics/steps.h"

namespace skelgen::metrics {

/// Sum over stretches of time of how much later each could be, and the least of them.
struct SlackSum {
  double seconds = 0, weighted = 0;  ///< length of the stretches; the same times their slack
  double least = std::numeric_limits<double>::infinity();
  void add(double length, double slack) {
    if (length <= 0) return;
    seconds += length;
    weighted += length * slack;
    least = std::min(least, slack);
  }
  void add(const SlackSum& other) {
    seconds += other.seconds;
    weighted += other.weighted;
    least = std::min(least, other.least);
  }
};

struct Slacks {
  std::vector<SlackSum> by_location;                                   ///< computation
  std::vector<std::pair<const mpi::Function*, SlackSum>> by_function;  ///< inside calls, but waiting
  std::vector<SlackSum> by_phase;                                      ///< both
};

/// The slack of a moment of a location: by how much the location could be later from there on, once, without making the
/// run longer, all else taking as long as it did. Found backwards, over `window` to twice as many steps at a time: what
/// comes more than that later is taken to have no slack, so that no slack is given too large; where all meet more often
/// than that it is exact. O(1) time per step, O(log ranks) for scans, and memory O(window).
class SlackLog {
 public:
  /// window 0: nothing is logged.
  SlackLog(std::size_t locations, std::size_t phases, std::size_t window);

  bool wanted() const { return window_ > 0; }
  /// The entry of the step that is added next.
  Entry next() const { return base_ + log_.size(); }
  void add(std::uint32_t location, std::size_t phase, const Step& step, const Meeting& meeting);
  /// All steps were added. ends: when each location ended.
  Slacks finish(std::span<const double> ends);

 private:
  struct Logged {
    double at, entered, computing, blocked;
    double came;  // of the step; what it and those of its call before it waited for, at least when it was entered
    double so_far;
    Entry entry;
    std::uint32_t location, call, function, phase;
    StepKind kind;
  };
  /// What steps of other locations say about a step; kept apart from the log's entries, as it is written in any order.
  struct Noted {
    double late;  // how late what is noted here may be
    std::uint32_t needed_by;
    std::uint32_t named;  // by how many steps this one was
  };
  struct Now {  // of a location, going backwards
    double slack = 0;
    double behind = 0;  // of the call's end
    double came = 0;    // when the call had no more to wait for
    std::uint32_t call = kNone;
  };

  /// How late those in a collective may be of whom each is waited for by all ranks above it: a binary indexed tree.
  struct Scan {
    struct Limit {
      double late = std::numeric_limits<double>::infinity();
      std::uint32_t named = 0;
    };
    std::vector<Limit> limits;
    /// Those below the rank may be so late.
    void note(std::uint32_t rank, double late);
    Limit of(std::uint32_t rank) const;
  };

  void look_back(std::size_t accounted, bool over);
  void wait(Now& now, const Logged& step, std::size_t at);
  void limit(Now& now, const Logged& step, std::size_t at, bool over);
  void note(Entry entry, double late);

  std::size_t window_;
  Entry base_ = 0;  // of log_[0]
  std::vector<Logged> log_;
  std::vector<Noted> noted_;  // by step of log_
  std::unordered_map<Entry, std::vector<Entry>> others_;
  std::unordered_map<Entry, ScanPlace> scan_places_;
  std::unordered_map<Entry, Scan> scans_;  // while looking back, by collective
  std::vector<Now> now_;
  std::vector<std::pair<std::uint32_t, double>> calls_;  // by location: the last one, and Logged::so_far
  Slacks slacks_;
};

}  // namespace skelgen::metrics
