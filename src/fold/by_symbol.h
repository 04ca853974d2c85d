#pragma once
// What is known of each symbol. Internal to src/fold.

#include <algorithm>
#include <map>
#include <vector>

#include "fold/fold.h"

namespace skelgen::fold {

/// A value for every symbol, T() until it is set: in a vector for the first `dense` symbols from `least` on, in a map for
/// others.
template <typename T>
class BySymbol {
 public:
  BySymbol(Symbol least, std::size_t dense) : least_(least), near_(dense) {}

  T& operator[](Symbol symbol) { return symbol - least_ < near_.size() ? near_[symbol - least_] : far_[symbol]; }

  /// visit(symbol, value), by symbol.
  template <typename Visit>
  void each(Visit visit) const {
    for (std::size_t i = 0; i < near_.size(); ++i) visit(least_ + static_cast<Symbol>(i), near_[i]);
    for (const auto& [symbol, value] : far_) visit(symbol, value);
  }

 private:
  Symbol least_;
  std::vector<T> near_;
  std::map<Symbol, T> far_;
};

}  // namespace skelgen::fold
