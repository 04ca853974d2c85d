#pragma once
// Long loops with short bodies, collapsed while their symbols arrive. Internal to src/fold; docs/fold.md says how.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "fold/fold.h"

namespace skelgen::fold {

/// Symbols from here on stand for loops.
inline constexpr Symbol kFirstToken = Symbol{1} << 31;
/// Copies of a body that make a loop; those without which it is undone when it ends; those that remain on each side.
inline constexpr std::size_t kCopies = 8, kFewestCopies = 16, kCopiesBeside = 2;
/// The longest body.
inline constexpr std::size_t kLongestBody = 256;

/// Symbols, and tokens of other loops, some times in a row.
struct Token {
  std::vector<Symbol> body;
  std::uint64_t trips;
};

class Tokens {
 public:
  /// The symbol that stands for this loop.
  Symbol of(const std::vector<Symbol>& body, std::uint64_t trips);
  Token operator[](Symbol token) const {
    const Known& known = all_[token - kFirstToken];
    return {bodies_[known.body], known.trips};
  }
  /// 0 for a symbol, 1 for a loop over symbols, 2 for one over such loops, ...
  int level(Symbol symbol) const { return symbol < kFirstToken ? 0 : all_[symbol - kFirstToken].level; }

 private:
  struct Known {
    std::uint32_t body;
    int level;
    std::uint64_t trips;
  };

  std::vector<std::vector<Symbol>> bodies_;
  std::vector<Known> all_;
  // By hash, numbers of bodies and of loops.
  std::unordered_multimap<std::uint64_t, std::uint32_t> body_numbers_, numbers_;
};

/// One pass over a string, and, where it has collapsed anything, another one over what it leaves, and so on: loops in
/// loops. The last one appends to `out`. A body is at most kLongestBody symbols and tokens long, and has four symbols
/// in a row that stand there once. About 5,000 symbols of each pass wait.
class Collapse {
 public:
  Collapse(Tokens& tokens, std::vector<Symbol>& out, int passes = 6);
  void push(std::span<const Symbol> symbols);
  /// Everything that waits goes to `out`.
  void finish();

 private:
  static constexpr std::size_t kWaiting = 10 * kLongestBody;

  void step(Symbol symbol);
  /// Symbols at the end of those that wait that agree with what is `period` before, `most` at most.
  std::size_t agreeing(std::size_t period, std::size_t most) const;
  void open(std::size_t period);
  void close();
  /// Hands on the first `count` symbols that wait.
  void hand_on(std::size_t count);
  void hand_on(std::span<const Symbol> symbols);

  Tokens& tokens_;
  std::vector<Symbol>& out_;
  int passes_;                      // that may follow
  std::unique_ptr<Collapse> next_;  // none before the first token
  std::vector<Symbol> waiting_;
  std::uint64_t first_ = 0;                 // number of waiting_[0]
  std::size_t period_ = 0, matched_ = 0;    // the last `matched_` symbols agree with those `period_` before
  std::uint64_t gram_ = 0;                  // of the last eight symbols
  std::array<std::uint64_t, 4096> seen_{};  // by hash of eight symbols: 1 + number of the last
  std::size_t quiet_ = 0;                   // symbols since the last token, if this is not the first pass
  bool is_first_ = true;
  // In a loop:
  std::vector<Symbol> body_;     // empty: in none
  std::vector<Symbol> pattern_;  // the body, over and over
  std::size_t phase_ = 0;
  std::uint64_t length_ = 0;  // of what was collapsed so far
};

}  // namespace skelgen::fold
