// Bytes -> the record files of one to four ranks -> everything that `skelgen build` does. Checksums are mended, so that
// mutations reach what is behind them.
#include <cstddef>
#include <cstdint>

#include "fuzz/container.h"
#include "fuzz/pipeline.h"
#include "trace/file.h"
#include "traces/writer.h"

using namespace skelgen;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  auto files = fuzz::split({data + 1, size - 1});
  if (files.empty()) return 0;
  static std::size_t last_ranks = 0;
  const auto& directory = fuzz::scratch_directory();
  auto run = fuzz::run_of(static_cast<int>(files.size()));
  if (last_ranks != files.size()) {
    for (std::size_t rank = files.size(); rank < last_ranks; ++rank)
      std::filesystem::remove(directory / trace::rank_file_name(static_cast<Rank>(rank)));
    trace::write_meta(directory, run);
    last_ranks = files.size();
  }
  for (std::size_t rank = 0; rank < files.size(); ++rank) {
    if ((data[0] & fuzz::kKeepChecksums) == 0)
      fuzz::mend(files[rank], static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(files.size()), run.id);
    fuzz::write(directory / trace::rank_file_name(static_cast<Rank>(rank)), files[rank]);
  }
  fuzz::expect_no_other_errors([&] { fuzz::build(directory, fuzz::choice_of(data[0])); });
  return 0;
}
