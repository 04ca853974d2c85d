#include "work/fit.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <random>

#include "skel_kernel_names.h"
#include "text/text.h"
#include "work/nnls.h"

namespace skelgen::work {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::Ge;
using Columns = std::vector<std::vector<double>>;

double distance(const Columns& columns, const std::vector<double>& b, const std::vector<double>& x) {
  double sum = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    double value = -b[i];
    for (std::size_t j = 0; j < x.size(); ++j) value += columns[j][i] * x[j];
    sum += value * value;
  }
  return std::sqrt(sum);
}

/// Least squares over the columns of a set, by Gauss on the normal equations; nothing if they depend on each other.
std::optional<std::vector<double>> over(const Columns& columns, const std::vector<double>& b, unsigned set) {
  std::vector<std::size_t> used;
  for (std::size_t j = 0; j < columns.size(); ++j)
    if (set >> j & 1) used.push_back(j);
  const std::size_t n = used.size();
  Columns a(n, std::vector<double>(n + 1));
  const auto product = [](const auto& u, const auto& v) {
    return std::inner_product(u.begin(), u.end(), v.begin(), 0.0);
  };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) a[i][j] = product(columns[used[i]], columns[used[j]]);
    a[i][n] = product(columns[used[i]], b);
  }
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t pivot = i;
    for (std::size_t k = i; k < n; ++k)
      if (std::abs(a[k][i]) > std::abs(a[pivot][i])) pivot = k;
    std::swap(a[i], a[pivot]);
    if (std::abs(a[i][i]) < 1e-9) return {};
    for (std::size_t k = 0; k < n; ++k) {
      const double times = k == i ? 0 : a[k][i] / a[i][i];
      for (std::size_t j = i; j <= n; ++j) a[k][j] -= times * a[i][j];
    }
  }
  std::vector<double> x(columns.size(), 0.0);
  for (std::size_t i = 0; i < n; ++i) x[used[i]] = a[i][n] / a[i][i];
  return x;
}

// The best one is the least-squares solution over some of the columns: all sets of them are tried.
TEST(NonNegativeLeastSquares, IsTheBestOfAllSetsOfColumns) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> value(-1, 1);
  for (int round = 0; round < 300; ++round) {
    const std::size_t rows = 1 + random() % 6, n = 1 + random() % 6;
    Columns columns(n, std::vector<double>(rows));
    for (auto& column : columns)
      for (double& number : column) number = round % 2 ? value(random) : std::abs(value(random));
    if (n > 2 && round % 5 == 0) columns[1] = columns[0];  // depend on each other
    std::vector<double> b(rows);
    for (double& number : b) number = value(random);
    const auto x = non_negative_least_squares(columns, b);
    ASSERT_THAT(x, Each(Ge(0.0)));
    double best = distance(columns, b, std::vector<double>(n, 0.0));
    for (unsigned set = 1; set < 1u << n; ++set) {
      const auto other = over(columns, b, set);
      if (other && std::ranges::all_of(*other, [](double v) { return v >= 0; }))
        best = std::min(best, distance(columns, b, *other));
    }
    EXPECT_NEAR(distance(columns, b, x), best, 1e-7) << "round " << round;
  }
}

std::vector<double> some_speeds(std::mt19937& random) {
  std::vector<double> speeds;
  std::uniform_real_distribution<double> exponent(6, 8.5);
  for (std::size_t k = 0; k < SKEL_KERNELS; ++k) speeds.push_back(std::pow(10, exponent(random)));
  return speeds;
}

/// What a second of these kernels consists of.
skeleton::Work mixture(const std::vector<double>& shares, const std::vector<double>& speeds,
                       std::vector<std::string>& features) {
  skeleton::Work work;
  for (std::size_t k = 0; k < shares.size(); ++k)
    for (const auto& [name, times] : features_of_kernel(k)) {
      if (shares[k] == 0) continue;
      const auto feature = static_cast<std::uint32_t>(std::ranges::find(features, name) - features.begin());
      if (feature == features.size()) features.push_back(name);
      const auto found = std::ranges::find(work.counts, feature, &skeleton::Work::Count::feature);
      if (found == work.counts.end())
        work.counts.push_back({feature, shares[k] * speeds[k] * times});
      else
        found->times += shares[k] * speeds[k] * times;
    }
  return work;
}

TEST(Fit, FindsMixturesOfKernels) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> share(0.1, 1);
  for (int round = 0; round < 100; ++round) {
    const auto speeds = some_speeds(random);
    std::vector<double> shares(SKEL_KERNELS, 0.0);
    for (int i = 0; i < 4; ++i) shares[random() % SKEL_KERNELS] = share(random);
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& one : shares) one /= sum;
    std::vector<std::string> features;
    const auto work = mixture(shares, speeds, features);
    const auto found = fit(features, work, 1, speeds);
    EXPECT_THAT(found.shares, Each(Ge(0.0)));
    EXPECT_NEAR(std::accumulate(found.shares.begin(), found.shares.end(), 0.0), 1, 1e-9);
    EXPECT_LT(found.unexplained, found.shares[SKEL_WAIT] + 0.05)
        << "round " << round;  // shares below 0.0005 are left out
  }
}

/// What one kernel does in a second.
skeleton::Work second_of(int kernel, const std::vector<double>& speeds, std::vector<std::string>& features) {
  std::vector<double> shares(SKEL_KERNELS, 0.0);
  shares[static_cast<std::size_t>(kernel)] = 1;
  return mixture(shares, speeds, features);
}

