// Which calls are an exchange, and how they stand in canonical order.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "unit/normalize/process.h"

namespace skelgen::test {
namespace {

using testing::ElementsAre;

/// Function, peer and place in the traced order: "Send 1 #2"; calls that were not moved have no place.
std::vector<std::string> calls(const normalize::Normalized& run, std::size_t location) {
  std::vector<std::string> lines;
  for (const auto id : run.locations[location].calls) {
    const auto& record = run.records[id];
    const auto& function = *run.symbols[record.symbol].function;
    if (function.kind == mpi::Kind::init || function.kind == mpi::Kind::finalize) continue;
    std::string line(function.name.substr(4));
    if (const int peer = function.find(mpi::Role::peer); peer >= 0) {
      const auto value = record.values[static_cast<std::size_t>(peer)];
      line += value < 0 ? " null" : " " + std::to_string(value);
    }
    if (record.order) line += " #" + std::to_string(record.order);
    lines.push_back(line);
  }
  return lines;
}

normalize::Normalized exchanged(int ranks, const Behaviour& behaviour) {
  const Folder folder;
  write(folder.path(), ranks, behaviour);
  const auto trace = trace::open(folder.path());
  auto run = normalize::exchange(normalize::classes(trace));
  EXPECT_TRUE(counts_all(run, trace));
  return run;
}

Behaviour ring(int turns, std::uint64_t in = 1000) {
  return [=](Process& p) {
    const int next = (p.rank() + 1) % p.ranks(), previous = (p.rank() + p.ranks() - 1) % p.ranks();
    for (int turn = 0; turn < turns; ++turn) {
      if (p.rank() == 0) p.send(next, 0);
      p.recv(previous, in);
      if (p.rank() != 0) p.send(next, 0);
    }
  };
}

TEST(Exchange, ARingBecomesOneOrderOnAllRanks) {
  for (const int ranks : {2, 3, 4, 7}) {
    const auto run = exchanged(ranks, ring(3));
    EXPECT_EQ(run.classes.size(), 1u) << ranks;
    EXPECT_EQ(run.exchanges, 3u * static_cast<unsigned>(ranks));
  }
  const auto run = exchanged(4, ring(1));
  EXPECT_THAT(calls(run, 0), ElementsAre("Irecv 3 #2", "Send 1 #1", "Wait #2"));
  EXPECT_THAT(calls(run, 3), ElementsAre("Irecv 2 #1", "Send 0 #2", "Wait #1"));
  EXPECT_THAT(texts(run, 0),
              testing::ElementsAreArray({
                  "MPI_Irecv(buf=b0, count=4, datatype=MPI_DOUBLE, source=3, tag=7, comm=MPI_COMM_WORLD, request=r0)",
                  "MPI_Send(buf=b1, count=4, datatype=MPI_DOUBLE, dest=1, tag=7, comm=MPI_COMM_WORLD)",
                  "MPI_Wait(request=r0, status=())",
              }));
}

TEST(Exchange, StrictLeavesTheRingAsItWas) {
  const auto run = normalized(4, ring(2));
  EXPECT_EQ(run.classes.size(), 2u);
  EXPECT_THAT(calls(run, 0), ElementsAre("Send 1", "Recv 3", "Send 1", "Recv 3"));
  EXPECT_THAT(calls(run, 1), ElementsAre("Recv 0", "Send 2", "Recv 0", "Send 2"));
}

TEST(Exchange, WhatWasReceivedIsNotSentBefore) {
  const auto run = exchanged(3, ring(2, 0));  // the same memory
  EXPECT_EQ(run.exchanges, 0u);
  EXPECT_THAT(calls(run, 1), ElementsAre("Recv 0", "Send 2", "Recv 0", "Send 2"));
}

TEST(Exchange, OverlappingAndNeighbouringMemory) {
  const auto shifted = [](std::uint64_t by) {
    return exchanged(2, [=](Process& p) {
      // Touched by one call, so that all of it is one buffer.
      p.call("MPI_Bcast", {p.at(0), 100, p.doubles(), 0, p.comm()});
      if (p.rank() == 0) p.send(1, 0), p.recv(1, by);
      if (p.rank() == 1) p.recv(0, by), p.send(0, 0);
    });
  };
  EXPECT_EQ(shifted(31).exchanges, 0u);
  EXPECT_EQ(shifted(32).exchanges, 2u);
}

TEST(Exchange, APipelineHasNoWayBack) {
  const auto run = exchanged(4, [](Process& p) {
    for (int i = 0; i < 5; ++i) {
      if (p.rank() > 0) p.recv(p.rank() - 1, 1000);
      if (p.rank() < 3) p.send(p.rank() + 1, 0);
    }
  });
  EXPECT_EQ(run.exchanges, 0u);
}

TEST(Exchange, OtherCallsEndAGroup) {
  const auto run = exchanged(2, [](Process& p) {
    if (p.rank() == 0) p.send(1, 0);
    if (p.rank() == 1) p.recv(0, 1000);
    p.barrier();
    if (p.rank() == 0) p.recv(1, 1000);
    if (p.rank() == 1) p.send(0, 0);
  });
  EXPECT_EQ(run.exchanges, 0u);
}

TEST(Exchange, MessagesOfOthersStayOutside) {
  // Rank 2 only listens.
  const auto run = exchanged(3, [](Process& p) {
    if (p.rank() == 0) p.send(2, 0), p.send(1, 0), p.recv(1, 1000);
    if (p.rank() == 1) p.recv(0, 1000), p.send(0, 0), p.send(2, 0);
    if (p.rank() == 2) p.recv(0, 1000), p.recv(1, 2000);
  });
  EXPECT_THAT(calls(run, 0), ElementsAre("Send 2", "Irecv 1 #2", "Send 1 #1", "Wait #2"));
  EXPECT_THAT(calls(run, 1), ElementsAre("Irecv 0 #1", "Send 0 #2", "Wait #1", "Send 2"));
  EXPECT_THAT(calls(run, 2), ElementsAre("Recv 0", "Recv 1"));
}

TEST(Exchange, BordersWithoutNeighboursTakePart) {
  const auto run = exchanged(3, [](Process& p) {
    const int left = p.rank() > 0 ? p.rank() - 1 : mpi::kProcNull;
    const int right = p.rank() < 2 ? p.rank() + 1 : mpi::kProcNull;
    if (p.rank() % 2 == 0)
      p.send(right, 0, 4, 1), p.recv(left, 1000, 4, 1), p.send(left, 0, 4, 2), p.recv(right, 2000, 4, 2);
    if (p.rank() % 2 == 1)
      p.recv(left, 1000, 4, 1), p.send(right, 0, 4, 1), p.recv(right, 2000, 4, 2), p.send(left, 0, 4, 2);
  });
  EXPECT_THAT(calls(run, 0),
              ElementsAre("Irecv null #2", "Irecv 1 #4", "Send 1 #1", "Send null #3", "Wait #2", "Wait #4"));
  EXPECT_THAT(calls(run, 1), ElementsAre("Irecv 0 #1", "Irecv 2 #3", "Send 2 #2", "Send 0 #4", "Wait #1", "Wait #3"));
}

TEST(Exchange, MessagesThatCouldBeTakenForEachOtherAreKeptApart) {
  const auto run = [](int other) {
    return exchanged(2, [=](Process& p) {
      const int peer = 1 - p.rank();
      if (p.rank() == 0)
        p.send(peer, 0), p.send(other < 0 ? other : peer, 0), p.recv(peer, 1000),
            p.recv(other < 0 ? other : peer, 2000);
      if (p.rank() == 1)
        p.recv(peer, 1000), p.recv(other < 0 ? other : peer, 2000), p.send(peer, 0),
            p.send(other < 0 ? other : peer, 0);
    });
  };
  // Two messages each way with the same tag: one of each kind makes a group.
  EXPECT_THAT(calls(run(0), 0), ElementsAre("Send 1", "Irecv 1 #2", "Send 1 #1", "Wait #2", "Recv 1"));
  EXPECT_THAT(calls(run(mpi::kProcNull), 0),
              ElementsAre("Irecv 1 #3", "Irecv null #4", "Send 1 #1", "Send null #2", "Wait #3", "Wait #4"));
}

TEST(Exchange, WildcardsAreLeftAlone) {
  const auto run = exchanged(2, [](Process& p) {
    if (p.rank() == 0) p.send(1, 0), p.recv(mpi::kAnySource, 1000, 4, 7, {1, 7});
    if (p.rank() == 1) p.recv(0, 1000), p.send(0, 0);
  });
  EXPECT_EQ(run.exchanges, 0u);
}

TEST(Exchange, RequestsTakeSlotsThatAreFree) {
  const auto run = exchanged(2, [](Process& p) {
    const int other = 1 - p.rank();
    p.isend(other, 1, 3000), p.isend(other, 2, 3000), p.isend(other, 3, 3000);
    p.wait(2);
    if (p.rank() == 0) p.send(other, 0, 4, 8), p.recv(other, 1000, 4, 8);
    if (p.rank() == 1) p.recv(other, 1000, 4, 8), p.send(other, 0, 4, 8);
    p.isend(other, 2, 3000);
    p.waitall({3, 1, 2});
    for (int i = 0; i < 4; ++i) p.recv(other, 4000);
  });
  const auto lines = texts(run, 0);
  EXPECT_THAT(lines[4],
              testing::HasSubstr(
                  "MPI_Irecv(buf=b1, count=4, datatype=MPI_DOUBLE, source=1, tag=8, comm=MPI_COMM_WORLD, request=r1)"));
  EXPECT_EQ(lines[6], "MPI_Wait(request=r1, status=())");
  EXPECT_THAT(lines[7], testing::HasSubstr("request=r1)"));
}

TEST(Exchange, ARequestThatNobodyCompletesKeepsItsSlot) {
  const auto run = exchanged(2, [](Process& p) {
    p.isend(1 - p.rank(), 1, 3000);
    if (p.rank() == 0) p.send(1, 0, 4, 8), p.recv(1, 1000, 4, 8);
    if (p.rank() == 1) p.recv(0, 1000, 4, 8), p.send(0, 0, 4, 8);
    p.recv(1 - p.rank(), 4000);
  });
  EXPECT_THAT(texts(run, 0)[1], testing::HasSubstr("request=r1)"));
}

TEST(Exchange, APersistentRequestKeepsItsSlotUntilItIsFreed) {
  for (const bool freed : {false, true}) {
    const auto run = exchanged(2, [=](Process& p) {
      p.call("MPI_Send_init", {p.at(3000), 4, p.doubles(), 1 - p.rank(), 7, p.comm(), p.request(1)});
      p.call("MPI_Start", {p.request(1)});
      p.recv(1 - p.rank(), 4000);
      p.wait(1);
      if (freed) p.call("MPI_Request_free", {p.request(1)});
      if (p.rank() == 0) p.send(1, 0, 4, 8), p.recv(1, 1000, 4, 8);
      if (p.rank() == 1) p.recv(0, 1000, 4, 8), p.send(0, 0, 4, 8);
    });
    EXPECT_THAT(texts(run, 0)[freed ? 5 : 4], testing::HasSubstr(freed ? "request=r0)" : "request=r1)"));
  }
}

TEST(Exchange, ComputationStaysBeforeItsCall) {
  const auto run = exchanged(2, [](Process& p) {
    const auto message = [&](const char* name, int peer, std::uint64_t at, std::uint64_t gap) {
      if (std::string(name) == "MPI_Recv")
        p.call(name, {p.at(at), 4, p.doubles(), peer, 7, p.comm(), std::vector<std::int64_t>{}}, gap);
      else
        p.call(name, {p.at(at), 4, p.doubles(), peer, 7, p.comm()}, gap);
    };
    if (p.rank() == 0) message("MPI_Send", 1, 0, 3000), message("MPI_Recv", 1, 1000, 5000);
    if (p.rank() == 1) message("MPI_Recv", 0, 1000, 3000), message("MPI_Send", 0, 0, 5000);
  });
  const auto gaps = [&](std::size_t l) {
    std::vector<double> all;
    for (std::size_t k = 1; k <= 3; ++k) all.push_back(run.locations[l].gap_s[k] / run.locations[l].gap_s[1]);
    return all;
  };
  using testing::DoubleNear;
  EXPECT_THAT(gaps(0), ElementsAre(1, 0, DoubleNear(5.0 / 3, 1e-9)));  // the receive's: before its wait
  EXPECT_THAT(gaps(1), ElementsAre(1, DoubleNear(5.0 / 3, 1e-9), 0));  // the send's: before the send
}

TEST(Exchange, NothingToReorderChangesNothing) {
  const auto strict = normalized(3, [](Process& p) {
    p.isend((p.rank() + 1) % 3, 1);
    p.recv((p.rank() + 2) % 3, 1000);
    p.wait(1);
    p.barrier();
  });
  const auto run = normalize::exchange(strict);
  EXPECT_EQ(run.exchanges, 0u);
  for (std::size_t l = 0; l < 3; ++l) EXPECT_EQ(run.locations[l].calls, strict.locations[l].calls);
}

}  // namespace
}  // namespace skelgen::test
