#pragma once
// Traced runs written call by call.

#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <vector>

#include "metrics/metrics.h"
#include "traces/writer.h"
#include "unit/trace/small_trace.h"

namespace skelgen::test {

inline constexpr std::int64_t kSelf = 0x44000001;

/// Measured seconds in microseconds, and what is expected of them.
inline double us(double seconds) { return 1e6 * seconds; }
inline auto about(double value) { return testing::DoubleNear(value, 1e-6); }

/// A run whose ranks' calls are appended in any order; times are in units of 1 us. Init takes no time, unless it is given.
class TracedRun {
 public:
  /// online: its ranks let their records be given back.
  explicit TracedRun(int ranks, int init = 0, bool online = false) : run_{.id = 77, .ranks = ranks} {
    trace::write_meta(directory_.path(), run_);
    for (int rank = 0; rank < ranks; ++rank) {
      auto& writer = *writers_.emplace_back(
          std::make_unique<trace::Writer>(directory_.path(), run_, rank, trace::RankDescription{.online = online}));
      writer.call("MPI_Init", {}, 0, 1000u * static_cast<unsigned>(init));
      writer.comm({static_cast<std::uint64_t>(kWorld), ranks, rank, 0, false});
      writer.comm({static_cast<std::uint64_t>(kSelf), 1, 0, rank, false});
      writer.datatype({kInt, 4, 4, "MPI_INT"});
    }
  }

  trace::Writer& rank(int number) { return *writers_[static_cast<std::size_t>(number)]; }
  void call(int number, const char* name, const std::vector<trace::Argument>& arguments, int gap, int inside) {
    rank(number).call(name, arguments, 1000u * static_cast<unsigned>(gap), 1000u * static_cast<unsigned>(inside));
  }
  void send(int from, int to, int gap, int inside, int tag = 0, std::int64_t comm = kWorld) {
    call(from, "MPI_Send", {0x1000, 1, kInt, to, tag, comm}, gap, inside);
  }
  void ssend(int from, int to, int gap, int inside, int tag = 0) {
    call(from, "MPI_Ssend", {0x1000, 1, kInt, to, tag, kWorld}, gap, inside);
  }
  void recv(int to, int from, int gap, int inside, int tag = 0, std::int64_t comm = kWorld) {
    call(to, "MPI_Recv", {0x1000, 1, kInt, from, tag, comm, {from, tag}}, gap, inside);
  }
  void bcast(int number, int root, int gap, int inside, std::int64_t comm = kWorld) {
    call(number, "MPI_Bcast", {0x1000, 1, kInt, root, comm}, gap, inside);
  }
  void barrier(int number, int gap, int inside, std::int64_t comm = kWorld) {
    call(number, "MPI_Barrier", {comm}, gap, inside);
  }
  void finalize(int number, int gap) {
    call(number, "MPI_Finalize", {}, gap, 5);
    rank(number).finish();
  }
  void kill(int number) { rank(number).abandon(); }

  trace::Trace open(const trace::OpenOptions& options = {}) { return trace::open(directory_.path(), options); }
  metrics::Metrics measure(const metrics::Options& options = {}) { return metrics::measure(open(), options); }
  const Directory& directory() const { return directory_; }

 private:
  Directory directory_;
  trace::Run run_;
  std::vector<std::unique_ptr<trace::Writer>> writers_;
};

}  // namespace skelgen::test
