#pragma once
// Which sends wait for their receives. Internal to src/metrics.

#include <algorithm>
#include <limits>

#include "metrics/metrics.h"
#include "metrics/step_maker.h"

namespace skelgen::metrics {

/// Whether a send could not return before its receive was posted. A synchronous one never could. Of standard ones MPI
/// does not say it, so the times do, as far as the run has come: one that returned before its receive was posted was
/// buffered, as is all that is not larger; one that is larger and waited for its receive was not, as all that is not
/// smaller. Up to StepMaker::kLeastBytes all are buffered, but for those that waited for StepMaker::kLeastWait.
class WaitingSends {
 public:
  /// It may be that the step waited: its receive has to be known.
  bool may_wait(const Step& step) const {
    if (step.bytes == kNobodyWaits) return false;
    return step.bytes > buffered_ || step.at - step.entered >= StepMaker::kLeastWait;
  }

  /// The step ended before the receive was posted.
  void returned_before(const Step& step) {
    if (step.bytes == kSynchronous) return;
    buffered_ = std::max(buffered_, step.bytes);
    if (waiting_ <= buffered_) waiting_ = kNever;
  }

  /// It ended behind that. waited: seconds before that which nothing else explains. Whether it depends on the receive.
  bool depends(const Step& step, double waited) {
    if (step.bytes == kSynchronous) {
      ++synchronous_;
      return true;
    }
    if (step.bytes > buffered_ && waited > 0) waiting_ = std::min(waiting_, step.bytes);
    const bool depends = waited >= StepMaker::kLeastWait || step.bytes >= waiting_;
    standard_ += depends;
    return depends;
  }

  Sends result() const {
    Sends all{synchronous_, standard_, {}, {}};
    if (buffered_ > StepMaker::kLeastBytes) all.buffered_bytes = buffered_;
    if (waiting_ < kNever) all.waiting_bytes = waiting_;
    return all;
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  double buffered_ = StepMaker::kLeastBytes;  // the largest that were
  double waiting_ = kNever;                   // the smallest that waited and is larger
  std::uint64_t synchronous_ = 0, standard_ = 0;
};

}  // namespace skelgen::metrics
