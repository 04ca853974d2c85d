#include "cli/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "cli/table.h"
#include "support/format.h"

namespace skelgen::cli {
namespace {

double ranks_of(const AtRanks& point) { return point.all.origin.ranks; }

std::optional<double> measured(const AtRanks& point, const char* name) {
  if (!point.here.is_object() || !point.here.at(name).is_number()) return {};
  return point.here.at(name).get<double>();
}

/// Time that all ranks together compute.
std::optional<double> computed(const AtRanks& point) {
  const auto share = measured(point, "phi1");
  if (!share) return {};
  return *share * point.all.predicted_s * ranks_of(point);
}

double speed_up(const AtRanks& first, const AtRanks& point) { return first.all.predicted_s / point.all.predicted_s; }

double efficiency(const AtRanks& first, const AtRanks& point) {
  return speed_up(first, point) * ranks_of(first) / ranks_of(point);
}

std::optional<double> computation(const AtRanks& first, const AtRanks& point) {
  const auto before = computed(first), now = computed(point);
  if (!before || !now || !(*now > 0)) return {};
  return *before / *now;
}

/// Of all ranks together, by name; nothing where the skeleton has no such phase.
std::optional<double> phase_time(const AtRanks& point, const std::string& name) {
  std::optional<double> seconds;
  for (const auto& phase : point.all.phases)
    if (phase.name == name) seconds = seconds.value_or(0) + phase.weight * phase.seconds * ranks_of(point);
  return seconds;
}

}  // namespace

Json scaling_of(std::span<const AtRanks> points) {
  Json all = Json::array();
  for (const AtRanks& point : points) {
    const auto scalability = computation(points[0], point);
    all.push_back({{"ranks", point.all.origin.ranks},
                   {"speed_up", speed_up(points[0], point)},
                   {"efficiency", efficiency(points[0], point)},
                   {"computation", scalability ? Json(*scalability) : Json()}});
  }
  return all;
}

void print_scaling(std::ostream& out, std::span<const AtRanks> points) {
  const AtRanks& first = points[0];
  const auto percent = [](std::optional<double> share) { return share ? format_percent(*share) : std::string("-"); };
  Table times({"ranks", "predicted", "from s", "to s", "speed-up", "efficiency", "computation", "load balance",
               "communication"});
  for (const AtRanks& point : points) {
    const auto& interval = point.all.interval;
    times.add({fmt::format("{}", point.all.origin.ranks), format_seconds(point.all.predicted_s),
               interval ? fmt::format("{:.4g}", interval->low) : "-",
               interval ? fmt::format("{:.4g}", interval->high) : "-", fmt::format("{:.4g}", speed_up(first, point)),
               percent(efficiency(first, point)), percent(computation(first, point)),
               percent(measured(point, "load_balance")), percent(measured(point, "communication"))});
  }
  times.print(out);
  out << fmt::format("(speed-up, efficiency and computation in relation to {} ranks)\n\n", first.all.origin.ranks);

  std::vector<std::pair<double, std::vector<std::string>>> rows;  // by growth
  for (const auto& phase : first.all.phases) {
    const auto before = phase_time(first, phase.name), last = phase_time(points.back(), phase.name);
    if (std::ranges::any_of(rows, [&](const auto& row) { return row.second[0] == phase.name; }) || !last) continue;
    std::vector<std::string> row{phase.name};
    for (const AtRanks& point : points) {
      const auto seconds = phase_time(point, phase.name);
      row.push_back(seconds ? format_seconds(*seconds) : "-");
    }
    rows.emplace_back(*last - *before, std::move(row));
  }
  std::ranges::stable_sort(rows, std::greater{}, [](const auto& row) { return row.first; });
  std::vector<std::string> header{"phase, time of all ranks"};
  for (const AtRanks& point : points) header.push_back(fmt::format("{} ranks", point.all.origin.ranks));
  Table phases(std::move(header));
  for (auto& [growth, row] : rows) phases.add(std::move(row));
  phases.print(out);
}

}  // namespace skelgen::cli
