// Laws that hold for every computation, and: a trace of a computation has the computation's measures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <random>

#include "papers/cuts.h"
#include "papers/he_sun.h"
#include "papers/raynal.h"
#include "unit/metrics/run.h"

namespace skelgen::test {
namespace {

using metrics::EventKind;

/// One call of a random run: times in microseconds.
struct RandomCall {
  EventKind kind;
  std::size_t process, peer;
  int message, tag, gap, inside;
};

/// Sends and receives in an order in which they could have happened.
std::vector<RandomCall> random_calls(std::mt19937& random, std::size_t processes, int length) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::map<std::tuple<std::size_t, std::size_t, int>, std::deque<int>> under_way;
  std::vector<RandomCall> calls;
  int messages = 0;
  while (length-- > 0) {
    const std::size_t process = below(processes), peer = below(processes);
    const int tag = static_cast<int>(below(2)), gap = static_cast<int>(below(20)), inside = static_cast<int>(below(10));
    auto& channel = under_way[{peer, process, tag}];
    if (!channel.empty() && below(3) > 0) {
      calls.push_back({EventKind::receive, process, peer, channel.front(), tag, gap, inside});
      channel.pop_front();
    } else {
      under_way[{process, peer, tag}].push_back(messages);
      calls.push_back({EventKind::send, process, peer, messages++, tag, gap, inside});
    }
  }
  return calls;
}

metrics::TimedComputation timed(const std::vector<RandomCall>& calls, std::size_t processes) {
  metrics::TimedComputation result;
  result.processes.resize(processes);
  std::vector<double> computing(processes), blocked(processes);
  for (const auto& call : calls) {
    computing[call.process] += 1e-6 * call.gap;
    if (call.kind == EventKind::receive) blocked[call.process] += 1e-6 * call.inside;
    result.processes[call.process].push_back({call.kind, call.message, computing[call.process], blocked[call.process]});
    if (call.kind == EventKind::send) blocked[call.process] += 1e-6 * call.inside;
  }
  for (std::size_t i = 0; i < processes; ++i)
    result.processes[i].push_back({EventKind::internal, -1, computing[i] + 1e-6, blocked[i]});
  return result;
}

/// Every gap is an internal event, also the one before MPI_Finalize.
metrics::Computation counted(const std::vector<RandomCall>& calls, std::size_t processes) {
  metrics::Computation result;
  result.processes.resize(processes);
  for (const auto& call : calls) {
    result.processes[call.process].push_back({});
    result.processes[call.process].push_back({call.kind, call.message});
  }
  for (auto& process : result.processes) process.push_back({});
  return result;
}

void in_unit_interval(const metrics::Measure& measure) {
  if (!measure) return;
  EXPECT_GE(*measure, -1e-12);
  EXPECT_LE(*measure, 1 + 1e-12);
}

/// One of `kSeeds` runs of 1 to 6 processes.
struct Drawn {
  std::mt19937 random;
  std::size_t processes;
  std::vector<RandomCall> calls;
  explicit Drawn(unsigned seed) : random(seed), processes(1 + seed % 6) {
    calls = random_calls(random, processes, 3 + static_cast<int>(random() % 60));
  }
  std::vector<double> speeds() {
    std::vector<double> rho;
    for (std::size_t i = 0; i < processes; ++i) rho.push_back(0.1 * static_cast<double>(1 + random() % 10));
    return rho;
  }
};
constexpr unsigned kSeeds = 5000;

TEST(RandomComputations, LawsOfHeSun) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Drawn drawn(seed);
    auto computation = timed(drawn.calls, drawn.processes);
    if (seed % 2) computation.rho = drawn.speeds();
    const auto measures = metrics::he_sun(computation);
    const auto& whole = measures.whole;
    in_unit_interval(whole.alpha);
    EXPECT_LE(whole.ht, whole.wt + 1e-12);
    EXPECT_LE(whole.wt, whole.vol + 1e-12);
    if (whole.phi1) EXPECT_NEAR(*whole.phi1 + *whole.phi2, 1, 1e-12);
    double shares = 0;
    for (const auto& rank : whole.per_rank) shares += rank.phi3.value_or(0);
    EXPECT_NEAR(shares, 1, 1e-12);
    for (const auto& process : measures.regions)
      for (const auto& region : process) {
        in_unit_interval(region.alpha);
        in_unit_interval(region.phi1);
        in_unit_interval(region.phi4);
        EXPECT_LE(region.height, region.weight + 1e-12);
        EXPECT_LE(region.weight, region.volume + 1e-12);
        EXPECT_LE(region.height, whole.ht + 1e-12);
        EXPECT_LE(region.weight, whole.wt + 1e-12);
      }
    if (HasFailure()) return;
  }
}

