#include "trace/growing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "support/error.h"

namespace skelgen::trace {
namespace {

using std::chrono::milliseconds;

/// What is not there yet is looked for again after a while, ever longer.
class Patience {
 public:
  void wait() {
    std::this_thread::sleep_for(next_);
    next_ = std::min(2 * next_, milliseconds(16));
  }

 private:
  milliseconds next_{1};
};

/// That this thread has had a processor.
double busy_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

void Pace::rest(std::uint64_t waiting) {
  constexpr double kShare = 0.05, kStep_s = 0.02;
  const double now = busy_seconds();
  for (double left = (now - busy_s_) * (1 / kShare - 1); left > 0 && waiting < most_waiting_ && !over_; left -= kStep_s)
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, kStep_s)));
  busy_s_ = now;
}

Growing::Growing(const std::filesystem::path& path, Pace& pace, bool give_back)
    : path_(path), pace_(pace), give_back_(give_back) {}

Growing::~Growing() {
  if (file_ >= 0) close(file_);
}

bool Growing::open() {
  if (file_ < 0) file_ = ::open(path_.c_str(), (give_back_ ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK);
  if (file_ < 0 && errno != ENOENT)
    throw Error(Code::io, path_.string(), {}, std::strerror(errno), "check the path and its permissions");
  return file_ >= 0;
}

/// Whether the file has all of these bytes.
bool Growing::read(std::uint64_t at, void* to, std::size_t bytes) const {
  auto* place = static_cast<char*>(to);
  while (bytes > 0) {
    const auto got = pread(file_, place, bytes, static_cast<off_t>(at));
    if (got < 0 && errno != EINTR)
      throw Error(Code::io, path_.string(), at, std::strerror(errno), "check the file system");
    if (got == 0) return false;
    if (got < 0) continue;
    place += got;
    at += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

std::uint64_t Growing::size() const {
  struct stat status {};
  return fstat(file_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

/// Bytes behind those that were read; room for what comes next is among them.
std::uint64_t Growing::waiting() const {
  const std::uint64_t all = size();
  return all - std::min(at_ + read_, all);
}

/// Whether a chunk begins there: its type is written last. All of it is 0 if not.
bool Growing::chunk_at(std::uint64_t at, skt_chunk_header& chunk) const {
  skt_chunk_header now{};
  chunk = {};
  if (!read(at, &now, sizeof now) || now.type == 0) return false;
  // What was written before the type, and before it was sealed, is there now.
  if (!read(at, &now, sizeof now)) return false;
  chunk = now;
  // Its room was there before it.
  if (chunk.used > chunk.capacity || chunk.capacity % 8 != 0 || chunk.capacity > size())
    throw Error(Code::corrupt, path_.string(), at, "a chunk's length is wrong", "trace the program again");
  if (chunk.type == SKT_CHUNK_EVNT && chunk.thread != 0)
    throw Error(Code::unsupported, path_.string(), at, "several threads of a rank call MPI",
                "trace it without --online");
  return true;
}

std::vector<std::uint8_t> Growing::payload(std::uint64_t at, const skt_chunk_header& chunk) const {
  std::vector<std::uint8_t> bytes(chunk.capacity);
  if (!read(at + sizeof chunk, bytes.data(), bytes.size()) || chunk.state != SKT_SEALED ||
      chunk_checksum(chunk, bytes) != chunk.checksum)
    throw Error(Code::corrupt, path_.string(), at, "checksum of a chunk is wrong", "trace the program again");
  bytes.resize(chunk.used);
  return bytes;
}

bool Growing::begin() {
  skt_chunk_header head{};
  for (Patience patience;; patience.wait()) {
    const bool last = pace_.over();
    if (open() && chunk_at(sizeof(skt_file_header), head)) break;
    if (last) return false;
  }
  if (head.type != SKT_CHUNK_HEAD)
    throw Error(Code::corrupt, path_.string(), sizeof(skt_file_header), "the first chunk is not HEAD",
                "trace the program again");
  std::vector<std::uint8_t> bytes(sizeof(skt_file_header));
  read(0, bytes.data(), bytes.size());
  header_ = read_header(path_, bytes);
  head_ = read_json(path_, payload(sizeof header_, head), sizeof header_ + sizeof head);
  give_back_ = give_back_ && head_.value("online", nlohmann::json()) == true;
  at_ = given_ = records_ = sizeof header_ + sizeof head + head.capacity;
  return true;
}

RankFile Growing::description() const {
  RankFile file;
  file.path = path_;
  file.header = header_;
  file.head = head_;
  file.tail = tail_;
  file.threads.resize(1);
  return file;
}

/// All of the chunk was read.
void Growing::leave(const skt_chunk_header& chunk) {
  at_ += sizeof chunk + chunk.capacity;
  read_ = 0;
  if (give_back_ && fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(given_),
                              static_cast<off_t>(at_ - given_)) == 0)
    given_ = at_;
}

bool Growing::next(Piece& piece) {
  for (Patience patience;;) {
    skt_chunk_header chunk{}, behind{};
    const bool last = pace_.over();
    if (chunk_at(at_, chunk) && chunk.type == SKT_CHUNK_TAIL) {
      tail_ = read_json(path_, payload(at_, chunk), at_ + sizeof chunk);
      return false;
    }
    if (chunk.type == SKT_CHUNK_EVNT && read_ < chunk.used) {
      pace_.rest(waiting());
      if (!chunk_at(at_, chunk)) continue;
      const std::uint64_t from = at_ + sizeof chunk + read_;
      buffer_.resize(chunk.used - read_);
      if (!read(from, buffer_.data(), buffer_.size()))
        throw Error(Code::corrupt, path_.string(), from, "the file is cut off", "trace the program again");
      read_ = chunk.used;
      piece = {buffer_, from};
      return true;
    }
    // Where the records are given back, the last chunk stays open before TAIL. The first one is the main thread's.
    const std::uint64_t end = at_ + sizeof chunk + chunk.capacity;
    const bool ended = chunk.type != 0 && chunk_at(end, behind) && behind.type == SKT_CHUNK_TAIL;
    if (chunk.type != 0 && (chunk.state == SKT_SEALED || ended)) {
      // Nothing comes any more; what came since it was looked at does.
      if (chunk_at(at_, chunk) && chunk.type == SKT_CHUNK_EVNT && chunk.used != read_) continue;
      if (chunk.state == SKT_SEALED) payload(at_, chunk);  // its checksum is only known now
      leave(chunk);
      continue;
    }
    if (last) return false;
    patience.wait();
  }
}

}  // namespace skelgen::trace
