#include "generalize/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error.h"

namespace skelgen::generalize {
namespace {

const Names kNames{"p", "r"};

std::int64_t value(const std::string& text, std::int64_t p, std::int64_t r) {
  return parse(text, kNames, "t:1").at(std::vector<std::int64_t>{p, r});
}

std::string again(const std::string& expression) { return text(parse(expression, kNames, "t:1"), kNames); }

std::string problem(const std::string& expression) {
  try {
    parse(expression, kNames, "t:1");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Expression, ComputesWithWholeNumbers) {
  EXPECT_EQ(value("512 / p + 2 * r", 8, 3), 70);
  EXPECT_EQ(value("r - 1 - 1", 8, 5), 3);
  EXPECT_EQ(value("(r - 1) % p", 8, 0), 7);
  EXPECT_EQ(value("r ^ (1 << 2)", 8, 5), 1);
  EXPECT_EQ(value("floor(-r / 2)", 8, 3), -2);
  EXPECT_EQ(value("ceil((10 - r) / p)", 4, 1), 3);
  EXPECT_EQ(value("log2(p) + sqrt(2 * p)", 8, 0), 7);
  EXPECT_EQ(value("dims(p, 2, 0) * 10 + dims(p, 2, 1)", 12, 0), 43);
  EXPECT_EQ(value("dims(p, 3, 2)", 12, 0), 2);
  EXPECT_EQ(value("r > 0 && r < p - 1 || r == 9", 8, 7), 0);
  EXPECT_EQ(value("r > 0 ? r - 1 : MPI_PROC_NULL", 8, 0), -1);
  EXPECT_EQ(value("!(r == 0)", 8, 0), 0);
  EXPECT_EQ(value("bits(r) * 100 + width(r) * 10 + zeros(r)", 8, 12), 242);
  EXPECT_EQ(value("zeros(r + p) * 10 + width(r)", 8, 0), 30);
}

TEST(Expression, RoundsOnlyWhereItSaysSo) {
  EXPECT_EQ(value("512 / p", 12, 0), kUndefined);
  EXPECT_EQ(value("log2(p)", 12, 0), kUndefined);
  EXPECT_EQ(value("sqrt(p)", 8, 0), kUndefined);
  EXPECT_EQ(value("zeros(r)", 8, 0), kUndefined);
  EXPECT_EQ(value("bits(r - 1)", 8, 0), kUndefined);
  EXPECT_EQ(value("r % (p - 4)", 4, 0), kUndefined);
  EXPECT_EQ(value("1 + 512 / p", 12, 0), kUndefined);
  EXPECT_EQ(value("4611686018427387904 * p", 4, 0), kUndefined);
}

TEST(Expression, LooksOnlyAtWhatItNeeds) {
  EXPECT_EQ(value("r == 0 ? 7 : 512 / r", 4, 0), 7);
  EXPECT_EQ(value("r > 0 && 512 / r > 3", 4, 0), 0);
  EXPECT_EQ(value("r == 0 || 512 / r > 3", 4, 0), 1);
}

TEST(Expression, PrintsWhatIsReadAgain) {
  for (const char* const one : {"r - (1 - p)", "2 * (r + 1) / p", "r ^ (1 << r)", "(r + 1) % p", "(r ^ 1) + 2",
                                "ceil((10 - r) / p)", "r > 0 && r < p - 1", "(r > 0 || p > 2) && r != 1",
                                "r > 0 ? r - 1 : -1", "-r + 3", "!(r > 1)", "floor(r / 2) * p", "dims(p, 2, 1) - 1",
                                "1 << (r % 3)", "r + (1 << (zeros(r + p) - 1))", "log2(p) - width(r)", "bits(r)"})
    EXPECT_EQ(again(one), one);
  EXPECT_EQ(again("((r))+1"), "r + 1");
}

TEST(Expression, LeavesOutWhatChangesNothing) {
  const Names names{"p", "r"};
  const auto simple = [&](const char* text) { return generalize::text(simplified(parse(text, names, "t:1")), names); };
  EXPECT_EQ(simple("1 * r + 0"), "r");
  EXPECT_EQ(simple("3 + 8 * (p - 1) + 8 - 8"), "8 * (p - 1) + 3");
  EXPECT_EQ(simple("3 + -8 * floor(r / 3)"), "3 - 8 * floor(r / 3)");
  EXPECT_EQ(simple("p / 1 - (r - 2)"), "p - r + 2");
}

TEST(Expression, SaysWhatCannotBeRead) {
  EXPECT_THAT(problem("q + 1"), testing::HasSubstr("t:1: \"q + 1\": q is not defined here; known are p, r"));
  EXPECT_THAT(problem("(r + 1"), testing::HasSubstr("\")\" is missing"));
  EXPECT_THAT(problem("r +"), testing::HasSubstr("a number or a name is missing"));
  EXPECT_THAT(problem("r 1"), testing::HasSubstr("something stands behind the expression"));
  EXPECT_THAT(problem("floor(r)"), testing::HasSubstr("floor takes a division"));
  EXPECT_THAT(problem("cos(r)"), testing::HasSubstr("there is no function cos"));
  EXPECT_THAT(problem("r ? 1"), testing::HasSubstr("\":\" is missing"));
  EXPECT_THAT(problem("99999999999999999999"), testing::HasSubstr("a number is too large"));
  EXPECT_THAT(problem(std::string(5000, '(') + "r"), testing::HasSubstr("too many"));
  EXPECT_THAT(problem(std::string(5000, '-') + "r"), testing::HasSubstr("too many"));
}

TEST(Expression, SaysWhyItHasNoValue) {
  const auto why = [](const std::string& text, std::int64_t p) {
    return why_undefined(parse(text, kNames, "t:1"), std::vector<std::int64_t>{p, 0}, kNames);
  };
  EXPECT_EQ(why("1 + 512 / p", 12), "512 / p: 12 does not divide 512");
  EXPECT_EQ(why("1 << log2(p)", 12), "log2(p): 12 is no power of two");
  EXPECT_EQ(why("sqrt(p) - 1", 8), "sqrt(p): 8 is no square");
  EXPECT_EQ(why("r == 0 ? 512 / p : 1", 12), "512 / p: 12 does not divide 512");
}

}  // namespace
}  // namespace skelgen::generalize
