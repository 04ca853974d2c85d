// Merging loses nothing: whatever the locations' programs look like, expanding the merged program gives each of them
// back.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <sstream>

#include "merge/merge.h"
#include "text/text.h"
#include "unit/merge/run.h"

namespace skelgen {
namespace {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {
    ranks_ = below(7) + 1;
    per_row_ = below(3) + 1;
  }
  int ranks() const { return ranks_; }

  run::Program block(run::Runner& runner, int depth, int most) {
    run::Program program;
    for (int i = 0, n = below(most) + 1; i < n; ++i)
      program.push_back(depth < 3 && below(10) < 3 ? loop(runner, depth) : call(runner));
    return program;
  }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

 private:
  std::function<bool(int)> who() {
    const int n = ranks_, pivot = below(n), kind = below(8), row = per_row_;
    return [=](int r) {
      switch (kind) {
        case 0:
          return r != pivot;
        case 1:
          return r == pivot;
        case 2:
          return r % 2 == 0;
        case 3:
          return r / row > 0;
        case 4:
          return r < n - 1;
        default:
          return true;
      }
    };
  }

  run::Statement loop(run::Runner& runner, int depth) {
    const int trips = below(5) + 1, differ = below(4), kind = below(12), period = below(4) + 2;
    if (kind < 4) {
      const std::uint64_t salt = random_();
      return run::only(who(), run::varying_loop(
                                  [=](int r, std::uint64_t k) -> std::uint64_t {
                                    const auto t = static_cast<int>(k);
                                    switch (kind) {
                                      case 0:
                                        return static_cast<std::uint64_t>(t % period == 0);  // a rare call
                                      case 1:
                                        return static_cast<std::uint64_t>(trips + t % period);
                                      case 2:
                                        return static_cast<std::uint64_t>(std::max(0, 7 - t));
                                      default:
                                        return (salt * (k + 1 + (differ == 0 && r == 0)) >> 40) % 4;
                                    }
                                  },
                                  block(runner, depth + 1, 3)));
    }
    return run::only(who(), run::loop(
                                [=](int r) {
                                  return static_cast<std::uint64_t>(differ == 0   ? 1 + (trips + r) % 3
                                                                    : differ == 1 ? trips + (r == 0)
                                                                                  : trips);
                                },
                                block(runner, depth + 1, 3)));
  }

  run::Number peer() {
    const int n = ranks_, c = below(n), kind = below(6);
    return [=](int r, std::uint64_t) -> std::int64_t {
      switch (kind) {
        case 0:
          return c;
        case 1:
          return (r + c) % n;
        case 2:
          return r + 1 < n ? r + 1 : mpi::kProcNull;
        case 3:
          return (r ^ 1) < n ? r ^ 1 : mpi::kAnySource;
        case 4:
          return (r + n - c) % n;
        default:
          return (r * 7 + c) % n;
      }
    };
  }

  // Counts, tags, buffers, arrays: constant, by rank, by a rule of the occurrence, or anything.
  run::Number column(int limit) {
    const int c = below(limit), step = below(3), kind = below(6), period = below(4) + 2;
    const std::uint64_t salt = random_();
    return [=](int r, std::uint64_t k) -> std::int64_t {
      const auto t = static_cast<std::int64_t>(k);
      switch (kind) {
        case 0:
          return (c + r) % limit;
        case 1:
          return (c + t * step) % limit;
        case 2:
          return (c + t % period) % limit;
        case 3:
          return static_cast<std::int64_t>((salt * (k + 1) * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(r)) >>
                                           40) %
                 limit;
        default:
          return c;
      }
    };
  }

