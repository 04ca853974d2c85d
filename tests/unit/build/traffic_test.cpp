#include "build/traffic.h"

#include <gtest/gtest.h>

#include "unit/normalize/process.h"

namespace skelgen::build {
namespace {

using test::Process;

std::map<std::string, std::uint64_t> bytes_of(const test::Behaviour& behaviour) {
  const test::Folder folder;
  test::write(folder.path(), 1, behaviour);
  std::map<std::string, std::uint64_t> bytes;
  for (const auto& function : traffic(trace::open(folder.path())).functions) bytes[function.name] = function.bytes;
  return bytes;
}

TEST(Traffic, WhatGoesBeforeMpiInitIsNoComputation) {
  const test::Folder folder;
  const trace::Run own{.id = 7, .ranks = 1};
  trace::write_meta(folder.path(), own);
  trace::Writer writer(folder.path(), own, 0, {});
  writer.call("MPI_Init", {}, 1'000'000, 10);
  writer.call("MPI_Finalize", {}, 3'000, 10);
  writer.finish();
  EXPECT_NEAR(traffic(trace::open(folder.path())).computation_s, 3e-6, 1e-12);
}

TEST(Traffic, OfOneSidedCallsIsWhatTheyBringAndTake) {
  auto bytes = bytes_of([](Process& p) {
    const std::int64_t window = 500, no_op = 77;
    p.writer().op({no_op, true, "MPI_NO_OP"}, 0);
    p.call("MPI_Win_create", {p.at(1000), 256, 8, 0, p.comm(), window});
    p.call("MPI_Put", {p.at(0), 3, p.doubles(), 0, 0, 6, p.ints(), window});
    p.call("MPI_Get", {p.at(0), 3, p.ints(), 0, 0, 3, p.ints(), window});
    p.call("MPI_Accumulate", {p.at(0), 2, p.doubles(), mpi::kProcNull, 0, 2, p.doubles(), p.sum(), window});
    p.call("MPI_Fetch_and_op", {p.at(0), p.at(80), p.doubles(), 0, 0, p.sum(), window});
    p.call("MPI_Compare_and_swap", {p.at(0), p.at(40), p.at(80), p.ints(), 0, 0, window});
    p.call("MPI_Get_accumulate",
           {p.at(0), 5, p.doubles(), p.at(80), 5, p.doubles(), 0, 0, 5, p.doubles(), no_op, window});
  });
  EXPECT_EQ(bytes["MPI_Put"], 24u);
  EXPECT_EQ(bytes["MPI_Get"], 12u);
  EXPECT_EQ(bytes["MPI_Accumulate"], 0u);
  EXPECT_EQ(bytes["MPI_Fetch_and_op"], 16u);
  EXPECT_EQ(bytes["MPI_Compare_and_swap"], 12u);
  EXPECT_EQ(bytes["MPI_Get_accumulate"], 40u);
}

}  // namespace
}  // namespace skelgen::build
