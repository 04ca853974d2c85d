#include "cli/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <ostream>

#include "support/printable.h"

namespace skelgen::cli {

Table::Table(std::vector<std::string> header) { rows_.push_back(std::move(header)); }

void Table::add(std::vector<std::string> row) {
  for (auto& cell : row) cell = printable(cell);
  rows_.push_back(std::move(row));
}

void Table::print(std::ostream& out) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += i == 0 ? fmt::format("{:<{}}", row[i], widths[i]) : fmt::format("  {:>{}}", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }
}

std::vector<std::size_t> largest_rows(std::span<const double> sizes) {
  std::vector<std::size_t> rows(sizes.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (rows.size() <= kLongestTable) return rows;
  std::ranges::stable_sort(rows, std::greater(), [&](std::size_t row) { return sizes[row]; });
  rows.resize(kLongestTable - 1);
  std::ranges::sort(rows);
  return rows;
}

std::string waits_for_nothing(std::uint64_t calls) {
  return fmt::format("{} call{} for something that the trace does not have, measured as if depending on nobody",
                     format_count(calls), calls == 1 ? " waits" : "s wait");
}

}  // namespace skelgen::cli
