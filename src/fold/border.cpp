#include "fold/border.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace skelgen::fold {
namespace {

using Symbols = std::vector<Symbol>;

constexpr std::size_t kLongestPeriod = std::size_t{1} << 20;  // symbols of a body that is looked at

bool has_period(const Symbols& symbols, std::size_t period) {
  return std::equal(symbols.begin() + static_cast<std::ptrdiff_t>(period), symbols.end(), symbols.begin());
}

/// A loop on one side of the border.
struct Part {
  std::size_t place;  // nodes between it and the border
  Symbols body;
};

/// The loops that may go on beyond a side's end: less than two of their periods stand between them and it. Longest periods
/// first: an outer loop has its inner ones.
template <class At>
std::vector<Part> parts(std::size_t nodes, const At& at) {
  std::vector<Part> found;
  Symbols between;  // in any order: only their number counts
  for (std::size_t i = 0; i < nodes; ++i) {
    const Node& node = at(i);
    Symbols body;
    if (node.is_loop() && expand_into(body, node.body, kLongestPeriod) && between.size() < 2 * body.size())
      found.push_back({i, std::move(body)});
    if (!expand_into(between, {&node, 1}, 2 * kLongestPeriod)) break;
  }
  std::ranges::stable_sort(found, std::greater{}, [](const Part& part) { return part.body.size(); });
  return found;
}

/// Makes both parts one loop, and appends what is behind it, if what stands between them has their period.
bool join(Program& program, Program& next, const Part& left, const Part& right) {
  const std::size_t period = left.body.size(), most = 8 * period;
  if (right.body.size() != period) return false;
  const auto between = std::span(program).last(left.place), head = std::span(next).first(right.place);
  Symbols symbols = left.body;
  if (!expand_into(symbols, between, most) || !expand_into(symbols, head, most)) return false;
  const std::size_t more = symbols.size() - period;
  symbols.insert(symbols.end(), right.body.begin(), right.body.end());
  if (!has_period(symbols, period)) return false;
  program.resize(program.size() - left.place);
  program.back().trips += next[right.place].trips + more / period;
  next.erase(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(right.place) + 1);
  // What is left of the last period is folded with what follows it, if that is not much.
  Symbols all(left.body.begin(), left.body.begin() + static_cast<std::ptrdiff_t>(more % period));
  const std::size_t rest = all.size();
  const bool little = expand_into(all, next, rest + most);
  if (!little) all.resize(rest);
  std::size_t same = rest;
  while (same < all.size() && all[same] == left.body[same % period]) ++same;
  program.back().trips += same / period;
  const Program end = fold(std::span(all).subspan(same / period * period), Mode::best);
  program.insert(program.end(), end.begin(), end.end());
  if (little) next.clear();
  return true;
}

}  // namespace

void append(Program& program, Program next) {
  for (bool joined = true; joined;) {
    const auto before =
        parts(program.size(), [&](std::size_t i) -> const Node& { return program[program.size() - 1 - i]; });
    const auto behind = parts(next.size(), [&](std::size_t i) -> const Node& { return next[i]; });
    joined = false;
    for (const Part& left : before)
      for (const Part& right : behind) joined = joined || join(program, next, left, right);
  }
  program.insert(program.end(), std::move_iterator(next.begin()), std::move_iterator(next.end()));
}

}  // namespace skelgen::fold
