#pragma once
// One thread's calls as steps. Internal to src/metrics.

#include <memory>

#include "metrics/rank_state.h"
#include "trace/trace.h"

namespace skelgen::metrics {

/// Receives a thread's stream and appends to its queue.
class StepMaker : public trace::Visitor {
 public:
  /// The stream is over; what was computed since the last step belongs to the run.
  virtual void finish() = 0;
  /// When the thread left MPI_Init, or made its first call.
  virtual double start() const = 0;
};

/// ranks: of the run. unit_s: see Options. `shared` must outlive it.
std::unique_ptr<StepMaker> step_maker(Shared& shared, std::uint32_t thread, int ranks, double unit_s);

}  // namespace skelgen::metrics
