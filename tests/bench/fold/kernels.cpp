// Time per symbol of folding on five kinds of string.
#include <benchmark/benchmark.h>

#include "bench/strings/kinds.h"
#include "fold/fold.h"

namespace {

using namespace skelgen;

void fold_seed(benchmark::State& state, texts::Text (*make)(std::size_t), std::size_t n) {
  using benchmark::Counter;
  const texts::Text text = make(n);
  for (auto _ : state) benchmark::DoNotOptimize(fold::fold(text));
  state.counters["per_symbol"] = Counter(static_cast<double>(n), Counter::kIsIterationInvariantRate | Counter::kInvert);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const std::size_t n : {100'000, 1'000'000})
    for (const auto& kind : {kinds::nest, kinds::wavefront, kinds::fibonacci, kinds::random4, kinds::two_blocks})
      benchmark::RegisterBenchmark((std::string("fold/") + kind.name + "/" + std::to_string(n)).c_str(), fold_seed,
                                   kind.make, n)
          ->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks();
}
