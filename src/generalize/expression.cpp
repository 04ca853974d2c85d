#include "generalize/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <functional>
#include <optional>
#include <utility>

#include "support/error.h"

namespace skelgen::generalize {
namespace {

using enum Operation;

constexpr std::int64_t kLargest = std::int64_t{1} << 62;

std::int64_t bounded(__int128 value) {
  return value > kLargest || value < -kLargest ? kUndefined : static_cast<std::int64_t>(value);
}

std::int64_t floor_of(std::int64_t a, std::int64_t b) {
  if (b == 0) return kUndefined;
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::int64_t root_of(std::int64_t a) {
  if (a < 0) return kUndefined;
  std::int64_t low = 0, high = std::min<std::int64_t>(a, 3'037'000'499);
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (middle * middle <= a)
      low = middle;
    else
      high = middle - 1;
  }
  return low * low == a ? low : kUndefined;
}

/// Of the factorizations of n into d numbers, descending, the one whose largest is least, then the next largest.
bool balanced(std::int64_t n, std::int64_t d, std::int64_t most, std::vector<std::int64_t>& best) {
  if (d == 1) {
    if (n > most) return false;
    best.push_back(n);
    return true;
  }
  // The largest factor is at least the d-th root.
  for (std::int64_t first = 1; first <= std::min(n, most); ++first) {
    if (n % first != 0) continue;
    __int128 power = 1;
    for (std::int64_t i = 0; i < d && power < n; ++i) power *= first;
    if (power < n) continue;
    best.push_back(first);
    if (balanced(n / first, d - 1, first, best)) return true;
    best.pop_back();
  }
  return false;
}

std::int64_t dims_of(std::int64_t n, std::int64_t d, std::int64_t i) {
  constexpr std::int64_t kMostDimensions = 4, kMostRanks = std::int64_t{1} << 24;
  if (n < 1 || n > kMostRanks || d < 1 || d > kMostDimensions || i < 0 || i >= d) return kUndefined;
  std::vector<std::int64_t> best;
  return balanced(n, d, n, best) ? best[static_cast<std::size_t>(i)] : kUndefined;
}

struct Sign {
  std::string_view text;
  Operation operation;
  int precedence;
};
// Two characters before one. & and | alone are none.
constexpr std::array<Sign, 15> kSigns{{{"||", either, 1},
                                       {"&&", both, 2},
                                       {"==", equal, 3},
                                       {"!=", not_equal, 3},
                                       {"<<", shift_left, 5},
                                       {"<=", less_equal, 3},
                                       {">=", greater_equal, 3},
                                       {"<", less, 3},
                                       {">", greater, 3},
                                       {"^", exclusive_or, 4},
                                       {"+", add, 6},
                                       {"-", subtract, 6},
                                       {"*", multiply, 7},
                                       {"/", divide, 7},
                                       {"%", modulo, 7}}};
constexpr int kChoice = 0, kUnary = 8, kPrimary = 9;

const Sign* sign_of(Operation operation) {
  const auto* const found = std::ranges::find(kSigns, operation, &Sign::operation);
  return found == kSigns.end() ? nullptr : found;
}

int precedence_of(const Expression& e) {
  if (const Sign* const sign = sign_of(e.operation)) return sign->precedence;
  if (e.operation == choose) return kChoice;
  if (e.operation == negate || e.operation == negation || (e.operation == constant && e.number < 0)) return kUnary;
  return kPrimary;
}

/// Values that have a name in every role that ranks choose: peers, colors.
constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> kWords{
    {{"MPI_PROC_NULL", -1}, {"MPI_ANY_SOURCE", -2}, {"MPI_ROOT", -3}, {"MPI_UNDEFINED", -32766}}};

struct Printed {
  const Names& names;

  std::string operand(const Expression& e, int least, bool mixes) const {
    const int own = precedence_of(e);
    const bool brackets = own < least || (mixes && own < kUnary);
    return brackets ? "(" + text(e) + ")" : text(e);
  }

  std::string text(const Expression& e) const {
    switch (e.operation) {
      case constant:
        return std::to_string(e.number);
      case variable:
        return names[e.variable];
      case negate:
        return "-" + operand(*e.a, kUnary, false);
      case negation:
        return "!" + operand(*e.a, kUnary, false);
      case floor_divide:
        return fmt::format("floor({} / {})", operand(*e.a, 7, false), operand(*e.b, kUnary, false));
      case ceiling_divide:
        return fmt::format("ceil({} / {})", operand(*e.a, 7, false), operand(*e.b, kUnary, false));
      case Operation::log2:
        return fmt::format("log2({})", text(*e.a));
      case Operation::sqrt:
        return fmt::format("sqrt({})", text(*e.a));
      case bits:
        return fmt::format("bits({})", text(*e.a));
      case zeros:
        return fmt::format("zeros({})", text(*e.a));
      case width:
        return fmt::format("width({})", text(*e.a));
      case dims:
        return fmt::format("dims({}, {}, {})", text(*e.a), text(*e.b), text(*e.c));
      case choose:
        return fmt::format("{} ? {} : {}", operand(*e.a, 1, false), operand(*e.b, 1, false), operand(*e.c, 0, false));
      default:
        break;
    }
    const Sign& sign = *sign_of(e.operation);
    // Few know how these bind.
    const bool mixes = e.operation == exclusive_or || e.operation == shift_left || e.operation == modulo;
    return fmt::format("{} {} {}", operand(*e.a, sign.precedence, mixes), sign.text,
                       operand(*e.b, sign.precedence + 1, mixes));
  }
};

class Parser {
 public:
  Parser(std::string_view text, const Names& names, const std::string& at) : text_(text), names_(names), at_(at) {}

  Expression choice() {
    if (++depth_ > kDeepest) fail("too many brackets in each other");
    Expression condition = binary(1);
    if (accept("?")) {
      Expression first = choice();
      if (!accept(":")) fail("\":\" is missing");
      Expression second = choice();
      condition = operation(choose, std::move(condition), std::move(first), std::move(second));
    }
    --depth_;
    return condition;
  }

  void expect_end() {
    skip();
    if (next_ < text_.size()) fail("something stands behind the expression");
  }
  std::string_view rest() const { return text_.substr(next_); }

 private:
  static constexpr int kDeepest = 200;

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Code::corrupt, at_, {}, fmt::format("\"{}\": {}", text_.substr(0, 80), what),
                "see docs/generalize.md for expressions");
  }

