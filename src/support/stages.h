#pragma once
// Time and peak memory of the stages of a long computation.

#include <chrono>
#include <cstdint>

namespace skelgen {

struct Stage {
  double seconds = 0;            ///< wall-clock
  std::uint64_t peak_bytes = 0;  ///< most memory that the process had resident (where the system cannot tell it of a
                                 ///< part of the run: so far)
  /// The same stage goes on.
  void add(const Stage& more);
};

/// Most memory that the process ever had resident, in bytes.
std::uint64_t peak_rss_bytes();

/// One stage after the other.
class Laps {
 public:
  Laps();
  /// Of the stage that ends now, since the one before ended.
  Stage lap();

 private:
  std::chrono::steady_clock::time_point last_;
};

}  // namespace skelgen
