// Messages say who sent them and which of its messages they are: the trace's matching says the same.

#include "../capture/mpi_run.h"
#include "metrics/replay.h"

namespace skelgen::trace {
namespace {

class Matches : public EachMpi {};

TEST_P(Matches, AreThoseOfThePayloads) {
  const int ranks = 4;
  const auto ended = traced(ranks, "matches 1000");
  ASSERT_EQ(ended.status, 0) << ended.errors;
  for (const std::size_t idle : {0, 64}) {
    std::vector<std::string> matched(ranks);
    const auto replayed =
        metrics::replay(read(), {.rho = {},
                                 .message =
                                     [&](std::uint32_t receiver, std::uint32_t sender, std::uint64_t send) {
                                       matched[receiver] += std::to_string(sender) + " " + std::to_string(send) + "\n";
                                     },
                                 .altered = {},
                                 .idle_channels = idle});
    EXPECT_EQ(replayed.unmatched.total(), 0u);
    for (int rank = 0; rank < ranks; ++rank) {
      const auto received = contents(work_ / ("received-" + std::to_string(rank)));
      EXPECT_GT(received.size(), 10'000u);
      EXPECT_TRUE(matched[static_cast<std::size_t>(rank)] == received) << "rank " << rank;
    }
  }
}

SKELGEN_EACH_MPI(Matches);

}  // namespace
}  // namespace skelgen::trace
