// What the run would gain, against the run that was made again with shorter computation.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "unit/metrics/run.h"

namespace skelgen::test {
namespace {

/// A program: its calls in an order in which they can be made, and what is computed before them.
struct Program {
  enum class Kind { message, barrier, broadcast };
  struct Call {
    Kind kind;
    std::size_t from, to;      // broadcast: from the root
    std::vector<int> compute;  // by rank, in microseconds; message: of both
  };
  std::size_t ranks;
  std::vector<Call> calls;

  explicit Program(unsigned seed) {
    std::mt19937 random(seed);
    ranks = 2 + random() % 4;
    for (int i = 0; i < 80; ++i) {
      Call call{random() % 5 ? Kind::message : random() % 2 ? Kind::barrier : Kind::broadcast, random() % ranks, 0, {}};
      call.to = (call.from + 1 + random() % (ranks - 1)) % ranks;
      for (std::size_t r = 0; r < ranks; ++r)
        call.compute.push_back(static_cast<int>(2 * (random() % (r == seed % ranks ? 400 : 100))));
      calls.push_back(call);
    }
  }

  /// Runs it on a network where sending takes 1, a message 3 from when both are there, collectives 5 from the last one.
  /// The run's length; it is written to `run` if there is one.
  int simulate(std::size_t halved, TracedRun* run = nullptr) const {
    std::vector<int> now(ranks), gap(ranks);
    const auto enter = [&](std::size_t r, int compute) { now[r] += gap[r] = compute / (r == halved ? 2 : 1); };
    const auto number = [](std::size_t r) { return static_cast<int>(r); };
    for (const Call& call : calls) {
      if (call.kind == Kind::message) {
        enter(call.from, call.compute[call.from]);
        enter(call.to, call.compute[call.to]);
        const int there = std::max(now[call.from], now[call.to]) + 3;
        if (run) run->send(number(call.from), number(call.to), gap[call.from], 1);
        if (run) run->recv(number(call.to), number(call.from), gap[call.to], there - now[call.to]);
        now[call.from] += 1;
        now[call.to] = there;
        continue;
      }
      for (std::size_t r = 0; r < ranks; ++r) enter(r, call.compute[r]);
      const int last = call.kind == Kind::barrier ? std::ranges::max(now) : now[call.from];
      for (std::size_t r = 0; r < ranks; ++r) {
        const int end = std::max(last, now[r]) + 5;
        if (run && call.kind == Kind::barrier) run->barrier(number(r), gap[r], end - now[r]);
        if (run && call.kind == Kind::broadcast) run->bcast(number(r), number(call.from), gap[r], end - now[r]);
        now[r] = end;
      }
    }
    for (std::size_t r = 0; run && r < ranks; ++r) run->finalize(number(r), 0);
    return std::ranges::max(now);
  }
};

TEST(Halved, TheGainIsThatOfTheAlteredRun) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const Program program(seed);
    TracedRun run(static_cast<int>(program.ranks));
    const int whole = program.simulate(program.ranks, &run);
    const auto path = run.measure({.halve = true}).critical_path;
    EXPECT_NEAR(1e6 * path.seconds, whole, 1e-3);
    std::size_t ranks = 0;
    for (const auto& half : path.halved) {
      if (!half.rank) continue;
      ++ranks;
      const int altered = program.simulate(static_cast<std::size_t>(*half.rank));
      EXPECT_NEAR(1e6 * half.gain_s, whole - altered, 1e-3) << "rank " << *half.rank;
    }
    EXPECT_GE(ranks, 1u);
    EXPECT_TRUE(std::ranges::is_sorted(path.halved, std::greater<>(), &metrics::CriticalPath::Halved::gain_s));
  }
}

}  // namespace
}  // namespace skelgen::test
