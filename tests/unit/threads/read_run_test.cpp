// A file of threads' records, written here, and the run that is read from it.
#include <gmock/gmock.h>

#include <filesystem>

#include "threads/run.h"
#include "traces/recording.h"
#include "unit/trace/small_trace.h"

namespace skelgen::test {
namespace {

using threads::Action;
using threads::Event;
using threads::Primitive;
using trace::Recording;

class ReadRun : public testing::Test {
 protected:
  ReadRun() : writer_(directory_.path(), {}, 0, {.chunk_bytes = 512}), first_(writer_, 0), second_(writer_, 1) {}

  threads::Run read() {
    writer_.finish();
    std::filesystem::rename(directory_.rank(0), directory_.path() / "threads-host-1.skt");
    return threads::read_run(directory_.path());
  }

  Directory directory_;
  trace::Writer writer_;
  Recording first_, second_;
};

std::vector<std::uint64_t> sequences(const threads::Thread& thread) {
  std::vector<std::uint64_t> all;
  for (const Event& event : thread.events) all.push_back(event.sequence);
  return all;
}

TEST_F(ReadRun, SaysWhoCreatedAndJoinedWhom) {
  first_.module(0x1000, 0x2000, 0x1000, "/bin/app");
  first_.event(SKT_THREAD, SKT_CREATE, 77, 100, 50, 1);
  second_.event(SKT_THREAD, SKT_START, 77, 200, 0, 1);
  second_.event(SKT_THREAD, SKT_EXIT, 77, 1000, 0);
  first_.event(SKT_THREAD, SKT_JOIN, 77, 10, 1100, 0, SKT_BLOCKED);
  const auto run = read();
  ASSERT_EQ(run.threads.size(), 2u);
  EXPECT_EQ(run.threads[1].parent, 0u);
  EXPECT_EQ(run.threads[0].events[0].partner, 1u);
  EXPECT_EQ(run.threads[0].events[1].partner, 1u);
  EXPECT_TRUE(run.threads[0].events[1].blocked);
  EXPECT_EQ(run.threads[1].first, 200u);
  EXPECT_EQ(run.threads[1].last_work - run.threads[1].first_work, 1000u);
  const auto& site = run.sites[run.threads[0].events[0].site];
  EXPECT_EQ(site.module, "/bin/app");
  EXPECT_EQ(site.offset, 0x10u);
}

TEST_F(ReadRun, NumbersWhatAMutexHandsOver) {
  first_.event(SKT_MUTEX, SKT_ACQUIRE, 5, 100, 10);                    // [100, 110]
  second_.event(SKT_MUTEX, SKT_ACQUIRE, 5, 105, 100, 0, SKT_BLOCKED);  // [105, 205]
  first_.event(SKT_MUTEX, SKT_RELEASE, 5, 90, 10);                     // [200, 210]
  second_.event(SKT_MUTEX, SKT_RELEASE, 5, 5, 5);                      // [210, 215]
  first_.event(SKT_MUTEX, SKT_DESTROYED, 5, 100, 1);
  first_.event(SKT_MUTEX, SKT_ACQUIRE, 5, 1, 1);
  const auto run = read();
  EXPECT_THAT(sequences(run.threads[0]), testing::ElementsAre(0, 1, 0));
  EXPECT_THAT(sequences(run.threads[1]), testing::ElementsAre(1, 2));
  EXPECT_EQ(run.objects.size(), 2u) << "made anew";
}

TEST_F(ReadRun, SplitsAWaitForACondition) {
  first_.event(SKT_MUTEX, SKT_ACQUIRE, 5, 100, 10);
  first_.event(SKT_CONDITION, SKT_WAIT, 6, 10, 500, 0, SKT_BLOCKED, 5);
  first_.event(SKT_CONDITION, SKT_WAIT, 6, 10, 500, 0, SKT_BLOCKED | SKT_TIMED_OUT, 5);
  second_.event(SKT_CONDITION, SKT_SIGNAL, 6, 300, 10);
  const auto run = read();
  std::vector<Action> actions;
  for (const Event& event : run.threads[0].events) actions.push_back(event.action);
  EXPECT_THAT(actions, testing::ElementsAre(Action::acquire, Action::release, Action::wait, Action::acquire,
                                            Action::release, Action::acquire));
  EXPECT_EQ(run.threads[0].events[3].enter, 620u);
  EXPECT_EQ(run.threads[0].events[4].enter, 630u);
  EXPECT_EQ(run.threads[0].events[5].enter, 1130u) << "what timed out has slept, and waited for nobody";
}

TEST_F(ReadRun, NumbersRoundsPostsAndBytes) {
  first_.event(SKT_BARRIER, SKT_MADE, 7, 1, 1, 2);
  first_.event(SKT_SEMAPHORE, SKT_MADE, 8, 1, 1, 1);
  for (int i = 0; i < 2; ++i) {
    first_.event(SKT_BARRIER, SKT_ARRIVE, 7, 100, 50);
    second_.event(SKT_BARRIER, SKT_ARRIVE, 7, 120, 33);
    first_.event(SKT_SEMAPHORE, SKT_RELEASE, 8, 10, 1);
    second_.event(SKT_SEMAPHORE, SKT_ACQUIRE, 8, 5, 20);
    first_.event(SKT_CHANNEL, SKT_SEND, 9, 10, 1, 100);
    second_.event(SKT_CHANNEL, SKT_RECEIVE, 9, 10, 1, i == 0 ? 50 : 100);
  }
  const auto run = read();
  EXPECT_THAT(sequences(run.threads[0]), testing::ElementsAre(1, 1, 1, 2, 2, 2));
  EXPECT_THAT(sequences(run.threads[1]), testing::ElementsAre(1, 0, 1, 2, 1, 2)) << "the first unit was there before";
  EXPECT_EQ(run.threads[1].events[2].bytes, 50u);
}

TEST_F(ReadRun, RefusesWhatNoCaptureWrites) {
  writer_.record({SKT_TAG_EVENT, 1, 1, 1, 1, 0});
  try {
    read();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::corrupt);
    EXPECT_THAT(error.what(), testing::HasSubstr("threads-host-1.skt: record of kind 16 (byte "));
  }
}

/// A killed process leaves chunks without checksums.
TEST_F(ReadRun, TakesAnyBytesForARunOrRefusesThem) {
  first_.module(0x1000, 0x2000, 0x1000, "/bin/app");
  first_.event(SKT_THREAD, SKT_CREATE, 77, 100, 50, 1);
  second_.event(SKT_THREAD, SKT_START, 77, 200, 0, 1);
  second_.event(SKT_CONDITION, SKT_WAIT, 6, 10, 500, 0, SKT_BLOCKED, 5);
  second_.event(SKT_CHANNEL, SKT_SEND, 9, 10, 1, 100);
  first_.event(SKT_BARRIER, SKT_MADE, 7, 1, 1, 2);
  first_.event(SKT_BARRIER, SKT_ARRIVE, 7, 1, 1);
  writer_.abandon();
  const auto whole = read_bytes(directory_.rank(0));
  const auto file = directory_.path() / "threads-host-1.skt";
  int refused = 0, read = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    if (whole[at] == 0) continue;
    for (const int change : {0x01, 0x02, 0x80, 0xff}) {
      auto bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ change);
      std::filesystem::remove(file);  // written over, it would go to the disk each time
      write_bytes(file, bytes);
      try {
        threads::read_file(file);
        ++read;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::corrupt) << error.what();
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(read, 10);
}

}  // namespace
}  // namespace skelgen::test
