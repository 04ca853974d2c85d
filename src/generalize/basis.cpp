#include "generalize/basis.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

namespace skelgen::generalize {
namespace {

using enum Operation;

// Description length of a rule: 1 for each variable, function and operation, and for a number the length of its digits.
constexpr double kVariable = 1, kOperation = 1, kRounding = 0.5;
constexpr double kDearestTerm = 5.5;    ///< terms that are listed
constexpr double kDearestScaled = 3.6;  ///< terms that are tried with numbers of their own
constexpr double kPlain = 2.2;          ///< terms that a number is multiplied with, and divided by another term
constexpr double kDearestSide = 3.6;    ///< sides of comparisons
constexpr double kOdd = 2;              ///< a number above 1 that ranks are compared with
constexpr double kMargin = 0.75;        ///< rules that cost so much more are no simpler
constexpr double kWideMargin = 1.5;     ///< the same where one of the traces was needed to find the rule
constexpr double kEnds = 4;             ///< either end of a dimension, or neither
constexpr double kEnd = 3.5;            ///< its last place, or those before
constexpr double kGuess = 1;            ///< a variable that is a guess, in a rule
constexpr double kSumOfSizes = 1;       ///< px + py is hardly ever meant; it is 2 log2(p) at 4, 8 and 16 ranks
constexpr double kOpen =
    3;  ///< another rule that is longer by this than a block of an open number of things is not taken before it
constexpr std::size_t kMostValues = 2'500'000;  ///< of all terms
constexpr std::size_t kMostConditions = 6;      ///< of one rule
constexpr std::size_t kMostPaired = 500;        ///< conditions of which all pairs are tried
constexpr int kDeepest = 2;                     ///< of choices in choices

double cost_of(std::int64_t number) {
  const double size = std::abs(static_cast<double>(number));
  return size <= 1 ? 1 : size <= 2 ? 1.1 : 1.3 + 0.12 * std::log2(size);
}

struct Term {
  Operation operation;
  std::uint32_t a = 0, b = 0;  ///< terms
  std::int64_t number = 0;     ///< of a constant, or which variable
  double cost = 0;
  bool by_rank = false;  ///< differs within a run
  bool alone = false;    ///< of a tree: no part of quotients, blocks and sums, which it would fit by chance
};

/// A comparison of two terms, or what is known of it.
struct Atom {
  Operation operation;
  std::uint32_t a, b;
  double cost;
  std::vector<std::uint64_t> holds;   ///< bits by row
  std::optional<Expression> whole{};  ///< instead of a comparison
};

std::uint64_t hash_of(std::span<const std::int64_t> values) {
  std::uint64_t hash = 0x9e3779b97f4a7c15u;
  for (const std::int64_t v : values) {
    hash = (hash ^ static_cast<std::uint64_t>(v)) * 0xbf58476d1ce4e5b9u;
    hash ^= hash >> 29;
  }
  return hash;
}

struct Candidate {
  double cost;
  Expression expression;
  bool weak = false;                  ///< Rule::weak
  std::optional<Expression> needs{};  ///< Rule::needs, of a block whose number the samples leave open
};

}  // namespace

struct Basis::Terms {
  Rows rows;
  std::size_t n = 0, traced = 0;  // rows; runs
  std::vector<Term> terms;
  std::vector<std::int64_t> values;  // [term][row]
  mutable std::vector<Atom> atoms;   // made when they are needed first
  std::unordered_multimap<std::uint64_t, std::uint32_t> known;
  std::vector<std::uint32_t> scaled;  // terms up to kDearestScaled, and the number 1
  mutable std::map<std::vector<std::int64_t>, std::optional<Rule>> answers;  // of decide(), by what was asked

  std::span<const std::int64_t> of(std::size_t t) const { return std::span(values).subspan(t * n, n); }

  // --- construction

  explicit Terms(Rows all) : rows(std::move(all)), n(rows.variables.size()) {
    values.reserve(kMostValues);
    for (const std::uint32_t run : rows.run)
      if (run != Rows::kNotTraced) traced = std::max(traced, std::size_t{run} + 1);
    std::vector<std::uint32_t> leaves;
    const auto leaf = [&](const Term& term, const auto& value) {
      std::vector<std::int64_t> own(n);
      for (std::size_t i = 0; i < n; ++i) own[i] = value(i);
      if (const auto t = add(term, own)) leaves.push_back(*t);
    };
    for (const std::int64_t c : {1, 2})
      leaf({.operation = constant, .number = c, .cost = cost_of(c)}, [&](std::size_t) { return c; });
    for (std::uint32_t v = 0; v < rows.names.size(); ++v)
      leaf({.operation = variable, .number = v, .cost = kVariable},
           [&](std::size_t i) { return rows.variables[i][v]; });
    const std::size_t plain = leaves.size();
    for (std::size_t i = 0; i < plain; ++i)
      for (const Operation function : {Operation::log2, Operation::sqrt}) {
        const Term of = terms[leaves[i]];
        if (of.operation != variable || of.by_rank) continue;
        leaf({.operation = function, .a = leaves[i], .cost = of.cost + kOperation * (of.number == 0 ? 1 : 2)},
             [&](std::size_t row) { return apply(function, this->of(leaves[i])[row]); });
      }
    remainders();
    stages();
    trees();
    // Pairs of leaves, then pairs of a pair and a leaf, the cheapest first.
    const std::vector<std::uint32_t> first = leaves;
    for (const std::uint32_t a : first)
      for (const std::uint32_t b : first) combine(a, b);
    std::vector<std::uint32_t> pairs;
    for (std::uint32_t t = 0; t < terms.size(); ++t)
      if (terms[t].cost + 2 <= kDearestTerm && !std::ranges::binary_search(first, t)) pairs.push_back(t);
    std::ranges::stable_sort(pairs, {}, [&](std::uint32_t t) { return terms[t].cost; });
    for (const std::uint32_t a : pairs)
      for (const std::uint32_t b : first) {
        combine(a, b);
        combine(b, a);
      }
    sort();
    for (std::uint32_t t = 0; t < terms.size(); ++t)
      if (terms[t].cost <= kDearestScaled) scaled.push_back(t);
  }

  std::optional<std::uint32_t> add(const Term& term, std::span<const std::int64_t> own) {
    if (values.size() + n > kMostValues || std::ranges::all_of(own, [](std::int64_t v) { return v == kUndefined; }))
      return {};
    const std::uint64_t hash = hash_of(own);
    const auto [begin, end] = known.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
      if (!std::ranges::equal(of(it->second), own)) continue;
      if (term.cost < terms[it->second].cost) {
        const bool by_rank = terms[it->second].by_rank;
        terms[it->second] = term;
        terms[it->second].by_rank = by_rank;
        terms[it->second].alone = false;
      }
      return {};
    }
    const auto t = static_cast<std::uint32_t>(terms.size());
    terms.push_back(term);
    terms.back().by_rank = differs_within_runs(own);
    values.insert(values.end(), own.begin(), own.end());
    known.emplace(hash, t);
    return t;
  }

  /// The term that these values are of; it becomes one if there is none.
  std::optional<std::uint32_t> intern(const Term& term, std::span<const std::int64_t> own) {
    if (const auto t = add(term, own)) return t;
    const auto [begin, end] = known.equal_range(hash_of(own));
    for (auto it = begin; it != end; ++it)
      if (std::ranges::equal(of(it->second), own)) return it->second;
    return {};
  }

  std::optional<std::uint32_t> intern(Operation what, std::uint32_t a, std::uint32_t b) {
    std::vector<std::int64_t> own(n);
    apply(what, of(a), of(b), own);
    return intern({.operation = what, .a = a, .b = b, .cost = terms[a].cost + terms[b].cost + kOperation}, own);
  }

