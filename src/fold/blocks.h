#pragma once
// Stretches of a text that are symbols for a while, and what forms weigh. Internal to src/fold.

#include <cstdint>
#include <span>
#include <vector>

#include "fold/fold.h"

namespace skelgen::fold {

/// What a symbol stands for: a head, which may be empty, and a body some times in a row.
struct Block {
  std::vector<Symbol> head, body;    // may have symbols of earlier blocks
  std::vector<std::uint64_t> trips;  // at each place where the symbol stands, in order
};

/// What a text becomes when stretches of it are blocks.
struct Text {
  std::vector<Symbol> symbols;
  std::vector<Block> blocks;
  Symbol first = 0;  // symbol of blocks[0]; others follow
  bool is_block(Symbol s) const { return s >= first && s - first < blocks.size(); }
};

/// Every stretch of the body, also one that stands alone, becomes one symbol.
Text collapse(const Text& text, const std::vector<Symbol>& body);

/// Loops in the place of the text's blocks in `program`, which is a form of text.symbols.
Program unfolded(const Text& text, const Program& program);

/// Symbols of the folded form, and what its lists of trips weigh: one symbol if the list is constant or arithmetic, else
/// one and a sixteenth of its period.
std::size_t weight(std::span<const Node> form);
/// The same, but lists within what other lists repeat weigh four times as much: steps that are made of others, each
/// time of another number, are hard to see and seldom what was meant.
std::size_t strain(std::span<const Node> form);

}  // namespace skelgen::fold
