#include "fuzz/container.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>
#include <string_view>

#include "fuzz/pipeline.h"
#include "trace/file.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most) __attribute__((weak));

namespace skelgen::fuzz {
namespace {

/// The chunk header at `at`, if a whole chunk stands there.
bool chunk_at(std::span<const std::uint8_t> bytes, std::size_t at, skt_chunk_header& header) {
  if (at > bytes.size() || bytes.size() - at < sizeof header) return false;
  std::memcpy(&header, bytes.data() + at, sizeof header);
  return header.capacity <= bytes.size() - at - sizeof header && header.used <= header.capacity;
}

void append(Bytes& to, const void* data, std::size_t size) {
  const auto* begin = static_cast<const std::uint8_t*>(data);
  to.insert(to.end(), begin, begin + size);
}

/// One part of the input changes and the lengths around it are kept right.
void change(std::vector<Bytes>& files, std::minstd_rand& random) {
  Bytes& chosen = files[random() % files.size()];
  File file = take_apart(chosen);
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
      if (files.size() < kMostRanks)
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
  chosen = put_together(file);
}

}  // namespace

std::vector<Bytes> split(std::span<const std::uint8_t> input) {
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size()), magic(SKT_MAGIC);
  std::vector<Bytes> files;
  for (std::size_t at = text.find(magic); at != text.npos && files.size() < kMostRanks;) {
    const std::size_t next = text.find(magic, at + magic.size());
    const auto file = input.subspan(at, std::min(next, input.size()) - at);
    files.emplace_back(file.begin(), file.end());
    at = next;
  }
  return files;
}

File take_apart(std::span<const std::uint8_t> bytes) {
  File file{};
  if (bytes.size() < sizeof file.header) {
    file.rest.assign(bytes.begin(), bytes.end());
    return file;
  }
  std::memcpy(&file.header, bytes.data(), sizeof file.header);
  std::size_t at = sizeof file.header;
  for (skt_chunk_header header; chunk_at(bytes, at, header); at += sizeof header + header.capacity) {
    const auto payload = bytes.subspan(at + sizeof header, header.used);
    file.chunks.push_back({header, {payload.begin(), payload.end()}});
  }
  const auto rest = bytes.subspan(at);
  file.rest.assign(rest.begin(), rest.end());
  return file;
}

Bytes put_together(const File& file) {
  Bytes bytes;
  append(bytes, &file.header, sizeof file.header);
  for (const Chunk& chunk : file.chunks) {
    skt_chunk_header header = chunk.header;
    header.used = chunk.payload.size();
    header.capacity = (chunk.payload.size() + 7) / 8 * 8;
    append(bytes, &header, sizeof header);
    bytes.insert(bytes.end(), chunk.payload.begin(), chunk.payload.end());
    bytes.resize(bytes.size() + header.capacity - header.used);
  }
  bytes.insert(bytes.end(), file.rest.begin(), file.rest.end());
  return bytes;
}

void mend(Bytes& file, std::uint32_t rank, std::uint32_t ranks, std::uint64_t run) {
  skt_file_header header;
  if (file.size() < sizeof header) return;
  std::memcpy(&header, file.data(), sizeof header);
  header.rank = rank;
  header.ranks = ranks;
  header.run_id = run;
  header.checksum = XXH3_64bits(&header, offsetof(skt_file_header, checksum));
  std::memcpy(file.data(), &header, sizeof header);
  std::size_t at = sizeof header;
  for (skt_chunk_header chunk; chunk_at(file, at, chunk); at += sizeof chunk + chunk.capacity) {
    if (chunk.state != SKT_SEALED) continue;
    const auto payload = std::span(file).subspan(at + sizeof chunk, chunk.capacity);
    chunk.checksum = trace::chunk_checksum(chunk, payload);
    std::memcpy(file.data() + at, &chunk, sizeof chunk);
  }
}

void write(const std::filesystem::path& path, const Bytes& bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file || std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size() || std::fclose(file) != 0)
    finding("no room for a trace");
}

/// Called by libFuzzer: one part changes, and the lengths around it are kept right.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  std::minstd_rand random(seed);
  if (size < 2 || random() % 4 == 0) return LLVMFuzzerMutate(data, size, most);
  auto files = split({data + 1, size - 1});
  if (files.empty()) return LLVMFuzzerMutate(data, size, most);
  change(files, random);
  Bytes whole{data[0]};
  if (random() % 16 == 0) whole[0] = static_cast<std::uint8_t>(random());
  for (const Bytes& file : files) whole.insert(whole.end(), file.begin(), file.end());
  if (whole.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(whole.begin(), whole.end(), data);
  return whole.size();
}

}  // namespace skelgen::fuzz
