// Programs at a few numbers of ranks, and the same programs at another number that their rules were not found from.

#include "build/generalize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

#include "skeleton/skeleton.h"
#include "support/error.h"
#include "unit/generalize/sited.h"

namespace skelgen::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

build::General general(const Behaviour& behaviour, const std::vector<int>& ranks = {4, 8, 16}) {
  std::vector<build::Run> runs;
  for (const int n : ranks) runs.push_back({normalized(n, behaviour), std::to_string(n) + ".trace"});
  return build::generalize_runs(runs);
}

/// Where the skeleton made from some numbers of ranks differs from the program at another one.
std::string differs(const build::General& general, const Behaviour& behaviour, int ranks) {
  const auto difference = build::difference(normalized(ranks, behaviour), general.of.text, "text");
  return difference ? difference->expected + " / " + difference->actual : "";
}

std::string problem(const Behaviour& behaviour, const std::vector<int>& ranks = {4, 8, 16}) {
  try {
    return "none, but\n" + general(behaviour, ranks).of.text;
  } catch (const Error& error) {
    return error.what();
  }
}

/// Exact at twice and four times the largest number, without doubts.
void expect_exact(const Behaviour& behaviour, const std::vector<int>& ranks = {4, 8, 16},
                  const std::vector<int>& others = {32, 64}) {
  const auto found = general(behaviour, ranks);
  for (const int n : others) EXPECT_EQ(differs(found, behaviour, n), "") << found.of.text;
  EXPECT_TRUE(found.of.doubts.empty()) << found.of.doubts[0].what << ": " << found.of.doubts[0].why << "\n"
                                       << found.of.text;
}

TEST(Generalize, ARing) {
  expect_exact([](Process& p) {
    const int n = p.ranks(), right = (p.rank() + 1) % n, left = (p.rank() + n - 1) % n;
    for (int step = 0; step < n; ++step) {
      if (p.rank() % 2 == 0) p.send(right, 0, 1024 / n);
      p.recv(left, 9000, 1024 / n);
      if (p.rank() % 2 != 0) p.send(right, 0, 1024 / n);
    }
    p.call("MPI_Reduce", {p.at(0), p.rank() == 0 ? p.at(9000) : 0, 1, p.doubles(), p.sum(), 0, p.comm()});
  });
}

TEST(Generalize, TheFirstRankHearsFromAllOthersSeveralTimes) {
  const Behaviour behaviour = [](Process& p) {
    for (int step = 0; step < 5; ++step) {
      if (p.rank() > 0) p.send(0);
      for (int other = 1; other < p.ranks() && p.rank() == 0; ++other) p.recv(other, 9000);
    }
  };
  expect_exact(behaviour);
  EXPECT_THAT(general(behaviour).of.text, HasSubstr("$each(k < p - 1: "));
}

TEST(Generalize, AGridIsInDoubtWhereAnotherFitsAsWell) {
  // The rows of a plane of 8, 16 and 32 ranks are as long as those of a space: 2, 4, 4.
  const auto behaviour = [](Process& p) {
    const int n = p.ranks(), r = p.rank(), row = n == 8 ? 2 : n == 64 ? 8 : 4;
    for (int step = 0; step < 4; ++step) {
      p.irecv(r - r % row + (r + row - 1) % row, 1, 5000);
      p.isend(r - r % row + (r + 1) % row, 2, 0);
      p.waitall({1, 2});
    }
  };
  const auto found = general(behaviour, {8, 16, 32});
  EXPECT_THAT(found.of.doubts, Contains(testing::Field(&generalize::Doubt::what, "the grid"))) << found.of.text;
}