// Twice the time for the same features is a mixture, too, with kernels that do little in their time; half of it is none where
// nothing does the same faster.
TEST(Fit, TakesTheTracedTimeWhateverTheFeatures) {
  const std::vector<double> speeds(SKEL_KERNELS, 1e6);
  std::vector<std::string> features;
  const auto work = second_of(SKEL_FP_MUL, speeds, features);
  for (const double seconds : {0.5, 1.0, 2.0}) {
    const auto found = fit(features, work, seconds, speeds);
    EXPECT_NEAR(std::accumulate(found.shares.begin(), found.shares.end(), 0.0), 1, 1e-9);
    if (seconds < 1) {
      EXPECT_GT(found.unexplained, 0.3);
    } else if (seconds == 1) {
      EXPECT_NEAR(found.shares[SKEL_FP_MUL], 1, 1e-6);
      EXPECT_LT(found.unexplained, 1e-6);
    }
  }
}

// Not some chain of other operations: what was counted is what is done.
TEST(Fit, WaitsForTheTimeThatIsLeft) {
  const std::vector<double> speeds(SKEL_KERNELS, 1e6);
  std::vector<std::string> features;
  const auto work = second_of(SKEL_BLOCK, speeds, features);
  const auto found = fit(features, work, 4, speeds);
  EXPECT_NEAR(found.shares[SKEL_BLOCK], 0.25, 0.01);
  EXPECT_NEAR(found.shares[SKEL_WAIT], 0.75, 0.03);
  EXPECT_NEAR(found.unexplained, found.shares[SKEL_WAIT], 0.03);
  EXPECT_EQ(found.cause, "time in which the traced processor did none of what was counted");
}

TEST(Fit, SaysWhatNoKernelHas) {
  const std::vector<double> speeds(SKEL_KERNELS, 1e6);
  const std::vector<std::string> features{"instructions", "integer", "fp_other", "path"};
  const skeleton::Work work{{{0, 5e7}, {1, 2.5e7}, {2, 2.5e7}, {3, 5e7}}};
  const auto found = fit(features, work, 1, speeds);
  EXPECT_GT(found.unexplained, 0.4);
  EXPECT_EQ(found.cause, "other functions of floating point");
}

// The same operations, once beside each other, once each after the other.
TEST(Fit, TellsChainsFromWhatGoesOnBesideEachOther) {
  std::vector<double> speeds(SKEL_KERNELS, 1e6);
  speeds[SKEL_FP_CHAIN] = 2e5;
  std::vector<std::string> features;
  auto work = second_of(SKEL_FP_CHAIN, speeds, features);
  EXPECT_NEAR(fit(features, work, 1, speeds).shares[SKEL_FP_CHAIN], 1, 1e-6);
  const auto path = static_cast<std::uint32_t>(std::ranges::find(features, "path") - features.begin());
  std::ranges::find(work.counts, path, &skeleton::Work::Count::feature)->times /= 10;
  const auto found = fit(features, work, 1, speeds);
  EXPECT_LT(found.shares[SKEL_FP_CHAIN], 0.2);
  EXPECT_GT(found.shares[SKEL_WAIT], 0.5);
}

TEST(Fit, TakesNamesThatNoProfileHasForNothing) {
  const std::vector<double> speeds(SKEL_KERNELS, 1e6);
  const std::vector<std::string> features{
      "fp32x",       "fp64x",        "fp64x_add",       "fp64xa_add",
      "load_reuse_", "load_reuse_x", "load_reuse_5000", "store_reuse_99999999999999999999"};
  skeleton::Work work;
  for (std::uint32_t f = 0; f < features.size(); ++f) work.counts.push_back({f, 1e6});
  EXPECT_EQ(fit(features, work, 1, speeds).unexplained, fit({}, {}, 1, speeds).unexplained);
}

std::string with_speeds() {
  std::string kernels;
  for (const char* name : skel_kernel_name) kernels += (kernels.empty() ? "" : ", ") + std::string(name) + " 1e6 0.01";
  std::string names, counts;  // of a second of `logic`
  for (const auto& [name, times] : features_of_kernel(SKEL_LOGIC)) {
    names += (names.empty() ? "" : ", ") + std::string(name);
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", name, 1e3 * times);
  }
  return "skeleton 1\nranks 2\nmachine register 1e9 kernels (" + kernels + ")\nfeatures " + names + "\nwork 1 (" +
         counts +
         ")\nprogram {\nMPI_Init()\ncompute 1 ms work 1\n"
         "MPI_Barrier(comm=MPI_COMM_WORLD)\ncompute 1 ms\nMPI_Finalize()\n}\n";
}

TEST(FitWorks, CountsComputationWithoutWorkAsNotExplained) {
  auto skeleton = text::parse(with_speeds(), "program");
  fit_works(skeleton);
  ASSERT_TRUE(skeleton.fitted);
  ASSERT_EQ(skeleton.works[0].shares.size(), std::size_t{SKEL_KERNELS});
  EXPECT_NEAR(skeleton.works[0].shares[SKEL_LOGIC], 1, 1e-6);
  EXPECT_THAT(skeleton.works[0].unexplained, DoubleNear(0, 1e-6));
  EXPECT_THAT(skeleton.fitted->unexplained, DoubleNear(0.5, 1e-6));
  EXPECT_EQ(skeleton.fitted->cause, "computation that was not profiled");
}

TEST(FitWorks, NeedsTheSpeedsOfTheKernels) {
  auto skeleton = text::parse(with_speeds(), "program");
  skeleton.locations[1].kernel_speeds.clear();
  fit_works(skeleton);
  EXPECT_FALSE(skeleton.fitted);
  EXPECT_TRUE(skeleton.works[0].shares.empty());
}

}  // namespace
}  // namespace skelgen::work