  void skip() {
    while (next_ < text_.size() && (text_[next_] == ' ' || text_[next_] == '\t')) ++next_;
  }
  bool accept(std::string_view sign) {
    skip();
    if (!text_.substr(next_).starts_with(sign)) return false;
    next_ += sign.size();
    return true;
  }

  Expression binary(int least) {
    Expression left = unary();
    for (;;) {
      skip();
      const auto* const sign =
          std::ranges::find_if(kSigns, [&](const Sign& one) { return text_.substr(next_).starts_with(one.text); });
      if (sign == kSigns.end() || sign->precedence < least) return left;
      next_ += sign->text.size();
      left = operation(sign->operation, std::move(left), binary(sign->precedence + 1));
    }
  }

  Expression unary() {
    if (++depth_ > kDeepest) fail("too many signs in each other");
    skip();
    Expression result;
    const bool unequal = text_.substr(next_).starts_with("!=");
    if (!unequal && accept("!"))
      result = operation(negation, unary());
    else if (accept("-"))
      result = minus(unary());
    else
      result = primary();
    --depth_;
    return result;
  }

  static Expression minus(Expression e) {
    if (e.operation == constant && e.number > 0) return generalize::number(-e.number);
    return operation(negate, std::move(e));
  }

  static bool digit(char c) { return c >= '0' && c <= '9'; }
  static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

