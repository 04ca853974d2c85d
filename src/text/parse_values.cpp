#include "text/parse_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "mpi/hints.h"
#include "skeleton/groups.h"

namespace skelgen::text {
namespace {

using mpi::Role;

constexpr std::uint64_t kMostSlots = std::uint64_t{1} << 20;

std::uint64_t most_slots(Role role) {
  return role == Role::buffer ? static_cast<std::uint64_t>(mpi::kMostBuffers) : kMostSlots;
}

constexpr std::string_view kOperations[] = {
    "MPI_MAX",  "MPI_MIN",  "MPI_SUM",    "MPI_PROD",   "MPI_LAND",  "MPI_BAND",    "MPI_LOR",           "MPI_BOR",
    "MPI_LXOR", "MPI_BXOR", "MPI_MAXLOC", "MPI_MINLOC", "MPI_NO_OP", "MPI_REPLACE", "MPI_DATATYPE_NULL", "MPI_OP_NULL"};

/// What may follow where a value of this role is expected, for messages.
const char* kind_of(Role role) {
  switch (role) {
    case Role::buffer:
      return "a buffer (b0, b0+800, NULL, MPI_IN_PLACE)";
    case Role::info:
      return "hints (\"no_locks=true;same_size=true\", MPI_INFO_NULL)";
    case Role::target:
      return "a displacement, or a place in a dynamic window (8, b0, b0+800)";
    case Role::datatype:
      return "a datatype (MPI_DOUBLE, t0)";
    case Role::op:
      return "an operation (MPI_SUM, o0)";
    case Role::peer:
      return "a rank (3, rank+1, (rank+1)%size, rank^4, MPI_ANY_SOURCE, MPI_PROC_NULL)";
    case Role::comm:
    case Role::newcomm:
      return "a communicator (MPI_COMM_WORLD, c2)";
    case Role::request:
      return "a request (r0)";
    case Role::count:
      return "a number";
    default:
      return is_array(role) ? "an array ((1, 2, 3), a4)" : slot_letter(role) ? "a handle" : "a number";
  }
}

}  // namespace

void ValueParser::learn() {
  for (std::size_t n = 0; n < skeleton_.names.size(); ++n)
    names_.emplace(skeleton_.names[n], static_cast<std::int64_t>(n));
  for (std::size_t id = 0; id < skeleton_.arrays.size(); ++id)
    arrays_.emplace(skeleton_.arrays[id], static_cast<std::int64_t>(id));
}

void ValueParser::ranges(Locations& all) {
  const auto n = skeleton_.locations.size();
  if (n == 0)
    tokens_.refuse(tokens_.peek(), "locations before it is known how many there are", "write \"ranks N\" first");
  tokens_.expect("[");
  do {
    const Token at = tokens_.peek();
    const std::uint64_t first = tokens_.is("..") ? 0 : tokens_.natural("a location", n - 1);
    std::uint64_t last = first, step = 1;
    if (tokens_.accept("..")) {
      last = tokens_.peek().kind == Token::Kind::number ? tokens_.natural("a location", n - 1) : n - 1;
      if (last < first) tokens_.refuse(at, fmt::format("{}..{} has no locations", first, last));
      if (tokens_.accept("/")) step = tokens_.natural("a step", n);
      if (step == 0) tokens_.refuse(at, "a step of 0");
    }
    tokens_.count(at, (last - first) / step + 1);
    for (std::uint64_t l = first; l <= last; l += step) all.push_back(static_cast<std::uint32_t>(l));
  } while (tokens_.accept(","));
  tokens_.expect("]");
}

Locations ValueParser::where() {
  const Token at = tokens_.peek();
  Locations all;
  ranges(all);
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i] <= all[i - 1])
      tokens_.refuse(at, fmt::format("location {} behind {}", all[i], all[i - 1]), "list them ascending");
  return all;
}

Locations ValueParser::members() {
  const Token at = tokens_.peek();
  Locations all;
  ranges(all);
  Locations sorted = all;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) tokens_.refuse(at, "a location twice");
  return all;
}

std::uint64_t ValueParser::times_repeated() {
  if (!tokens_.is("x")) return 1;
  const Token at = tokens_.take();
  const std::uint64_t n = tokens_.natural("a number of repeats", tokens_.limits().values);
  if (n == 0) tokens_.refuse(at, "a value repeated 0 times");
  return n;
}

std::vector<std::int64_t> ValueParser::numbers(Role role) {
  std::vector<std::int64_t> all;
  tokens_.expect("(");
  while (!tokens_.accept(")")) {
    if (!all.empty()) tokens_.expect(",");
    const Token at = tokens_.peek();
    const std::int64_t v = value(role);
    const std::uint64_t n = times_repeated();
    tokens_.count(at, n);
    all.insert(all.end(), n, v);
  }
  return all;
}

