// The differences between ranks that Zhang 2010 (section 2.2) knows, and what becomes of them: calls in another order
// (Algorithm 1, --normalize) and calls that only some ranks make (Algorithm 2, --merge).

#include <gtest/gtest.h>

#include <sstream>

#include "build/build.h"
#include "unit/normalize/process.h"

namespace skelgen::test {
namespace {

using build::Merge;
using build::Order;

/// The program as text, without computation and times.
std::string program(int ranks, const Behaviour& behaviour, Order order, Merge merge) {
  const Folder folder;
  write(folder.path(), ranks, behaviour);
  const auto built = build::build(folder.path(), {.normalize = order, .merge = merge, .look_ahead = 8});
  build::require_lossless(built, folder.path());
  std::ostringstream all;
  text::print(all, built.result.skeleton);
  std::istringstream lines(all.str().substr(all.str().find("program {")));
  std::string text = "\n", line;
  while (std::getline(lines, line))
    if (line.find(" compute ") == std::string::npos && line.find(" between ") == std::string::npos)
      text += line.substr(0, line.find(" took ")) + "\n";
  return text;
}

/// Rank 0 sends first, all others receive first.
void ring(Process& p) {
  const int next = (p.rank() + 1) % p.ranks(), previous = (p.rank() + p.ranks() - 1) % p.ranks();
  for (int turn = 0; turn < 50; ++turn) {
    if (p.rank() == 0) p.send(next, 0);
    p.recv(previous, 1000);
    if (p.rank() != 0) p.send(next, 0);
    p.barrier();
  }
}

/// Some only send, some only receive: the first half gives work to the second, then all agree.
void halves(Process& p) {
  const int half = p.ranks() / 2;
  for (int i = 0; i < 50; ++i) {
    if (p.rank() < half) p.send(p.rank() + half);
    if (p.rank() >= half) p.recv(p.rank() - half);
    p.call("MPI_Allreduce", {p.at(0), p.at(1000), 1, p.doubles(), p.sum(), p.comm()});
  }
}

/// What only the last rank does is missing on the others for a while.
void odd_one_out(Process& p) {
  for (int i = 0; i < 20; ++i) {
    p.call("MPI_Bcast", {p.at(0), 4, p.doubles(), 0, p.comm()});
    if (p.rank() == p.ranks() - 1) {
      p.call("MPI_Comm_rank", {p.comm()});
      p.call("MPI_Comm_size", {p.comm()});
    }
    p.barrier();
  }
}

TEST(OrderDifference, StrictKeepsWhatEveryRankDid) {
  EXPECT_EQ(program(4, ring, Order::strict, Merge::folded), R"(
program {
  MPI_Init()
  loop 50 {
    [0] MPI_Send(buf=b0, count=4, datatype=MPI_DOUBLE, dest=1, tag=7, comm=MPI_COMM_WORLD)
    MPI_Recv(buf=[0] b1 | [1..3] b0, count=4, datatype=MPI_DOUBLE, source=(rank-1)%size, tag=7, comm=MPI_COMM_WORLD)
    [1..3] MPI_Send(buf=b1, count=4, datatype=MPI_DOUBLE, dest=(rank+1)%size, tag=7, comm=MPI_COMM_WORLD)
    MPI_Barrier(comm=MPI_COMM_WORLD)
  }
  MPI_Finalize()
}
)");
}

TEST(OrderDifference, ExchangeMakesOneSendAndOneReceive) {
  for (const Merge merge : {Merge::folded, Merge::seed})
    EXPECT_EQ(program(4, ring, Order::exchange, merge), R"(
program {
  MPI_Init()
  loop 50 {
    MPI_Irecv(buf=b0, count=4, datatype=MPI_DOUBLE, source=(rank-1)%size, tag=7, comm=MPI_COMM_WORLD, request=r0) order [0] 2 | [1..3] 1
    MPI_Send(buf=b1, count=4, datatype=MPI_DOUBLE, dest=(rank+1)%size, tag=7, comm=MPI_COMM_WORLD) order [0] 1 | [1..3] 2
    MPI_Wait(request=r0) order [0] 2 | [1..3] 1
    MPI_Barrier(comm=MPI_COMM_WORLD)
  }
  MPI_Finalize()
}
)");
}

// Algorithm 2 without Algorithm 1: it takes rank 0's first call for one that the others lack, and from then on rank 0
// is ahead of them by half a turn.
TEST(OrderDifference, MergingCallByCallNeedsOneOrder) {
  EXPECT_EQ(program(4, ring, Order::strict, Merge::seed), R"(
program {
  MPI_Init()
  loop 25 {
    [0] MPI_Send(buf=b0, count=4, datatype=MPI_DOUBLE, dest=1, tag=7, comm=MPI_COMM_WORLD)
    MPI_Recv(buf=[0] b1 | [1..3] b0, count=4, datatype=MPI_DOUBLE, source=(rank-1)%size, tag=7, comm=MPI_COMM_WORLD)
    [0] MPI_Barrier(comm=MPI_COMM_WORLD)
    MPI_Send(buf=[0] b0 | [1..3] b1, count=4, datatype=MPI_DOUBLE, dest=(rank+1)%size, tag=7, comm=MPI_COMM_WORLD)
    [0] MPI_Recv(buf=b1, count=4, datatype=MPI_DOUBLE, source=3, tag=7, comm=MPI_COMM_WORLD)
    MPI_Barrier(comm=MPI_COMM_WORLD)
  }
  [1..3] loop 25 {
    MPI_Recv(buf=b0, count=4, datatype=MPI_DOUBLE, source=rank-1, tag=7, comm=MPI_COMM_WORLD)
    MPI_Send(buf=b1, count=4, datatype=MPI_DOUBLE, dest=(rank+1)%size, tag=7, comm=MPI_COMM_WORLD)
    MPI_Barrier(comm=MPI_COMM_WORLD)
  }
  MPI_Finalize()
}
)");
}

TEST(CallSetDifference, SendersAndReceiversStandSideBySide) {
  for (const Order order : {Order::strict, Order::exchange})
    for (const Merge merge : {Merge::folded, Merge::seed})
      EXPECT_EQ(program(4, halves, order, merge), R"(
program {
  MPI_Init()
  loop 50 {
    [0,1] MPI_Send(buf=b0, count=4, datatype=MPI_DOUBLE, dest=rank+2, tag=7, comm=MPI_COMM_WORLD)
    [2,3] MPI_Recv(buf=b0, count=4, datatype=MPI_DOUBLE, source=rank-2, tag=7, comm=MPI_COMM_WORLD)
    MPI_Allreduce(sendbuf=b0, recvbuf=b1, count=1, datatype=MPI_DOUBLE, op=MPI_SUM, comm=MPI_COMM_WORLD)
  }
  MPI_Finalize()
}
)");
}

TEST(CallSetDifference, WhatOneRankDoesAloneComesBeforeWhatAllDo) {
  for (const Merge merge : {Merge::folded, Merge::seed})
    EXPECT_EQ(program(3, odd_one_out, Order::strict, merge), R"(
program {
  MPI_Init()
  loop 20 {
    MPI_Bcast(buffer=b0, count=4, datatype=MPI_DOUBLE, root=0, comm=MPI_COMM_WORLD)
    [2] MPI_Comm_rank(comm=MPI_COMM_WORLD)
    [2] MPI_Comm_size(comm=MPI_COMM_WORLD)
    MPI_Barrier(comm=MPI_COMM_WORLD)
  }
  MPI_Finalize()
}
)");
}

// A partner that is more than 8 calls away is not seen: then rank 0 seems to make its barrier alone.
TEST(CallSetDifference, PartnersAreSoughtWithinTheLookAhead) {
  const auto late = [](int alone) {
    return [=](Process& p) {
      for (int i = 0; p.rank() == 1 && i < alone; ++i) p.call("MPI_Comm_size", {p.comm()});
      p.barrier();
    };
  };
  EXPECT_EQ(program(2, late(8), Order::strict, Merge::seed), R"(
program {
  MPI_Init()
  [1] loop 8 {
    MPI_Comm_size(comm=MPI_COMM_WORLD)
  }
  MPI_Barrier(comm=MPI_COMM_WORLD)
  MPI_Finalize()
}
)");
  EXPECT_EQ(program(2, late(9), Order::strict, Merge::seed), R"(
program {
  MPI_Init()
  [0] MPI_Barrier(comm=MPI_COMM_WORLD)
  [1] loop 9 {
    MPI_Comm_size(comm=MPI_COMM_WORLD)
  }
  [1] MPI_Barrier(comm=MPI_COMM_WORLD)
  MPI_Finalize()
}
)");
}

}  // namespace
}  // namespace skelgen::test