  Expression primary() {
    if (accept("(")) {
      Expression inside = choice();
      if (!accept(")")) fail("\")\" is missing");
      return inside;
    }
    skip();
    if (next_ < text_.size() && digit(text_[next_])) {
      std::int64_t number = 0;
      const auto [end, problem] = std::from_chars(text_.data() + next_, text_.data() + text_.size(), number);
      if (problem != std::errc() || number > kLargest) fail("a number is too large");
      next_ = static_cast<std::size_t>(end - text_.data());
      return generalize::number(number);
    }
    std::size_t end = next_;
    while (end < text_.size() && (letter(text_[end]) || (end > next_ && digit(text_[end])))) ++end;
    const auto name = text_.substr(next_, end - next_);
    if (name.empty()) fail("a number or a name is missing");
    next_ = end;
    if (accept("(")) return function(name);
    if (const auto known = std::ranges::find(names_, name); known != names_.end())
      return generalize::named(static_cast<std::uint32_t>(known - names_.begin()));
    for (const auto& [word, value] : kWords)
      if (word == name) return generalize::number(value);
    fail(fmt::format("{} is not defined here; known are {}", name, fmt::join(names_, ", ")));
  }

  Expression function(std::string_view name) {
    std::vector<Expression> arguments;
    do arguments.push_back(choice());
    while (accept(","));
    if (!accept(")")) fail("\")\" is missing");
    const auto one = [&](Operation what) {
      if (arguments.size() != 1) fail(fmt::format("{} takes one number", name));
      return operation(what, std::move(arguments[0]));
    };
    if (name == "log2") return one(Operation::log2);
    if (name == "sqrt") return one(Operation::sqrt);
    if (name == "bits") return one(bits);
    if (name == "zeros") return one(zeros);
    if (name == "width") return one(width);
    if (name == "floor" || name == "ceil") {
      if (arguments.size() != 1 || arguments[0].operation != divide)
        fail(fmt::format("{} takes a division, {}(a / b)", name, name));
      arguments[0].operation = name == "floor" ? floor_divide : ceiling_divide;
      return std::move(arguments[0]);
    }
    if (name == "dims") {
      if (arguments.size() != 3) fail("dims takes three numbers: ranks, dimensions, which one");
      return operation(dims, std::move(arguments[0]), std::move(arguments[1]), std::move(arguments[2]));
    }
    fail(fmt::format("there is no function {}; known are floor, ceil, log2, sqrt, bits, zeros, width and dims", name));
  }

  const std::string_view text_;
  const Names& names_;
  const std::string& at_;
  std::size_t next_ = 0;
  int depth_ = 0;
};

std::shared_ptr<const Expression> kept(Expression e) { return std::make_shared<const Expression>(std::move(e)); }

/// Inlined: a loop with a constant operation has no switch in it.
[[gnu::always_inline]] inline std::int64_t applied(Operation operation, std::int64_t a, std::int64_t b,
                                                   std::int64_t c) {
  if (a == kUndefined || b == kUndefined || c == kUndefined) return kUndefined;
  switch (operation) {
    case negate:
      return -a;
    case add:
      return bounded(static_cast<__int128>(a) + b);
    case subtract:
      return bounded(static_cast<__int128>(a) - b);
    case multiply:
      return bounded(static_cast<__int128>(a) * b);
    case divide:
      return b == 0 || a % b != 0 ? kUndefined : a / b;
    case floor_divide:
      return floor_of(a, b);
    case ceiling_divide:
      return b == 0 ? kUndefined : -floor_of(-a, b);
    case modulo:
      return b < 1 ? kUndefined : a - floor_of(a, b) * b;
    case exclusive_or:
      return a < 0 || b < 0 ? kUndefined : a ^ b;
    case shift_left:
      return b < 0 || b > 61 ? kUndefined : bounded(static_cast<__int128>(a) * (std::int64_t{1} << b));
    case Operation::log2:
      return a < 1 || (a & (a - 1)) != 0 ? kUndefined : std::countr_zero(static_cast<std::uint64_t>(a));
    case Operation::sqrt:
      return root_of(a);
    case bits:
      return a < 0 ? kUndefined : std::popcount(static_cast<std::uint64_t>(a));
    case zeros:
      return a < 1 ? kUndefined : std::countr_zero(static_cast<std::uint64_t>(a));
    case width:
      return a < 0 ? kUndefined : std::bit_width(static_cast<std::uint64_t>(a));
    case dims:
      return dims_of(a, b, c);
    case equal:
      return a == b;
    case not_equal:
      return a != b;
    case less:
      return a < b;
    case less_equal:
      return a <= b;
    case greater:
      return a > b;
    case greater_equal:
      return a >= b;
    case both:
      return a != 0 && b != 0;
    case either:
      return a != 0 || b != 0;
    case negation:
      return a == 0;
    case choose:
      return a != 0 ? b : c;
    case constant:
    case variable:
      return a;
  }
  return kUndefined;
}

template <Operation what>
void apply_to_all(std::span<const std::int64_t> a, std::span<const std::int64_t> b, std::span<std::int64_t> result) {
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = applied(what, a[i], b[i], 0);
}

}  // namespace

