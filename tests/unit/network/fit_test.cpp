#include "network/fit.h"

#include <gmock/gmock.h>

#include "network/model.h"
#include "network/states.h"
#include "support/error.h"

namespace skelgen::network {
namespace {

std::vector<Sample> line(double t0, double per_byte, double from, double to) {
  std::vector<Sample> samples;
  for (double bytes = from; bytes <= to; bytes *= 2) samples.push_back({bytes, t0 + per_byte * bytes});
  return samples;
}

TEST(Fit, ExactLine) {
  const auto is = fit(line(50e-6, 8e-9, 1, 1 << 24));
  ASSERT_EQ(is.lines.size(), 1u);
  EXPECT_NEAR(is.all.t0_s, 50e-6, 1e-12);
  EXPECT_NEAR(is.all.s_per_byte, 8e-9, 1e-15);
  EXPECT_NEAR(is.r2, 1, 1e-9);
}

TEST(Fit, BorderOfTheRendezvousProtocol) {
  auto samples = line(1e-6, 1e-10, 1, 32768);
  for (const auto& sample : line(5e-6, 0.5e-10, 65536, 1 << 24)) samples.push_back(sample);
  const auto is = fit(samples);
  ASSERT_EQ(is.lines.size(), 2u);
  EXPECT_EQ(is.lines[0].to, 32768);
  EXPECT_NEAR(is.lines[1].t0_s, 5e-6, 1e-8);
  EXPECT_NEAR(is.at(1 << 20), 5e-6 + 0.5e-10 * (1 << 20), 1e-8);
}

TEST(Fit, OneWrongTimeChangesNothing) {
  auto samples = line(50e-6, 8e-9, 1, 1 << 24);
  samples[7].seconds *= 20;
  EXPECT_NEAR(fit(samples).all.t0_s, 50e-6, 1e-9);
}

TEST(Fit, TwoLengthsAreNeeded) {
  EXPECT_THROW(fit({}), Error);
  EXPECT_THROW(fit(std::vector<Sample>{{8, 1e-6}, {8, 2e-6}}), Error);
  EXPECT_EQ(fit(std::vector<Sample>{{8, 1e-6}, {16, 2e-6}}).lines.size(), 1u);
}

TEST(Model, SaysWhichLinesMissTheTimes) {
  Model model{{{"pingpong", 2, {}, {}, {}}, {"ring", 4, {}, {}, {}}}, {}};
  model.curves[1].fit.residual = kMostResidual;
  EXPECT_EQ(misfit(model), "");
  model.curves[1].fit.residual = 0.558;
  EXPECT_EQ(misfit(model), "the lines miss the times of ring on 4 ranks by 55.8 % (median)");
  EXPECT_EQ(misfit({}), "");
  Curve pingpong{.pattern = "pingpong", .ranks = 2};
  pingpong.fit.all = {.t0_s = -1e-5, .s_per_byte = 1e-9};
  EXPECT_EQ(misfit({.curves = {pingpong}}), "the line through all ping-pong times has a negative start-up time");
}

TEST(States, HalfOfTheBestBandwidthIsReachedWhereStartUpTakesAsLong) {
  const auto is = states(line(72e-6, 0.067e-6, 1, 1 << 24));  // n_1/2 = 1,075 bytes
  EXPECT_EQ(is.ideal_from, 2048);
  EXPECT_FALSE(is.congested_from);
}

TEST(States, BandwidthThatFallsAgainIsCongestion) {
  auto samples = line(10e-6, 1e-8, 1, 1 << 20);
  for (auto& sample : samples)
    if (sample.bytes >= 65536) sample.seconds *= 1.6;
  EXPECT_EQ(states(samples).congested_from, 65536);
}

}  // namespace
}  // namespace skelgen::network
