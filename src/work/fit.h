#pragma once
// Work as kernels: which of the family's loops (templates/runtime/skel_kernels.h) have the features that a profile
// counted, in the time that the traced run took (docs/portable.md).

#include <span>
#include <string>
#include <vector>

#include "skeleton/skeleton.h"

namespace skelgen::work {

/// A feature of a pass of a kernel, as the Valgrind tool counted it: name and count.
struct KernelFeature {
  const char* name;
  double times;
};
std::span<const KernelFeature> features_of_kernel(std::size_t kernel);

/// Kernels that do the same work in the same time.
struct Fit {
  std::vector<double> shares;  ///< of the traced time, by kernel; their sum is 1
  std::string
      cause;  ///< what most of what they do not explain is: "divisions of integers", "misses of a cache of 8 MiB"
  double unexplained = 0;  ///< share of the time that waits for what no feature tells; of the rest, the share of the
                           ///< operations, accesses and misses, by cost, that the kernels lack or have too many
};

/// counts: by `features`, of computation that took `seconds` > 0; speeds: passes of each kernel per second at that time,
/// 0: it was not measured, and takes no part. Of all mixtures that take so long on that machine the one whose features are
/// nearest, by non-negative least squares.
Fit fit(std::span<const std::string> features, const skeleton::Work& work, double seconds,
        std::span<const double> speeds);

/// Fits each work of the skeleton to the mean time of its places: Work::shares, Work::unexplained, and
/// Skeleton::fitted. Leaves them empty where there is no work, or the ranks' kernel speeds are not known.
/// O(works x (features + a fit) + statements x locations).
void fit_works(skeleton::Skeleton& skeleton);

}  // namespace skelgen::work
