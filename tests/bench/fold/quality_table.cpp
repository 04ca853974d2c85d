// quality_table: how near the folded forms of short random strings are to the shortest there are, as a table in Markdown.
#include <cstdio>

#include "fold/fold.h"
#include "property/fold/exact.h"
#include "property/strings/texts.h"

namespace {

using namespace skelgen;
using texts::Random;
using texts::Text;

struct Family {
  const char* name;
  Text (*make)(Random& random, std::size_t n);
};

const Family kFamilies[] = {
    {"clean nests", [](Random& random, std::size_t n) { return texts::nest(random, n, 6); }},
    {"nests, 5 % noise",
     [](Random& random, std::size_t n) { return texts::with_noise(random, texts::nest(random, n, 6), 0.05, 6); }},
    {"nests, a symbol one to three times",
     [](Random& random, std::size_t n) { return texts::with_jitter(random, n, 6); }},
    {"nests, trips vary", [](Random& random, std::size_t n) { return texts::IrregularNest(random).text(n); }},
    {"powers of powers", texts::powers},
    {"morphic", texts::random_morphic},
    {"random, 2 letters", [](Random& random, std::size_t n) { return texts::uniform(random, n, 2); }},
    {"random, 4 letters", [](Random& random, std::size_t n) { return texts::uniform(random, n, 4); }},
};

struct Quality {
  int shortest = 0;
  double sum = 0, most = 0;  // excess over the shortest

  void add(std::size_t length, std::size_t least) {
    const double excess = static_cast<double>(length) / static_cast<double>(least) - 1;
    shortest += length == least;
    sum += excess;
    most = std::max(most, excess);
  }

  void print(int strings) const {
    std::printf(" %.1f | %.2f | %.1f |", 100.0 * shortest / strings, 100 * sum / strings, 100 * most);
  }
};

void print_row(const Family& family, std::size_t n, int strings) {
  Random random(n);
  Quality seed, best;
  int longer = 0;
  for (int i = 0; i < strings; ++i) {
    const Text text = family.make(random, n);
    const std::size_t least = fold::exact::shortest(text), by_seed = fold::length(fold::fold(text, fold::Mode::seed)),
                      by_best = fold::length(fold::fold(text, fold::Mode::best));
    seed.add(by_seed, least);
    best.add(by_best, least);
    longer += by_best > by_seed;
  }
  std::printf("| %s | %zu | %d |", family.name, n, strings);
  seed.print(strings);
  best.print(strings);
  std::printf(" %d |\n", longer);
  std::fflush(stdout);
}

}  // namespace

int main() {
  std::printf(
      "| strings | symbols | number | `seed`: shortest, %% | mean excess, %% | most, %% | `best`: shortest, %% | mean "
      "excess, "
      "%% | most, %% | longer than `seed` |\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (const auto& [n, strings] : {std::pair{60, 1'000}, {120, 500}, {240, 100}, {480, 20}})
    for (const Family& family : kFamilies) print_row(family, static_cast<std::size_t>(n), strings);
}