  run::Statement call(run::Runner& runner) {
    static const char* const kNames[] = {"MPI_Send",  "MPI_Recv",      "MPI_Irecv",     "MPI_Wait",    "MPI_Barrier",
                                         "MPI_Bcast", "MPI_Allreduce", "MPI_Alltoallv", "MPI_Sendrecv"};
    run::Statement s = run::only(who(), run::call(kNames[below(9)]));
    for (int i = 0; i < 4; ++i) runner.array({i, below(3), i * i});
    const auto datatype = run::always(below(2));
    for (const mpi::Parameter& p : mpi::find(s.function)->parameters) {
      const auto arrays = static_cast<int>(runner.normalized().arrays.size());
      run::Number value = run::always(0);
      switch (p.role) {
        case mpi::Role::peer:
          value = peer();
          break;
        case mpi::Role::root:
          value = run::always(below(ranks_));
          break;
        case mpi::Role::datatype:
          value = datatype;
          break;
        case mpi::Role::op:
          value = run::always(2 + below(2));
          break;
        case mpi::Role::comm:
          value = run::always(below(4) == 0);
          break;
        case mpi::Role::counts:
        case mpi::Role::displs:
        case mpi::Role::status:
          value = column(arrays);
          break;
        default:
          value = column(1000);
      }
      s.values[std::string(p.name)] = value;
    }
    const std::uint64_t salt = random_();
    s.gap = [=](int r, std::uint64_t k) {
      const std::uint64_t x = (salt ^ (k * 977 + static_cast<std::uint64_t>(r))) * 0x9e3779b97f4a7c15u;
      return x % 3 == 0 ? 0.0 : static_cast<double>(x >> 40) * 1e-9;
    };
    s.duration = below(100) * 1e-6;
    return s;
  }

  std::mt19937_64 random_;
  int ranks_ = 1, per_row_ = 1;
};

std::string text(const skeleton::Skeleton& skeleton) {
  std::ostringstream out;
  text::print(out, skeleton);
  return out.str();
}

void expect_lossless(const run::Run& run, const skeleton::Skeleton& skeleton) {
  const normalize::Normalized& n = run.normalized;
  for (std::uint32_t l = 0; l < n.locations.size(); ++l) {
    const normalize::LocationCalls& calls = n.locations[l];
    std::size_t k = 0;
    double before_s = 0;
    expand(skeleton, l, [&](const skeleton::ExpandedCall& c) {
      if (k >= calls.calls.size()) {
        ADD_FAILURE() << "location " << l << " has more calls than " << k;
        return false;
      }
      const normalize::Record& record = n.records[calls.calls[k]];
      const bool same = c.call->function == n.symbols[record.symbol].function &&
                        std::equal(c.values.begin(), c.values.end(), record.values.begin(), record.values.end());
      EXPECT_TRUE(same) << "location " << l << ", call " << k;
      before_s += c.before_s;
      ++k;
      return same;
    });
    EXPECT_EQ(k, calls.calls.size()) << "location " << l;
    const double traced_s = std::accumulate(calls.gap_s.begin(), calls.gap_s.end(), 0.0);
    EXPECT_NEAR(before_s, traced_s, 1e-9 * traced_s) << "location " << l;
    EXPECT_NEAR(total_compute(skeleton, l), traced_s, 1e-9 * traced_s) << "location " << l;
  }
}

TEST(Merge, ExpandsToWhatEveryLocationDid) {
  std::size_t classes = 0, aligned = 0;
  for (std::uint64_t seed = 0; seed < 4'000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Generator generator(seed);
    run::Runner runner(generator.ranks());
    run::Program program = generator.block(runner, 0, 8);
    program.push_back(run::call("MPI_Finalize"));  // what is spent before a loop of no trips is spent before a call
    run::Run run = runner.run(program);
    if (seed % 2 == 1)  // loops as they are found, not as they were written
      for (fold::Program& p : run.programs) p = fold::fold(fold::expand(p));
    const skeleton::Skeleton skeleton = merge::into_spmd(run.normalized, run.programs);
    check(skeleton);
    expect_lossless(run, skeleton);
    ASSERT_EQ(text(skeleton), text(merge::into_spmd(run.normalized, run.programs)));
    for (const auto& p : run.programs) classes += fold::length(p);
    aligned += length(skeleton.program);
  }
  EXPECT_LT(aligned, classes / 2) << "merged programs are hardly shorter than their parts together";
}

TEST(Merge, LongProgramsWithoutLoopsAreStillAligned) {
  Generator generator(7);
  run::Runner runner(2);
  run::Program program;
  const char* const names[] = {"MPI_Barrier", "MPI_Wtime", "MPI_Send", "MPI_Wait"};
  for (int i = 0; i < 9000; ++i) {
    run::Statement s = run::call(names[generator.below(4)]);
    const int who = generator.below(10);
    s.who = [=](int r) { return who > 1 || who == r; };
    program.push_back(s);
  }
  const run::Run run = runner.run(program);
  const skeleton::Skeleton skeleton = merge::into_spmd(run.normalized, run.programs);
  check(skeleton);
  expect_lossless(run, skeleton);
  EXPECT_LT(length(skeleton.program), 9000u) << "no longer than the program that both came from";
}

}  // namespace
}  // namespace skelgen
