#include "text/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <set>

#include "skeleton/groups.h"

namespace skelgen::text {
namespace {

struct Unit {
  int exponent;
  double seconds;
  std::string_view name;
};
constexpr std::array<Unit, 4> kUnits{{{0, 1, "s"}, {-3, 1e-3, "ms"}, {-6, 1e-6, "us"}, {-9, 1e-9, "ns"}}};

const Unit& unit_for(double value) {
  for (const Unit& unit : kUnits)
    if (value >= unit.seconds) return unit;
  return value > 0 ? kUnits.back() : kUnits.front();
}

/// The shortest decimal that is read as this number, times 10^-exponent. Only its point is moved: reading it and moving
/// the point back gives the number again.
template <class Number>
std::string shifted(Number value, int exponent) {
  if (value == 0) return "0";
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  const std::string_view all(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  const auto e = all.find('e');
  std::string digits;
  for (const char c : all.substr(0, e))
    if (c != '.') digits += c;
  int power = 0;
  const auto power_text = all.substr(e + (all[e + 1] == '+' ? 2 : 1));
  std::from_chars(power_text.data(), power_text.data() + power_text.size(), power);
  power -= exponent;
  const auto length = static_cast<int>(digits.size());
  if (power < -5 || power > 20)
    return fmt::format("{}{}{}e{}", digits[0], length > 1 ? "." : "", digits.substr(1), power);
  if (power < 0) return fmt::format("0.{:0>{}}{}", "", -power - 1, digits);
  if (power + 1 >= length) return fmt::format("{}{:0>{}}", digits, "", power + 1 - length);
  const auto point = static_cast<std::size_t>(power) + 1;
  return fmt::format("{}.{}", digits.substr(0, point), digits.substr(point));
}

template <class Number>
std::vector<std::string> all_shifted(std::span<const Number> values, const Unit& unit) {
  std::vector<std::string> items;
  items.reserve(values.size());
  for (const Number value : values) items.push_back(shifted(value, unit.exponent));
  return items;
}

/// A letter and a number, as slots are written.
bool looks_like_slot(std::string_view text) {
  return text.size() > 1 && std::all_of(text.begin() + 1, text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && letter(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

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

std::string runs(std::span<const std::string> items) { return runs(items, std::identity{}); }

std::string seconds(double value) {
  const Unit& unit = unit_for(value);
  return fmt::format("{} {}", shifted(value, unit.exponent), unit.name);
}

std::string seconds(std::span<const double> values) {
  const Unit& unit = unit_for(*std::max_element(values.begin(), values.end()));
  const auto items = all_shifted(values, unit);
  if (std::ranges::all_of(items, [&](const std::string& item) { return item == items[0]; }))
    return fmt::format("{} {}", items[0], unit.name);
  return fmt::format("{{{}}} {}", runs(items), unit.name);
}

std::string list_of_seconds(std::span<const float> values) {
  const Unit& unit = values.empty() ? kUnits[0] : unit_for(*std::max_element(values.begin(), values.end()));
  return fmt::format("({}) {}", runs(all_shifted(values, unit)), unit.name);
}

std::optional<int> unit_exponent(std::string_view unit) {
  for (const Unit& known : kUnits)
    if (known.name == unit) return known.exponent;
  return {};
}

ValueText::ValueText(const Skeleton& skeleton) : skeleton_(skeleton) {
  std::map<std::string_view, int> times;
  for (const std::string& name : skeleton.names) ++times[name];
  for (const std::string& name : skeleton.names)
    named_.push_back(times[name] == 1 && is_identifier(name) && !looks_like_slot(name) && name != "null");
  const auto less = [&](std::size_t a, std::size_t b) { return skeleton.arrays[a] < skeleton.arrays[b]; };
  std::set<std::size_t, decltype(less)> seen(less);
  for (std::size_t id = 0; id < skeleton.arrays.size(); ++id)
    first_.push_back(skeleton.arrays[id].size() <= 8 && seen.insert(id).second);
}

std::string_view ValueText::name(std::int64_t number) const {
  const bool known = number >= 0 && number < std::ssize(named_) && named_[static_cast<std::size_t>(number)];
  return known ? std::string_view(skeleton_.names[static_cast<std::size_t>(number)]) : "";
}

const std::vector<std::int64_t>* ValueText::array(mpi::Role role, std::int64_t number) const {
  if (number < 0 || number >= std::ssize(first_)) return nullptr;
  const auto id = static_cast<std::size_t>(number);
  const bool written = role == mpi::Role::info ? !skeleton_.arrays[id].empty() : first_[id];
  return written ? &skeleton_.arrays[id] : nullptr;
}

}  // namespace skelgen::text
