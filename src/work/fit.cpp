#include "work/fit.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "skel_kernel_names.h"
#include "work/follower.h"
#include "work/nnls.h"
#include "work/passes.h"
#include "work/profile.h"

namespace skelgen::work {
namespace {

using namespace std::string_view_literals;

#include "work/kernel_features.inc"

/// Rows of the fit, in which the kernels and the program are compared: classes of operations, and misses of caches of three sizes.
enum Row : std::size_t {
  kInstructions,
  kInteger,
  kMultiply,
  kDivide,
  kVector,
  kConvert,
  kFpAdd,
  kFpMul,
  kFpDivide,
  kFpSqrt,
  kFma,
  kFpOther,
  kPacked,
  kLoads,
  kStores,
  kBranches,
  kTaken,
  kParts,
  kPath,
  kFirstMiss
};
/// Between the kernels' footprints, so that none is near the edge.
constexpr double kCaches[] = {64 << 10, 768 << 10, 8 << 20};
constexpr std::size_t kRows = kFirstMiss + 2 * std::size(kCaches);
using Rows = std::array<double, kRows>;

/// Adds a feature to the rows that it is part of; one that no profile has is part of none. Operations on more than 128 bits count as several, those of fewer
/// than two numbers as scalars.
void add(Rows& rows, std::string_view name, double times) {
  static constexpr std::pair<std::string_view, Row> kSimple[] = {{"instructions", kInstructions},
                                                                 {"integer", kInteger},
                                                                 {"multiply", kMultiply},
                                                                 {"divide", kDivide},
                                                                 {"vector", kVector},
                                                                 {"convert", kConvert},
                                                                 {"fp_other", kFpOther},
                                                                 {"loads", kLoads},
                                                                 {"stores", kStores},
                                                                 {"branches", kBranches},
                                                                 {"taken", kTaken},
                                                                 {"parts", kParts},
                                                                 {"path", kPath}};
  for (const auto& [feature, row] : kSimple)
    if (name == feature) rows[row] += times;
  if ((name.starts_with("fp32x") || name.starts_with("fp64x")) && name.size() > 7 && name[5] > '0' && name[5] <= '9') {
    const double lanes = name[5] - '0', bits = (name[2] == '6' ? 64 : 32) * lanes;
    const auto kind = name.substr(7);
    const double operations = std::max(1.0, bits / 128) * times;
    if (kind == "div" || kind == "sqrt") {
      rows[kind == "div" ? kFpDivide : kFpSqrt] += lanes * times;
    } else if (kind == "fma") {
      rows[kFma] += operations;
    } else if (lanes > 1) {
      rows[kPacked] += operations;
    } else {
      rows[kind == "mul" ? kFpMul : kFpAdd] += times;
    }
  }
  for (const std::size_t store : {0, 1}) {
    const auto prefix = store ? "store_reuse_"sv : "load_reuse_"sv;
    if (!name.starts_with(prefix)) continue;
    std::uint32_t bucket = 0;
    const auto digits = name.substr(prefix.size());
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bucket);
    if (error != std::errc() || end != digits.data() + digits.size() || bucket > kNeverTouched) continue;
    const auto low = static_cast<double>(reuse_distance(bucket)),
               high = static_cast<double>(reuse_distance(bucket + 1));
    for (std::size_t c = 0; c < std::size(kCaches); ++c) {
      const double lines = kCaches[c] / 64;
      const double missed = bucket == kNeverTouched ? 1 : std::clamp((high - lines) / (high - low), 0.0, 1.0);
      rows[kFirstMiss + 2 * c + store] += missed * times;
    }
  }
}

const std::array<Rows, SKEL_KERNELS>& rows_of_kernels() {
  static const auto all = [] {
    std::array<Rows, SKEL_KERNELS> rows{};
    for (std::size_t k = 0; k < SKEL_KERNELS; ++k)
      for (const auto& [name, times] : features_of_kernel(k)) add(rows[k], name, times);
    return rows;
  }();
  return all;
}

/// A store that misses, to a load: processors buffer it, and go on.
constexpr double kBuffered = 0.3;
/// Cost of an operation or miss of each row, roughly, in simple instructions of today's processors.
constexpr double kCost[] = {1,
                            1,
                            2,
                            20,
                            1,
                            2,
                            1,
                            1,
                            10,
                            15,
                            2,
                            20,
                            1,
                            1,
                            1,
                            1,
                            1,
                            1,
                            .5,
                            15,
                            15 * kBuffered,
                            60,
                            60 * kBuffered,
                            500,
                            500 * kBuffered};
static_assert(std::size(kCost) == kRows);

/// By row what a difference of 1 weighs: relative to the row, as far as that costs more than a small part of all.
Rows weights(const Rows& wanted) {
  constexpr double kLarge = 0.05;
  Rows weight{};
  for (std::size_t row = 0; row < kRows; ++row)
    if (const double least = kLarge * wanted[kInstructions] / kCost[row]; least > 0)
      weight[row] = 1 / std::max(wanted[row], least);
  for (std::size_t c = 0; c < std::size(kCaches); ++c) weight[kFirstMiss + 2 * c + 1] *= kBuffered;
  return weight;
}

constexpr const char* kRowNames[] = {"instructions",
                                     "operations on integers",
                                     "multiplications of integers",
                                     "divisions of integers",
                                     "operations on vectors of integers",
                                     "conversions",
                                     "additions of floating point",
                                     "multiplications of floating point",
                                     "divisions of floating point",
                                     "square roots",
                                     "multiplications and additions in one",
                                     "other functions of floating point",
                                     "operations on vectors of floating point",
                                     "loads",
                                     "stores",
                                     "branches",
                                     "branches taken",
                                     "writes of parts of vectors",
                                     "chains of dependent operations",
                                     "misses of a cache of 64 KiB",
                                     "misses of a cache of 768 KiB",
                                     "misses of a cache of 8 MiB"};

/// Sets what is not explained: the share of waiting, and of the rest of the time the share of all operations, accesses
/// and misses, by what they cost, that is missing or too much.
void explain(const Rows& wanted, const Rows& got, Fit& fit) {
  double all = 0, different = 0, most = -1;
  for (std::size_t row = kInteger; row < kRows; ++row) {
    if (row == kPath) continue;  // a chain takes time only where nothing else goes on beside it
    const double own = kCost[row] * std::abs(got[row] - wanted[row]);
    all += kCost[row] * wanted[row];
    different += own;
    if (own > most) most = own, fit.cause = kRowNames[row < kFirstMiss ? row : kFirstMiss + (row - kFirstMiss) / 2];
  }
  different = all > 0 ? std::min(1.0, different / all) : 0;
  const double waiting = fit.shares[SKEL_WAIT];
  if (waiting > (1 - waiting) * different)
    fit.cause = "time in which the traced processor did none of what was counted";
  fit.unexplained = waiting + (1 - waiting) * different;
}

}  // namespace

