#pragma once
// What tables of times per symbol have in common: options, medians of runs in turns, libsais beside.

#include <dlfcn.h>
#include <malloc.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "support/error.h"

namespace skelgen::table {

struct Options {
  std::string libsais;  // file of the shared library; empty: without it
  std::size_t symbols = 10'000'000, repeats = 5;
};

inline std::size_t number(const std::string& option, const char* text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  if (error != std::errc{} || *end != 0 || value == 0 || value > 1'000'000'000)
    throw Error(Code::invalid_argument, option + " takes a number from 1 to 10^9, not " + text);
  return value;
}

/// [--libsais FILE.so] [--symbols N] [--repeats R]
inline Options parse(int argc, char** argv) {
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

template <typename Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// From now on memory that is given back stays with the process, so that what is measured, too, is in memory that has
/// been written to before.
inline void keep_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

/// The suffix array of libsais (Grebnov), the fastest known, in memory that has been written to before.
class Libsais {
 public:
  explicit Libsais(const std::string& file) : file_(file) {
    if (file.empty()) return;
    void* library = dlopen(file.c_str(), RTLD_NOW);
    void* symbol = library ? dlsym(library, "libsais_int") : nullptr;
    if (!symbol) throw Error(Code::io, file, {}, std::string("has no libsais_int: ") + dlerror());
    sort_ = reinterpret_cast<Sort*>(symbol);
  }

  bool there() const { return sort_ != nullptr; }

  /// Seconds for the suffix array of these integers. The text is changed and restored.
  double sort(std::vector<std::uint32_t>& text) {
    const std::int32_t alphabet = static_cast<std::int32_t>(std::ranges::max(text)) + 1;
    const std::int32_t extra = std::max(6 * alphabet, 1 << 14);  // makes it fastest
    suffixes_.resize(text.size() + static_cast<std::size_t>(extra));
    std::int32_t failed = 0;
    const double time = seconds([&] {
      failed = sort_(reinterpret_cast<std::int32_t*>(text.data()), suffixes_.data(),
                     static_cast<std::int32_t>(text.size()), alphabet, extra);
    });
    if (failed != 0) throw Error(Code::internal, file_, {}, "libsais_int returns " + std::to_string(failed));
    return time;
  }

 private:
  /// int32_t libsais_int(T, SA, n, k, fs)
  using Sort = std::int32_t(std::int32_t*, std::int32_t*, std::int32_t, std::int32_t, std::int32_t);

  std::string file_;
  Sort* sort_ = nullptr;
  std::vector<std::int32_t> suffixes_;
};

/// Nanoseconds per symbol.
struct Spread {
  double median = 0, least = 0, most = 0;
};

inline Spread spread(std::vector<double> seconds, std::size_t symbols) {
  if (seconds.empty()) return {};
  std::ranges::sort(seconds);
  const double ns = 1e9 / static_cast<double>(symbols);
  return {seconds[seconds.size() / 2] * ns, seconds.front() * ns, seconds.back() * ns};
}

/// " 8.4 (8.3-8.9) |"
inline void print(const Spread& spread) {
  std::printf(" %.2f (%.2f-%.2f) |", spread.median, spread.least, spread.most);
}

}  // namespace skelgen::table