void ValueParser::check_name(const Token& at, std::string_view name) const {
  if (mpi::datatype_size(name) == 0 && std::ranges::find(kOperations, name) == std::end(kOperations))
    tokens_.refuse(at, fmt::format("{} is no datatype and no operation of MPI that is known here",
                                   name.size() > 60 ? std::string_view("this") : name));
}

std::int64_t ValueParser::name(const Token& at, Role role) {
  if (const auto known = names_.find(at.text); known != names_.end()) return known->second;
  if (!at.text.starts_with("MPI_")) tokens_.fail(at, kind_of(role));
  check_name(at, at.text);
  const auto number = static_cast<std::int64_t>(skeleton_.names.size());
  skeleton_.names.emplace_back(at.text);
  skeleton_.name_bytes.push_back(mpi::datatype_size(at.text));
  return names_[std::string(at.text)] = number;
}

std::int64_t ValueParser::array(const std::vector<std::int64_t>& values) {
  const auto [known, added] = arrays_.emplace(values, static_cast<std::int64_t>(skeleton_.arrays.size()));
  if (added) skeleton_.arrays.push_back(values);
  return known->second;
}

/// True if "+ 2k" or "- k" comes next.
bool ValueParser::step_follows() const {
  if (!tokens_.is("+") && !tokens_.is("-")) return false;
  const Token &next = tokens_.peek(1), &then = tokens_.peek(2);
  return (next.kind == Token::Kind::word && next.text == "k") ||
         (next.kind == Token::Kind::number && then.kind == Token::Kind::word && then.text == "k");
}

/// What "b0", "t3", "a1" stand for; `at` was taken.
std::int64_t ValueParser::slot(const Token& at, Role role) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(at.text.data() + 1, at.text.data() + at.text.size(), number);
  if (end != at.text.data() + at.text.size()) tokens_.fail(at, kind_of(role));
  const std::uint64_t most = is_array(role) || role == Role::info ? skeleton_.arrays.size() : most_slots(role);
  if (problem != std::errc() || number >= most)
    tokens_.refuse(at, fmt::format("{} is beyond the last one, {}{}", at.text.substr(0, 40), at.text[0], most - 1));
  const auto slot = static_cast<std::int64_t>(number);
  if (role == Role::datatype || role == Role::op) return mpi::kMade + slot;
  if (role != Role::buffer && role != Role::target) return slot;
  std::int64_t offset = 0;
  if (tokens_.is("+") && !step_follows()) {
    tokens_.take();
    offset = static_cast<std::int64_t>(
        tokens_.natural("a number of bytes", static_cast<std::uint64_t>(mpi::kLargestBuffer) - 1));
  }
  return mpi::pack(slot, offset);
}

std::int64_t ValueParser::value(Role role) {
  const Token at = tokens_.peek();
  if (tokens_.is("(") && is_array(role)) return array(numbers(*mpi::properties(role).element));
  if (role == Role::info && at.kind == Token::Kind::string) {
    const std::string text = tokens_.string(kind_of(role));
    if (!mpi::are_hints(text))
      tokens_.refuse(at, "hints that a skeleton cannot have",
                     "write \"KEY=VALUE;KEY=VALUE\", with keys that MPIs know");
    std::vector<std::int64_t> values{mpi::kText};
    values.insert(values.end(), text.begin(), text.end());
    return array(values);
  }
  if (at.kind == Token::Kind::word) {
    tokens_.take();
    for (const mpi::Word& word : mpi::properties(role).words)
      if (word.text == at.text) return word.value;
    const char letter = slot_letter(role);
    if (letter && at.text[0] == letter && at.text.size() > 1 && at.text[1] >= '0' && at.text[1] <= '9')
      return slot(at, role);
    if (role == Role::datatype || role == Role::op) return name(at, role);
    tokens_.fail(at, kind_of(role));
  }
  if (at.kind != Token::Kind::number && !tokens_.is("-")) tokens_.fail(at, kind_of(role));
  return tokens_.integer(kind_of(role));
}

