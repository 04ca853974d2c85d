#pragma once
// One rank's record file while the rank still writes it. Internal to src/trace.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "trace/file.h"

namespace skelgen::trace {

/// How a run is read while it goes on: it needs the processors more than its reader does. So that one rests, for as long
/// as not too much waits for it.
class Pace {
 public:
  /// over: set when nobody writes any more. most_waiting: bytes of a rank's file.
  Pace(const std::atomic<bool>& over, std::uint64_t most_waiting) : over_(over), most_waiting_(most_waiting) {}
  bool over() const { return over_; }
  /// Before more of a file is read, of which so much waits: rests until what was read since has taken a twentieth of a
  /// processor's time. For the thread that reads.
  void rest(std::uint64_t waiting);

 private:
  const std::atomic<bool>& over_;
  const std::uint64_t most_waiting_;
  double busy_s_ = 0;  // of the reading thread, up to its last rest
};

/// A file of one thread's records; those of further threads are refused. Read by system calls, not by mapping: what the
/// file holds when the call is made is what is seen, on remote file systems, too. What was read is given back only where
/// HEAD says that the rank does not look at it again.
class Growing {
 public:
  /// give_back: what was read does not keep its place on the disk.
  Growing(const std::filesystem::path& path, Pace& pace, bool give_back);
  ~Growing();
  Growing(const Growing&) = delete;
  Growing& operator=(const Growing&) = delete;

  /// Waits for the header and HEAD. False: they never came. Throws as open_rank_file.
  bool begin();
  /// What the file says besides records; TAIL if next() came to an end that was one.
  RankFile description() const;
  /// The records behind those of the last call, valid until the next one; waits for some. False at the end. Throws
  /// Error{corrupt}, of damaged records when all of their chunk were read, and Error{unsupported} at the first record of
  /// another thread.
  bool next(Piece& piece);
  /// Whether records have lost their place on the disk.
  bool gave_back() const { return given_ > records_; }

 private:
  bool open();
  bool read(std::uint64_t at, void* to, std::size_t bytes) const;
  bool chunk_at(std::uint64_t at, skt_chunk_header& chunk) const;
  std::vector<std::uint8_t> payload(std::uint64_t at, const skt_chunk_header& chunk) const;
  std::uint64_t size() const;
  std::uint64_t waiting() const;
  void leave(const skt_chunk_header& chunk);

  const std::filesystem::path path_;
  Pace& pace_;
  bool give_back_;
  int file_ = -1;
  skt_file_header header_{};
  nlohmann::json head_;
  std::uint64_t at_ = 0;       // of the chunk that is read
  std::uint64_t read_ = 0;     // bytes of its payload
  std::uint64_t records_ = 0;  // where the first chunk of records begins
  std::uint64_t given_ = 0;    // from there to here nothing has a place on the disk any more
  std::vector<std::uint8_t> buffer_;
  std::optional<nlohmann::json> tail_;
};

}  // namespace skelgen::trace
