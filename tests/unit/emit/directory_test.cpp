#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "support/error.h"
#include "unit/emit/programs.h"
#include "unit/emit/run.h"

namespace skelgen::emit {
namespace {

using namespace programs;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::set<std::string> files(const fs::path& directory) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) names.insert(entry.path().filename().string());
  return names;
}

TEST(Directory, HasSixFilesAndNothingElse) {
  Scratch scratch;
  const auto skeleton = ring(2, 101);
  write(scratch.path / "app.skel", skeleton, plan_scale(skeleton, 10), {});
  EXPECT_EQ(files(scratch.path / "app.skel"),
            (std::set<std::string>{"Makefile", "README.md", "skel.c", "skel.h", "skeleton.c", "skeleton.json"}));
  EXPECT_EQ(files(scratch.path), std::set<std::string>{"app.skel"});
}

TEST(Directory, NamesNeitherTheApplicationNorItsPlace) {
  Scratch scratch;
  const auto skeleton = ring(2, 101);
  write(scratch.path / "weathercode.skel", skeleton, plan_scale(skeleton, 10), {});
  for (const auto& name : files(scratch.path / "weathercode.skel")) {
    const auto text = read(scratch.path / "weathercode.skel" / name);
    EXPECT_THAT(text, Not(HasSubstr("weathercode"))) << name;
    EXPECT_THAT(text, Not(HasSubstr(scratch.path.string()))) << name;
    EXPECT_THAT(text, Not(HasSubstr(SKELGEN_SOURCE_DIR))) << name;
    EXPECT_THAT(text, Not(HasSubstr("/*@"))) << name;
  }
}

TEST(Directory, SameInputGivesTheSameBytes) {
  Scratch scratch;
  const auto skeleton = halo(3, 50);
  for (const auto* name : {"a", "b"}) write(scratch.path / name, skeleton, plan_scale(skeleton, 5), {});
  for (const auto& name : files(scratch.path / "a"))
    EXPECT_EQ(read(scratch.path / "a" / name), read(scratch.path / "b" / name));
}

TEST(Directory, DescriptionHasTheKeysThatOthersRead) {
  Scratch scratch;
  const auto skeleton = ring(2, 1001, 1e-3);
  Options options;
  options.compiler = "mpicc.mpich";
  options.safe = false;
  options.extra_json = R"({"concurrency": {"alpha": 0.5}})";
  write(scratch.path / "a", skeleton, plan_scale(skeleton, 4), options);
  const auto json = nlohmann::ordered_json::parse(read(scratch.path / "a" / "skeleton.json"));
  EXPECT_EQ(json.begin().key(), "schema");
  EXPECT_EQ(json["schema"], "skelgen.skeleton-info/1");
  EXPECT_EQ(json["ranks"], 2);
  EXPECT_EQ(json["mpi"], "MPICH");
  EXPECT_EQ(json["compiler"], "mpicc.mpich");
  EXPECT_EQ(json["scale"], 4);
  EXPECT_EQ(json["safe"], false);
  EXPECT_EQ(json["phases"][1]["trips"], 1001);
  EXPECT_EQ(json["phases"][1]["kept"], 250);
  EXPECT_EQ(json["phases"][1]["executions"], 1);
  EXPECT_EQ(json["phases"][1]["run"], 251);
  EXPECT_TRUE(json["phases"][1].contains("error"));
  EXPECT_FALSE(json["phases"][0].contains("executions"));
  EXPECT_TRUE(json["not_cut"].is_array());
  EXPECT_EQ(json["concurrency"]["alpha"], 0.5);
  EXPECT_THAT(read(scratch.path / "a" / "README.md"),
              AllOf(HasSubstr("**Unsafe:**"), HasSubstr("`mpiexec.mpich` goes with `mpicc.mpich`"),
                    HasSubstr("| loop 1 | 1001 | 251 | 4 |"),
                    HasSubstr(": 250 of the other 1000 of loop 1 run, weight 1000 / 250 = 4.\n")));
  EXPECT_THAT(read(scratch.path / "a" / "Makefile"),
              HasSubstr("ifeq ($(origin CC),command line)\nMPICC ?= $(CC)\nendif\nMPICC ?= $(if $(shell command -v "
                        "mpicc.mpich 2>/dev/null),mpicc.mpich,mpicc)\n"));
}

TEST(Directory, ReplacesASkeletonAndNothingElse) {
  Scratch scratch;
  const auto skeleton = ring(2, 101);
  const auto plan = plan_scale(skeleton, 2);
  write(scratch.path / "a", skeleton, plan, {});
  write(scratch.path / "a", skeleton, plan, {});
  fs::create_directory(scratch.path / "mine");
  std::ofstream(scratch.path / "mine" / "thesis.txt") << "text";
  EXPECT_THROW(write(scratch.path / "mine", skeleton, plan, {}), Error);
  EXPECT_EQ(files(scratch.path / "mine"), std::set<std::string>{"thesis.txt"});
  EXPECT_EQ(files(scratch.path), (std::set<std::string>{"a", "mine"}));
}

TEST(Directory, WhatSomebodyDidToASkeletonIsKeptUnlessForced) {
  const auto skeleton = ring(2, 101);
  const auto plan = plan_scale(skeleton, 2);
  for (const std::string what : {"notes.txt", "skeleton.c", "skeleton"}) {
    Scratch scratch;
    const auto place = scratch.path / "a";
    write(place, skeleton, plan, {});
    std::ofstream(place / what, std::ios::app) << "// mine\n";
    const auto before = read(place / what);
    if (what == "skeleton") {  // what make makes
      write(place, skeleton, plan, {});
      EXPECT_FALSE(fs::exists(place / what));
      continue;
    }
    try {
      write(place, skeleton, plan, {});
      FAIL() << what << " is gone";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr(what), HasSubstr("; choose another name, or replace it with --force")));
    }
    EXPECT_EQ(read(place / what), before);
    Options force;
    force.force = true;
    write(place, skeleton, plan, force);
    EXPECT_EQ(files(scratch.path), std::set<std::string>{"a"});
    EXPECT_EQ(files(place).size(), 6u);
  }
}