TEST(Generalize, AGridOfTwoDimensionsBeforeOneOfThree) {
  // Rows of 4, 8 and 16 ranks are as long as the first dimension of a space: 2, 2, 4; at 64 ranks they are 8, and that is 4.
  const Behaviour columns = [](Process& p) {
    const int n = p.ranks(), r = p.rank(), bits = std::countr_zero(static_cast<unsigned>(n)), row = 1 << (bits / 2);
    for (int step = 0; step < 3; ++step) {
      if (r >= row) p.irecv(r - row, 1, 5000, 100);
      if (r + row < n) p.send(r + row, 0, 3 * bits + 7);
      if (r >= row) p.wait(1);
    }
    for (int step = 0; step < 6; ++step) {
      p.irecv((r + n - 2) % n, 1, 5000, 100);
      p.send((r + 2) % n, 0, 2 * bits + 7);
      p.wait(1);
    }
  };
  EXPECT_EQ(differs(general(columns), columns, 64), "");
}

TEST(Generalize, ALineWithEnds) {
  expect_exact([](Process& p) {
    for (int step = 0; step < 10; ++step) {
      if (p.rank() > 0) p.irecv(p.rank() - 1, 1, 5000);
      if (p.rank() + 1 < p.ranks()) p.irecv(p.rank() + 1, 2, 6000);
      if (p.rank() > 0) p.send(p.rank() - 1);
      if (p.rank() + 1 < p.ranks()) p.send(p.rank() + 1);
      if (p.rank() > 0) p.wait(1);
      if (p.rank() + 1 < p.ranks()) p.wait(2);
    }
  });
}

TEST(Generalize, ALineThatEndsAtNobody) {
  // Rank 0 - 1 is no rank, and MPI_PROC_NULL has the same number.
  const Behaviour behaviour = [](Process& p) {
    const std::int64_t up = p.rank() > 0 ? p.rank() - 1 : mpi::kProcNull,
                       down = p.rank() + 1 < p.ranks() ? p.rank() + 1 : mpi::kProcNull;
    for (int step = 0; step < 300; ++step) {
      for (const bool first : {true, false})
        p.call("MPI_Sendrecv", {p.at(0), 1000, p.doubles(), first ? up : down, first ? 1 : 2, p.at(9000), 1000,
                                p.doubles(), first ? down : up, first ? 1 : 2, p.comm(), 1});
      p.call("MPI_Allreduce", {p.at(18000), p.at(18008), 1, p.doubles(), p.sum(), p.comm()});
    }
  };
  for (const std::vector<int>& ranks : {std::vector{2, 4}, {2, 4, 8}}) {
    expect_exact(behaviour, ranks, {16, 32});
    EXPECT_THAT(general(behaviour, ranks).of.text, HasSubstr("dest=[r > 0] rank-1 | [!(r > 0)] MPI_PROC_NULL"));
  }
}

TEST(Generalize, AButterfly) {
  expect_exact([](Process& p) {
    for (int step = 0; step < 10; ++step)
      for (int bit = 1; bit < p.ranks(); bit *= 2) {
        p.irecv(p.rank() ^ bit, 1, 5000);
        p.send(p.rank() ^ bit);
        p.wait(1);
      }
  });
}

TEST(Generalize, RowsOfAPlane) {
  // Four ranks are 2 x 2, eight 4 x 2, sixteen 4 x 4: rows of dims(p, 2, 1).
  const Behaviour behaviour = [](Process& p) {
    const int n = p.ranks(), length = 1 << (std::countr_zero(static_cast<unsigned>(n)) / 2);
    const int row = p.rank() / length, column = p.rank() % length;
    for (int step = 0; step < 10; ++step) {
      if (column > 0) p.recv(p.rank() - 1, 50000, 512 / length);
      if (row > 0) p.recv(p.rank() - length, 60000, 512 * length / n);
      if (column + 1 < length) p.send(p.rank() + 1, 0, 512 / length);
      if (row + 1 < n / length) p.send(p.rank() + length, 10000, 512 * length / n);
    }
  };
  const auto found = general(behaviour);
  for (const int n : {32, 64}) EXPECT_EQ(differs(found, behaviour, n), "") << found.of.text;
  EXPECT_THAT(found.of.grid, HasSubstr("dims(p, 2, 0)"));
}

