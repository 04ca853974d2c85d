#include "generalize/growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "support/error.h"

namespace skelgen::generalize {
namespace {

constexpr double kNoise = 3e-4;  // of squared errors: what is off by less than 1 % fits as well

double shape(double power, int logarithm, double ranks) {
  return std::pow(ranks, power) * (logarithm ? std::log2(ranks) : 1);
}

/// The c that makes the sum of squared relative errors least, without the point of this number.
double factor(std::span<const std::pair<std::uint32_t, double>> points, double power, int logarithm,
              std::size_t without) {
  // Relative to what is measured: minimize sum (c s / t - 1)^2.
  double numerator = 0, denominator = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& [ranks, seconds] = points[i];
    if (i == without || seconds <= 0) continue;
    const double ratio = shape(power, logarithm, ranks) / seconds;
    numerator += ratio;
    denominator += ratio * ratio;
  }
  return denominator > 0 ? numerator / denominator : 0;
}

}  // namespace

double Growth::at(std::uint32_t ranks) const { return seconds * shape(power, logarithm, ranks); }

FittedGrowth fit_growth(std::span<const std::pair<std::uint32_t, double>> points) {
  struct Power {
    double power, weight;  ///< how much better one must be than p^0 and p^1
  };
  static constexpr std::array<Power, 19> kPowers{{{0, 1},
                                                  {-1, 1},
                                                  {1, 1},
                                                  {-0.5, 2},
                                                  {0.5, 2},
                                                  {-2, 2},
                                                  {2, 2},
                                                  {-1.0 / 3, 4},
                                                  {1.0 / 3, 4},
                                                  {-2.0 / 3, 4},
                                                  {2.0 / 3, 4},
                                                  {-0.25, 6},
                                                  {0.25, 6},
                                                  {-0.75, 6},
                                                  {0.75, 6},
                                                  {-1.5, 4},
                                                  {1.5, 4},
                                                  {-3, 4},
                                                  {3, 6}}};
  constexpr double kLogarithm = 2;  // a factor of log2(p), likewise
  FittedGrowth best;
  double least = std::numeric_limits<double>::infinity();
  for (const int logarithm : {0, 1})
    for (const auto& [power, weight] : kPowers) {
      double sum = 0, largest = 0;
      for (std::size_t i = 0; i < points.size(); ++i) {
        const auto& [ranks, seconds] = points[i];
        if (seconds <= 0) continue;
        const double c = factor(points, power, logarithm, points.size() > 1 ? i : points.size());
        const double error = c * shape(power, logarithm, ranks) / seconds - 1;
        sum += error * error;
        largest = std::max(largest, std::abs(error));
      }
      const double cost = (sum + kNoise) * weight * (logarithm ? kLogarithm : 1);
      if (!(cost < least)) continue;
      least = cost;
      best = {{factor(points, power, logarithm, points.size()), power, logarithm}, largest};
    }
  return best;
}

