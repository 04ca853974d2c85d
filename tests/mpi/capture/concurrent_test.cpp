// Eight threads that call MPI at once: every thread's calls are its own stream, complete and in order.

#include <gmock/gmock.h>

#include "mpi_run.h"

namespace skelgen::trace {
namespace {

constexpr int kThreads = 8, kRounds = 60;

class Concurrent : public EachMpi {
 protected:
  void expect_all_calls(const std::string& how) {
    const auto without = plain(2, how);
    const auto with = traced(2, how);
    ASSERT_EQ(with.status, 0) << with.errors;
    EXPECT_EQ(with.output, without.output);
    EXPECT_EQ(with.errors, "");
    const auto trace = read();
    ASSERT_EQ(trace.locations().size(), 2u * kThreads);
    for (int rank = 0; rank < 2; ++rank) {
      EXPECT_EQ(trace.rank_info()[rank].ending.dropped, 0u);
      std::vector<bool> seen(kThreads);
      for (int thread = 0; thread < kThreads; ++thread) {
        SCOPED_TRACE("rank " + std::to_string(rank) + ", thread " + std::to_string(thread));
        auto calls = lines(trace, {rank, thread});
        if (thread == 0) {  // the main one has what is before and behind
          ASSERT_GT(calls.size(), 3u + 2 * kThreads);
          calls = {calls.begin() + 1 + kThreads, calls.end() - 2 - kThreads};
        }
        expect_one_threads_calls(calls, rank, seen);
      }
      EXPECT_THAT(seen, testing::Each(true));
    }
  }

  /// The tag of its messages says which thread it is.
  static void expect_one_threads_calls(const std::vector<std::string>& calls, int rank, std::vector<bool>& seen) {
    std::size_t number = 0;
    while (number + 1 < calls.size() && calls[number + 1].starts_with("MPI_Comm_rank")) ++number;
    ASSERT_GE(number, 1u);
    ASSERT_LE(number, static_cast<std::size_t>(kThreads));
    const auto tag = std::to_string(number - 1), other = std::to_string(1 - rank);
    std::vector<std::string> expected = {"MPI_Comm_size comm(2)"};
    for (int round = 0; round < kRounds; ++round) {
      expected.insert(expected.end(), number, "MPI_Comm_rank comm(2)");
      expected.push_back("MPI_Sendrecv buf 1 MPI_INT " + other + " " + tag + " buf 1 MPI_INT " + other + " " + tag +
                         " comm(2) []");
    }
    EXPECT_EQ(calls, expected);
    EXPECT_FALSE(seen[number - 1]);
    seen[number - 1] = true;
  }
};

TEST_P(Concurrent, PosixThreadsLoseNoCall) { expect_all_calls("concurrent"); }
TEST_P(Concurrent, OpenMpThreadsLoseNoCall) { expect_all_calls("concurrent_openmp"); }

SKELGEN_EACH_MPI(Concurrent);

}  // namespace
}  // namespace skelgen::trace
