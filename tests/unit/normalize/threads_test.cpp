// Threads of a rank: what they share, and whose turn it is.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/normalize/process.h"

namespace skelgen::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// "call 3 after 2 of thread 1", one for each turn of a thread.
std::vector<std::string> turns(const normalize::Normalized& run, std::size_t location) {
  std::vector<std::string> lines;
  for (const auto& [call, thread, calls] : run.locations[location].turns)
    lines.push_back("call " + std::to_string(call) + " after " + std::to_string(calls) + " of thread " +
                    std::to_string(thread));
  return lines;
}
std::string call(const normalize::Normalized& run, std::size_t location, std::size_t n) {
  return normalize::text(run, run.records[run.locations[location].calls[n]]);
}
void duplicate(Process& p, int n) {
  p.call("MPI_Comm_dup", {p.comm(), p.comm(n)});
  p.define(n, p.ranks(), p.rank(), 0);
}
void barrier(Process& p, int on, std::uint64_t gap) { p.call("MPI_Barrier", {p.comm(on)}, gap); }

/// At the end the main thread makes a call when all others have ended.
normalize::Normalized run(const Behaviour& behaviour, Level level = Level::multiple) {
  return normalized(
      1,
      [&](Process& p) {
        behaviour(p);
        p.on(0);
        barrier(p, 1, 200'000);
      },
      {}, level);
}

TEST(Threads, KnowWhatTheMainThreadMadeByItsSlots) {
  const auto twice = run([](Process& p) {
    duplicate(p, 3);
    duplicate(p, 4);
    p.call("MPI_Type_contiguous", {4, p.doubles(), p.type(5)});
    p.call("MPI_Type_commit", {p.type(5)});
    p.on(1);
    barrier(p, 4, 20'000);
    p.call("MPI_Send", {p.at(0), 1, p.type(5), 0, 7, p.comm(4)});
  });
  EXPECT_EQ(call(twice, 1, 0), "MPI_Barrier(comm=c3)");
  EXPECT_EQ(call(twice, 1, 1), "MPI_Send(buf=b0, count=1, datatype=t0, dest=0, tag=7, comm=c3)");
  ASSERT_EQ(twice.locations[1].communicators.size(), 3u) << "world, self and the one that it uses";
  EXPECT_EQ(twice.locations[1].communicators[2].identity, twice.locations[0].communicators[3].identity);
  ASSERT_EQ(twice.locations[1].datatypes.size(), 1u);
  EXPECT_EQ(twice.locations[1].datatypes[0].bytes, 32);
}

TEST(Threads, UseWhatLivesAtTheTime) {
  // The MPI gives the same handle out again.
  const auto again = run([](Process& p) {
    duplicate(p, 3);
    p.call("MPI_Comm_free", {p.comm(3)}, 10'000);
    duplicate(p, 4);
    p.call("MPI_Comm_dup", {p.comm(), p.comm(3)});
    p.define(3, 1, 0, 0);
    p.on(1);
    barrier(p, 3, 20'000);
  });
  EXPECT_EQ(call(again, 1, 0), "MPI_Barrier(comm=c3)");
}

TEST(Threads, BeginAfterTheMainThreadsCallAndAreJoinedByItsNext) {
  const auto joined = run([](Process& p) {
    p.barrier();
    p.on(1);
    p.call("MPI_Send", {p.at(0), 4, p.doubles(), 0, 7, p.comm()}, 5'000);
    p.recv(0);
    p.on(0);
    barrier(p, 1, 50'000);
  });
  EXPECT_THAT(turns(joined, 1), ElementsAre("call 0 after 2 of thread 0"));
  EXPECT_THAT(turns(joined, 0), ElementsAre("call 2 after 2 of thread 1"));
  // Init and the barrier end at 2.2 us, the thread's first call begins at 5 us.
  EXPECT_NEAR(joined.locations[1].gap_s[0], 2.8e-6, 0.1e-6);
}

TEST(Threads, AreJoinedWhenTheMainThreadHasNothingOpen) {
  constexpr std::int64_t kMessage = 0x1234;
  const auto joined = run([](Process& p) {
    p.on(1);
    p.call("MPI_Send", {p.at(0), 4, p.doubles(), 0, 8, p.comm()}, 5'000);
    p.call("MPI_Send", {p.at(0), 4, p.doubles(), 0, 8, p.comm()}, 20'000);
    p.on(0);
    p.call("MPI_Mprobe", {0, 7, p.comm(), kMessage, std::vector<std::int64_t>{}}, 10'000);
    p.call("MPI_Irecv", {p.at(0), 4, p.doubles(), 0, 9, p.comm(), p.request(1)}, 50'000);
    p.call("MPI_Mrecv", {p.at(0), 4, p.doubles(), kMessage, std::vector<std::int64_t>{}});
    p.wait(1);
    p.barrier();
  });
  EXPECT_THAT(turns(joined, 0), ElementsAre("call 5 after 2 of thread 1"));
}

TEST(Threads, ThatWereJoinedAreNamedNoMore) {
  // One thread after the other, each with a message of the same envelope.
  constexpr int kThreads = 50;
  const auto many = run([](Process& p) {
    for (int n = 0; n < kThreads; ++n) {
      p.on(n + 1);
      p.call("MPI_Send", {p.at(0), 4, p.doubles(), 0, 8, p.comm()}, 10'000 + 20'000 * static_cast<std::uint64_t>(n));
      p.on(0);
      barrier(p, 1, 20'000);
    }
  });
  for (std::size_t thread = 1; thread <= kThreads; ++thread)
    EXPECT_THAT(turns(many, thread), ElementsAre("call 0 after " + std::to_string(thread) + " of thread 0"));
  EXPECT_EQ(turns(many, 0).size(), static_cast<std::size_t>(kThreads));
}

TEST(Threads, AreNotJoinedAfterTheNextOnesBegan) {
  const auto never = run([](Process& p) {
    p.irecv(0, 1);
    p.on(1);
    p.call("MPI_Send", {p.at(0), 4, p.doubles(), 0, 8, p.comm()}, 5'000);
    p.on(2);
    p.call("MPI_Send", {p.at(0), 4, p.doubles(), 0, 8, p.comm()}, 50'000);
    p.on(0);
    p.call("MPI_Recv", {p.at(0), 4, p.doubles(), 0, 9, p.comm(), std::vector<std::int64_t>{}}, 20'000);
    p.call("MPI_Wait", {p.request(1), std::vector<std::int64_t>{}}, 100'000);
  });
  EXPECT_THAT(turns(never, 0), ElementsAre("call 4 after 1 of thread 2"));
}

TEST(Threads, AreNotJoinedByACallBehindTheBeginOfTheNextOnes) {
  const auto last = run([](Process& p) {
    p.on(1);
    p.call("MPI_Send", {p.at(0), 4, p.doubles(), 0, 8, p.comm()}, 5'000);
    p.on(2);
    p.call("MPI_Send", {p.at(0), 4, p.doubles(), 0, 8, p.comm()}, 50'000);
    p.on(0);
    barrier(p, 1, 100'000);
  });
  EXPECT_THAT(turns(last, 0), ElementsAre("call 1 after 1 of thread 2"));
}

TEST(Threads, MakingAndFreeingKeepTheirOrderToUse) {
  const auto used = run([](Process& p) {
    p.on(1);
    p.call("MPI_Send", {p.at(0), 4, p.doubles(), 0, 7, p.comm()}, 2'000);
    p.on(0);
    duplicate(p, 3);
    p.on(1);
    barrier(p, 3, 10'000);
    p.on(0);
    p.call("MPI_Comm_free", {p.comm(3)}, 20'000);
    p.on(1);
    p.call("MPI_Recv", {p.at(0), 4, p.doubles(), 0, 7, p.comm(), std::vector<std::int64_t>{}}, 50'000);
  });
  EXPECT_THAT(turns(used, 1), ElementsAre("call 0 after 1 of thread 0", "call 1 after 2 of thread 0"));
  EXPECT_THAT(turns(used, 0), ElementsAre("call 2 after 2 of thread 1", "call 3 after 3 of thread 1"));
}

TEST(Threads, GetAndFlushInTheEpochThatTheMainThreadBegan) {
  constexpr std::int64_t kWindow = 500;
  const auto used = run([](Process& p) {
    const auto get = [&](std::uint64_t gap) {
      p.call("MPI_Get", {p.at(0), 4, p.doubles(), 0, 0, 4, p.doubles(), kWindow}, gap);
      p.call("MPI_Win_flush_all", {kWindow});
    };
    p.call("MPI_Win_create", {p.at(1000), 64, 8, 0, p.comm(), kWindow});
    p.on(1);
    p.call("MPI_Send", {p.at(0), 4, p.doubles(), 0, 8, p.comm()}, 10'000);
    p.on(0);
    p.call("MPI_Win_lock_all", {0, kWindow}, 20'000);
    for (const int thread : {1, 2}) p.on(thread), get(50'000), get(10'000);
    p.on(0);
    p.call("MPI_Win_unlock_all", {kWindow}, 100'000);
    p.call("MPI_Win_free", {kWindow});
  });
  EXPECT_THAT(turns(used, 1), ElementsAre("call 0 after 2 of thread 0", "call 1 after 3 of thread 0"));
  EXPECT_THAT(turns(used, 2), ElementsAre("call 0 after 2 of thread 0", "call 0 after 3 of thread 0"));
  EXPECT_THAT(turns(used, 0), ElementsAre("call 3 after 4 of thread 2", "call 3 after 5 of thread 1"));
}

TEST(Threads, MeetInTheOrderThatWasTraced) {
  const auto meeting = run([](Process& p) {
    for (int i = 0; i < 3; ++i) {
      p.on(1);
      barrier(p, 1, 20'000);
      p.on(0);
      barrier(p, 1, i == 0 ? 30'000 : 20'000);
    }
  });
  // Thread 1's third barrier is its last call.
  EXPECT_THAT(turns(meeting, 0),
              ElementsAre("call 1 after 1 of thread 1", "call 2 after 2 of thread 1", "call 3 after 3 of thread 1"));
  EXPECT_THAT(turns(meeting, 1),
              ElementsAre("call 0 after 1 of thread 0", "call 1 after 2 of thread 0", "call 2 after 3 of thread 0"));
}

TEST(Threads, MessagesOfOneEnvelopeKeepTheirOrderOthersDoNot) {
  const auto messages = [](std::int64_t tag) {
    return run([=](Process& p) {
      p.on(1);
      p.call("MPI_Send", {p.at(0), 4, p.doubles(), 0, 7, p.comm()}, 5'000);
      p.on(0);
      p.call("MPI_Send", {p.at(0), 4, p.doubles(), 0, tag, p.comm()}, 10'000);
      p.on(1);
      p.call("MPI_Send", {p.at(0), 4, p.doubles(), 0, 7, p.comm()}, 20'000);
    });
  };
  EXPECT_THAT(turns(messages(7), 0), ElementsAre("call 1 after 1 of thread 1", "call 2 after 2 of thread 1"));
  EXPECT_THAT(turns(messages(7), 1), ElementsAre("call 0 after 1 of thread 0", "call 1 after 2 of thread 0"));
  EXPECT_THAT(turns(messages(8), 0), ElementsAre("call 2 after 2 of thread 1"));
  EXPECT_THAT(turns(messages(8), 1), ElementsAre("call 0 after 1 of thread 0"));
}

TEST(Threads, ReceivesOfAnySourceKeepTheirOrder) {
  const auto receives = [](std::int64_t source) {
    return run([=](Process& p) {
      p.on(1);
      p.call("MPI_Recv", {p.at(0), 4, p.doubles(), source, 7, p.comm(), std::vector<std::int64_t>{}}, 5'000);
      p.on(0);
      p.call("MPI_Recv", {p.at(0), 4, p.doubles(), mpi::kProcNull, 7, p.comm(), std::vector<std::int64_t>{}}, 10'000);
      p.on(1);
      p.call("MPI_Send", {p.at(0), 4, p.doubles(), 0, 7, p.comm()}, 50'000);
    });
  };
  EXPECT_THAT(turns(receives(0), 0), ElementsAre("call 2 after 2 of thread 1"));
  EXPECT_THAT(turns(receives(mpi::kAnySource), 0),
              ElementsAre("call 1 after 1 of thread 1", "call 2 after 2 of thread 1"));
}

TEST(Threads, ThatMayNotCallAtOnceKeepTheOrderOfAllCalls) {
  const auto calls = [](Level level) {
    return run(
        [](Process& p) {
          p.on(1);
          p.call("MPI_Send", {p.at(0), 4, p.doubles(), 0, 7, p.comm()}, 5'000);
          p.on(0);
          p.call("MPI_Send", {p.at(0), 4, p.doubles(), 0, 8, p.comm()}, 10'000);
          p.on(1);
          p.call("MPI_Send", {p.at(0), 4, p.doubles(), 0, 9, p.comm()}, 20'000);
        },
        level);
  };
  EXPECT_THAT(turns(calls(Level::multiple), 1), ElementsAre("call 0 after 1 of thread 0"));
  EXPECT_THAT(turns(calls(Level::serialized), 1),
              ElementsAre("call 0 after 1 of thread 0", "call 1 after 2 of thread 0"));
  EXPECT_THAT(turns(calls(Level::serialized), 0),
              ElementsAre("call 1 after 1 of thread 1", "call 2 after 2 of thread 1"));
}

TEST(Threads, OneThreadHasNoTurns) {
  EXPECT_THAT(turns(run([](Process& p) { p.barrier(); }), 0), IsEmpty());
}

TEST(Threads, AloneTheMainThreadMakesWhatAllShare) {
  EXPECT_THAT(refusal(
                  1,
                  [](Process& p) {
                    p.on(1);
                    duplicate(p, 3);
                  },
                  Level::multiple),
              HasSubstr("MPI_Comm_dup (rank 0, thread 1, call 0) is not made by the main thread, which alone may make "
                        "and free what all threads share"));
  EXPECT_THAT(refusal(
                  1,
                  [](Process& p) {
                    duplicate(p, 3);
                    p.call("MPI_Comm_free", {p.comm(3)});
                    p.on(1);
                    barrier(p, 3, 50'000);
                  },
                  Level::multiple),
              HasSubstr("MPI_Barrier (rank 0, thread 1, call 0) uses a communicator that no recorded call of the main "
                        "thread made"));
}

TEST(Threads, CompleteTheirOwnRequests) {
  EXPECT_THAT(refusal(
                  1,
                  [](Process& p) {
                    p.irecv(0, 1);
                    p.on(1);
                    p.call("MPI_Wait", {p.request(1), std::vector<std::int64_t>{}}, 50'000);
                  },
                  Level::multiple),
              HasSubstr("MPI_Wait (rank 0, thread 1, call 0) names a request that this thread did not start"));
}

}  // namespace
}  // namespace skelgen::test