TEST(Directory, ASkeletonOfTheVersionThatWroteRanksHIsReplaced) {
  Scratch scratch;
  const auto skeleton = ring(2, 101);
  write(scratch.path / "a", skeleton, plan_scale(skeleton, 2), {});
  std::ofstream(scratch.path / "a" / "ranks.h") << "static const double gap[][17] = {{0}};\n";
  write(scratch.path / "a", skeleton, plan_scale(skeleton, 2), {});
  EXPECT_FALSE(fs::exists(scratch.path / "a" / "ranks.h"));
}

/// A skeleton of 20 ranks without times whose buffers are of different size.
class ManyRanks : public testing::Test {
 protected:
  static constexpr int kRanks = 20;
  /// Writes and compiles it; tables.h.
  std::string compiled(Block middle) {
    auto skeleton = b_.finish(std::move(middle));
    for (auto& node : skeleton.program) node.before = {};
    skeleton::check(skeleton);
    write(scratch_.path / "a", skeleton, plan_scale(skeleton, 1), {});
    compile(scratch_.path / "a");
    return read(scratch_.path / "a" / "tables.h");
  }
  Node bcast(const Argument& count) {
    return b_.call("MPI_Bcast", {{"buffer", constant(buffer(0, 0))},
                                 {"count", count},
                                 {"datatype", constant(b_.name("MPI_BYTE"))},
                                 {"root", constant(0)}});
  }
  ManyRanks() {
    b_.memory(4096);
    for (auto& location : b_.skeleton.locations)
      location.buffer_bytes[0] += static_cast<std::uint64_t>(location.where.rank);
  }
  /// As many values as there are ranks, which follow no rule.
  static Sequence values(std::int64_t seed) {
    std::vector<std::int64_t> all;
    for (int k = 0; k < kRanks; ++k) all.push_back((seed + k * k * 37) % 101);
    return Sequence::of(all);
  }
  Scratch scratch_;
  Builder b_{kRanks};
};

TEST_F(ManyRanks, WithoutTimesHaveTheirBuffersInTablesH) {
  Block m;
  m.push_back(bcast(constant(4)));
  EXPECT_THAT(compiled(std::move(m)), HasSubstr("buffer_bytes"));
}

// Values are as many as ranks by chance, or sequences since each rank has its own.
TEST_F(ManyRanks, HaveASequenceWhereItsValuesAre) {
  Argument two, own, one;
  two.choices = {values(1), values(2)};
  own.choices.clear();
  one.choices = {values(1)};
  for (int rank = 0; rank < kRanks; ++rank) {
    two.choice.push_back(rank % 2);
    own.choices.push_back(values(rank + 1));
    own.choice.push_back(static_cast<std::uint32_t>(rank));
  }
  Block body, m;
  for (const auto& counts : {two, own, one}) body.push_back(bcast(counts));
  m.push_back(b_.loop(constant(kRanks), std::move(body)));
  const auto tables = compiled(std::move(m));
  EXPECT_THAT(tables, HasSubstr("static const struct skel_sequence count_"));
  EXPECT_THAT(read(scratch_.path / "a" / "skeleton.c"), HasSubstr("static const struct skel_sequence count_"));
}

TEST(Directory, SeveralThatWriteTheSameOneLeaveOneThatIsWhole) {
  Scratch scratch;
  const auto skeleton = ring(2, 101);
  const auto plan = plan_scale(skeleton, 2);
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i)
    writers.emplace_back([&] {
      for (int k = 0; k < 25; ++k) EXPECT_NO_THROW(write(scratch.path / "a", skeleton, plan, {}));
    });
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(files(scratch.path), std::set<std::string>{"a"});
  EXPECT_EQ(files(scratch.path / "a").size(), 6u);
}

TEST(Directory, ALinkIsNotReplaced) {
  Scratch scratch;
  const auto skeleton = ring(2, 101);
  write(scratch.path / "a", skeleton, plan_scale(skeleton, 2), {});
  fs::create_symlink("a", scratch.path / "link");
  for (const std::string name : {"link", "loop"}) {
    if (name == "loop") fs::create_symlink("loop", scratch.path / "loop");
    try {
      write(scratch.path / name, skeleton, plan_scale(skeleton, 2), {});
      FAIL() << name << " was replaced";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::io);
      EXPECT_THAT(error.what(),
                  HasSubstr((scratch.path / name).string() + ": is a symbolic link; choose another name or remove it"));
    }
    EXPECT_TRUE(fs::is_symlink(scratch.path / name));
  }
}

TEST(Directory, CallThatCannotBeReplayedLeavesNothing) {
  Scratch scratch;
  Builder b(2);
  Block m;
  m.push_back(b.call("MPI_Abort"));
  const auto skeleton = b.finish(std::move(m));
  try {
    write(scratch.path / "a", skeleton, plan_scale(skeleton, 2), {});
    FAIL() << "an abort was emitted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::unsupported);
    EXPECT_THAT(error.what(), HasSubstr("MPI_Abort"));
  }
  EXPECT_EQ(files(scratch.path), std::set<std::string>{});
}

TEST(Directory, RanksThatDoNotFinishAreAnError) {
  auto skeleton = ring(2, 11);
  skeleton.program.pop_back();
  EXPECT_THROW(program(skeleton, plan_scale(skeleton, 1)), Error);
}

}  // namespace
}  // namespace skelgen::emit
