#pragma once
// Speeds of the ranks' processors, from what templates/calibrate measured on each of them.

#include <filesystem>
#include <string>
#include <vector>

namespace skelgen::predict {

/// A kernel on a rank's processor.
struct KernelSpeed {
  double speed = 0;   ///< median of the rounds; operations, bytes or loads per second
  double spread = 0;  ///< of them: half the distance between the quartiles, as a share of the median
};

struct RankSpeeds {
  std::string host;
  int cores = 0;                     ///< that it may run on
  std::vector<KernelSpeed> kernels;  ///< in the order of Speeds::kernels
};

struct Speeds {
  std::vector<std::string> kernels;
  std::vector<RankSpeeds> ranks;
  bool one_by_one = false;  ///< ranks share cores, so one after the other measured
};

/// Reads a report of templates/calibrate/calibrate.c. Throws Error{io}, and Error{corrupt} where it is none or a rank did
/// not measure a speed.
Speeds read_speeds(const std::filesystem::path& report);

/// A kernel's speeds divided by the greatest, by rank: in (0, 1], and 1 somewhere. Requires a rank, and kernel below
/// speeds.kernels.size(): what read_speeds() returns has both.
std::vector<double> relative_speeds(const Speeds& speeds, std::size_t kernel);
/// The same of all kernels together: their geometric mean. O(ranks x kernels).
std::vector<double> relative_speeds(const Speeds& speeds);

/// The greatest spread of a kernel on a rank.
double greatest_spread(const Speeds& speeds);
/// Speeds that vary more are no measure of a processor.
inline constexpr double kMostSpread = 0.1;

/// Whether no kernel's speeds differ by more than they vary on a rank. Requires a rank.
bool are_alike(const Speeds& speeds);

}  // namespace skelgen::predict
