// cost_table [--libsais FILE.so] [--symbols N] [--repeats R]: what folding costs, as a table in Markdown.
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
#include "fold/fold.h"

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

}  // namespace

int main(int argc, char** argv) {
  try {
    const table::Options options = table::parse(argc, argv);
    table::Libsais libsais(options.libsais);
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
  } catch (const Error& error) {
    std::fprintf(stderr, "cost_table: %s\n", error.what());
    return 1;
  }
}
