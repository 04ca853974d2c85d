#include "report/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/sentences.h"
#include "support/format.h"

namespace skelgen::report {
namespace {

/// Numbers of ranks that are shown.
constexpr std::size_t kMostPoints = 64;

std::string percent(const std::optional<double>& share) { return share ? format_percent(*share) : "-"; }
std::string ranks_text(int ranks) { return format_count(static_cast<std::uint64_t>(ranks)); }

/// A line with marks at 1, 2, 5, 10, ... or at powers of ten, from the last one below all values to the first one above.
struct Axis {
  struct Mark {
    double value, log;
  };
  std::vector<Mark> marks;  ///< two or more
  Axis(double low, double high) {
    const double decades = std::log10(high / low);
    const int step = std::max(1, static_cast<int>(std::ceil(decades / 6)));
    const std::vector<int> digits = decades <= 2.5 ? std::vector{1, 2, 5} : std::vector{1};
    for (int exponent = static_cast<int>(std::floor(std::log10(low))) - 1;; exponent += step)
      for (const int digit : digits) {
        const double value = digit * std::pow(10.0, exponent);
        if (value <= low) marks.clear();
        marks.push_back({value, std::log10(value)});
        if (value >= high && marks.size() > 1) return;
      }
  }
  /// From the upper end, in percent.
  std::string at(double value) const {
    const auto& [first, last] = std::pair(marks.front().log, marks.back().log);
    return fmt::format("{:.2f}%", 100 * (last - std::log10(value)) / (last - first));
  }
};

/// Labels of neighbours that would touch on a narrow page are left out; those of the ends are not. x: ascending, in percent.
std::vector<bool> labelled(const std::vector<double>& x, const std::vector<std::string>& labels) {
  const auto apart = [&](std::size_t a, std::size_t b) {
    return x[b] - x[a] >= 2 + 1.3 * static_cast<double>(labels[a].size() + labels[b].size());
  };
  std::vector<bool> shown(x.size());
  const std::size_t last = x.size() - 1;
  std::size_t before = 0;
  for (std::size_t i = 0; i <= last; ++i) {
    shown[i] = i == 0 || i == last || (apart(before, i) && apart(i, last));
    if (shown[i]) before = i;
  }
  return shown;
}

/// Speed-up by number of ranks, both logarithmic. Null where fewer than two are known, or no picture could show them.
Json chart(std::vector<predict::ScalingPoint> points) {
  constexpr double kMostDecades = 30;
  const double first = points.front().ranks;
  std::erase_if(points, [](const auto& point) { return !point.speed_up || !(*point.speed_up > 0); });
  std::ranges::sort(points, {}, &predict::ScalingPoint::ranks);
  if (points.size() < 2) return nullptr;
  const double least = points.front().ranks, most = points.back().ranks;
  double low = std::min(1.0, least / first), high = most / first;
  for (const auto& point : points) {
    const auto [from, to] = point.speed_up_interval.value_or(predict::Interval{*point.speed_up, *point.speed_up});
    low = std::min({low, *point.speed_up, from});
    high = std::max({high, *point.speed_up, to});
  }
  if (!(low > 0) || !(std::log10(high / low) <= kMostDecades)) return nullptr;
  const Axis axis(low, high);
  const auto across = [&](double ranks) { return 4 + 92 * std::log(ranks / least) / std::log(most / least); };
  const auto x = [&](double ranks) { return fmt::format("{:.2f}%", across(ranks)); };

  Json rows = Json::array(), columns = Json::array(), drawn = Json::array(), lines = Json::array();
  for (const auto& mark : axis.marks)
    rows.push_back({{"y", axis.at(mark.value)}, {"label", fmt::format("{:g}", mark.value)}});
  std::vector<double> places;
  std::vector<std::string> labels;
  for (const auto& point : points) {
    places.push_back(across(point.ranks));
    labels.push_back(ranks_text(point.ranks));
  }
  const auto shown = labelled(places, labels);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& point = points[i];
    Json bar;
    if (point.speed_up_interval)
      bar = {{"from", axis.at(point.speed_up_interval->low)}, {"to", axis.at(point.speed_up_interval->high)}};
    columns.push_back({{"x", x(point.ranks)}, {"label", shown[i] ? labels[i] : ""}});
    drawn.push_back({{"x", x(point.ranks)}, {"y", axis.at(*point.speed_up)}, {"bar", bar}});
    if (i > 0)
      lines.push_back({{"x1", x(points[i - 1].ranks)},
                       {"y1", axis.at(*points[i - 1].speed_up)},
                       {"x2", x(point.ranks)},
                       {"y2", axis.at(*point.speed_up)}});
  }
  return {
      {"rows", rows},
      {"columns", columns},
      {"points", drawn},
      {"lines", lines},
      {"ideal", {{"x1", x(least)}, {"y1", axis.at(least / first)}, {"x2", x(most)}, {"y2", axis.at(most / first)}}}};
}

}  // namespace

Json scaling(std::span<const predict::AtRanks> predictions) {
  auto points = predict::scaling_of(predictions);
  const auto phases = predict::scaling_phases_of(predictions);
  const std::size_t shown = std::min(kMostPoints, points.size());
  Json rows = Json::array(), columns = Json::array(), of_phases = Json::array(), uncertain = Json::array();
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [all, parallel, load_balance, communication] = predictions[i];
    const auto& point = points[i];
    columns.push_back(of_ranks(static_cast<std::uint64_t>(point.ranks)));
    if (all.too_uncertain()) uncertain.push_back(columns.back());
    rows.push_back({{"ranks", columns.back()},
                    {"predicted", format_seconds(all.predicted_s)},
                    {"interval", all.interval ? Json(fmt::format("{} to {}", format_seconds(all.interval->low),
                                                                 format_seconds(all.interval->high)))
                                              : Json()},
                    {"speed_up", point.speed_up ? fmt::format("{:.4g}", *point.speed_up) : std::string("-")},
                    {"efficiency", percent(point.efficiency)},
                    {"computation", percent(point.computation)},
                    {"load_balance", percent(load_balance)},
                    {"communication", percent(communication)}});
  }
  for (std::size_t i = 0; i < std::min(kMostPhases, phases.all.size()); ++i) {
    Json cells = Json::array();
    for (std::size_t at = 0; at < shown; ++at) {
      const auto& seconds = phases.all[i].seconds[at];
      cells.push_back({{"ranks", columns[at]}, {"seconds", seconds ? format_seconds(*seconds) : "-"}});
    }
    of_phases.push_back({{"name", phases.all[i].name}, {"cells", cells}});
  }
  const auto left_out = [](std::size_t all, std::size_t most) {
    return all > most ? Json(format_count(all - most)) : Json();
  };
  const auto& first = predictions.front().all;
  points.resize(shown);
  return {{"sentence", how_it_scales(predictions)},
          {"first", of_ranks(static_cast<std::uint64_t>(first.origin.ranks))},
          {"confidence", first.interval ? Json(fmt::format("{:.4g} %", 100 * first.confidence)) : Json()},
          {"chart", chart(points)},
          {"points", rows},
          {"columns", columns},
          {"phases", of_phases},
          {"other_loops", !phases.alike},
          {"uncertain", uncertain},
          {"points_left_out", left_out(predictions.size(), kMostPoints)},
          {"phases_left_out", left_out(phases.all.size(), kMostPhases)}};
}

}  // namespace skelgen::report
