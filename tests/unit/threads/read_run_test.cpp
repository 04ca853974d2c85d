// A file of threads' records, written here, and the run that is read from it.
#include <gmock/gmock.h>

#include <filesystem>

#include "threads/analysis.h"
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
  explicit ReadRun(bool at_layers = false)
      : writer_(directory_.path(), {}, 0, {.threads = true, .at_layers = at_layers, .chunk_bytes = 512}),
        first_(writer_, 0),
        second_(writer_, 1) {}

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
  EXPECT_THAT(threads::match(run).in_wait[0], testing::ElementsAre(false, true, true, true, true, true));
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

TEST_F(ReadRun, KnowsASemaphoreThatIsOpenedAgain) {
  const auto opened = [](Recording& thread, skt_action action, std::uint64_t held) {
    thread.event(SKT_SEMAPHORE, action, 8, 10, 0, held, SKT_OPENED);
  };
  opened(first_, SKT_MADE, 1);
  first_.event(SKT_SEMAPHORE, SKT_ACQUIRE, 8, 10, 0);
  opened(second_, SKT_MADE, 0);
  first_.event(SKT_SEMAPHORE, SKT_RELEASE, 8, 10, 0);
  second_.event(SKT_SEMAPHORE, SKT_ACQUIRE, 8, 90, 0);
  opened(second_, SKT_DESTROYED, 0);
  first_.event(SKT_SEMAPHORE, SKT_RELEASE, 8, 100, 0);
  opened(first_, SKT_DESTROYED, 0);
  opened(first_, SKT_MADE, 7);  // another one at its address
  first_.event(SKT_SEMAPHORE, SKT_ACQUIRE, 8, 10, 0);
  const auto run = read();
  EXPECT_EQ(run.objects.size(), 2u);
  EXPECT_THAT(sequences(run.threads[0]), testing::ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(sequences(run.threads[1]), testing::ElementsAre(1)) << "what it held first is taken";
}

TEST_F(ReadRun, CountsWhatAnEventHeldAtFirst) {
  first_.event(SKT_CHANNEL, SKT_MADE, 9, 1, 1, 3);
  first_.event(SKT_CHANNEL, SKT_SEND, 9, 10, 1, 2);
  first_.event(SKT_CHANNEL, SKT_SEND, 9, 10, 1, 4);
  second_.event(SKT_CHANNEL, SKT_RECEIVE, 9, 100, 1, 2);
  second_.event(SKT_CHANNEL, SKT_RECEIVE, 9, 10, 1, 3);
  second_.event(SKT_CHANNEL, SKT_RECEIVE, 9, 10, 1, 4);
  EXPECT_THAT(sequences(read().threads[1]), testing::ElementsAre(0, 1, 2));
}

TEST_F(ReadRun, NotesThatThreadsHadNoCore) {
  for (Recording* thread : {&first_, &second_}) {
    thread->event(SKT_THREAD, SKT_START, 77, 0, 0);
    thread->event(SKT_THREAD, SKT_EXIT, 77, 1000, 0);
  }
  first_.core_wait(100);
  second_.core_wait(300);
  const auto run = read();
  EXPECT_DOUBLE_EQ(run.threads[1].core_wait_s.value_or(0), 300e-9);
  EXPECT_THAT(run.notes, testing::Contains(testing::StartsWith(
                             "other work used the machine, or the threads are more than its cores: they waited for a "
                             "core for 20 % of the threads' time. ")));
}

TEST_F(ReadRun, LeavesOutTheTimeBeforeThereWereThreads) {
  first_.event(SKT_SEMAPHORE, SKT_MADE, 8, 100, 0, 1);
  first_.event(SKT_SEMAPHORE, SKT_ACQUIRE, 8, 100, 0);
  first_.event(SKT_SEMAPHORE, SKT_RELEASE, 8, 5000, 0);
  first_.event(SKT_THREAD, SKT_START, 77, 5000, 0);
  first_.event(SKT_SEMAPHORE, SKT_ACQUIRE, 8, 300, 0);
  const auto run = read();
  EXPECT_THAT(sequences(run.threads[0]), testing::ElementsAre(0, 1, 0, 1)) << "what the semaphore held is known";
  EXPECT_EQ(run.threads[0].first, 10200u);
  EXPECT_DOUBLE_EQ(threads::analyse(run).threads[0].seconds(), 300e-9);
}

class ReadRunAtLayers : public ReadRun {
 protected:
  ReadRunAtLayers() : ReadRun(true) {}
};

TEST_F(ReadRunAtLayers, DividesWorkBetweenTwoReadings) {
  const auto event = [&](skt_action action, std::uint64_t gap, std::uint64_t took, std::uint64_t work) {
    first_.event_with_work(SKT_MUTEX, action, 5, gap, took, work, 0);
  };
  first_.event_with_work(SKT_SEMAPHORE, SKT_RELEASE, 6, 50, 0, 0, 0);  // before there were threads
  first_.event_with_work(SKT_THREAD, SKT_START, 77, 50, 0, 1000, 0);
  event(SKT_ACQUIRE, 100, 10, 0);
  event(SKT_RELEASE, 300, 10, 200);  // 200 in gaps of 100 and 300
  event(SKT_ACQUIRE, 100, 10, 0);
  event(SKT_RELEASE, 100, 10, 250);  // 200 at most in these gaps: 50 in the call
  event(SKT_ACQUIRE, 100, 10, 0);    // not read again
  const auto run = read();
  EXPECT_TRUE(run.at_layers);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> work;
  for (const Event& one : run.threads[0].events)
    if (run.objects[one.object].primitive == Primitive::mutex) work.emplace_back(one.work_enter, one.work_leave);
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_THAT(work, testing::ElementsAre(Pair(1050, 1050), Pair(1200, 1200), Pair(1300, 1300), Pair(1400, 1450),
                                         Pair(1450, 1450)));
}

TEST_F(ReadRun, RefusesWhatARankDid) {
  const Directory other;
  trace::Writer rank(other.path(), {}, 0, {});
  rank.finish();
  try {
    threads::read_file(other.rank(0));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::invalid_argument);
    EXPECT_THAT(error.what(), testing::HasSubstr("has what a rank did, not what threads did"));
  }
}

