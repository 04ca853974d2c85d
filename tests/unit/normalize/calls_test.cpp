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
      const auto at = random() % expected.size();
      calls.set(at, record);
      expected[at] = record;
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
  other.set(1, 99);
  EXPECT_EQ(list(one), (std::vector<RecordId>{10, 11, 10, 11, 12}));
  EXPECT_EQ(list(other), (std::vector<RecordId>{20, 99, 20, 21, 22}));
  EXPECT_EQ(one, (CallList{10, 11, 10, 11, 12}));
  EXPECT_FALSE(one == other);
}

}  // namespace
}  // namespace skelgen::normalize
