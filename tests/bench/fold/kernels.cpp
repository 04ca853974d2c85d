// Time per symbol of each kernel on four kinds of string.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "fold/fold.h"
#include "property/strings/texts.h"
#include "strings/extension.h"
#include "strings/runs.h"
#include "strings/suffix_array.h"

namespace {

using namespace skelgen;
using texts::Text;

Text nest(std::size_t n) {
  texts::Random random(1);
  Text text = texts::with_noise(random, texts::nest(random, n, 12, 6), 0.001, 12);
  text.resize(n);
  return text;
}

Text random_of_four(std::size_t n) {
  texts::Random random(2);
  return texts::uniform(random, n, 4);
}

Text wavefront(std::size_t n) { return texts::wavefront(n); }

strings::Symbol alphabet_of(const Text& text) { return std::ranges::max(text) + 1; }

void sa_is(const Text& text) { benchmark::DoNotOptimize(strings::suffix_array(text, alphabet_of(text))); }
void dc3(const Text& text) { benchmark::DoNotOptimize(strings::suffix_array_dc3(text, alphabet_of(text))); }
void extension(const Text& text) { benchmark::DoNotOptimize(strings::Extension(text, alphabet_of(text))); }
void runs(const Text& text) { benchmark::DoNotOptimize(strings::runs(text)); }
void runs_indexed(const Text& text) { benchmark::DoNotOptimize(strings::runs(text, 0)); }
void runs_enumerated(const Text& text) { benchmark::DoNotOptimize(strings::runs_by_enumeration(text)); }
void fold_seed(const Text& text) { benchmark::DoNotOptimize(fold::fold(text)); }

void per_symbol(benchmark::State& state, std::size_t n) {
  using benchmark::Counter;
  state.counters["per_symbol"] = Counter(static_cast<double>(n), Counter::kIsIterationInvariantRate | Counter::kInvert);
}

void run(benchmark::State& state, void (*kernel)(const Text&), Text (*make)(std::size_t), std::size_t n) {
  const Text text = make(n);
  for (auto _ : state) kernel(text);
  per_symbol(state, n);
}

/// Only the lcp array, its suffix array given.
void lcp(benchmark::State& state, Text (*make)(std::size_t), std::size_t n) {
  const Text text = make(n);
  const auto suffixes = strings::suffix_array(text, alphabet_of(text));
  const auto rank = strings::inverse(suffixes);
  for (auto _ : state) benchmark::DoNotOptimize(strings::lcp_array(text, suffixes, rank));
  per_symbol(state, n);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const struct {
    const char* name;
    void (*call)(const Text&);
  } kernels[] = {{"sa_is", sa_is},
                 {"dc3", dc3},
                 {"extension", extension},
                 {"runs", runs},
                 {"runs_indexed", runs_indexed},
                 {"runs_enumerated", runs_enumerated},
                 {"fold", fold_seed}};
  const struct {
    const char* name;
    Text (*make)(std::size_t);
  } kinds[] = {{"nest", nest},
               {"wavefront", wavefront},
               {"fibonacci", texts::fibonacci},
               {"random4", random_of_four},
               {"two_blocks", texts::two_blocks}};
  for (const std::size_t n : {100'000, 1'000'000}) {
    for (const auto& kind : kinds) {
      const std::string where = std::string("/") + kind.name + "/" + std::to_string(n);
      for (const auto& kernel : kernels)
        benchmark::RegisterBenchmark((kernel.name + where).c_str(), run, kernel.call, kind.make, n)
            ->Unit(benchmark::kMillisecond);
      benchmark::RegisterBenchmark(("lcp" + where).c_str(), lcp, kind.make, n)->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
}
