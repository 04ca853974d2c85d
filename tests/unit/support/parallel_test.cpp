// Work on all cores is done once each, and fails in the same way each time.
#include "support/parallel.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>

namespace skelgen {
namespace {

TEST(ParallelFor, DoesEveryPieceOnce) {
  std::vector<std::atomic<int>> done(1000);
  parallel_for(
      done.size(), [&](std::size_t i) { ++done[i]; }, 4);
  for (const auto& times : done) EXPECT_EQ(times, 1);
}

TEST(ParallelFor, ThrowsTheFirstPiecesExceptionThoughALaterOneFailsSooner) {
  const auto fail = [](std::size_t i) {
    if (i == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (i == 1 || i == 2) throw std::runtime_error(std::to_string(i));
  };
  try {
    parallel_for(100, fail, 3);
    FAIL() << "no exception";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "1");
  }
}

TEST(ParallelFor, LeavesOutWhatComesAfterAFailure) {
  std::atomic<std::size_t> begun = 0;
  EXPECT_THROW(parallel_for(
                   100'000,
                   [&](std::size_t) {
                     ++begun;
                     throw std::runtime_error("");
                   },
                   2),
               std::runtime_error);
  EXPECT_LE(begun, 2u);
}

}  // namespace
}  // namespace skelgen
