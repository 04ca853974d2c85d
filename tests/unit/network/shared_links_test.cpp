#include "network/shared_links.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

namespace skelgen::network {
namespace {

/// When each message has passed.
std::map<std::size_t, double> all_pass(SharedLinks& links) {
  std::map<std::size_t, double> passed;
  while (std::isfinite(links.next_s())) {
    const double now = links.next_s();
    if (const auto message = links.pass()) passed[*message] = now;
  }
  return passed;
}

TEST(SharedLinks, MessagesOnALinkHaveEqualRates) {
  SharedLinks links(2, 0);
  links.enter(1, 0, 1, 0, 1);
  links.enter(2, 0, 1, 0, 2);
  links.enter(3, 1, 0, 0, 1);  // the other direction is free
  const auto passed = all_pass(links);
  EXPECT_NEAR(passed.at(1), 2, 1e-12);
  EXPECT_NEAR(passed.at(2), 3, 1e-12);
  EXPECT_NEAR(passed.at(3), 1, 1e-12);
}

TEST(SharedLinks, ALaterMessageDelaysThoseOnTheLink) {
  SharedLinks links(2, 0);
  links.enter(1, 0, 1, 0, 1);
  links.enter(2, 0, 1, 0.5, 1);
  const auto passed = all_pass(links);
  EXPECT_NEAR(passed.at(1), 1.5, 1e-12);
  EXPECT_NEAR(passed.at(2), 2, 1e-12);
}

TEST(SharedLinks, WhatAnotherLinkHoldsBackLeavesItsRateToOthers) {
  SharedLinks links(4, 0);
  // Into group 3 there are three messages, out of group 0 two, one of them to group 3.
  links.enter(1, 0, 3, 0, 1);
  links.enter(2, 1, 3, 0, 1);
  links.enter(3, 2, 3, 0, 1);
  links.enter(4, 0, 1, 0, 1);
  const auto passed = all_pass(links);
  EXPECT_NEAR(passed.at(4), 1.5, 1e-12) << "two thirds of its link";
  for (const std::size_t message : {1, 2, 3}) EXPECT_NEAR(passed.at(message), 3, 1e-12);
}

TEST(SharedLinks, AnExchangeTakesLongerByTheLoadOfTheOtherDirection) {
  for (const double reverse : {0.0, 0.05, 1.0}) {
    SharedLinks links(2, reverse);
    links.enter(1, 0, 1, 0, 1);
    links.enter(2, 1, 0, 0, 1);
    const auto passed = all_pass(links);
    EXPECT_NEAR(passed.at(1), 1 + reverse, 1e-12);
    EXPECT_NEAR(passed.at(2), 1 + reverse, 1e-12);
  }
}

}  // namespace
}  // namespace skelgen::network
