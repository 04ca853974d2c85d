// Stack distances of the profiling tool against a list in order of use.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <list>
#include <random>
#include <vector>

namespace {

void* skel_allocate_zeroed(std::size_t bytes) { return std::calloc(1, bytes); }

#include "reuse.h"

class Reuse {
 public:
  explicit Reuse(unsigned most) { skel_reuse_begin(&state_, most); }
  ~Reuse() {
    std::free(state_.table);
    std::free(state_.owner);
    std::free(state_.tree);
  }
  Reuse(const Reuse&) = delete;
  Reuse& operator=(const Reuse&) = delete;
  /// Accesses that this one stands for; 0 if its line is not sampled.
  unsigned long long touch(unsigned long long line, unsigned& bucket) {
    if (skel_reuse_hash(line) >= state_.threshold) return 0;
    unsigned long long weight = 0;
    bucket = skel_reuse_touch(&state_, line, &weight);
    return weight;
  }
  const skel_reuse& state() const { return state_; }

 private:
  skel_reuse state_;
};

class Stack {
 public:
  unsigned touch(unsigned long long line) {
    const auto found = std::find(lines_.begin(), lines_.end(), line);
    unsigned bucket = SKEL_REUSE_COLD;
    if (found != lines_.end()) {
      bucket = skel_reuse_bucket(static_cast<unsigned long long>(std::distance(lines_.begin(), found)));
      lines_.erase(found);
    }
    lines_.push_front(line);
    return bucket;
  }

 private:
  std::list<unsigned long long> lines_;
};

/// Lines of a program: stretches, repeated ones, and single ones far away.
std::vector<unsigned long long> random_lines(std::mt19937_64& random, unsigned different, std::size_t accesses) {
  std::vector<unsigned long long> lines;
  while (lines.size() < accesses) {
    const auto from = random() % different, many = random() % 40;
    const bool far = random() % 4 == 0;
    for (std::uint64_t i = 0; i <= many; ++i)
      lines.push_back((far ? random() : from + i) % different + (std::uint64_t{0x7f0000000000} >> 6));
  }
  return lines;
}

TEST(Reuse, DistancesAreThoseOfAListInOrderOfUse) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 30; ++round) {
    const auto different = static_cast<unsigned>(1 + random() % 300);
    Reuse reuse(300);
    Stack stack;
    for (const auto line : random_lines(random, different, 5000)) {
      unsigned bucket = 0;
      ASSERT_EQ(reuse.touch(line, bucket), 1u);
      ASSERT_EQ(bucket, stack.touch(line));
    }
    EXPECT_EQ(reuse.state().shift, 0u);
  }
}

TEST(Reuse, FollowsNoMoreLinesThanItMay) {
  std::mt19937_64 random(2);
  Reuse reuse(64);
  for (const auto line : random_lines(random, 10000, 100000)) {
    unsigned bucket = 0;
    reuse.touch(line, bucket);
    ASSERT_LE(reuse.state().used, 64u);
  }
  EXPECT_GT(reuse.state().shift, 5u);
  EXPECT_EQ(reuse.state().threshold, SKEL_REUSE_ALL >> reuse.state().shift);
}

/// Share of accesses that miss in a cache of so many lines, which is where a bucket begins.
double miss_ratio(const std::vector<double>& histogram, unsigned lines) {
  double all = 0, missed = 0;
  for (unsigned bucket = 0; bucket < histogram.size(); ++bucket) {
    all += histogram[bucket];
    if (bucket >= skel_reuse_bucket(lines)) missed += histogram[bucket];
  }
  return missed / all;
}

TEST(Reuse, MissRatiosOfASampleAreThoseOfAllLines) {
  constexpr unsigned kLines = 20000;
  std::mt19937_64 random(3);
  Reuse all(kLines), sample(2000);
  std::vector<double> of_all(SKEL_REUSE_BUCKETS), of_sample(SKEL_REUSE_BUCKETS);
  for (int i = 0; i < 1000000; ++i) {
    const std::uint64_t line = random() % 3 ? random() % 4000 : random() % kLines;  // some are used more often
    unsigned bucket = 0;
    const auto one = all.touch(line, bucket);
    of_all[bucket] += static_cast<double>(one);
    if (const auto weight = sample.touch(line, bucket)) of_sample[bucket] += static_cast<double>(weight);
  }
  EXPECT_GT(sample.state().shift, 2u);
  for (unsigned lines = 64; lines <= 16384; lines *= 2)
    EXPECT_NEAR(miss_ratio(of_sample, lines), miss_ratio(of_all, lines), 0.03) << lines;
}

TEST(Reuse, BucketsAreInOrderAndAQuarterWideAtMost) {
  unsigned before = 0;
  for (unsigned long long distance = 0; distance < 100000; ++distance) {
    const unsigned bucket = skel_reuse_bucket(distance);
    ASSERT_TRUE(bucket == before || bucket == before + 1) << distance;
    before = bucket;
  }
  EXPECT_EQ(skel_reuse_bucket(8), skel_reuse_bucket(9));
  EXPECT_NE(skel_reuse_bucket(9), skel_reuse_bucket(10));
  EXPECT_LT(skel_reuse_bucket(~0ull), static_cast<unsigned>(SKEL_REUSE_COLD));
}

}  // namespace
