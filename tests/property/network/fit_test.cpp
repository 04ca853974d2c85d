// Planted curves: what netbench would measure on a network of known parameters, with noise and outliers.

#include "network/fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "network/states.h"

namespace skelgen::network {
namespace {

struct Planted {
  double t0, per_byte, rendezvous_t0, rendezvous_per_byte, congestion;
  double border, congested;  // bytes: first length by rendezvous; first length that is congested
  double at(double bytes) const {
    const double seconds = bytes < border ? t0 + per_byte * bytes : rendezvous_t0 + rendezvous_per_byte * bytes;
    return bytes >= congested ? seconds * congestion : seconds;
  }
};

Planted plant(std::mt19937_64& random) {
  const auto between = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution(std::log(low), std::log(high))(random));
  };
  Planted is{};
  is.t0 = between(0.5e-6, 100e-6);
  is.per_byte = is.t0 / between(3000, 12000);
  is.border = std::exp2(std::uniform_int_distribution(13, 16)(random));
  is.rendezvous_t0 = is.t0 * between(3, 6);
  is.rendezvous_per_byte = is.per_byte * between(0.3, 0.6);
  is.congested = std::exp2(std::uniform_int_distribution(21, 22)(random));
  is.congestion = between(1.6, 2.5);
  return is;
}

/// The median of 200 repetitions with 5 % noise, of which one in twenty is disturbed.
double measured(double seconds, std::mt19937_64& random) {
  constexpr std::size_t kRepetitions = 200;
  std::vector<double> times;
  for (std::size_t i = 0; i < kRepetitions; ++i) {
    double time = seconds * (1 + std::normal_distribution(0.0, 0.05)(random));
    if (std::uniform_int_distribution(0, 19)(random) == 0) time *= std::uniform_real_distribution(1.5, 10.0)(random);
    times.push_back(time);
  }
  std::ranges::nth_element(times, times.begin() + kRepetitions / 2);
  return times[kRepetitions / 2];
}

std::vector<double> lengths() {  // of ping-pong
  std::vector<double> result;
  for (double bytes = 1; bytes <= 1 << 24; bytes *= 2) {
    result.push_back(bytes);
    if (bytes >= 2 && bytes < 1 << 24) result.push_back(1.5 * bytes);
  }
  return result;
}

bool near(double value, double planted) { return std::abs(value / planted - 1) <= 0.02; }

TEST(PlantedCurves, ParametersAndBordersAreFound) {
  int parameters = 0, borders = 0;
  constexpr int kCurves = 100;
  for (int seed = 0; seed < kCurves; ++seed) {
    std::mt19937_64 random(static_cast<unsigned>(seed));
    const auto is = plant(random);
    std::vector<Sample> samples;
    for (const double bytes : lengths()) samples.push_back({bytes, measured(is.at(bytes), random)});
    const auto found = fit(samples);
    parameters += found.lines.size() >= 2 && near(found.lines[0].t0_s, is.t0) &&
                  near(found.lines[0].s_per_byte, is.per_byte) && near(found.lines[1].t0_s, is.rendezvous_t0) &&
                  near(found.lines[1].s_per_byte, is.rendezvous_per_byte);

    // Borders as the planted, undisturbed curve has them.
    std::vector<Sample> exact;
    for (const double bytes : lengths()) exact.push_back({bytes, is.at(bytes)});
    const auto truth = states(exact), seen = states(samples);
    const auto steps = [](double a, double b) { return std::abs(std::log2(a / b)); };
    borders += steps(truth.ideal_from, seen.ideal_from) <= 1 &&
               truth.congested_from.has_value() == seen.congested_from.has_value() &&
               (!truth.congested_from || steps(*truth.congested_from, *seen.congested_from) <= 1);
  }
  EXPECT_GE(parameters, 95) << "of 100 curves";
  EXPECT_GE(borders, 95) << "of 100 curves";
}

}  // namespace
}  // namespace skelgen::network
