// Measured while it runs, a run has the measures of its trace.

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <atomic>
#include <thread>

#include "../capture/mpi_run.h"
#include "metrics/metrics.h"
#include "trace/follow.h"

namespace skelgen::trace {
namespace {

class Online : public EachMpi {
 protected:
  /// Runs the program and measures it meanwhile, as `trace --online` does.
  metrics::Metrics online(int ranks, const std::string& what, bool give_back, const std::string& variables = {}) {
    std::atomic<bool> over = false;
    metrics::Metrics measured;
    std::string problem;
    std::thread reader([&] {
      try {
        const Followed run(work_ / "t.trace", over, give_back);
        measured = metrics::measure(run.trace(), {.rho = {}, .path = false});
        gave_back_ = run.gave_back();
        wall_ = run.ended().wall();
        for (const auto& rank : run.ended().rank_info()) calls_ += rank.ending.calls;
      } catch (const std::exception& error) {
        problem = error.what();
      }
    });
    const auto ended = traced(ranks, what, "SKELGEN_ONLINE=1 " + variables);
    over = true;
    reader.join();
    EXPECT_EQ(ended.status, 0) << what << ": " << ended.errors;
    EXPECT_EQ(problem, "") << what;
    return measured;
  }

  void expect_same(const metrics::Metrics& online, const metrics::Metrics& offline, const std::string& what) {
    SCOPED_TRACE(what);
    // The clock's speed is known better when the run is over.
    const auto near = [](double value) { return testing::DoubleNear(value, 1e-5 * std::abs(value) + 1e-9); };
    const auto &a = online.he_sun, &b = offline.he_sun;
    ASSERT_EQ(a.per_rank.size(), b.per_rank.size());
    EXPECT_THAT(a.wt, near(b.wt));
    EXPECT_THAT(a.vol, near(b.vol));
    EXPECT_THAT(a.ht, near(b.ht));
    EXPECT_THAT(a.alpha.value(), near(b.alpha.value()));
    for (std::size_t i = 0; i < a.per_rank.size(); ++i) {
      EXPECT_THAT(a.per_rank[i].computing_s, near(b.per_rank[i].computing_s));
      EXPECT_THAT(a.per_rank[i].blocked_s, near(b.per_rank[i].blocked_s));
    }
    EXPECT_EQ(online.raynal.height, offline.raynal.height);
    EXPECT_EQ(online.raynal.weight, offline.raynal.weight);
    // These are differences between ranks, whose own clocks, offline, are not known to run exactly equally fast.
    EXPECT_NEAR(online.waits.all.total(), offline.waits.all.total(), 1e-3 * offline.he_sun.vol);
    EXPECT_EQ(online.unmatched.total(), offline.unmatched.total());
  }

  bool gave_back_ = false;
  std::optional<Seconds> wall_;
  std::uint64_t calls_ = 0;
};

TEST_P(Online, IsAsOffline) {
  struct Runs {
    const char* what;
    std::vector<int> ranks;  // many on few cores take long
  };
  for (const auto& [what, several] :
       {Runs{"heat 32 20 5", {2, 4}}, Runs{"irregular 3 40", {2, 4}}, Runs{"irregular 6 60", {4}},
        Runs{"manager_worker 40 60 500", {2, 4, 16}}, Runs{"matmul 64 5", {2, 4}}, Runs{"multigrid 16 1 1", {4}},
        Runs{"ring 64 20", {2, 4, 16}}, Runs{"transpose 32 20", {2, 4}}, Runs{"matches 50", {4}}})
    for (const int ranks : several) {
      fs::remove_all(work_ / "t.trace");
      const auto run = std::string(what) + " on " + std::to_string(ranks) + " ranks";
      const auto measured = online(ranks, what, false);
      EXPECT_GT(calls_, 0u);
      EXPECT_FALSE(gave_back_);
      const auto trace = read();
      EXPECT_EQ(wall_->value, trace.wall()->value);
      expect_same(measured, metrics::measure(trace), run);
    }
}

TEST_P(Online, RecordsHaveNoPlaceOnTheDisk) {
  const auto measured = online(2, "matches 1 240000", true);  // most by itself: no rank waits for its turn on a core
  EXPECT_TRUE(gave_back_);
  EXPECT_EQ(measured.unmatched.total(), 0u);
  for (const char* rank : {"t.trace/rank-000000.skt", "t.trace/rank-000001.skt"}) {
    struct stat status {};
    ASSERT_EQ(stat((work_ / rank).c_str(), &status), 0);
    EXPECT_GT(status.st_size, 3 << 20);
    EXPECT_LT(status.st_blocks * 512, 2 << 20);
  }
}

SKELGEN_EACH_MPI(Online);

}  // namespace
}  // namespace skelgen::trace
