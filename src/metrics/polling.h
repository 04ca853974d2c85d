#pragma once
// Polling. Internal to src/metrics.

#include <cstdint>

#include "metrics/steps.h"

namespace skelgen::metrics {

/// The calls of a location that asked whether something has come, right before the call that got it; only receives may
/// be posted between. They count as one piece of time which ended when the last of them did and was as long as all of
/// them; what was computed between them went before.
class Polling {
 public:
  /// The location comes to its step of this number, from 0.
  void pass(const Step& step, std::uint64_t number) {
    if (step.asks) {
      const double before = open() ? to_ - from_ : 0;
      from_ = step.entered - before;
      to_ = step.at;
      last_ = number;
      function_ = step.function;
      call_ = kNone;
    } else if (to_ > 0) {
      const mpi::Kind does = step.function->kind;
      const bool passes = step.kind == StepKind::plain || step.kind == StepKind::post;
      if (open() && passes && (does == mpi::Kind::recv || does == mpi::Kind::recv_matched)) return;
      const bool gets = step.kind == StepKind::receive || step.kind == StepKind::leave || step.kind == StepKind::sent;
      if (gets && call_ == kNone) call_ = step.call;
      if (!gets || call_ != step.call) to_ = from_ = 0;
    }
  }
  /// There are such calls, and the one that gets something is still to come.
  bool open() const { return to_ > 0 && call_ == kNone; }
  /// There are such calls, and the step that came last is one of them or of the call that got something.
  bool any() const { return to_ > 0; }
  double from() const { return from_; }  ///< 0 if there are none
  double to() const { return to_; }
  std::uint64_t last() const { return last_; }                 ///< step of the last of them
  const mpi::Function* function() const { return function_; }  ///< of the last of them

 private:
  double from_ = 0, to_ = 0;
  std::uint64_t last_ = 0;
  std::uint32_t call_ = kNone;  // the one behind them
  const mpi::Function* function_ = nullptr;
};

}  // namespace skelgen::metrics
