#pragma once
// Folded programs as text.

#include <functional>
#include <string>

#include "fold/fold.h"

namespace skelgen::fold {

inline std::string trips_of(const Node& node) {
  if (node.each.empty()) return std::to_string(node.trips);
  std::string all;
  for (const auto trips : node.each) {
    all += all.empty() ? '(' : ' ';
    all += std::to_string(trips);
  }
  return all + ")";
}

inline void print_into(const Program& program, const std::function<std::string(Symbol)>& name, std::string& out) {
  for (const Node& node : program) {
    if (!out.empty()) out += ' ';
    if (node.is_loop()) {
      out += trips_of(node) + " x {";
      print_into(node.body, name, out);
      out += " }";
    } else {
      out += name(node.symbol);
    }
  }
}

inline std::string letter(Symbol symbol) {
  if (symbol < 26) return std::string(1, static_cast<char>('a' + symbol));
  std::string number = "#";
  number += std::to_string(symbol);
  return number;
}

/// "3 x { a b } c", symbols as `name` has them: a .. z, then #26, #27, ...; varying trips: "2 x { (3 1) x { a } b }"
inline std::string print(const Program& program, const std::function<std::string(Symbol)>& name = letter) {
  std::string text;
  print_into(program, name, text);
  return text;
}

}  // namespace skelgen::fold
