#include "fuzz/container.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "trace/file.h"

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

}  // namespace skelgen::fuzz
