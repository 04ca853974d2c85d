// POP efficiencies against a reference of its own: the run again on a network that costs nothing, call by call.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <random>
#include <tuple>

#include "unit/metrics/run.h"

namespace skelgen::test {
namespace {

/// Makes a random run and its reference at the same time. Times in microseconds.
class RandomEfficiencies {
 public:
  explicit RandomEfficiencies(unsigned seed)
      : random_(seed),
        n_(2 + below(5)),
        run_(static_cast<int>(n_)),
        useful_(n_),
        whole_(n_),
        ideal_(n_),
        calls_(n_, 1) {
    for (const char* name : {"first", "second", "third"}) {
      begin(name);
      for (int i = 0; i < 20; ++i) below(4) ? message() : collective();
    }
    for (std::size_t r = 0; r < n_; ++r) {
      run_.finalize(static_cast<int>(r), compute(r));
    }
    end();
  }

  void expect_the_same() {
    const auto measured = run_.measure({.phases = phases_});
    const auto& pop = measured.pop;
    const double mean = std::accumulate(useful_.begin(), useful_.end(), 0.0) / static_cast<double>(n_);
    const double most = std::ranges::max(useful_), time = std::ranges::max(whole_), ideal = std::ranges::max(ideal_);
    EXPECT_NEAR(pop.load_balance.value(), mean / most, 1e-9);
    EXPECT_NEAR(pop.communication.value(), most / time, 1e-9);
    EXPECT_NEAR(pop.parallel.value(), mean / time, 1e-9);
    EXPECT_NEAR(pop.serialization.value(), most / ideal, 1e-9);
    EXPECT_NEAR(pop.transfer.value(), std::min(1.0, ideal / time), 1e-9);
    ASSERT_EQ(measured.phases.size(), times_.size());
    double share = 0, path = 0;
    for (std::size_t i = 0; i < times_.size(); ++i) {
      const auto& phase = measured.phases[i];
      const auto& [useful, whole, ideal] = times_[i];
      const double longest = std::ranges::max(whole), most = std::ranges::max(useful);
      const double mean = std::accumulate(useful.begin(), useful.end(), 0.0) / static_cast<double>(n_);
      EXPECT_EQ(phase.name, phases_[i].name);
      EXPECT_NEAR(1e6 * phase.seconds, longest, 1e-6);
      EXPECT_NEAR(phase.pop.load_balance.value(), mean / most, 1e-9);
      EXPECT_NEAR(phase.pop.communication.value(), most / longest, 1e-9);
      EXPECT_NEAR(phase.pop.parallel.value(), mean / longest, 1e-9);
      EXPECT_NEAR(phase.pop.serialization.value(), most / std::ranges::max(ideal), 1e-9);
      EXPECT_NEAR(phase.pop.transfer.value(), std::ranges::max(ideal) / longest, 1e-9);
      share += phase.share.value();
      path += measured.critical_path.by_phase[i].second;
    }
    EXPECT_NEAR(share, 1, 1e-9);
    EXPECT_NEAR(path, measured.critical_path.seconds, 1e-12);
  }

 private:
  using Times = std::vector<double>;  // by rank

  void begin(const char* name) {
    end();
    phases_.push_back({name, calls_});
    times_.push_back({useful_, whole_, ideal_});
  }
  /// What a phase took is what is there at its end without what was there before.
  void end() {
    if (times_.empty()) return;
    auto& [useful, whole, ideal] = times_.back();
    for (std::size_t r = 0; r < n_; ++r) {
      useful[r] = useful_[r] - useful[r];
      whole[r] = whole_[r] - whole[r];
      ideal[r] = ideal_[r] - ideal[r];
    }
  }

  std::size_t below(std::size_t n) { return random_() % n; }

  int compute(std::size_t r) {  // and call
    ++calls_[r];
    const int gap = 1 + static_cast<int>(below(30));
    useful_[r] += gap;
    whole_[r] += gap;
    ideal_[r] += gap;
    return gap;
  }
  int communicate(std::size_t r) {
    const int inside = static_cast<int>(below(9));
    whole_[r] += inside;
    return inside;
  }

  void message() {
    const std::size_t r = below(n_), peer = below(n_);
    auto& channel = under_way_[{peer, r}];
    const int gap = compute(r), inside = communicate(r);
    if (!channel.empty() && below(3)) {
      ideal_[r] = std::max(ideal_[r], channel.front());
      channel.pop_front();
      run_.recv(static_cast<int>(r), static_cast<int>(peer), gap, inside);
    } else {
      under_way_[{r, peer}].push_back(ideal_[r]);
      run_.send(static_cast<int>(r), static_cast<int>(peer), gap, inside);
    }
  }

  void collective() {
    const std::size_t kind = below(4), root = below(n_);
    std::vector<int> gaps;
    for (std::size_t r = 0; r < n_; ++r) gaps.push_back(compute(r));
    const auto came = ideal_;
    const double last = std::ranges::max(came);
    for (std::size_t r = 0; r < n_; ++r) {
      const int rank = static_cast<int>(r), inside = communicate(r), to = static_cast<int>(root);
      if (kind == 0) {
        run_.barrier(rank, gaps[r], inside);
        ideal_[r] = last;
      } else if (kind == 1) {
        run_.bcast(rank, to, gaps[r], inside);
        ideal_[r] = std::max(came[r], came[root]);
      } else if (kind == 2) {
        run_.call(rank, "MPI_Reduce", {0x1000, 0x2000, 1, kInt, kSum, to, kWorld}, gaps[r], inside);
        if (r == root) ideal_[r] = last;
      } else {
        run_.call(rank, "MPI_Scan", {0x1000, 0x2000, 1, kInt, kSum, kWorld}, gaps[r], inside);
        ideal_[r] = *std::max_element(came.begin(), came.begin() + rank + 1);
      }
    }
  }

  std::mt19937 random_;
  std::size_t n_;
  TracedRun run_;
  std::vector<double> useful_, whole_, ideal_;
  std::vector<std::uint64_t> calls_;
  metrics::Phases phases_;
  std::vector<std::tuple<Times, Times, Times>> times_;                           // by phase: useful, whole, ideal
  std::map<std::pair<std::size_t, std::size_t>, std::deque<double>> under_way_;  // when they were sent, ideally
};

TEST(Efficiencies, AreThoseOfTheReference) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    RandomEfficiencies(seed).expect_the_same();
  }
}

}  // namespace
}  // namespace skelgen::test
