#pragma once
// Exact rules: whole numbers as expressions of the number of ranks p, the rank r and what is defined from them.
//
//   512 / py    floor(r / px)    r ^ (1 << k)    ceil((1000 - cx) / px)    r > 0 ? r - 1 : MPI_PROC_NULL
//
// An expression has a value or none; it never rounds unless it says so. So a rule that was found where everything divides
// says nothing where something does not.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skelgen::generalize {

enum class Operation : std::uint8_t {
  constant,
  variable,
  negate,
  add,
  subtract,
  multiply,
  divide,          ///< a / b: nothing where b does not divide a
  floor_divide,    ///< floor(a / b)
  ceiling_divide,  ///< ceil(a / b)
  modulo,          ///< a % b, 0 <= result < b; nothing for b < 1
  exclusive_or,    ///< a ^ b of numbers that are not negative
  shift_left,      ///< a << b
  log2,            ///< log2(a): nothing unless a is a power of two
  sqrt,            ///< sqrt(a): nothing unless a is a square
  bits,            ///< bits(a): how many bits of a are 1; nothing for a < 0
  zeros,           ///< zeros(a): how often 2 divides a; nothing for a < 1
  width,           ///< width(a): places that a has in binary, 0 of 0; nothing for a < 0
  dims,   ///< dims(n, d, i): size i of d that MPI_Dims_create gives n ranks (MPI 4.1, 8.5.2): as near as possible
  equal,  ///< comparisons: 1 or 0
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  both,    ///< a && b; b is not looked at where a is 0
  either,  ///< a || b; b is not looked at where a is not 0
  negation,
  choose  ///< a ? b : c
};

/// Values without a number; no operation gives it.
inline constexpr std::int64_t kUndefined = INT64_MIN;

/// The value of an operation with operands; kUndefined: it has none (an operand has none, a division leaves a rest, a
/// number is too large). O(1); dims: O(divisors).
std::int64_t apply(Operation operation, std::int64_t a, std::int64_t b = 0, std::int64_t c = 0);
/// The same for each of many: result[i] of a[i] and b[i]; all have the same size.
void apply(Operation operation, std::span<const std::int64_t> a, std::span<const std::int64_t> b,
           std::span<std::int64_t> result);

struct Expression {
  Operation operation = Operation::constant;
  std::int64_t number = 0;                          ///< of a constant
  std::uint32_t variable = 0;                       ///< index among the names
  std::shared_ptr<const Expression> a{}, b{}, c{};  ///< operands

  /// kUndefined: it has none for these values of the variables.
  std::int64_t at(std::span<const std::int64_t> variables) const;
};

Expression number(std::int64_t value);
Expression named(std::uint32_t index);
Expression operation(Operation operation, Expression a);
Expression operation(Operation operation, Expression a, Expression b);
Expression operation(Operation operation, Expression a, Expression b, Expression c);

/// The same values with fewer operations: numbers of a sum added up, nothing times 1.
Expression simplified(const Expression& expression);

/// Names of variables, by index.
using Names = std::vector<std::string>;

/// As parse() reads it, with as few brackets as are needed to read it without a table of precedences.
std::string text(const Expression& expression, const Names& names);

/// Grammar (docs/generalize.md). at: "FILE:LINE", for errors. Throws Error{corrupt} "AT: what is wrong".
Expression parse(std::string_view text, const Names& names, const std::string& at);
/// The same of the longest expression at the begin of a text; `text` becomes what follows it.
Expression parse_front(std::string_view& text, const Names& names, const std::string& at);

/// Whether one of the variables from `first` to `last` is in it.
bool mentions(const Expression& expression, std::uint32_t first, std::uint32_t last);

/// Why it has no value there: "log2(12): 12 is no power of two". Not to be called where it has one. definitions: what the last ones of the
/// names stand for.
std::string why_undefined(const Expression& expression, std::span<const std::int64_t> variables, const Names& names,
                          std::span<const Expression> definitions = {});

}  // namespace skelgen::generalize
