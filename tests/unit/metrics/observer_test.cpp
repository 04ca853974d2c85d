// What an observer is shown is what is measured.
#include <gmock/gmock.h>

#include "unit/metrics/run.h"

namespace skelgen::test {
namespace {

struct Sums : metrics::Observer {
  std::vector<double> computing = {0, 0}, blocked = {0, 0};
  metrics::Waits waits;
  std::vector<std::array<double, 4>> messages;  // from, sent, to, received

  void spent(Location where, double, double computing_s, double blocked_s, const mpi::Function&) override {
    computing[static_cast<std::size_t>(where.rank)] += computing_s;
    blocked[static_cast<std::size_t>(where.rank)] += blocked_s;
  }
  void waited(Location, Location, double metrics::Waits::*what_for, double from_s, double to_s) override {
    EXPECT_GT(to_s, from_s);
    waits.*what_for += to_s - from_s;
  }
  void message(Location from, double sent_s, Location to, double received_s) override {
    messages.push_back({double(from.rank), us(sent_s), double(to.rank), us(received_s)});
  }
};

TEST(Observer, SeesTimesWaitsAndMessages) {
  TracedRun run(2);
  run.send(0, 1, 30, 1);  // rank 1 waits for 20 us
  run.recv(1, 0, 10, 25);
  run.ssend(1, 0, 2, 20);  // and 10 us until its message is received
  run.recv(0, 1, 16, 10);
  run.barrier(0, 20, 1);
  run.barrier(1, 1, 21);
  run.finalize(0, 3);
  run.finalize(1, 3);
  Sums sums;
  metrics::Options options;
  options.observer = &sums;
  options.halve = true;  // the run is replayed twice and shown once
  const auto measured = run.measure(options);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    EXPECT_THAT(us(sums.computing[rank]), about(us(measured.he_sun.per_rank[rank].computing_s)));
    EXPECT_THAT(us(sums.blocked[rank]), about(us(measured.he_sun.per_rank[rank].blocked_s)));
  }
  EXPECT_THAT(us(sums.waits.late_sender_s), about(20));
  EXPECT_THAT(us(sums.waits.late_receiver_s), about(10));
  EXPECT_THAT(us(sums.waits.total()), about(us(measured.waits.all.total())));
  using testing::ElementsAre;
  EXPECT_THAT(sums.messages,
              ElementsAre(ElementsAre(0, about(30), 1, about(35)), ElementsAre(1, about(37), 0, about(57))));
}

TEST(Findings, NameTheirCause) {
  TracedRun run(2);
  run.send(0, 1, 900, 1);
  run.recv(1, 0, 1, 901);
  run.finalize(0, 1);
  run.finalize(1, 1);
  const auto findings = run.measure().findings;
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].cause, metrics::Finding::Cause::late_sender);
  EXPECT_EQ(findings[0].ranks, std::vector<int>{0});
}

}  // namespace
}  // namespace skelgen::test
