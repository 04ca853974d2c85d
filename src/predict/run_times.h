#pragma once
// Run times as the capture library writes them in mode "time": time-NNNNNN.json per rank, at MPI_Finalize.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace skelgen::predict {

/// One rank's four moments, nanoseconds of its host's CLOCK_MONOTONIC, or of the simulated clock that all ranks share.
struct RankTimes {
  int rank = 0, ranks = 0;
  std::string host;
  std::uint64_t init_entry_ns = 0, init_exit_ns = 0, finalize_entry_ns = 0, finalize_exit_ns = 0;
  bool simulated = false;
};

/// All time-*.json of `directory`, ordered by rank. Throws Error{corrupt} for a file that is not as described above.
std::vector<RankTimes> read_rank_times(const std::filesystem::path& directory);

/// Times of one run in seconds.
struct RunTimes {
  double wall_s = 0;  ///< earliest MPI_Init entry to latest MPI_Finalize exit
  std::optional<double>
      launch_s;  ///< start of the launcher to the earliest MPI_Init entry; only if a rank ran on this host
  double init_s = 0, finalize_s = 0;  ///< longest of any rank
};

/// Clocks of different hosts are not compared: the wall time is the longest of the hosts' own. Requires times not
/// empty. Throws Error{mismatch} that names the ranks without a file.
RunTimes run_times(const std::vector<RankTimes>& times, std::uint64_t spawned_ns, const std::string& this_host);

}  // namespace skelgen::predict