std::int64_t apply(Operation operation, std::int64_t a, std::int64_t b, std::int64_t c) {
  return applied(operation, a, b, c);
}

void apply(Operation operation, std::span<const std::int64_t> a, std::span<const std::int64_t> b,
           std::span<std::int64_t> result) {
  switch (operation) {
    case add:
      return apply_to_all<add>(a, b, result);
    case subtract:
      return apply_to_all<subtract>(a, b, result);
    case multiply:
      return apply_to_all<multiply>(a, b, result);
    case divide:
      return apply_to_all<divide>(a, b, result);
    case floor_divide:
      return apply_to_all<floor_divide>(a, b, result);
    case ceiling_divide:
      return apply_to_all<ceiling_divide>(a, b, result);
    case modulo:
      return apply_to_all<modulo>(a, b, result);
    case equal:
      return apply_to_all<equal>(a, b, result);
    case not_equal:
      return apply_to_all<not_equal>(a, b, result);
    case less:
      return apply_to_all<less>(a, b, result);
    case less_equal:
      return apply_to_all<less_equal>(a, b, result);
    case greater:
      return apply_to_all<greater>(a, b, result);
    case greater_equal:
      return apply_to_all<greater_equal>(a, b, result);
    default:
      for (std::size_t i = 0; i < result.size(); ++i) result[i] = apply(operation, a[i], b[i]);
  }
}

std::int64_t Expression::at(std::span<const std::int64_t> variables) const {
  if (operation == Operation::constant) return number;
  if (operation == Operation::variable) return variables[variable];
  const std::int64_t first = a->at(variables);
  if (operation == both && first == 0) return 0;
  if (operation == either && first != 0 && first != kUndefined) return 1;
  if (operation == choose) return first == kUndefined ? kUndefined : first != 0 ? b->at(variables) : c->at(variables);
  return apply(operation, first, b ? b->at(variables) : 0, c ? c->at(variables) : 0);
}

Expression number(std::int64_t value) { return {.operation = Operation::constant, .number = value}; }
Expression named(std::uint32_t index) { return {.operation = Operation::variable, .variable = index}; }
Expression operation(Operation operation, Expression a) { return {.operation = operation, .a = kept(std::move(a))}; }
Expression operation(Operation operation, Expression a, Expression b) {
  return {.operation = operation, .a = kept(std::move(a)), .b = kept(std::move(b))};
}
Expression operation(Operation operation, Expression a, Expression b, Expression c) {
  return {.operation = operation, .a = kept(std::move(a)), .b = kept(std::move(b)), .c = kept(std::move(c))};
}

std::string text(const Expression& expression, const Names& names) { return Printed{names}.text(expression); }

Expression parse(std::string_view text, const Names& names, const std::string& at) {
  Parser parser(text, names, at);
  Expression result = parser.choice();
  parser.expect_end();
  return result;
}

Expression parse_front(std::string_view& text, const Names& names, const std::string& at) {
  Parser parser(text, names, at);
  Expression result = parser.choice();
  text = parser.rest();
  return result;
}

bool mentions(const Expression& expression, std::uint32_t first, std::uint32_t last) {
  const auto in = [&](const auto& operand) { return operand && mentions(*operand, first, last); };
  const bool own = expression.operation == variable && expression.variable >= first && expression.variable <= last;
  return own || in(expression.a) || in(expression.b) || in(expression.c);
}

