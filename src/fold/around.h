#pragma once
// Folds texts whose iterations differ, with loops around what all texts have equally often.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "fold/fold.h"

namespace skelgen::fold {

/// Programs for all texts, folded around symbols that all texts have equally often, the anchors: they are folded by
/// themselves, with what a text has once; what stands before each of them, or behind each, becomes loops whose trips vary,
/// none among them (fold_between, also of the texts read backwards): `awbwcwawcw` -> `5 x { (1 0 0 1 0) x { a } (0 1 0 0 0)
/// x { b } (0 0 1 0 1) x { c } w }`. Anchors are the symbols of the k highest numbers of occurrences, k up to 6, or of the
/// k-th one, k up to 16, before and behind.
class Around {
 public:
  /// Tries all anchors on the first symbols of each text, 2^12 or its share of 2^16: up to 42 times the cost of folding
  /// these, in parallel. The texts must live as long.
  explicit Around(std::span<const std::vector<Symbol>> texts);

  /// A program for each text, with the anchors that cost least on the samples (fold::cost, four times that without a main
  /// loop) of those that were not used yet, and after the first ones only with a main loop in each program. Nothing if
  /// there are none. The cost of folding the texts, in parallel; more where they cannot be folded so.
  std::optional<std::vector<Program>> next();

 private:
  struct Anchors {
    std::set<Symbol> symbols;
    bool backwards = false;  ///< what varies stands behind them
  };
  static std::optional<Program> folded(std::span<const Symbol> text, const std::set<Symbol>& once,
                                       const Anchors& anchors);
  std::vector<Anchors> choices(const std::map<std::uint64_t, std::set<Symbol>, std::greater<>>& common) const;

  std::span<const std::vector<Symbol>> texts_;
  std::vector<std::set<Symbol>> once_;  ///< symbols that each text has once
  std::vector<Anchors> anchors_;        ///< by cost
  std::size_t used_ = 0;
};

}  // namespace skelgen::fold
