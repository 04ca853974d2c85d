// The calls of a location in little memory: like a vector, whatever numbers it holds.
#include "normalize/calls.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace skelgen::normalize {
namespace {

std::vector<RecordId> list(const CallList& calls) { return {calls.begin(), calls.end()}; }

TEST(Calls, HoldNumbersOfAnySize) {
  CallList calls;
  std::vector<RecordId> expected;
  for (const RecordId number : {0u, 255u, 256u, 3u, 65535u, 65536u, 7u, 4000000000u}) {
    calls.push_back(number);
    expected.push_back(number);
    EXPECT_EQ(list(calls), expected);
  }
  calls.shrink(2);
  EXPECT_EQ(list(calls), (std::vector<RecordId>{0, 255}));
}

using Changes = std::vector<CallList::Change>;

TEST(Calls, AreLikeAVectorThatIsChangedAtRandom) {
  std::mt19937 random(7);
  CallList calls;
  std::vector<RecordId> expected;
  for (int step = 0; step < 5000; ++step) {
    const RecordId record = random() % (1u << (random() % 20));
    if (expected.empty() || random() % 3) {
      calls.push_back(record);
      expected.push_back(record);
    } else if (random() % 10 == 0) {
      calls.pop_back();
      expected.pop_back();
    } else {
      Changes changes;
      for (std::size_t at = random() % expected.size(); at < expected.size(); at += 1 + random() % 300) {
        changes.push_back({at, record + static_cast<RecordId>(random() % 3)});
        expected[at] = changes.back().record;
      }
      calls.change(changes);
    }
  }
  EXPECT_EQ(list(calls), expected);
}

TEST(Calls, OfRanksThatDoTheSameShareTheirOrderUntilOneIsChanged) {
  CallList one{0, 1, 0, 1, 2}, other{0, 1, 0, 1, 2};
  one.rename({10, 11, 12});
  other.rename({20, 21, 22});
  other.share(one.order());
  EXPECT_EQ(one.order(), other.order());
  EXPECT_EQ(list(one), (std::vector<RecordId>{10, 11, 10, 11, 12}));
  EXPECT_EQ(list(other), (std::vector<RecordId>{20, 21, 20, 21, 22}));
  other.change(Changes{{1, 99}, {2, 21}});
  EXPECT_EQ(list(one), (std::vector<RecordId>{10, 11, 10, 11, 12}));
  EXPECT_EQ(list(other), (std::vector<RecordId>{20, 99, 21, 21, 22}));
  EXPECT_EQ(one, (CallList{10, 11, 10, 11, 12}));
  EXPECT_FALSE(one == other);
}

TEST(Calls, StayFewPagesWhereChangesRepeatThemselves) {
  CallList calls;
  Changes changes;
  for (std::size_t i = 0; i < 1'000'000; ++i) {
    calls.push_back(static_cast<RecordId>(i % 7));
    if (i % 7 == 3 && i > 1000) changes.push_back({i, 100});
  }
  calls.change(changes);
  EXPECT_EQ(calls.size(), 1'000'000u);
  EXPECT_EQ(calls[3], 3u);
  for (std::size_t i = 999'990; i < 1'000'000; ++i) EXPECT_EQ(calls[i], i % 7 == 3 ? 100 : i % 7);
  EXPECT_LE(calls.order()->different_pages(), 14u);
}

}  // namespace
}  // namespace skelgen::normalize
