#include "emit/repeated.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace skelgen::emit {
namespace {

constexpr std::size_t kFewestSaved = 6;  // lines: a function must be worth that its reader looks elsewhere
constexpr std::size_t kMostStatements = 1000;
constexpr std::string_view kRow = "gap[";

/// A statement of a function's top level.
struct Statement {
  std::string text;               ///< its lines; a row of `gap` is "gap[]", without comments
  std::vector<std::size_t> rows;  ///< numbers of these rows
  std::size_t begin, end;         ///< in `functions`
  std::size_t lines;
};
using Statements = std::vector<Statement>;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

void add_line(Statement& to, std::string_view line) {
  if (const auto comment = line.find("/*"); comment != std::string_view::npos)
    line = line.substr(0, line.find_last_not_of(' ', comment - std::min<std::size_t>(comment, 1)) + 1);
  for (auto at = line.find(kRow); at != std::string_view::npos; at = line.find(kRow)) {
    at += kRow.size();
    to.text += line.substr(0, at);
    std::size_t row = 0;
    for (; at < line.size() && line[at] >= '0' && line[at] <= '9'; ++at)
      row = 10 * row + static_cast<std::size_t>(line[at] - '0');
    to.rows.push_back(row);
    line.remove_prefix(at);
  }
  to.text += line;
  if (!to.text.ends_with('\n')) to.text += '\n';
  ++to.lines;
}

bool is_phase(std::string_view line) {
  return line.starts_with("static void ") && line.ends_with("(void) {\n") &&
         !line.starts_with("static void iteration_");
}

/// The statements of all phases in order; an empty one, which no other is equal to, behind each phase.
Statements statements_of(std::string_view functions) {
  Statements all;
  bool inside = false;
  std::size_t at = 0;
  for (const std::string_view line : lines_of(functions)) {
    const std::size_t begin = std::exchange(at, at + line.size());
    if (!inside || line == "}\n") {
      if (inside) all.push_back({{}, {}, begin, begin, 0});
      inside = is_phase(line);
      continue;
    }
    const bool goes_on =
        !all.empty() && all.back().end == begin && (line.starts_with("   ") || line.starts_with("  }"));
    if (!goes_on) all.push_back({{}, {}, begin, begin, 0});
    add_line(all.back(), line);
    all.back().end = at;
  }
  return all;
}

/// Statements [first, first + length) and all that are equal to them, in order; none overlaps another.
struct Repetition {
  std::size_t length = 0;
  std::vector<std::size_t> places;
};

/// Whether the rows of both sequences follow each other alike.
bool alike(const Statements& all, std::size_t a, std::size_t b, std::size_t length) {
  std::optional<std::size_t> distance;
  for (std::size_t s = 0; s < length; ++s)
    for (std::size_t r = 0; r < all[a + s].rows.size(); ++r) {
      const std::size_t now = all[b + s].rows[r] - all[a + s].rows[r];
      if (distance && now != *distance) return false;
      distance = now;
    }
  return true;
}

std::size_t lines(const Statements& all, std::size_t first, std::size_t length) {
  std::size_t sum = 0;
  for (std::size_t s = first; s < first + length; ++s) sum += all[s].lines;
  return sum;
}

/// The sequence that saves most lines as a function; nothing if none saves enough.
std::optional<Repetition> best_of(const Statements& all) {
  const std::size_t n = all.size();
  std::vector<std::size_t> same(n + 1, 0);              // statements from i on and from j on that are equal
  std::set<std::pair<std::size_t, std::size_t>> tried;  // first and length
  std::optional<Repetition> best;
  std::size_t most = kFewestSaved - 1;
  for (std::size_t i = n; i-- > 0;)
    for (std::size_t j = i + 1; j < n; ++j) {
      same[j] = !all[i].text.empty() && all[i].text == all[j].text ? same[j + 1] + 1 : 0;
      const std::size_t length = std::min(same[j], j - i);
      if (length == 0 || !tried.emplace(i, length).second) continue;
      Repetition found{length, {i}};
      for (std::size_t k = i + length; k + length <= n; ++k) {
        const auto equal = [&](std::size_t s) {
          return all[k + s].text == all[i + s].text && !all[k + s].text.empty();
        };
        std::size_t s = 0;
        while (s < length && equal(s)) ++s;
        if (s < length || !alike(all, i, k, length)) continue;
        found.places.push_back(k);
        k += length - 1;
      }
      const std::size_t own = lines(all, i, length), copies = found.places.size();
      const std::size_t before = copies * own, after = own + copies + 4;  // head, comment, end and a blank line
      if (before <= after + most) continue;
      most = before - after;
      best = std::move(found);
    }
  return best;
}

}  // namespace

std::string share_repeated(std::string_view functions) {
  std::string text(functions), shared;
  for (int number = 1;; ++number) {
    const Statements all = statements_of(text);
    if (all.size() > kMostStatements) break;
    const auto best = best_of(all);
    if (!best) break;
    const std::size_t first = best->places[0];
    std::vector<std::size_t> rows;
    for (std::size_t s = first; s < first + best->length; ++s)
      rows.insert(rows.end(), all[s].rows.begin(), all[s].rows.end());
    shared += fmt::format("/* in {} places{} */\nstatic void repeated_{}({}) {{\n", best->places.size(),
                          rows.empty() ? "" : "; g: its first row of gap", number, rows.empty() ? "void" : "int g");
    std::size_t row = 0;
    for (std::size_t s = first; s < first + best->length; ++s) {
      std::string_view left = all[s].text;
      for (auto at = left.find("gap[]"); at != std::string_view::npos; at = left.find("gap[]")) {
        const std::size_t by = rows[row++] - rows[0];
        shared += left.substr(0, at + kRow.size());
        shared += by ? fmt::format("g + {}", by) : "g";
        left.remove_prefix(at + kRow.size());
      }
      shared += left;
    }
    shared += "}\n\n";
    for (auto place = best->places.rbegin(); place != best->places.rend(); ++place) {
      const auto& begin = all[*place];
      const auto& end = all[*place + best->length - 1];
      const auto first_row = [&] {
        for (std::size_t s = *place; s < *place + best->length; ++s)
          if (!all[s].rows.empty()) return std::to_string(all[s].rows[0]);
        return std::string();
      };
      text.replace(begin.begin, end.end - begin.begin, fmt::format("  repeated_{}({});\n", number, first_row()));
    }
  }
  return shared + text;
}

}  // namespace skelgen::emit
