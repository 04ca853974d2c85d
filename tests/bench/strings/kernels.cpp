// Time per symbol of each kernel on five kinds of string.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "bench/strings/kinds.h"
#include "strings/common_length.h"
#include "strings/extension.h"
#include "strings/runs.h"
#include "strings/suffix_array.h"

namespace {

using namespace skelgen;
using texts::Text;

strings::Symbol alphabet_of(const Text& text) { return std::ranges::max(text) + 1; }

void sa_is(const Text& text) { benchmark::DoNotOptimize(strings::suffix_array(text, alphabet_of(text))); }
void dc3(const Text& text) { benchmark::DoNotOptimize(strings::suffix_array_dc3(text, alphabet_of(text))); }
void extension(const Text& text) {
  benchmark::DoNotOptimize(strings::Extension(text, alphabet_of(text), strings::suffix_array));
}
void runs(const Text& text) { benchmark::DoNotOptimize(strings::runs(text)); }
void runs_sa_is(const Text& text) { benchmark::DoNotOptimize(strings::runs_by_enumeration(text)); }
void runs_dc3(const Text& text) {
  benchmark::DoNotOptimize(strings::runs_by_enumeration(text, strings::suffix_array_dc3));
}

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

/// Two equal stretches of n bytes, forward or backward.
void common_length(benchmark::State& state, const strings::CommonLength& way, bool forward, std::size_t n) {
  constexpr std::size_t kRoom = 64;
  std::vector<strings::Byte> a(n + 2 * kRoom, 1), b(a);
  for (auto _ : state) {
    benchmark::DoNotOptimize(forward ? way.right(&a[kRoom], &b[kRoom], 0, n)
                                     : way.left(&a[kRoom + n], &b[kRoom + n], 0, n));
    benchmark::ClobberMemory();
  }
  per_symbol(state, n);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const std::size_t n : {8, 100, 10'000}) {
    for (const bool forward : {true, false}) {
      const std::string where = (forward ? "/right/" : "/left/") + std::to_string(n);
      benchmark::RegisterBenchmark(("common_length_by_words" + where).c_str(), common_length,
                                   strings::common_length_by_words(), forward, n);
      if (strings::has_wide_vectors())
        benchmark::RegisterBenchmark(("common_length_by_vectors" + where).c_str(), common_length,
                                     strings::common_length_by_vectors(), forward, n);
    }
  }
  const struct {
    const char* name;
    void (*call)(const Text&);
  } kernels[] = {{"sa_is", sa_is},           {"dc3", dc3},          {"extension", extension}, {"runs", runs},
                 {"runs_sa_is", runs_sa_is}, {"runs_dc3", runs_dc3}};
  for (const std::size_t n : {100'000, 1'000'000}) {
    for (const auto& kind : {kinds::nest, kinds::wavefront, kinds::fibonacci, kinds::random4, kinds::two_blocks}) {
      const std::string where = std::string("/") + kind.name + "/" + std::to_string(n);
      for (const auto& kernel : kernels)
        benchmark::RegisterBenchmark((kernel.name + where).c_str(), run, kernel.call, kind.make, n)
            ->Unit(benchmark::kMillisecond);
      benchmark::RegisterBenchmark(("lcp" + where).c_str(), lcp, kind.make, n)->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
}
