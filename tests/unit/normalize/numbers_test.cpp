// Long lists of numbers that repeat themselves take little memory, and are like vectors.
#include "normalize/numbers.h"

#include <gtest/gtest.h>

#include <ctime>
#include <random>
#include <vector>

namespace skelgen::normalize {
namespace {

using Vector = std::vector<std::uint32_t>;

Vector list(const Numbers& numbers) { return {numbers.begin(), numbers.end()}; }

/// `n` numbers of a loop over `body`.
Numbers loop(const Vector& body, std::size_t n) {
  Numbers numbers;
  for (std::size_t i = 0; i < n; ++i) numbers.push_back(body[i % body.size()]);
  return numbers;
}

Vector random_body(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  Vector body(n);
  for (auto& number : body) number = random() % 300;
  return body;
}

TEST(Numbers, KeepTheDifferentPagesOfALoopOfAnyPeriod) {
  // Bodies too short for a page to end in give one page for each phase at most, long ones their own pages once or, at first, twice.
  for (const std::size_t period : {1, 2, 7, 18, 100}) {
    const Numbers numbers = loop(random_body(period, 1), 1'000'000);
    EXPECT_LE(numbers.different_pages(), period);
  }
  for (const std::size_t period : {3000, 20'000, 77'777}) {
    const Numbers numbers = loop(random_body(period, 2), 2'000'000);
    EXPECT_LE(numbers.different_pages(), 2 * period / Numbers::kLeast);
  }
}

TEST(Numbers, AreReadAtAnyPlace) {
  const Vector body = random_body(5000, 3);
  const Numbers numbers = loop(body, 100'000);
  ASSERT_EQ(numbers.size(), 100'000u);
  std::size_t at = 0;
  for (const std::uint32_t number : numbers) ASSERT_EQ(number, body[at++ % body.size()]);
  EXPECT_EQ(at, numbers.size());
  std::mt19937 random(4);
  for (int i = 0; i < 10'000; ++i) {
    const std::size_t place = random() % numbers.size();
    ASSERT_EQ(numbers[place], body[place % body.size()]);
    ASSERT_EQ(numbers.begin()[static_cast<std::ptrdiff_t>(place)], body[place % body.size()]);
  }
  auto backwards = numbers.end();
  for (int i = 0; i < 50'000; ++i) ASSERT_EQ(*--backwards, body[--at % body.size()]);
}

TEST(Numbers, AreLikeAVectorThatIsChangedAtRandom) {
  std::mt19937 random(7);
  Vector body = random_body(900, 5);
  body[800] = 70'000;
  Numbers numbers;
  Vector expected;
  for (int step = 0; step < 400; ++step) {
    const auto choice = random() % 8;
    if (choice < 5) {
      for (auto n = random() % 3000; n > 0; --n) {
        numbers.push_back(body[expected.size() % body.size()]);
        expected.push_back(body[expected.size() % body.size()]);
      }
    } else {
      const std::size_t n = expected.size() - random() % (expected.size() / 8 + 1);
      numbers.shrink(n);
      expected.resize(n);
    }
    ASSERT_EQ(numbers.size(), expected.size());
  }
  EXPECT_EQ(list(numbers), expected);
  Numbers again;
  for (const std::uint32_t number : expected) again.push_back(number);
  EXPECT_TRUE(again == numbers);
  EXPECT_EQ(again.hash(), numbers.hash());
  again.shrink(expected.size() - 1);
  EXPECT_FALSE(again == numbers);
  again.push_back(expected.back() + 1);
  EXPECT_FALSE(again == numbers);
}

TEST(Numbers, GrowAgainAfterTheyWereCutAtTheEndOfAPage) {
  const Vector body = random_body(11, 6);
  Numbers numbers = loop(body, 3 * Numbers::kMost);
  for (std::size_t n = numbers.size(); n > 0; n -= std::min<std::size_t>(n, 1000)) {
    numbers.shrink(n);
    ASSERT_EQ(numbers.size(), n);
    EXPECT_EQ(numbers[n - 1], body[(n - 1) % body.size()]);
  }
  numbers.shrink(0);
  EXPECT_EQ(numbers.size(), 0u);
  for (std::size_t i = 0; i < 2 * Numbers::kMost; ++i) numbers.push_back(body[i % body.size()]);
  EXPECT_TRUE(numbers == loop(body, 2 * Numbers::kMost));
}

/// Processor time of adding numbers to a list of `n` and taking them away again.
double changes_s(std::size_t n) {
  Numbers numbers = loop({7}, n);
  EXPECT_EQ(numbers.different_pages(), 0u) << "all of it is in the open page";
  const std::clock_t begin = std::clock();
  for (std::uint32_t i = 0; i < 50'000; ++i) {
    numbers.push_back(i);
    numbers.shrink(n);
  }
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST(Numbers, AreTakenAwayInTheSameTimeWhateverIsBeforeThem) {
  changes_s(100);
  EXPECT_LT(changes_s(Numbers::kMost - 10), 20 * changes_s(100) + 0.01);
}

}  // namespace
}  // namespace skelgen::normalize
