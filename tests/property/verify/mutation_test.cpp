// A skeleton that says what was traced passes; one that says anything else is found out, at the right call.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "unit/normalize/process.h"
#include "verify/verify.h"

namespace skelgen::test {
namespace {

/// The skeleton without any loop: one statement per call.
skeleton::Skeleton straight(const normalize::Normalized& run) {
  skeleton::Skeleton result;
  result.arrays = run.arrays;
  result.names = run.names;
  result.name_bytes = run.name_bytes;
  for (std::uint32_t l = 0; l < run.locations.size(); ++l) {
    const auto& location = run.locations[l];
    auto& data = result.locations.emplace_back();
    data.where = location.where;
    data.buffer_bytes = location.buffer_bytes;
    for (std::size_t i = 0; i < location.calls.size(); ++i) {
      const auto& record = run.records[location.calls[i]];
      skeleton::Call call;
      call.function = run.symbols[record.symbol].function;
      for (const auto value : record.values)
        call.arguments.push_back({{{skeleton::Sequence::Kind::constant, {value}}}, {}, {}});
      call.duration_s = {location.duration_s[i]};
      skeleton::Node node{{l}, {{location.gap_s[i]}, {}}, std::move(call)};
      result.program.push_back(std::move(node));
    }
  }
  return result;
}

Behaviour random_program(std::uint64_t seed) {
  return [=](Process& p) {
    std::mt19937_64 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    for (int i = 0; i < 40; ++i) {
      const int peer = (p.rank() + below(p.ranks())) % p.ranks();
      const auto address = static_cast<std::uint64_t>(below(20)) * 64;
      switch (below(4)) {
        case 0:
          p.send(peer, address, below(20), below(3));
          break;
        case 1:
          p.irecv(peer, 1, address);
          p.isend(peer, 2, address + 2000);
          p.waitall({1, 2});
          break;
        case 2:
          p.call("MPI_Allgatherv",
                 {p.at(address), 1, p.doubles(), p.at(address + 4000),
                  std::vector<std::int64_t>(static_cast<std::size_t>(p.ranks()), 1 + below(3)),
                  std::vector<std::int64_t>(static_cast<std::size_t>(p.ranks()), below(3)), p.doubles(), p.comm()});
          break;
        default:
          p.call("MPI_Reduce", {p.at(address), p.at(address + 8000), below(9) + 1, p.ints(), p.sum(), 0, p.comm()},
                 static_cast<std::uint64_t>(below(1000)));
      }
    }
  };
}

TEST(Lossless, WhatWasTracedPasses) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto run = normalized(1 + static_cast<int>(seed % 4), random_program(seed));
    const auto difference = verify::lossless(run, straight(run));
    EXPECT_FALSE(difference) << seed << ": " << difference->expected << " / " << difference->actual;
  }
}

TEST(Lossless, ArraysAndNamesMayBeNumberedOtherwise) {
  const auto run = normalized(2, random_program(3));
  auto skeleton = straight(run);
  std::vector<std::int64_t> array(run.arrays.size()), name(run.names.size());
  std::reverse(skeleton.arrays.begin() + 1, skeleton.arrays.end());
  for (std::size_t i = 1; i < array.size(); ++i) array[i] = static_cast<std::int64_t>(array.size() - i);
  std::reverse(skeleton.names.begin(), skeleton.names.end());
  for (std::size_t i = 0; i < name.size(); ++i) name[i] = static_cast<std::int64_t>(name.size() - 1 - i);
  ASSERT_GT(array.size(), 3u);
  ASSERT_GT(name.size(), 1u);
  for (auto& node : skeleton.program)
    for (std::size_t a = 0; a < node.call().arguments.size(); ++a) {
      auto& value = node.call().arguments[a].choices[0].values[0];
      switch (node.call().function->parameters[a].role) {
        case mpi::Role::counts:
        case mpi::Role::displs:
        case mpi::Role::requests:
        case mpi::Role::statuses:
          value = array[static_cast<std::size_t>(value)];
          break;
        case mpi::Role::datatype:
        case mpi::Role::op:
          value = name[static_cast<std::size_t>(value)];
          break;
        default:
          break;
      }
    }
  EXPECT_FALSE(verify::lossless(run, skeleton));
  std::reverse(skeleton.names.begin(), skeleton.names.end());
  EXPECT_TRUE(verify::lossless(run, skeleton));
}

