// Handles that live longer than one call: persistent requests, matched messages, communicators of some ranks; and
// buffers of which a rank has a part.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "unit/normalize/process.h"

namespace skelgen::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Ints = std::vector<std::int64_t>;

void send_init(Process& p, int n, int peer = 0) {
  p.call("MPI_Send_init", {p.at(0), 4, p.doubles(), peer, 7, p.comm(), p.request(n)});
}

TEST(Identities, OfCommunicatorsAndWindowsAreNoOthers) {
  constexpr int kRanks = 16;
  const auto run = normalized(kRanks, [](Process& p) {
    for (std::int64_t n = 1; n <= 8; ++n)
      p.call("MPI_Win_create", {p.at(0), 80, 8, 0, p.comm(n % 2 ? 1 : 2), 0x4000 + n});
  });
  std::map<std::uint64_t, std::set<std::string>> named;  // what each identity stands for
  for (const auto& location : run.locations) {
    const auto own = std::to_string(location.where.rank);
    for (std::size_t i = 0; i < location.communicators.size(); ++i)
      named[location.communicators[i].identity].insert(i == 0 ? "world" : "self " + own);
    for (std::size_t i = 0; i < location.windows.size(); ++i)
      named[location.windows[i].identity].insert("window " + std::to_string(i) + (i % 2 ? " of " + own : ""));
  }
  for (const auto& [identity, names] : named) EXPECT_THAT(names, testing::SizeIs(1)) << *names.begin();
  EXPECT_EQ(named.size(), 1u + kRanks + 4u + 4u * kRanks);
  EXPECT_FALSE(named.contains(0));
}

TEST(PersistentRequests, KeepTheirSlotsUntilTheyAreFreed) {
  const auto run = normalized(1, [](Process& p) {
    send_init(p, 1);
    p.irecv(0, 2);
    p.call("MPI_Start", {p.request(1)});
    p.wait(2);
    p.wait(1);
    p.irecv(0, 3);
    p.call("MPI_Startall", {1, p.requests({1})});
    p.waitall({3, 1});
    p.call("MPI_Request_free", {p.request(1)});
    p.irecv(0, 1);
    p.wait(1);
  });
  const std::string arguments = "(buf=b0, count=4, datatype=MPI_DOUBLE, source=0, tag=7, comm=MPI_COMM_WORLD, request=";
  EXPECT_THAT(
      texts(run),
      ElementsAre("MPI_Send_init(buf=b0, count=4, datatype=MPI_DOUBLE, dest=0, tag=7, comm=MPI_COMM_WORLD, request=r0)",
                  "MPI_Irecv" + arguments + "r1)", "MPI_Start(request=r0)", "MPI_Wait(request=r1, status=())",
                  "MPI_Wait(request=r0, status=())", "MPI_Irecv" + arguments + "r1)",
                  "MPI_Startall(count=1, array_of_requests=(r0))",
                  "MPI_Waitall(count=2, array_of_requests=(r1, r0), array_of_statuses=())",
                  "MPI_Request_free(request=r0)", "MPI_Irecv" + arguments + "r0)", "MPI_Wait(request=r0, status=())"));
}

TEST(PersistentRequests, MustExist) {
  EXPECT_THAT(refusal(1,
                      [](Process& p) {
                        send_init(p, 1);
                        p.call("MPI_Request_free", {p.request(1)});
                        p.call("MPI_Start", {p.request(1)});
                      }),
              HasSubstr("MPI_Start (rank 0, call 3) waits for a request that was never started"));
}

TEST(Requests, MustBeCompleteWhereRecordingStopsAndResumes) {
  const auto stop = [](Process& p) { p.call("MPI_Pcontrol", {0}); };
  const auto resume = [](Process& p) { p.call("MPI_Pcontrol", {1}); };
  EXPECT_THAT(refusal(1,
                      [&](Process& p) {
                        p.irecv(0, 1);
                        stop(p);
                      }),
              HasSubstr("MPI_Pcontrol (rank 0, call 2) stops the recording while 1 requests are not complete"));
  EXPECT_THAT(refusal(1,
                      [&](Process& p) {
                        stop(p);
                        resume(p);
                        p.wait(1);
                      }),
              HasSubstr("MPI_Wait (rank 0, call 3) waits for a request that was started while MPI_Pcontrol(0) held"));
  const auto run = normalized(1, [&](Process& p) {
    send_init(p, 2);
    p.irecv(0, 1);
    p.wait(1);
    stop(p);
    resume(p);
  });
  EXPECT_EQ(run.opaque, (std::map<std::string, std::uint64_t>{{"MPI_Pcontrol", 2}}));
}

