#include "emit/varying.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "emit/text.h"

namespace skelgen::emit {
namespace {

using skeleton::Compute;
using skeleton::Node;
using OfLocation = skeleton::Samples::OfLocation;

constexpr std::size_t kMostNumbers = 1024;  ///< of a location at a place
constexpr std::size_t kFewestNumbers = 16;  ///< fewer say little
constexpr std::size_t kFewestColumns = 32;  ///< an iteration's own course goes before the course over the iterations
constexpr std::size_t kShortRow = 4;        ///< rows of fewer columns do not get a line each
constexpr double kSteps = 1000;             ///< numbers are about that large

std::span<const float> row(const OfLocation& samples, std::uint64_t r) {
  const std::size_t begin = r == 0 ? 0 : samples.ends[r - 1];
  return std::span(samples.seconds).subspan(begin, samples.ends[r] - begin);
}

double sum(std::span<const float> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// Number of the column that occurrence v of a row falls into, as in the runtime.
std::uint64_t column_of(std::uint64_t v, const Table& table) {
  return std::min(v * table.columns / table.count, table.columns - 1);
}

/// A member of [begin, end), scattered, the same for all locations.
std::uint64_t pick(std::uint64_t begin, std::uint64_t end, std::uint64_t row, std::uint64_t column) {
  std::uint64_t h = (row * 0x9e3779b97f4a7c15u) ^ (column * 0xc2b2ae3d27d4eb4fu);
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9u;
  return begin + (h >> 32) % (end - begin);
}

/// Numbers of one row: each column has the value of one of the occurrences that it stands for.
void fill_row(std::span<const float> samples, std::uint64_t row, const Table& table, double unit_s,
              std::vector<int>& numbers) {
  const std::uint64_t n = samples.size();
  for (std::uint64_t c = 0; c < table.columns; ++c) {
    double seconds = 0;
    if (n > 0) {
      const std::uint64_t begin = std::min(n - 1, c * table.count / table.columns);
      const std::uint64_t end = std::clamp((c + 1) * table.count / table.columns, begin + 1, n);
      seconds = samples[pick(begin, end, row, c)];
    }
    numbers.push_back(unit_s > 0 ? static_cast<int>(std::min(2e9, std::round(seconds / unit_s))) : 0);
  }
}

/// What the numbers of row `r` add up to over `occurrences` occurrences.
double total(const std::vector<int>& numbers, std::uint64_t r, std::uint64_t occurrences, const Table& table) {
  double all = 0;
  for (std::uint64_t v = 0; v < occurrences; ++v) all += numbers[r * table.columns + column_of(v, table)];
  return all;
}

/// Which iteration the n-th kept one is, as in the runtime.
std::uint64_t kept_iteration(std::uint64_t n, const Cut& loop) {
  return 1 + static_cast<std::uint64_t>((static_cast<double>(n) + 0.5) * static_cast<double>(loop.trips - 1) /
                                        static_cast<double>(loop.kept));
}

/// Largest power of ten not above x.
double power_of_ten(double x) { return std::pow(10, std::floor(std::log10(x))); }

/// A row of a table as the kept iterations use it.
struct Use {
  std::uint64_t times = 0;      ///< that it is used
  std::uint64_t iteration = 0;  ///< of the traced loop: one in the middle of those that use it
  std::uint64_t sampled = 0;    ///< row of the samples nearest to it
};

/// Of the rows behind the first. O(kept).
std::vector<Use> uses(const Table& table, const Cut& loop, std::uint64_t sampled) {
  std::vector<Use> rows(table.rows - 1);
  const auto each = [&](auto visit) {
    for (std::uint64_t n = 0; n < loop.kept; ++n) {
      const auto i = kept_iteration(n, loop);
      visit(i, rows[(i - 1) * (table.rows - 1) / (loop.trips - 1)]);
    }
  };
  each([](std::uint64_t, Use& use) { ++use.times; });
  std::vector<std::uint64_t> left;
  for (const Use& use : rows) left.push_back((use.times + 1) / 2);
  each([&](std::uint64_t i, Use& use) {
    if (left[static_cast<std::size_t>(&use - rows.data())]-- == 1) use.iteration = i;
  });
  std::vector<std::uint64_t> iterations(sampled);
  for (std::uint64_t r = 0; r < sampled; ++r) iterations[r] = skeleton::sampled_iteration(r, sampled, loop.trips);
  for (Use& use : rows) {
    const auto after = std::lower_bound(iterations.begin() + 1, iterations.end(), use.iteration);
    use.sampled = static_cast<std::uint64_t>(std::min(after, iterations.end() - 1) - iterations.begin());
    const auto distance = [&](std::uint64_t r) {
      return std::max(iterations[r], use.iteration) - std::min(iterations[r], use.iteration);
    };
    if (use.sampled > 1 && distance(use.sampled - 1) < distance(use.sampled)) --use.sampled;
  }
  return rows;
}

Table::OfLocation whole(const OfLocation& samples, double mean_s, const Table& table) {
  Table::OfLocation own;
  const double unit = power_of_ten(mean_s / kSteps);
  fill_row(samples.seconds, 0, table, unit, own.numbers);
  const double sum = total(own.numbers, 0, samples.seconds.size(), table);
  own.unit_s = sum > 0 ? mean_s * static_cast<double>(samples.seconds.size()) / sum : 0;
  return own;
}

Table::OfLocation cut(const OfLocation& samples, double mean_s, double occurrences, const Table& table,
                      const std::vector<Use>& rows) {
  Table::OfLocation own;
  const auto first = row(samples, 0);
  const double rest_s = std::max(0.0, mean_s * occurrences - sum(first));
  const double rest = occurrences - static_cast<double>(first.size());
  const double unit = rest > 0 && rest_s > 0 ? power_of_ten(rest_s / rest / kSteps) : 0;
  std::vector<int> later;
  double numbers = 0, visits = 0;
  for (std::uint64_t r = 1; r < table.rows; ++r) {
    const auto& [times, iteration, sampled] = rows[r - 1];
    const auto own_row = row(samples, sampled);
    fill_row(own_row, sampled, table, unit, later);
    numbers += static_cast<double>(times) * total(later, r - 1, own_row.size(), table);
    visits += static_cast<double>(times * own_row.size());
  }
  own.unit_s = numbers > 0 ? rest_s / rest * visits / numbers : 0;
  if (own.unit_s <= 0) own.unit_s = mean_s / kSteps;
  fill_row(first, 0, table, own.unit_s, own.numbers);
  own.numbers.insert(own.numbers.end(), later.begin(), later.end());
  return own;
}

}  // namespace

Table tabulate(const Compute& compute, const std::vector<std::uint64_t>& occurrences, const Cut& loop,
               std::size_t most) {
  Table table;
  const auto& all = compute.samples.of;
  if (all.empty() || compute.mean_s.empty()) return table;
  const bool is_cut = loop.kept > 0;
  const std::uint64_t sampled = all[0].ends.size();
  if (is_cut && sampled < 2) return table;
  for (const OfLocation& own : all) {
    if (is_cut && own.ends.size() != sampled) return table;
    if (!is_cut) table.count = std::max<std::uint64_t>(table.count, own.seconds.size());
    for (std::uint64_t r = 0; is_cut && r < sampled; ++r)
      table.count = std::max<std::uint64_t>(table.count, row(own, r).size());
  }
  const std::uint64_t wanted = is_cut ? std::min(loop.kept, sampled - 1) : 1;
  const std::uint64_t room = std::max<std::uint64_t>(most, 2) / (wanted + is_cut);
  table.columns = std::min(table.count, std::max<std::uint64_t>({room, is_cut ? kFewestColumns : 1, 1}));
  if (is_cut) table.columns = std::min<std::uint64_t>(table.columns, std::max<std::size_t>(most, 2) / 2);
  if (is_cut) table.rows = 1 + std::min(wanted, std::max<std::uint64_t>(most, 2) / table.columns - 1);
  const auto rows = is_cut ? uses(table, loop, sampled) : std::vector<Use>{};
  for (std::size_t at = 0; at < all.size(); ++at) {
    const double mean_s = compute.mean_s[at];
    if (mean_s <= 0 || all[at].seconds.empty())
      table.of.push_back({std::vector<int>(table.rows * table.columns, 0), 0});
    else
      table.of.push_back(is_cut ? cut(all[at], mean_s, static_cast<double>(occurrences[at]), table, rows)
                                : whole(all[at], mean_s, table));
  }
  // Where not all iterations were sampled, those that were stand for all.
  if (!is_cut) table.count = std::max(table.count, *std::max_element(occurrences.begin(), occurrences.end()));
  return table;
}

Varying::Varying(const skeleton::Skeleton& skeleton, const Timing& timing, const Plan& plan)
    : skeleton_(skeleton), timing_(timing) {
  for (std::size_t i = 0; i < skeleton.program.size(); ++i) {
    const Node& node = skeleton.program[i];
    if (!node.is_loop()) continue;
    Cut loop;
    const auto found = std::find(plan.loops.begin(), plan.loops.end(), i);
    if (found != plan.loops.end()) {
      const auto& phase = plan.phases[2 * static_cast<std::size_t>(found - plan.loops.begin()) + 1];
      loop = {phase.trips, phase.kept};
    }
    find(node, true, loop);
    find(node.loop().body, loop);
  }
  std::stable_sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) { return a.weight > b.weight; });
  std::size_t locations = 0;
  for (const Place& place : places_) {
    if ((locations + place.node->where.size()) * kFewestNumbers > kNumbers) break;
    locations += place.node->where.size();
    chosen_.emplace(std::pair(place.node, place.between), place.loop);
  }
  if (locations > 0) most_ = std::min(kMostNumbers, kNumbers / locations);
}

