// Files by number instead of name, and what they held before.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/normalize/process.h"

namespace skelgen::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kCreate = 1, kRead = 2, kWrite = 4;

std::vector<std::int64_t> bytes_of(std::string_view name) { return {name.begin(), name.end()}; }

void open(Process& p, std::string_view name, int file, std::int64_t bytes, std::int64_t amode, int comm = 1) {
  p.call("MPI_File_open", {p.comm(comm), bytes_of(name), amode, 0, 0x500 + file});
  if (bytes >= 0) p.writer().file({0x500 + static_cast<std::uint64_t>(file), bytes});
}
void close(Process& p, int file) { p.call("MPI_File_close", {0x500 + file}); }

std::vector<std::int64_t> held(const normalize::Normalized& run) {
  std::vector<std::int64_t> bytes;
  for (const auto& file : run.scratch) bytes.push_back(file.bytes);
  return bytes;
}

TEST(Files, HaveNumbersInTheOrderOfTheirFirstUseAndNoNames) {
  const auto behaviour = [](std::string_view a, std::string_view b) {
    return [=](Process& p) {
      p.call("MPI_File_delete", {bytes_of(a), 0});
      open(p, b, 1, 0, kCreate | kWrite);
      close(p, 1);
      open(p, a, 1, 0, kCreate | kWrite);
      close(p, 1);
    };
  };
  const auto run = normalized(2, behaviour("secret", "data"));
  EXPECT_EQ(texts(run), texts(normalized(2, behaviour("x", "y"))));
  EXPECT_THAT(texts(run),
              ElementsAre("MPI_File_delete(filename=(0), info=MPI_INFO_NULL)",
                          "MPI_File_open(comm=MPI_COMM_WORLD, filename=(1), amode=5, info=MPI_INFO_NULL, fh=f0)",
                          "MPI_File_close(fh=f0)",
                          "MPI_File_open(comm=MPI_COMM_WORLD, filename=(0), amode=5, info=MPI_INFO_NULL, fh=f0)",
                          "MPI_File_close(fh=f0)"));
}

TEST(Files, ThatWereThereHaveTheLeastSizeThatARankSaw) {
  const auto run = normalized(3, [](Process& p) {
    open(p, "input", 1, p.rank() == 1 ? 1000 : 1500, kRead);
    close(p, 1);
  });
  EXPECT_THAT(held(run), ElementsAre(1000));
  EXPECT_EQ(run.scratch[0].rank, 0);
}

TEST(Files, ThatTheProgramMakesAreNotThereBefore) {
  const auto run = normalized(2, [](Process& p) {
    open(p, "made", 1, 0, kCreate | kWrite), close(p, 1);
    open(p, "made", 1, 800, kRead), close(p, 1);
    open(p, "overwritten", 1, 300, kCreate | kWrite), close(p, 1);
    open(p, "empty", 1, 0, kRead), close(p, 1);
    open(p, "missing", -0x500, -1, kRead);  // cannot be opened
  });
  EXPECT_THAT(held(run), ElementsAre(-1, 300, 0, -1));
}

TEST(Files, OfOneRankEachBelongToIt) {
  const auto run = normalized(3, [](Process& p) {
    open(p, "log." + std::to_string(p.rank()), 1, 20, kRead, 2);
    close(p, 1);
  });
  ASSERT_EQ(run.scratch.size(), 3u);
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(run.scratch[static_cast<std::size_t>(rank)].rank, rank);
}

TEST(Files, ANameIsNoArrayOfNumbers) {
  const auto run = normalized(2, [](Process& p) {
    p.call("MPI_Cart_create", {p.comm(), 1, std::vector<std::int64_t>{2}, std::vector<std::int64_t>{1}, 0, 0});
    open(p, "\2", 1, 10, kRead);
    close(p, 1);
  });
  EXPECT_THAT(texts(run)[0], HasSubstr("dims=(2), periods=(1)"));
  EXPECT_THAT(texts(run)[1], HasSubstr("filename=(0)"));
}

TEST(Files, PlacesThatCallsReturnDoNotCount) {
  const auto at = [](std::int64_t place) {
    return texts(normalized(1, [=](Process& p) {
      open(p, "f", 1, 10, kRead);
      p.call("MPI_File_get_position", {0x501, place});
    }));
  };
  EXPECT_EQ(at(3), at(4));
}

TEST(Files, NobodyOpened) {
  EXPECT_THROW(normalized(1, [](Process& p) { close(p, 1); }), Error);
}

}  // namespace
}  // namespace skelgen::test