TEST(RandomComputations, CuttingRegionsChangesNothing) {
  // An event that depends on nobody and that nobody waits for, somewhere inside a region: a message never taken.
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    Drawn drawn(seed);
    auto computation = timed(drawn.calls, drawn.processes);
    if (seed % 2) computation.rho = drawn.speeds();
    const auto before = metrics::he_sun(computation).whole;
    int cuts = 1000;
    for (auto& process : computation.processes) {
      const auto at = static_cast<std::ptrdiff_t>(drawn.random() % process.size());
      const metrics::TimedEvent end = process[static_cast<std::size_t>(at)];
      const auto begin = at ? process[static_cast<std::size_t>(at) - 1] : metrics::TimedEvent{};
      const double share = 0.25 * static_cast<double>(drawn.random() % 5);
      process.insert(process.begin() + at,
                     {EventKind::send, cuts++, std::lerp(begin.computing_s, end.computing_s, share),
                      std::lerp(begin.blocked_s, end.blocked_s, share)});
    }
    const auto after = metrics::he_sun(computation).whole;
    EXPECT_EQ(after.alpha.has_value(), before.alpha.has_value());
    if (after.alpha && before.alpha) EXPECT_NEAR(*after.alpha, *before.alpha, 1e-9);
    EXPECT_NEAR(after.ht, before.ht, 1e-12);
    if (HasFailure()) return;
  }
}

TEST(RandomComputations, LawsOfRaynal) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const Drawn drawn(seed);
    const auto measures = metrics::raynal(counted(drawn.calls, drawn.processes));
    in_unit_interval(measures.whole.alpha);
    in_unit_interval(measures.whole.beta);
    EXPECT_LE(measures.whole.height, measures.whole.weight);
    EXPECT_LE(measures.whole.weight, measures.whole.volume);
    for (const auto& process : measures.events)
      for (const auto& cone : process) {
        in_unit_interval(cone.alpha);
        in_unit_interval(cone.beta);
        EXPECT_LE(cone.height, cone.weight);
        EXPECT_LE(cone.weight, cone.volume);
        for (const double lag : cone.theta1) EXPECT_GE(lag, 0);
      }
    if (HasFailure()) return;
  }
}

/// The cuts among all vectors of event counts that have the send of every message that they have received.
std::uint64_t cuts_by_trying_all(const metrics::Computation& computation) {
  const auto& processes = computation.processes;
  std::vector<std::size_t> cut(processes.size());
  std::uint64_t cuts = 0;
  while (true) {
    std::map<int, int> sent, received;
    for (std::size_t i = 0; i < processes.size(); ++i)
      for (std::size_t k = 0; k < cut[i]; ++k) {
        const auto& event = processes[i][k];
        if (event.kind == EventKind::send) sent[event.message] = 1;
        if (event.kind == EventKind::receive) received[event.message] = 1;
      }
    cuts += std::ranges::all_of(received, [&](const auto& message) { return sent.contains(message.first); });
    std::size_t i = 0;
    while (i < cut.size() && cut[i] == processes[i].size()) cut[i++] = 0;
    if (i == cut.size()) return cuts;
    ++cut[i];
  }
}

TEST(RandomComputations, CharronBostCountsAllConsistentCuts) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const std::size_t processes = 1 + seed % 4;
    auto computation = counted(random_calls(random, processes, 2 + static_cast<int>(random() % 6)), processes);
    const std::uint64_t cuts = cuts_by_trying_all(computation);
    EXPECT_EQ(metrics::consistent_cuts(metrics::event_clocks(computation)), cuts);
    const auto m = metrics::charron_bost(metrics::event_clocks(computation)).m;
    EXPECT_EQ(m.has_value(), processes > 1);
    in_unit_interval(m);
    double events = 0, concurrent = 1;
    for (const auto& process : computation.processes) {
      events += static_cast<double>(process.size());
      concurrent *= static_cast<double>(process.size() + 1);
    }
    if (m) EXPECT_NEAR(*m, (static_cast<double>(cuts) - events - 1) / (concurrent - events - 1), 1e-12);
  }
}

class RandomTrace : public testing::TestWithParam<unsigned> {
 protected:
  std::mt19937 random_{GetParam()};
  const std::size_t processes_ = 1 + GetParam() % 5;
  const std::vector<RandomCall> calls_ = random_calls(random_, processes_, 5 + static_cast<int>(GetParam()) * 2);
};

