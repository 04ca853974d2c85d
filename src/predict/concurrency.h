#pragma once
// How concurrent a skeleton's program is where the skeleton ran.

#include <optional>
#include <vector>

#include "predict/skeleton_run.h"

namespace skelgen::predict {

/// Measures of the whole program from the end of MPI_Init on, on the machine that the skeleton ran on, as `skelgen metrics`
/// defines them. What has a denominator of 0 is nothing.
struct Concurrency {
  std::optional<double> phi1, phi2, phi5, phi6, phi7;           ///< He & Sun; phi5 and phi6 in seconds
  std::optional<double> parallel, load_balance, communication;  ///< POP
  std::optional<double> he_sun_alpha, serialization, transfer;  ///< only where the traced run's serialization is known
};

/// Of a launch that reported its computation. traced_serialization: of the traced run. The longest chain of computation is
/// taken to be as much longer than the busiest rank's as it was there, as the calls are the same.
Concurrency concurrency_of(const SkeletonRun::Computing& computing, int ranks,
                           std::optional<double> traced_serialization);

/// Of the launch whose predicted time is the median (of an even number the lower one); nothing if it did not report its
/// computation. Requires runs not empty.
std::optional<SkeletonRun::Computing> computing_of(const std::vector<SkeletonRun>& runs);

}  // namespace skelgen::predict
