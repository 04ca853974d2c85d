#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "report/model.h"
#include "report/sentences.h"

namespace skelgen::report {
namespace {

constexpr char kDigits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
constexpr int kMost = 63;

/// A digit for each share of the cell's time, whose sum is that of all of them as well as 63 steps can say it.
std::string digits(const Spent& spent, double whole_s) {
  std::string text;
  double sum = 0;
  int said = 0;
  for (const double seconds : spent) {
    sum += whole_s > 0 ? std::max(0.0, seconds) / whole_s : 0;
    const int until = std::clamp(static_cast<int>(std::lround(std::min(1.0, sum) * kMost)), said, kMost);
    text += kDigits[until - said];
    said = until;
  }
  return text;
}

/// The cells of a row: kSpendings digits each; "*" and a digit n: n more like the one before.
std::string cells(const Timeline& timeline, std::size_t row) {
  const double whole_s = timeline.column_s() * static_cast<double>(timeline.rows().size(row));
  std::string text, before;
  int repeated = 0;
  const auto tell = [&] {
    if (repeated > 0) text += {'*', kDigits[repeated]};
    repeated = 0;
  };
  for (std::size_t column = 0; column < timeline.columns(); ++column) {
    auto cell = digits(timeline.cell(row, column), whole_s);
    if (cell == before && repeated < kMost) {
      ++repeated;
      continue;
    }
    tell();
    if (cell == before) {
      repeated = 1;
      continue;
    }
    text += cell;
    before = std::move(cell);
  }
  tell();
  return text;
}

/// [row, column, value, ...] of those that are not 0.
Json sparse(const std::vector<double>& matrix, std::size_t size, int significant_digits) {
  Json list = Json::array();
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    if (!(matrix[i] > 0)) continue;
    const double step = std::pow(10.0, std::floor(std::log10(matrix[i])) - (significant_digits - 1));
    const double value = std::round(matrix[i] / step) * step;
    list.push_back(i / size);
    list.push_back(i % size);
    value == std::floor(value) && value < 1e15
        ? list.push_back(static_cast<std::uint64_t>(value))
        : list.push_back(std::stod(fmt::format("{:.{}g}", value, significant_digits)));
  }
  return list;
}

}  // namespace

Json pictures(const Report& report) {
  const Timeline& timeline = *report.timeline;
  Json json;
  json["kinds"] = Json::array();
  for (std::size_t what = 0; what < kSpendings; ++what) json["kinds"].push_back(name_of(static_cast<Spending>(what)));
  json["column_s"] = timeline.column_s();
  json["columns"] = timeline.columns();
  json["unit"] = unit_of(timeline.rows());
  json["rows"] = Json::array();
  for (std::size_t row = 0; row < timeline.rows().count(); ++row)
    json["rows"].push_back(
        {{"name", timeline.rows().name(row)}, {"size", timeline.rows().size(row)}, {"cells", cells(timeline, row)}});
  Json lines = Json::array();
  for (const Flows::Line& line : timeline.flows().lines())
    for (const auto value :
         {line.from, line.to, line.sent, line.received - std::min(line.received, line.sent), line.messages})
      lines.push_back(value);
  json["flows"] = {
      {"column_s", timeline.flows().column_s()}, {"row_step", timeline.flows().row_step()}, {"lines", lines}};
  const Pairs& pairs = timeline.pairs();
  const std::size_t size = pairs.groups.count();
  Json names = Json::array();
  for (std::size_t group = 0; group < size; ++group) names.push_back(pairs.groups.name(group));
  json["pairs"] = {{"names", names},
                   {"messages", sparse(pairs.messages, size, 15)},
                   {"bytes", report.bytes ? sparse(*report.bytes, size, 15) : Json()},
                   {"waited", sparse(pairs.waited_s, size, 4)}};
  return json;
}

}  // namespace skelgen::report
