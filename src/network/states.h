#pragma once
// Three states of a network by message length (Liu 2000, section 4): spare, ideal, congested.

#include <optional>
#include <span>

#include "network/fit.h"

namespace skelgen::network {

/// Message lengths, bytes. spare: below `ideal_from` start-up dominates, bandwidth is below kIdealShare of the best.
/// ideal: up to the length before `congested_from`. congested: from there on bandwidth stays below kCongestedShare of
/// the best.
struct States {
  double ideal_from = 0;
  std::optional<double> congested_from;  ///< nothing: bandwidth does not fall again
  double best_bytes_per_s = 0, best_at = 0;
};

/// Half of the best bandwidth is reached at Hockney's n_1/2.
inline constexpr double kIdealShare = 0.5, kCongestedShare = 0.8;

/// Of samples in ascending order of length; requires one. Bandwidth is bytes / seconds; each sample's is the median of its and its
/// two neighbours', so that one disturbed sample makes no border. O(n).
States states(std::span<const Sample> samples);

}  // namespace skelgen::network
