#pragma once
// The processor that a skeleton ran on, beside the one that the original was traced on.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace skelgen::predict {

struct SkeletonRun;

/// Of a kernel (templates/runtime/skel_kernels.h): passes per second, and the standard error of their logarithm.
struct MeasuredSpeed {
  double passes = 0, noise = 0;
};
using KernelSpeeds = std::map<std::string, MeasuredSpeed>;

/// Names are skel_processor's texts (templates/runtime/skel_processor.h); empty: not known.
struct Processor {
  std::string traced{}, here{};
  std::optional<bool> same{};              ///< of all ranks in all launches; nothing: not known
  double drift = 1;                        ///< time of computation here by that of the trace, where it is followed
  std::map<std::string, double> ratios{};  ///< by kernel: speed here divided by the traced one, of those known
};

/// Medians of the launches' ratios. Requires runs not empty.
Processor processor_of(std::span<const SkeletonRun> runs);

/// "integers 20 % faster, memory 12 % slower": kinds of kernels whose speeds differ by 5 % or more, as means of the
/// logarithms of their ratios; "its kernels run as fast as when traced" if none does, "speeds not known" without ratios.
std::string changes(const Processor& processor);

}  // namespace skelgen::predict
