// runs_table [--libsais FILE.so] [--symbols N] [--repeats R]: what all runs of a string cost, as a table in Markdown.
//
// With libsais, beside the time of its suffix array of the same integers, in the same process and in turns; its memory
// has been written to before, that of the runs comes fresh from the system. Needs 20 bytes per symbol.
#include "bench/strings/kinds.h"
#include "bench/strings/table.h"
#include "strings/runs.h"

namespace {

using namespace skelgen;

void print_row(const kinds::Kind& kind, const table::Options& options, table::Libsais& libsais) {
  texts::Text text = kind.make(options.symbols);
  const std::size_t n = text.size();
  std::vector<double> own, other;
  std::size_t count = 0;
  for (std::size_t repeat = 0; repeat < options.repeats; ++repeat) {
    own.push_back(table::seconds([&] { count = strings::runs(text).size(); }));
    if (libsais.there()) other.push_back(libsais.sort(text));
  }
  const table::Spread runs = table::spread(own, n);
  std::printf("| %s | %.4f |", kind.name, static_cast<double>(count) / static_cast<double>(n));
  print(runs);
  if (libsais.there()) {
    const table::Spread array = table::spread(other, n);
    print(array);
    std::printf(" %.2f |", runs.median / array.median);
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const table::Options options = table::parse(argc, argv);
    table::Libsais libsais(options.libsais);
    table::keep_memory();
    std::printf("%zu symbols, ns per symbol: median of %zu (least-most)\n\n| string | runs per symbol | all runs |%s\n",
                options.symbols, options.repeats, libsais.there() ? " libsais suffix array | ratio |" : "");
    std::printf("|---|---|---|%s\n", libsais.there() ? "---|---|" : "");
    for (const auto& kind : {kinds::nest, kinds::wavefront, kinds::irregular, kinds::fibonacci, kinds::thue_morse,
                             kinds::period_doubling, kinds::random2, kinds::random4, kinds::random10000, kinds::doubled,
                             kinds::repeated, kinds::power, kinds::two_blocks, kinds::rising, kinds::falling})
      print_row(kind, options, libsais);
  } catch (const Error& error) {
    std::fprintf(stderr, "runs_table: %s\n", error.what());
    return 1;
  }
}
