// Datatypes and operations that the program makes: slots, symbols, spans of buffers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mpi/layout.h"
#include "unit/normalize/process.h"

namespace skelgen::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using List = std::vector<std::int64_t>;

void vector(Process& p, int made, std::int64_t count, std::int64_t stride, std::int64_t old) {
  p.call("MPI_Type_vector", {count, 1, stride, old, p.type(made)});
}
void commit(Process& p, int made) { p.call("MPI_Type_commit", {p.type(made)}); }
void free(Process& p, int made) { p.call("MPI_Type_free", {p.type(made)}); }
void send(Process& p, std::int64_t type, std::uint64_t address = 0, std::int64_t count = 1) {
  p.call("MPI_Send", {p.at(address), count, type, 0, 7, p.comm()});
}

std::vector<normalize::SymbolId> symbols(const normalize::Normalized& run, const char* function, std::size_t l = 0) {
  std::vector<normalize::SymbolId> all;
  for (const auto call : run.locations[l].calls)
    if (run.symbols[run.records[call].symbol].function->name == function) all.push_back(run.records[call].symbol);
  return all;
}

TEST(Datatypes, TakeTheLowestFreeSlot) {
  const auto run = normalized(1, [](Process& p) {
    vector(p, 4, 10, 100, p.doubles());
    p.call("MPI_Type_create_resized", {p.type(4), 0, 8, p.type(5)});
    free(p, 4);
    commit(p, 5);
    p.call("MPI_Type_contiguous", {3, p.type(5), p.type(6)});
    send(p, p.type(6));
  });
  EXPECT_THAT(
      texts(run),
      ElementsAre("MPI_Type_vector(count=10, blocklength=1, stride=100, oldtype=MPI_DOUBLE, newtype=t0)",
                  "MPI_Type_create_resized(oldtype=t0, lb=0, extent=8, newtype=t1)", "MPI_Type_free(datatype=t0)",
                  "MPI_Type_commit(datatype=t1)", "MPI_Type_contiguous(count=3, oldtype=t1, newtype=t0)",
                  "MPI_Send(buf=b0, count=1, datatype=t0, dest=0, tag=7, comm=MPI_COMM_WORLD)"));
}

TEST(Datatypes, MadeAndFreedInEveryIterationGiveTheSameRecords) {
  const auto run = normalized(1, [](Process& p) {
    for (int i = 0; i < 5; ++i) {
      const int column = 4 + i, pair = 20 - i;  // the handles do not matter
      vector(p, column, 10, 100, p.doubles());
      p.call("MPI_Type_create_struct", {2, List{1, 2}, List{0, 512}, List{p.type(column), p.ints()}, p.type(pair)});
      free(p, column);
      commit(p, pair);
      send(p, p.type(pair));
      free(p, pair);
    }
  });
  const auto& calls = run.locations[0].calls;
  ASSERT_EQ(calls.size(), 2u + 5u * 6u);
  for (std::size_t i = 7; i + 1 < calls.size(); ++i) EXPECT_EQ(calls[i], calls[i - 6]) << i;
}

TEST(Datatypes, BuiltAlikeAreTheSameSymbolInAnySlot) {
  const auto run = normalized(1, [](Process& p) {
    for (int i = 0; i < 3; ++i) {  // never freed
      vector(p, 4 + i, 10, 100, p.doubles());
      send(p, p.type(4 + i));
    }
    vector(p, 8, 10, 100, p.ints());
    send(p, p.type(8));
    p.call("MPI_Type_contiguous", {10, p.doubles(), p.type(9)});
    send(p, p.type(9));
    send(p, p.doubles());
  });
  const auto sent = symbols(run, "MPI_Send");
  ASSERT_EQ(sent.size(), 6u);
  EXPECT_EQ(sent[0], sent[1]);
  EXPECT_EQ(sent[0], sent[2]);
  EXPECT_NE(sent[0], sent[3]) << "of other elements";
  EXPECT_NE(sent[0], sent[4]) << "by another constructor";
  EXPECT_NE(sent[3], sent[4]);
  EXPECT_NE(sent[0], sent[5]);
}

TEST(Datatypes, OfOneFormAndOtherCountsPutRanksIntoOneClass) {
  const auto run = normalized(3, [](Process& p) {
    vector(p, 4, 10 + p.rank(), 100, p.doubles());
    p.call("MPI_Send", {p.at(0), 1, p.type(4), (p.rank() + 1) % 3, 7, p.comm()});
  });
  EXPECT_EQ(run.classes.size(), 1u);
}