namespace {

constexpr std::size_t kMostFactors = 64;

double slowest(const RunTimes& run) {
  return std::ranges::max_element(run.seconds, {}, [](auto& t) { return t.second; })->second;
}

Growth growth_of_means(std::span<const RunTimes> runs) {
  std::vector<std::pair<std::uint32_t, double>> points;
  for (const RunTimes& run : runs) points.emplace_back(run.ranks, run.mean());
  return fit_growth(points).growth;
}

std::optional<RankTimes> fit_same(std::span<const RunTimes> runs) { return RankTimes{growth_of_means(runs)}; }

/// Of each run a line through its ranks' times (least squares); then how its begin and its slope grow.
std::optional<RankTimes> fit_by_rank(std::span<const RunTimes> runs) {
  std::vector<std::pair<std::uint32_t, double>> begins, slopes;
  int sign = 0;
  for (const RunTimes& run : runs) {
    const double n = static_cast<double>(run.seconds.size()), middle = run.mean();
    double r = 0, above = 0, below = 0;
    for (const auto& [rank, seconds] : run.seconds) r += rank / n;
    for (const auto& [rank, seconds] : run.seconds) {
      above += (rank - r) * (seconds - middle);
      below += (rank - r) * (rank - r);
    }
    if (!(below > 0)) return {};
    const double slope = above / below, begin = middle - slope * r;
    const int own = slope > 0 ? 1 : -1;
    if (slope == 0 || begin <= 0 || (sign && own != sign)) return {};
    sign = own;
    begins.emplace_back(run.ranks, begin);
    slopes.emplace_back(run.ranks, std::abs(slope));
  }
  RankTimes times{fit_growth(begins).growth, fit_growth(slopes).growth};
  times.by_rank.seconds *= sign;
  return times;
}

/// The mean, spread over the ranks as in the largest run.
std::optional<RankTimes> fit_spread(std::span<const RunTimes> runs) {
  const RunTimes& largest = *std::ranges::max_element(runs, {}, &RunTimes::ranks);
  const double middle = largest.mean();
  const std::size_t n = largest.seconds.size(), factors = std::min(n, kMostFactors);
  if (factors < 2 || !(middle > 0)) return {};
  RankTimes times{growth_of_means(runs)};
  for (std::size_t f = 0; f < factors; ++f) {
    const std::size_t begin = f * n / factors, end = (f + 1) * n / factors;
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += largest.seconds[i].second;
    times.spread.push_back(sum / (middle * static_cast<double>(end - begin)));
  }
  return times;
}

std::vector<double> predicted(const RankTimes& times, const RunTimes& run) {
  std::vector<double> all;
  for (std::size_t i = 0; i < run.seconds.size(); ++i)
    all.push_back(times.at(run.ranks, run.seconds[i].first, i, run.seconds.size()));
  return all;
}

/// Squared: the mean over the ranks, relative to their mean, and that of the slowest.
double error_at(const RankTimes& times, const RunTimes& run) {
  const double middle = run.mean();
  if (!(middle > 0)) return 0;
  const auto said = predicted(times, run);
  double sum = 0;
  for (std::size_t i = 0; i < said.size(); ++i) sum += std::pow((said[i] - run.seconds[i].second) / middle, 2);
  return sum / static_cast<double>(said.size()) + std::pow(std::ranges::max(said) / slowest(run) - 1, 2);
}

/// Of the mean over the ranks: by what factor it is off, less 1.
double error_of_mean(const RankTimes& times, const RunTimes& run) {
  const double middle = run.mean();
  if (!(middle > 0)) return 0;
  double sum = 0;
  for (const double seconds : predicted(times, run)) sum += seconds;
  const double ratio = sum / (middle * static_cast<double>(run.seconds.size()));
  return ratio > 0 ? std::max(ratio, 1 / ratio) - 1 : kMostError;
}

/// By how much the slowest rank is slower than said, where all ranks together are as said.
double uneven_at(const RankTimes& times, const RunTimes& run) {
  const auto said = predicted(times, run);
  double sum = 0;
  for (const double seconds : said) sum += seconds;
  if (!(sum > 0)) return 0;
  const double scale = run.mean() * static_cast<double>(said.size()) / sum;
  return std::max(0.0, slowest(run) / (std::ranges::max(said) * scale) - 1);
}

}  // namespace

double RunTimes::mean() const {
  double sum = 0;
  for (const auto& [rank, time] : seconds) sum += time;
  return sum / static_cast<double>(seconds.size());
}

double RankTimes::at(std::uint32_t ranks, std::uint32_t r, std::size_t i, std::size_t n) const {
  const double even = std::max(0.0, level.at(ranks) + by_rank.at(ranks) * r);
  if (spread.empty()) return even;
  // Where the middle of the i-th of n equal parts lies among the middles of the factors' parts.
  const double last = static_cast<double>(spread.size()) - 1;
  const double x = std::clamp((static_cast<double>(i) + 0.5) / static_cast<double>(n) * (last + 1) - 0.5, 0.0, last);
  const auto before = static_cast<std::size_t>(x);
  const double part = x - static_cast<double>(before);
  return even * (spread[before] * (1 - part) + (part > 0 ? spread[before + 1] * part : 0));
}