  /// (x + y - z + 1) % q: places, coordinates and elements of lists around a ring or torus of q. Dearer than other terms are.
  void remainders() {
    std::vector<std::uint32_t> sizes, places;
    for (std::uint32_t t = 0; t < terms.size(); ++t)
      if (terms[t].operation == variable && rows.names[static_cast<std::size_t>(terms[t].number)] != rows.ratio)
        (terms[t].by_rank ? places : sizes).push_back(t);
    if (sizes.empty()) return;
    // Sums of two or three different places, each with a sign: which are added, which are taken away.
    std::vector<std::uint32_t> signs{1};
    for (std::size_t i = 0; i < places.size(); ++i) signs.push_back(3 * signs.back());
    for (std::uint32_t form = 0; form < signs.back(); ++form) {
      std::vector<std::uint32_t> added, taken;
      for (std::size_t i = 0; i < places.size(); ++i)
        if (const std::uint32_t sign = form / signs[i] % 3; sign != 0) (sign == 1 ? added : taken).push_back(places[i]);
      if (added.size() + taken.size() < 2 || added.size() + taken.size() > 3) continue;
      for (const std::uint32_t size : sizes)
        for (const int shift : {0, 1, -1, 2, -2}) around(added, taken, shift, size);
    }
  }

  /// (those added - those taken + shift) % size, a size more where nothing is added.
  void around(std::vector<std::uint32_t> added, std::vector<std::uint32_t> taken, int shift, std::uint32_t size) {
    const auto distance = static_cast<std::uint32_t>(std::abs(shift) - 1);  // the number's term
    if (shift > 0) added.push_back(distance);
    if (added.empty()) added.push_back(size);
    if (shift < 0) taken.push_back(distance);
    std::optional<std::uint32_t> sum = added[0];
    for (std::size_t i = 1; sum && i < added.size(); ++i) sum = intern(add_, *sum, added[i]);
    for (std::size_t i = 0; sum && i < taken.size(); ++i) sum = intern(subtract, *sum, taken[i]);
    if (sum) intern(modulo, *sum, size);
  }

  /// r ^ (q / (2 << k)): who is met in stage k of a butterfly that begins with the farthest one, and r ^ (1 << k), the nearest one.
  void stages() {
    constexpr std::uint32_t kOne = 0, kTwo = 1, kElement = 2;
    constexpr double kFarthest = 5, kNearest = 4;
    std::vector<std::uint32_t> sizes, places;
    std::optional<std::uint32_t> k;
    for (std::uint32_t t = 0; t < terms.size(); ++t) {
      if (terms[t].operation != variable) continue;
      if (terms[t].number == kElement)
        k = t;
      else
        (terms[t].by_rank ? places : sizes).push_back(t);
    }
    if (!k) return;
    const auto meet = [&](std::uint32_t place, std::uint32_t distance, double cost) {
      if (const auto met = intern(exclusive_or, place, distance)) terms[*met].cost = std::min(terms[*met].cost, cost);
    };
    if (const auto power = intern(shift_left, kOne, *k))
      for (const std::uint32_t place : places) meet(place, *power, kNearest);
    const auto doubled = intern(shift_left, kTwo, *k);
    for (std::size_t i = 0; doubled && i < sizes.size(); ++i) {
      const auto half = intern(divide, sizes[i], *doubled);
      if (!half) continue;
      for (const std::uint32_t place : places) meet(place, *half, kFarthest);
    }
  }

  /// Trees over all ranks. Binomial ones: rank r has as many children as 2 divides it (r + p for 0), at distances that are powers
  /// of two below that; or what doubles in each stage, r + (1 << (width(r) + k)).
  void trees() {
    constexpr std::uint32_t kOne = 0;                            // terms
    constexpr std::int64_t kRanks = 0, kRank = 1, kElement = 2;  // variables
    constexpr double kCount = 2.5, kLevel = 3.3, kLeft = 3.5, kNext = 4.5;
    std::optional<std::uint32_t> k, ranks, rank;
    for (std::uint32_t t = 0; t < terms.size(); ++t) {
      if (terms[t].operation != variable) continue;
      if (terms[t].number == kElement) k = t;
      if (terms[t].number == kRanks) ranks = t;
      if (terms[t].number == kRank) rank = t;
    }
    if (!ranks || !rank) return;
    const std::uint32_t x = *rank, q = *ranks;
    const auto priced = [&](std::optional<std::uint32_t> t, double cost) {
      if (t) terms[*t].cost = std::min(terms[*t].cost, cost);
      return t;
    };
    const auto function = [&](Operation what, std::uint32_t a, double cost) {
      std::vector<std::int64_t> own(n);
      for (std::size_t i = 0; i < n; ++i) own[i] = apply(what, values[a * n + i]);
      return intern({.operation = what, .a = a, .cost = cost}, own);
    };
    const auto at_distance = [&](Operation sign, std::uint32_t from, std::optional<std::uint32_t> power) {
      const auto distance = power ? intern(shift_left, kOne, *power) : std::nullopt;
      if (distance) priced(intern(sign, from, *distance), kNext);
    };
    const std::size_t before = terms.size();
    function(bits, x, kCount);
    const auto wide = function(width, x, kCount), stages = function(Operation::log2, q, terms[q].cost + 2 * kOperation);
    const auto whole = intern(add_, x, q);
    const auto level = whole ? function(zeros, *whole, kLevel) : std::nullopt;
    if (wide && stages) priced(intern(subtract, *stages, *wide), kLeft);
    if (wide) at_distance(subtract, x, intern(subtract, *wide, kOne));
    at_distance(subtract, x, level);
    if (k) {
      at_distance(add_, x, k);
      if (wide) at_distance(add_, x, intern(add_, *wide, *k));
      const auto next = level ? intern(subtract, *level, kOne) : std::nullopt;
      if (next) at_distance(add_, x, intern(subtract, *next, *k));
    }
    for (std::size_t t = before; t < terms.size(); ++t) terms[t].alone = true;
  }

  bool differs_within_runs(std::span<const std::int64_t> own) const {
    std::map<std::pair<std::uint32_t, std::int64_t>, std::int64_t> seen;  // by run and p
    for (std::size_t i = 0; i < n; ++i)
      if (seen.try_emplace({rows.run[i], rows.variables[i][0]}, own[i]).first->second != own[i]) return true;
    return false;
  }

  void combine(std::uint32_t a, std::uint32_t b) {
    const bool numbers = terms[a].operation == constant && terms[b].operation == constant;
    if (numbers) return;
    if (terms[a].cost + terms[b].cost + kOperation > kDearestTerm) return;
    std::vector<std::int64_t> own(n);
    const auto is_size = [&](std::uint32_t t) { return terms[t].operation == variable && !terms[t].by_rank; };
    for (const Operation what :
         {add_, subtract, multiply, divide, floor_divide, ceiling_divide, modulo, exclusive_or, shift_left}) {
      const double rounding = what == floor_divide || what == ceiling_divide ? kRounding : 0;
      const double unlikely = what == add_ && is_size(a) && is_size(b) ? kSumOfSizes : 0;
      const double cost = terms[a].cost + terms[b].cost + kOperation + rounding + unlikely;
      if (cost > kDearestTerm) continue;
      if (what == shift_left && (terms[a].operation != constant || terms[a].number != 1)) continue;
      if ((what == add_ || what == multiply || what == exclusive_or) && a > b) continue;
      if (a == b && what != multiply) continue;
      const bool divides = what == divide || what == floor_divide || what == ceiling_divide || what == modulo;
      if (divides && terms[a].operation == constant) continue;  // few things are 1 / p
      if (what == exclusive_or && !terms[a].by_rank && !terms[b].by_rank) continue;
      apply(what, of(a), of(b), own);
      add({.operation = what, .a = a, .b = b, .cost = cost}, own);
    }
  }
  static constexpr Operation add_ = Operation::add;

