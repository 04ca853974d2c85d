// Exchanges in canonical order, logs merged call by call: whatever the program, nothing is lost, added or made unsafe.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "build/build.h"
#include "build/forms.h"
#include "property/build/programs.h"

namespace skelgen::test {
namespace {

using normalize::Normalized;
using skeleton::Skeleton;

constexpr std::uint64_t kPrograms = 200;

int ranks_of(std::uint64_t seed) { return 2 + static_cast<int>(seed % 5); }

Skeleton folded(const Normalized& run) {
  const auto programs = build::fold_classes(run, fold::Mode::best);
  return merge::into_spmd(run, programs);
}

Skeleton seed_merged(const Normalized& run, std::uint64_t look_ahead) {
  const auto log = merge::merge_logs(run, look_ahead);
  return merge::into_spmd(run, log, fold::fold(log.text));
}

/// Expanding the skeleton gives the calls, and it can be emitted.
void expect_lossless(const Normalized& strict, const Skeleton& skeleton, const char* what) {
  skeleton::check(skeleton);
  EXPECT_FALSE(emit::program(skeleton, emit::plan_scale(skeleton, 10)).empty());
  const auto difference = verify::lossless(strict, skeleton);
  EXPECT_FALSE(difference) << what << ": rank " << difference->rank << ", call " << difference->index << ": expected "
                           << difference->expected << ", got " << difference->actual;
}

/// How often a location makes which call; what MPI_Recv was split into counts as MPI_Recv.
std::map<std::vector<std::int64_t>, int> multiset_of(const Normalized& run, std::size_t location) {
  std::map<std::vector<std::int64_t>, int> all;
  const int receive = mpi::find("MPI_Recv")->id;
  for (const auto id : run.locations[location].calls) {
    const auto& record = run.records[id];
    const auto& function = *run.symbols[record.symbol].function;
    const bool half = record.order != 0 && function.kind != mpi::Kind::send;
    if (half && function.kind == mpi::Kind::complete) continue;
    std::vector<std::int64_t> call{half ? receive : function.id};
    for (std::size_t i = 0; i < record.values.size(); ++i) {
      const auto role = function.parameters[i].role;
      if (role == mpi::Role::buffer || (half && role == mpi::Role::request)) continue;  // renamed; not in MPI_Recv
      call.push_back(record.values[i]);
    }
    if (function.name == "MPI_Recv" || half) call.resize(6);  // without the status, which MPI_Wait has
    ++all[call];
  }
  return all;
}

/// What tracing a program that makes just these calls would give.
Normalized traced_again(const Normalized& run) {
  return normalized(static_cast<int>(run.locations.size()), [&](Process& p) {
    const auto& location = run.locations[static_cast<std::size_t>(p.rank())];
    for (const auto id : location.calls) {
      const auto& record = run.records[id];
      const auto& function = *run.symbols[record.symbol].function;
      if (function.kind == mpi::Kind::init || function.kind == mpi::Kind::finalize) continue;
      std::vector<trace::Argument> arguments;
      for (std::size_t i = 0; i < record.values.size(); ++i) {
        const std::int64_t value = record.values[i];
        switch (function.parameters[i].role) {
          case mpi::Role::buffer: {
            const auto slot = static_cast<std::uint64_t>(mpi::slot_of(value));
            arguments.emplace_back(p.at(1'000'000 - slot * 10'000 + static_cast<std::uint64_t>(mpi::offset_of(value))));
            break;
          }
          case mpi::Role::datatype:
            arguments.emplace_back(p.doubles());
            break;
          case mpi::Role::comm:
            arguments.emplace_back(p.comm());
            break;
          case mpi::Role::request:
            arguments.emplace_back(p.request(static_cast<int>(value) + 1));
            break;
          case mpi::Role::requests: {
            std::vector<std::int64_t> handles;
            for (const auto slot : run.arrays[static_cast<std::size_t>(value)])
              handles.push_back(p.request(static_cast<int>(slot) + 1));
            arguments.emplace_back(handles);
            break;
          }
          case mpi::Role::status:
          case mpi::Role::statuses:
            arguments.emplace_back(run.arrays[static_cast<std::size_t>(value)]);
            break;
          default:
            arguments.emplace_back(value);
        }
      }
      p.call(function.name, arguments);
    }
  });
}

TEST(Order, ExchangesLoseNothingAndMakeNothingUnsafe) {
  std::uint64_t exchanges = 0, safe = 0, mended = 0;
  for (std::uint64_t seed = 0; seed < kPrograms && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto strict = normalized(ranks_of(seed), random_program(seed, ranks_of(seed)));
    const auto run = normalize::exchange(strict);
    const Skeleton before = folded(strict), after = folded(run);
    expect_lossless(strict, before, "strict");
    expect_lossless(strict, after, "exchange");
    for (std::size_t l = 0; l < run.locations.size(); ++l) EXPECT_EQ(multiset_of(run, l), multiset_of(strict, l));
    const auto was = emit::check_deadlock(before), is = emit::check_deadlock(after);
    EXPECT_TRUE(is.safe || !was.safe) << is.explanation;
    const auto again = verify::compare(run, traced_again(run));
    EXPECT_TRUE(again.identical) << again.first_difference->expected << " / " << again.first_difference->actual;
    exchanges += run.exchanges;
    safe += was.safe;
    mended += !was.safe && is.safe;
  }
  EXPECT_GT(exchanges, kPrograms);
  EXPECT_GT(safe, kPrograms / 4);
  EXPECT_LT(safe, kPrograms) << "no program relied on buffers";
  EXPECT_GT(mended, 0u);
}

TEST(Order, MergingCallByCallLosesNothing) {
  std::size_t records = 0, statements = 0;
  for (std::uint64_t seed = 0; seed < kPrograms && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto strict = normalized(ranks_of(seed), random_program(seed, ranks_of(seed)));
    const Skeleton skeleton = seed_merged(strict, 1 + seed % 20);
    expect_lossless(strict, skeleton, "strict");
    EXPECT_EQ(emit::check_deadlock(skeleton).safe, emit::check_deadlock(folded(strict)).safe);
    const auto run = normalize::exchange(strict);
    expect_lossless(strict, seed_merged(run, 1 + seed % 20), "exchange");
    for (const auto& location : strict.locations) records += location.calls.size();
    statements += skeleton::length(skeleton.program);
  }
  EXPECT_LT(2 * statements, records);
}

/// Losslessness up to a permutation is worth something only if another permutation does not pass.
TEST(Order, AWrongPlaceIsFound) {
  std::uint64_t tried = 0;
  for (std::uint64_t seed = 0; seed < 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto strict = normalized(ranks_of(seed), random_program(seed, ranks_of(seed)));
    auto run = normalize::exchange(strict);
    if (run.exchanges == 0) continue;
    for (auto& record : run.records)
      if (record.order == 1)
        record.order = 2;
      else if (record.order == 2)
        record.order = 1;
    EXPECT_TRUE(verify::lossless(strict, folded(run)));
    ++tried;
  }
  EXPECT_GT(tried, 100u);
}

}  // namespace
}  // namespace skelgen::test
