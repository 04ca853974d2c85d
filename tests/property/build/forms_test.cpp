// Neighbours of one's own, drawn anew now and then, on each rank another number of them: the skeleton is short, and nothing
// is lost.

#include "build/forms.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "build/build.h"
#include "property/build/programs.h"
#include "unit/normalize/process.h"

namespace skelgen::test {
namespace {

/// Everybody exchanges with its partners of the moment. kind 1: all sums as well; 2: blocking, in order of the pairs.
Behaviour ragged(std::uint64_t seed, int steps, int kind) {
  return [=](Process& p) {
    std::mt19937_64 random(seed);  // the same on all ranks
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    std::vector<int> partners;
    int until_new = 0;
    for (int step = 0; step < steps; ++step) {
      if (until_new-- == 0) {
        until_new = 1 + below(5);
        partners.clear();
        for (int pair = below(2 * p.ranks()); pair >= 0; --pair) {
          const int one = below(p.ranks()), other = below(p.ranks());
          if (one != other && one == p.rank()) partners.push_back(other);
          if (one != other && other == p.rank()) partners.push_back(one);
        }
      }
      std::vector<int> requests;
      for (const int partner : partners) {
        const auto n = static_cast<int>(requests.size());
        if (kind == 2) {
          if (partner > p.rank()) p.send(partner);
          p.recv(partner, 5000);
          if (partner < p.rank()) p.send(partner);
          continue;
        }
        p.irecv(partner, n + 1, 5000 + 32 * static_cast<std::uint64_t>(n));
        requests.push_back(n + 1);
      }
      for (const int partner : partners)
        if (kind != 2) {
          const auto n = static_cast<int>(requests.size());
          p.isend(partner, n + 1, 32 * static_cast<std::uint64_t>(n));
          requests.push_back(n + 1);
        }
      if (kind != 2) p.waitall(requests);
      if (kind != 0) p.call("MPI_Allreduce", {p.at(8000), p.at(9000), 1, p.doubles(), p.sum(), p.comm()});
    }
  };
}

struct Formed {
  skeleton::Skeleton skeleton;
  build::Diagnostics diagnostics;
};

Formed formed(const normalize::Normalized& run, const build::Options& options = {},
              std::span<const build::Candidate> candidates = build::kCandidates) {
  Formed formed;
  build::StageClock clock(nullptr);
  formed.skeleton = build::shortest_form(run, options, clock, formed.diagnostics, candidates);
  return formed;
}

TEST(Forms, RaggedNeighboursAreLoopsOverThem) {
  std::size_t before = 0, after = 0;
  for (std::uint64_t seed = 0; seed < 36 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const int ranks = 2 + static_cast<int>(seed % 6), kind = static_cast<int>(seed / 6 % 3);
    const auto run = normalized(ranks, ragged(seed, 40 + static_cast<int>(seed), kind));
    const auto strict = merge::into_spmd(run, build::fold_classes(run, fold::Mode::best));
    const auto skeleton = formed(run).skeleton;
    skeleton::check(skeleton);
    const auto difference = verify::lossless(run, skeleton);
    EXPECT_FALSE(difference) << difference->rank << ", " << difference->index << ": " << difference->expected << " / "
                             << difference->actual;
    EXPECT_EQ(emit::check_deadlock(skeleton).safe, emit::check_deadlock(strict).safe);
    EXPECT_LE(skeleton::length(skeleton.program), kind == 2 ? 60u : 40u);
    EXPECT_LE(skeleton::length(skeleton.program), skeleton::length(strict.program));
    EXPECT_FALSE(emit::program(skeleton, emit::plan_scale(skeleton, 10)).empty());
    before += skeleton::length(strict.program);
    after += skeleton::length(skeleton.program);
  }
  EXPECT_LT(3 * after, before);
}

TEST(Forms, CallsThatAllRanksMakeAreOneStatementEach) {
  // Halo exchange in three dimensions, with MPI_PROC_NULL beyond the edges: which neighbours a rank has differs.
  const std::vector<std::array<int, 3>> grids{{2, 2, 1}, {5, 1, 1}, {3, 2, 1}, {2, 2, 2}, {3, 3, 1}, {3, 2, 2}};
  for (const auto& grid : grids) {
    const int ranks = grid[0] * grid[1] * grid[2];
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    const auto run = normalized(ranks, [&](Process& p) {
      const int stride[] = {grid[1] * grid[2], grid[2], 1};
      std::vector<int> neighbours;
      for (int d = 0; d < 3; ++d) {
        const int at = p.rank() / stride[d] % grid[static_cast<std::size_t>(d)];
        neighbours.push_back(at > 0 ? p.rank() - stride[d] : mpi::kProcNull);
        neighbours.push_back(at < grid[static_cast<std::size_t>(d)] - 1 ? p.rank() + stride[d] : mpi::kProcNull);
      }
      for (int step = 0; step < 40; ++step) {
        for (int face = 0; face < 6; ++face)
          p.irecv(neighbours[static_cast<std::size_t>(face)], face + 1, 5000 + 32 * static_cast<std::uint64_t>(face), 4,
                  face ^ 1);
        for (int face = 0; face < 6; ++face)
          p.isend(neighbours[static_cast<std::size_t>(face)], face + 7, 32 * static_cast<std::uint64_t>(face));
        p.waitall({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
      }
    });
    const auto skeleton = formed(run).skeleton;
    EXPECT_FALSE(verify::lossless(run, skeleton));
    const auto loop = std::ranges::find_if(skeleton.program, [](const auto& node) { return node.is_loop(); });
    ASSERT_NE(loop, skeleton.program.end());
    EXPECT_LE(skeleton::length(loop->loop().body), 13u);
  }
}

TEST(Forms, AStepOnAllRanksStaysAStep) {
  const auto run = normalized(5, ragged(3, 50, 0));
  const auto strict = merge::into_spmd(run, build::fold_classes(run, fold::Mode::best));
  const auto skeleton = formed(run).skeleton;
  const auto loop = std::ranges::find_if(skeleton.program, [](const auto& node) { return node.is_loop(); });
  ASSERT_NE(loop, skeleton.program.end());
  EXPECT_EQ(loop->where.size(), 5u);
  for (std::size_t position = 0; position < 5; ++position) EXPECT_EQ(loop->loop().trips.of(position).at(0), 50);
  EXPECT_TRUE(skeleton::closed(skeleton, *loop)) << "so it can be cut";
}

TEST(Forms, StepsOfVaryingTripsAreOneLoop) {
  // A solver that iterates as long as it must in each step. On many ranks the loops of each step alone have no lists and many calls for
  // each of their values.
  const auto run = normalized(64, [](Process& p) {
    std::mt19937_64 random(1);
    for (int step = 0; step < 60; ++step) {
      for (auto trips = 2 + random() % 8; trips > 0; --trips) {
        p.send((p.rank() + 1) % p.ranks());
        p.recv((p.rank() + p.ranks() - 1) % p.ranks(), 5000);
        p.call("MPI_Allreduce", {p.at(8000), p.at(9000), 1, p.doubles(), p.sum(), p.comm()});
      }
      p.call("MPI_Barrier", {p.comm()});
    }
  });
  const auto skeleton = formed(run).skeleton;
  EXPECT_FALSE(verify::lossless(run, skeleton));
  EXPECT_LE(skeleton::length(skeleton.program), 8u);
}

TEST(Forms, ARunThatIsTooLongSaysSo) {
  const auto run = normalized(4, ragged(5, 50, 1));
  std::uint64_t calls = 0;
  for (const auto& location : run.locations) calls += location.calls.size();
  const auto strict = merge::into_spmd(run, build::fold_classes(run, fold::Mode::best));
  const auto looked_at = formed(run, {.most_tried = calls}), left = formed(run, {.most_tried = calls - 1});
  EXPECT_FALSE(looked_at.diagnostics.too_long);
  EXPECT_TRUE(left.diagnostics.too_long);
  EXPECT_LT(skeleton::length(looked_at.skeleton.program), skeleton::length(left.skeleton.program));
  EXPECT_EQ(skeleton::length(left.skeleton.program), skeleton::length(strict.program));
}

TEST(Forms, RanksThatDoTheSameCountOnce) {
  // A string without any order, the same on all ranks but for the partner.
  const auto run = normalized(6, [](Process& p) {
    std::mt19937_64 random(1);
    for (int step = 0; step < 300; ++step) {
      const auto kind = random() % 4;
      if (kind == 0) p.call("MPI_Allreduce", {p.at(8000), p.at(9000), 1, p.doubles(), p.sum(), p.comm()});
      if (kind == 1) p.call("MPI_Barrier", {p.comm()});
      const int d = 1 + static_cast<int>(random() % 5);
      if (kind == 2) p.isend((p.rank() + d) % 6, 1), p.irecv((p.rank() + 6 - d) % 6, 2, 100), p.waitall({1, 2});
      if (kind == 3) p.irecv((p.rank() + 6 - d) % 6, 2, 100), p.isend((p.rank() + d) % 6, 1), p.waitall({1, 2});
    }
  });
  ASSERT_EQ(run.classes.size(), 1u);
  const auto calls = run.locations[0].calls.size();
  EXPECT_FALSE(formed(run, {.most_tried = calls}).diagnostics.too_long);
  EXPECT_TRUE(formed(run, {.most_tried = calls - 1}).diagnostics.too_long);
}

/// Problems of many sizes, one after another: on each rank other calls, nothing twice in a row.
Behaviour problems(std::uint64_t seed, int problems) {
  return [=](Process& p) {
    std::mt19937_64 random(seed);  // the same on all ranks
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const auto sum = [&] { p.call("MPI_Allreduce", {p.at(8000), p.at(9000), 1, p.doubles(), p.sum(), p.comm()}); };
    for (int problem = 0; problem < problems; ++problem) {
      p.call("MPI_Barrier", {p.comm()});
      for (int panel = below(9); panel >= 0; --panel) {
        for (int column = below(5); column > 0; --column) {
          const int from = below(p.ranks()), to = (from + 1 + below(p.ranks() - 1)) % p.ranks();
          if (p.rank() == from) p.send(to);
          if (p.rank() == to) p.recv(from, 5000);
          if (below(2)) sum();
        }
        if (below(3)) sum(), sum();
      }
      if (below(2)) p.call("MPI_Barrier", {p.comm()});
    }
  };
}

void expect_lossless(const normalize::Normalized& run, const skeleton::Skeleton& skeleton) {
  skeleton::check(skeleton);
  const auto difference = verify::lossless(run, skeleton);
  EXPECT_FALSE(difference) << difference->rank << ", " << difference->index << ": " << difference->expected << " / "
                           << difference->actual;
  EXPECT_FALSE(emit::program(skeleton, emit::plan_scale(skeleton, 10)).empty());
}

/// One of 32 collective calls.
void collective(Process& p, int kind) {
  const auto comm = p.comm(kind % 2 ? 1 : 2), type = kind / 2 % 2 ? p.ints() : p.doubles();
  switch (kind / 4) {
    case 0:
      return p.call("MPI_Allreduce", {p.at(8000), p.at(9000), 1, type, p.sum(), comm});
    case 1:
      return p.call("MPI_Scan", {p.at(8000), p.at(9000), 1, type, p.sum(), comm});
    case 2:
      return p.call("MPI_Exscan", {p.at(8000), p.at(9000), 1, type, p.sum(), comm});
    case 3:
      return p.call("MPI_Allgather", {p.at(8000), 1, type, p.at(9000), 1, type, comm});
    case 4:
      return p.call("MPI_Alltoall", {p.at(8000), 1, type, p.at(9000), 1, type, comm});
    case 5:
      return p.call("MPI_Bcast", {p.at(8000), 1, type, 0, comm});
    case 6:
      return p.call("MPI_Gather", {p.at(8000), 1, type, p.at(9000), 1, type, 0, comm});
    default:
      return p.call("MPI_Scatter", {p.at(8000), 1, type, p.at(9000), 1, type, 0, comm});
  }
}

/// Problems of many stages, each of some panels: more calls than one step could choose from.
Behaviour problems_of_stages(std::uint64_t seed, int problems) {
  return [=](Process& p) {
    std::mt19937_64 random(seed);  // the same on all ranks
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    for (int problem = 0; problem < problems; ++problem) {
      p.barrier();
      for (int stage = 0; stage < 32; ++stage) {
        for (int panel = below(4); panel > 0; --panel) {
          collective(p, stage);
          for (int column = below(4); column > 0; --column) {
            const int from = (below(2) + stage) % p.ranks(), to = (from + 1 + below(p.ranks() - 1)) % p.ranks();
            if (p.rank() == from) p.send(to);
            if (p.rank() == to) p.recv(from, 5000);
            if (below(2)) collective(p, (stage + 11) % 32);
          }
          if (below(3)) collective(p, (stage + 5) % 32);
        }
      }
    }
  };
}

TEST(Forms, ProblemsOfManyStagesAreFoldedTogether) {
  for (std::uint64_t seed = 0; seed < 6 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto run = normalized(2 + static_cast<int>(seed % 4), problems_of_stages(seed, 30));
    const auto [skeleton, diagnostics] = formed(run);
    EXPECT_FALSE(diagnostics.stopped);
    expect_lossless(run, skeleton);
    EXPECT_TRUE(emit::check_deadlock(skeleton).safe);
    EXPECT_LE(skeleton::length(skeleton.program), 400u);
  }
}

TEST(Forms, ManyProblemsOfManySizesAreShort) {
  for (std::uint64_t seed = 0; seed < 20 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto run = normalized(2 + static_cast<int>(seed % 4), problems(seed, 150));
    const auto skeleton = formed(run).skeleton;
    expect_lossless(run, skeleton);
    EXPECT_TRUE(emit::check_deadlock(skeleton).safe);
    EXPECT_LE(skeleton::length(skeleton.program), 50u);
  }
}

/// Trips of the first loop on the top level, if it can be cut.
std::int64_t cut_trips(const skeleton::Skeleton& skeleton) {
  const auto loop = std::ranges::find_if(skeleton.program, [](const auto& node) { return node.is_loop(); });
  if (loop == skeleton.program.end() || !skeleton::closed(skeleton, *loop)) return 0;
  return loop->loop().trips.of(0).at(0);
}

TEST(Forms, AMainLoopStaysOne) {
  // The same problems again and again: that loop is what a skeleton is cut at.
  const auto run = normalized(3, [](Process& p) {
    for (int step = 0; step < 10; ++step) problems_of_stages(1, 6)(p);
  });
  EXPECT_EQ(cut_trips(formed(run).skeleton), 10);
}

/// A ring exchange, and every `often`-th step a broadcast and a sum whose root goes around or is drawn.
Behaviour changing_root(std::uint64_t seed, int steps, int often, bool drawn) {
  return [=](Process& p) {
    std::mt19937_64 random(seed);  // the same on all ranks
    for (int step = 0; step < steps; ++step) {
      p.send((p.rank() + 1) % p.ranks()), p.recv((p.rank() + p.ranks() - 1) % p.ranks(), 100);
      if (step % often != often - 1) continue;
      const auto n = static_cast<unsigned>(p.ranks());
      const int root = static_cast<int>((drawn ? random() : static_cast<unsigned>(step / often)) % n);
      p.call("MPI_Bcast", {p.at(8000), 1, p.doubles(), root, p.comm()});
      p.call("MPI_Reduce", {p.at(8000), p.at(9000), 1, p.doubles(), p.sum(), root, p.comm()});
    }
  };
}

TEST(Forms, ARootThatChangesIsAValue) {
  for (std::uint64_t seed = 0; seed < 60 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const int ranks = 2 + static_cast<int>(seed % 5), often = 1 + static_cast<int>(seed / 2 % 3) * 3;
    const auto run = normalized(ranks, changing_root(seed, 120, often, seed % 2 == 0));
    const auto skeleton = formed(run).skeleton;
    expect_lossless(run, skeleton);
    // Where two ranks take turns, a loop over both roots may be as cheap.
    const bool turns = ranks == 2 && seed % 2 == 1 && cut_trips(skeleton) == 120 / often / 2;
    EXPECT_LE(skeleton::length(skeleton.program), turns ? 10u : 8u);
    if (!turns) EXPECT_EQ(cut_trips(skeleton), 120 / often);
  }
}

TEST(Forms, TheSameRootEachTimeIsNone) {
  const auto run = normalized(4, [](Process& p) {
    for (int step = 0; step < 20; ++step)
      for (const int root : {0, 2}) p.call("MPI_Bcast", {p.at(8000), 1, p.doubles(), root, p.comm()});
  });
  const auto skeleton = formed(run).skeleton;
  expect_lossless(run, skeleton);
  EXPECT_LE(skeleton::length(skeleton.program), 4u);
}

TEST(Forms, AStepIsAStepEvenIfSomeRanksDoNothingInIt) {
  for (std::uint64_t seed = 0; seed < 40 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const int ranks = 2 + static_cast<int>(seed % 4), most = 2 + static_cast<int>(seed / 4 % 3);
    const auto run = normalized(ranks, [=](Process& p) {
      std::mt19937_64 random(seed * 100 + static_cast<std::uint64_t>(p.rank()));
      for (int step = 0; step < 150; ++step) {
        for (auto calls = random() % static_cast<unsigned>(most + 1); calls > 0; --calls)
          p.call("MPI_Allreduce", {p.at(8000), p.at(9000), 1, p.doubles(), p.sum(), p.comm(2)});
        p.isend((p.rank() + 1) % ranks, 1), p.irecv((p.rank() + ranks - 1) % ranks, 2, 100), p.waitall({1, 2});
      }
    });
    const auto skeleton = formed(run).skeleton;
    expect_lossless(run, skeleton);
    EXPECT_EQ(cut_trips(skeleton), 150);
    EXPECT_LE(skeleton::length(skeleton.program), 6u);
  }
}

TEST(Forms, PartnersOfAShortPeriodLeaveAStepAStep) {
  for (int ranks = 3; ranks <= 6; ++ranks) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    const auto run = normalized(ranks, [=](Process& p) {
      for (int step = 0; step < 200; ++step) {
        p.call("MPI_Barrier", {p.comm()});
        std::vector<int> requests;
        for (int other = 0; other < ranks; ++other)
          if (other != p.rank() && (p.rank() + other + step) % 3 == 0) {
            requests.push_back(static_cast<int>(requests.size()) + 1);
            p.irecv(other, requests.back(), 5000 + 64 * static_cast<std::uint64_t>(other), 7);
          }
        for (int other = ranks - 1; other >= 0; --other)
          if (other != p.rank() && (p.rank() + other + step) % 3 == 0) {
            requests.push_back(static_cast<int>(requests.size()) + 1);
            p.isend(other, requests.back(), 64 * static_cast<std::uint64_t>(other));
          }
        p.waitall(requests);
      }
    });
    const auto skeleton = formed(run).skeleton;
    expect_lossless(run, skeleton);
    EXPECT_GE(cut_trips(skeleton), 60);
    EXPECT_LE(skeleton::length(skeleton.program), 24u);
  }
}

/// Steps that each take one of some programs or none, pause on some ranks, or have another root.
Behaviour choosing(std::uint64_t seed, int ranks, int steps) {
  std::mt19937_64 own(seed);
  std::vector<Behaviour> choices;
  for (auto n = 2 + own() % 4; n > 0; --n) choices.push_back(random_program(own(), ranks));
  const auto kinds = own();  // bits: what varies
  return [=](Process& p) {
    std::mt19937_64 random(seed);                                                      // the same on all ranks
    std::mt19937_64 alone(kinds & 1 ? seed : seed + static_cast<unsigned>(p.rank()));  // or on each another
    for (int step = 0; step < steps; ++step) {
      const auto choice = random() % (choices.size() + 1);
      const int root =
          static_cast<int>((kinds & 2 ? random() : static_cast<unsigned>(step)) % static_cast<unsigned>(ranks));
      if (kinds & 4) p.barrier();
      if (choice < choices.size()) choices[choice](p);
      if (kinds & 8) p.call("MPI_Bcast", {p.at(8000), 1, p.doubles(), root, p.comm()});
      if (kinds & 16)
        for (auto calls = alone() % 3; calls > 0; --calls)
          p.call("MPI_Allreduce", {p.at(8000), p.at(9000), 1, p.doubles(), p.sum(), p.comm(2)});
      if (kinds & 32 && random() % 8 == 0)
        p.call("MPI_Reduce", {p.at(8000), p.at(9000), 1, p.doubles(), p.sum(), root, p.comm()});
    }
  };
}

TEST(Forms, LoseNothingOfStepsThatChoose) {
  std::size_t statements = 0, plainly = 0;
  std::vector<std::size_t> made(std::size(build::kCandidates));  // forms, by candidate
  for (std::uint64_t seed = 0; seed < 30 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const int ranks = 2 + static_cast<int>(seed % 4);
    const auto run = normalized(ranks, choosing(seed, ranks, 40 + static_cast<int>(seed % 5) * 30));
    for (std::size_t c = 0; c < made.size(); ++c) {
      const Formed alone = formed(run, {}, {&build::kCandidates[c], 1});
      made[c] += alone.diagnostics.form == build::kCandidates[c];
      expect_lossless(run, alone.skeleton);
    }
    const auto strict = merge::into_spmd(run, build::fold_classes(run, fold::Mode::best));
    expect_lossless(run, strict);
    const auto skeleton = formed(run).skeleton;
    expect_lossless(run, skeleton);
    // What each rank does has one order whatever form it is written in.
    EXPECT_EQ(emit::check_deadlock(skeleton).safe, emit::check_deadlock(strict).safe);
    statements += skeleton::length(skeleton.program);
    plainly += skeleton::length(merge::into_spmd(run, build::fold_classes(run, fold::Mode::seed)).program);
  }
  EXPECT_LT(8 * statements, plainly);
  for (std::size_t c = 0; c < made.size(); ++c) EXPECT_GT(made[c], 2u) << "candidate " << c + 1;
}

TEST(Forms, CallsBeforeMpiInitDoNotDrawItIntoALoop) {
  const auto run = normalized(
      1,
      [](Process& p) {
        for (const bool again : {false, true}) {
          for (int i = 0; i < (again ? 1 : 2); ++i) p.call("MPI_Info_create", {p.type(100)});
          for (int key = 0; key < 18; ++key) p.call("MPI_Pcontrol", {});
          p.call("MPI_Info_free", {p.type(100)});
          p.call("MPI_Info_create", {p.type(100)});
          if (!again) p.call("MPI_Init", {});
        }
      },
      {}, Level::later);
  const auto skeleton = formed(run).skeleton;
  EXPECT_FALSE(verify::lossless(run, skeleton));
  EXPECT_NO_THROW(text::check_calls(skeleton));
}

TEST(Forms, AJacobiIterationInThreeDimensionsIsOneLoopBody) {
  const mpi::Grid grid{{{3, false}, {3, false}, {3, false}}};
  const auto run = normalized(27, [&](Process& p) {
    const auto zeros = std::vector<std::int64_t>{0, 0, 0}, threes = std::vector<std::int64_t>{3, 3, 3};
    p.call("MPI_Cart_create", {p.comm(), 3, threes, zeros, 0, p.comm(3)});
    p.define(3, 27, p.rank(), 0);
    const auto message = [&](const char* function, int request, int face, int tag) {
      const auto peer = grid.neighbour(p.rank(), static_cast<std::size_t>(face / 2), face % 2 ? 1 : -1);
      p.call(function, {p.at(4096 * static_cast<std::uint64_t>(request)), 4, p.doubles(), peer, tag, p.comm(3),
                        p.request(request)});
    };
    for (int step = 0; step < 40; ++step) {
      for (int face = 0; face < 6; ++face) message("MPI_Irecv", face + 1, face, face % 2);
      for (int face = 0; face < 6; ++face) message("MPI_Isend", face + 7, face, 1 - face % 2);
      p.waitall({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    }
  });
  const auto skeleton = formed(run).skeleton;
  expect_lossless(run, skeleton);
  EXPECT_EQ(skeleton::length(skeleton.program), 16u);  // MPI_Init, MPI_Cart_create, the loop's 13, MPI_Finalize
  const auto text = emit::program(skeleton, emit::plan_scale(skeleton, 10));
  for (const char* neighbour :
       {"cart_minus[0]", "cart_plus[0]", "cart_minus[1]", "cart_plus[1]", "cart_minus[2]", "cart_plus[2]"})
    EXPECT_NE(text.find(neighbour), std::string::npos) << neighbour;
  for (const char* table : {"source_", "dest_", "tag_", "participates"}) EXPECT_EQ(text.find(table), std::string::npos);
}

TEST(Forms, ProgramsThatAreShortAlreadyStayAsTheyAre) {
  const auto run = normalized(4, [](Process& p) {
    for (int step = 0; step < 20; ++step)
      for (int d = 1; d < 4; ++d)
        p.isend((p.rank() + d) % 4, 1), p.irecv((p.rank() + 4 - d) % 4, 2, 100), p.waitall({1, 2});
  });
  const auto strict = merge::into_spmd(run, build::fold_classes(run, fold::Mode::best));
  EXPECT_EQ(skeleton::length(formed(run).skeleton.program), skeleton::length(strict.program));
}

}  // namespace
}  // namespace skelgen::test
