#pragma once
// Folds a string that is not in memory.

#include <memory>
#include <span>

#include "fold/fold.h"

namespace skelgen::fold {

/// The largest symbol that a stream takes.
inline constexpr Symbol kLargestStreamed = (Symbol{1} << 31) - 1;

/// Folds symbols as they arrive (docs/fold.md): sixteen or more copies of a body of up to 256 symbols are collapsed
/// at once, loops in loops too; what is left is folded in mode best, 2^23 symbols at a time. A loop
/// over more than that is put together again, unless its body is as long. O(n log n) time; memory does not grow with what
/// is collapsed: besides the result, 20 bytes per symbol that is left, of 2^24 at most, and its runs.
class Stream {
 public:
  /// block: symbols that are folded at a time, of what is left; the last time up to twice as many.
  explicit Stream(std::size_t block = std::size_t{1} << 23);
  Stream(Stream&&) noexcept;
  ~Stream();

  /// Throws Error{invalid_argument} on a symbol above kLargestStreamed.
  void push(std::span<const Symbol> symbols);
  void push(Symbol symbol) { push(std::span(&symbol, 1)); }
  /// Everything that was pushed.
  Program finish() &&;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace skelgen::fold
