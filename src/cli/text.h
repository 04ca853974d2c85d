#pragma once
// Tables for people.

#include <iosfwd>
#include <string>
#include <vector>

#include "support/format.h"

namespace skelgen::cli {

/// Rows of cells; the first column is left-aligned, the others right-aligned, two blanks between.
class Table {
 public:
  explicit Table(std::vector<std::string> header);
  void add(std::vector<std::string> row);
  void print(std::ostream& out) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace skelgen::cli