TEST(Generalize, TheTransposedPartnerOfAPlane) {
  // q x q or q x 2q, as in conjugate gradients.
  const Behaviour behaviour = [](Process& p) {
    const int n = p.ranks(), q = 1 << (std::countr_zero(static_cast<unsigned>(n)) / 2), columns = n / q,
              wide = columns / q, row = p.rank() / columns, column = p.rank() % columns;
    const int partner = column / wide * columns + wide * row + column % wide, count = 512 / columns;
    for (int step = 0; step < 10; ++step) {
      p.irecv(partner, 1, 50000, count);
      p.send(partner, static_cast<std::uint64_t>(8 * count * (column % wide)), count);
      p.wait(1);
      p.barrier();
    }
  };
  const auto found = general(behaviour);
  for (const int n : {32, 64}) EXPECT_EQ(differs(found, behaviour, n), "") << found.of.text;
}

TEST(Generalize, LevelsOfAMultigridCycle) {
  const Behaviour behaviour = [](Process& p) {
    const int n = p.ranks(), right = (p.rank() + 1) % n, left = (p.rank() + n - 1) % n;
    const auto exchange = [&](int level, int count) {
      p.irecv(left, 1, static_cast<std::uint64_t>(200000 * level + 100000), count);
      p.isend(right, 2, static_cast<std::uint64_t>(200000 * level), count);
      p.waitall({1, 2});
    };
    for (int cycle = 0; cycle < 5; ++cycle) {
      int level = 0, count = 2048 / n;
      for (; count > 2; ++level, count /= 2)
        for (int time = 0; time < 3; ++time) exchange(level, count);
      for (int time = 0; time < 30; ++time) exchange(level, count);
      while (level-- > 0) {
        count *= 2;
        for (int time = 0; time < 3; ++time) exchange(level, count);
      }
      p.barrier();
    }
  };
  const auto found = general(behaviour);
  for (const int n : {32, 64}) EXPECT_EQ(differs(found, behaviour, n), "") << found.of.text;
}

TEST(Generalize, BlocksThatDoNotDivide) {
  expect_exact([](Process& p) {
    const auto block = [&](int r) { return (1001 - r + p.ranks() - 1) / p.ranks(); };
    for (int step = 0; step < 10; ++step) {
      p.irecv((p.rank() + 1) % p.ranks(), 1, 20000, 1001);
      p.isend((p.rank() + p.ranks() - 1) % p.ranks(), 2, 0, block(p.rank()));
      p.waitall({1, 2});
    }
  });
}

TEST(Generalize, CommunicatorsByColour) {
  expect_exact([](Process& p) {
    const int half = p.rank() % 2, size = p.ranks() / 2;
    p.call("MPI_Comm_split", {p.comm(), half, p.rank(), p.comm(5)});
    p.define(5, size, p.rank() / 2, half);
    for (int step = 0; step < 10; ++step) p.barrier(5);
    p.call("MPI_Comm_free", {p.comm(5)});
  });
}

TEST(Generalize, AListOfEachRank) {
  expect_exact([](Process& p) {
    std::vector<std::int64_t> counts, places;
    for (int r = 0; r < p.ranks(); ++r) {
      counts.push_back((1001 - r + p.ranks() - 1) / p.ranks());
      places.push_back(4 * r);
    }
    p.call("MPI_Allgatherv", {p.at(0), counts[static_cast<std::size_t>(p.rank())], p.doubles(), p.at(90000), counts,
                              places, p.doubles(), p.comm()});
  });
}

TEST(Generalize, SquaresAreNotForOtherNumbers) {
  const auto found = general(
      [](Process& p) {
        for (int step = 0; step < 9; ++step) p.barrier();
      },
      {4, 9, 16});
  EXPECT_NO_THROW(build::skeleton_at(found.of.text, "t", 36));
  EXPECT_THROW(build::skeleton_at(found.of.text, "t", 32), Error);
}

