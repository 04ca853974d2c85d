#include "network/fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/error.h"
#include "support/median.h"

namespace skelgen::network {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kLeastError = 1e-6;  // relative; clocks and printed digits are no better

/// Of sample i: (measured - fitted) / measured.
std::vector<double> residuals(std::span<const Sample> samples, const Line& line) {
  std::vector<double> result;
  for (const auto& [bytes, seconds] : samples) result.push_back((seconds - line.at(bytes)) / seconds);
  return result;
}

/// Weighted least squares of relative residuals; the slope is 0 where it would be negative.
Line weighted(std::span<const Sample> samples, std::span<const double> weights) {
  double w = 0, x = 0, y = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double weight = weights[i] / (samples[i].seconds * samples[i].seconds);
    w += weight, x += weight * samples[i].bytes, y += weight * samples[i].seconds;
  }
  x /= w, y /= w;
  double xx = 0, xy = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double weight = weights[i] / (samples[i].seconds * samples[i].seconds), from_mean = samples[i].bytes - x;
    xx += weight * from_mean * from_mean, xy += weight * from_mean * (samples[i].seconds - y);
  }
  Line line{samples.front().bytes, samples.back().bytes, y, 0};
  if (xx > 0 && xy > 0) line.s_per_byte = xy / xx, line.t0_s = y - line.s_per_byte * x;
  return line;
}

/// The line of least absolute relative residuals, by iteratively reweighted least squares.
Line least_absolute(std::span<const Sample> samples) {
  std::vector<double> weights(samples.size(), 1);
  Line line = weighted(samples, weights);
  for (int round = 0; round < 20; ++round) {
    const auto far = residuals(samples, line);
    std::ranges::transform(far, weights.begin(), [](double r) { return 1 / std::max(std::abs(r), kLeastError); });
    line = weighted(samples, weights);
  }
  return line;
}

double absolute(std::span<const Sample> samples, const Line& line) {
  double sum = 0;
  for (const double r : residuals(samples, line)) sum += std::max(std::abs(r), kLeastError);
  return sum;
}

/// cost[from][count]: absolute residuals of `count` samples from `from` on by a line of their own.
std::vector<std::vector<double>> costs_of(std::span<const Sample> samples) {
  const std::size_t n = samples.size();
  std::vector<std::vector<double>> cost(n, std::vector<double>(n + 1, kInfinite));
  for (std::size_t from = 0; from < n; ++from)
    for (std::size_t count = kFewestInRange; from + count <= n; ++count) {
      const auto range = samples.subspan(from, count);
      cost[from][count] = absolute(range, least_absolute(range));
    }
  return cost;
}

/// Where ranges begin, 0 first, so that the residuals of so many ranges are least; that sum in `least`.
std::vector<std::size_t> borders(const std::vector<std::vector<double>>& cost, std::size_t ranges, double& least) {
  const std::size_t n = cost.size();
  std::vector<double> sum(n + 1, kInfinite);  // of the first so many samples in r ranges
  std::vector<std::vector<std::size_t>> begin(ranges, std::vector<std::size_t>(n + 1));
  sum[0] = 0;
  for (std::size_t r = 0; r < ranges; ++r) {
    std::vector<double> next(n + 1, kInfinite);
    for (std::size_t end = 1; end <= n; ++end)
      for (std::size_t from = 0; from < end; ++from)
        if (sum[from] + cost[from][end - from] < next[end])
          next[end] = sum[from] + cost[from][end - from], begin[r][end] = from;
    sum = next;
  }
  least = sum[n];
  std::vector<std::size_t> result(ranges);
  for (std::size_t r = ranges, end = n; r-- > 0; end = result[r]) result[r] = begin[r][end];
  return result;
}

}  // namespace

Line fit_line(std::span<const Sample> samples) {
  Line line = least_absolute(samples);
  std::vector<double> weights(samples.size());
  for (int round = 0; round < 30; ++round) {
    auto far = residuals(samples, line);
    for (double& r : far) r = std::abs(r);
    const double scale = 4.7 * std::max(upper_median(far), kLeastError);
    std::ranges::transform(far, weights.begin(), [&](double r) {
      const double share = r / scale;
      return share < 1 ? (1 - share * share) * (1 - share * share) : 0;
    });
    const Line next = weighted(samples, weights);
    const bool steady = std::abs(next.t0_s - line.t0_s) <= 1e-12 * std::abs(line.t0_s) &&
                        std::abs(next.s_per_byte - line.s_per_byte) <= 1e-12 * line.s_per_byte;
    line = next;
    if (steady) break;
  }
  return line;
}

Fit fit(std::span<const Sample> samples, std::size_t most) {
  const std::size_t n = samples.size();
  if (n < 2 || samples.front().bytes == samples.back().bytes)
    throw Error(Code::invalid_argument, "a line needs times at two message lengths");
  Fit result;
  result.all = fit_line(samples);
  std::vector<std::size_t> begins{0};
  if (n >= 2 * kFewestInRange) {
    const auto cost = costs_of(samples);
    double best = kInfinite;
    for (std::size_t ranges = 1; ranges <= std::min(most, n / kFewestInRange); ++ranges) {
      double sum = 0;
      const auto found = borders(cost, ranges, sum);
      const auto points =
          static_cast<double>(n);  // -2 log likelihood of Laplace's distribution, and the parameters' price
      const double criterion = 2 * points * std::log(sum / points) + 6 * static_cast<double>(ranges) * std::log(points);
      if (criterion < best) best = criterion, begins = found;
    }
  }
  for (std::size_t r = 0; r < begins.size(); ++r) {
    const std::size_t end = r + 1 < begins.size() ? begins[r + 1] : n;
    result.lines.push_back(fit_line(samples.subspan(begins[r], end - begins[r])));
  }
  std::vector<double> far;
  double mean = 0, explained = 0, whole = 0;
  for (const auto& sample : samples) mean += std::log(sample.seconds) / static_cast<double>(n);
  for (const auto& sample : samples) {
    const double fitted = std::max(result.at(sample.bytes), kLeastError * sample.seconds);
    far.push_back(std::abs(sample.seconds - fitted) / sample.seconds);
    explained += std::pow(std::log(sample.seconds / fitted), 2);
    whole += std::pow(std::log(sample.seconds) - mean, 2);
  }
  result.r2 = whole > 0 ? 1 - explained / whole : 1;
  result.residual = upper_median(std::move(far));
  return result;
}

double Fit::at(double bytes) const {
  // Between two ranges the border is in the middle.
  auto is = lines.begin();
  while (is + 1 != lines.end() && bytes > (is->to + (is + 1)->from) / 2) ++is;
  return std::max(0.0, is->at(bytes));
}

}  // namespace skelgen::network