std::string why_undefined(const Expression& expression, std::span<const std::int64_t> variables, const Names& names,
                          std::span<const Expression> definitions) {
  for (const auto& operand : {expression.a, expression.b, expression.c}) {
    if (!operand || operand->at(variables) != kUndefined) continue;
    const bool looked_at = expression.operation != choose || operand == expression.a ||
                           (expression.a->at(variables) != 0) == (operand == expression.b);
    if (looked_at) return why_undefined(*operand, variables, names, definitions);
  }
  const auto number = [&](const auto& operand) { return operand ? std::to_string(operand->at(variables)) : ""; };
  const std::string a = number(expression.a), b = number(expression.b), rule = text(expression, names);
  switch (expression.operation) {
    case divide:
      return fmt::format("{}: {} does not divide {}", rule, b, a);
    case floor_divide:
    case ceiling_divide:
      return fmt::format("{}: a division by {}", rule, b);
    case modulo:
      return fmt::format("{}: a remainder of a division by {}", rule, b);
    case Operation::log2:
      return fmt::format("{}: {} is no power of two", rule, a);
    case Operation::sqrt:
      return fmt::format("{}: {} is no square", rule, a);
    case Operation::variable: {
      const std::size_t first = names.size() - definitions.size();
      if (expression.variable < first) return fmt::format("{} has no value", rule);
      const Expression& own = definitions[expression.variable - first];
      return fmt::format("{} = {}", rule, why_undefined(own, variables, names, definitions));
    }
    default:
      return fmt::format("{}: no value for {}{}{}", rule, a, b.empty() ? "" : " and ", b);
  }
}

namespace {

/// Adds `sign` times the terms of a sum, and its numbers.
void flatten(const Expression& e, int sign, std::vector<std::pair<Expression, int>>& terms, std::int64_t& sum) {
  if (e.operation == Operation::add || e.operation == Operation::subtract) {
    flatten(*e.a, sign, terms, sum);
    flatten(*e.b, e.operation == Operation::add ? sign : -sign, terms, sum);
  } else if (e.operation == Operation::negate) {
    flatten(*e.a, -sign, terms, sum);
  } else if (e.operation == Operation::constant) {
    sum += sign * e.number;
  } else {
    terms.emplace_back(e, sign);
  }
}

bool is(const Expression& e, std::int64_t value) { return e.operation == Operation::constant && e.number == value; }

}  // namespace

Expression simplified(const Expression& e) {
  if (!e.a) return e;
  const auto of = [](const auto& operand) { return operand ? kept(simplified(*operand)) : nullptr; };
  Expression own{.operation = e.operation, .a = of(e.a), .b = of(e.b), .c = of(e.c)};
  if (own.operation == Operation::multiply) {
    if (is(*own.a, 1)) return *own.b;
    if (is(*own.b, 1)) return *own.a;
    if (own.a->operation == Operation::constant && own.a->number < 0)
      return operation(Operation::negate, operation(Operation::multiply, number(-own.a->number), *own.b));
  }
  if (own.operation == Operation::divide && is(*own.b, 1)) return *own.a;
  if (own.operation != Operation::add && own.operation != Operation::subtract) return own;
  std::vector<std::pair<Expression, int>> terms;
  std::int64_t sum = 0;
  flatten(own, 1, terms, sum);
  std::ranges::stable_sort(terms, std::greater<>(), &std::pair<Expression, int>::second);
  std::optional<Expression> all;
  if (terms.empty() || terms[0].second < 0) all = number(std::exchange(sum, 0));
  for (auto& [term, sign] : terms) {
    if (!all || (is(*all, 0) && sign > 0))
      all = std::move(term);
    else if (is(*all, 0))
      all = operation(Operation::negate, std::move(term));
    else
      all = operation(sign > 0 ? Operation::add : Operation::subtract, std::move(*all), std::move(term));
  }
  if (sum > 0) all = operation(Operation::add, std::move(*all), number(sum));
  if (sum < 0) all = operation(Operation::subtract, std::move(*all), number(-sum));
  return std::move(*all);
}

}  // namespace skelgen::generalize
