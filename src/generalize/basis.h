#pragma once
// The search for exact rules: which expression over the number of ranks, the rank and their coordinates gives these
// whole numbers, and where does this hold?

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "generalize/expression.h"

namespace skelgen::generalize {

/// A row of the search: what the variables were at one place of one traced run (a rank, or an element of a list of a rank),
/// or what they will be at a number of ranks that was not traced. The latter are there to see where rules differ that agree
/// on everything traced.
struct Rows {
  static constexpr std::uint32_t kNotTraced = ~0u;
  Names names;
  std::vector<std::vector<std::int64_t>> variables;  ///< [row][variable]; kUndefined: the variable has no value there
  std::vector<std::uint32_t> run;                    ///< by row: which traced run, kNotTraced
  std::string ratio{};                               ///< a variable that is a ratio of sizes: nothing lies around it
  std::uint32_t guessed = ~0u;                       ///< variables from here on are guesses: a rule with one costs more
};

struct Sample {
  std::uint32_t row;
  std::int64_t value;
};

/// A rule that gives every sample, and no simpler one does (description length: what its numbers, variables and operations
/// cost).
struct Rule {
  Expression expression;
  double cost = 0;
  /// The traced runs without which the search finds the same values for that run, and those without which it finds
  /// others: the rule then rests on this very run.
  std::uint32_t confirmed = 0, contradicted = 0;
  bool weak = false;  ///< its two numbers follow from two values: others would have given two numbers, too
  /// Other rules for the same samples that give another value at some row that was not traced. Each costs little more than
  /// this rule at most; twice that margin holds where the rule was not found again without one of the runs.
  std::vector<Expression> rivals{};
  /// It holds only where this is not 0: elsewhere the samples leave its number open, or a block of n things over p parts, as
  /// ceil(n / p), gives another value.
  std::optional<Expression> needs{};
};

/// Terms over some rows. Costs some 10^5 terms x rows at construction. Answers are kept, with 16 bytes for each sample of each different question; so not
/// for several threads at once.
class Basis {
 public:
  explicit Basis(Rows rows);
  ~Basis();
  Basis(Basis&&) noexcept;
  Basis& operator=(Basis&&) noexcept;

  const Rows& rows() const;
  /// What is known of the values at numbers of ranks that were not traced.
  enum class Known : std::uint8_t {
    nothing,
    sizes,     ///< none is below 0
    ranks,     ///< each is a rank, or below 0
    different  ///< each is a rank, and each rank of a run has another one
  };
  /// Samples of traced rows, not empty. Nothing: there is no rule.
  std::optional<Rule> find(std::span<const Sample> samples, Known known = Known::nothing) const;
  /// A condition that is not 0 exactly for the samples whose value is not 0; some are, some are not.
  std::optional<Rule> condition(std::span<const Sample> samples) const;
  /// A term that tells apart exactly what these labels tell apart within each run: equal for equal labels, different for
  /// different ones.
  std::optional<Rule> partition(std::span<const Sample> labels) const;

 private:
  struct Terms;
  std::unique_ptr<Terms> terms_;
};

}  // namespace skelgen::generalize
