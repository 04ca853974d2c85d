#pragma once
// Runs of unsuccessful polls -> one record; tests of null requests -> computation. Internal to src/normalize.

#include <optional>
#include <vector>

#include "normalize/normalize.h"
#include "normalize/turns.h"

namespace skelgen::normalize {

/// A call that asks and does not wait.
bool polls(const mpi::Function& function);

/// Columns that a location's calls have besides their records: times, call sites, numbers among the recorded calls,
/// counters (indices of the trace's; only with times).
struct CallColumns {
  bool times = false, sites = false, numbers = false;
  std::vector<std::size_t> columns = {};
};

/// Appends calls to a location's, leaving out those of a run of polls that say nothing; see normalize.h.
class Polls {
 public:
  /// kept: no times for locations that do not poll only. when: takes an interval for each call that is kept, or nullptr;
  /// only with times.
  Polls(CallColumns kept, std::vector<Interval>* when)
      : kept_(std::move(kept)), when_(when), counted_(kept_.times ? kept_.columns.size() : 0) {}
  /// O(parameters) per call, for a poll times the different questions of the run.
  void add(const Normalized& normalized, RecordId record, double gap_s, double duration_s, const Interval& when,
           std::uint64_t site, std::span<const std::uint64_t> columns, LocationCalls& out);

 private:
  void begin(const LocationCalls& out);
  void end(LocationCalls& out);
  void append(RecordId record, double gap_s, double duration_s, LocationCalls& out);
  void repeat(std::size_t at, double gap_s, double duration_s, LocationCalls& out);
  void succeed(const Normalized& normalized, bool asked_before, double& gap_s, double& duration_s, LocationCalls& out);

  const CallColumns kept_;
  std::vector<Interval>* const when_;
  Interval now_;              // of the call that is added
  std::uint64_t site_ = 0;    // the same
  std::uint64_t number_ = 0;  // the same, from 1
  /// Of the call that is added, and of those before it that are not kept, since the last one that was added.
  std::vector<double> counted_;
  double left_out_s_ = 0;           // in calls that are not kept, and before them, since the last one that was added
  bool running_ = false;            // unsuccessful polls, and what came between them
  bool repeating_ = false;          // a poll of the run came again
  std::size_t begin_ = 0;           // first call of the run
  std::vector<double> repeated_s_;  // by call of the run: time in the calls that it stands for beside itself
};

}  // namespace skelgen::normalize