  /// Ascending by cost, operands renumbered.
  void sort() {
    std::vector<std::uint32_t> order(terms.size()), place(terms.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t t) { return terms[t].cost; });
    for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    std::vector<Term> sorted;
    std::vector<std::int64_t> own;
    own.reserve(kMostValues);
    for (const std::uint32_t t : order) {
      Term term = terms[t];
      term.a = place[term.a];
      term.b = place[term.b];
      sorted.push_back(term);
      own.insert(own.end(), of(t).begin(), of(t).end());
    }
    terms = std::move(sorted);
    values = std::move(own);
    known.clear();
    for (std::uint32_t t = 0; t < terms.size(); ++t) known.emplace(hash_of(of(t)), t);
  }

  void compare() const {
    std::map<std::vector<std::uint64_t>, std::size_t> seen;
    const std::size_t words = (n + 63) / 64;
    std::vector<std::int64_t> compared(n);
    std::vector<std::uint64_t> holds(words);
    std::vector<std::uint32_t> left, right;
    for (std::uint32_t t = 0; t < terms.size() && terms[t].cost <= kDearestSide; ++t)
      (terms[t].by_rank ? left : right).push_back(t);
    const auto atom = [&](Operation what, std::uint32_t a, std::span<const std::int64_t> other, std::uint32_t b,
                          double cost) {
      apply(what, of(a), other, compared);
      std::ranges::fill(holds, 0);
      bool some = false, all = true;
      for (std::size_t i = 0; i < n; ++i) {
        if (compared[i] == kUndefined && rows.run[i] != Rows::kNotTraced) return;
        const bool one = compared[i] == 1;
        holds[i / 64] |= std::uint64_t{one} << (i % 64);
        some = some || one;
        all = all && one;
      }
      if (!some || all) return;
      const auto [known_, added] = seen.try_emplace(holds, atoms.size());
      if (added)
        atoms.push_back({what, a, b, cost, holds});
      else if (cost < atoms[known_->second].cost)
        atoms[known_->second] = {what, a, b, cost, holds};
    };
    for (const std::uint32_t a : left)
      for (const Operation what : {equal, greater, less, greater_equal, less_equal, not_equal}) {
        for (const std::int64_t c : {0, 1, 2, 3}) {
          const std::vector<std::int64_t> other(n, c);
          atom(what, a, other, kNumber + static_cast<std::uint32_t>(c),
               terms[a].cost + (c < 2 ? 1 : kOdd) + kOperation);
        }
        for (const std::uint32_t b : right)
          if (terms[b].operation != constant) atom(what, a, of(b), b, terms[a].cost + terms[b].cost + kOperation);
        for (const std::uint32_t b : left)
          if (terms[b].cost <= 1 && terms[a].cost <= 1 && a != b)
            atom(what, a, of(b), b, terms[a].cost + terms[b].cost + kOperation);
      }
    // The last place of a dimension, or both ends: one idea, though it takes more than one operation.
    for (const auto& [x, q] : dimensions()) {
      Atom one{either, x, q, kEnds, std::vector<std::uint64_t>(words, 0)};
      for (std::size_t i = 0; i < n; ++i) {
        const bool at_end = of(x)[i] == 0 || of(x)[i] + 1 == of(q)[i];
        one.holds[i / 64] |= std::uint64_t{at_end} << (i % 64);
      }
      one.whole = operation(either, operation(equal, expression(x), number(0)),
                            operation(equal, expression(x), operation(subtract, expression(q), number(1))));
      const Expression last = operation(subtract, expression(q), number(1));
      for (const auto& [what, at_last] : {std::pair{equal, true}, {less, false}}) {
        Atom end{what, x, q, kEnd, std::vector<std::uint64_t>(words, 0)};
        for (std::size_t i = 0; i < n; ++i)
          end.holds[i / 64] |= std::uint64_t{(of(x)[i] + 1 == of(q)[i]) == at_last} << (i % 64);
        end.whole = operation(what, expression(x), last);
        atoms.push_back(std::move(end));
      }
      Atom inner = one;
      for (std::size_t i = 0; i < n; ++i) inner.holds[i / 64] ^= std::uint64_t{1} << (i % 64);
      inner.whole = operation(both, operation(greater, expression(x), number(0)),
                              operation(less, expression(x), operation(subtract, expression(q), number(1))));
      atoms.push_back(std::move(one));
      atoms.push_back(std::move(inner));
    }
    std::ranges::stable_sort(atoms, {}, &Atom::cost);
  }

  /// Places and the size of the dimension that they lie in, which they reach the end of.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> dimensions() const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
    for (std::uint32_t x = 0; x < terms.size(); ++x)
      for (std::uint32_t q = 0; q < terms.size() && terms[x].operation == variable && terms[x].by_rank; ++q) {
        if (terms[q].operation != variable || terms[q].by_rank) continue;
        bool within = true, reaches = false;
        for (std::size_t i = 0; i < n && within; ++i) {
          within = of(x)[i] != kUndefined && of(x)[i] >= 0 && of(x)[i] < of(q)[i];
          reaches = reaches || of(x)[i] + 1 == of(q)[i];
        }
        if (within && reaches) all.emplace_back(x, q);
      }
    return all;
  }
  /// The same, and places around a dimension: remainders that take all values.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places_around() const {
    auto all = dimensions();
    for (std::uint32_t t = 0; t < terms.size(); ++t) {
      const std::uint32_t q = terms[t].b;
      if (terms[t].operation != modulo || !terms[t].by_rank || terms[q].operation != variable || terms[q].by_rank)
        continue;
      std::vector<std::set<std::int64_t>> seen(traced);
      std::vector<std::int64_t> sizes(traced, 0);
      for (std::size_t i = 0; i < n; ++i) {
        if (rows.run[i] == Rows::kNotTraced) continue;
        seen[rows.run[i]].insert(of(t)[i]);
        sizes[rows.run[i]] = of(q)[i];
      }
      if (std::ranges::equal(seen, sizes, {}, [](const auto& one) { return std::ssize(one); })) all.emplace_back(t, q);
    }
    return all;
  }
  static constexpr std::uint32_t kNumber = 1u << 30;  ///< Atom::b from here on: a number

  // --- expressions

  Expression expression(std::uint32_t t) const {
    const Term& term = terms[t];
    if (term.operation == constant) return number(term.number);
    if (term.operation == variable) return named(static_cast<std::uint32_t>(term.number));
    if (term.operation == Operation::log2 || term.operation == Operation::sqrt || term.operation == bits ||
        term.operation == zeros || term.operation == width)
      return operation(term.operation, expression(term.a));
    // "r + 1", but "2 * p".
    const bool turned =
        (term.operation == add_ || term.operation == exclusive_or) && terms[term.a].operation == constant;
    return operation(term.operation, expression(turned ? term.b : term.a), expression(turned ? term.a : term.b));
  }
  Expression expression(const Atom& atom) const {
    if (atom.whole) {
      if (atom.operation != negation) return *atom.whole;
      Expression e = *atom.whole;
      const Operation turned = opposite(e.operation);
      if (turned == negation) return operation(negation, std::move(e));
      e.operation = turned;
      return e;
    }
    return operation(atom.operation, expression(atom.a),
                     atom.b >= kNumber ? number(atom.b - kNumber) : expression(atom.b));
  }

  // --- numbers

  /// Keeps what may be the simplest.
  struct Best {
    std::uint32_t guessed;  // Rows::guessed
    std::function<bool(const Expression&)> possible{};
    std::vector<Candidate> all{};
    double least = 1e9;
    bool may(double cost) const { return cost < least + kWideMargin; }
    void take(double cost, Expression expression, bool weak = false, std::optional<Expression> needs = {}) {
      if (mentions(expression, guessed, ~0u)) cost += kGuess;
      if (weak) cost += kGuess;
      if (!may(cost) || (possible && !possible(expression))) return;
      least = std::min(least, cost);
      all.push_back({cost, std::move(expression), weak, std::move(needs)});
    }
    /// The simplest first.
    std::vector<Candidate> sorted() && {
      std::erase_if(all, [&](const Candidate& c) { return !may(c.cost); });
      std::ranges::stable_sort(all, {}, &Candidate::cost);
      return std::move(all);
    }
  };

  bool gives(std::span<const std::int64_t> own, std::span<const Sample> samples) const {
    return std::ranges::all_of(samples, [&](const Sample& s) { return own[s.row] == s.value; });
  }

  /// Whether it may be what is known of its values where nothing was traced.
  bool possible(const Expression& e, Known what) const {
    std::set<std::pair<std::int64_t, std::int64_t>> seen;  // number of ranks, value
    for (std::size_t row = 0; row < n; ++row) {
      if (rows.run[row] != Rows::kNotTraced) continue;
      const std::int64_t value = at(e, row), ranks = rows.variables[row][0];
      if (value == kUndefined) continue;
      if (what == Known::sizes && value < 0) return false;
      if (what == Known::sizes || value < 0) continue;
      if (value >= ranks) return false;
      if (what == Known::different && !seen.emplace(ranks, value).second) return false;
    }
    return true;
  }

  std::vector<Candidate> candidates(std::span<const Sample> samples, int depth = 0, Known what = Known::nothing) const {
    Best best{rows.guessed};
    const bool sizes = what == Known::nothing || what == Known::sizes;
    if (what != Known::nothing) best.possible = [this, what](const Expression& e) { return possible(e, what); };
    const std::int64_t first = samples[0].value;
    const bool equal_ones = std::ranges::all_of(samples, [&](const Sample& s) { return s.value == first; });
    if (equal_ones) best.take(cost_of(first), number(first));
    for (std::uint32_t t = 0; t < terms.size() && best.may(terms[t].cost); ++t)
      if (terms[t].operation != constant && gives(of(t), samples)) best.take(terms[t].cost, expression(t));
    if (!equal_ones) {
      lines(samples, best);
      quotients(samples, best, kPlain);
      blocks(samples, best);
      if (depth == 0 && best.all.empty() && !of_lists()) quotients(samples, best, kDearestScaled);
      if (depth == 0 && best.all.empty()) rotations(samples, best);
      if (depth == 0 && best.all.empty()) borders(samples, best);
      if (depth == 0 && best.all.empty() && sizes) areas(samples, best);
      if (depth == 0 && best.all.empty() && sizes) interiors(samples, best);
      if (depth < kDeepest && best.may(kDearestSide + 2)) choices(samples, best, depth);
      if (depth == 0 && best.all.empty() && sizes) edges(samples, best);
      if (depth < kDeepest && best.all.empty()) sums(samples, best);
      if (depth < kDeepest && sizes && !of_lists()) open_blocks(samples, best);
    }
    return std::move(best).sorted();
  }

  /// m T + c.
  void lines(std::span<const Sample> samples, Best& best) const {
    for (const std::uint32_t t : scaled) {
      const Term& term = terms[t];
      if (term.operation == constant || !best.may(term.cost + kOperation + 1)) continue;
      const auto own = of(t);
      const auto& [row, value] = samples[0];
      if (own[row] == kUndefined) continue;
      const auto other = std::ranges::find_if(samples, [&](const Sample& s) { return own[s.row] != own[row]; });
      if (other == samples.end() || own[other->row] == kUndefined) continue;
      const std::int64_t step = own[other->row] - own[row], rise = other->value - value;
      if (rise % step != 0 || rise == 0) continue;
      const std::int64_t m = rise / step;
      const std::int64_t product = apply(multiply, m, own[row]);
      if (product == kUndefined) continue;
      const std::int64_t c = value - product;
      if (!std::ranges::all_of(
              samples, [&](const Sample& s) { return apply(add_, apply(multiply, m, own[s.row]), c) == s.value; }))
        continue;
      const double of_m = (m == 1 ? 0 : m == -1 ? 0 : kOperation + cost_of(m)) + (m < 0 && c == 0 ? kOperation : 0);
      const double cost = term.cost + of_m + (c == 0 ? 0 : kOperation + cost_of(c));
      if (!best.may(cost)) continue;
      // Through two values there is always a line.
      const bool weak = m != 1 && m != -1 && c != 0 && std::ranges::all_of(samples, [&](const Sample& s) {
                          return own[s.row] == own[row] || own[s.row] == own[other->row];
                        });
      Expression e = expression(t);
      if (m < 0 && c != 0) {
        if (m != -1) e = operation(multiply, number(-m), std::move(e));
        e = operation(subtract, number(c), std::move(e));
      } else {
        if (m == -1) e = operation(negate, std::move(e));
        if (m != 1 && m != -1) e = operation(multiply, number(m), std::move(e));
        if (c > 0) e = operation(add_, std::move(e), number(c));
        if (c < 0) e = operation(subtract, std::move(e), number(-c));
      }
      best.take(cost, std::move(e), weak);
    }
  }

  /// C S / T + b.
  void quotients(std::span<const Sample> samples, Best& best, double dearest) const {
    constexpr std::int64_t kLarge = std::int64_t{1} << 62;  // apply() gives no product beyond it
    std::vector<std::uint32_t> above{kNumber};
    for (const std::uint32_t t : scaled)
      if (terms[t].operation != constant && terms[t].cost <= dearest && !terms[t].alone) above.push_back(t);
    // Two samples of different values rule out most, without a division.
    const Sample& one = samples[0];
    const auto differs = [&](const Sample& s) { return s.value != one.value; };
    const auto other = std::ranges::find_if(samples, differs);
    if (other == samples.end()) return;
    const auto contradict = [&](std::span<const std::int64_t> below, std::span<const std::int64_t> scales,
                                std::int64_t b) {
      const std::int64_t scale = scales.empty() ? 1 : scales[one.row],
                         scale_of_other = scales.empty() ? 1 : scales[other->row];
      if (scale == 0 || scale_of_other == 0) return false;  // decided below
      const auto product = [&](const Sample& s) { return (static_cast<__int128>(s.value) - b) * below[s.row]; };
      const __int128 first = product(one), second = product(*other);
      const auto small = [](__int128 value) { return value > -kLarge && value < kLarge; };
      return !small(first) || !small(second) || first * scale_of_other != second * scale;
    };
    for (const std::int64_t b : {0, 1, -1, 2, -2, 3, 4})
      for (const std::uint32_t t : scaled) {
        if (terms[t].operation == constant || terms[t].alone) continue;
        const auto below = of(t);
        if (below[one.row] == kUndefined || below[other->row] == kUndefined) continue;
        for (const std::uint32_t s : above) {
          if (s == t) continue;
          const double base = terms[t].cost + kOperation + 1.3 + (s == kNumber ? 0 : terms[s].cost + kOperation) +
                              (b == 0 ? 0 : kOperation + cost_of(b));
          if (!best.may(base)) continue;
          const auto scales = s == kNumber ? std::span<const std::int64_t>() : of(s);
          if (contradict(below, scales, b)) continue;
          std::optional<std::int64_t> c;
          bool fits = true;
          for (const Sample& sample : samples) {
            const std::int64_t scale = scales.empty() ? 1 : scales[sample.row];
            if (scale == 0 && sample.value == b) continue;
            fits = scale != 0 && scale != kUndefined && below[sample.row] != kUndefined;
            if (!fits) break;
            const __int128 product = (static_cast<__int128>(sample.value) - b) * below[sample.row];
            fits = product > -kLarge && product < kLarge;
            if (!fits) break;
            if (!c) c = static_cast<std::int64_t>(product) / scale;
            fits = product == static_cast<__int128>(*c) * scale;
            if (!fits) break;
          }
          if (!fits || !c || *c <= 0 || (*c == 1 && s != kNumber)) continue;
          const double cost = base - 1.3 + cost_of(*c);
          if (!best.may(cost)) continue;
          Expression e = number(*c);
          if (s != kNumber) e = operation(multiply, std::move(e), expression(s));
          e = operation(divide, std::move(e), expression(t));
          if (b > 0) e = operation(add_, std::move(e), number(b));
          if (b < 0) e = operation(subtract, std::move(e), number(-b));
          best.take(cost, std::move(e));
        }
      }
  }

  /// (T + A) % Q and (T - A) % Q of a place T and a size Q, for a rule A of the number of ranks.
  void rotations(std::span<const Sample> samples, Best& best) const {
    constexpr std::int64_t kElement = 2;
    for (std::uint32_t t = 0; t < terms.size(); ++t)
      for (std::uint32_t q = 0; q < terms.size() && terms[t].operation == variable && terms[t].by_rank; ++q) {
        if (terms[t].number == kElement || terms[q].operation != variable || terms[q].by_rank) continue;
        std::map<std::uint32_t, std::int64_t> of_run;
        std::vector<Sample> further, back;
        for (const Sample& s : samples) {
          const std::int64_t size = of(q)[s.row], shift = apply(modulo, apply(subtract, s.value, of(t)[s.row]), size);
          if (s.value < 0 || s.value >= size || of_run.try_emplace(rows.run[s.row], shift).first->second != shift)
            break;
          further.push_back({s.row, shift});
          back.push_back({s.row, apply(modulo, -shift, size)});
        }
        if (further.size() < samples.size()) continue;
        for (const bool forth : {true, false}) {
          auto found = candidates(forth ? further : back, kDeepest, Known::sizes);
          if (found.empty()) continue;
          best.take(terms[t].cost + terms[q].cost + 2 * kOperation + found[0].cost,
                    operation(modulo, operation(forth ? add_ : subtract, expression(t), std::move(found[0].expression)),
                              expression(q)));
        }
      }
  }

  /// Blocks whose n is open: the rule where all else is much longer; else its rival.
  void open_blocks(std::span<const Sample> samples, Best& best) const {
    const double least = best.least;
    Best found{~0u, best.possible};  // guesses are charged once, below
    blocks(samples, found, true);
    for (auto& one : std::move(found).sorted()) {
      const bool rival = one.cost + kOpen >= least;
      best.take(rival ? std::max(one.cost, least + 0.01) : one.cost, std::move(one.expression), false,
                std::move(one.needs));
    }
  }

  /// g ceil((n - i) / q), g floor((n + i) / q): n things over q parts, the part i of which has one more where they do not
  /// divide. n must follow from the samples; open: it must not, and the rule needs that all n that fit give the same.
  void blocks(std::span<const Sample> samples, Best& best, bool open = false) const {
    std::int64_t common = 0;
    for (const Sample& s : samples) {
      if (s.value < 0) return;
      common = std::gcd(common, s.value);
    }
    if (common == 0) return;
    // Parts of all ranks that are alike are no parts of different ranks, rounded.
    std::map<std::uint32_t, std::int64_t> of_run;
    const bool alike = !of_lists() && std::ranges::all_of(samples, [&](const Sample& s) {
      return of_run.try_emplace(rows.run[s.row], s.value).first->second == s.value;
    });
    std::vector<std::uint32_t> parts{kNumber};
    for (const std::uint32_t t : scaled)
      if (terms[t].by_rank && !alike && !terms[t].alone) parts.push_back(t);
    for (const std::int64_t g : common == 1 ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{1, common})
      for (const std::uint32_t q : scaled) {
        if (terms[q].by_rank || terms[q].operation == constant || terms[q].cost > 2.2) continue;
        if (open && terms[q].operation != variable) continue;
        for (const std::uint32_t i : parts)
          for (const Operation rounding : {ceiling_divide, floor_divide}) {
            const double base = 2 * kOperation + kRounding + 1.3 + terms[q].cost +
                                (i == kNumber ? -kOperation : terms[i].cost) + (g == 1 ? 0 : kOperation + cost_of(g));
            if (!best.may(base)) continue;
            const bool up = rounding == ceiling_divide;
            std::int64_t low = 1, high = INT64_MAX;
            bool fits = true;
            for (const Sample& s : samples) {
              const std::int64_t parts_of = of(q)[s.row], part = i == kNumber ? 0 : of(i)[s.row], v = s.value / g;
              fits = parts_of != kUndefined && parts_of > 0 && part != kUndefined && part >= 0 && part < parts_of &&
                     v < (std::int64_t{1} << 40);
              if (!fits) break;
              const std::int64_t least = up ? (v - 1) * parts_of + 1 + part : v * parts_of - part;
              low = std::max(low, least);
              high = std::min(high, least + parts_of - 1);
            }
            if (!fits || low > high || (low < high) != open) continue;
            const std::int64_t things = up ? high : low;
            const double cost = base - 1.3 + cost_of(things);
            if (!best.may(cost)) continue;
            const auto shared = [&](std::int64_t all) {
              Expression above = number(all);
              if (i != kNumber) above = operation(up ? subtract : add_, std::move(above), expression(i));
              return operation(rounding, std::move(above), expression(q));
            };
            Expression e = shared(things);
            if (g != 1) e = operation(multiply, number(g), std::move(e));
            best.take(cost, std::move(e), false,
                      open ? std::optional(operation(equal, shared(low), shared(high))) : std::nullopt);
          }
      }
  }

  /// A ? B : c, for a value c that some have.
  void choices(std::span<const Sample> samples, Best& best, int depth) const {
    std::map<std::int64_t, std::size_t> times;
    for (const Sample& s : samples) ++times[s.value];
    std::vector<std::int64_t> tried;
    const auto negative = std::ranges::find_if(times, [](const auto& one) { return one.first < 0; });
    if (negative != times.end()) tried.push_back(negative->first);
    if (times.size() <= 4)
      for (const auto& [value, _] : times)
        if (value >= 0) tried.push_back(value);
    for (const std::int64_t c : tried) {
      std::vector<Sample> rest, is_rest;
      for (const Sample& s : samples) {
        if (s.value != c) rest.push_back(s);
        is_rest.push_back({s.row, s.value != c});
      }
      // A value that differs only between runs, not between ranks of a run, is no exception for some ranks.
      std::map<std::uint32_t, std::int64_t> of_run;
      if (std::ranges::all_of(is_rest, [&](const Sample& s) {
            return of_run.try_emplace(rows.run[s.row], s.value).first->second == s.value;
          }))
        continue;
      const auto who = conditions(is_rest);
      if (who.empty()) continue;
      auto rules = candidates(rest, depth + 1);
      if (rules.empty()) continue;
      best.take(who[0].cost + rules[0].cost + cost_of(c),
                operation(choose, who[0].expression, std::move(rules[0].expression), number(c)), false,
                rules[0].needs ? std::optional(operation(choose, who[0].expression, *rules[0].needs, number(1)))
                               : std::nullopt);
    }
  }

  /// Rows are elements of lists: many, and searches take long.
  bool of_lists() const {
    constexpr std::size_t kElement = 2;
    return std::ranges::any_of(rows.variables, [](const auto& row) { return row[kElement] != kUndefined; });
  }

  /// A term, or a term times the size of a dimension; as it changes from the first sample on.
  struct Part {
    std::uint32_t term, size;  ///< kNumber: no size
    double cost;
  };
  std::int64_t at(const Part& part, std::uint32_t row) const {
    const std::int64_t value = of(part.term)[row];
    return part.size == kNumber ? value : apply(multiply, value, of(part.size)[row]);
  }
  Expression expression(const Part& part) const {
    if (part.size == kNumber) return expression(part.term);
    return operation(multiply, expression(part.term), expression(part.size));
  }

  /// g (A + B) + c and g (A - B) + c, and sums of three, of terms, and of terms times sizes. Only where there are many more samples
  /// than such rules.
  void sums(std::span<const Sample> samples, Best& best) const {
    constexpr std::size_t kFewest = 8;         // different values
    constexpr std::size_t kMostHashed = 64;    // samples; all of them are compared
    constexpr std::size_t kMostOfThree = 700;  // parts of which sums of three are tried
    std::set<std::int64_t> different;
    std::int64_t common = 0;
    for (const Sample& s : samples) {
      different.insert(s.value);
      common = std::gcd(common, s.value - samples[0].value);
    }
    if (different.size() < kFewest) return;
    // Some of all, at distances that differ: ranks at equal distances are alike.
    std::vector<Sample> some;
    const std::size_t step = (samples.size() + kMostHashed - 1) / kMostHashed;
    for (std::size_t i = 0; i < samples.size(); i += step)
      some.push_back(samples[std::min(i + i / step * 5 % step, samples.size() - 1)]);
    std::vector<std::int64_t> own(some.size());
    const auto rises = [&](const auto& value) {
      const std::int64_t first = value(some[0]);
      for (std::size_t i = 0; i < some.size(); ++i) {
        const std::int64_t v = value(some[i]);
        if (v == kUndefined || first == kUndefined) return false;
        own[i] = v - first;
      }
      return true;
    };
    std::vector<std::uint32_t> sizes{kNumber};
    for (std::uint32_t t = 0; t < terms.size(); ++t)
      if (terms[t].operation == variable && !terms[t].by_rank) sizes.push_back(t);
    std::vector<Part> parts;
    std::vector<std::vector<std::int64_t>> rise;
    std::unordered_map<std::uint64_t, std::uint32_t> by_rise;
    {
      std::vector<Part> all;
      for (std::uint32_t t = 0; t < terms.size(); ++t)
        for (const std::uint32_t size : sizes)
          if (terms[t].operation != constant && !terms[t].alone && (size == kNumber || terms[t].by_rank))
            all.push_back({t, size, terms[t].cost + (size == kNumber ? 0 : terms[size].cost + kOperation)});
      std::ranges::stable_sort(all, {}, &Part::cost);
      for (const Part& part : all) {
        if (!rises([&](const Sample& s) { return at(part, s.row); })) continue;
        if (std::ranges::all_of(own, [](std::int64_t v) { return v == 0; })) continue;
        if (!by_rise.try_emplace(hash_of(own), static_cast<std::uint32_t>(parts.size())).second) continue;
        parts.push_back(part);
        rise.push_back(own);
      }
    }
    for (const std::int64_t g : common > 1 ? std::vector<std::int64_t>{1, common} : std::vector<std::int64_t>{1}) {
      std::vector<std::int64_t> wanted(some.size()), rest(some.size());
      for (std::size_t i = 0; i < some.size(); ++i) wanted[i] = (some[i].value - some[0].value) / g;
      const auto that_rises = [&](const std::vector<std::int64_t>& so) -> const Part* {
        const auto found = by_rise.find(hash_of(so));
        return found != by_rise.end() && rise[found->second] == so ? &parts[found->second] : nullptr;
      };
      using Signed = std::pair<const Part*, int>;
      const auto take = [&](std::span<const Signed> sum) {
        double cost = kOperation * static_cast<double>(sum.size() - 1) + (g == 1 ? 0 : kOperation + cost_of(g));
        for (const auto& [part, sign] : sum) cost += part->cost;
        std::optional<std::int64_t> c;
        for (const Sample& s : samples) {
          std::int64_t value = 0;
          for (const auto& [part, sign] : sum) {
            const std::int64_t one = at(*part, s.row);
            value = one == kUndefined ? kUndefined : apply(sign < 0 ? subtract : add_, value, one);
            if (value == kUndefined) return;
          }
          value = apply(multiply, g, value);
          if (value == kUndefined) return;
          if (!c) c = s.value - value;
          if (value + *c != s.value) return;
        }
        if (*c != 0) cost += kOperation + cost_of(*c);
        if (!best.may(cost)) return;
        Expression e = expression(*sum[0].first);
        for (const auto& [part, sign] : sum.subspan(1))
          e = operation(sign < 0 ? subtract : add_, std::move(e), expression(*part));
        if (g != 1) e = operation(multiply, number(g), std::move(e));
        if (*c != 0) e = operation(*c > 0 ? add_ : subtract, std::move(e), number(std::abs(*c)));
        best.take(cost, std::move(e));
      };
      for (std::size_t i = 0; i < parts.size() && best.may(parts[i].cost + kOperation + 1); ++i) {
        const std::vector<std::int64_t>& one = rise[i];
        for (std::size_t j = 0; j < rest.size(); ++j) rest[j] = wanted[j] - one[j];
        if (const Part* const other = that_rises(rest)) take(std::array<Signed, 2>{{{&parts[i], 1}, {other, 1}}});
        for (std::size_t j = 0; j < rest.size(); ++j) rest[j] = one[j] - wanted[j];
        if (const Part* const other = that_rises(rest)) take(std::array<Signed, 2>{{{&parts[i], 1}, {other, -1}}});
      }
      if (!best.all.empty() || of_lists()) continue;
      const std::size_t most = std::min(parts.size(), kMostOfThree);
      for (std::size_t i = 0; i < most; ++i)
        for (std::size_t k = i + 1; k < most && best.may(parts[i].cost + parts[k].cost + 2 * kOperation + 1); ++k) {
          for (std::size_t j = 0; j < rest.size(); ++j) rest[j] = wanted[j] - rise[i][j] - rise[k][j];
          const Part* const other = that_rises(rest);
          if (other && other->cost >= parts[k].cost)
            take(std::array<Signed, 3>{{{&parts[i], 1}, {&parts[k], 1}, {other, 1}}});
        }
    }
  }

  /// Blocks and a few elements more or less: what lies around them, or not.
  void borders(std::span<const Sample> samples, Best& best) const {
    for (const std::int64_t c : {1, -1, 2, -2, 3, -3, 4, -4}) {
      std::vector<Sample> inner;
      for (const Sample& s : samples) inner.push_back({s.row, s.value - c});
      Best found{best.guessed};
      blocks(inner, found);
      for (auto& one : std::move(found).sorted())
        best.take(one.cost + kOperation + cost_of(c),
                  operation(c > 0 ? add_ : subtract, std::move(one.expression), number(std::abs(c))));
    }
  }

  /// g A A, for a rule A: faces of cells.
  void areas(std::span<const Sample> samples, Best& best) const {
    std::int64_t common = 0;
    for (const Sample& s : samples) common = std::gcd(common, s.value);
    if (common == 0) return;
    std::vector<Sample> sides;
    for (const Sample& s : samples) {
      const std::int64_t side = apply(Operation::sqrt, s.value / common);
      if (side == kUndefined) return;
      sides.push_back({s.row, side});
    }
    auto found = candidates(sides, kDeepest);
    if (found.empty() || found[0].expression.operation == constant) return;
    const double cost = 2 * found[0].cost + kOperation + (common == 1 ? 0 : kOperation + cost_of(common));
    Expression e = operation(multiply, found[0].expression, found[0].expression);
    if (common != 1) e = operation(multiply, number(common), std::move(e));
    best.take(cost, std::move(e), found[0].weak);
  }

  /// g (A - ends of x) (A - ends of y), for a rule A of the number of ranks: faces of cells without the border of all of them, where x and y
  /// are places along a dimension, or around it.
  void interiors(std::span<const Sample> samples, Best& best) const {
    std::int64_t common = 0;
    for (const Sample& s : samples) {
      if (s.value <= 0) return;
      common = std::gcd(common, s.value);
    }
    const auto places = places_around();
    std::vector<std::vector<std::int64_t>> ends;  // by place and sample: 1 at either end of the dimension
    for (const auto& [x, q] : places) {
      std::vector<std::int64_t>& own = ends.emplace_back();
      for (const Sample& s : samples) own.push_back((of(x)[s.row] == 0) + (of(x)[s.row] + 1 == of(q)[s.row]));
    }
    std::map<std::vector<std::int64_t>, std::vector<Candidate>> found;  // rules for A, by its values
    std::vector<Sample> inner(samples.begin(), samples.end());
    std::vector<std::int64_t> by_run;
    for (std::size_t i = 0; i < places.size(); ++i)
      for (std::size_t j = i; j < places.size(); ++j) {
        by_run.assign(traced, 0);
        bool fits = true;
        for (std::size_t n_ = 0; n_ < samples.size() && fits; ++n_) {
          const std::int64_t a = ends[i][n_], b = ends[j][n_], area = samples[n_].value / common;
          const std::int64_t root = apply(Operation::sqrt, (a - b) * (a - b) + 4 * area);
          const std::int64_t whole = root == kUndefined ? 0 : (a + b + root) / 2;
          std::int64_t& side = by_run[rows.run[samples[n_].row]];
          if (side == 0) side = whole;
          fits = whole == side && (whole - a) * (whole - b) == area;
          inner[n_].value = whole;
        }
        if (!fits) continue;
        const auto [rules, fresh] = found.try_emplace(by_run);
        if (fresh) rules->second = candidates(inner, kDeepest);
        if (rules->second.empty() || rules->second[0].expression.operation == constant) continue;
        const auto side = [&](const std::pair<std::uint32_t, std::uint32_t>& place) {
          const Expression last = operation(subtract, expression(place.second), number(1));
          return operation(
              subtract,
              operation(subtract, rules->second[0].expression, operation(equal, expression(place.first), number(0))),
              operation(equal, expression(place.first), last));
        };
        const double cost = 2 * (rules->second[0].cost + kEnds) + terms[places[i].first].cost +
                            terms[places[j].first].cost + kOperation + (common == 1 ? 0 : kOperation + cost_of(common));
        if (!best.may(cost)) continue;
        Expression e = operation(multiply, side(places[i]), side(places[j]));
        if (common != 1) e = operation(multiply, number(common), std::move(e));
        best.take(cost, std::move(e));
      }
  }

  /// As a rule without edges, but one less or more at the ends of a dimension: parts that leave out, or add, a border.
  void edges(std::span<const Sample> samples, Best& best) const {
    std::int64_t common = 0;
    for (const Sample& s : samples) common = std::gcd(common, s.value);
    if (common == 0) return;
    for (const auto& [x, q] : dimensions())
      for (const auto& [first, last] : {std::pair{1, 1}, {-1, -1}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
        const double edge = terms[x].cost + 1 + kOperation;  // x == 0; x == q - 1
        const double cost = (first ? edge + kOperation : 0) + (last ? edge + terms[q].cost + 2 * kOperation : 0) +
                            (common > 1 ? kOperation + cost_of(common) : 0);
        if (!best.may(cost + 2)) continue;
        std::vector<Sample> inner;
        for (const Sample& s : samples)
          inner.push_back({s.row, s.value / common + (of(x)[s.row] == 0 ? first : 0) +
                                      (of(x)[s.row] + 1 == of(q)[s.row] ? last : 0)});
        auto found = candidates(inner, kDeepest);
        if (found.empty() || !best.may(cost + found[0].cost)) continue;
        Expression e = std::move(found[0].expression);
        const auto border = [&](int what, Expression at) {
          if (what)
            e = operation(what > 0 ? subtract : add_, std::move(e), operation(equal, expression(x), std::move(at)));
        };
        border(first, number(0));
        border(last, operation(subtract, expression(q), number(1)));
        if (common > 1) e = operation(multiply, number(common), std::move(e));
        best.take(cost + found[0].cost, std::move(e));
      }
  }

  // --- conditions

  /// Of the samples: some are not 0, some are.
  std::vector<Candidate> conditions(std::span<const Sample> samples) const {
    Best best{rows.guessed};
    const auto first = samples[0].value != 0;
    if (std::ranges::all_of(samples, [&](const Sample& s) { return (s.value != 0) == first; })) {
      best.take(1, number(first));
      return std::move(best).sorted();
    }
    if (atoms.empty()) compare();
    const std::size_t words = (n + 63) / 64;
    std::vector<std::uint64_t> wanted(words, 0), unwanted(words, 0);
    for (const Sample& s : samples) (s.value != 0 ? wanted : unwanted)[s.row / 64] |= std::uint64_t{1} << (s.row % 64);
    for (const Atom& atom : atoms) {
      if (!best.may(atom.cost)) break;
      bool fits = true;
      for (std::size_t w = 0; w < words && fits; ++w)
        fits = (atom.holds[w] & wanted[w]) == wanted[w] && (atom.holds[w] & unwanted[w]) == 0;
      if (fits) best.take(atom.cost, expression(atom));
    }
    if (!best.all.empty()) return std::move(best).sorted();
    several(wanted, unwanted, both, best);
    several(unwanted, wanted, either, best);
    return std::move(best).sorted();
  }

  /// All of some atoms hold for those wanted, and not all for one that is not; of `either` the opposites of these atoms.
  void several(const std::vector<std::uint64_t>& wanted, const std::vector<std::uint64_t>& unwanted, Operation joins,
               Best& best) const {
    const std::size_t words = wanted.size();
    std::vector<const Atom*> fit;
    for (const Atom& atom : atoms) {
      bool fits = true, helps = false;
      for (std::size_t w = 0; w < words && fits; ++w) {
        fits = (atom.holds[w] & wanted[w]) == wanted[w];
        helps = helps || (~atom.holds[w] & unwanted[w]) != 0;
      }
      if (fits && helps) fit.push_back(&atom);
    }
    // The cheapest two that rule out all, else the one that rules out most for its cost, and so on.
    const auto rules_out_all = [&](const Atom& one, const Atom& other) {
      for (std::size_t w = 0; w < words; ++w)
        if ((one.holds[w] & other.holds[w] & unwanted[w]) != 0) return false;
      return true;
    };
    const std::size_t paired = std::min(fit.size(), kMostPaired);
    for (std::size_t i = 0; i < paired; ++i)
      for (std::size_t j = i + 1; j < paired && best.may(fit[i]->cost + fit[j]->cost + kOperation); ++j)
        if (rules_out_all(*fit[i], *fit[j]))
          best.take(fit[i]->cost + fit[j]->cost + kOperation, joined({fit[i], fit[j]}, joins));
    if (!best.all.empty()) return;
    std::vector<std::uint64_t> left = unwanted;
    std::vector<const Atom*> chosen;
    const auto any = [](const auto& bits) { return std::ranges::any_of(bits, [](std::uint64_t w) { return w != 0; }); };
    while (any(left) && chosen.size() < kMostConditions) {
      const Atom* next = nullptr;
      double worth = 0;
      for (const Atom* const atom : fit) {
        int out = 0;
        for (std::size_t w = 0; w < words; ++w) out += std::popcount(~atom->holds[w] & left[w]);
        const double own = out / std::pow(atom->cost, 1.5);
        if (out > 0 && own > worth * 1.0001) {
          worth = own;
          next = atom;
        }
      }
      if (!next) return;
      chosen.push_back(next);
      for (std::size_t w = 0; w < words; ++w) left[w] &= next->holds[w];
    }
    if (any(left)) return;
    // One that later ones made unnecessary goes.
    for (std::size_t i = 0; i < chosen.size() && chosen.size() > 1;) {
      std::vector<std::uint64_t> rest = unwanted;
      for (std::size_t j = 0; j < chosen.size(); ++j)
        for (std::size_t w = 0; w < words && j != i; ++w) rest[w] &= chosen[j]->holds[w];
      if (any(rest))
        ++i;
      else
        chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(i));
    }
    std::ranges::stable_sort(chosen, {}, &Atom::cost);
    double cost = kOperation * static_cast<double>(chosen.size() - 1);
    for (const Atom* const atom : chosen) cost += atom->cost;
    best.take(cost, joined(chosen, joins));
  }

  /// Of `either` the opposites of the atoms.
  Expression joined(const std::vector<const Atom*>& atoms_of, Operation joins) const {
    std::optional<Expression> e;
    for (const Atom* const atom : atoms_of) {
      Atom one = *atom;
      if (joins == either) one.operation = one.whole ? negation : opposite(one.operation);
      e = e ? operation(joins, std::move(*e), expression(one)) : expression(one);
    }
    return std::move(*e);
  }

  static Operation opposite(Operation comparison) {
    switch (comparison) {
      case either:
      case both:
        return negation;
      case equal:
        return not_equal;
      case not_equal:
        return equal;
      case less:
        return greater_equal;
      case greater_equal:
        return less;
      case greater:
        return less_equal;
      default:
        return greater;
    }
  }

  // --- what is left out

  std::int64_t at(const Expression& e, std::size_t row) const { return e.at(rows.variables[row]); }

  /// Calls decided() once for each kind of search (a number) and samples, and keeps its answer: the forms of a program have most values in
  /// common.
  template <class Search, class Same>
  std::optional<Rule> decide(std::int64_t kind, std::span<const Sample> samples, const Search& search,
                             const Same& same) const {
    std::vector<std::int64_t> asked{kind};
    for (const Sample& s : samples) asked.insert(asked.end(), {s.row, s.value});
    const auto known_answer = answers.find(asked);
    if (known_answer != answers.end()) return known_answer->second;
    return answers.emplace(std::move(asked), decided(samples, search, same)).first->second;
  }

  /// The rule among candidates of a search, and what is to be said of it.
  template <class Search, class Same>
  std::optional<Rule> decided(std::span<const Sample> samples, const Search& search, const Same& same) const {
    const auto all = search(samples);
    if (all.empty()) return {};
    Rule rule{.expression = all[0].expression, .cost = all[0].cost, .weak = all[0].weak, .needs = all[0].needs};
    leave_out(samples, search, same, rule);
    const double margin = rule.contradicted > 0 ? kWideMargin : kMargin;
    for (std::size_t c = 1; c < all.size() && all[c].cost < rule.cost + margin; ++c) {
      bool differs = false;
      for (std::size_t row = 0; row < n && !differs; ++row) {
        if (rows.run[row] != Rows::kNotTraced) continue;
        if (all[0].needs && at(*all[0].needs, row) != 1) continue;  // it says nothing there
        const std::int64_t one = at(rule.expression, row), other = at(all[c].expression, row);
        differs = one != kUndefined && other != kUndefined && one != other;
      }
      if (!differs) continue;
      if (rule.rivals.empty() && all[c].needs && !rule.needs)
        rule.needs = operation(equal, rule.expression, all[c].expression);
      rule.rivals.push_back(all[c].expression);
    }
    return rule;
  }

  template <class Search, class Same>
  void leave_out(std::span<const Sample> samples, const Search& search, const Same& same, Rule& rule) const {
    std::set<std::uint32_t> runs;
    for (const Sample& s : samples) runs.insert(rows.run[s.row]);
    if (runs.size() < 2) return;
    for (const std::uint32_t out : runs) {
      std::vector<Sample> others, left;
      for (const Sample& s : samples) (rows.run[s.row] == out ? left : others).push_back(s);
      const auto found = search(others);
      const bool right = !found.empty() && same(found[0].expression, left);
      ++(right ? rule.confirmed : rule.contradicted);
    }
  }
};

