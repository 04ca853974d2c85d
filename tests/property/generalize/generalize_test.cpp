// Random programs whose messages follow rules of the rank and of how many there are: what is found from three numbers of
// ranks repeats the program at two others, or says that it does not know.

#include "build/generalize.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <iostream>
#include <random>

#include "support/error.h"
#include "unit/generalize/sited.h"

namespace skelgen::test {
namespace {

/// A number of elements for rank r of n.
using Count = std::function<int(int r, int n)>;

/// Sizes of `dimensions` dimensions of n ranks, a power of two: as near as possible, the largest first.
std::vector<int> balanced(int n, int dimensions) {
  std::vector<int> sizes(static_cast<std::size_t>(dimensions), 1);
  for (std::size_t d = 0; n > 1; n /= 2, d = (d + 1) % sizes.size()) sizes[d] *= 2;
  return sizes;
}

/// The rank next to r in a grid; -1 beyond an edge.
int beside(int r, const std::vector<int>& sizes, std::size_t dimension, int step, bool periodic) {
  int stride = 1;
  for (std::size_t d = sizes.size(); d-- > dimension + 1;) stride *= sizes[d];
  const int size = sizes[dimension], at = r / stride % size;
  if (!periodic && (at + step < 0 || at + step >= size)) return -1;
  return r + ((at + step + size) % size - at) * stride;
}

/// Kinds of phases: those from `first` up to `end`.
struct Kinds {
  int first, end;
  bool several_grids =
      false;  ///< one phase may be on a plane and the other in a space; of one grid only coordinates are found
};
constexpr Kinds kSimple{0, 7}, kOthers{7, 11}, kAll{0, 11},
    kGrids{7, 10, true};  // others: planes, tori, spaces and trees

/// A program, and at which numbers of ranks it is to be traced: each dimension of its grids has ranks that are not at an edge at the
/// largest one at least, for what such ranks do is seen nowhere else.
struct Case {
  std::function<void(const Sited&)> behaviour;
  std::array<int, 3> traced;
  bool sites;  ///< trees and spaces need calls that say where they are
};

/// kinds: of what the program consists of.
Case program(std::uint64_t seed, Kinds kinds) {
  std::mt19937_64 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto count = [&]() -> Count {
    // odd % 64 is 41 or 43, so that ceil(odd / n) is neither C / n nor C / n + 1 at all traced n: these would be found, and refused elsewhere.
    const int size = 64 << below(6), odd = 169 + 64 * below(12) + 2 * below(2), c = 1 + below(50);
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
  std::vector<std::function<void(const Sited&)>> phases;
  const auto of_plane = [](int kind) { return kind == 3 || kind == 7 || kind == 8; };
  bool plane = false, space = false;
  int fewest = 4;
  bool sites = false;
  for (int i = 0, n = 1 + below(2); i < n; ++i) {
    int kind = kinds.first + below(kinds.end - kinds.first);
    while (!kinds.several_grids && ((plane && kind == 9) || (space && of_plane(kind))))
      kind = kinds.first + below(kinds.end - kinds.first);
    plane = plane || of_plane(kind);
    space = space || kind == 9;
    const int times = 2 + below(8), distance = 1 + below(2);
    const Count some = count();
    sites = sites || kind >= 9;
    fewest = std::max(fewest, kind == 9 ? 16 : kind == 7 || kind == 8 ? 8 : 4);
    const auto body = [=](const Sited& at) {
      const auto line = 100 * static_cast<std::uint64_t>(i + 1);
      const int r = at.p.rank(), n = at.p.ranks(), rows = 1 << (std::countr_zero(static_cast<unsigned>(n)) / 2);
      const auto exchange = [&](int to, int from, int elements, std::size_t which = 0) {
        const std::uint64_t here = line + 10 * which;
        if (from >= 0) at(here).irecv(from, 1, 100'000'000, 100'000);
        if (to >= 0) at(here + 1).isend(to, 2, 0, elements);
        if (from >= 0) at(here + 2).wait(1);
        if (to >= 0) at(here + 3).wait(2);
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
          return at(line).call("MPI_Bcast",
                               {at.p.at(0), some(0, n), at.p.doubles(), distance == 1 ? 0 : n - 1, at.p.comm()});
        case 5:  // pairs
          return exchange(r ^ 1, r ^ 1, some(r / 2, n));
        case 7:  // a plane or a space with edges, as MPI_Dims_create balances it
        case 8:  // a torus
        case 9: {
          const auto sizes = balanced(n, kind == 9 ? 3 : 2);
          for (std::size_t d = 0; d < sizes.size(); ++d)
            for (const int step : {1, -1})
              exchange(beside(r, sizes, d, step, kind == 8), beside(r, sizes, d, -step, kind == 8), some(0, n),
                       2 * d + (step < 0));
          return;
        }
        case 10:  // down a binomial tree
          for (int bit = 1; bit < n; bit *= 2) {
            if (r < bit) at(line).send(r + bit, 0, some(0, n));
            if (r >= bit && r < 2 * bit) at(line + 1).recv(r - bit, 300'000'000, some(0, n));
          }
          return;
        default:  // to the first rank
          if (r > 0) return at(line).send(0, 0, some(0, n));
          for (int other = 1; other < n; ++other) at(line + 1).recv(other, 300'000'000, some(0, n));
      }
    };
    phases.emplace_back([=](const Sited& at) {
      for (int t = 0; t < times; ++t) body(at);
      at(99).barrier();  // else phases of equal calls become one loop
    });
  }
  return {[=](const Sited& at) {
            for (const auto& phase : phases) phase(at);
          },
          {fewest, 2 * fewest, 4 * fewest},
          sites};
}

/// What came of some programs. refused: there is no text, or it says that it is not for one of the larger numbers.
struct Outcome {
  int exact = 0, in_doubt = 0, silently_wrong = 0, refused = 0;
};

/// sites: all traces say where in the program calls are, else those only that need it.
Outcome outcome(int first, int programs, Kinds kinds, bool sites) {
  Outcome outcome;
  for (int seed = first; seed < first + programs; ++seed) {
    const Case known = program(static_cast<std::uint64_t>(seed), kinds);
    const auto run_of = [&](int n) {
      build::Run run = sited(n, known.behaviour);
      if (!sites && !known.sites)
        for (auto& location : run.calls.locations) location.sites.clear();
      return run;
    };
    std::vector<build::Run> runs;
    for (const int n : known.traced) runs.push_back(run_of(n));
    std::optional<build::General> found;
    try {
      found = build::generalize_runs(runs);
    } catch (const Error& error) {
      ++outcome.refused;
      std::cout << "seed " << seed << " refused: " << error.what() << std::endl;
      continue;
    }
    std::string wrong, refused;
    for (const int n : {2 * known.traced[2], 4 * known.traced[2]}) {
      try {
        if (const auto difference = build::difference(run_of(n).calls, found->of.text, "text"); difference)
          wrong += fmt::format(" at {} ranks {} / {}", n, difference->expected, difference->actual);
      } catch (const Error& error) {
        (error.code() == Code::unsupported ? refused : wrong) += error.what();
      }
    }
    if (!wrong.empty()) {
      const bool said = !found->of.doubts.empty();
      ++(said ? outcome.in_doubt : outcome.silently_wrong);
      std::cout << "seed " << seed << (said ? " wrong, with a doubt:" : " wrong:") << wrong << '\n'
                << found->of.text << std::endl;
    } else if (!refused.empty()) {
      ++outcome.refused;
      std::cout << "seed " << seed << " refused: " << refused << std::endl;
    } else {
      ++outcome.exact;
    }
  }
  std::cout << fmt::format("{} programs: {} exact, {} refused, {} wrong with a doubt, {} wrong without a doubt\n",
                           programs, outcome.exact, outcome.refused, outcome.in_doubt, outcome.silently_wrong);
  return outcome;
}

/// SKELGEN_PROGRAMS: so many programs of all kinds, from seed SKELGEN_FIRST on, with sites where SKELGEN_SITES is set
/// (scripts/generalize-study --synthetic).
TEST(GeneralizeProperty, NeverAWrongRuleWithoutADoubt) {
  if (const char* const more = std::getenv("SKELGEN_PROGRAMS"); more) {
    const char* const from = std::getenv("SKELGEN_FIRST");
    const int programs = std::atoi(more), first = from ? std::atoi(from) : 0;
    const bool sites = std::getenv("SKELGEN_SITES") != nullptr;
    const Outcome found = outcome(first, programs, kAll, sites);
    EXPECT_EQ(found.silently_wrong, 0);
    EXPECT_GE(found.exact, programs * 8 / 10);
    EXPECT_EQ(outcome(first, (programs + 39) / 40, kGrids, sites).silently_wrong, 0);
    return;
  }
  EXPECT_EQ(outcome(0, 2, kSimple, false).exact, 2);
  EXPECT_EQ(outcome(2, 2, kSimple, true).exact, 2);
  EXPECT_EQ(outcome(0, 1, kOthers, false).exact, 1);
}

}  // namespace
}  // namespace skelgen::test
