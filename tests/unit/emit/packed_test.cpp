// Long tables of programs with many numbers stand packed in tables.h.

#include "emit/packed.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <random>
#include <regex>

#include "unit/emit/programs.h"
#include "unit/emit/run.h"

namespace skelgen::emit {
namespace {

using namespace programs;
using testing::HasSubstr;

TEST(Packed, WhatRepeatsItselfTakesLittle) {
  std::mt19937 random(1);
  std::vector<std::uint8_t> bytes(1000);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  EXPECT_LE(without_repetitions(bytes).size(), 1010u) << "noise stays as it is";
  const auto once = bytes;
  for (int i = 0; i < 99; ++i) bytes.insert(bytes.end(), once.begin(), once.end());
  EXPECT_LE(without_repetitions(bytes).size(), 1020u);
}

/// All numbers that tables may hold, and the text without a row too many.
TEST(Packed, TheRuntimeReadsWhatWasPacked) {
  Scratch scratch;
  std::mt19937_64 random(2);
  PackedTables tables;
  std::string expected, declared, print;
  for (int t = 0; t < 40; ++t) {
    const bool wide = t % 2 == 1;
    std::vector<std::int64_t> numbers(random() % 3000);
    const auto shift = random() % (wide ? 63 : 31) + (wide ? 1 : 33);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = t % 5 == 0   ? static_cast<std::int64_t>(i) * 40 - 7
                   : t % 5 == 1 ? 8 * static_cast<std::int64_t>(random() % 4)
                                : static_cast<std::int64_t>(random()) >> shift;
    if (wide && !numbers.empty()) numbers[0] = t % 4 == 1 ? INT64_MIN : INT64_MAX;
    tables.add(fmt::format("&t{}", t), wide ? 8 : 4, numbers);
    declared += fmt::format("static const {}* t{};\n", wide ? "int64_t" : "int", t);
    print +=
        fmt::format("  for (int i = 0; i < {0}; i++) printf(\"%lld\\n\", (long long)t{1}[i]);\n", numbers.size(), t);
    for (const auto n : numbers) expected += fmt::format("{}\n", n);
  }
  const std::vector<std::vector<std::int64_t>> arrays{{}, {1, -2, 3}, {}, {INT32_MIN, INT32_MAX}};
  tables.add_arrays("&arrays", 4, arrays);
  declared += "static const int* const* arrays;\n";
  for (std::size_t a = 0; a < arrays.size(); ++a)
    for (std::size_t i = 0; i < arrays[a].size(); ++i) {
      print += fmt::format("  printf(\"%d\\n\", arrays[{}][{}]);\n", a, i);
      expected += fmt::format("{}\n", arrays[a][i]);
    }
  std::ofstream(scratch.path / "read.c") << "#include \"skel.c\"\n"
                                         << declared << tables.declarations()
                                         << "int main(void) {\n  if (prepare_tables(&packed)) return 1;\n"
                                         << print << "  return 0;\n}\n";
  std::string output;
  const auto program = (scratch.path / "read").string();
  ASSERT_EQ(shell("mpicc.mpich -std=c11 -g -fsanitize=undefined -fno-sanitize-recover -Wall -Wextra -Werror -pedantic "
                  "-I" SKELGEN_SOURCE_DIR "/templates/runtime -o " +
                      program + " " + program + ".c",
                  output),
            0)
      << output;
  output.clear();
  EXPECT_EQ(shell(program, output), 0);
  EXPECT_EQ(output, expected);
}

/// A long loop in which nothing repeats itself: counts, places, requests, arrays and trips are others each time, and on
/// each rank.
Skeleton irregular(int rounds) {
  std::mt19937 random(3);
  Builder b(2);
  for (int slot = 0; slot < 5; ++slot) b.memory(1 << 16);
  const auto type = constant(b.name("MPI_INT")), peer = each({1, 0});
  const auto values = [&](const auto& next) {
    std::vector<std::int64_t> all;
    for (int i = 0; i < rounds; ++i) all.push_back(next());
    return Sequence::of(all);
  };
  const auto same = [&](const auto& next) { return Argument{{values(next)}, {}, {}}; };
  const auto of_rank = [&](const auto& next) { return Argument{{values(next), values(next)}, {0, 1}, {}}; };
  const auto place = [&] { return buffer(static_cast<std::int64_t>(random() % 5), 4 * (random() % 1000)); };
  const auto slot = of_rank([&] { return static_cast<std::int64_t>(random() % 40); });
  auto other = slot;
  for (auto& sequence : other.choices)
    for (auto& v : sequence.values) v = 40 + v * 7 % 40;
  auto both = slot;
  for (std::size_t c = 0; c < both.choices.size(); ++c)
    for (std::size_t i = 0; i < both.choices[c].values.size(); ++i)
      both.choices[c].values[i] = b.array({other.choices[c].values[i], slot.choices[c].values[i]});
  const auto count = same([&] { return static_cast<std::int64_t>(random() % 100); });
  Block body, inner;
  body.push_back(b.call("MPI_Irecv", {{"buf", of_rank(place)},
                                      {"count", count},
                                      {"datatype", type},
                                      {"source", peer},
                                      {"tag", constant(3)},
                                      {"request", slot}}));
  body.push_back(b.call("MPI_Isend", {{"buf", same(place)},
                                      {"count", count},
                                      {"datatype", type},
                                      {"dest", peer},
                                      {"tag", constant(3)},
                                      {"request", other}}));
  body.push_back(b.call("MPI_Waitall", {{"count", constant(2)}, {"array_of_requests", both}}));
  const auto trips = same([&] { return static_cast<std::int64_t>(random() % 3); });
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(trips.choices[0].sum(static_cast<std::uint64_t>(rounds))));
  for (auto& size : sizes) size = random() % 50;
  inner.push_back(
      b.call("MPI_Bcast", {{"buffer", constant(buffer(0, 0))}, {"count", sequence(sizes)}, {"datatype", type}}));
  body.push_back(b.loop(trips, std::move(inner)));
  Block middle;
  middle.push_back(b.loop(constant(rounds), std::move(body)));
  return b.finish(std::move(middle));
}

TEST(Packed, OnlyProgramsWithManyNumbersPackThem) {
  std::string tables;
  const auto few = irregular(1000), many = irregular(12000);
  ASSERT_LT(skeleton::argument_values(few), kManyNumbers);
  ASSERT_GT(skeleton::argument_values(many), kManyNumbers);
  const auto short_program = program(few, plan_scale(few, 1), &tables);
  EXPECT_EQ(tables.find("packed"), std::string::npos);
  const auto at_once = tables.size();
  const auto long_program = program(many, plan_scale(many, 1), &tables);
  EXPECT_THAT(tables, HasSubstr("static const struct skel_packed packed = "));
  EXPECT_THAT(long_program, HasSubstr(".packed = &packed"));
  EXPECT_LT(tables.size(), 6 * at_once) << "of twelve times as many numbers";
  EXPECT_LT(long_program.size(), short_program.size() + 200) << "the program does not grow with them";
  EXPECT_EQ(long_program, program(many, plan_scale(many, 1), &tables)) << "same input, same bytes";
}

TEST(PackedRun, ALargeIrregularProgramReplaysItsCalls) {
  Scratch scratch;
  const auto skeleton = irregular(12000);
  skeleton::check(skeleton);
  const auto plan = plan_scale(skeleton, 1);
  const auto ran = run(scratch.path, skeleton, plan);
  ASSERT_EQ(ran.status, 0) << ran.output;
  for (std::uint32_t l = 0; l < 2; ++l)
    EXPECT_TRUE(read(scratch.path / ("calls-" + std::to_string(l) + ".txt")) == expected_calls(skeleton, l));

  // One letter is another one.
  const auto directory = scratch.path / "p.skel";
  auto tables = read(directory / "tables.h");
  auto& letter = tables[tables.find("packed_text[]") + 1000];
  letter = letter == 'A' ? 'B' : 'A';
  std::ofstream(directory / "tables.h") << tables;
  ASSERT_EQ(compile(directory).status, 0);
  std::string output;
  EXPECT_EQ(shell("mpiexec.mpich -n 2 " + (directory / "skeleton").string(), output), 1);
  EXPECT_EQ(output, "skeleton: the numbers in tables.h are damaged; build the skeleton anew\n");

  fs::remove(directory / "tables.h");
  output.clear();
  EXPECT_NE(shell("make -s -B -C " + directory.string() + " MPICC=mpicc.mpich", output), 0);
  EXPECT_THAT(output, HasSubstr("tables.h: No such file or directory"));
}

}  // namespace
}  // namespace skelgen::emit