void Varying::find(const skeleton::Block& block, const Cut& loop) {
  for (const Node& node : block) {
    find(node, false, loop);
    if (!node.is_loop()) continue;
    find(node, true, loop);
    find(node.loop().body, loop);
  }
}

void Varying::find(const Node& node, bool between, const Cut& loop) {
  const Compute& compute = between ? node.loop().between : node.before;
  if (compute.samples.of.empty()) return;
  const auto times = occurrences(node, between);
  double weight = 0;
  for (std::size_t at = 0; at < times.size(); ++at)
    weight += deviation(compute.samples.of[at]) * static_cast<double>(times[at]);
  places_.push_back({&node, between, loop, weight});
}

std::vector<std::uint64_t> Varying::occurrences(const Node& node, bool between) const {
  auto times = timing_.of(node).occurrences;
  for (std::size_t at = 0; between && at < times.size(); ++at)
    times[at] = static_cast<std::uint64_t>(node.loop().trips.of(at).sum(times[at])) - times[at];
  return times;
}

bool Varying::counts(const Node& node, bool between) const {
  const auto found = chosen_.find({&node, between});
  return found != chosen_.end() && found->second.kept > 0;
}

std::string Varying::spend(const Node& node, bool between, const std::string& iteration) {
  const auto found = chosen_.find({&node, between});
  if (found == chosen_.end()) return {};
  const Compute& compute = between ? node.loop().between : node.before;
  Table table = tabulate(compute, occurrences(node, between), found->second, most_);
  if (table.of.empty()) return {};
  tables_.push_back({std::move(table), node.where, found->second});
  const auto [least, most] = std::minmax_element(compute.mean_s.begin(), compute.mean_s.end());
  const auto low = duration(*least), high = duration(*most);
  return fmt::format("compute_varying(&varying[{}], {}); /* {} on average */", tables_.size() - 1,
                     found->second.kept > 0 ? iteration : "0", low == high ? low : low + " to " + high);
}

