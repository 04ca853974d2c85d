// Emitted programs make, use and free the datatypes and operations of the intermediate form.

#include <gmock/gmock.h>

#include "mpi/layout.h"
#include "unit/emit/programs.h"
#include "unit/emit/run.h"

namespace skelgen::emit {
namespace {

using namespace programs;
using testing::HasSubstr;

Argument type(std::int64_t slot) { return constant(mpi::kMade + slot); }

/// What every rank makes of datatypes, when everything runs.
std::vector<std::string> types_of(const Skeleton& skeleton) {
  Scratch scratch;
  skeleton::check(skeleton);
  const auto ran = run(scratch.path, skeleton, plan_scale(skeleton, 1), "", "", 0, "",
                       std::string(SKELGEN_SOURCE_DIR) + "/tests/unit/emit/record_types.c");
  EXPECT_EQ(ran.status, 0) << ran.output << read(scratch.path / "p.skel" / "skeleton.c");
  std::vector<std::string> all;
  for (std::size_t l = 0; l < skeleton.locations.size(); ++l)
    all.push_back(read(scratch.path / ("types-" + std::to_string(l) + ".txt")));
  return all;
}

Node commit(Builder& b, Argument which) { return b.call("MPI_Type_commit", {{"datatype", std::move(which)}}); }
Node release(Builder& b, Argument which) { return b.call("MPI_Type_free", {{"datatype", std::move(which)}}); }
Node bcast(Builder& b, std::size_t memory, Argument which) {
  return b.call("MPI_Bcast", {{"buffer", constant(buffer(static_cast<std::int64_t>(memory), 0))},
                              {"count", constant(1)},
                              {"datatype", std::move(which)}});
}

TEST(Run, DatatypesAndOperationsOfTheProgramBesidePredefinedOnes) {
  Builder b(2);
  const auto memory = constant(buffer(b.memory(24), 0));
  const auto doubles = b.name("MPI_DOUBLE");
  Block m;
  m.push_back(b.call("MPI_Type_contiguous",
                     {{"count", constant(3)}, {"oldtype", constant(doubles)}, {"newtype", constant(0)}}));
  m.push_back(commit(b, type(0)));
  m.push_back(b.call("MPI_Op_create", {{"commute", constant(1)}, {"op", constant(0)}}));
  m.push_back(
      b.call("MPI_Bcast", {{"buffer", memory}, {"count", each({3, 1})}, {"datatype", each({doubles, mpi::kMade})}}));
  m.push_back(b.call("MPI_Allreduce", {{"sendbuf", constant(mpi::kInPlace)},
                                       {"recvbuf", memory},
                                       {"count", constant(1)},
                                       {"datatype", constant(doubles)},
                                       {"op", each({b.name("MPI_SUM"), mpi::kMade})},
                                       {"comm", constant(1)}}));
  m.push_back(release(b, type(0)));
  const auto skeleton = b.finish(std::move(m));
  const auto text = program(skeleton, plan_scale(skeleton, 1));
  EXPECT_THAT(text, HasSubstr(", rank == 0 ? MPI_DOUBLE : type[0], 0, MPI_COMM_WORLD);"));
  EXPECT_THAT(text, HasSubstr(", rank == 0 ? MPI_SUM : op[0], MPI_COMM_SELF);"));
  types_of(skeleton);
}

TEST(Run, DatatypesAreMadeByTheirConstructors) {
  Builder b(2);
  const auto memory = static_cast<std::size_t>(b.memory(1 << 16));
  const auto doubles = constant(b.name("MPI_DOUBLE"));
  const auto ints = b.name("MPI_INT");
  const auto list = [&](std::vector<std::int64_t> values) { return constant(b.array(std::move(values))); };
  Block m;
  std::int64_t made = 0;
  const auto make = [&](const std::string& name, Arguments arguments) {
    arguments.emplace("oldtype", doubles);
    arguments["newtype"] = constant(made);
    m.push_back(b.call(name, arguments));
    m.push_back(commit(b, type(made)));
    m.push_back(bcast(b, memory, type(made++)));
  };
  make("MPI_Type_contiguous", {{"count", constant(3)}});
  make("MPI_Type_vector", {{"count", constant(4)}, {"blocklength", constant(2)}, {"stride", constant(5)}});
  make("MPI_Type_create_hvector", {{"count", constant(2)}, {"blocklength", constant(1)}, {"stride", each({80, 160})}});
  make("MPI_Type_indexed",
       {{"count", constant(2)}, {"array_of_blocklengths", list({1, 2})}, {"array_of_displacements", list({0, 6})}});
  make("MPI_Type_create_hindexed",
       {{"count", constant(2)}, {"array_of_blocklengths", list({1, 2})}, {"array_of_displacements", list({0, 72})}});
  make("MPI_Type_create_indexed_block",
       {{"count", constant(2)}, {"blocklength", constant(3)}, {"array_of_displacements", list({0, 7})}});
  make("MPI_Type_create_hindexed_block",
       {{"count", constant(2)}, {"blocklength", constant(3)}, {"array_of_displacements", list({0, 88})}});
  make("MPI_Type_create_struct", {{"count", constant(2)},
                                  {"array_of_blocklengths", list({1, 2})},
                                  {"array_of_displacements", list({0, 128})},
                                  {"array_of_types", list({ints, mpi::kMade})}});
  make("MPI_Type_create_subarray", {{"ndims", constant(2)},
                                    {"array_of_sizes", list({8, 4})},
                                    {"array_of_subsizes", list({2, 4})},
                                    {"array_of_starts", list({3, 0})},
                                    {"order", constant(mpi::kOrderFortran)}});
  make("MPI_Type_create_darray", {{"size", constant(2)},
                                  {"rank", each({0, 1})},
                                  {"ndims", constant(1)},
                                  {"array_of_gsizes", list({10})},
                                  {"array_of_distribs", list({mpi::kDistributeBlock})},
                                  {"array_of_dargs", list({mpi::kDistributeDfltDarg})},
                                  {"array_of_psizes", list({2})},
                                  {"order", constant(mpi::kOrderC)}});
  make("MPI_Type_create_resized", {{"oldtype", type(1)}, {"lb", constant(-8)}, {"extent", constant(16)}});
  make("MPI_Type_dup", {{"oldtype", type(2)}});
  make("MPI_Type_create_f90_real", {{"p", constant(15)}, {"r", constant(300)}});
  const auto all = types_of(b.finish(std::move(m)));
  const auto of = [](std::vector<std::string> what) {
    std::string text;
    for (const auto& each : what) text += "commit " + each + "\nbcast " + each + "\n";
    return text;
  };
  EXPECT_EQ(all[0], of({"24 bytes in 24 at 0", "64 bytes in 136 at 0", "16 bytes in 88 at 0", "24 bytes in 64 at 0",
                        "24 bytes in 88 at 0", "48 bytes in 80 at 0", "48 bytes in 112 at 0", "52 bytes in 176 at 0",
                        "64 bytes in 256 at 0", "40 bytes in 80 at 0", "64 bytes in 16 at -8", "16 bytes in 88 at 0",
                        "8 bytes in 8 at 0"}));
  EXPECT_THAT(all[1], HasSubstr("commit 16 bytes in 168 at 0\n")) << "another stride";
}

TEST(Run, DatatypesComeAndGoInALoop) {
  Builder b(2);
  const auto memory = static_cast<std::size_t>(b.memory(4096));
  Block body, m;
  body.push_back(
      b.call("MPI_Type_contiguous",
             {{"count", sequence({1, 2, 4, 8})}, {"oldtype", constant(b.name("MPI_INT"))}, {"newtype", constant(0)}}));
  body.push_back(b.call("MPI_Type_create_struct", {{"count", constant(1)},
                                                   {"array_of_blocklengths", constant(b.array({2}))},
                                                   {"array_of_displacements", constant(b.array({0}))},
                                                   {"array_of_types", constant(b.array({mpi::kMade}))},
                                                   {"newtype", constant(1)}}));
  body.push_back(release(b, type(0)));
  body.push_back(commit(b, type(1)));
  body.push_back(bcast(b, memory, type(1)));
  body.push_back(release(b, type(1)));
  m.push_back(b.loop(constant(4), std::move(body)));
  std::string expected;
  for (const int count : {1, 2, 4, 8}) {
    const auto one = std::to_string(4 * count) + " bytes in " + std::to_string(4 * count) + " at 0\n";
    const auto two = std::to_string(8 * count) + " bytes in " + std::to_string(8 * count) + " at 0\n";
    expected += "free " + one + "commit " + two + "bcast " + two + "free " + two;
  }
  EXPECT_EQ(types_of(b.finish(std::move(m)))[1], expected);
}

TEST(Run, DatatypesOfOtherSlotsEachTime) {
  Builder b(2);
  const auto memory = static_cast<std::size_t>(b.memory(4096));
  Argument made;  // rank 0 goes up, rank 1 to and fro
  made.choices = {Sequence::of(std::vector<std::int64_t>{0, 1, 2, 3}),
                  Sequence::of(std::vector<std::int64_t>{0, 1, 3, 2})};
  made.choice = {0, 1};
  Argument used = made;
  used.choices = {Sequence::of(std::vector<std::int64_t>{mpi::kMade, mpi::kMade + 1, mpi::kMade + 2, mpi::kMade + 3}),
                  Sequence::of(std::vector<std::int64_t>{mpi::kMade, mpi::kMade + 1, mpi::kMade + 3, mpi::kMade + 2})};
  std::vector<std::int64_t> lists;
  for (int slot = 0; slot < 4; ++slot) lists.push_back(b.array({mpi::kMade + slot, b.name("MPI_INT")}));
  Argument members;
  members.choices = {Sequence{Sequence::Kind::table, lists},
                     Sequence{Sequence::Kind::table, {lists[0], lists[1], lists[3], lists[2]}}};
  members.choice = {0, 1};
  Block body, m;
  body.push_back(
      b.call("MPI_Type_contiguous",
             {{"count", sequence({1, 2, 3, 4})}, {"oldtype", constant(b.name("MPI_INT"))}, {"newtype", made}}));
  body.push_back(b.call("MPI_Type_create_struct", {{"count", constant(2)},
                                                   {"array_of_blocklengths", constant(b.array({1, 1}))},
                                                   {"array_of_displacements", constant(b.array({0, 64}))},
                                                   {"array_of_types", members},
                                                   {"newtype", constant(4)}}));
  body.push_back(commit(b, used));
  body.push_back(commit(b, type(4)));
  body.push_back(bcast(b, memory, type(4)));
  body.push_back(release(b, type(4)));
  m.push_back(b.loop(constant(4), std::move(body)));
  m.push_back(commit(b, constant(b.name("MPI_INT"))));
  std::string expected;
  for (int count = 1; count <= 4; ++count) {
    const auto one = std::to_string(4 * count) + " bytes in " + std::to_string(4 * count) + " at 0\n";
    const auto both = std::to_string(4 * count + 4) + " bytes in 68 at 0\n";
    expected += "commit " + one + "commit " + both + "bcast " + both + "free " + both;
  }
  const auto all = types_of(b.finish(std::move(m)));
  EXPECT_EQ(all[0], expected + "commit 4 bytes in 4 at 0\n");
  EXPECT_EQ(all[1], all[0]);
}

TEST(Run, DatatypesThatNothingMadeAreFreed) {
  Builder b(1);
  Block m;
  m.push_back(release(b, constant(-1)));
  EXPECT_EQ(types_of(b.finish(std::move(m)))[0], "free 1 bytes in 1 at 0\n");
}

TEST(Run, OperationsOfTheProgramDoNothingAndKeepWhetherTheyCommute) {
  Builder b(2);
  const auto in = b.memory(256), out = b.memory(256);
  Block m;
  for (int i = 0; i < 2; ++i) {
    m.push_back(b.call("MPI_Op_create", {{"commute", constant(1 - i)}, {"op", constant(i)}}));
    m.push_back(b.call("MPI_Allreduce", {{"sendbuf", constant(buffer(in, 0))},
                                         {"recvbuf", constant(buffer(out, 0))},
                                         {"count", constant(4)},
                                         {"datatype", constant(b.name("MPI_DOUBLE"))},
                                         {"op", type(i)}}));
  }
  for (int i = 0; i < 2; ++i) m.push_back(b.call("MPI_Op_free", {{"op", type(i)}}));
  const auto skeleton = b.finish(std::move(m));
  EXPECT_EQ(types_of(skeleton)[0], "allreduce in any order\nallreduce in order\n");
  EXPECT_THAT(program(skeleton, plan_scale(skeleton, 1)), HasSubstr("MPI_Op_create(skel_no_reduction, 1, &op[0]);"));
}

}  // namespace
}  // namespace skelgen::emit
