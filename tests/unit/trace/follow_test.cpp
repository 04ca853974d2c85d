// Traces that are read while they are written.
#include "trace/follow.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstring>
#include <ctime>
#include <thread>

#include "skt_format.h"
#include "trace/file.h"
#include "trace/growing.h"
#include "unit/trace/small_trace.h"

namespace skelgen::trace {
namespace {

using test::Directory;
using testing::HasSubstr;

constexpr std::uint64_t kPage = 4096;

/// Writes a finished file again, in the steps that a rank takes.
class GrowingRank {
 public:
  GrowingRank(const std::filesystem::path& finished, const std::filesystem::path& path)
      : bytes_(test::read_bytes(finished)), path_(path) {
    for (std::uint64_t at = sizeof(skt_file_header); at < bytes_.size();
         at += sizeof(skt_chunk_header) + at_(at).capacity)
      chunks_.push_back(at);
  }
  /// Up to HEAD.
  void begin() {
    put(0, bytes_.substr(0, chunks_[1]));
    next_ = 1;
  }
  /// The next chunk of records: open and with all its records, then sealed, with room behind it that is none yet.
  void grow(bool seal = true) {
    const std::uint64_t at = chunks_[next_++];
    auto chunk = at_(at);
    std::string bytes = bytes_.substr(at, sizeof chunk + chunk.capacity);
    if (!seal) {
      chunk.state = SKT_OPEN;
      chunk.checksum = 0;
      std::memcpy(bytes.data(), &chunk, sizeof chunk);
    }
    put(at, bytes + std::string(64, '\0'));
  }
  void seal() {
    --next_;
    grow();
  }
  bool has_records() const { return next_ + 1 < chunks_.size(); }
  void end() {
    put(chunks_.back(), bytes_.substr(chunks_.back()));
    std::filesystem::resize_file(path_, bytes_.size());
  }
  void all() {
    begin();
    while (has_records()) grow();
    end();
  }