std::string Varying::declarations() const {
  if (tables_.empty()) return {};
  Writer out;
  out.line("/* Computation that varies: for each rank rows x columns numbers, see the end of this file. */");
  std::vector<std::string> all;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const auto& [table, where, loop] = tables_[i];
    const std::size_t size = table.rows * table.columns;
    std::vector<std::string> units, position;
    for (const auto& own : table.of) units.push_back(number(own.unit_s));
    std::string positions = "NULL";
    if (where.size() != skeleton_.locations.size()) {
      positions = fmt::format("position_{}", i);
      std::vector<std::string> of(skeleton_.locations.size(), "0");
      for (std::size_t at = 0; at < where.size(); ++at) of[where[at]] = std::to_string(at);
      out.line(fmt::format("static const int {}[] = {{{}}};", positions, join(of)));
    }
    out.line(fmt::format("static const int numbers_{}[{}];", i, size * where.size()));
    out.line(fmt::format("static const double unit_{}[] = {{{}}};", i, join(units)));
    all.push_back(fmt::format("{{numbers_{}, unit_{}, {}, {}, {}, {}, {}, 0, 0}}", i, i, positions, table.rows,
                              table.columns, table.count, loop.kept > 0 ? loop.trips - 1 : 1));
  }
  out.line("static struct skel_varying varying[] = {");
  for (const auto& line : all) out.line(fmt::format("  {},", line));
  out.line("};");
  return out.text();
}

std::string Varying::numbers() const {
  if (tables_.empty()) return {};
  Writer out;
  out.line(
      "/* Computation as traced, in units: a row for each iteration that is run here, the first one included, or for");
  out.line(" * several of them; a column for each time that the place is passed in an iteration, or for several. */");
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const auto& [table, where, loop] = tables_[i];
    out.line(fmt::format("static const int numbers_{}[{}] = {{", i, table.rows * table.columns * where.size()));
    for (std::size_t at = 0; at < where.size(); ++at) {
      out.line(fmt::format("  /* rank {}: {} x {} */", where[at], table.rows, table.columns));
      const auto& numbers = table.of[at].numbers;
      const std::size_t step = table.columns < kShortRow ? numbers.size() : table.columns;
      for (std::size_t begin = 0; begin < numbers.size(); begin += step) {
        std::vector<std::string> text;
        for (std::size_t k = begin; k < begin + step; ++k) text.push_back(std::to_string(numbers[k]));
        out.line(fmt::format("  {},", join(text)));
      }
    }
    out.line("};");
  }
  return out.text();
}

}  // namespace skelgen::emit
