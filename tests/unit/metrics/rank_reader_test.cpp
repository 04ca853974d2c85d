// How far a rank's threads are read.
#include "metrics/rank_reader.h"

#include <gmock/gmock.h>

#include "unit/metrics/run.h"

namespace skelgen::test {
namespace {

constexpr int kSends = 20'000;

/// Thread 0 of rank 0 sends many messages, then thread 1 ten.
class ALateThread : public testing::Test {
 protected:
  ALateThread() {
    auto& writer = run_.rank(0);
    for (int i = 0; i < kSends; ++i) run_.send(0, 1, 1, 0);
    writer.pause(1000u * kSends, 1);
    for (int i = 0; i < 10; ++i) writer.call("MPI_Send", {0x1000, 1, kInt, 1, 7, kWorld}, 100'000, 0, {}, 1);
    run_.finalize(0, 2000);
    run_.finalize(1, 0);
  }
  std::uint32_t read(const metrics::RankReader& reader) const {
    std::uint32_t result = 0;
    for (const auto& channel : reader.channels()) result += channel.messages;
    return result;
  }

  TracedRun run_{2};
};

TEST_F(ALateThread, IsReadWhenItsTurnComes) {
  const auto trace = run_.open();
  metrics::RankReader reader(trace, 0, 2, 0);
  std::uint32_t sends = 0, most = 0;
  while (const auto thread = reader.next()) {
    most = std::max(most, read(reader) - sends);
    sends += reader.front(*thread)->kind == metrics::StepKind::send;
    reader.pop(*thread);
  }
  EXPECT_EQ(sends, kSends + 10u);
  EXPECT_LE(most, 1u);
}

TEST_F(ALateThread, SaysThatItIsLateBeforeOthersAreRead) {
  const auto trace = run_.open();
  metrics::RankReader reader(trace, 0, 2, 0);
  EXPECT_TRUE(reader.behind_others(1));
  EXPECT_FALSE(reader.behind_others(0));
  EXPECT_GE(us(reader.earliest(1)), kSends);
  EXPECT_EQ(read(reader), 0u);
  EXPECT_LE(us(reader.earliest(0)), 1.5);
  EXPECT_EQ(read(reader), 1u);
}

TEST_F(ALateThread, IsPartOfTheRunLikeAnyOther) {
  const auto measured = run_.measure();
  EXPECT_EQ(measured.unmatched.sends, kSends + 10u);
  EXPECT_EQ(measured.unmatched.total(), kSends + 10u);
  EXPECT_THAT(us(measured.critical_path.seconds), about(kSends + 2000));
}

}  // namespace
}  // namespace skelgen::test