TEST(Messages, TakeSlotsUntilTheyAreReceived) {
  constexpr std::int64_t kFirst = 1000, kSecond = 2000, kNoProc = 1;
  const auto run = normalized(1, [](Process& p) {
    for (const auto message : {kFirst, kSecond}) p.call("MPI_Mprobe", {0, 7, p.comm(), message, Ints{}});
    p.call("MPI_Improbe", {0, 7, p.comm(), 0, 0, Ints{}});
    p.call("MPI_Mrecv", {p.at(0), 4, p.doubles(), kFirst, Ints{}});
    p.call("MPI_Mprobe", {mpi::kProcNull, 7, p.comm(), kNoProc, Ints{}});
    p.call("MPI_Mprobe", {0, 7, p.comm(), kFirst, Ints{}});
    p.call("MPI_Imrecv", {p.at(0), 4, p.doubles(), kSecond, p.request(1)});
    p.wait(1);
  });
  EXPECT_THAT(
      texts(run),
      ElementsAre(
          "MPI_Mprobe(source=0, tag=7, comm=MPI_COMM_WORLD, message=m0, status=())",
          "MPI_Mprobe(source=0, tag=7, comm=MPI_COMM_WORLD, message=m1, status=())",
          "MPI_Improbe(source=0, tag=7, comm=MPI_COMM_WORLD, flag=0, message=MPI_MESSAGE_NULL, status=())",
          "MPI_Mrecv(buf=b0, count=4, datatype=MPI_DOUBLE, message=m0, status=())",
          "MPI_Mprobe(source=MPI_PROC_NULL, tag=7, comm=MPI_COMM_WORLD, message=MPI_MESSAGE_NO_PROC, status=())",
          "MPI_Mprobe(source=0, tag=7, comm=MPI_COMM_WORLD, message=m0, status=())",
          "MPI_Imrecv(buf=b0, count=4, datatype=MPI_DOUBLE, message=m1, request=r0)",
          "MPI_Wait(request=r0, status=())"));
  EXPECT_THAT(refusal(1,
                      [](Process& p) {
                        p.call("MPI_Mrecv", {p.at(0), 4, p.doubles(), kFirst, Ints{}});
                      }),
              HasSubstr("receives a message that no probe matched"));
}

TEST(Communicators, OfSomeRanksDoNotChangeWhatOthersAre) {
  const auto run = normalized(3, [](Process& p) {
    if (p.rank() > 0) {
      p.define_group(1, {1, 2});
      p.call("MPI_Comm_create_group", {p.comm(), p.group(1), 5, p.comm(3)});
      p.define(3, 2, p.rank() - 1, 1);
    }
    p.call("MPI_Comm_dup", {p.comm(), p.comm(4)});
    p.define(4, 3, p.rank(), 0);
  });
  const auto made = [&](std::size_t l, std::size_t i) { return run.locations[l].communicators[i].identity; };
  EXPECT_EQ(made(1, 2), made(2, 2));
  EXPECT_EQ(made(0, 2), made(1, 3));
  EXPECT_EQ(made(0, 2), made(2, 3));
  EXPECT_NE(made(1, 2), made(1, 3));
}

TEST(Communicators, ThatAreSplitByAnUnknownTypeAreRefused) {
  EXPECT_THAT(refusal(1,
                      [](Process& p) {
                        p.call("MPI_Comm_split_type", {p.comm(), 0, 0, 0, p.comm(3)});
                      }),
              HasSubstr("splits by a type that is not MPI_COMM_TYPE_SHARED"));
}

TEST(Buffers, OfADatatypePerRankHavePlacesInBytes) {
  const auto run = normalized(3, [](Process& p) {
    p.call("MPI_Type_vector", {2, 1, 3, p.doubles(), p.type(4)});  // 8 of 32 bytes at 0 and 24
    const Ints types{p.type(4), p.ints(), p.doubles()};
    p.call("MPI_Alltoallw", {p.at(1000), Ints{1, 2, 0}, Ints{16, 100, 5000}, types, p.at(3000), Ints{0, 0, 2},
                             Ints{0, 0, -8}, types, p.comm()});
  });
  EXPECT_THAT(run.locations[1].buffer_bytes, ElementsAre(100 + 2 * 4, 8 + 8));
  EXPECT_THAT(texts(run).back(),
              "MPI_Alltoallw(sendbuf=b0, sendcounts=(1, 2, 0), sdispls=(16, 100, 5000), "
              "sendtypes=(t0, MPI_INT, MPI_DOUBLE), recvbuf=b1+8, recvcounts=(0, 0, 2), rdispls=(0, 0, -8), "
              "recvtypes=(t0, MPI_INT, MPI_DOUBLE), comm=MPI_COMM_WORLD)");
}

TEST(Buffers, OfReductionsThatScatter) {
  const auto run = normalized(3, [](Process& p) {
    p.call("MPI_Reduce_scatter", {p.at(0), p.at(1000), Ints{1, 2, 3}, p.doubles(), p.sum(), p.comm()});
    p.call("MPI_Reduce_scatter_block", {p.at(2000), p.at(3000), 5, p.doubles(), p.sum(), p.comm()});
  });
  EXPECT_THAT(run.locations[1].buffer_bytes, ElementsAre(6 * 8, 2 * 8, 3 * 5 * 8, 5 * 8));
  const auto in_place = normalized(3, [](Process& p) {
    p.call("MPI_Reduce_scatter", {mpi::kInPlace, p.at(1000), Ints{1, 2, 3}, p.doubles(), p.sum(), p.comm()});
    p.call("MPI_Reduce_scatter_block", {mpi::kInPlace, p.at(3000), 5, p.doubles(), p.sum(), p.comm()});
  });
  EXPECT_THAT(in_place.locations[1].buffer_bytes, ElementsAre(6 * 8, 3 * 5 * 8));
}

}  // namespace
}  // namespace skelgen::test
