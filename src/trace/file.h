#pragma once
// One rank-NNNNNN.skt, or file of threads in the same format, mapped and checked. Internal to src/trace and src/threads.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skt_format.h"
#include "support/units.h"

namespace skelgen::trace {

/// The records of one EVNT chunk.
struct Piece {
  std::span<const std::uint8_t> bytes;
  std::uint64_t offset;  ///< of the first byte in the file
};

class Growing;

/// A read-only mapping that lives as long as the object.
class Mapping {
 public:
  Mapping() = default;  ///< of nothing
  explicit Mapping(const std::filesystem::path& path);
  ~Mapping();
  Mapping(Mapping&& other) noexcept;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  std::span<const std::uint8_t> bytes() const { return bytes_; }
  /// The process does not need these bytes for now: they stay in the system's cache, not in its memory. Any thread may
  /// read them again all the same.
  void release(std::span<const std::uint8_t> part) const;

 private:
  std::span<const std::uint8_t> bytes_;
};

struct RankFile {
  std::filesystem::path path;
  Mapping mapping;
  skt_file_header header{};
  nlohmann::json head;
  std::optional<nlohmann::json> tail;       ///< nothing: the process was killed
  std::vector<std::vector<Piece>> threads;  ///< by thread number
  std::shared_ptr<Growing> growing;         ///< where the records come from while the file is being written
};

/// The object, or null if the text is something else or nested more deeply than what skelgen writes.
nlohmann::json parse_object(std::string_view text);

/// "rank-000007.skt"
std::string rank_file_name(Rank rank);
/// The rank whose file has this name, if one has.
std::optional<Rank> rank_of_file(const std::string& name);

/// What the header of a sealed chunk must have as its checksum.
std::uint64_t chunk_checksum(skt_chunk_header header, std::span<const std::uint8_t> payload);

/// The file header at the beginning of `bytes`. Throws Error{corrupt}.
skt_file_header read_header(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);
/// What HEAD or TAIL says, whose text stands at `offset` of the file. Throws Error{corrupt}.
nlohmann::json read_json(const std::filesystem::path& path, std::span<const std::uint8_t> text, std::uint64_t offset);

/// Ticks of a file's clock -> seconds of CLOCK_MONOTONIC, linear through the first and the last pair that the file has.
struct Clock {
  std::uint64_t origin_ticks = 0;
  double origin_s = 0, seconds_per_tick = 1e-9;
  double at(std::uint64_t ticks) const {
    return origin_s + seconds_per_tick * static_cast<double>(static_cast<std::int64_t>(ticks - origin_ticks));
  }
};
/// Throws Error{corrupt} where HEAD and TAIL have none, or one that does not run.
Clock read_clock(const RankFile& file);

/// Maps the file and checks its header and every chunk. Throws Error{io} or Error{corrupt} with path and offset.
RankFile open_rank_file(const std::filesystem::path& path);

}  // namespace skelgen::trace
