#include "cli/than.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/table.h"

namespace skelgen::cli {
namespace {

namespace fs = std::filesystem;
using predict::kParts;
using predict::NamedPart;
using predict::Parts;

/// People see so many ranks and lines of changes at most.
constexpr std::size_t kListed = 8;

/// Less is what rounding left.
constexpr double kNothing_s = 1e-10;

std::string with_sign(double seconds) {
  if (std::abs(seconds) < kNothing_s) return "0";
  return (seconds < 0 ? "-" : "+") + format_seconds(std::abs(seconds));
}

Json json_of(const Parts& parts) {
  Json json;
  for (const auto& part : kParts) json[std::string(part.name) + "_s"] = parts.*part.seconds;
  json["difference_s"] = parts.total();
  return json;
}

std::vector<std::string> header(std::string of) {
  std::vector<std::string> names{std::move(of)};
  for (const auto& part : kParts) names.emplace_back(part.name);
  names.emplace_back("difference");
  return names;
}

std::vector<std::string> row_of(std::string name, const Parts& parts) {
  std::vector<std::string> row{std::move(name)};
  for (const auto& part : kParts) row.push_back(with_sign(parts.*part.seconds));
  row.push_back(with_sign(parts.total()));
  return row;
}

/// The parts that matter, as shares of the difference; in seconds where they cancel.
std::string causes(const Parts& all) {
  const auto [parts, cancel] = predict::causes_of(all);
  std::string text;
  for (const auto& part : parts) {
    const double seconds = all.*part.seconds;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", part.name,
                        cancel ? with_sign(seconds) : fmt::format("{:.1f} %", 100 * seconds / all.total()));
  }
  return text;
}

/// Elements that changed alike are one line.
void print(std::ostream& out, const std::vector<network::PlatformChange>& changes) {
  struct Alike {
    const network::PlatformChange* first;
    std::size_t elements;
  };
  std::vector<Alike> lines;
  for (const auto& change : changes) {
    const auto known = std::ranges::find_if(lines, [&](const Alike& line) {
      return line.first->attribute == change.attribute && line.first->before == change.before &&
             line.first->after == change.after;
    });
    if (known != lines.end())
      ++known->elements;
    else
      lines.push_back({&change, 1});
  }
  for (std::size_t i = 0; i < std::min(kListed, lines.size()); ++i) {
    const auto& [first, elements] = lines[i];
    out << fmt::format("{}{} of {}{}: {} -> {}\n", i ? "            " : "changed     ", first->attribute,
                       first->element, elements > 1 ? fmt::format(" and {} more", elements - 1) : "", first->before,
                       first->after);
  }
  if (lines.size() > kListed) out << fmt::format("            and {} more\n", lines.size() - kListed);
}

}  // namespace

void require_than(const Than& than, const Simulated& simulated) {
  if (simulated.platform.empty())
    throw Error(Code::usage, "--than is for --platform", "name the platform on which the program is slower");
  if (!than.platform.empty()) require_simulated({than.platform, simulated.hostfile});
}

Platforms platforms_of(const Than& than, const Simulated& simulated) {
  const auto& before = than.platform.empty() ? simulated.platform : than.platform;
  const auto& after = simulated.platform;
  if (network::is_platform_text(before) && network::is_platform_text(after)) {
    const auto from = network::platform_of(before), to = network::platform_of(after);
    const auto like_to = network::in_subnets_of(to, from), like_from = network::in_subnets_of(from, to);
    const auto written = [](const network::Platform& platform) {
      return WrittenPlatform{network::xml_of(platform), network::host_names(platform)};
    };
    const auto old = written(like_to), now = written(like_from);
    return {old, now, network::PlatformPair(old.xml, now.xml), network::changes(like_to, like_from)};
  }
  const auto old = read_platform(before), now = read_platform(after);
  const network::PlatformPair pair(old.xml, now.xml);
  return {old, now, pair, pair.changes()};
}

ThanResult split_difference(const Platforms& platforms, const std::vector<std::string>& line, bool other_program,
                            const RunOn& run, const predict::SkeletonRun& after, const fs::path& scratch) {
  const auto& pair = platforms.pair;
  const network::Factors differ = pair.differ() | (other_program ? network::kComputation : 0);
  std::map<network::Factors, predict::SkeletonRun> launched{{differ, after}};
  std::array<const predict::SkeletonRun*, 8> runs{};
  for (network::Factors factors = 0; factors < runs.size(); ++factors) {
    const network::Factors changed = factors & differ;
    auto found = launched.find(changed);
    if (found == launched.end()) {
      const auto file = (scratch / fmt::format("platform-{}.xml", changed)).string();
      std::ofstream(file) << pair.xml(changed);
      auto there = line;
      if (const auto option = std::ranges::find(there, "-platform"); option != there.end()) *std::next(option) = file;
      found = launched.emplace(changed, run((changed & network::kComputation) || !other_program, there)).first;
    }
    runs[factors] = &found->second;
  }
  return {predict::split(runs), platforms.changes};
}

Json json_of(const ThanResult& result, const Than& than) {
  const auto& split = result.split;
  const auto name = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  Json json{{"platform", name(than.platform)}, {"program", name(than.program)}, {"predicted_s", split.before_s},
            {"parts", json_of(split.all)},     {"phases", Json::array()},       {"ranks", Json::array()},
            {"changes", Json::array()}};
  for (const auto& phase : split.phases) {
    json["phases"].push_back({{"name", phase.name}});
    json["phases"].back().update(json_of(phase.parts));
  }
  for (std::size_t rank = 0; rank < split.ranks.size(); ++rank) {
    json["ranks"].push_back({{"rank", rank}});
    json["ranks"].back().update(json_of(split.ranks[rank]));
  }
  for (const auto& change : result.changes)
    json["changes"].push_back({{"element", change.element},
                               {"attribute", change.attribute},
                               {"than", change.before},
                               {"here", change.after}});
  return json;
}

void print(std::ostream& out, const ThanResult& result, const Than& than) {
  const auto& split = result.split;
  const double difference = split.after_s - split.before_s;
  out << fmt::format("\n{} by    {} ({:+.1f} %) than {}, {}\n", difference < 0 ? "faster" : "slower",
                     format_seconds(std::abs(difference)), 100 * difference / split.before_s,
                     predict::named_place(than.program, than.platform), format_seconds(split.before_s));
  if (std::abs(difference) > kNothing_s) out << "because of  " << causes(split.all) << '\n';
  print(out, result.changes);
  out << '\n';
  Table phases(header("phase"));
  for (const auto& phase : split.phases)
    if (std::ranges::any_of(kParts,
                            [&](const NamedPart& part) { return std::abs(phase.parts.*part.seconds) > kNothing_s; }))
      phases.add(row_of(phase.name, phase.parts));
  phases.add(row_of("all", split.all));
  phases.print(out);
  std::vector<std::size_t> order(split.ranks.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) order[rank] = rank;
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t r) { return std::abs(split.ranks[r].imbalance); });
  order.resize(std::min(kListed, order.size()));
  out << '\n';
  Table ranks(header("rank"));
  for (const auto rank : order) ranks.add(row_of(std::to_string(rank), split.ranks[rank]));
  ranks.print(out);
}

}  // namespace skelgen::cli
