// Time per symbol of folding on five kinds of string.
#include <benchmark/benchmark.h>

#include "bench/strings/kinds.h"
#include "fold/fold.h"

namespace {

using namespace skelgen;

void run(benchmark::State& state, fold::Mode mode, texts::Text (*make)(std::size_t), std::size_t n) {
  using benchmark::Counter;
  const texts::Text text = make(n);
  for (auto _ : state) benchmark::DoNotOptimize(fold::fold(text, mode));
  state.counters["per_symbol"] = Counter(static_cast<double>(n), Counter::kIsIterationInvariantRate | Counter::kInvert);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const std::size_t n : {100'000, 1'000'000})
    for (const auto& kind : {kinds::nest, kinds::wavefront, kinds::fibonacci, kinds::random4, kinds::two_blocks})
      for (const auto mode : {fold::Mode::seed, fold::Mode::best})
        benchmark::RegisterBenchmark(
            (std::string(mode == fold::Mode::seed ? "seed/" : "best/") + kind.name + "/" + std::to_string(n)).c_str(),
            run, mode, kind.make, n)
            ->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks();
}
