#include "network/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "support/format.h"

namespace skelgen::network {
namespace {

std::vector<Curve> curves_of(const std::vector<Point>& points) {
  std::vector<Curve> curves;
  for (const auto& point : points) {
    if (point.pattern == "pair" || point.pattern == "leap") continue;
    auto is = std::ranges::find_if(
        curves, [&](const Curve& c) { return c.pattern == point.pattern && c.ranks == point.ranks; });
    if (is == curves.end()) is = curves.insert(is, {point.pattern, point.ranks, {}, {}, {}});
    is->samples.push_back({static_cast<double>(point.bytes), point.seconds});
  }
  std::erase_if(curves, [](const Curve& curve) { return curve.samples.size() < 2; });
  return curves;
}

/// The time of the shortest message: overheads and gaps hardly depend on the length of short ones.
std::optional<double> shortest(const std::vector<Curve>& curves, std::string_view pattern) {
  const auto is = std::ranges::find(curves, pattern, &Curve::pattern);
  return is == curves.end() ? std::nullopt : std::optional(is->samples.front().seconds);
}

std::optional<LogGP> loggp_of(const std::vector<Curve>& curves) {
  const auto pingpong = std::ranges::find(curves, "pingpong", &Curve::pattern);
  const auto send = shortest(curves, "send overhead"), receive = shortest(curves, "receive overhead"),
             gap = shortest(curves, "burst");
  if (pingpong == curves.end() || !send || !receive || !gap) return {};
  const double short_s = pingpong->fit.at(pingpong->samples.front().bytes);
  return LogGP{std::max(0.0, short_s - *send - *receive), *send, *receive, *gap, pingpong->fit.lines.back().s_per_byte};
}

}  // namespace

Model model_of(const Points& points) {
  Model model{curves_of(points.points), {}};
  for (auto& curve : model.curves) {
    std::ranges::sort(curve.samples, {}, &Sample::bytes);
    curve.fit = fit(curve.samples);
    curve.states = states(curve.samples);
  }
  model.loggp = loggp_of(model.curves);
  return model;
}

std::string misfit(const Model& model) {
  const auto worst = std::ranges::max_element(model.curves, {}, [](const Curve& curve) { return curve.fit.residual; });
  if (worst == model.curves.end() || worst->fit.residual <= kMostResidual) {
    const auto negative = [](const Curve& curve) { return curve.pattern == "pingpong" && curve.fit.all.t0_s < 0; };
    return std::ranges::any_of(model.curves, negative)
               ? "the line through all ping-pong times has a negative start-up time"
               : "";
  }
  return fmt::format("the lines miss the times of {} on {} ranks by {} (median)", worst->pattern, worst->ranks,
                     format_percent(worst->fit.residual));
}

}  // namespace skelgen::network