/// A formula of the rank, if there is one.
std::optional<RankRule> ValueParser::rule(Role role) {
  if (!skeleton::may_be_formula(role)) return {};
  const auto number = [&] { return static_cast<std::int64_t>(tokens_.natural("a number", INT32_MAX)); };
  if (tokens_.accept("neighbour")) {
    RankRule rule{RankRule::Kind::neighbour, 0};
    tokens_.expect("(");
    rule.dimension = static_cast<std::size_t>(number());
    tokens_.expect(",");
    const bool down = tokens_.accept("-");
    rule.c = down ? -number() : number();
    tokens_.expect(")");
    return rule;
  }
  if (tokens_.accept("transposed")) {
    tokens_.expect("(");
    const RankRule rule{RankRule::Kind::transposed, number()};
    tokens_.expect(")");
    return rule;
  }
  const bool bracket = tokens_.is("(");
  if (!bracket && !tokens_.is("rank")) return {};
  if (bracket) tokens_.take();
  tokens_.expect("rank");
  RankRule rule{RankRule::Kind::plus, 0};
  if (!bracket && tokens_.accept("^"))
    rule = {RankRule::Kind::exclusive_or, number()};
  else if (!bracket && tokens_.accept("/"))
    rule = {RankRule::Kind::row, number()};
  else if (tokens_.accept("+"))
    rule.c = number();
  else if (tokens_.accept("-"))
    rule.c = -number();
  if (bracket) tokens_.expect(")");
  if (rule.kind == RankRule::Kind::plus && (bracket || (rule.c == 0 && tokens_.is("%")))) {
    tokens_.expect("%");
    if (bracket || tokens_.is("size")) {
      tokens_.expect("size");
      rule.kind = RankRule::Kind::plus_mod;
    } else {
      rule = {RankRule::Kind::column, number()};
    }
  }
  return rule;
}

Given::Alternative ValueParser::alternative(Role role) {
  Given::Alternative one;
  if (tokens_.is("[")) one.where = where();
  const Token at = tokens_.peek();
  for (const bool periodic : {true, false}) {
    if (!tokens_.accept(periodic ? "periodic" : "table")) continue;
    one.sequence = {periodic ? Sequence::Kind::periodic : Sequence::Kind::table, numbers(role)};
    if (one.sequence.values.empty()) tokens_.refuse(at, "no values");
    return one;
  }
  one.rule = rule(role);
  if (one.rule) return one;
  one.sequence.values[0] = value(role);
  tokens_.count(at, 1);
  if (!step_follows()) return one;
  const bool down = tokens_.take().text == "-";
  std::uint64_t step = tokens_.is("k") ? 1 : tokens_.natural("a step", (std::uint64_t{1} << 63) - (down ? 0 : 1));
  tokens_.expect("k");
  if ((role == Role::buffer || role == Role::target) && tokens_.is("slots")) {
    const Token slots = tokens_.take();
    if (step > most_slots(role)) tokens_.refuse(slots, "a step of too many slots");
    step *= static_cast<std::uint64_t>(mpi::kLargestBuffer);
  }
  one.sequence.kind = Sequence::Kind::arithmetic;
  one.sequence.values.push_back(static_cast<std::int64_t>(down ? 0 - step : step));
  return one;
}

Given ValueParser::argument(Role role) {
  Given given{tokens_.peek(), role, {}, {}};
  if (tokens_.accept("{")) {
    given.each.emplace();
    do {
      const Token at = tokens_.peek();
      const std::int64_t v = value(role);
      const std::uint64_t n = times_repeated();
      tokens_.count(at, n);
      given.each->insert(given.each->end(), n, v);
    } while (tokens_.accept(","));
    tokens_.expect("}");
    return given;
  }
  do given.alternatives.push_back(alternative(role));
  while (tokens_.accept("|"));
  return given;
}

Argument ValueParser::settle(const Given& given, const Locations& where, const Call* call) {
  Argument argument;
  argument.choices.clear();
  if (given.each && given.each->size() != where.size())
    tokens_.refuse(given.at, fmt::format("{} values for {} locations", given.each->size(), where.size()));
  std::vector<const Given::Alternative*> of(where.size(), nullptr);
  for (const auto& one : given.alternatives)
    for (const std::uint32_t l : one.where ? *one.where : where) {
      const auto found = std::ranges::lower_bound(where, l);
      if (found == where.end() || *found != l)
        tokens_.refuse(given.at, fmt::format("a value for location {}, which is not among those meant here", l));
      auto& entry = of[static_cast<std::size_t>(found - where.begin())];
      if (entry) tokens_.refuse(given.at, fmt::format("two values for location {}", l));
      entry = &one;
    }
  const auto less = [](const Sequence* a, const Sequence* b) {
    return std::tie(a->kind, a->values) < std::tie(b->kind, b->values);
  };
  std::vector<Sequence> computed(where.size());
  std::map<const Sequence*, std::uint32_t, decltype(less)> known(less);
  std::unordered_map<const Sequence*, std::uint32_t> known_as_such;  // tables are compared once
  std::vector<std::uint32_t> choice;
  for (std::size_t p = 0; p < where.size(); ++p) {
    const Sequence* own = &computed[p];
    if (given.each) {
      computed[p].values[0] = (*given.each)[p];
    } else if (!of[p]) {
      tokens_.refuse(given.at, fmt::format("no value for location {}", where[p]));
    } else if (of[p]->rule) {
      const auto value = call ? rule_at(skeleton_, *call, p, where[p], *of[p]->rule) : std::nullopt;
      if (!value)
        tokens_.refuse(
            given.at,
            fmt::format(
                "the formula has no value on location {}: it is in no such communicator or window, or in several",
                where[p]));
      const bool names_rank = given.role == Role::peer || given.role == Role::root;
      if (*value < 0 && names_rank && of[p]->rule->kind != RankRule::Kind::neighbour)
        tokens_.refuse(given.at, fmt::format("the formula gives no rank on location {}", where[p]),
                       "say who has no peer: \"[1..] rank-1 | [0] MPI_PROC_NULL\"");
      computed[p].values[0] = *value;
      argument.rule = *of[p]->rule;
    } else {
      own = &of[p]->sequence;
    }
    const auto [same, first] = known_as_such.try_emplace(own, 0);
    if (first) {
      const auto [entry, added] = known.emplace(own, static_cast<std::uint32_t>(known.size()));
      if (added) {
        tokens_.count(given.at, own->values.size());
        argument.choices.push_back(*own);
      }
      same->second = entry->second;
    }
    choice.push_back(same->second);
  }
  if (argument.choices.size() > 1) {
    tokens_.count(given.at, where.size());
    argument.choice = std::move(choice);
  }
  if (!argument.rule) return argument;
  // A formula is kept only if it is one for all.
  for (std::size_t p = 0; p < where.size() && argument.rule; ++p)
    if (!holds(skeleton_, *call, p, where[p], argument)) argument.rule.reset();
  return argument;
}

