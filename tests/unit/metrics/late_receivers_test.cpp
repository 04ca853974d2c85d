// The longest waits for receivers are kept.
#include "metrics/late_receivers.h"

#include <gmock/gmock.h>

namespace skelgen::test {
namespace {

using metrics::LateReceivers;

std::vector<std::uint32_t> calls(const LateReceivers::List& list) {
  std::vector<std::uint32_t> result;
  for (const auto& wait : list) result.push_back(wait.call);
  return result;
}

TEST(LateReceivers, AreInTheOrderOfCalls) {
  LateReceivers late(2);
  late.add(1, 7, 0.5);
  late.add(1, 3, 1);
  late.add(1, 7, 0.25);
  const auto lists = late.take();
  EXPECT_TRUE(lists[0].empty());
  EXPECT_THAT(calls(lists[1]), testing::ElementsAre(3, 7));
  metrics::LateReceiversOf of(lists[1]);
  EXPECT_EQ(of.at(2), 0);
  EXPECT_EQ(of.at(3), 1);
  EXPECT_EQ(of.at(3), 1);
  EXPECT_EQ(of.at(7), 0.75);
  EXPECT_EQ(of.at(8), 0);
}

TEST(LateReceivers, AreTheLongest) {
  LateReceivers late(1, 8);
  for (std::uint32_t call = 0; call < 100; ++call) late.add(0, call, call % 10 == 3 ? 100 + call : call % 7);
  const auto all = calls(late.take()[0]);
  EXPECT_LE(all.size(), 8u);
  EXPECT_GE(all.size(), 4u);
  for (const std::uint32_t call : {93, 83, 73, 63}) EXPECT_THAT(all, testing::Contains(call));
}

TEST(LateReceivers, AreAsManyWhereAllAreAsLong) {
  LateReceivers late(2, 8);
  for (std::uint32_t call = 0; call < 100; ++call) late.add(call % 2, call, 1);
  const auto lists = late.take();
  EXPECT_EQ(lists[0].size() + lists[1].size(), 4u);
}

}  // namespace
}  // namespace skelgen::test
