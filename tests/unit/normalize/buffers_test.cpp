// Which memory a call touches, and how areas of it become slots.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/normalize/process.h"

namespace skelgen::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// "#0+0 #1+8 NULL": the buffers of a location's calls.
std::string buffers(const normalize::Normalized& run, std::size_t location = 0) {
  std::string all;
  for (const auto call : run.locations[location].calls) {
    const auto& record = run.records[call];
    const auto& parameters = run.symbols[record.symbol].function->parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].role != mpi::Role::buffer) continue;
      const auto value = record.values[i];
      all += all.empty() ? "" : " ";
      all += value == mpi::kNullBuffer ? "NULL"
             : value == mpi::kInPlace
                 ? "IN_PLACE"
                 : "#" + std::to_string(mpi::slot_of(value)) + "+" + std::to_string(mpi::offset_of(value));
    }
  }
  return all;
}

TEST(Buffers, ThatOverlapAreOneArea) {
  const auto run = normalized(1, [](Process& p) {
    p.send(0, 16, 4);  // [16, 48)
    p.send(0, 0, 3);   // [0, 24)
    p.send(0, 40, 1);
  });
  EXPECT_EQ(buffers(run), "#0+16 #0+0 #0+40");
  EXPECT_THAT(run.locations[0].buffer_bytes, ElementsAre(48u));
}

TEST(Buffers, ThatMerelyTouchAreTwo) {
  const auto run = normalized(1, [](Process& p) {
    p.send(0, 32, 4);
    p.send(0, 0, 4);
  });
  EXPECT_EQ(buffers(run), "#0+0 #1+0");
  EXPECT_THAT(run.locations[0].buffer_bytes, ElementsAre(32u, 32u));
}

TEST(Buffers, OfNoBytesAreNull) {
  const auto run = normalized(1, [](Process& p) {
    p.send(0, 0, 0);
    p.send(0, 8, 2);
    p.send(0, 16, 0);
    p.call("MPI_Send", {mpi::kNullBuffer, 0, p.doubles(), 0, 7, p.comm()});
  });
  EXPECT_EQ(buffers(run), "NULL #0+0 NULL NULL");
}

TEST(Buffers, AreNumberedByFirstUseOnEveryLocation) {
  const auto run = normalized(2, [](Process& p) {
    p.send(0, p.rank() ? 1000 : 0);
    p.send(0, p.rank() ? 0 : 1000);
  });
  EXPECT_EQ(buffers(run, 0), "#0+0 #1+0");
  EXPECT_EQ(buffers(run, 1), "#0+0 #1+0");
}

TEST(Buffers, PerRankAreAsLargeAsTheCommunicator) {
  const auto run = normalized(3, [](Process& p) {
    p.call("MPI_Allgather", {p.at(0), 2, p.doubles(), p.at(100), 2, p.doubles(), p.comm()});
    p.call("MPI_Alltoall", {p.at(1000), 1, p.doubles(), p.at(2000), 1, p.doubles(), p.comm(2)});
  });
  EXPECT_THAT(run.locations[0].buffer_bytes, ElementsAre(16u, 48u, 8u, 8u));
}

TEST(Buffers, ThatOnlyTheRootHasAreNullElsewhere) {
  const auto run = normalized(3, [](Process& p) {
    p.call("MPI_Gather", {p.at(0), 2, p.doubles(), p.at(100), 2, p.doubles(), 1, p.comm()});
    p.call("MPI_Reduce", {p.at(0), p.at(500), 1, p.doubles(), p.sum(), 1, p.comm()});
  });
  EXPECT_EQ(buffers(run, 0), "#0+0 NULL #0+0 NULL");
  EXPECT_EQ(buffers(run, 1), "#0+0 #1+0 #0+0 #2+0");
  EXPECT_THAT(run.locations[0].buffer_bytes, ElementsAre(16u));
  EXPECT_THAT(run.locations[1].buffer_bytes, ElementsAre(16u, 48u, 8u));
}

TEST(Buffers, WithDisplacementsReachFromTheFirstToTheLastByte) {
  using Ints = std::vector<std::int64_t>;
  const auto run = normalized(2, [](Process& p) {
    p.call("MPI_Alltoallv", {p.at(1000), Ints{2, 1}, Ints{0, 5}, p.doubles(), p.at(2000), Ints{1, 1}, Ints{-2, 3},
                             p.doubles(), p.comm()});
    p.call("MPI_Allgatherv", {p.at(5000), 0, p.doubles(), p.at(6000), Ints{0, 0}, Ints{4, 9}, p.doubles(), p.comm()});
  });
  EXPECT_EQ(buffers(run), "#0+0 #1+16 NULL NULL");
  EXPECT_THAT(run.locations[0].buffer_bytes, ElementsAre(48u, 48u));
}

TEST(Buffers, InPlaceStayInPlace) {
  const auto run = normalized(1, [](Process& p) {
    p.call("MPI_Allreduce", {mpi::kInPlace, p.at(0), 2, p.doubles(), p.sum(), p.comm()});
  });
  EXPECT_EQ(buffers(run), "IN_PLACE #0+0");
}

