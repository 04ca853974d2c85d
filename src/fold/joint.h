#pragma once
// Programs of several texts that share one nest of loops.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fold/fold.h"

namespace skelgen::fold {

/// A program for each text, of loops whose trips vary, most of them 0 or 1: what stands where in the texts is in these
/// lists, not in the order of statements. So texts that repeat themselves everywhere, but seldom twice in a row, become
/// short: each symbol stands in few places, and all programs have the same loops, but for those that a text never enters.
/// What stands in a text once only, within 64 symbols of its ends and in the first or last quarter, stays in front of the loops or behind them.
/// Found by rewriting all texts at once, step by step: symbols that always follow each other become one, as do a
/// symbol's copies in a row, and two symbols of which the one or the other may be missing; whichever removes most symbols
/// for the fewest numbers in lists. Where this leaves more than `many_statements` of a text, once more with fewer statements
/// for more numbers. O(symbols that a step changes + different pairs) for each step, steps some times the different symbols;
/// 20 bytes a symbol and 8 a number. There are no more steps once they have looked at `most_work` symbols and pairs of symbols.
struct Joint {
  /// By text. Nothing if the texts have more than 512 different symbols, or more than 2^24 symbols together.
  std::optional<std::vector<Program>> programs;
  bool stopped = false;  ///< further steps might have made them shorter
};
inline constexpr std::uint64_t kMostJointWork = std::uint64_t{1} << 33;  ///< some ten seconds
inline constexpr std::size_t kManyStatements = 4096;
Joint fold_jointly(std::span<const std::vector<Symbol>> texts, std::uint64_t most_work = kMostJointWork,
                   std::size_t many_statements = kManyStatements);

}  // namespace skelgen::fold
