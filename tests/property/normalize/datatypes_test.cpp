// Datatypes that come and go at random: handle values do not matter, slots are those of the lowest free number.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "unit/normalize/process.h"

namespace skelgen::test {
namespace {

using List = std::vector<std::int64_t>;

/// Makes datatypes of one another, uses and frees them, also inner ones before outer ones.
class RandomTypes {
 public:
  explicit RandomTypes(std::uint64_t seed) : seed_(seed) {}

  void operator()(Process& p) const {
    std::mt19937_64 random(seed_);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    std::vector<int> live, unused;
    for (int n = 4; n < 16; ++n) unused.push_back(n);
    const auto any = [&] {
      const int i = below(static_cast<int>(live.size()) + 2);
      return i == 0 ? p.doubles() : i == 1 ? p.ints() : p.type(live[static_cast<std::size_t>(i - 2)]);
    };
    for (int i = 0; i < 150; ++i) {
      const int what = below(8);
      if (what < 5 && unused.empty()) continue;
      const std::int64_t made = unused.empty() ? 0 : p.type(unused.back());
      switch (what) {
        case 0:
          p.call("MPI_Type_contiguous", {below(3), any(), made});
          break;
        case 1:
          p.call("MPI_Type_vector", {below(3), below(3), below(5) - 2, any(), made});
          break;
        case 2:
          p.call("MPI_Type_create_struct", {2, List{below(3), 1}, List{0, 64}, List{any(), any()}, made});
          break;
        case 3:
          p.call("MPI_Type_indexed", {2, List{1, below(3)}, List{below(4) - 2, 3}, any(), made});
          break;
        case 4:
          p.call("MPI_Type_create_resized", {any(), 0, 32, made});
          break;
        case 5:
          p.call("MPI_Send", {p.at(1u << 20), below(3), any(), p.rank(), 7, p.comm()});
          continue;
        default:
          if (live.empty()) continue;
          const auto freed = live.begin() + below(static_cast<int>(live.size()));
          p.call("MPI_Type_free", {p.type(*freed)});
          unused.push_back(*freed);
          live.erase(freed);
          continue;
      }
      live.push_back(unused.back());
      unused.pop_back();
    }
  }

 private:
  std::uint64_t seed_;
};

TEST(Datatypes, NamesDoNotDependOnHandles) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto run = normalized(2, RandomTypes(seed)),
               renamed = normalized(2, RandomTypes(seed), {1u << 20, seed * 7919});
    for (std::size_t l = 0; l < 2; ++l) {
      EXPECT_EQ(texts(run, l), texts(renamed, l)) << seed;
      EXPECT_EQ(run.locations[l].buffer_bytes, renamed.locations[l].buffer_bytes) << seed;
    }
    EXPECT_EQ(run.classes.size(), 1u) << seed;
  }
}

TEST(Datatypes, SlotsAreNeverMoreThanLiveAtOnce) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto run = normalized(1, RandomTypes(seed));
    std::vector<bool> used;
    for (const auto call : run.locations[0].calls) {
      const auto& record = run.records[call];
      const auto& function = *run.symbols[record.symbol].function;
      if (function.kind == mpi::Kind::type_free) {
        const auto slot = static_cast<std::size_t>(record.values[0] - mpi::kMade);
        ASSERT_TRUE(slot < used.size() && used[slot]) << seed;
        used[slot] = false;
      } else if (function.kind == mpi::Kind::type_create) {
        const auto slot = static_cast<std::size_t>(record.values.back());
        const auto lowest = static_cast<std::size_t>(std::find(used.begin(), used.end(), false) - used.begin());
        ASSERT_EQ(slot, lowest) << seed;
        if (slot == used.size()) used.push_back(false);
        used[slot] = true;
      }
    }
  }
}

}  // namespace
}  // namespace skelgen::test
