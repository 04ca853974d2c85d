#include "threads/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/threads/made_run.h"

namespace skelgen::threads {
namespace {

double seconds(const Run& run, std::vector<Change> changes = {}, unsigned processors = 0) {
  const auto result = simulate(run, analyse(run), changes, processors);
  EXPECT_EQ(result.forced, 0u);
  return result.seconds;
}

constexpr double kMicro = 1e-6;

TEST(Simulate, SemaphoresLetTheSlowerOneWait) {
  // Producer 20 us, consumer 30 us a piece, no limit between them.
  MadeRun made(2);
  const auto items = made.object(Primitive::semaphore, "items");
  for (std::uint64_t i = 1; i <= 50; ++i) {
    made.compute(0, 20).call(0, Action::release, items, 1, 0, i);
    made.call(1, Action::acquire, items, 2, made.now(0), i).compute(1, 30);
    made.call(1, Action::wait, made.object(Primitive::mark, "none"), 3);
  }
  EXPECT_NEAR(seconds(made.run()), 1520 * kMicro, kMicro);
  EXPECT_NEAR(seconds(made.run(), {{1, 0.5}}), 1015 * kMicro, kMicro);  // now the producer is the slower one
  EXPECT_NEAR(seconds(made.run(), {{0, 2.0}}), 2030 * kMicro, kMicro);
  EXPECT_NEAR(seconds(made.run(), {}, 1), 2500 * kMicro, kMicro);  // both share one processor
}

/// Two threads that wait for each other before each lets the other go on: whoever is forced has left its queue.
TEST(Simulate, ForcedWaitsAreInNoQueue) {
  for (const auto primitive : {Primitive::semaphore, Primitive::mark}) {
    const bool counts = primitive == Primitive::semaphore;
    MadeRun made(2);
    const auto first = made.object(primitive, "first"), second = made.object(primitive, "second");
    const auto wait = [&](std::uint32_t thread, std::uint32_t object, std::uint64_t until) {
      made.call(thread, counts ? Action::acquire : Action::wait, object, 1, until, 1);
    };
    const auto signal = [&](std::uint32_t thread, std::uint32_t object) {
      made.call(thread, counts ? Action::release : Action::broadcast, object, 2, 0, 1);
    };
    wait(0, first, 10000);
    made.compute(0, 10);
    signal(0, second);
    made.compute(0, 50);
    wait(1, second, 21000);
    made.compute(1, 5);
    signal(1, first);
    const auto result = simulate(made.run(), analyse(made.run()));
    EXPECT_EQ(result.forced, 1u);
    EXPECT_NEAR(result.seconds, 60 * kMicro, kMicro);
    EXPECT_NEAR(result.thread_seconds[1], 16 * kMicro, kMicro);
  }
}

/// A buffer of two places: conditions "not empty" and "not full", 10 us to produce, `consume` to consume.
Run bounded_buffer(std::uint64_t consume, int items) {
  constexpr std::size_t kPlaces = 2;
  MadeRun made(2);
  const auto lock = made.object(Primitive::mutex, "m"), empty = made.object(Primitive::condition, "not empty"),
             full = made.object(Primitive::condition, "not full");
  std::vector<std::uint64_t> put, got;  // when
  const auto section = [&](std::uint32_t thread, std::uint32_t wait_for, std::uint32_t signal, std::uint32_t site,
                           std::uint64_t from) {
    made.call(thread, Action::acquire, lock, site);
    if (from > made.now(thread)) {
      made.call(thread, Action::release, lock, site + 1).call(thread, Action::wait, wait_for, site + 1, from);
      made.call(thread, Action::acquire, lock, site + 1);
    }
    made.call(thread, Action::signal, signal, site + 2);
    const auto at = made.now(thread);
    made.call(thread, Action::release, lock, site + 3);
    return at;
  };
  for (std::size_t i = 0; i < static_cast<std::size_t>(items); ++i) {
    made.compute(0, 10);
    put.push_back(section(0, full, empty, 1, i >= kPlaces ? got[i - kPlaces] : 0));
    got.push_back(section(1, empty, full, 11, put[i]));
    made.compute(1, consume);
  }
  made.call(1, Action::acquire, lock, 20);
  return made.run();
}

TEST(Simulate, ConditionsCountWhereTheirWaitsSayHowManyPlacesThereAre) {
  const auto run = bounded_buffer(15, 60);  // the buffer is full most of the time
  EXPECT_NEAR(seconds(run), (10 + 60 * 15) * kMicro, 2 * kMicro);
  EXPECT_NEAR(seconds(run, {{1, 2.0}}), (10 + 60 * 30) * kMicro, 2 * kMicro);
  EXPECT_NEAR(seconds(run, {{0, 2.0}}), (60 * 20 + 15) * kMicro, 2 * kMicro);
}

TEST(Simulate, RoundsOfABarrierWaitForTheLast) {
  MadeRun made(3);
  const auto barrier = made.object(Primitive::barrier, "b");
  for (int round = 0; round < 20; ++round) {
    for (std::uint32_t t = 0; t < 3; ++t) made.compute(t, 10 + 5 * t);
    const auto last = made.now(2);
    for (std::uint32_t t = 0; t < 3; ++t) made.call(t, Action::arrive, barrier, 1, last);
  }
  EXPECT_NEAR(seconds(made.run()), 400 * kMicro, kMicro);
  EXPECT_NEAR(seconds(made.run(), {{2, 0.5}}), 300 * kMicro, kMicro);
  EXPECT_NEAR(seconds(made.run(), {{0, 3.0}}), 600 * kMicro, kMicro);
}

TEST(Simulate, LockIsHeldByOneAtATime) {
  // Each thread computes 10 us outside, 20 us inside the lock: inside is what limits.
  MadeRun made(2);
  const auto lock = made.object(Primitive::mutex, "m");
  std::uint64_t free = 0;
  for (int i = 0; i < 40; ++i)
    for (std::uint32_t t = 0; t < 2; ++t) {
      made.compute(t, 10).call(t, Action::acquire, lock, 1, free).compute(t, 20);
      made.call(t, Action::release, lock, 2);
      free = made.now(t);
    }
  EXPECT_NEAR(seconds(made.run()), 1610 * kMicro, 20 * kMicro);
  EXPECT_NEAR(seconds(made.run(), {{0, 2.0}}), 2400 * kMicro, 60 * kMicro);
}

TEST(Simulate, OwnersMayLockAgain) {
  // Thread 0 locks twice each time; thread 1 has the lock in between.
  MadeRun made(2);
  const auto lock = made.object(Primitive::mutex, "recursive");
  for (int i = 0; i < 10; ++i) {
    made.call(0, Action::acquire, lock, 1, made.now(1)).compute(0, 10).call(0, Action::acquire, lock, 2).compute(0, 10);
    made.call(0, Action::release, lock, 3).compute(0, 10).call(0, Action::release, lock, 4);
    made.call(1, Action::acquire, lock, 5, made.now(0)).compute(1, 20).call(1, Action::release, lock, 6);
  }
  EXPECT_NEAR(seconds(made.run()), 500 * kMicro, 10 * kMicro);
}

TEST(Simulate, LocksMayBeHeldAtFirst) {
  // Thread 0 has had the lock since before there were others.
  MadeRun made(2);
  const auto lock = made.object(Primitive::mutex, "m");
  made.compute(0, 100).call(0, Action::release, lock, 1, 0, 1);
  made.call(1, Action::acquire, lock, 2, made.now(0), 1).compute(1, 50).call(1, Action::release, lock, 3, 0, 2);
  EXPECT_NEAR(seconds(made.run()), 150 * kMicro, kMicro);
}

TEST(Simulate, GraphOfAPoolMayBeBelowTheGreatestComputation) {
  // Thread 1 has had 40 of 60 tasks, though both take 10 us for one.
  MadeRun made(3);
  const auto tasks = made.object(Primitive::semaphore, "tasks");
  for (std::uint64_t i = 1; i <= 60; ++i) made.call(0, Action::release, tasks, 1, 0, i);
  std::uint64_t taken = 0;
  for (int i = 0; i < 60; ++i) {
    const std::uint32_t t = i % 3 == 0 ? 2 : 1;
    made.call(t, Action::acquire, tasks, 2, 0, ++taken).compute(t, 10);
    made.call(t, Action::signal, made.object(Primitive::mark, "none"), 3);
  }
  EXPECT_NEAR(seconds(made.run()), 300 * kMicro, 10 * kMicro);
  EXPECT_NEAR(analyse(made.run()).without_synchronisation() * 1e-9, 400 * kMicro, kMicro);
}

TEST(Simulate, LoopsOfAPoolShareTheirIterations) {
  // Main posts 60 tasks at once and two ends; workers take 10 us for a task.
  MadeRun made(3);
  const auto tasks = made.object(Primitive::semaphore, "tasks"), done = made.object(Primitive::semaphore, "done");
  for (std::uint64_t i = 1; i <= 62; ++i) made.call(0, Action::release, tasks, 1, 0, i);
  std::uint64_t taken = 0, finished = 0;
  for (int i = 0; i < 30; ++i)
    for (std::uint32_t t = 1; t < 3; ++t) {
      made.call(t, Action::acquire, tasks, 2, 0, ++taken).compute(t, 10);
      made.call(t, Action::release, done, 3, 0, ++finished);
    }
  for (std::uint32_t t = 1; t < 3; ++t) made.call(t, Action::acquire, tasks, 2, 0, ++taken);
  for (std::uint64_t i = 1; i <= 60; ++i) made.call(0, Action::acquire, done, 4, made.now(1), i);
  EXPECT_NEAR(seconds(made.run()), 300 * kMicro, kMicro);
  EXPECT_NEAR(seconds(made.run(), {{1, 2.0}}), 400 * kMicro, 10 * kMicro);  // the other one takes two of three
}

TEST(Simulate, ThreadsAreJoinedWhenTheyEnd) {
  MadeRun made(3);
  for (std::uint32_t t = 1; t < 3; ++t) {
    made.call(0, Action::create, 0, 1, 0, 0, t);
    made.begin(t, made.now(0));
    made.call(t, Action::start, 0, 2, 0, 0, 0).compute(t, 100 * t).call(t, Action::exit, 0, 3);
  }
  for (std::uint32_t t = 1; t < 3; ++t) made.call(0, Action::join, 0, 4, made.now(t), 0, t);
  made.compute(0, 7);
  EXPECT_NEAR(seconds(made.run()), 207 * kMicro, kMicro);
  EXPECT_NEAR(seconds(made.run(), {{2, 0.25}}), 107 * kMicro, kMicro);
}

TEST(Simulate, WaitingForAProcessorIsNoPause) {
  // Two threads share one processor: each has it half of the time, and computes 10 us in 20.
  MadeRun made(2);
  const auto lock = made.object(Primitive::mutex, "m");
  for (std::uint32_t t = 0; t < 2; ++t)
    for (int i = 0; i < 20; ++i) {
      made.compute(t, 10).sleep(t, 10);
      made.call(t, Action::acquire, lock, 1).call(t, Action::release, lock, 2);
    }
  EXPECT_NEAR(seconds(made.run(), {}, 1), 400 * kMicro, 25 * kMicro);
  EXPECT_NEAR(seconds(made.run(), {{0, 0.5}}, 1), 300 * kMicro, 25 * kMicro);
}

TEST(Simulate, WhatIsSleptEachTimeStays) {
  MadeRun made(2);
  const auto lock = made.object(Primitive::mutex, "m");
  for (int i = 0; i < 20; ++i) {
    made.compute(0, 10).sleep(0, i == 3 ? 500 : 40);  // once it was disturbed
    made.call(0, Action::acquire, lock, 1).call(0, Action::release, lock, 2);
  }
  made.compute(1, 1).call(1, Action::acquire, lock, 3).call(1, Action::release, lock, 4);
  EXPECT_NEAR(seconds(made.run()), 1000 * kMicro, 50 * kMicro);
  EXPECT_NEAR(seconds(made.run(), {{0, 0.5}}), 900 * kMicro, 50 * kMicro);
}

}  // namespace
}  // namespace skelgen::threads