TEST(Datatypes, SayWhichMemoryABufferIs) {
  const auto bytes = [](const Behaviour& behaviour) { return normalized(1, behaviour).locations[0].buffer_bytes; };
  EXPECT_THAT(bytes([](Process& p) {
                vector(p, 4, 10, 100, p.doubles());
                send(p, p.type(4));
              }),
              ElementsAre(9 * 800 + 8));
  EXPECT_THAT(bytes([](Process& p) {
                vector(p, 4, 10, 100, p.doubles());
                p.call("MPI_Type_create_resized", {p.type(4), 0, 8, p.type(5)});
                send(p, p.type(5), 0, 3);
              }),
              ElementsAre(9 * 800 + 24));
  EXPECT_THAT(bytes([](Process& p) {  // two faces of one array, both given by its address
                for (const int start : {0, 7}) {
                  p.call("MPI_Type_create_subarray",
                         {2, List{8, 8}, List{8, 1}, List{0, start}, mpi::kOrderC, p.ints(), p.type(4 + start)});
                  send(p, p.type(4 + start));
                }
              }),
              ElementsAre(8 * 8 * 4));
  const auto backwards = normalized(1, [](Process& p) {
    vector(p, 4, 3, -2, p.doubles());
    send(p, p.type(4), 1000);
  });
  EXPECT_THAT(backwards.locations[0].buffer_bytes, ElementsAre(40));
  EXPECT_THAT(texts(backwards)[1], HasSubstr("buf=b0+32"));
}

TEST(Datatypes, AreListedWithTheirBytes) {
  const auto run = normalized(1, [](Process& p) {
    vector(p, 4, 10, 100, p.doubles());
    p.call("MPI_Type_create_darray", {4, 1, 1, List{10}, List{mpi::kDistributeCyclic}, List{mpi::kDistributeDfltDarg},
                                      List{4}, mpi::kOrderC, p.type(4), p.type(5)});
    free(p, 4);
    p.call("MPI_Type_dup", {p.type(5), p.type(6)});
  });
  std::vector<std::pair<int, std::int64_t>> made;
  for (const auto& type : run.locations[0].datatypes) made.emplace_back(type.slot, type.bytes);
  EXPECT_THAT(made, ElementsAre(std::pair(0, 80), std::pair(1, 3 * 80), std::pair(0, 3 * 80)));
}

TEST(Datatypes, AreAsLargeAsTheTracedMpiSays) {
  const auto run = normalized(1, [](Process& p) {
    p.call("MPI_Type_create_f90_real", {15, 300, p.type(4)});
    p.writer().datatype({static_cast<std::uint64_t>(p.type(4)), 8, 8, ""});
    send(p, p.type(4), 0, 3);
    p.call("MPI_Type_create_f90_real", {15, 300, p.type(4)});  // the same handle again
    send(p, p.type(4), 0, 3);
  });
  EXPECT_THAT(run.locations[0].buffer_bytes, ElementsAre(24));
  EXPECT_THAT(texts(run)[0], "MPI_Type_create_f90_real(p=15, r=300, newtype=t0)");
  EXPECT_EQ(texts(run)[2], texts(run)[0]);
}

TEST(Datatypes, MadeByNamesThatAreGoneAreMadeByTheirSuccessors) {
  const auto run = normalized(1, [](Process& p) {
    p.call("MPI_Type_struct", {2, List{1, 1}, List{0, 8}, List{p.doubles(), p.ints()}, p.type(4)});
    p.call("MPI_Type_hvector", {2, 1, 16, p.type(4), p.type(5)});
    p.call("MPI_Type_hindexed", {1, List{2}, List{8}, p.type(5), p.type(6)});
  });
  EXPECT_THAT(
      texts(run),
      ElementsAre("MPI_Type_create_struct(count=2, array_of_blocklengths=(1, 1), array_of_displacements=(0, 8), "
                  "array_of_types=(MPI_DOUBLE, MPI_INT), newtype=t0)",
                  "MPI_Type_create_hvector(count=2, blocklength=1, stride=16, oldtype=t0, newtype=t1)",
                  "MPI_Type_create_hindexed(count=1, array_of_blocklengths=(2), array_of_displacements=(8), "
                  "oldtype=t1, newtype=t2)"));
}

