#include "cli/scaling.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "cli/table.h"
#include "support/format.h"

namespace skelgen::cli {

Json scaling_json(std::span<const predict::ScalingPoint> points) {
  Json all = Json::array();
  const auto known = [](std::optional<double> value) { return value ? Json(*value) : Json(); };
  for (const auto& point : points)
    all.push_back({{"ranks", point.ranks},
                   {"speed_up", known(point.speed_up)},
                   {"efficiency", known(point.efficiency)},
                   {"computation", known(point.computation)}});
  return all;
}

void print_scaling(std::ostream& out, std::span<const predict::AtRanks> predictions) {
  const auto percent = [](std::optional<double> share) { return share ? format_percent(*share) : std::string("-"); };
  const auto points = predict::scaling_of(predictions);
  Table times(
      {"ranks", "predicted", "from", "to", "speed-up", "efficiency", "computation", "load balance", "communication"});
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& all = predictions[i].all;
    const auto& point = points[i];
    times.add({fmt::format("{}", point.ranks), format_seconds(all.predicted_s),
               all.interval ? format_seconds(all.interval->low) : "-",
               all.interval ? format_seconds(all.interval->high) : "-",
               point.speed_up ? fmt::format("{:.4g}", *point.speed_up) : "-", percent(point.efficiency),
               percent(point.computation), percent(predictions[i].load_balance),
               percent(predictions[i].communication)});
  }
  times.print(out);
  out << fmt::format("(speed-up, efficiency and computation in relation to {} ranks)\n", points.front().ranks);
  for (const auto& [all, parallel, load_balance, communication] : predictions)
    if (all.too_uncertain())
      out << fmt::format("{} ranks: too uncertain to use: the upper end is {:.2g} times the lower one\n",
                         all.origin.ranks, all.interval->high / all.interval->low);

  const auto phases = predict::scaling_phases_of(predictions);
  std::vector<std::string> header{"phase, time of all ranks"};
  for (const auto& point : points) header.push_back(fmt::format("{} ranks", point.ranks));
  Table table(std::move(header));
  const auto add = [&](std::string name, std::span<const std::optional<double>> of_each) {
    std::vector<std::string> row{std::move(name)};
    for (const auto& seconds : of_each) row.push_back(seconds ? format_seconds(*seconds) : "-");
    table.add(std::move(row));
  };
  const std::size_t shown = phases.all.size() > kLongestTable ? kLongestTable - 1 : phases.all.size();
  for (std::size_t i = 0; i < shown; ++i) add(phases.all[i].name, phases.all[i].seconds);
  if (shown < phases.all.size()) {
    std::vector<std::optional<double>> others(points.size());
    for (std::size_t i = shown; i < phases.all.size(); ++i)
      for (std::size_t p = 0; p < points.size(); ++p)
        if (const auto& seconds = phases.all[i].seconds[p]) others[p] = others[p].value_or(0) + *seconds;
    add(fmt::format("{} others", phases.all.size() - shown), others);
  }
  out << '\n';
  table.print(out);
  if (!phases.alike)
    out << "(other loops are cut at other numbers of ranks: phases of the same name may be different loops)\n";
}

}  // namespace skelgen::cli