std::span<const KernelFeature> features_of_kernel(std::size_t kernel) { return kKernelFeatures.at(kernel); }

Fit fit(std::span<const std::string> features, const skeleton::Work& work, double seconds,
        std::span<const double> speeds) {
  Rows wanted{};
  for (const auto& [feature, times] : work.counts) add(wanted, features[feature], times);
  // Traces from before square roots were measured: they count as divisions.
  if (speeds[SKEL_FP_SQRT] <= 0) wanted[kFpDivide] += std::exchange(wanted[kFpSqrt], 0);
  const Rows weight = weights(wanted);
  // The sum of the shares is 1, as good as exactly. Waiting has no features and so is always possible: it costs as much as
  // a small difference, so that kernels which wait for what was counted, as for misses, come before it.
  constexpr double kExact = 1e4, kWaiting = 0.03;
  std::vector<std::vector<double>> columns;
  for (std::size_t k = 0; k < SKEL_KERNELS; ++k) {
    auto& column = columns.emplace_back();
    for (std::size_t row = 0; row < kRows; ++row)
      column.push_back(weight[row] * rows_of_kernels()[k][row] * speeds[k] * seconds);
    column.push_back(k == SKEL_WAIT ? kWaiting : 0);
    column.push_back(speeds[k] > 0 ? kExact : 0);  // one that was not measured takes no part
  }
  std::vector<double> b;
  for (std::size_t row = 0; row < kRows; ++row) b.push_back(weight[row] * wanted[row]);
  b.push_back(0);
  b.push_back(kExact);
  Fit result{non_negative_least_squares(columns, b), {}, 0};
  constexpr double kLeast = 0.0001;
  double sum = 0;
  for (double& share : result.shares) sum += share < kLeast ? share = 0 : share;
  if (sum <= 0) result.shares[SKEL_INTEGER] = sum = 1;
  Rows got{};
  for (std::size_t k = 0; k < SKEL_KERNELS; ++k) {
    result.shares[k] /= sum;
    for (std::size_t row = 0; row < kRows; ++row)
      got[row] += result.shares[k] * rows_of_kernels()[k][row] * speeds[k] * seconds;
  }
  explain(wanted, got, result);
  return result;
}

