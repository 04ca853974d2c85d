// Which receive comes first where some take messages of any source.
#include "metrics/receive_order.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "metrics/rank_reader.h"
#include "unit/metrics/run.h"

namespace skelgen::test {
namespace {

using metrics::ReceiveOrder;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr int kAny = -1;

TEST(ReceiveOrder, AreCertainAtOnceWhereNothingWaits) {
  ReceiveOrder turns;
  EXPECT_TRUE(turns.post(0, 1, 5));
  EXPECT_FALSE(turns.post(1, kAny, 5));
  EXPECT_TRUE(turns.post(2, 1, 6));  // of another tag
  EXPECT_FALSE(turns.post(3, 1, 5));
}

TEST(ReceiveOrder, WaitForThoseBeforeThem) {
  ReceiveOrder turns;
  turns.post(0, kAny, 5);
  turns.post(1, 1, kAny);
  turns.post(2, 1, 5);
  turns.post(3, 1, 5);
  turns.post(4, 2, 5);
  EXPECT_THAT(turns.name(1, 1, 5), IsEmpty());  // 0 may take its message
  EXPECT_THAT(turns.name(0, 1, 5), testing::UnorderedElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(turns.give_up(), IsEmpty());
}

TEST(ReceiveOrder, GoOnBehindOneThatGetsNothing) {
  ReceiveOrder turns;
  turns.post(0, kAny, 5);
  turns.post(1, 1, 5);
  turns.post(2, 1, 5);
  EXPECT_THAT(turns.drop(1), IsEmpty());
  EXPECT_THAT(turns.drop(0), ElementsAre(2));
}

TEST(ReceiveOrder, AreGivenUpInTheOrderOfPosting) {
  ReceiveOrder turns;
  turns.post(7, kAny, 5);
  turns.post(3, 1, 5);
  turns.post(9, kAny, kAny);
  EXPECT_THAT(turns.give_up(), ElementsAre(7, 3, 9));
}

TEST(ReceiveOrder, AreLookedForAFewTimesPerReceive) {
  constexpr std::uint32_t kReceives = 100'000;
  ReceiveOrder turns;
  turns.post(0, kAny, 5);
  for (std::uint32_t i = 1; i < kReceives; ++i) EXPECT_FALSE(turns.post(i, static_cast<int>(i % 7), 5));
  EXPECT_EQ(turns.name(0, 1, 5).size(), kReceives);
  EXPECT_LE(turns.looks(), 3 * kReceives);
}

/// The definition: a receive is certain if none that waits before it may take its message.
class Slow {
 public:
  void post(std::uint32_t receive, int source, int tag) { waiting_.push_back({receive, source, tag}); }
  void name(std::uint32_t receive, int source, int tag) { *find(receive) = {receive, source, tag}; }
  void drop(std::uint32_t receive) { waiting_.erase(find(receive)); }
  std::vector<std::uint32_t> certain() {
    std::vector<std::uint32_t> result;
    std::vector<Receive> left;
    for (const Receive& one : waiting_) {
      const auto meet = [](int a, int b) { return a == kAny || b == kAny || a == b; };
      const bool waits = one.source == kAny || one.tag == kAny || std::ranges::any_of(left, [&](const Receive& other) {
                           return meet(other.source, one.source) && meet(other.tag, one.tag);
                         });
      if (waits)
        left.push_back(one);
      else
        result.push_back(one.receive);
    }
    waiting_ = std::move(left);
    return result;
  }
  bool waits(std::uint32_t receive) { return find(receive) != waiting_.end(); }

 private:
  struct Receive {
    std::uint32_t receive;
    int source, tag;
  };
  std::vector<Receive>::iterator find(std::uint32_t receive) {
    return std::ranges::find(waiting_, receive, &Receive::receive);
  }
  std::vector<Receive> waiting_;
};

TEST(ReceiveOrder, AreThoseOfTheDefinition) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    ReceiveOrder turns;
    Slow slow;
    std::map<std::uint32_t, std::pair<int, int>> asked;  // of those that wait
    for (std::uint32_t i = 0; i < 40; ++i) {
      std::vector<std::uint32_t> certain;
      auto one = asked.begin();
      if (!asked.empty()) std::advance(one, below(static_cast<int>(asked.size())));
      const int what = asked.empty() ? 0 : below(3);
      if (what == 0) {
        const int source = below(3) - 1, tag = below(3) - 1;
        if (turns.post(i, source, tag)) certain.push_back(i);
        slow.post(i, source, tag);
        asked[i] = {source, tag};
      } else if (what == 1) {
        auto& [source, tag] = one->second;
        if (source == kAny) source = below(2);
        if (tag == kAny) tag = below(2);
        certain = turns.name(one->first, source, tag);
        slow.name(one->first, source, tag);
      } else {
        certain = turns.drop(one->first);
        slow.drop(one->first);
        asked.erase(one);
      }
      // Of one source and tag they come in the order of posting.
      std::map<std::pair<int, int>, std::uint32_t> last;
      for (const std::uint32_t receive : certain) {
        const auto [before, first] = last.try_emplace(asked.at(receive), receive);
        EXPECT_TRUE(first || before->second < receive);
        before->second = receive;
      }
      for (const std::uint32_t receive : certain) asked.erase(receive);
      std::ranges::sort(certain);
      auto expected = slow.certain();
      std::ranges::sort(expected);
      ASSERT_EQ(certain, expected);
    }
  }
}

/// Rank 1 posts a receive of any source that `end` is the last to be heard of, then receives many.
void expect_read_as_they_come(const std::function<void(TracedRun&)>& end) {
  constexpr int kReceives = 100'000;
  TracedRun run(2);
  run.call(1, "MPI_Irecv", {0x1000, 1, kInt, mpi::kAnySource, 0, kWorld, 101}, 0, 0);
  end(run);
  for (int i = 0; i < kReceives; ++i) run.recv(1, 0, 0, 1);
  run.finalize(0, 0);
  run.finalize(1, 0);
  const auto trace = run.open();
  metrics::RankReader reader(trace, 1, 1, 0);
  std::uint32_t received = 0, read = 0, most = 0;
  for (const metrics::Step* step = nullptr; (step = reader.front(0)); reader.pop(0)) {
    received += step->kind == metrics::StepKind::receive;
    read = 0;
    for (const auto& channel : reader.channels()) read += channel.messages;
    most = std::max(most, read - std::min(read, received));
  }
  EXPECT_EQ(received, kReceives);
  EXPECT_EQ(read, kReceives);
  EXPECT_LE(most, 1u) << "were read and had to be kept";
  EXPECT_EQ(reader.unmatched().total(), 0u);
}

TEST(FreedReceives, HoldNobodyUp) {
  expect_read_as_they_come([](TracedRun& run) { run.call(1, "MPI_Request_free", {101}, 0, 0); });
}

TEST(CancelledReceives, HoldNobodyUp) {
  expect_read_as_they_come([](TracedRun& run) {
    run.call(1, "MPI_Cancel", {101}, 0, 0);
    run.call(1, "MPI_Request_free", {101}, 0, 0);
  });
  expect_read_as_they_come([](TracedRun& run) {
    run.call(1, "MPI_Cancel", {101}, 0, 0);
    run.call(1, "MPI_Wait", {101, {mpi::kCancelled, 0}}, 0, 0);
  });
}

TEST(CancelledReceives, TakeNoMessage) {
  TracedRun run(2);
  run.call(1, "MPI_Irecv", {0x1000, 1, kInt, 0, 0, kWorld, 101}, 0, 0);
  run.call(1, "MPI_Cancel", {101}, 0, 0);
  run.call(1, "MPI_Wait", {101, std::vector<std::int64_t>{}}, 0, 0);
  run.recv(1, 0, 0, 6);
  run.finalize(1, 2);
  run.send(0, 1, 6, 0);
  run.finalize(0, 0);
  const auto measured = run.measure();
  EXPECT_EQ(measured.unmatched.total(), 0u);
  EXPECT_THAT(us(measured.he_sun.ht), about(6 + 2));
}

TEST(CancelledReceives, GetTheirMessageIfTheirStatusSaysSo) {
  for (const bool too_late : {true, false}) {
    TracedRun run(2);
    run.call(1, "MPI_Irecv", {0x1000, 1, kInt, 0, 0, kWorld, 101}, 0, 0);
    run.call(1, "MPI_Irecv", {0x1000, 1, kInt, 0, 0, kWorld, 102}, 0, 0);
    run.call(1, "MPI_Cancel", {101}, 0, 0);
    const auto statuses =
        too_late ? std::vector<std::int64_t>{0, 0, 0, 0} : std::vector<std::int64_t>{mpi::kCancelled, -1, 0, 0};
    run.call(1, "MPI_Waitall", {2, {101, 102}, statuses}, 0, 6);
    run.finalize(1, 2);
    run.send(0, 1, 6, 0);
    if (too_late) run.send(0, 1, 0, 0);
    run.finalize(0, 0);
    const auto measured = run.measure();
    EXPECT_EQ(measured.unmatched.total(), 0u) << too_late;
    EXPECT_THAT(us(measured.he_sun.ht), about(6 + 2));
  }
}

// Receives that complete before the status is known say nothing of it unless they are behind the one that was cancelled.
TEST(CancelledReceives, AreNotDecidedByOthersThatCannotHaveTheirMessage) {
  const auto unmatched = [](const std::function<void(TracedRun&)>& before,
                            const std::function<void(TracedRun&)>& between) {
    TracedRun run(2);
    before(run);
    run.call(1, "MPI_Irecv", {0x1000, 1, kInt, 0, 0, kWorld, 101}, 1, 1);
    run.call(1, "MPI_Cancel", {101}, 0, 0);
    between(run);
    run.call(1, "MPI_Wait", {101, {0, 0}}, 0, 6);
    run.finalize(1, 2);
    for (const int tag : {0, 0, 5}) run.send(0, 1, 1, 0, tag);
    run.finalize(0, 0);
    return run.measure().unmatched.total();
  };
  const auto post = [](int request, int tag, std::int64_t comm) {
    return [=](TracedRun& run) { run.call(1, "MPI_Irecv", {0x1000, 1, kInt, 0, tag, comm, request}, 1, 1); };
  };
  const auto nothing = [](TracedRun&) {};
  EXPECT_EQ(unmatched(post(102, 0, kWorld),
                      [](TracedRun& run) {
                        run.call(1, "MPI_Wait", {102, {0, 0}}, 0, 1);
                        run.recv(1, 0, 0, 1, 5);
                      }),
            0u)
      << "one was posted before, the other has another tag";
  EXPECT_EQ(unmatched(nothing,
                      [](TracedRun& run) {
                        run.recv(1, 0, 0, 1, 5);
                        run.call(1, "MPI_Isend", {0x1000, 1, kInt, 0, 7, kSelf, 103}, 0, 0);
                        run.call(1, "MPI_Recv", {0x1000, 1, kInt, 0, 7, kSelf, {0, 7}}, 0, 1);
                        run.call(1, "MPI_Wait", {103, std::vector<std::int64_t>{}}, 0, 0);
                      }),
            1u)
      << "another tag, another communicator; one message is received by nobody";
  EXPECT_EQ(unmatched(post(102, 0, kWorld),
                      [](TracedRun& run) {
                        run.call(1, "MPI_Cancel", {102}, 0, 0);
                        run.call(1, "MPI_Request_free", {102}, 0, 0);
                        run.recv(1, 0, 0, 1, 5);
                      }),
            1u)
      << "the other one was freed";
}

/// Rank 1 posts three receives from rank 0, cancels some, and waits for all of them, last.
class PostedReceives : public testing::Test {
 protected:
  PostedReceives() {
    for (const int request : {101, 102, 103}) run_.call(1, "MPI_Irecv", {0x1000, 1, kInt, 0, 0, kWorld, request}, 0, 0);
  }
  void cancel(int request) { run_.call(1, "MPI_Cancel", {request}, 0, 0); }
  void wait(int request, int inside) { run_.call(1, "MPI_Wait", {request, std::vector<std::int64_t>{}}, 0, inside); }
  /// Rank 0 sends messages, each after so much computation.
  metrics::Metrics measured(const std::vector<int>& gaps) {
    run_.finalize(1, 2);
    for (const int gap : gaps) run_.send(0, 1, gap, 0);
    run_.finalize(0, 0);
    return run_.measure();
  }
  TracedRun run_{2};
};

TEST_F(PostedReceives, MayBeCancelledInAnyOrder) {
  for (const int request : {101, 103, 102}) cancel(request);
  for (const int request : {101, 102, 103}) wait(request, 0);
  run_.recv(1, 0, 0, 6);
  const auto all = measured({6});
  EXPECT_EQ(all.unmatched.total(), 0u);
  EXPECT_THAT(us(all.he_sun.ht), about(6 + 2));
}

TEST_F(PostedReceives, BehindACancelledOneGetItsMessage) {
  cancel(101);
  wait(102, 6);
  wait(101, 0);
  run_.call(1, "MPI_Irecv", {0x1000, 1, kInt, 0, 0, kWorld, 104}, 0, 0);
  wait(104, 40);
  wait(103, 1);
  const auto all = measured({6, 10, 30});
  EXPECT_EQ(all.unmatched.total(), 0u);
  EXPECT_THAT(us(all.he_sun.ht), about(6 + 10 + 30 + 2));
  EXPECT_THAT(us(all.waits.all.late_sender_s), about(6 + 40));
}

TEST_F(PostedReceives, HaveTheirMessageIfTheyAreCancelledTooLate) {
  wait(103, 9);  // so the others have theirs, too
  cancel(101);
  wait(101, 0);
  wait(102, 0);
  const auto all = measured({1, 2, 6});
  EXPECT_EQ(all.unmatched.total(), 0u);
  EXPECT_THAT(us(all.he_sun.ht), about(9 + 2));
}

TEST(FreedReceives, TakeTheirMessageIfItIsKnownFromWhom) {
  // The first message is of the freed receive, though it is not certain before the one of any source is.
  TracedRun run(2);
  run.call(1, "MPI_Irecv", {0x1000, 1, kInt, mpi::kAnySource, 0, kWorld, 101}, 0, 0);
  run.call(1, "MPI_Irecv", {0x1000, 1, kInt, 0, 0, kWorld, 102}, 0, 0);
  run.call(1, "MPI_Request_free", {102}, 0, 0);
  run.call(1, "MPI_Wait", {101, {0, 0}}, 0, 1);
  run.recv(1, 0, 0, 19);
  run.finalize(1, 2);
  for (const int gap : {1, 1, 18}) run.send(0, 1, gap, 0);
  run.finalize(0, 0);
  const auto measured = run.measure();
  EXPECT_THAT(us(measured.he_sun.ht), about(1 + 1 + 18 + 2));
  EXPECT_EQ(measured.unmatched.receives, 0u);
}

}  // namespace
}  // namespace skelgen::test