TEST(Generalize, NumbersWithoutARuleAreRefused) {
  EXPECT_THAT(
      problem([](Process& p) { p.send((p.rank() + 1) % p.ranks(), 0, (p.rank() * 7919 + p.ranks() * 31) % 1009); }),
      AllOf(HasSubstr("no rule of p and r gives count of MPI_Send: "), HasSubstr(" on rank 0 of 4, "),
            HasSubstr("; the statement is MPI_Send(buf=b0, count=")));
}

/// `names` files, one after the other.
void write_blocks(Process& p, int names) {
  const int own = 4096 / p.ranks();
  for (int name = 0; name < names; ++name) {
    p.call("MPI_File_open", {p.comm(), std::vector<std::int64_t>{'a' + name}, 5, 0, 0x501});
    for (int step = 0; step < 3; ++step)
      p.call("MPI_File_write_at_all", {0x501, 8 * (4096 * step + p.rank() * own), p.at(0), own, p.doubles()});
    p.call("MPI_File_close", {0x501});
  }
}

TEST(Generalize, AFileThatEachRankWritesItsBlockTo) {
  expect_exact([](Process& p) { write_blocks(p, 1); });
  const auto found = general([](Process& p) { write_blocks(p, 2); });
  EXPECT_THAT(found.of.text, HasSubstr("file f0 by $(0)"));
  EXPECT_EQ(build::skeleton_at(found.of.text, "t", 32).scratch.size(), 2u);
}

TEST(Generalize, MoreFilesWithMoreRanksAreRefused) {
  EXPECT_THAT(problem([](Process& p) { write_blocks(p, p.ranks()); }),
              HasSubstr("opens or deletes 8 files by MPI with 8 ranks, and 4 with 4"));
}

