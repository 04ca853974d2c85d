// No damage goes unnoticed where there are checksums, and none crashes the reader anywhere.
#include <gtest/gtest.h>

#include <random>

#include "unit/trace/small_trace.h"

namespace skelgen::test {
namespace {

TEST(DamagedTrace, EveryFlippedBitOfACompleteTraceIsNoticed) {
  Directory directory;
  write_small_trace(directory.path(), {.chunk_bytes = 64});
  const auto file = directory.rank(1);
  const std::string whole = read_bytes(file);
  ASSERT_EQ(read_all(directory.path()), 8u);
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const int change : {0x01, 0x08, 0x80, 0x03, 0xff}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      write_bytes(file, damaged);
      EXPECT_THROW(read_all(directory.path()), Error) << "byte " << at << " ^ " << change;
    }
}

TEST(DamagedTrace, EveryTruncationIsIncompleteOrAnError) {
  Directory directory;
  write_small_trace(directory.path(), {.chunk_bytes = 64});
  const auto file = directory.rank(1);
  const std::string whole = read_bytes(file);
  std::size_t incomplete = 0;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write_bytes(file, whole.substr(0, length));
    try {
      const auto trace = trace::open(directory.path());
      EXPECT_FALSE(trace.rank_info()[1].ending.complete) << "cut to " << length;
      EXPECT_LE(read(trace, {1, 0}).signatures.size(), 4u);
      ++incomplete;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::corrupt);
      EXPECT_EQ(error.path(), file.string());
    }
    EXPECT_THROW(read_all(directory.path(), {.allow_incomplete = false}), Error) << "cut to " << length;
  }
  EXPECT_GE(incomplete, 2u) << "a file cut between chunks is one of a killed process";
}

/// Changes a few bytes anywhere of the rank's file; reading may fail with an Error, nothing else.
void mutate(const Directory& directory, unsigned seed, int rounds) {
  const auto file = directory.rank(1);
  const std::string whole = read_bytes(file);
  std::mt19937 random(seed);
  int failed = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string damaged = whole;
    for (unsigned changes = 1 + random() % 4; changes > 0; --changes)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    write_bytes(file, damaged);
    try {
      read_all(directory.path());
    } catch (const Error&) {
      ++failed;
    }
  }
  EXPECT_GT(failed, 0);
}

TEST(DamagedTrace, RandomBytesInACompleteTrace) {
  Directory directory;
  write_small_trace(directory.path());
  mutate(directory, 1, 2000);
}

TEST(DamagedTrace, RandomBytesInTheOpenChunkOfAKilledRank) {
  Directory directory;
  write_small_trace(directory.path());
  {
    trace::Writer writer(directory.path(), {.id = 0x5ca1ab1e, .ranks = 2}, 1, {.chunk_bytes = 512});
    write_rank(writer, 1);
    writer.call("MPI_Waitall", {2, {5, 6}, {0, 9, 1, 9}}, 1, 2);
    writer.group({3, {0, 1}});
    writer.abandon();
  }
  mutate(directory, 2, 2000);
}

/// Records of random numbers under a correct checksum: only the decoder stands between them and a crash.
TEST(DamagedTrace, RandomRecords) {
  Directory directory;
  write_small_trace(directory.path());
  std::mt19937_64 random(3);
  for (int round = 0; round < 2000; ++round) {
    {
      trace::Writer writer(directory.path(), {.id = 0x5ca1ab1e, .ranks = 2}, 1);
      if (round % 2) write_rank(writer, 1);
      for (int record = 0; record < 20; ++record) {
        std::vector<std::uint64_t> numbers = {1 + random() % 20};
        for (auto length = random() % 8; length > 0; --length) numbers.push_back(random() >> (random() % 64));
        writer.record(numbers);
      }
      writer.finish();
    }
    try {
      read_all(directory.path());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::corrupt);
    }
  }
}

}  // namespace
}  // namespace skelgen::test