TEST(Lossless, AChangedArgumentIsFound) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto run = normalized(3, random_program(seed % 7));
    auto skeleton = straight(run);
    std::size_t at;
    do at = random() % skeleton.program.size();
    while (skeleton.program[at].call().arguments.empty());
    auto& node = skeleton.program[at];
    auto& argument = node.call().arguments[random() % node.call().arguments.size()];
    auto& value = argument.choices[0].values[0];
    value = value == 0 ? 1 : 0;  // valid for every role: arrays and names have more than one element
    const auto difference = verify::lossless(run, skeleton);
    ASSERT_TRUE(difference);
    EXPECT_EQ(difference->rank, static_cast<Rank>(node.where[0]));
    std::size_t before = 0;
    for (std::size_t i = 0; i < at; ++i) before += skeleton.program[i].where == node.where;
    EXPECT_EQ(difference->index, before);
    EXPECT_NE(difference->expected, difference->actual);
  }
}

TEST(Lossless, AMissingOrAddedCallIsFound) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const auto run = normalized(2, random_program(seed));
    std::mt19937_64 random(seed);
    auto missing = straight(run);
    missing.program.erase(missing.program.begin() + static_cast<std::ptrdiff_t>(random() % missing.program.size()));
    EXPECT_TRUE(verify::lossless(run, missing));
    auto added = straight(run);
    added.program.push_back(added.program.back());
    const auto difference = verify::lossless(run, added);
    ASSERT_TRUE(difference);
    EXPECT_EQ(difference->expected, "(no call)");
    EXPECT_EQ(difference->index, run.locations[1].calls.size());
    auto cut = straight(run);
    cut.program.pop_back();
    ASSERT_TRUE(verify::lossless(run, cut));
    EXPECT_EQ(verify::lossless(run, cut)->actual, "(no call)");
  }
}

TEST(Lossless, LostComputationIsFound) {
  const auto run = normalized(2, random_program(1));
  auto skeleton = straight(run);
  ASSERT_FALSE(verify::lossless(run, skeleton));
  auto& mean_s = skeleton.program[3].before.mean_s[0];
  ASSERT_GT(mean_s, 0);
  mean_s = 0;
  const auto difference = verify::lossless(run, skeleton);
  ASSERT_TRUE(difference);
  EXPECT_THAT(difference->expected, testing::HasSubstr("s of computation"));
}

TEST(Lossless, OtherLocationsAreFound) {
  const auto run = normalized(2, random_program(1));
  auto skeleton = straight(run);
  skeleton.locations.pop_back();
  const auto difference = verify::lossless(run, skeleton);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->actual, "1 location");
}

TEST(Compare, AnyChangedRecordIsFound) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto run = normalized(3, random_program(seed % 7));
    EXPECT_TRUE(verify::compare(run, run).identical);
    auto other = run;
    auto& location = other.locations[random() % 3];
    const auto at = random() % location.calls.size();
    auto record = other.records[location.calls[at]];
    if (record.values.empty()) continue;
    auto& value = record.values[random() % record.values.size()];
    value = value == 0 ? 1 : 0;
    const auto changed = static_cast<normalize::RecordId>(other.records.size());
    other.records.push_back(record);
    location.calls.change(std::vector<normalize::CallList::Change>{{at, changed}});
    const auto report = verify::compare(run, other);
    const auto& parameters = run.symbols[record.symbol].function->parameters;
    if (report.identical) {
      // Only what a wildcard matched may differ.
      const auto& before =
          run.records[run.locations[static_cast<std::size_t>(&location - other.locations.data())].calls[at]];
      for (std::size_t i = 0; i < before.values.size(); ++i)
        if (before.values[i] != other.records[changed].values[i])
          EXPECT_THAT(std::string(parameters[i].name), testing::HasSubstr("status"));
      continue;
    }
    EXPECT_EQ(report.first_difference->index, at);
    EXPECT_EQ(report.first_difference->rank, location.where.rank);
  }
}

}  // namespace
}  // namespace skelgen::test
