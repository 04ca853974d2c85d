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

/// Nothing where a time is 0.
std::optional<double> speed_up(const AtRanks& first, const AtRanks& point) {
  if (!(point.all.predicted_s > 0)) return {};
  return first.all.predicted_s / point.all.predicted_s;
}

std::optional<double> efficiency(const AtRanks& first, const AtRanks& point) {
  const auto times = speed_up(first, point);
  if (!times) return {};
  return *times * ranks_of(first) / ranks_of(point);
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
    const auto known = [](std::optional<double> value) { return value ? Json(*value) : Json(); };
    all.push_back({{"ranks", point.all.origin.ranks},
                   {"speed_up", known(speed_up(points[0], point))},
                   {"efficiency", known(efficiency(points[0], point))},
                   {"computation", known(computation(points[0], point))}});
  }
  return all;
}

void print_scaling(std::ostream& out, std::span<const AtRanks> points) {
  const AtRanks& first = points[0];
  const auto percent = [](std::optional<double> share) { return share ? format_percent(*share) : std::string("-"); };
  Table times(
      {"ranks", "predicted", "from", "to", "speed-up", "efficiency", "computation", "load balance", "communication"});
  for (const AtRanks& point : points) {
    const auto& interval = point.all.interval;
    const auto faster = speed_up(first, point);
    times.add({fmt::format("{}", point.all.origin.ranks), format_seconds(point.all.predicted_s),
               interval ? format_seconds(interval->low) : "-", interval ? format_seconds(interval->high) : "-",
               faster ? fmt::format("{:.4g}", *faster) : "-", percent(efficiency(first, point)),
               percent(computation(first, point)), percent(measured(point, "load_balance")),
               percent(measured(point, "communication"))});
  }
  times.print(out);
  out << fmt::format("(speed-up, efficiency and computation in relation to {} ranks)\n", first.all.origin.ranks);
  for (const AtRanks& point : points)
    if (point.all.too_uncertain())
      out << fmt::format("{} ranks: too uncertain to use: the upper end is {:.2g} times the lower one\n",
                         point.all.origin.ranks, point.all.interval->high / point.all.interval->low);

  std::vector<std::string> names, firsts;
  bool alike = true;
  for (const AtRanks& point : points) {
    std::vector<std::string> own;
    for (const auto& phase : point.all.phases) {
      if (std::ranges::find(own, phase.name) == own.end()) own.push_back(phase.name);
      if (std::ranges::find(names, phase.name) == names.end()) names.push_back(phase.name);
    }
    if (firsts.empty()) firsts = own;
    alike = alike && own == firsts;
  }
  std::ranges::stable_sort(names, std::greater{}, [&](const std::string& name) {
    return phase_time(points.back(), name).value_or(0) - phase_time(first, name).value_or(0);
  });
  std::vector<std::string> header{"phase, time of all ranks"};
  for (const AtRanks& point : points) header.push_back(fmt::format("{} ranks", point.all.origin.ranks));
  Table phases(std::move(header));
  for (const std::string& name : names) {
    std::vector<std::string> row{name};
    for (const AtRanks& point : points) {
      const auto seconds = phase_time(point, name);
      row.push_back(seconds ? format_seconds(*seconds) : "-");
    }
    phases.add(std::move(row));
  }
  out << '\n';
  phases.print(out);
  if (!alike)
    out << "(other loops are cut at other numbers of ranks: phases of the same name may be different loops)\n";
}

}  // namespace skelgen::cli
