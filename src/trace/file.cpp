#include "trace/file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "support/error.h"
#include "trace/fields.h"

namespace skelgen::trace {
namespace {

[[noreturn]] void corrupt(const std::filesystem::path& path, std::uint64_t offset, const std::string& text) {
  throw Error(Code::corrupt, path.string(), offset, text, "trace the program again");
}

/// First byte at or behind `at`, in steps of 8, where something other than 0 begins; the end if nothing does.
std::uint64_t skip_zeros(std::span<const std::uint8_t> bytes, std::uint64_t at) {
  const auto zero = [&](std::uint64_t from) {
    const auto word = bytes.subspan(from, std::min<std::uint64_t>(8, bytes.size() - from));
    return std::ranges::all_of(word, [](std::uint8_t byte) { return byte == 0; });
  };
  while (at < bytes.size() && zero(at)) at += 8;
  return std::min<std::uint64_t>(at, bytes.size());
}

/// A file may become shorter while it is mapped (a traced program ends, somebody copies over it): what is missing reads
/// as zeros, which no checksum and no record is, instead of ending the process.
std::uintptr_t page_bytes = 0;
void fill_in(int, siginfo_t* info, void*) {
  auto* page = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(info->si_addr) / page_bytes * page_bytes);
  if (info->si_code != BUS_ADRERR ||
      mmap(page, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
    signal(SIGBUS, SIG_DFL);
}

void expect_shorter_files() {
  static const bool done = [] {
    page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = fill_in;
    action.sa_flags = SA_SIGINFO;
    return sigaction(SIGBUS, &action, nullptr) == 0;
  }();
  (void)done;
}

}  // namespace

Mapping::Mapping(const std::filesystem::path& path) {
  expect_shorter_files();
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe must not make us wait
  if (fd < 0) throw Error(Code::io, path.string(), {}, std::strerror(errno), "check the path and its permissions");
  struct stat status {};
  void* memory = nullptr;
  const bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  if (regular && status.st_size > 0)
    memory = mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
  const int error = errno;
  ::close(fd);
  if (!regular) throw Error(Code::io, path.string(), {}, "this is no ordinary file", "give the directory of a trace");
  if (memory == MAP_FAILED) throw Error(Code::io, path.string(), {}, std::strerror(error), "check the file system");
  if (memory) bytes_ = {static_cast<const std::uint8_t*>(memory), static_cast<std::size_t>(status.st_size)};
}

Mapping::~Mapping() {
  if (!bytes_.empty()) munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

Mapping::Mapping(Mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

void Mapping::release(std::span<const std::uint8_t> part) const {
  const auto begin = reinterpret_cast<std::uintptr_t>(part.data()) / page_bytes * page_bytes;
  const auto end = reinterpret_cast<std::uintptr_t>(part.data()) + part.size();
  if (end > begin) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

std::uint64_t chunk_checksum(skt_chunk_header header, std::span<const std::uint8_t> payload) {
  header.checksum = 0;
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, &header, sizeof header);
  XXH3_64bits_update(&state, payload.data(), payload.size());
  return XXH3_64bits_digest(&state);
}

nlohmann::json parse_object(std::string_view text) {
  constexpr int kDeepest = 16;  // copying and comparing recurse
  bool deep = false;
  const auto shallow = [&](int depth, nlohmann::json::parse_event_t, const nlohmann::json&) {
    deep = deep || depth > kDeepest;
    return !deep;
  };
  auto json = nlohmann::json::parse(text.begin(), text.end(), shallow, false);
  return json.is_object() && !deep ? json : nlohmann::json();
}

std::string rank_file_name(Rank rank) {
  char name[32];
  std::snprintf(name, sizeof name, "rank-%06d.skt", rank);
  return name;
}

std::optional<Rank> rank_of_file(const std::string& name) {
  int rank = 0, end = 0;
  const bool named = std::sscanf(name.c_str(), "rank-%d.skt%n", &rank, &end) == 1 && rank >= 0;
  return named && name == rank_file_name(rank) ? std::optional(rank) : std::nullopt;
}

nlohmann::json read_json(const std::filesystem::path& path, std::span<const std::uint8_t> text, std::uint64_t offset) {
  auto json = parse_object({reinterpret_cast<const char*>(text.data()), text.size()});
  if (!json.is_object()) corrupt(path, offset, "HEAD or TAIL is not a JSON object");
  return json;
}

skt_file_header read_header(const std::filesystem::path& path, std::span<const std::uint8_t> bytes) {
  skt_file_header header{};
  if (bytes.size() < sizeof header)
    corrupt(path, bytes.size(), bytes.empty() ? "the file is empty" : "the file ends in its header");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic, SKT_MAGIC, sizeof header.magic) != 0)
    throw Error(Code::corrupt, path.string(), 0, "this is no skelgen record file", "give the directory of a trace");
  if (header.version != SKT_VERSION)
    throw Error(Code::corrupt, path.string(), offsetof(skt_file_header, version),
                "record format version " + std::to_string(header.version) + ", this skelgen reads version " +
                    std::to_string(SKT_VERSION),
                "trace again with this version of skelgen, or use the other one");
  if (header.checksum != XXH3_64bits(bytes.data(), offsetof(skt_file_header, checksum)))
    corrupt(path, 0, "checksum of the file header is wrong");
  if (header.header_bytes != sizeof header)
    corrupt(path, offsetof(skt_file_header, header_bytes), "header of an unknown size");
  return header;
}

RankFile open_rank_file(const std::filesystem::path& path) {
  RankFile file{path, Mapping(path), {}, {}, {}, {}, {}};
  const auto bytes = file.mapping.bytes();
  file.header = read_header(path, bytes);

  constexpr std::uint64_t kReleased = 16 << 20;
  std::uint64_t at = file.header.header_bytes, released = 0;
  std::optional<std::uint64_t> open_chunk, hole;
  std::vector<std::uint32_t> next_sequence;
  while (at < bytes.size()) {
    skt_chunk_header chunk{};
    if (bytes.size() - at < sizeof chunk) {
      if (skip_zeros(bytes, at) == bytes.size() && !file.tail) break;
      corrupt(path, at, "the file is cut off in a chunk's header");
    }
    std::memcpy(&chunk, bytes.data() + at, sizeof chunk);
    const std::uint64_t start = at + sizeof chunk;
    // A killed process may leave room that was set aside but never became a chunk.
    if (const std::uint64_t next = skip_zeros(bytes, at); next >= start) {
      hole = at;
      at = next;
      continue;
    }
    // ... or that was being made one: its type comes last.
    if (chunk.type == 0 && !file.tail) {
      hole = at;
      at = chunk.capacity % 8 == 0 && chunk.capacity <= bytes.size() - start ? start + chunk.capacity : start;
      continue;
    }
    if (chunk.capacity % 8 != 0 || chunk.capacity > bytes.size() - start)
      corrupt(path, at, "the file is cut off, or a chunk's length is wrong");
    if (chunk.used > chunk.capacity) corrupt(path, at, "a chunk uses more than it has");
    const auto payload = bytes.subspan(start, chunk.capacity);
    if (chunk.state == SKT_SEALED) {
      if (chunk_checksum(chunk, payload) != chunk.checksum) corrupt(path, at, "checksum of a chunk is wrong");
    } else if (chunk.state == SKT_OPEN && chunk.type == SKT_CHUNK_EVNT) {
      open_chunk = at;
    } else {
      corrupt(path, at, "a chunk is neither open nor sealed");
    }
    if (file.tail) corrupt(path, at, "there is more after the end");
    const auto used = payload.first(chunk.used);
    if (at == file.header.header_bytes && chunk.type != SKT_CHUNK_HEAD)
      corrupt(path, at, "the first chunk is not HEAD");
    if (chunk.type == SKT_CHUNK_HEAD && at == file.header.header_bytes) {
      file.head = read_json(path, used, start);
    } else if (chunk.type == SKT_CHUNK_TAIL) {
      file.tail = read_json(path, used, start);
    } else if (chunk.type == SKT_CHUNK_EVNT) {
      if (chunk.thread >= bytes.size() / sizeof chunk)  // each has a chunk
        corrupt(path, at, "thread number " + std::to_string(chunk.thread));
      if (chunk.thread >= file.threads.size()) {
        file.threads.resize(chunk.thread + 1);
        next_sequence.resize(chunk.thread + 1);
      }
      if (chunk.sequence != next_sequence[chunk.thread]++)
        corrupt(path, at, "a chunk of thread " + std::to_string(chunk.thread) + " is missing");
      file.threads[chunk.thread].push_back({used, start});
    }
    at = start + chunk.capacity;
    if (at - released >= kReleased) {
      file.mapping.release(bytes.subspan(released, at - released));
      released = at;
    }
  }
  if (file.head.is_null()) corrupt(path, bytes.size(), "the file ends before HEAD");
  for (std::size_t thread = 0; thread < next_sequence.size() && file.tail; ++thread)
    if (next_sequence[thread] == 0) corrupt(path, 0, "thread " + std::to_string(thread) + " has no records");
  const bool online = file.head.value("online", nlohmann::json()) == true;
  if (file.tail && open_chunk && !online) corrupt(path, *open_chunk, "a chunk is open in a file that was ended");
  if (file.tail && hole) corrupt(path, *hole, "there is a hole in a file that was ended");
  if (file.threads.empty()) file.threads.resize(1);
  file.mapping.release(bytes);
  return file;
}

Clock read_clock(const RankFile& file) {
  const nlohmann::json& clock = part(file.head, "clock");
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
  const auto add = [&](const nlohmann::json& pair) {
    if (pair.is_array() && pair.size() == 2 && pair[0].is_number_unsigned() && pair[1].is_number_unsigned())
      pairs.emplace_back(pair[0].get<std::uint64_t>(), pair[1].get<std::uint64_t>());
  };
  for (const auto& pair : part(clock, "pairs")) add(pair);
  if (file.tail) add(part(*file.tail, "clock_pair"));
  if (pairs.empty()) throw Error(Code::corrupt, file.path.string(), {}, "HEAD has no clock", "trace the program again");
  Clock result;
  result.origin_ticks = whole(clock, "origin_ticks");
  const auto [first, last] = std::pair(pairs.front(), pairs.back());
  if (last.first < first.first || last.second < first.second)
    throw Error(Code::corrupt, file.path.string(), {}, "the clock of HEAD runs backwards", "trace the program again");
  if (word(clock, "kind") == "tsc" && last.first > first.first)
    result.seconds_per_tick =
        1e-9 * static_cast<double>(last.second - first.second) / static_cast<double>(last.first - first.first);
  if (!(result.seconds_per_tick > 0))
    throw Error(Code::corrupt, file.path.string(), {}, "the clock of HEAD stands still", "trace the program again");
  result.origin_s =
      1e-9 * static_cast<double>(first.second) -
      result.seconds_per_tick * static_cast<double>(static_cast<std::int64_t>(first.first - result.origin_ticks));
  return result;
}

}  // namespace skelgen::trace
