#include "threads/match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/threads/made_run.h"

namespace skelgen::threads {
namespace {

/// "0:1 > 1:0 (0.5)": producer, consumer (thread:event) and, if below 1, confidence.
std::vector<std::string> matches(const MadeRun& made) {
  std::vector<std::string> result;
  const auto name = [](EventId id) { return std::to_string(id.thread) + ":" + std::to_string(id.event); };
  for (const auto& [producer, consumer, confidence] : match(made.run()).matches)
    result.push_back(name(producer) + " > " + name(consumer) +
                     (confidence < 1 ? " (" + std::to_string(confidence).substr(0, 4) + ")" : ""));
  return result;
}

using ::testing::ElementsAre;

TEST(Match, LockIsTakenFromItsLastOwner) {
  MadeRun made(2);
  const auto lock = made.object(Primitive::mutex, "m");
  made.call(0, Action::acquire, lock, 1).compute(0, 10);
  made.compute(1, 5).call(1, Action::acquire, lock, 2, 12000);
  made.call(0, Action::release, lock, 3);
  made.call(1, Action::release, lock, 4).compute(0, 20).call(0, Action::acquire, lock, 1);
  EXPECT_THAT(matches(made), ElementsAre("1:1 > 0:2", "0:1 > 1:0"));
}

TEST(Match, ReadersTakeALockFromWritersOnly) {
  MadeRun made(3);
  const auto lock = made.object(Primitive::read_write_lock, "rw");
  made.call(0, Action::acquire, lock, 1).compute(0, 1).call(0, Action::release, lock, 2);
  made.compute(1, 2).call(1, Action::acquire_shared, lock, 3).compute(1, 1).call(1, Action::release, lock, 4);
  made.compute(2, 4).call(2, Action::acquire_shared, lock, 5).compute(2, 9).call(2, Action::release, lock, 6);
  made.compute(0, 5).call(0, Action::acquire, lock, 1, 14000);
  EXPECT_THAT(matches(made), ElementsAre("2:1 > 0:2", "0:1 > 1:0", "0:1 > 2:0"));
}

TEST(Match, SemaphoreGivesWhatItHeldFirst) {
  MadeRun made(2);
  const auto numbered = made.object(Primitive::semaphore, "numbered");
  made.call(0, Action::release, numbered, 1, 0, 1).call(0, Action::release, numbered, 1, 0, 2);
  made.compute(1, 1).call(1, Action::acquire, numbered, 2, 0, 0).call(1, Action::acquire, numbered, 2, 0, 1);
  EXPECT_THAT(matches(made), ElementsAre("0:0 > 1:1"));
}

TEST(Match, WaitEndsByTheFirstSignalThatWokeNobodyYet) {
  MadeRun made(3);
  const auto lock = made.object(Primitive::mutex, "m"), condition = made.object(Primitive::condition, "c");
  const auto wait = [&](std::uint32_t thread, std::uint64_t until) {
    made.call(thread, Action::acquire, lock, 1).call(thread, Action::release, lock, 2);
    made.call(thread, Action::wait, condition, 2, until).call(thread, Action::acquire, lock, 2);
    made.call(thread, Action::release, lock, 3);
  };
  made.compute(0, 10).call(0, Action::signal, condition, 4).compute(0, 1).call(0, Action::signal, condition, 4);
  wait(1, 12000);
  made.compute(2, 1);
  wait(2, 13000);
  const auto result = match(made.run());
  std::vector<std::tuple<std::uint32_t, std::uint32_t, double>> woken;
  for (const auto& one : result.matches)
    if (made.run().threads[one.consumer.thread].events[one.consumer.event].action == Action::wait)
      woken.emplace_back(one.consumer.thread, one.producer.event, one.confidence);
  EXPECT_THAT(woken, ElementsAre(std::tuple(1u, 0u, 0.5), std::tuple(2u, 1u, 1.0)));
  ASSERT_EQ(result.sections[1].size(), 1u);
  EXPECT_EQ(result.sections[1][0].release, 4u);
  EXPECT_THAT(result.sections[1][0].waits, ElementsAre(2));
  EXPECT_THAT(result.in_wait[1], ElementsAre(false, true, true, true, false));
}

TEST(Match, WaitThatTimedOutIsNoUnlockOfTheProgram) {
  MadeRun made(1);
  const auto lock = made.object(Primitive::mutex, "m");
  made.call(0, Action::acquire, lock, 1);
  made.call(0, Action::release, lock, 2).sleep(0, 500).call(0, Action::acquire, lock, 2);
  made.call(0, Action::release, lock, 3, made.now(0) + 20).call(0, Action::acquire, lock, 3);  // of a common call
  made.call(0, Action::release, lock, 4).call(0, Action::acquire, lock, 1);
  const auto result = match(made.run());
  EXPECT_THAT(result.in_wait[0], ElementsAre(false, true, true, false, false, false, false));
  ASSERT_EQ(result.sections[0].size(), 3u);
  EXPECT_EQ(result.sections[0][0].release, 3u) << "the wait does not cut it";
}

TEST(Match, RoundsOfABarrierEndWithTheirLast) {
  MadeRun made(2);
  const auto barrier = made.object(Primitive::barrier, "b");
  made.call(0, Action::arrive, barrier, 1, 10000).call(0, Action::arrive, barrier, 1, 11500);
  made.compute(1, 9).call(1, Action::arrive, barrier, 2, 10500).compute(1, 1).call(1, Action::arrive, barrier, 2);
  const auto result = match(made.run());
  ASSERT_EQ(result.rounds.size(), 2u);
  EXPECT_THAT(result.rounds[0], ElementsAre(EventId{0, 0}, EventId{1, 0}));
}

TEST(Match, MarkEndsItsWaitByTheLastSignal) {
  MadeRun made(2);
  const auto mark = made.object(Primitive::mark, "go");
  made.compute(0, 3).call(0, Action::signal, mark, 1).compute(0, 5).call(0, Action::signal, mark, 1);
  made.call(1, Action::wait, mark, 2, 1000).call(1, Action::wait, mark, 2, 9000).call(1, Action::wait, mark, 2);
  EXPECT_THAT(matches(made), ElementsAre("0:1 > 1:1 (0.50)", "0:1 > 1:2")) << "nothing was signalled before the first";
}

TEST(Match, MarkEndsItsKthWaitByTheKthSignal) {
  MadeRun made(2);
  const auto mark = made.object(Primitive::mark, "go");
  made.compute(0, 3).call(0, Action::signal, mark, 1).compute(0, 5).call(0, Action::signal, mark, 1);
  made.call(1, Action::wait, mark, 2, 4000).call(1, Action::wait, mark, 2, 9000);
  EXPECT_THAT(matches(made), ElementsAre("0:0 > 1:0", "0:1 > 1:1"));
}

TEST(Match, ThreadsBeginAndEndByTheirPartners) {
  MadeRun made(2);
  made.call(0, Action::create, 0, 1, 0, 0, 1).call(1, Action::start, 0, 2, 1000, 0, 0).compute(1, 5);
  made.call(1, Action::exit, 0, 3).call(0, Action::join, 0, 4, 7000, 0, 1);
  EXPECT_THAT(matches(made), ElementsAre("1:1 > 0:1", "0:0 > 1:0"));
}

TEST(Match, ChannelsCarryDataUntilSomebodyWaits) {
  MadeRun made(2);
  const auto quiet = made.object(Primitive::channel, "pipe"), waited = made.object(Primitive::channel, "eventfd"),
             mark = made.object(Primitive::mark, "data");
  for (const auto object : {quiet, waited, mark}) made.call(0, Action::send, object, 1);
  made.compute(1, 1).call(1, Action::receive, quiet, 2).call(1, Action::receive, waited, 3, 5000);
  made.call(1, Action::receive, mark, 4, 6000);
  const auto data = carries_data(made.run());
  EXPECT_TRUE(data[quiet]);
  EXPECT_FALSE(data[waited]);
  EXPECT_TRUE(data[mark]);
}

}  // namespace
}  // namespace skelgen::threads
