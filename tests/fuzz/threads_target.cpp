// Bytes -> the file of a process's threads -> everything that `skelgen threads` does. Checksums are mended, so that
// mutations reach what is behind them.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "fuzz/container.h"
#include "fuzz/pipeline.h"
#include "threads/analysis.h"
#include "threads/layer_sites.h"
#include "threads/simulate.h"

using namespace skelgen;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  auto files = fuzz::split({data + 1, size - 1});
  if (files.empty()) return 0;
  const auto path = fuzz::scratch_directory() / "threads-host-1.skt";
  if ((data[0] & fuzz::kKeepChecksums) == 0) fuzz::mend(files[0], 0, 1, 1);
  fuzz::write(path, files[0]);
  fuzz::expect_no_other_errors([&] {
    const auto run = threads::read_file(path);
    const auto analysis = threads::analyse(run);
    const double seconds = threads::simulate(run, analysis, {}, data[0] & 3u).seconds;
    if (!(seconds >= 0) || std::isinf(seconds)) fuzz::finding("simulated time is no time");
    threads::LayerSites sites;
    threads::add_layer_sites(run, analysis, sites);
    threads::text_of(sites);
    for (const bool reduced : {false, true}) {
      threads::dot(run, analysis, reduced);
      threads::svg(run, analysis, reduced);
    }
  });
  return 0;
}
