#include "merge/peel.h"

#include <algorithm>
#include <optional>

#include "merge/align.h"

namespace skelgen::merge {
namespace {

constexpr std::uint64_t kSurplus = 3, kLeastTrips = 4;
constexpr std::size_t kCellsInAll = 200'000'000;  // of all alignments together; after that what there is stays

struct Attempt {
  std::vector<fold::Program> programs;
  std::vector<ClassProgram> nodes;
  std::vector<Aligned> merged;
};

Attempt attempt(const normalize::Normalized& normalized, std::vector<fold::Program> programs, std::size_t& cells) {
  Attempt result{std::move(programs), {}, {}};
  for (const fold::Program& program : result.programs) result.nodes.push_back(class_program(program));
  result.merged = align(normalized, result.nodes, cells);
  return result;
}

std::size_t length(const std::vector<Aligned>& block) {
  std::size_t n = 0;
  for (const Aligned& a : block) n += a.body.empty() ? 1 : length(a.body);
  return n;
}

struct Trips {
  std::uint64_t least, most;
};
Trips trips_of(const Attempt& attempt, const Aligned& loop) {
  Trips trips{~std::uint64_t{0}, 0};
  for (const Part& part : loop.parts) {
    const std::uint64_t own = attempt.nodes[part.program][part.node].trips;
    trips = {std::min(trips.least, own), std::max(trips.most, own)};
  }
  return trips;
}

bool uneven(const Attempt& attempt, const Aligned& node) {
  if (node.body.empty()) return false;
  const Trips trips = trips_of(attempt, node);
  return trips.least < trips.most;
}

std::size_t uneven(const Attempt& attempt) {
  return static_cast<std::size_t>(std::count_if(attempt.merged.begin(), attempt.merged.end(),
                                                [&](const Aligned& a) { return uneven(attempt, a); }));
}

// A loop inside has trips that are listed for the iterations that there are.
bool lists_trips(const Attempt& attempt, const Aligned& loop) {
  return std::ranges::any_of(loop.parts, [&](const Part& part) {
    const ClassProgram& nodes = attempt.nodes[part.program];
    return std::any_of(nodes.begin() + part.node, nodes.begin() + nodes[part.node].end,
                       [](const ClassNode& node) { return !node.each.empty(); });
  });
}

// The loop at top-level node `part` keeps `trips`; up to `front` of the others go before it, the rest behind.
void peel(fold::Program& program, const ClassProgram& nodes, std::uint32_t part, std::uint64_t trips,
          std::uint64_t front) {
  std::size_t top = 0;
  for (std::uint32_t i = 0; i < part; i = nodes[i].end) ++top;
  fold::Node loop = program[top];
  const std::uint64_t surplus = loop.trips - trips, before = std::min(front, surplus);
  loop.trips = trips;
  fold::Program replacement;
  for (std::uint64_t i = 0; i < before; ++i) replacement.insert(replacement.end(), loop.body.begin(), loop.body.end());
  replacement.push_back(loop);
  for (std::uint64_t i = before; i < surplus; ++i)
    replacement.insert(replacement.end(), loop.body.begin(), loop.body.end());
  const auto place = program.erase(program.begin() + static_cast<std::ptrdiff_t>(top));
  program.insert(place, replacement.begin(), replacement.end());
}

}  // namespace

Alignment with_equal_trips(const normalize::Normalized& normalized, std::span<const fold::Program> programs) {
  std::size_t cells = 0;
  Attempt now = attempt(normalized, {programs.begin(), programs.end()}, cells);
  for (std::size_t i = 0; i < now.merged.size() && cells <= kCellsInAll; ++i) {
    if (!uneven(now, now.merged[i])) continue;
    const Trips trips = trips_of(now, now.merged[i]);
    if (trips.least < kLeastTrips || trips.most - trips.least > kSurplus || lists_trips(now, now.merged[i])) continue;
    std::optional<Attempt> best;
    for (std::uint64_t front = 0; front <= trips.most - trips.least; ++front) {
      std::vector<fold::Program> peeled = now.programs;
      for (const Part& part : now.merged[i].parts)
        peel(peeled[part.program], now.nodes[part.program], part.node, trips.least, front);
      Attempt next = attempt(normalized, std::move(peeled), cells);
      if (length(next.merged) <= length(now.merged) && uneven(next) < uneven(now) &&
          (!best || length(next.merged) < length(best->merged)))
        best = std::move(next);
    }
    if (!best) continue;
    now = std::move(*best);
    i = ~std::size_t{0};  // positions have changed: start again
  }
  return {std::move(now.nodes), std::move(now.merged)};
}

}  // namespace skelgen::merge