TEST_F(ReadRun, NamesTheRunOfATraceThatIsStillWritten) {
  const Directory other;
  std::filesystem::create_directories(other.path() / "run-1");
  try {
    threads::files_of(other.path());
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::EndsWith("what was recorded is in " + (other.path() / "run-1").string()));
  }
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

std::string refused(const trace::RankDescription& described, std::uint64_t ticks) {
  const Directory directory;
  trace::Writer writer(directory.path(), {}, 0, described);
  Recording(writer, 0).event(SKT_THREAD, SKT_START, 77, ticks, 0);
  writer.finish();
  try {
    threads::read_file(directory.rank(0));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::corrupt);
    return error.what();
  }
  return "";
}

TEST(ReadRunOfAClock, RefusesTimesThatAreNoWholeNanoseconds) {
  EXPECT_EQ(refused({.ns_per_tick = 100, .threads = true}, 90'000'000'000'000'000), "");
  EXPECT_THAT(refused({.ns_per_tick = 100, .threads = true}, 93'000'000'000'000'000),
              testing::HasSubstr("by the clock of HEAD the run took more than 292 years"));
  EXPECT_THAT(refused({.threads = true, .units_per_second = 1e300}, 100),
              testing::HasSubstr("the clock of work in HEAD is too fast"));
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
        // It may not be a file of threads any more.
        EXPECT_THAT(error.code(), testing::AnyOf(Code::corrupt, Code::invalid_argument)) << error.what();
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(read, 10);
}

}  // namespace
}  // namespace skelgen::test