TEST_P(RandomTrace, TheTraceHasTheComputationsMeasures) {
  TracedRun run(static_cast<int>(processes_));
  for (const auto& call : calls_) {
    const int process = static_cast<int>(call.process), peer = static_cast<int>(call.peer);
    if (call.kind == EventKind::send)
      run.send(process, peer, call.gap, call.inside, call.tag);
    else
      run.recv(process, peer, call.gap, call.inside, call.tag);
  }
  for (std::size_t i = 0; i < processes_; ++i) run.finalize(static_cast<int>(i), 1);
  const auto traced = run.measure({.regions = 3});

  const auto by_time = metrics::he_sun(timed(calls_, processes_)).whole;
  EXPECT_NEAR(traced.he_sun.wt, by_time.wt, 1e-12);
  EXPECT_NEAR(traced.he_sun.vol, by_time.vol, 1e-12);
  EXPECT_NEAR(traced.he_sun.ht, by_time.ht, 1e-12);
  const auto by_events = metrics::raynal(counted(calls_, processes_)).whole;
  EXPECT_EQ(traced.raynal.weight, by_events.weight);
  EXPECT_EQ(traced.raynal.height, by_events.height);
  EXPECT_EQ(traced.raynal.alpha, by_events.alpha);
  EXPECT_EQ(traced.raynal.theta6, by_events.theta6);

  double caused = 0;
  for (std::size_t i = 0; i < processes_; ++i) {
    EXPECT_LE(traced.waits.per_rank[i].total(), traced.he_sun.per_rank[i].blocked_s + 1e-12);
    caused += traced.waits.per_rank[i].caused.total();
  }
  EXPECT_NEAR(traced.waits.all.total(), caused, 1e-12);

  std::size_t sends = 0, receives = 0;
  for (const auto& call : calls_) (call.kind == EventKind::send ? sends : receives) += 1;
  EXPECT_EQ(traced.unmatched.sends, sends - receives);
  EXPECT_EQ(traced.unmatched.total(), sends - receives);
  if (traced.pop.communication && traced.pop.serialization)
    EXPECT_LE(*traced.pop.load_balance * *traced.pop.communication, 1 + 1e-12);
}

TEST_P(RandomTrace, RegionsHaveTheirMeasures) {
  TracedRun run(static_cast<int>(processes_));
  for (const auto& call : calls_) {
    const int process = static_cast<int>(call.process), peer = static_cast<int>(call.peer);
    if (call.kind == EventKind::send)
      run.send(process, peer, call.gap, call.inside, call.tag);
    else
      run.recv(process, peer, call.gap, call.inside, call.tag);
  }
  for (std::size_t i = 0; i < processes_; ++i) run.finalize(static_cast<int>(i), 1);
  const auto regions = run.measure({.regions = 1000}).regions;
  const auto expected = metrics::he_sun(timed(calls_, processes_)).regions;
  std::size_t defined = 0, tiny = 0;  // sums in another order: 0 / 0 or not is chance where alpha is next to undefined
  const auto is_tiny = [](const auto& region) { return region.volume - region.height < 1e-9; };
  for (const auto& process : expected)
    for (std::size_t i = 0; i + 1 < process.size(); ++i) ++(is_tiny(process[i]) ? tiny : defined);
  EXPECT_GE(regions.size(), defined);
  EXPECT_LE(regions.size(), defined + tiny);
  EXPECT_TRUE(std::ranges::is_sorted(regions, {}, [](const auto& region) { return *region.alpha; }));
  for (const auto& region : regions) {
    const auto& same = expected[static_cast<std::size_t>(region.rank)][region.call - 1];  // call 0 is MPI_Init
    if (!is_tiny(same)) EXPECT_NEAR(*region.alpha, *same.alpha, 1e-6);
    if (same.phi1 && region.phi1) EXPECT_NEAR(*region.phi1, *same.phi1, 1e-9);
  }
}

TEST_P(RandomTrace, ACallHasItsRegionAndItsCone) {
  TracedRun run(static_cast<int>(processes_));
  std::vector<std::uint64_t> calls(processes_);
  for (const auto& call : calls_) {
    const int process = static_cast<int>(call.process), peer = static_cast<int>(call.peer);
    ++calls[call.process];
    if (call.kind == EventKind::send)
      run.send(process, peer, call.gap, call.inside, call.tag);
    else
      run.recv(process, peer, call.gap, call.inside, call.tag);
  }
  for (std::size_t i = 0; i < processes_; ++i) run.finalize(static_cast<int>(i), 1);
  const auto regions = metrics::he_sun(timed(calls_, processes_)).regions;
  const auto cones = metrics::raynal(counted(calls_, processes_)).events;
  for (std::size_t i = 0; i < processes_; ++i) {
    if (calls[i] == 0) continue;
    const metrics::CallOf of{static_cast<Rank>(i), 1 + random_() % calls[i]};  // call 0 is MPI_Init
    const auto all = run.measure({.region = of, .cone = of});
    ASSERT_TRUE(all.region && all.cone);
    EXPECT_EQ(all.region->of, of);
    const auto& region = regions[i][of.call - 1];
    for (std::size_t j = 0; j < processes_; ++j) {
      EXPECT_NEAR(all.region->w[j], region.w[j], 1e-12);
      EXPECT_NEAR(all.region->u[j], region.u[j], 1e-12);
    }
    EXPECT_NEAR(all.region->height, region.height, 1e-12);
    if (region.phi4) EXPECT_NEAR(all.region->phi4.value(), *region.phi4, 1e-6);
    const auto& cone = cones[i][2 * of.call - 1];  // each call is behind a gap
    EXPECT_EQ(all.cone->v, cone.v);
    EXPECT_EQ(all.cone->w, cone.w);
    EXPECT_EQ(all.cone->theta1, cone.theta1);
    EXPECT_EQ(all.cone->alpha, cone.alpha);
    EXPECT_EQ(all.cone->beta, cone.beta);
  }
  EXPECT_THROW(run.measure({.region = metrics::CallOf{0, 999}}), Error);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTrace, testing::Range(1u, 60u));

}  // namespace
}  // namespace skelgen::test
