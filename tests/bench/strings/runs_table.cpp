// runs_table [--libsais FILE.so] [--symbols N] [--repeats R]: what all runs of a string cost, as a table in Markdown.
//
// With libsais (Grebnov), beside the time of its suffix array of the same integers, in the same process and in turns;
// its memory has been written to before, that of the runs comes fresh from the system. Needs 20 bytes per symbol.
#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "bench/strings/kinds.h"
#include "strings/runs.h"
#include "support/error.h"

namespace {

using namespace skelgen;

/// int32_t libsais_int(T, SA, n, k, fs): T is changed and restored.
using SortIntegers = std::int32_t(std::int32_t*, std::int32_t*, std::int32_t, std::int32_t, std::int32_t);

struct Options {
  std::string libsais;
  std::size_t symbols = 10'000'000, repeats = 5;
};

std::size_t number(const std::string& option, const char* text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  if (error != std::errc{} || *end != 0 || value == 0 || value > 1'000'000'000)
    throw Error(Code::invalid_argument, option + " takes a number from 1 to 10^9, not " + text);
  return value;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    if (i + 1 == argc) throw Error(Code::invalid_argument, option + " needs a value");
    if (option == "--libsais")
      options.libsais = argv[i + 1];
    else if (option == "--symbols")
      options.symbols = number(option, argv[i + 1]);
    else if (option == "--repeats")
      options.repeats = number(option, argv[i + 1]);
    else
      throw Error(Code::invalid_argument, "unknown option " + option);
  }
  return options;
}

SortIntegers* load(const std::string& file) {
  void* library = dlopen(file.c_str(), RTLD_NOW);
  void* symbol = library ? dlsym(library, "libsais_int") : nullptr;
  if (!symbol) throw Error(Code::io, file, {}, std::string("has no libsais_int: ") + dlerror());
  return reinterpret_cast<SortIntegers*>(symbol);
}

template <typename Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Spread {
  double median, least, most;
};

Spread spread(std::vector<double> values, std::size_t symbols) {
  std::ranges::sort(values);
  const double ns = 1e9 / static_cast<double>(symbols);
  return {values[values.size() / 2] * ns, values.front() * ns, values.back() * ns};
}

void print_row(const kinds::Kind& kind, const Options& options, SortIntegers* sort) {
  texts::Text text = kind.make(options.symbols);
  const std::size_t n = text.size();
  const std::int32_t alphabet = static_cast<std::int32_t>(std::ranges::max(text)) + 1;
  const std::int32_t extra = std::max(6 * alphabet, 1 << 14);  // makes libsais fastest
  std::vector<std::int32_t> suffixes(sort ? n + static_cast<std::size_t>(extra) : 0);
  std::vector<double> own, other;
  std::size_t count = 0;
  for (std::size_t repeat = 0; repeat < options.repeats; ++repeat) {
    own.push_back(seconds([&] { count = strings::runs(text).size(); }));
    if (!sort) continue;
    std::int32_t failed = 0;
    other.push_back(seconds([&] {
      failed = sort(reinterpret_cast<std::int32_t*>(text.data()), suffixes.data(), static_cast<std::int32_t>(n),
                    alphabet, extra);
    }));
    if (failed != 0) throw Error(Code::internal, options.libsais, {}, "libsais_int returns " + std::to_string(failed));
  }
  const Spread runs = spread(own, n);
  std::printf("| %s | %.4f | %.2f (%.2f-%.2f) |", kind.name, static_cast<double>(count) / static_cast<double>(n),
              runs.median, runs.least, runs.most);
  if (sort) {
    const Spread array = spread(other, n);
    std::printf(" %.2f (%.2f-%.2f) | %.2f |", array.median, array.least, array.most, runs.median / array.median);
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = parse(argc, argv);
    SortIntegers* const sort = options.libsais.empty() ? nullptr : load(options.libsais);
    std::printf("%zu symbols, ns per symbol: median of %zu (least-most)\n\n| string | runs per symbol | all runs |%s\n",
                options.symbols, options.repeats, sort ? " libsais suffix array | ratio |" : "");
    std::printf("|---|---|---|%s\n", sort ? "---|---|" : "");
    for (const auto& kind : {kinds::nest, kinds::wavefront, kinds::irregular, kinds::fibonacci, kinds::thue_morse,
                             kinds::period_doubling, kinds::random2, kinds::random4, kinds::random10000, kinds::doubled,
                             kinds::repeated, kinds::power, kinds::two_blocks, kinds::rising, kinds::falling})
      print_row(kind, options, sort);
  } catch (const Error& error) {
    std::fprintf(stderr, "runs_table: %s\n", error.what());
    return 1;
  }
}