std::vector<std::int64_t> ValueParser::constants(const Given& given, const Locations& where, std::int64_t most) {
  const Argument argument = settle(given, where);
  std::vector<std::int64_t> all;
  for (std::size_t p = 0; p < where.size(); ++p) {
    const Sequence& own = argument.of(p);
    if (own.kind != Sequence::Kind::constant || own.values[0] < 0 || own.values[0] > most)
      tokens_.refuse(given.at, fmt::format("no number from 0 to {}", most));
    all.push_back(own.values[0]);
  }
  return all;
}

/// The number that these digits and this power of ten say.
template <class Number>
Number ValueParser::shifted(std::string_view digits, const Token& at, int exponent) {
  int own = 0;
  const auto e = digits.find_first_of("eE");
  if (e != std::string_view::npos) {
    const auto power = digits.substr(e + (digits[e + 1] == '+' ? 2 : 1));
    if (std::from_chars(power.data(), power.data() + power.size(), own).ec != std::errc() || std::abs(own) > 100000)
      tokens_.refuse(at, "no time that a computer could tell");
  }
  const auto text = fmt::format("{}e{}", digits.substr(0, e), own + exponent);
  Number value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || !std::isfinite(value)) tokens_.refuse(at, "no time that a computer could tell");
  return value;
}

int ValueParser::unit() {
  const auto exponent = tokens_.peek().kind == Token::Kind::word ? unit_exponent(tokens_.peek().text) : std::nullopt;
  if (!exponent) tokens_.fail("a unit of time: s, ms, us or ns");
  tokens_.take();
  return *exponent;
}

double ValueParser::time() {
  const Token at = tokens_.peek();
  const auto digits = tokens_.digits("a time");
  return shifted<double>(digits, at, unit());
}

std::vector<double> ValueParser::times(std::size_t locations) {
  const Token at = tokens_.peek();
  tokens_.count(at, locations);
  if (!tokens_.accept("{")) return std::vector<double>(locations, time());
  std::vector<std::pair<Token, std::uint64_t>> items;
  do {
    const Token item = tokens_.peek();
    tokens_.digits("a time");
    const std::uint64_t n = times_repeated();
    tokens_.count(item, n);
    items.emplace_back(item, n);
  } while (tokens_.accept(","));
  tokens_.expect("}");
  const int exponent = unit();
  std::vector<double> all;
  for (const auto& [item, n] : items) all.insert(all.end(), n, shifted<double>(item.text, item, exponent));
  if (all.size() != locations) tokens_.refuse(at, fmt::format("{} times for {} locations", all.size(), locations));
  return all;
}

void ValueParser::append_times(std::vector<float>& all) {
  std::vector<std::pair<Token, std::uint64_t>> items;
  tokens_.expect("(");
  while (!tokens_.accept(")")) {
    if (!items.empty()) tokens_.expect(",");
    const Token item = tokens_.peek();
    tokens_.digits("a time");
    const std::uint64_t n = times_repeated();
    tokens_.count(item, n);
    items.emplace_back(item, n);
  }
  const int exponent = unit();
  for (const auto& [item, n] : items) all.insert(all.end(), n, shifted<float>(item.text, item, exponent));
}

}  // namespace skelgen::text