TEST(Datatypes, ThatNothingMadeCanBeFreedOnly) {
  EXPECT_THAT(texts(normalized(1, [](Process& p) { free(p, 9); })), ElementsAre("MPI_Type_free(datatype=null)"));
  EXPECT_THAT(refusal(1,
                      [](Process& p) {
                        vector(p, 4, 10, 100, p.doubles());
                        free(p, 4);
                        send(p, p.type(4));
                      }),
              HasSubstr("MPI_Send (rank 0, call 3) uses a datatype that no recorded constructor made"));
  EXPECT_THAT(refusal(1,
                      [](Process& p) {
                        p.call("MPI_Type_dup", {p.type(4), p.type(5)});
                      }),
              HasSubstr("MPI_Type_dup (rank 0, call 1) uses a datatype that no recorded constructor made"));
  EXPECT_THAT(
      refusal(
          1,
          [](Process& p) {
            p.call("MPI_Type_create_struct", {2, List{1, 1}, List{0, 16}, List{p.ints(), p.upper_bound()}, p.type(5)});
          }),
      HasSubstr("MPI_Type_create_struct (rank 0, call 1) uses MPI_UB, which MPI 3 removed"));
}

TEST(Datatypes, ThatMPITypeGetContentsReturnedAreFreedOnceMore) {
  const auto contents = [](Process& p, int of, int in) {
    p.call("MPI_Type_get_contents", {p.type(of), 3, 0, 1, List{2, 1, 3}, List{}, List{p.type(in)}});
  };
  const auto run = normalized(1, [&](Process& p) {
    vector(p, 4, 10, 100, p.doubles());
    vector(p, 5, 2, 3, p.type(4));
    contents(p, 5, 4);
    free(p, 4);
    send(p, p.type(4));
    free(p, 4);
    contents(p, 5, 4);  // still part of the other one
    free(p, 4);
    vector(p, 6, 7, 8, p.doubles());
  });
  const auto all = texts(run);
  ASSERT_EQ(all.size(), 9u);
  EXPECT_EQ(all[3], "MPI_Type_free(datatype=null)");
  EXPECT_EQ(all[4], "MPI_Send(buf=b0, count=1, datatype=t0, dest=0, tag=7, comm=MPI_COMM_WORLD)");
  EXPECT_EQ(all[5], "MPI_Type_free(datatype=t0)");
  EXPECT_EQ(all[7], "MPI_Type_free(datatype=null)");
  EXPECT_EQ(all[8], "MPI_Type_vector(count=7, blocklength=1, stride=8, oldtype=MPI_DOUBLE, newtype=t0)");
}

TEST(Datatypes, OfAbsoluteAddressesAreRefused) {
  EXPECT_THAT(refusal(1,
                      [](Process& p) {
                        p.call("MPI_Type_create_hindexed",
                               {1, List{4}, List{p.at(64) + (std::int64_t{1} << 46)}, p.doubles(), p.type(4)});
                        p.call("MPI_Send", {mpi::kNullBuffer, 1, p.type(4), 0, 7, p.comm()});
                      }),
              HasSubstr("MPI_Send (rank 0, call 2) is given MPI_BOTTOM"));
}

TEST(ReductionOps, AreSlotsAndDifferByWhetherTheyCommute) {
  const auto run = normalized(1, [](Process& p) {
    const auto reduce = [&](int op) {
      p.call("MPI_Allreduce", {p.at(0), p.at(64), 1, p.doubles(), p.op(op), p.comm()});
    };
    const auto make = [&](int op, bool commutes) {
      p.call("MPI_Op_create", {commutes, p.op(op)});
      p.writer().op({static_cast<std::uint64_t>(p.op(op)), commutes, ""});
    };
    make(4, true);
    reduce(4);
    make(5, true);
    reduce(5);
    p.call("MPI_Op_free", {p.op(4)});
    make(6, false);
    reduce(6);
  });
  EXPECT_THAT(texts(run), ElementsAre("MPI_Op_create(commute=1, op=o0)", HasSubstr("op=o0"),
                                      "MPI_Op_create(commute=1, op=o1)", HasSubstr("op=o1"), "MPI_Op_free(op=o0)",
                                      "MPI_Op_create(commute=0, op=o0)", HasSubstr("op=o0")));
  const auto reductions = symbols(run, "MPI_Allreduce");
  EXPECT_EQ(reductions[0], reductions[1]);
  EXPECT_NE(reductions[0], reductions[2]);
}

}  // namespace
}  // namespace skelgen::test
