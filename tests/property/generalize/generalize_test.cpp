// Random programs whose messages follow rules of the rank and of how many there are: what is found from three numbers of
// ranks repeats the program at two others, or says that it does not know.

#include "build/generalize.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "support/error.h"
#include "unit/normalize/process.h"

namespace skelgen::test {
namespace {

/// A number of elements for rank r of n.
using Count = std::function<int(int r, int n)>;

Behaviour program(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto count = [&]() -> Count {
    const int size = 64 << below(6), odd = 200 + 2 * below(400) + 1, c = 1 + below(50);
    switch (below(6)) {
      case 0:
        return [=](int, int) { return c; };
      case 1:
        return [=](int, int n) { return size * 64 / n; };
      case 2:
        return [=](int r, int n) { return (odd - r + n - 1) / n; };
      case 3:
        return [=](int, int n) { return size * 64 / n + 2; };
      case 4:
        return [=](int, int n) { return c * n; };
      default:
        return [=](int, int n) { return c * std::countr_zero(static_cast<unsigned>(n)) + 7; };
    }
  };
  std::vector<std::function<void(Process&)>> phases;
  for (int i = 0, n = 1 + below(2); i < n; ++i) {
    const int kind = below(7), times = 2 + below(8), distance = 1 + below(2);
    const Count some = count();
    const auto body = [=](Process& p) {
      const int r = p.rank(), n = p.ranks(), rows = 1 << (std::countr_zero(static_cast<unsigned>(n)) / 2);
      const auto exchange = [&](int to, int from, int elements) {
        if (from >= 0) p.irecv(from, 1, 100'000'000, 100'000);
        if (to >= 0) p.isend(to, 2, 0, elements);
        if (from >= 0) p.wait(1);
        if (to >= 0) p.wait(2);
      };
      switch (kind) {
        case 0:  // around a ring
          return exchange((r + distance) % n, (r + n - distance) % n, some(r, n));
        case 1:  // along a line
          return exchange(r + 1 < n ? r + 1 : -1, r > 0 ? r - 1 : -1, some(r, n));
        case 2:  // butterfly
          for (int bit = 1; bit < n; bit *= 2) exchange(r ^ bit, r ^ bit, some(0, n));
          return;
        case 3:  // down the columns of a plane
          return exchange(r + rows < n ? r + rows : -1, r >= rows ? r - rows : -1, some(0, n));
        case 4:
          return p.call("MPI_Bcast", {p.at(0), some(0, n), p.doubles(), distance == 1 ? 0 : n - 1, p.comm()});
        case 5:  // pairs
          return exchange(r ^ 1, r ^ 1, some(r / 2, n));
        default:  // to the first rank
          if (r > 0) return p.send(0, 0, some(0, n));
          for (int other = 1; other < n; ++other) p.recv(other, 300'000'000, some(0, n));
      }
    };
    phases.emplace_back([=](Process& p) {
      for (int t = 0; t < times; ++t) body(p);
      p.barrier();  // else phases of equal calls become one loop
    });
  }
  return [=](Process& p) {
    for (const auto& phase : phases) phase(p);
  };
}

TEST(GeneralizeProperty, NeverAWrongRuleWithoutADoubt) {
  int exact = 0, doubtful = 0, refused = 0;
  constexpr int kPrograms = 20;
  for (int seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto behaviour = program(static_cast<std::uint64_t>(seed));
    std::vector<build::Run> runs;
    for (const int n : {4, 8, 16}) runs.push_back({normalized(n, behaviour), std::to_string(n)});
    std::optional<build::General> found;
    try {
      found = build::generalize_runs(runs);
    } catch (const Error& error) {
      ++refused;
      std::cout << "seed " << seed << " refused: " << error.what() << std::endl;
      continue;
    }
    bool right = true;
    std::string why = found->of.doubts.empty() ? "" : found->of.doubts[0].what + ": " + found->of.doubts[0].why;
    for (const int n : {32, 64}) {
      try {
        const auto difference = build::difference(normalized(n, behaviour), found->of.text, "text");
        right = right && !difference;
        if (difference) why += fmt::format(" ({} ranks: {} / {})", n, difference->expected, difference->actual);
        if (difference && found->of.doubts.empty())
          ADD_FAILURE() << n << " ranks: " << difference->expected << " / " << difference->actual << '\n'
                        << found->of.text;
      } catch (const Error& error) {  // a rule that does not go so far
        right = false;
        why = error.what();
      }
    }
    if (!right) std::cout << "seed " << seed << " in doubt: " << why << '\n';
    ++(right ? exact : doubtful);
  }
  std::cout << exact << " exact, " << doubtful << " in doubt, " << refused << " refused\n";
  EXPECT_GE(exact, kPrograms * 7 / 10);
}

}  // namespace
}  // namespace skelgen::test
