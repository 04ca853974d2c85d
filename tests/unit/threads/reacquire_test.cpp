#include "threads/reacquire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "threads/analysis.h"
#include "unit/threads/made_run.h"

namespace skelgen::threads {
namespace {

/// Thread 1 waits from the beginning and is signalled by thread 0 at 10 us. Thread 2 has the mutex until `free`; thread 1
/// has it again at `back`, both in microseconds.
Run signalled(std::uint64_t free, std::uint64_t back) {
  MadeRun made(3);
  const auto mutex = made.object(Primitive::mutex, "m"), condition = made.object(Primitive::condition, "c");
  made.call(1, Action::acquire, mutex, 1).call(1, Action::release, mutex, 2, 0, 1);
  made.call(1, Action::wait, condition, 2, back * kMicrosecond).call(1, Action::acquire, mutex, 2, 0, 2);
  made.compute(1, 5).call(1, Action::release, mutex, 3, 0, 3);
  made.compute(2, 5)
      .call(2, Action::acquire, mutex, 4, 0, 1)
      .compute(2, free - 5)
      .call(2, Action::release, mutex, 5, 0, 2);
  made.compute(0, 10).call(0, Action::signal, condition, 6);
  auto run = made.run();
  separate_reacquires(run);
  return run;
}

/// "m 30+5": name, and us of waiting and of hand-over, of what was waited for.
std::vector<std::string> awaited_in(const Run& run) {
  std::vector<std::string> all;
  const auto us = [](double seconds) { return std::to_string(static_cast<int>(seconds * 1e6 + 0.5)); };
  for (const auto& one : awaited(run, analyse(run)))
    all.push_back(run.objects[one.object].name + " " + us(one.waiting_s) + "+" + us(one.hand_over_s));
  return all;
}

TEST(Reacquire, WaitsForTheMutexThatAnotherThreadHad) {
  const auto run = signalled(40, 45);
  EXPECT_THAT(awaited_in(run), testing::ElementsAre("m 30+5", "c 10+0"));
  const auto analysis = analyse(run);
  EXPECT_NEAR(analysis.threads[1].seconds(), 50e-6, 1e-9) << "each part once";
  std::vector<std::tuple<std::uint32_t, std::string, double>> signals;  // thread of the producer, object, sure
  for (const auto& edge : analysis.signals) {
    if (edge.waited == 0) continue;
    signals.emplace_back(analysis.loops.all[analysis.vertices[edge.producer].loop].thread,
                         run.objects[analysis.vertices[edge.consumer].object].name,
                         edge.confidence / static_cast<double>(edge.count));
  }
  EXPECT_THAT(signals, testing::UnorderedElementsAre(std::tuple(0u, "c", 1.0), std::tuple(2u, "m", 1.0)));
}

TEST(Reacquire, IsPartOfTheWaitWhereTheMutexWasSoonFree) {
  EXPECT_THAT(awaited_in(signalled(11, 60)), testing::ElementsAre("c 10+50"));
  EXPECT_THAT(awaited_in(signalled(9, 12)), testing::ElementsAre("c 10+2"));
}

}  // namespace
}  // namespace skelgen::threads