Basis::Basis(Rows rows) : terms_(std::make_unique<Terms>(std::move(rows))) {}
Basis::~Basis() = default;
Basis::Basis(Basis&&) noexcept = default;
Basis& Basis::operator=(Basis&&) noexcept = default;

const Rows& Basis::rows() const { return terms_->rows; }

std::optional<Rule> Basis::find(std::span<const Sample> samples, Known known) const {
  return terms_->decide(
      static_cast<std::int64_t>(known), samples,
      [&](std::span<const Sample> some) { return terms_->candidates(some, 0, known); },
      [&](const Expression& e, std::span<const Sample> left) {
        return std::ranges::all_of(left, [&](const Sample& s) { return terms_->at(e, s.row) == s.value; });
      });
}

std::optional<Rule> Basis::condition(std::span<const Sample> samples) const {
  constexpr std::int64_t kConditions = -1;
  return terms_->decide(
      kConditions, samples, [&](std::span<const Sample> some) { return terms_->conditions(some); },
      [&](const Expression& e, std::span<const Sample> left) {
        return std::ranges::all_of(left,
                                   [&](const Sample& s) { return (terms_->at(e, s.row) != 0) == (s.value != 0); });
      });
}

std::optional<Rule> Basis::partition(std::span<const Sample> labels) const {
  const auto tells_apart = [&](const auto& value, std::span<const Sample> some) {
    std::map<std::pair<std::uint32_t, std::int64_t>, std::int64_t> label_of, value_of;
    return std::ranges::all_of(some, [&](const Sample& s) {
      const std::int64_t v = value(s.row);
      const std::uint32_t run = terms_->rows.run[s.row];
      return v != kUndefined && label_of.try_emplace({run, v}, s.value).first->second == s.value &&
             value_of.try_emplace({run, s.value}, v).first->second == v;
    });
  };
  constexpr std::int64_t kPartitions = -2;
  return terms_->decide(
      kPartitions, labels,
      [&](std::span<const Sample> some) {
        Terms::Best best{terms_->rows.guessed};
        for (std::uint32_t t = 0; t < terms_->terms.size() && best.may(terms_->terms[t].cost); ++t)
          if (tells_apart([&](std::uint32_t row) { return terms_->of(t)[row]; }, some))
            best.take(terms_->terms[t].cost, terms_->expression(t));
        // Any of those that make the same groups will do.
        auto all = std::move(best).sorted();
        if (all.size() > 1) all.resize(1);
        return all;
      },
      [&](const Expression& e, std::span<const Sample> left) {
        return tells_apart([&](std::uint32_t row) { return terms_->at(e, row); }, left);
      });
}

}  // namespace skelgen::generalize
