#pragma once
// An input of the targets trace and threads: a byte of options (Choice; 0x40: checksums stay as they are), then rank
// files, one after the other, each from its magic on. libFuzzer changes it by the mutator in container.cpp.

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "skt_format.h"

namespace skelgen::fuzz {

using Bytes = std::vector<std::uint8_t>;

inline constexpr std::uint8_t kKeepChecksums = 0x40;
inline constexpr std::size_t kMostRanks = 4;

/// Where the magic stands: the files, at most kMostRanks; what is before the first one belongs to none.
std::vector<Bytes> split(std::span<const std::uint8_t> input);

struct Chunk {
  skt_chunk_header header;
  Bytes payload;  ///< what is in use
};
/// A rank file taken apart, as far as it can be; `rest` is what is behind the last chunk.
struct File {
  skt_file_header header;
  std::vector<Chunk> chunks;
  Bytes rest;
};
File take_apart(std::span<const std::uint8_t> bytes);
/// Chunks get the capacity that they need.
Bytes put_together(const File& file);

/// Gives the header and all sealed chunks the checksums that they should have, and the header rank, ranks and run id.
void mend(Bytes& file, std::uint32_t rank, std::uint32_t ranks, std::uint64_t run);

/// Ends the program as a finding where there is no room.
void write(const std::filesystem::path& path, const Bytes& bytes);

}  // namespace skelgen::fuzz
