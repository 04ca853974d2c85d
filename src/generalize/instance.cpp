#include "generalize/instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "generalize/expression.h"
#include "generalize/growth.h"
#include "support/error.h"
#include "text/words.h"

namespace skelgen::generalize {
namespace {

using Locations = text::Locations;

constexpr std::uint32_t kP = 0, kR = 1, kK = 2;  ///< variables that every text has
constexpr std::int64_t kMostItems = std::int64_t{1} << 20;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

/// Without what follows # outside of quotes.
std::string_view without_comment(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '\\')
      ++i;
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == '#' && !quoted)
      return line.substr(0, i);
  }
  return line;
}

/// Calls visit(i) for each place of a text outside of brackets and quotes until it returns true; the place, or the length.
template <class Visit>
std::size_t find_outside(std::string_view text, std::size_t from, const Visit& visit) {
  int depth = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        if (text[i] == '\\') ++i;
      continue;
    }
    if (depth == 0 && visit(i)) return i;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
  }
  return text.size();
}

std::vector<std::string_view> split(std::string_view text, char sign) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = find_outside(text, begin, [&](std::size_t i) { return text[i] == sign; });
    parts.push_back(trimmed(text.substr(begin, end - begin)));
    if (end == text.size()) return parts;
    begin = end + 1;
  }
}

/// Takes the word at the begin of the text if it is this one.
bool accept(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  const auto rest = text.substr(word.size());
  if (!rest.empty() && rest.front() != ' ' && rest.front() != '\t') return false;
  text = trimmed(rest);
  return true;
}

/// A text with expressions in it: literals, $(EXPRESSION), $each(k < EXPRESSION: TEMPLATE), $time(GROWTH).
struct Template {
  struct Piece {
    std::string literal = {};
    std::optional<Expression> expression = {};  ///< a number, or how many items
    std::optional<RankTimes> time = {};
    std::vector<Piece> item = {};  ///< of $each
  };
  std::vector<Piece> pieces;
  bool differs = false;  ///< by location
};

class Instance {
 public:
  Instance(std::string_view text, const std::string& file, std::uint32_t ranks)
      : text_(text), file_(file), ranks_(ranks), names_{"p", "r", "k"}, all_(ranks) {
    std::iota(all_.begin(), all_.end(), 0u);
    for (std::uint32_t l = 0; l < ranks; ++l)
      variables_.push_back({static_cast<std::int64_t>(ranks), static_cast<std::int64_t>(l), kUndefined});
  }

