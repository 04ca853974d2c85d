#pragma once
// Tables for people.

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "support/format.h"

namespace skelgen::cli {

/// Rows of cells; the first column is left-aligned, the others right-aligned, two blanks between. What others wrote may
/// stand in them: see printable().
class Table {
 public:
  explicit Table(std::vector<std::string> header);
  void add(std::vector<std::string> row);
  void print(std::ostream& out) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// Rows of the longest table; where there are more, it shows one row less, and one for all others.
inline constexpr std::size_t kLongestTable = 12;
/// Which rows a table shows one by one, ascending: those of the largest `sizes`, which has an element for each row.
std::vector<std::size_t> largest_rows(std::span<const double> sizes);

/// "3 calls wait for something that the trace does not have; ...": metrics::Unmatched::total().
std::string waits_for_nothing(std::uint64_t calls);

}  // namespace skelgen::cli