TEST(Generalize, ColumnsOfABlockAsADatatype) {
  const Behaviour behaviour = [](Process& p) {
    const int n = p.ranks(), q = 1 << (std::countr_zero(static_cast<unsigned>(n)) / 2), rows = 96 / (n / q),
              wide = 96 / q + 2;
    const int row = p.rank() / q, column = p.rank() % q;
    p.call("MPI_Type_vector", {rows, 1, wide, p.doubles(), p.type(4)});
    p.call("MPI_Type_commit", {p.type(4)});
    for (int step = 0; step < 10; ++step) {
      if (column > 0)
        p.call("MPI_Recv", {p.at(0), 1, p.type(4), p.rank() - 1, 0, p.comm(), std::vector<std::int64_t>{}});
      if (column + 1 < q) p.call("MPI_Send", {p.at(200'000), 1, p.type(4), p.rank() + 1, 0, p.comm()});
      if (row > 0) p.recv(p.rank() - q, 400'000, wide - 2);
      if (row + 1 < n / q) p.send(p.rank() + q, 600'000, wide - 2);
    }
  };
  const auto found = general(behaviour);
  for (const int n : {32, 64}) {
    EXPECT_EQ(differs(found, behaviour, n), "") << found.of.text;
    const auto traced = normalized(n, behaviour);
    const auto skeleton = build::skeleton_at(found.of.text, "t", static_cast<std::uint32_t>(n));
    for (std::size_t l = 0; l < traced.locations.size(); ++l) {
      const auto sum = [](const auto& bytes) { return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0}); };
      EXPECT_GE(sum(skeleton.locations[l].buffer_bytes), sum(traced.locations[l].buffer_bytes)) << l;
    }
  }
}

TEST(Generalize, WhatIsNeededIsAskedOfTheRanksThatExecute) {
  const Behaviour behaviour = [](Process& p) {
    const int even = p.rank() / 2 * 2, count = (1001 - even + p.ranks() - 1) / p.ranks();
    if (p.rank() == even)
      p.send(even + 1, 0, count);
    else
      p.recv(even, 9000, count);
  };
  const auto found = general(behaviour);
  for (const int n : {4, 32, 64}) {
    try {
      EXPECT_EQ(differs(found, behaviour, n), "") << found.of.text;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("the skeleton needs "));
      EXPECT_GT(n, 16) << found.of.text;
    }
  }
}

/// Seconds that each rank of the program computes, and its skeleton from 4, 8 and 16 ranks: the largest relative difference at 32 and 64.
double off(const std::function<double(int ranks, int rank)>& seconds, std::string* text = nullptr) {
  const Behaviour behaviour = [&](Process& p) {
    for (int step = 0; step < 10; ++step)
      p.call("MPI_Barrier", {p.comm()}, static_cast<std::uint64_t>(1e9 * seconds(p.ranks(), p.rank())));
  };
  const auto found = general(behaviour);
  if (text) *text = found.of.text;
  double worst = 0;
  for (const int n : {32, 64}) {
    EXPECT_EQ(differs(found, behaviour, n), "") << found.of.text;
    const auto skeleton = build::skeleton_at(found.of.text, "t", static_cast<std::uint32_t>(n));
    for (int r = 0; r < n; ++r)
      worst = std::max(
          worst, std::abs(skeleton::total_compute(skeleton, static_cast<std::uint32_t>(r)) / (10 * seconds(n, r)) - 1));
  }
  return worst;
}

TEST(Generalize, ComputationThatGrowsWithTheRank) {
  std::string text;
  EXPECT_LT(off([](int, int r) { return 1e-3 * (1 + r / 80.0); }, &text), 0.01) << text;
  EXPECT_THAT(text, HasSubstr(" * r)"));
  EXPECT_LT(off([](int n, int r) { return 1e-2 * (2 - double(r) / n) / n; }), 0.02);
}

TEST(Generalize, ComputationOfRanksAtAnEdge) {
  std::string text;
  EXPECT_LT(off([](int n, int r) { return (r == 0 || r == n - 1 ? 1e-2 : 2e-2) / n; }, &text), 0.01) << text;
  EXPECT_THAT(text, HasSubstr("] compute $time("));
  EXPECT_LT(off([](int, int r) { return r == 0 ? 5e-3 : 1e-3; }), 0.01);
}

TEST(Generalize, ComputationOfALongRankAmongNoise) {
  std::string text;
  const auto noise = [](int n, int r) { return 1 + 0.08 * std::sin(7.0 * n + 3.0 * r); };
  EXPECT_LT(off([&](int n, int r) { return (r == n - 1 ? 2e-2 : 1e-2) / n * noise(n, r); }, &text), 0.15) << text;
  EXPECT_THAT(text, HasSubstr("[r < p - 1] between $time(0.0099"));
}

TEST(Generalize, ComputationThatFollowsThePlaceOfTheRank) {
  std::string text;
  EXPECT_LT(off([](int n, int r) { return 1e-2 * (1.5 + std::sin(4 * (r + 0.5) / n)) / n; }, &text), 0.1) << text;
  EXPECT_THAT(text, HasSubstr(" spread ("));
}

TEST(Generalize, CountsOfOneBits) {
  expect_exact([](Process& p) {
    p.send((p.rank() + 1) % p.ranks(), 0, 5 + 3 * std::popcount(static_cast<unsigned>(p.rank())));
  });
}

TEST(Generalize, PeersAroundARingThatAreFarAway) {
  expect_exact([](Process& p) {
    const int n = p.ranks(), r = p.rank();
    for (const int distance : {3, n / 2 - 1, n / 2 + 1}) {
      p.irecv((r + n - distance) % n, 1, 50'000);
      p.isend((r + distance) % n, 2);
      p.waitall({1, 2});
      p.barrier();
    }
  });
}

TEST(Generalize, WhatTheTracedSizesDoNotTellIsRefusedWhereItMatters) {
  // 1002 to 1004 elements give the same on 4, 6 and 8 ranks, but not on others.
  const Behaviour behaviour = [](Process& p) {
    p.call("MPI_Bcast", {p.at(0), (1003 + p.ranks() - 1) / p.ranks(), p.doubles(), 0, p.comm()});
  };
  const auto found = general(behaviour, {4, 6, 8});
  int refused = 0;
  for (int n = 9; n < 60; ++n) {
    try {
      EXPECT_EQ(differs(found, behaviour, n), "") << found.of.text;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("the skeleton needs ceil(")) << n;
      ++refused;
    }
  }
  EXPECT_GT(refused, 0) << found.of.text;
  EXPECT_LT(refused, 20) << found.of.text;
}

TEST(Generalize, AnotherProgramAtOneNumberIsRefused) {
  const auto text = problem([](Process& p) {
    p.barrier();
    if (p.ranks() == 16) p.call("MPI_Allreduce", {p.at(0), p.at(100), 1, p.doubles(), p.sum(), p.comm()});
  });
  EXPECT_THAT(text, HasSubstr("4.trace: has no MPI_Allreduce, which 16.trace has"));
  EXPECT_THAT(problem([](Process& p) {
                p.barrier();
                p.send((p.rank() + 1) % p.ranks());
                if (p.ranks() == 16) p.barrier();
              }),
              HasSubstr("MPI_Barrier"));
  EXPECT_THAT(problem([](Process& p) {
                p.send((p.rank() + 1) % p.ranks());
                if (p.ranks() == 16 && p.rank() == 3) p.recv(5);
                if (p.ranks() != 16 && p.rank() == 2) p.recv(1);
              }),
              HasSubstr("MPI_Recv"));
}

TEST(Generalize, WhatTheTracesDoNotDecideIsSaid) {
  // 4 and 16: the square root, or the binary logarithm.
  const Behaviour behaviour = [](Process& p) {
    const int n = p.ranks() == 4 ? 2 : p.ranks() == 16 ? 4 : 8;
    p.call("MPI_Bcast", {p.at(0), n, p.doubles(), 0, p.comm()});
  };
  EXPECT_THAT(general(behaviour, {4, 16}).of.doubts, Not(IsEmpty()));
}

TEST(Generalize, RulesAreComparedOnRanksThatExecute) {
  // Only ranks 0 and p - 1 execute; on these, r == 0 and r < p - 1 are equivalent.
  expect_exact(
      [](Process& p) {
        if (p.rank() > 0 && p.rank() < p.ranks() - 1) return;
        for (int step = 0; step < 10; ++step) {
          p.send(p.rank() == 0 ? p.ranks() - 1 : 0, 0, 100);
          p.recv(p.rank() == 0 ? p.ranks() - 1 : 0, 1000, 100);
          if (p.rank() == 0) p.call("MPI_Wtime", {});
        }
      },
      {2, 4, 8}, {16, 32});
}

TEST(Generalize, OneTraceIsRefused) { EXPECT_THROW(build::generalize_traces({"a.trace"}), Error); }

TEST(Generalize, SweepsOverAMultipartitionWhoseCallsSayWhereTheyAre) {
  // Stages of sweeps to the next column of cells: q - 1 of each, one on 4 ranks.
  const auto sweeps = [](const Sited& at) {
    const int n = at.p.ranks(), q = static_cast<int>(std::lround(std::sqrt(n))), x = at.p.rank() % q,
              y = at.p.rank() / q;
    const auto tag = [&](int stage) {
      const int k = (stage - x + q) % q, j = (x + y - stage + 2 * q) % q;
      return 100 + j + q * k;
    };
    for (int step = 0; step < 4; ++step) {
      for (int k = 0; k + 1 < q; ++k) {
        at(10).call("MPI_Isend",
                    {at.p.at(0), 720 / q, at.p.doubles(), (x + 1) % q + q * y, tag(k), at.p.comm(), at.p.request(1)});
        at(11).irecv((x + q - 1) % q + q * y, 2, 100'000, 720 / q, tag(k + 1));
        at(12).waitall({1, 2});
      }
      at(30).barrier();
    }
  };
  std::vector<build::Run> runs;
  for (const int n : {4, 9, 16}) runs.push_back(sited(n, sweeps));
  const auto found = build::generalize_runs(runs);
  for (const int n : {36}) {
    const auto difference = build::difference(sited(n, sweeps).calls, found.of.text, "text");
    EXPECT_FALSE(difference) << difference->expected << " / " << difference->actual << "\n" << found.of.text;
  }
}

/// Made of 4, 8 and 16 ranks, exact at 32 and 64.
void expect_exact_where_calls_are(const std::function<void(const Sited&)>& behaviour) {
  std::vector<build::Run> runs;
  for (const int n : {4, 8, 16}) runs.push_back(sited(n, behaviour));
  const auto found = build::generalize_runs(runs);
  for (const int n : {32, 64}) {
    const auto difference = build::difference(sited(n, behaviour).calls, found.of.text, "text");
    EXPECT_FALSE(difference) << difference->expected << " / " << difference->actual << "\n" << found.of.text;
  }
}

TEST(Generalize, ABinomialTreeWhoseCallsSayWhereTheyAre) {
  // Each rank hears from the one without its lowest bit, and passes on to those below it.
  expect_exact_where_calls_are([](const Sited& at) {
    const int n = at.p.ranks(), r = at.p.rank(), level = std::countr_zero(static_cast<unsigned>(r + n));
    for (int step = 0; step < 5; ++step) {
      if (r > 0) at(10).recv(r - (1 << level), 50'000);
      for (int bit = (1 << level) / 2; bit > 0; bit /= 2) at(11).send(r + bit);
      at(12).barrier();
    }
  });
}

TEST(Generalize, ATreeThatDoublesWhoseCallsSayWhereTheyAre) {
  expect_exact_where_calls_are([](const Sited& at) {
    const int n = at.p.ranks(), r = at.p.rank();
    for (int step = 0; step < 5; ++step) {
      for (int bit = 1; bit < n; bit *= 2) {
        if (r >= bit && r < 2 * bit) at(10).recv(r - bit, 50'000);
        if (r < bit) at(11).send(r + bit);
      }
      at(12).barrier();
    }
  });
}

TEST(Generalize, ATreeInASpace) {
  // Of 16, 32 and 64 ranks those that send once are those whose first coordinate is 1, as that dimension is always 4. The first rank only
  // sends, so that its loops look like one. 417 to 432 things over 16, 32 and 64 ranks are as many for each.
  const auto both = [](const Sited& at) {
    const int n = at.p.ranks(), r = at.p.rank(), bits = std::countr_zero(static_cast<unsigned>(n));
    int stride = n;
    for (int d = 0; d < 3; ++d) {
      const int size = 1 << ((bits + 2 - d) / 3);
      stride /= size;
      const auto line = static_cast<std::uint64_t>(20 + 10 * d);
      const int c = r / stride % size;
      if (c + 1 < size) at(line).irecv(r + stride, 1, 100'000, 1000);
      if (c > 0) at(line + 1).send(r - stride, 0, (425 + n - 1) / n);
      if (c + 1 < size) at(line + 2).wait(1);
    }
    at(99).barrier();
    for (int step = 0; step < 4; ++step)
      for (int bit = 1; bit < n; bit *= 2) {
        if (r < bit) at(10).send(r + bit);
        if (r >= bit && r < 2 * bit) at(11).recv(r - bit, 50'000);
      }
  };
  std::vector<build::Run> runs;
  for (const int n : {16, 32, 64}) runs.push_back(sited(n, both));
  const auto found = build::generalize_runs(runs);
  EXPECT_THAT(found.of.text, HasSubstr("[log2(p) - width(r) > 0] loop $(log2(p) - width(r)) {"));
  const auto difference = build::difference(sited(128, both).calls, found.of.text, "text");
  EXPECT_FALSE(difference) << difference->expected << " / " << difference->actual << "\n" << found.of.text;
}

/// Each rank sends each other one a share of 4,096 elements, or up to a quarter more or less, as data decide; from step to step only ranks 0
/// and 1 have other counts.
void exchange_of_data(Process& p, int step = 0) {
  const int n = p.ranks(), r = p.rank(), share = 4096 / (n * n);
  const auto more = [&](int low, int high) {
    return ((low * 31 + high * 17) ^ (low * high + n + (high == 1 ? step : 0))) % 5 - 2;
  };
  const auto count = [&](int from, int to) {
    return share + share / 8 * (from < to ? more(from, to) : from > to ? -more(to, from) : 0);
  };
  std::vector<std::int64_t> sent, received, sent_at{0}, received_at{0};
  for (int other = 0; other < n; ++other) {
    sent.push_back(count(r, other));
    received.push_back(count(other, r));
    if (other + 1 == n) break;
    sent_at.push_back(sent_at.back() + sent.back());
    received_at.push_back(received_at.back() + received.back());
  }
  p.call("MPI_Alltoallv",
         {p.at(0), sent, sent_at, p.doubles(), p.at(100'000), received, received_at, p.doubles(), p.comm()});
}

TEST(Generalize, CountsOfDataAreRefusedOrTheirMean) {
  const auto exchange_of_data = [](Process& p) {
    for (int step = 0; step < 3; ++step) test::exchange_of_data(p, 8 * step);
  };
  EXPECT_THAT(problem(exchange_of_data), HasSubstr("no rule of p and r gives sendcounts of MPI_Alltoallv"));
  std::vector<build::Run> runs;
  for (const int n : {4, 8, 16}) runs.push_back({normalized(n, exchange_of_data), std::to_string(n) + ".trace"});
  const auto found = build::generalize_runs(runs, generalize::Counts::means);
  EXPECT_GE(found.of.tolerance, 0.25);
  EXPECT_LT(found.of.tolerance, 0.5);
  EXPECT_THAT(found.of.text, AllOf(HasSubstr("sendcounts=($each(k < p: $(4096 / (p * p))))"),
                                   HasSubstr("rdispls=($each(k < p: $(k * (4096 / (p * p)))))")));
  EXPECT_EQ(differs(found, exchange_of_data, 32), "");
  // What is exact stays so, and says of no tolerance.
  const auto ring = [](Process& p) { p.send((p.rank() + 1) % p.ranks()); };
  runs.clear();
  for (const int n : {4, 8, 16}) runs.push_back({normalized(n, ring), std::to_string(n) + ".trace"});
  EXPECT_EQ(build::generalize_runs(runs, generalize::Counts::means).of.tolerance, 0);
}

TEST(Generalize, ASumThatSharesTheStackWithMessages) {
  // Where it lies among them follows no rule; that it is another buffer does.
  const auto sums = [](const Sited& at) {
    const int n = at.p.ranks(), r = at.p.rank();
    for (int step = 0; step < 4; ++step) {
      at(10).irecv((r + n - 1) % n, 1, 0, 1024 / n);
      at(11).send((r + 1) % n, 100'000, 1024 / n);
      at(12).wait(1);
    }
    const auto where = static_cast<std::uint64_t>(8 * (1 + (r * r * 7 + n * 13) % 29));
    at(20).call("MPI_Allreduce", {at.p.at(where), at.p.at(200'000), 1, at.p.doubles(), at.p.sum(), at.p.comm()});
  };
  std::vector<build::Run> runs;
  for (const int n : {4, 8, 16}) runs.push_back(sited(n, sums));
  const auto found = build::generalize_runs(runs);
  const auto larger = sited(32, sums);
  EXPECT_TRUE(build::difference(larger.calls, found.of.text, "text"));
  const auto addresses = normalize::Areas::addresses;
  const auto difference = build::difference(larger.with(addresses), found.of.text, "text", addresses);
  EXPECT_FALSE(difference) << difference->expected << " / " << difference->actual << "\n" << found.of.text;
}

}  // namespace
}  // namespace skelgen::test
