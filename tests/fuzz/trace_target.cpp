// Bytes -> the record files of one to four ranks -> everything that `skelgen build` does. Checksums are mended, so that
// mutations reach what is behind them.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>

#include "fuzz/container.h"
#include "fuzz/pipeline.h"
#include "trace/file.h"
#include "traces/writer.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most) __attribute__((weak));

namespace {

using namespace skelgen;
using fuzz::Bytes;

void write(const std::filesystem::path& path, const Bytes& bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file || std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size() || std::fclose(file) != 0)
    fuzz::finding("no room for a trace");
}

/// One part of the input changes and the lengths around it are kept right.
void mutate(std::vector<Bytes>& files, std::minstd_rand& random) {
  Bytes& chosen = files[random() % files.size()];
  fuzz::File file = fuzz::take_apart(chosen);
  if (file.chunks.empty()) return;
  const std::size_t at = random() % file.chunks.size();
  switch (random() % 10) {
    case 0:
      file.chunks.insert(file.chunks.begin() + static_cast<std::ptrdiff_t>(random() % file.chunks.size()),
                         file.chunks[at]);
      break;
    case 1:
      file.chunks.erase(file.chunks.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 2:
      ++file.chunks[at].header.sequence;
      break;
    case 3:
      if (files.size() < fuzz::kMostRanks)
        files.push_back(chosen);
      else
        files.pop_back();
      return;
    default: {
      Bytes& payload = file.chunks[at].payload;
      const std::size_t size = payload.size(), most = size + 64;
      payload.resize(most);
      payload.resize(LLVMFuzzerMutate(payload.data(), size, most));
    }
  }
  chosen = fuzz::put_together(file);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  std::minstd_rand random(seed);
  if (size < 2 || random() % 4 == 0) return LLVMFuzzerMutate(data, size, most);
  auto files = fuzz::split({data + 1, size - 1});
  if (files.empty()) return LLVMFuzzerMutate(data, size, most);
  mutate(files, random);
  Bytes whole{data[0]};
  if (random() % 16 == 0) whole[0] = static_cast<std::uint8_t>(random());
  for (const Bytes& file : files) whole.insert(whole.end(), file.begin(), file.end());
  if (whole.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(whole.begin(), whole.end(), data);
  return whole.size();
}

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
    write(directory / trace::rank_file_name(static_cast<Rank>(rank)), files[rank]);
  }
  fuzz::expect_no_other_errors([&] { fuzz::build(directory, fuzz::choice_of(data[0])); });
  return 0;
}