FittedTimes fit_times(std::span<const RunTimes> runs) {
  struct Model {
    std::optional<RankTimes> (*fit)(std::span<const RunTimes>);
    double price;
  };
  static constexpr Model kModels[]{{fit_same, 1}, {fit_by_rank, 1.5}, {fit_spread, 2}};
  FittedTimes best;
  best.cost = std::numeric_limits<double>::infinity();
  for (const auto& [fit, price] : kModels) {
    if (fit != fit_same && runs.size() < 2) break;
    const auto whole = fit(runs);
    if (!whole) continue;
    double sum = 0, error = 0;
    bool fits = true;
    for (std::size_t without = 0; without < runs.size() && fits; ++without) {
      std::vector<RunTimes> others;
      for (std::size_t i = 0; i < runs.size(); ++i)
        if (i != without || runs.size() == 1) others.push_back(runs[i]);
      const auto times = fit(others);
      if (times) {
        sum += error_at(*times, runs[without]) / static_cast<double>(runs.size());
        error = std::max(error, error_of_mean(*times, runs[without]));
      }
      fits = times.has_value();
    }
    const double cost = (sum + kNoise) * price;
    if (!fits || !(cost < best.cost)) continue;
    best = {*whole, error, cost, 0};
  }
  for (const RunTimes& run : runs) best.uneven = std::max(best.uneven, uneven_at(best.times, run));
  return best;
}

std::string text(const Growth& growth) {
  std::string text = fmt::format("{:.9g}", growth.seconds);
  if (growth.power != 0) text += growth.power == 1 ? " * p" : fmt::format(" * p^{:.6g}", growth.power);
  if (growth.logarithm) text += " * log2(p)";
  return text;
}

std::string text(const RankTimes& times) {
  std::string all = text(times.level);
  if (times.by_rank.seconds != 0) {
    Growth size = times.by_rank;
    size.seconds = std::abs(size.seconds);
    all += fmt::format(" {} {} * r", times.by_rank.seconds < 0 ? '-' : '+', text(size));
  }
  for (std::size_t f = 0; f < times.spread.size(); ++f)
    all += fmt::format("{}{:.5g}", f == 0 ? " spread (" : ", ", times.spread[f]);
  return all + (times.spread.empty() ? "" : ")");
}

RankTimes parse_times(std::string_view text, const std::string& at) {
  const auto fail = [&] {
    throw Error(Code::corrupt, at, {}, fmt::format("\"{}\" is no time that grows with p", text.substr(0, 60)),
                "write $time(SECONDS), $time(SECONDS * p^A * log2(p)), $time(SECONDS + SECONDS * p^A * r) or "
                "$time(SECONDS spread (0.9, 1.1))");
  };
  std::string_view rest = text;
  const auto skip = [&] {
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  };
  const auto accept = [&](std::string_view word) {
    skip();
    if (!rest.starts_with(word)) return false;
    rest.remove_prefix(word.size());
    return true;
  };
  const auto number = [&] {
    skip();
    double value = 0;
    const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (problem != std::errc() || !std::isfinite(value)) fail();
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return value;
  };
  const auto not_negative = [&] {
    const double value = number();
    if (value < 0) fail();
    return value;
  };
  // SECONDS * p^A * log2(p) [* r]
  const auto growth = [&](bool by_rank) {
    Growth one;
    one.seconds = not_negative();
    bool r = false;
    for (bool first = true; !r && accept("*"); first = false) {
      if (accept("log2(p)") && one.logarithm == 0)
        one.logarithm = 1;
      else if (by_rank && accept("r"))
        r = true;
      else if (first && accept("p"))
        one.power = accept("^") ? number() : 1;
      else
        fail();
    }
    if (r != by_rank) fail();
    return one;
  };
  RankTimes times{growth(false)};
  const bool less = accept("-");
  if (less || accept("+")) times.by_rank = growth(true);
  if (less) times.by_rank.seconds *= -1;
  if (accept("spread")) {
    if (!accept("(")) fail();
    do times.spread.push_back(not_negative());
    while (accept(","));
    if (!accept(")")) fail();
  }
  skip();
  if (!rest.empty()) fail();
  return times;
}

}  // namespace skelgen::generalize
