#include "skeleton/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace skelgen::skeleton {
namespace {

struct Unit {
  double seconds;
  const char* name;
};
constexpr std::array<Unit, 4> kUnits{{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};

const Unit& unit_for(double value) {
  for (const Unit& unit : kUnits)
    if (value >= unit.seconds * 0.99995) return unit;
  return value > 0 ? kUnits.back() : kUnits.front();
}

std::string slot(const char* letter, std::int64_t value) {
  return value < 0 ? std::string("null") : fmt::format("{}{}", letter, value);
}

std::string buffer(std::int64_t value) {
  if (value == mpi::kNullBuffer) return "null";
  if (value == mpi::kInPlace) return "in_place";
  const std::int64_t place = mpi::slot_of(value), offset = mpi::offset_of(value);
  return offset == 0 ? fmt::format("b{}", place) : fmt::format("b{}+{}", place, offset);
}

std::string rank(std::int64_t value) {
  if (value == mpi::kProcNull) return "null";
  if (value == mpi::kAnySource) return "any";
  if (value == mpi::kRoot) return "root";
  return std::to_string(value);
}

std::string name(const Skeleton& skeleton, const char* letter, std::int64_t v) {
  if (v >= mpi::kMade) return slot(letter, v - mpi::kMade);
  if (v < 0 || v >= static_cast<std::int64_t>(skeleton.names.size())) return "null";
  return skeleton.names[static_cast<std::size_t>(v)];
}

std::string element(const Skeleton& skeleton, mpi::Role role, std::int64_t v) {
  if (role == mpi::Role::requests) return slot("r", v);
  if (role == mpi::Role::datatypes) return name(skeleton, "t", v);
  return std::to_string(v);
}

}  // namespace

std::string ranges(std::span<const std::uint32_t> numbers) {
  std::string line;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    const std::uint32_t step = end < numbers.size() ? numbers[end] - numbers[i] : 0;
    while (end < numbers.size() && numbers[end] - numbers[end - 1] == step) ++end;
    if (step > 1 && end - i < 4) end = i + 1;  // 0,2,5 reads better than 0..2/2,5
    if (!line.empty()) line += ',';
    line += std::to_string(numbers[i]);
    if (end - i >= 2) line += fmt::format("{}{}", end - i == 2 ? "," : "..", numbers[end - 1]);
    if (end - i >= 2 && step > 1) line += fmt::format("/{}", step);
    i = end;
  }
  return line;
}

std::string seconds(double value) {
  const Unit& unit = unit_for(value);
  return fmt::format("{:.4g} {}", value / unit.seconds, unit.name);
}

std::string seconds(std::span<const double> values) {
  const Unit& unit = unit_for(*std::max_element(values.begin(), values.end()));
  std::vector<std::pair<std::string, std::size_t>> groups;
  for (const double v : values) {
    std::string number = fmt::format("{:.4g}", v / unit.seconds);
    if (groups.empty() || groups.back().first != number) groups.emplace_back(std::move(number), 0);
    ++groups.back().second;
  }
  if (groups.size() == 1) return groups[0].first + " " + unit.name;
  std::string list;
  for (const auto& [number, times] : groups) {
    if (!list.empty()) list += ", ";
    list += number;
    if (times > 1) list += fmt::format(" x {}", times);
  }
  return fmt::format("{{{}}} {}", list, unit.name);
}

std::string text(const RankRule& rule) {
  const std::string shifted = rule.c == 0 ? "rank" : fmt::format("rank{:+}", rule.c);
  switch (rule.kind) {
    case RankRule::Kind::constant:
      return std::to_string(rule.c);
    case RankRule::Kind::plus:
      return shifted;
    case RankRule::Kind::plus_mod:
      return fmt::format("({})%size", shifted);
    case RankRule::Kind::exclusive_or:
      break;
  }
  return fmt::format("rank^{}", rule.c);
}

std::string value(const Skeleton& skeleton, const mpi::Parameter& parameter, std::int64_t v) {
  if (is_array(parameter.role)) {
    if (v < 0 || v >= static_cast<std::int64_t>(skeleton.arrays.size())) return fmt::format("#{}", v);
    const auto& array = skeleton.arrays[static_cast<std::size_t>(v)];
    if (array.size() > 8) return fmt::format("#{}", v);
    std::string list;
    for (const std::int64_t x : array)
      list += fmt::format("{}{}", list.empty() ? "" : ", ", element(skeleton, parameter.role, x));
    return fmt::format("({})", list);
  }
  switch (parameter.role) {
    case mpi::Role::buffer:
      return buffer(v);
    case mpi::Role::datatype:
      return name(skeleton, "t", v);
    case mpi::Role::op:
      return name(skeleton, "o", v);
    case mpi::Role::newtype:
      return slot("t", v);
    case mpi::Role::newop:
      return slot("o", v);
    case mpi::Role::peer:
    case mpi::Role::root:
      return rank(v);
    case mpi::Role::tag:
      return v == mpi::kAnyTag ? "any" : std::to_string(v);
    case mpi::Role::comm:
    case mpi::Role::newcomm:
      return v == 0 ? "world" : v == 1 ? "self" : slot("c", v);
    case mpi::Role::group:
    case mpi::Role::newgroup:
      return slot("g", v);
    case mpi::Role::request:
      return slot("r", v);
    case mpi::Role::win:
      return slot("w", v);
    case mpi::Role::file:
      return slot("f", v);
    case mpi::Role::message:
      return v == mpi::kNoProcMessage ? "none" : slot("m", v);
    case mpi::Role::index:
    case mpi::Role::color:
      return v == mpi::kUndefined ? "undefined" : std::to_string(v);
    default:
      return std::to_string(v);
  }
}

}  // namespace skelgen::skeleton