  std::string run() {
    for (std::size_t begin = 0; begin < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      ++number_;
      at_ = fmt::format("{}:{}", file_, number_);
      line(text_.substr(begin, end - begin));
      out_ += '\n';
      begin = end + 1;
    }
    if (!around_.empty()) fail("the program does not end; \"}\" is missing");
    return out_ + behind_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw Error(Code::corrupt, at_, {}, what); }
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(Code::unsupported, at_, {}, fmt::format("not for {} ranks: {}", ranks_, what));
  }

  void line(std::string_view whole) {
    const std::string_view line = trimmed(without_comment(whole));
    if (line.empty()) return;
    if (!around_.empty()) return statement(line);
    std::string_view rest = line;
    if (accept(rest, "ranks")) return ranks(rest);
    if (accept(rest, "let")) return define(rest);
    if (accept(rest, "needs")) return needs(rest);
    if (accept(rest, "computation_error")) return computation_error(rest);
    if (rest.starts_with("program")) {
      out_ += line;
      around_.push_back({all_, true, 0});
      return;
    }
    const Locations where = who(rest, all_);
    if (where.empty()) return;
    if (accept(rest, "comm")) return shared("comm", rest, where);
    if (accept(rest, "window")) return shared("window", rest, where);
    if (accept(rest, "file")) return shared("file", rest, where);
    head(rest, where);
  }

  void ranks(std::string_view rest) {
    if (!accept(rest, kAnyRanks)) fail("a skeleton for one number of ranks; write \"ranks any\"");
    out_ += fmt::format("ranks {}", ranks_);
    if (!accept(rest, "from")) {
      if (!rest.empty()) fail("expected \"from (4, 8, 16)\" or nothing behind \"ranks any\"");
      return;
    }
    if (rest.size() < 2 || rest.front() != '(' || rest.back() != ')')
      fail("expected numbers, (4, 8, 16), behind \"from\"");
    std::vector<std::uint32_t> traced;
    for (const auto one : split(rest.substr(1, rest.size() - 2), ',')) {
      const std::int64_t n = parse(one, {}, at_).at({});
      if (n < 1 || n > INT32_MAX) fail("a number of ranks below 1 or above 2^31");
      traced.push_back(static_cast<std::uint32_t>(n));
    }
    largest_ = std::ranges::max(traced);
    const Family family = family_of(traced);
    if (!belongs(ranks_, family))
      throw Error(Code::unsupported, at_, {},
                  fmt::format("not for {} ranks: all traced numbers are {}, {} is not one of those", ranks_,
                              generalize::text(family), ranks_),
                  "add a trace with such a number, or leave out \"from\" if the program does not depend on it");
  }

  void define(std::string_view rest) {
    const std::size_t sign = rest.find('=');
    if (sign == std::string_view::npos) fail("expected \"let NAME = EXPRESSION\"");
    const std::string name(trimmed(rest.substr(0, sign)));
    if (!text::is_identifier(name) || std::ranges::find(names_, name) != names_.end())
      fail(fmt::format("\"{}\" is no name that is still free", name.substr(0, 60)));
    const Expression rule = parse(rest.substr(sign + 1), names_, at_);
    if (mentions(rule, kK, kK))
      fail(fmt::format("k, the number of an element, is known in a list only, not in {}", name));
    // Ranks that do not use it need no value of it.
    for (auto& variables : variables_) variables.push_back(rule.at(variables));
    names_.push_back(name);
    definitions_.push_back(rule);
  }

  void needs(std::string_view rest) {
    const Expression rule = parse(rest, names_, at_);
    for (const auto& variables : variables_) {
      const std::int64_t value = rule.at(variables);
      if (value == kUndefined) refuse(why_undefined(rule, variables, names_, definitions_));
      if (value == 0)
        throw Error(Code::unsupported, at_, {},
                    fmt::format("not for {} ranks: the skeleton needs {}", ranks_, text_of(rule)),
                    "trace such a number of ranks, too, or remove the line where it does not matter");
    }
  }

  /// E, and at four times the largest traced number of ranks 2 E, at eight times 3 E.
  void computation_error(std::string_view rest) {
    double error = 0;
    const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), error);
    if (problem != std::errc() || end != rest.data() + rest.size() || !(error >= 0 && error <= kMostError))
      fail(fmt::format("\"{}\" is no relative error; write computation_error 0.05", rest.substr(0, 60)));
    if (!largest_) fail("computation_error stands before \"ranks any from (...)\", or that has no numbers");
    const double doublings = std::log2(static_cast<double>(ranks_) / largest_);
    if (error > 0) out_ += fmt::format("note \"computation_error\" \"{:.4g}\"", error * std::max(1.0, doublings));
  }

  std::string text_of(const Expression& rule) const { return generalize::text(rule, names_); }

  /// "[CONDITION] " at the begin: who of `around` it is about.
  Locations who(std::string_view& rest, const Locations& around) {
    if (!rest.starts_with('[')) return around;
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) fail("\"]\" is missing");
    const Expression& rule = condition(rest.substr(1, end - 1));
    rest = trimmed(rest.substr(end + 1));
    Locations where;
    for (const std::uint32_t l : around)
      if (number(rule, l) != 0) where.push_back(l);
    return where;
  }

  const Expression& condition(std::string_view text) {
    const auto [known, added] = conditions_.try_emplace(std::string(text));
    if (added) {
      known->second = parse(text, names_, at_);
      if (known->second.operation == Operation::constant)
        fail(fmt::format("[{}] is no condition; write [r == {}]", text, text));
    }
    return known->second;
  }

  std::int64_t number(const Expression& rule, std::uint32_t l) const {
    const std::int64_t value = rule.at(variables_[l]);
    if (value == kUndefined) refuse(why_undefined(rule, variables_[l], names_, definitions_));
    return value;
  }

  // --- templates

  const Template& compiled(std::string_view text) {
    const auto [known, added] = templates_.try_emplace(std::string(text));
    if (added) {
      std::string_view rest = text;
      known->second.pieces = pieces(rest);
      known->second.differs = text.find('$') != std::string_view::npos;
    }
    return known->second;
  }

  std::vector<Template::Piece> pieces(std::string_view& rest) {
    std::vector<Template::Piece> all;
    while (!rest.empty()) {
      const std::size_t sign = std::min(rest.find('$'), rest.size());
      if (sign > 0) all.push_back({.literal = std::string(rest.substr(0, sign))});
      rest.remove_prefix(sign);
      if (rest.empty()) break;
      if (rest.starts_with("$(")) {
        rest.remove_prefix(2);
        all.push_back({.expression = parse_front(rest, names_, at_)});
        close(rest);
      } else if (rest.starts_with("$time(")) {
        const std::size_t end = closing(rest, 5);
        all.push_back({.time = parse_times(rest.substr(6, end - 6), at_)});
        rest.remove_prefix(end + 1);
      } else if (rest.starts_with("$each(")) {
        const std::size_t end = closing(rest, 5);
        std::string_view inside = trimmed(rest.substr(6, end - 6));
        rest.remove_prefix(end + 1);
        if (!accept(inside, "k") || !accept(inside, "<")) fail("expected \"$each(k < NUMBER: ITEM)\"");
        Template::Piece each{.expression = parse_front(inside, names_, at_)};
        inside = trimmed(inside);
        if (!inside.starts_with(':')) fail("expected \": ITEM\" in \"$each(k < NUMBER: ITEM)\"");
        inside = trimmed(inside.substr(1));
        each.item = pieces(inside);
        if (each.item.empty()) fail("$each without an item");
        all.push_back(std::move(each));
      } else {
        fail("expected \"$(\", \"$each(\" or \"$time(\"");
      }
    }
    return all;
  }

  void close(std::string_view& rest) const {
    rest = trimmed_front(rest);
    if (!rest.starts_with(')')) fail(fmt::format("\"{}\" follows an expression; expected \")\"", rest.substr(0, 20)));
    rest.remove_prefix(1);
  }
  static std::string_view trimmed_front(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    return text;
  }
  std::size_t closing(std::string_view text, std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
      if (text[i] == '(') ++depth;
      if (text[i] == ')' && --depth == 0) return i;
    }
    fail("\")\" is missing");
  }

  std::string filled(const std::vector<Template::Piece>& pieces, std::uint32_t l) {
    constexpr std::string_view kSeparator = ", ";
    std::string result;
    bool none = false;  // no items at the begin of a list: what separates them from the next goes
    for (const Template::Piece& piece : pieces) {
      if (piece.time) {
        if (piece.time->differs()) fail("a time that differs from rank to rank, where all have the same one");
        result += text::seconds(seconds_of(*piece.time, l, 0, 1));
      } else if (!piece.item.empty()) {
        const std::int64_t n = number(*piece.expression, l);
        if (n < 0 || n > kMostItems) refuse(fmt::format("{} = {} items", text_of(*piece.expression), n));
        for (std::int64_t k = 0; k < n; ++k) {
          variables_[l][kK] = k;
          if (k > 0) result += ", ";
          result += filled(piece.item, l);
        }
        variables_[l][kK] = kUndefined;
        if (n == 0 && result.ends_with(kSeparator))
          result.resize(result.size() - kSeparator.size());
        else
          none = n == 0;
      } else if (piece.expression) {
        result += std::to_string(number(*piece.expression, l));
      } else {
        result +=
            std::string_view(piece.literal)
                .substr(std::exchange(none, false) && piece.literal.starts_with(kSeparator) ? kSeparator.size() : 0);
      }
    }
    return result;
  }

  /// A value of each location of `where`.
  std::vector<std::string> values(std::string_view text, const Locations& where) {
    struct Alternative {
      const Expression* who = nullptr;  ///< nullptr: all
      const Template* value = nullptr;
    };
    std::vector<Alternative> alternatives;
    for (std::string_view part : split(text, '|')) {
      Alternative& one = alternatives.emplace_back();
      if (part.starts_with('[')) {
        const std::size_t end = part.find(']');
        if (end == std::string_view::npos) fail("\"]\" is missing");
        one.who = &condition(part.substr(1, end - 1));
        part = trimmed(part.substr(end + 1));
      }
      one.value = &compiled(part);
    }
    if (alternatives.size() == 1 && !alternatives[0].who && !alternatives[0].value->differs)
      return std::vector<std::string>(where.size(),
                                      filled(alternatives[0].value->pieces, where.empty() ? 0 : where[0]));
    std::vector<std::string> all;
    for (const std::uint32_t l : where) {
      const Template* chosen = nullptr;
      for (const auto& [who, value] : alternatives) {
        if (who && number(*who, l) == 0) continue;
        if (chosen) refuse(fmt::format("rank {} has two values", l));
        chosen = value;
      }
      if (!chosen) refuse(fmt::format("rank {} has no value", l));
      all.push_back(filled(chosen->pieces, l));
    }
    return all;
  }

  /// Something else than one constant.
  static bool is_sequence(std::string_view value) {
    return value.starts_with("periodic") || value.starts_with("table") ||
           value.find("rank") != std::string_view::npos || value.starts_with("transposed") ||
           value.starts_with("neighbour") || value.find(" k") != std::string_view::npos ||
           value.find(" slots") != std::string_view::npos || value.ends_with('k');
  }

  /// As the text form has it: one text, "{a, b x 3}", or "[0..2] a | [3] b".
  std::string joined(const std::vector<std::string>& values, const Locations& where) const {
    std::vector<std::pair<std::string_view, Locations>> groups;
    std::map<std::string_view, std::size_t> group_of;
    bool constants = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto [known, added] = group_of.emplace(values[i], groups.size());
      if (added) {
        groups.emplace_back(values[i], Locations{});
        constants = constants && !is_sequence(values[i]);
      }
      groups[known->second].second.push_back(where[i]);
    }
    if (groups.size() == 1) return std::string(groups[0].first);
    if (constants && groups.size() > 2) return fmt::format("{{{}}}", text::runs(values));
    std::vector<std::string> items;
    for (const auto& [value, locations] : groups)
      items.push_back(fmt::format("[{}] {}", text::ranges(locations), value));
    return fmt::format("{}", fmt::join(items, " | "));
  }

  std::string value(std::string_view text, const Locations& where) { return joined(values(text, where), where); }

  static std::string prefix(const Locations& where, const Locations& around) {
    return where.size() == around.size() ? std::string() : fmt::format("[{}] ", text::ranges(where));
  }

  // --- lines of the head

  /// A line that may say something else of each location.
  void head(std::string_view rest, const Locations& where) {
    const auto lines = values(rest, where);
    std::vector<std::pair<std::string_view, Locations>> groups;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto known =
          std::ranges::find(groups, std::string_view(lines[i]), &std::pair<std::string_view, Locations>::first);
      if (known != groups.end())
        known->second.push_back(where[i]);
      else
        groups.push_back({lines[i], {where[i]}});
    }
    for (std::size_t g = 0; g < groups.size(); ++g)
      (g == 0 ? out_ : behind_) += prefix(groups[g].second, all_) + std::string(groups[g].first) + (g == 0 ? "" : "\n");
  }

  /// "c2 by $(r / px) rank $(r % px) grid ($(px) periodic)": one line of the text form for each value.
  void shared(const char* word, std::string_view rest, const Locations& where) {
    static constexpr std::string_view kClauses[] = {"by", "rank", "sources", "destinations", "grid"};
    std::map<std::string_view, std::string_view> clauses;
    std::string_view slot;
    std::string_view clause;  // the one that is being read
    for (std::size_t begin = 0; begin < rest.size();) {
      const std::size_t end = find_outside(rest, begin, [&](std::size_t i) { return rest[i] == ' '; });
      const auto token = rest.substr(begin, end - begin);
      if (std::ranges::find(kClauses, token) != std::end(kClauses)) {
        clause = token;
        clauses[clause] = {};
      } else if (!token.empty()) {
        std::string_view& to = clause.empty() ? slot : clauses[clause];
        to = to.empty()
                 ? token
                 : std::string_view(to.data(), static_cast<std::size_t>(token.data() + token.size() - to.data()));
      }
      begin = end + 1;
    }
    if (slot.empty() || !clauses.contains("by") || clauses["by"].empty())
      fail(fmt::format("expected \"{} SLOT by VALUE\": who has the same value has the same one", word));
    const auto colors = values(clauses["by"], where);
    std::vector<std::pair<std::string_view, Locations>> groups;
    std::map<std::string_view, std::size_t> group_of;
    for (std::size_t i = 0; i < where.size(); ++i) {
      const auto [known, added] = group_of.emplace(colors[i], groups.size());
      if (added) groups.emplace_back(colors[i], Locations{});
      groups[known->second].second.push_back(where[i]);
    }
    for (auto& [color, members] : groups) {
      const Locations ascending = members;
      if (clauses.contains("rank")) {
        std::vector<std::int64_t> ranks(ranks_, 0);
        const Template& rank = compiled(clauses["rank"]);
        for (const std::uint32_t l : members) ranks[l] = parse(filled(rank.pieces, l), {}, at_).at({});
        std::ranges::sort(members, {}, [&](std::uint32_t l) { return std::pair{ranks[l], l}; });
        for (std::size_t i = 0; i < members.size(); ++i)
          if (ranks[members[i]] != static_cast<std::int64_t>(i))
            refuse(fmt::format("rank {} of {} in {} stands nowhere, or twice", i, members.size(), slot));
      }
      behind_ += fmt::format("{} {} of [{}]", word, value(slot, ascending), in_order(members));
      for (const char* const of_members : {"sources", "destinations"})
        if (clauses.contains(of_members))
          behind_ += fmt::format(" {} {}", of_members, value(clauses[of_members], ascending));
      if (clauses.contains("grid"))
        behind_ += fmt::format(" grid {}", filled(compiled(clauses["grid"]).pieces, ascending[0]));
      behind_ += "\n";
    }
  }

  static std::string in_order(const Locations& members) {
    std::string text;
    for (std::size_t i = 0, end; i < members.size(); i = end) {
      for (end = i + 1; end < members.size() && members[end] == members[end - 1] + 1;) ++end;
      text += fmt::format("{}{}", text.empty() ? "" : ",", members[i]);
      if (end - i > 1) text += fmt::format("..{}", members[end - 1]);
    }
    return text;
  }

  // --- statements

  struct Around {
    Locations where;
    bool program;
    std::size_t begin;  ///< of the loop's line in out_
    bool empty = true;  ///< nothing was written in it
  };

  void statement(std::string_view line) {
    if (line == "}") {
      const Around done = std::move(around_.back());
      around_.pop_back();
      if (done.program || !done.empty) {
        if (!done.where.empty()) out_ += "}";
      } else if (!done.where.empty()) {
        // A loop without a statement at this number of ranks: its lines stay empty.
        std::string lines(static_cast<std::size_t>(
                              std::count(out_.begin() + static_cast<std::ptrdiff_t>(done.begin), out_.end(), '\n')),
                          '\n');
        out_.replace(done.begin, std::string::npos, lines);
      }
      return;
    }
    Around& around = around_.back();
    std::string_view rest = line;
    Locations where = who(rest, around.where);
    if (accept(rest, "loop")) return loop(rest, std::move(where));
    if (where.empty()) return;
    std::string written;
    for (const char* const word : {"compute", "between"})
      if (accept(rest, word)) {
        out_ += prefix(where, around.where) + fmt::format("{} {}", word, computed(compiled(rest).pieces, where));
        return;
      }
    around.empty = false;
    for (Around& outer : around_) outer.empty = false;
    out_ += prefix(where, around.where) + call(rest, where);
  }

  double seconds_of(const RankTimes& times, std::uint32_t l, std::size_t i, std::size_t n) const {
    const double seconds = times.at(ranks_, l, i, n);
    if (!std::isfinite(seconds)) refuse("a time that is no number");
    return seconds;
  }

  /// A time of all these ranks, or "{1.25, 1.3 x 3} us", one for each.
  std::string computed(const std::vector<Template::Piece>& pieces, const Locations& where) {
    if (pieces.empty() || !pieces[0].time || !pieces[0].time->differs()) return filled(pieces, where[0]);
    std::vector<double> each;
    for (std::size_t i = 0; i < where.size(); ++i)
      each.push_back(seconds_of(*pieces[0].time, where[i], i, where.size()));
    return text::seconds(each) + filled({pieces.begin() + 1, pieces.end()}, where[0]);
  }

  void loop(std::string_view rest, Locations where) {
    if (!rest.ends_with('{')) fail("expected \"loop TRIPS {\"");
    const auto trips = trimmed(rest.substr(0, rest.size() - 1));
    const std::size_t begin = out_.size();
    if (!where.empty()) {
      auto each = values(trips, where);
      Locations some;
      std::vector<std::string> own;
      for (std::size_t i = 0; i < where.size(); ++i) {
        if (each[i] == "0") continue;
        some.push_back(where[i]);
        own.push_back(std::move(each[i]));
      }
      where = std::move(some);
      if (!where.empty()) out_ += prefix(where, around_.back().where) + fmt::format("loop {} {{", joined(own, where));
    }
    around_.push_back({std::move(where), false, begin});
  }

  std::string call(std::string_view rest, const Locations& where) {
    const std::size_t open = rest.find('(');
    if (open == std::string_view::npos) fail("expected a call, \"loop\", \"compute\" or \"}\"");
    std::size_t close = open;
    for (int depth = 0; close < rest.size(); ++close) {
      if (rest[close] == '"')
        for (++close; close < rest.size() && rest[close] != '"'; ++close)
          if (rest[close] == '\\') ++close;
      if (close >= rest.size()) break;
      if (rest[close] == '(') ++depth;
      if (rest[close] == ')' && --depth == 0) break;
    }
    if (close >= rest.size()) fail("\")\" is missing");
    std::string text(rest.substr(0, open + 1));
    const auto arguments = trimmed(rest.substr(open + 1, close - open - 1));
    bool first = true;
    if (!arguments.empty())
      for (const auto argument : split(arguments, ',')) {
        const std::size_t sign = argument.find('=');
        if (sign == std::string_view::npos) fail("an argument without \"=\"");
        if (!std::exchange(first, false)) text += ", ";
        text += argument.substr(0, sign + 1);
        text += value(trimmed(argument.substr(sign + 1)), where);
      }
    text += ")";
    return text + clauses(trimmed(rest.substr(close + 1)), where);
  }

  /// The rest of a line after the closing bracket of a call.
  std::string clauses(std::string_view rest, const Locations& where) {
    std::string text;
    while (!rest.empty()) {
      const std::size_t end = find_outside(rest, 0, [&](std::size_t i) { return rest[i] == ' '; });
      const auto word = rest.substr(0, end);
      rest = trimmed(rest.substr(end));
      if (word == "in") {  // any order
        const std::size_t words = std::min(rest.find("order"), rest.size());
        text += fmt::format(" in {}", rest.substr(0, words + 5));
        rest = trimmed(rest.substr(std::min(words + 5, rest.size())));
        continue;
      }
      if (word != "got" && word != "answers" && word != "order") {
        text += fmt::format(" {}", word);
        continue;
      }
      static constexpr std::string_view kNext[] = {"in any", "answers", "number", "ends", "took", "got"};
      const std::size_t stop = find_outside(rest, 0, [&](std::size_t i) {
        return i > 0 && rest[i - 1] == ' ' &&
               std::ranges::any_of(kNext, [&](std::string_view next) { return rest.substr(i).starts_with(next); });
      });
      text += fmt::format(" {} {}", word, value(trimmed(rest.substr(0, stop)), where));
      rest = trimmed(rest.substr(stop));
    }
    return text;
  }

  const std::string_view text_;
  const std::string& file_;
  const std::uint32_t ranks_;
  Names names_;
  std::vector<Expression> definitions_;  // of the names behind p, r and k
  Locations all_;
  std::vector<std::vector<std::int64_t>> variables_;  ///< by location
  std::map<std::string, Template, std::less<>> templates_;
  std::map<std::string, Expression, std::less<>> conditions_;
  std::vector<Around> around_;  ///< blocks that are open
  std::string out_, behind_, at_;
  std::size_t number_ = 0;
  std::uint32_t largest_ = 0;  ///< traced number of ranks; 0: not known
};

}  // namespace

bool is_general(std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = trimmed(without_comment(text.substr(begin, end - begin)));
    begin = end + 1;
    if (accept(line, "ranks")) return accept(line, kAnyRanks);
    if (line.starts_with("program")) return false;
  }
  return false;
}

Family family_of(const std::vector<std::uint32_t>& ranks) {
  if (ranks.empty()) return Family::any;
  for (const Family family : {Family::powers_of_two, Family::squares})
    if (std::ranges::all_of(ranks, [&](std::uint32_t n) { return belongs(n, family); })) return family;
  return Family::any;
}

bool belongs(std::uint32_t ranks, Family family) {
  if (family == Family::powers_of_two) return std::has_single_bit(ranks);
  return family == Family::any || apply(Operation::sqrt, ranks) != kUndefined;
}

const char* text(Family family) {
  return family == Family::powers_of_two ? "powers of two" : family == Family::squares ? "squares" : "any numbers";
}

std::string instantiate(std::string_view text, const std::string& file, std::uint32_t ranks) {
  if (ranks == 0) throw Error(Code::usage, "a skeleton of 0 ranks", "give a number from 1 on");
  return Instance(text, file, ranks).run();
}

}  // namespace skelgen::generalize