 private:
  skt_chunk_header at_(std::uint64_t at) const {
    skt_chunk_header chunk;
    std::memcpy(&chunk, bytes_.data() + at, sizeof chunk);
    return chunk;
  }
  void put(std::uint64_t at, const std::string& bytes) {
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    if (!file.is_open()) file.open(path_, std::ios::binary | std::ios::out);
    file.seekp(static_cast<std::streamoff>(at));
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  const std::string bytes_;
  const std::filesystem::path path_;
  std::vector<std::uint64_t> chunks_;  // HEAD first, TAIL last
  std::size_t next_ = 0;
};

/// A finished trace of two ranks, and the same one growing.
class Follow : public testing::Test {
 protected:
  Follow() {
    test::write_small_trace(finished_.path(), {.chunk_bytes = 64});
    std::filesystem::copy_file(finished_.path() / "meta.json", growing_.path() / "meta.json");
  }
  GrowingRank rank(int number) const { return {finished_.rank(number), growing_.rank(number)}; }
  std::vector<std::string> expected(int number) const { return test::read(open(finished_.path()), {number, 0}).lines; }
  static std::vector<std::string> lines(const Followed& run, int number) {
    return test::read(run.trace(), {number, 0}).lines;
  }
  std::string failure(bool give_back = false) {
    over_ = true;
    try {
      const Followed run(growing_.path(), over_, give_back);
      for (const Location& where : run.trace().locations()) test::read(run.trace(), where);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }
  static void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

  Directory finished_, growing_;
  std::atomic<bool> over_ = false;
};

TEST_F(Follow, ReadsWhatComesWhenItComes) {
  std::thread ranks([&] {
    auto zero = rank(0), one = rank(1);
    nap();
    one.begin();
    nap();
    zero.begin();
    while (zero.has_records() || one.has_records())
      for (GrowingRank* now : {&zero, &one}) {
        if (!now->has_records()) continue;
        now->grow(false);
        nap();
        now->seal();
      }
    one.end();
    nap();
    zero.end();
  });
  const Followed run(growing_.path(), over_, false);
  const auto one = lines(run, 1), zero = lines(run, 0);
  ranks.join();
  EXPECT_EQ(zero, expected(0));
  EXPECT_EQ(one, expected(1));
  EXPECT_EQ(run.ended().wall()->value, open(finished_.path()).wall()->value);
  EXPECT_TRUE(run.ended().rank_info()[1].ending.complete);
  EXPECT_EQ(run.ended().rank_info()[1].ending.calls, 4u);
}

TEST_F(Follow, ReadsWhatKilledRanksLeft) {
  auto zero = rank(0), one = rank(1);
  zero.all();
  one.begin();
  one.grow();
  one.grow(false);
  over_ = true;
  const Followed run(growing_.path(), over_, false);
  EXPECT_EQ(lines(run, 0), expected(0));
  const auto left = lines(run, 1), all = expected(1);
  EXPECT_GT(left.size(), 0u);
  ASSERT_LT(left.size(), all.size());
  EXPECT_EQ(left, std::vector(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(left.size())));
  EXPECT_FALSE(run.ended().rank_info()[1].ending.complete);
  EXPECT_FALSE(run.ended().wall());
}

TEST_F(Follow, NamesRanksThatNeverCame) {
  rank(0).all();
  EXPECT_THAT(failure(), HasSubstr("the file of rank 1 is missing (2 ranks)"));
  std::filesystem::remove(growing_.path() / "meta.json");
  EXPECT_THAT(failure(), HasSubstr("no meta.json"));
}

TEST_F(Follow, RefusesAnotherThread) {
  const trace::Run described{.id = 0x5ca1ab1e, .ranks = 2};
  Writer writer(finished_.path(), described, 1);
  writer.call("MPI_Init", {}, 0, 0);
  writer.call("MPI_Barrier", {test::kWorld}, 0, 0, {}, 1);
  writer.finish();
  rank(0).all();
  rank(1).all();
  EXPECT_THAT(failure(), HasSubstr("several threads of a rank call MPI"));
}

TEST_F(Follow, SeesDamage) {
  rank(0).all();
  rank(1).all();
  auto bytes = test::read_bytes(growing_.rank(1));
  for (const std::size_t at :
       {std::size_t{20}, sizeof(skt_file_header) + sizeof(skt_chunk_header) + 3, bytes.size() - 9}) {
    auto damaged = bytes;
    damaged[at] ^= 1;
    test::write_bytes(growing_.rank(1), damaged);
    EXPECT_THAT(failure(), HasSubstr("is wrong")) << at;
  }
  skt_chunk_header head, records;
  std::memcpy(&head, bytes.data() + sizeof(skt_file_header), sizeof head);
  const std::size_t first = sizeof(skt_file_header) + sizeof head + head.capacity;
  std::memcpy(&records, bytes.data() + first, sizeof records);
  ASSERT_GT(records.used, 16u);
  for (std::size_t i = 0; i < records.used; ++i) {
    auto damaged = bytes;
    damaged[first + sizeof records + i] ^= 1;
    test::write_bytes(growing_.rank(1), damaged);
    EXPECT_NE(failure(), "none") << i;
  }
  bytes[sizeof(skt_file_header) + offsetof(skt_chunk_header, capacity) + 6] = 1;
  test::write_bytes(growing_.rank(1), bytes);
  EXPECT_THAT(failure(), HasSubstr("a chunk's length is wrong"));
}

TEST_F(Follow, SaysThatAClockWasNeverRead) {
  rank(0).all();
  rank(1).all();
  for (const int number : {0, 1}) {
    auto bytes = test::read_bytes(growing_.rank(number));
    skt_chunk_header head;
    std::memcpy(&head, bytes.data() + sizeof(skt_file_header), sizeof head);
    const std::size_t text = sizeof(skt_file_header) + sizeof head;
    const std::size_t begin = bytes.find("[[", bytes.find("\"pairs\"", text)), end = bytes.find("]]", begin) + 2;
    bytes.replace(begin, end - begin, "[]" + std::string(end - begin - 2, ' '));
    const auto* payload = reinterpret_cast<const std::uint8_t*>(bytes.data()) + text;
    head.checksum = chunk_checksum(head, {payload, head.capacity});
    std::memcpy(bytes.data() + sizeof(skt_file_header), &head, sizeof head);
    test::write_bytes(growing_.rank(number), bytes);
  }
  EXPECT_THAT(failure(), HasSubstr("clock"));
}

TEST_F(Follow, GivesBackOnlyWhereTheRankDoesNotLookAtItAgain) {
  for (const bool online : {false, true}) {
    test::write_small_trace(finished_.path(), {.online = online, .chunk_bytes = 64 * kPage});
    for (const int number : {0, 1}) {
      std::filesystem::remove(growing_.rank(number));
      rank(number).all();
    }
    over_ = true;
    const Followed run(growing_.path(), over_, true);
    EXPECT_EQ(lines(run, 0), expected(0));
    struct stat status {};
    ASSERT_EQ(stat(growing_.rank(0).c_str(), &status), 0);
    EXPECT_EQ(run.gave_back(), online);
    if (online)
      EXPECT_LT(static_cast<std::uint64_t>(status.st_blocks) * 512, 8 * kPage);
    else
      EXPECT_EQ(test::read_bytes(growing_.rank(0)), test::read_bytes(finished_.rank(0)));
  }
}

/// As append_tail of the capture library leaves it.
TEST_F(Follow, TheLastChunkMayStayOpenBeforeTheEnd) {
  test::write_small_trace(finished_.path(), {.online = true});
  auto zero = rank(0);
  rank(1).all();
  zero.begin();
  zero.grow(false);
  zero.end();
  const Followed run(growing_.path(), over_, false);
  EXPECT_EQ(lines(run, 0), expected(0));
  EXPECT_TRUE(run.ended().rank_info()[0].ending.complete);
  // It is a trace like others if nothing was given back.
  EXPECT_EQ(test::read(open(growing_.path()), {0, 0}).lines, expected(0));
}

TEST_F(Follow, RestsOnlyWhileLittleWaitsAndTheRunGoesOn) {
  Pace pace(over_, 1000);
  // Behind 5 ms on a processor, how often it gave the processor away by itself: it should for 95 ms, in steps.
  const auto slept = [&](std::uint64_t waiting) {
    rusage before{}, after{};
    timespec start{}, now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((now.tv_sec - start.tv_sec) * 1'000'000'000 + now.tv_nsec - start.tv_nsec < 5'000'000);
    getrusage(RUSAGE_THREAD, &before);
    pace.rest(waiting);
    getrusage(RUSAGE_THREAD, &after);
    return after.ru_nvcsw - before.ru_nvcsw;
  };
  pace.rest(1000);  // what the thread did before does not count
  EXPECT_GE(slept(999), 5);
  EXPECT_EQ(slept(1000), 0);
  over_ = true;
  EXPECT_EQ(slept(999), 0);
}

}  // namespace
}  // namespace skelgen::trace
