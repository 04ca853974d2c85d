// cost_table [--libsais FILE.so] [--symbols N] [--repeats R]: what folding costs, as tables in Markdown.
//
// For each kind of string the modes, given its runs: time per symbol, and memory at the worst moment per symbol, the
// result among it, but not the text and the runs; and nodes of the result. With libsais, the times also as multiples of that of its suffix array
// (table.h), and those of runs and folding together.
#include <malloc.h>

#include <cstdlib>
#include <map>
#include <new>

#include "bench/strings/kinds.h"
#include "bench/strings/table.h"
#include "fold/collapse.h"
#include "fold/fold.h"
#include "fold/stream.h"

namespace {

std::size_t in_use = 0, at_most = 0;  // bytes that were asked for by new

}  // namespace

void* operator new(std::size_t size) {
  void* const memory = std::malloc(size);
  if (!memory) throw std::bad_alloc();
  in_use += malloc_usable_size(memory);
  if (in_use > at_most) at_most = in_use;
  return memory;
}
void operator delete(void* memory) noexcept {
  in_use -= malloc_usable_size(memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace {

using namespace skelgen;

constexpr fold::Mode kModes[] = {fold::Mode::seed, fold::Mode::best};

/// Nodes of a program, and how many there would be if equal bodies were stored once.
struct Nodes {
  std::size_t all = 0, different = 0;
};

class Sharing {
 public:
  Nodes of(const fold::Program& program) {
    body(program);
    return nodes_;
  }

 private:
  std::size_t body(const fold::Program& program) {
    std::vector<std::size_t> key;
    for (const fold::Node& node : program)
      key.insert(key.end(), {node.symbol, node.trips, node.is_loop() ? body(node.body) : 0});
    nodes_.all += program.size();
    const auto [at, added] = numbers_.try_emplace(std::move(key), numbers_.size() + 1);
    if (added) nodes_.different += program.size();
    return at->second;
  }

  std::map<std::vector<std::size_t>, std::size_t> numbers_;
  Nodes nodes_;
};

/// What was given back, in small pieces, is put together again, which else the next large allocation does.
void tidy() { std::free(std::malloc(std::size_t{1} << 20)); }

struct Cost {
  std::vector<double> seconds;
  double bytes = 0;        // at the worst moment
  std::size_t length = 0;  // of the folded form
};

void print_row(const kinds::Kind& kind, const table::Options& options, table::Libsais& libsais) {
  texts::Text text = kind.make(options.symbols);
  const std::size_t n = text.size();
  std::vector<double> runs_seconds, other;
  Cost costs[2];
  Nodes nodes;
  for (std::size_t repeat = 0; repeat < options.repeats; ++repeat) {
    std::vector<strings::Run> runs;
    runs_seconds.push_back(table::seconds([&] { runs = strings::runs(text); }));
    for (const auto mode : kModes) {
      Cost& cost = costs[static_cast<int>(mode)];
      auto given = runs;
      fold::Program program;
      tidy();
      const std::size_t before = in_use;
      at_most = in_use;
      cost.seconds.push_back(table::seconds([&] { program = fold::fold(text, std::move(given), mode); }));
      cost.bytes = static_cast<double>(at_most - before) / static_cast<double>(n);
      cost.length = fold::length(program);
      if (repeat == 0) nodes = Sharing().of(program);
    }
    if (libsais.there()) other.push_back(libsais.sort(text));
  }
  const table::Spread runs = table::spread(runs_seconds, n), array = table::spread(other, n);
  std::printf("| %s |", kind.name);
  if (libsais.there()) print(array);
  print(runs);
  for (const Cost& cost : costs) {
    const table::Spread own = table::spread(cost.seconds, n);
    std::printf(" %zu |", cost.length);
    print(own);
    if (libsais.there())
      std::printf(" %.2f | %.2f |", own.median / array.median, (own.median + runs.median) / array.median);
    std::printf(" %.1f |", cost.bytes);
  }
  std::printf(" %zu | %zu |\n", nodes.all, nodes.different);
  std::fflush(stdout);
}

/// Mode stream, and the collapsing in it alone. It needs no runs.
void print_stream_row(const kinds::Kind& kind, const table::Options& options, table::Libsais& libsais) {
  texts::Text text = kind.make(options.symbols);
  const std::size_t n = text.size();
  std::vector<double> other, collapse;
  Cost cost;
  std::size_t left = 0;
  for (std::size_t repeat = 0; repeat < options.repeats; ++repeat) {
    collapse.push_back(table::seconds([&] {
      fold::Tokens tokens;
      std::vector<fold::Symbol> out;
      fold::Collapse whole(tokens, out);
      whole.push(text);
      whole.finish();
      left = out.size();
    }));
    fold::Program program;
    tidy();
    const std::size_t before = in_use;
    at_most = in_use;
    cost.seconds.push_back(table::seconds([&] { program = fold::fold(text, fold::Mode::stream); }));
    cost.bytes = static_cast<double>(at_most - before) / static_cast<double>(n);
    cost.length = fold::length(program);
    if (libsais.there()) other.push_back(libsais.sort(text));
  }
  const std::size_t best = fold::length(fold::fold(text, fold::Mode::best));
  const table::Spread array = table::spread(other, n), alone = table::spread(collapse, n),
                      all = table::spread(cost.seconds, n);
  std::printf("| %s |", kind.name);
  if (libsais.there()) print(array);
  std::printf(" %.4f |", static_cast<double>(left) / static_cast<double>(n));
  print(alone);
  if (libsais.there()) std::printf(" %.2f |", alone.median / array.median);
  print(all);
  if (libsais.there()) std::printf(" %.2f |", all.median / array.median);
  std::printf(" %.1f | %zu | %+.2f |\n", cost.bytes, cost.length,
              100 * (static_cast<double>(cost.length) / static_cast<double>(best) - 1));
  std::fflush(stdout);
}

/// A wavefront solver's calls, made while they are folded.
void print_long_stream(std::size_t n) {
  const texts::Text text = kinds::wavefront.make(30 + 20 * 646 + 1);  // the prologue and 20 steps
  const auto steps = std::span<const fold::Symbol>(text).subspan(30);
  fold::Program program;
  const std::size_t before = in_use;
  at_most = in_use;
  const double seconds = table::seconds([&] {
    fold::Stream stream;
    stream.push(std::span<const fold::Symbol>(text).first(30));
    for (std::size_t made = 30; made < n; made += steps.size())
      stream.push(steps.first(std::min(steps.size(), n - made)));
    program = std::move(stream).finish();
  });
  std::printf("\n%s, %zu symbols that are nowhere in memory: %zu symbols, %.2f ns per symbol, %.2f MB\n",
              kinds::wavefront.name, n, fold::length(program), 1e9 * seconds / static_cast<double>(n),
              static_cast<double>(at_most - before) / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const table::Options options = table::parse(argc, argv);
    table::Libsais libsais(options.libsais);
    table::keep_memory();
    std::printf("%zu symbols, ns per symbol: median of %zu (least-most)\n\n| string |", options.symbols,
                options.repeats);
    if (libsais.there()) std::printf(" libsais |");
    std::printf(" all runs |");
    for (const char* mode : {"`seed`", "`best`"}) {
      std::printf(" %s: symbols | ns |", mode);
      if (libsais.there()) std::printf(" ratio | with runs |");
      std::printf(" bytes |");
    }
    std::printf(" nodes of `best` | different |\n|---|---|%s%s---|---|\n", libsais.there() ? "---|" : "",
                libsais.there() ? "---|---|---|---|---|---|---|---|---|---|" : "---|---|---|---|---|---|");
    for (const auto& kind : {kinds::nest, kinds::wavefront, kinds::irregular, kinds::fibonacci, kinds::period_doubling,
                             kinds::random4, kinds::random10000, kinds::repeated, kinds::two_blocks, kinds::rising})
      print_row(kind, options, libsais);
    const char* const ratio = libsais.there() ? " ratio |" : "";
    std::printf(
        "\n| string |%s left per symbol | collapsing |%s mode `stream` |%s bytes | symbols | more than `best`, %% |\n",
        libsais.there() ? " libsais |" : "", ratio, ratio);
    std::printf("|---|---|---|---|---|---|---|%s\n", libsais.there() ? "---|---|---|" : "");
    for (const auto& kind : {kinds::nest, kinds::wavefront, kinds::irregular, kinds::fibonacci, kinds::period_doubling,
                             kinds::random4, kinds::random10000, kinds::repeated, kinds::two_blocks, kinds::rising})
      print_stream_row(kind, options, libsais);
    print_long_stream(10 * options.symbols);
  } catch (const Error& error) {
    std::fprintf(stderr, "cost_table: %s\n", error.what());
    return 1;
  }
}