TEST(Refusals, NameCallAndPlace) {
  EXPECT_THAT(refusal(4,
                      [](Process& p) {
                        p.barrier();
                        if (p.rank() == 3) p.call("MPI_Comm_disconnect", {0});
                      }),
              HasSubstr("MPI_Comm_disconnect (rank 3, call 2) cannot be replayed yet"));
  EXPECT_THAT(refusal(2,
                      [](Process& p) {
                        p.call("MPI_Send", {p.at(0), 1, p.derived(), 0, 7, p.comm()});
                      }),
              HasSubstr("MPI_Send (rank 0, call 1) uses a datatype that no recorded constructor made"));
  EXPECT_THAT(refusal(1,
                      [](Process& p) {
                        p.call("MPI_Allreduce", {p.at(0), p.at(64), 1, p.doubles(), p.own_op(), p.comm()});
                      }),
              HasSubstr("MPI_Allreduce (rank 0, call 1) uses a reduction operation that no recorded call made"));
}

TEST(Refusals, OfHandlesThatNothingMade) {
  EXPECT_THAT(refusal(1, [](Process& p) { p.wait(1); }),
              HasSubstr("MPI_Wait (rank 0, call 1) waits for a request that was never started"));
  EXPECT_THAT(refusal(1,
                      [](Process& p) {
                        p.isend(0, 1);
                        p.waitall({1, 1});
                      }),
              HasSubstr("MPI_Waitall (rank 0, call 2) waits for a request that was never started"));
  EXPECT_THAT(refusal(1, [](Process& p) { p.barrier(9); }),
              HasSubstr("MPI_Barrier (rank 0, call 1) uses a communicator that was never made"));
  EXPECT_THAT(refusal(1,
                      [](Process& p) {
                        p.call("MPI_Comm_dup", {p.comm(), p.comm(3)});
                        p.define(3, 1, 0, 0);
                        p.call("MPI_Comm_free", {p.comm(3)});
                        p.barrier(3);
                      }),
              HasSubstr("MPI_Barrier (rank 0, call 3) uses a communicator that was never made"));
  EXPECT_THAT(refusal(1, [](Process& p) { p.define(9, 1, 0, 0); }),
              HasSubstr("communicator that no recorded call of its main thread made"));
  EXPECT_THAT(refusal(2, [](Process& p) { p.send(2); }), HasSubstr("names rank 2 of 2"));
}

TEST(Refusals, NameTheTrace) {
  const Folder folder;
  write(folder.path(), 1, [](Process& p) { p.wait(1); });
  const auto trace = trace::open(folder.path());
  try {
    normalize::classes(trace);
    FAIL() << "a request that nothing started was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.path(), folder.path().string());
    EXPECT_EQ(error.text(), "MPI_Wait (rank 0, call 1) waits for a request that was never started");
  }
}

TEST(Refusals, OfBuffersThatAreTooLargeTogether) {
  EXPECT_THAT(refusal(1,
                      [](Process& p) {
                        p.send(0, 0, mpi::kLargestBuffer / 8);
                        p.send(0, mpi::kLargestBuffer - 8, 4);
                        p.send(0, mpi::kLargestBuffer, 2);
                      }),
              HasSubstr("MPI_Send (rank 0, call 3) uses a buffer of more than 2^40 bytes; trace a smaller problem"));
}

TEST(Datatypes, AtABufferThatThisRankDoesNotHaveSayNothing) {
  const auto run = normalized(2, [](Process& p) {
    const auto type = p.rank() ? p.derived() : p.doubles();
    p.call("MPI_Gather", {p.at(0), 2, p.doubles(), p.at(100), 2, type, 0, p.comm()});
  });
  EXPECT_THAT(texts(run, 1)[0], HasSubstr("recvtype=null"));
}

TEST(Gaps, AndDurationsAreKept) {
  const auto run = normalized(1, [](Process& p) {
    p.call("MPI_Barrier", {p.comm()}, 5000);
    p.call("MPI_Wtime", {}, 7000);
  });
  const auto& location = run.locations[0];
  ASSERT_EQ(location.gap_s.size(), location.calls.size());
  ASSERT_EQ(location.duration_s.size(), location.calls.size());
  EXPECT_NEAR(location.gap_s[1], 5e-6, 1e-12);
  EXPECT_NEAR(location.gap_s[2], 7e-6, 1e-12);
  EXPECT_NEAR(location.duration_s[2], 1e-7, 1e-12);
}

TEST(Buffers, ThatTouchAreOneAreaWhereThisIsAskedFor) {
  const Folder folder;
  write(folder.path(), 1, [](Process& p) {
    p.send(0, 0, 4);   // [0, 32)
    p.send(0, 32, 4);  // [32, 64)
    p.send(0, 72, 1);
  });
  const auto trace = trace::open(folder.path());
  EXPECT_EQ(buffers(normalize::classes(trace)), "#0+0 #1+0 #2+0");
  EXPECT_EQ(buffers(normalize::classes(trace, {.areas = normalize::Areas::touching})), "#0+0 #0+32 #1+0");
}

TEST(Buffers, AreAddressesWhereThisIsAskedFor) {
  const Folder folder;
  write(folder.path(), 1, [](Process& p) {
    p.send(0, 0, 4);  // [0, 32)
    p.send(0, 8, 4);  // [8, 40)
    p.send(0, 0, 1);
  });
  const auto run = normalize::classes(trace::open(folder.path()), {.areas = normalize::Areas::addresses});
  EXPECT_EQ(buffers(run), "#0+0 #1+0 #0+0");
  EXPECT_THAT(run.locations[0].buffer_bytes, ElementsAre(32u, 32u));
}

}  // namespace
}  // namespace skelgen::test
