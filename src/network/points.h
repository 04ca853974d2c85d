#pragma once
// The points that templates/netbench measured on a network.

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace skelgen::network {

/// Time of one repetition of a pattern at a number of ranks and a message length.
struct Point {
  std::string pattern;  ///< "pingpong", "leap", "bcast", ... as in templates/netbench/netbench.c
  int ranks = 0;
  std::int64_t bytes = 0;    ///< of a message; of bcast and allreduce the buffer, of others what each peer gets
  double seconds = 0;        ///< median over the repetitions of the slowest rank's time
  double least_s = 0;        ///< least of them
  double spread = 0;         ///< half of the median's 95 % interval, as a share of the median
  std::int64_t samples = 0;  ///< repetitions
  int from = -1, to = -1;    ///< of a "pair": the ranks
};

struct Points {
  int ranks = 0;             ///< of the run
  std::int64_t largest = 0;  ///< longest message that was asked for, bytes
  std::size_t all = 0;       ///< points of the whole list; more than listed() where the run ended early
  std::string mpi;           ///< first line of MPI_Get_library_version
  std::vector<Point> points;
  std::uintmax_t bytes = 0;  ///< of the report, up to the end of the last whole point
};

/// How many are of the list: without those of the pattern "leap", lengths of a ping-pong that were added where its time leaps.
std::size_t listed(const Points& points);

/// A point in JSON, as reports and the files of `netbench -o` have it. Throws std::exception where it is none.
Point point_of(const nlohmann::ordered_json& json);

/// Reads a report of templates/netbench/netbench.c. A last line that was not written to its end is no point. O(points).
/// Throws Error{io}, and Error{corrupt} where a line is no point.
Points read_points(const std::filesystem::path& report);

}  // namespace skelgen::network