namespace {

/// Over the places and locations of a work.
struct OfWork {
  double count = 0, mean_s = 0, total_s = 0;  // sums
  std::vector<double> speeds = std::vector<double>(SKEL_KERNELS, 0.0);
};

template <class Visit>
void visit_places(const skeleton::Block& block, std::uint32_t& number, const Visit& visit) {
  for (const skeleton::Node& node : block) {
    const std::uint32_t own = number++;
    visit(node.before, node.where, before(own));
    if (!node.is_loop()) continue;
    visit(node.loop().between, node.where, between(own));
    visit_places(node.loop().body, number, visit);
  }
}

}  // namespace

void fit_works(skeleton::Skeleton& skeleton) {
  skeleton.fitted.reset();
  for (auto& work : skeleton.works) work.shares.clear();
  if (skeleton.works.empty() ||
      std::ranges::any_of(skeleton.locations, [](const auto& l) { return l.kernel_speeds.size() != SKEL_KERNELS; }))
    return;
  std::vector<std::vector<Passes>> passes;  // by location and place
  for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l) passes.push_back(passes_by_place(skeleton, l));
  std::vector<OfWork> all(skeleton.works.size());
  std::uint32_t number = 0;
  visit_places(skeleton.program, number, [&](const skeleton::Compute& compute, const auto& where, Place place) {
    for (std::size_t p = 0; p < compute.work.size(); ++p) {
      if (compute.work[p] == 0 || compute.mean_s[p] <= 0) continue;
      OfWork& own = all[compute.work[p] - 1];
      own.count += 1;
      own.mean_s += compute.mean_s[p];
      own.total_s += passes[where[p]][place].seconds;
      const auto& speeds = skeleton.locations[where[p]].kernel_speeds;
      for (std::size_t k = 0; k < SKEL_KERNELS; ++k) own.speeds[k] += speeds[k];
    }
  });
  double explained_s = 0, known_s = 0, all_s = 0;
  skeleton::FittedWork mean{std::vector<double>(SKEL_KERNELS, 0.0), 0, {}};
  std::map<std::string, double> causes;  // seconds
  for (const auto& of : passes)
    for (const auto& place : of) all_s += place.seconds;
  for (std::size_t w = 0; w < all.size(); ++w) {
    OfWork& own = all[w];
    if (own.count == 0) continue;
    for (double& speed : own.speeds) speed /= own.count;
    auto found = fit(skeleton.features, skeleton.works[w], own.mean_s / own.count, own.speeds);
    for (std::size_t k = 0; k < SKEL_KERNELS; ++k) mean.shares[k] += own.total_s * found.shares[k];
    known_s += own.total_s;
    skeleton.works[w].shares = std::move(found.shares);
    skeleton.works[w].unexplained = found.unexplained;
    explained_s += own.total_s * (1 - found.unexplained);
    causes[found.cause] += own.total_s * found.unexplained;
  }
  if (known_s <= 0) return;
  for (double& share : mean.shares) share /= known_s;
  mean.unexplained = std::clamp(1 - explained_s / all_s, 0.0, 1.0);
  causes["computation that was not profiled"] += all_s - known_s;
  mean.cause = std::ranges::max_element(causes, {}, [](const auto& cause) { return cause.second; })->first;
  skeleton.fitted = std::move(mean);
}

}  // namespace skelgen::work
