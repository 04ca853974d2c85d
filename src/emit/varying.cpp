#include "emit/varying.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

#include "emit/code_writer.h"
#include "emit/counted.h"
#include "emit/long_gaps.h"
#include "emit/loop_runs.h"
#include "emit/values.h"
#include "skel_sampling.h"

namespace skelgen::emit {
namespace {

using skeleton::Compute;
using skeleton::Node;
using OfLocation = skeleton::Samples::OfLocation;

constexpr std::size_t kMostNumbers = 1024;  ///< of a location at a place
constexpr std::size_t kFewestNumbers = 16;  ///< fewer say little
constexpr std::size_t kFewestColumns = 32;  ///< an iteration's own course goes before the course over the iterations
constexpr std::size_t kFewestRows = 4;  ///< that remain where each pass of an execution of the inner loop has a column
constexpr std::size_t kShortRow = 4;    ///< rows of fewer columns do not get a line each
constexpr double kMostStretched =
    2;  ///< picked samples that show less than half of the time, or twice as much, are not typical
constexpr double kLargest = 2e9;  ///< number
constexpr double kSteps = 1000;   ///< numbers are about that large

std::span<const float> row(const OfLocation& samples, std::uint64_t r) {
  const std::size_t begin = r == 0 ? 0 : samples.ends[r - 1];
  return std::span(samples.seconds).subspan(begin, samples.ends[r] - begin);
}

double sum(std::span<const float> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// A member of [begin, end), scattered, the same for all locations.
std::uint64_t pick(std::uint64_t begin, std::uint64_t end, std::uint64_t row, std::uint64_t column) {
  std::uint64_t h = (row * 0x9e3779b97f4a7c15u) ^ (column * 0xc2b2ae3d27d4eb4fu);
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9u;
  return begin + (h >> 32) % (end - begin);
}

/// How a column stands for several occurrences: by one of them, which keeps the variation, or by their mean, which
/// misses nothing.
enum class Column { one, mean };

/// Columns of a row: `all` of them, for `passes` of the place in an iteration, see skel_column.
struct Columns {
  std::uint64_t all, passes, passes_per_execution = 1;
  std::uint64_t groups() const { return all / passes_per_execution; }
  /// Executions of the inner loop that the groups share.
  std::uint64_t executions() const { return std::max(passes, all) / passes_per_execution; }
};

/// Seconds of a row's columns, of which at least as many passes share them as there are samples in the row; 0 if it has none.
std::vector<double> columns_of(std::span<const float> samples, std::uint64_t row, const Columns& columns,
                               Column column) {
  std::vector<double> seconds(columns.all, 0);
  const std::uint64_t n = samples.size() / columns.passes_per_execution;
  for (std::uint64_t g = 0; g < columns.groups() && n > 0; ++g) {
    // Behind the row's end it begins again.
    const std::uint64_t first = skel_first_in(g, columns.groups(), columns.executions()), begin = first % n;
    const std::uint64_t behind = skel_first_in(g + 1, columns.groups(), columns.executions());
    const std::uint64_t end = std::clamp(begin + behind - first, begin + 1, n);
    const std::uint64_t one = pick(begin, end, row, g);
    for (std::uint64_t k = 0; k < columns.passes_per_execution; ++k) {
      double& own = seconds[g * columns.passes_per_execution + k];
      if (column == Column::one) own = samples[one * columns.passes_per_execution + k];
      for (std::uint64_t i = begin; i < end && column == Column::mean; ++i)
        own += samples[i * columns.passes_per_execution + k] / static_cast<double>(end - begin);
    }
  }
  return seconds;
}

/// What columns add up to when a place is passed `times` times. O(columns).
template <class Number>
double total(std::span<const Number> numbers, std::uint64_t times, const Columns& columns) {
  double seconds = 0;
  const std::uint64_t whole = times / columns.passes_per_execution, rest = times % columns.passes_per_execution;
  for (std::uint64_t g = 0, begin = 0; g < columns.groups() && begin * columns.passes_per_execution < times; ++g) {
    const bool last = g + 1 == columns.groups();
    const std::uint64_t behind = skel_first_in(g + 1, columns.groups(), columns.executions());
    const std::uint64_t end = last ? whole : std::min(whole, behind);
    for (std::uint64_t k = 0; k < columns.passes_per_execution; ++k) {
      const bool once_more = k < rest && whole >= begin && (last || whole < behind);
      seconds += static_cast<double>(numbers[g * columns.passes_per_execution + k]) *
                 static_cast<double>(end - begin + once_more);
    }
    begin = last ? whole : behind;
  }
  return seconds;
}

/// Largest power of ten not above x.
double power_of_ten(double x) { return std::pow(10, std::floor(std::log10(x))); }

/// A row of a table as the kept iterations use it.
struct Use {
  std::vector<Iterations::Run> run;  ///< iterations of the traced loop that use it
  std::uint64_t sampled = 0;         ///< row of the samples nearest to the one in their middle
};

/// A row for each iteration that runs, which ends in the middle between it and the next one.
std::vector<long> row_begins(const std::vector<Iterations::Run>& run) {
  std::vector<long> begin{0, 1};
  for (std::size_t n = 1; n < run.size(); ++n)
    begin.push_back(static_cast<long>((run[n - 1].number + run[n].number + 1) / 2));
  return begin;
}

/// Whether equal parts of the later iterations give each iteration that runs its own row. Iterations that always run, and
/// those of a loop inside another cut loop, are at unequal distances.
bool equal_parts(const Table& table, const Iterations& loop) {
  for (std::size_t n = 0; n < loop.run.size(); ++n)
    if (skel_row(loop.run[n].number, table.rows, loop.all - 1) != n + 1) return false;
  return true;
}

/// Of the rows behind the first. sampled: iterations. O(iterations that run).
std::vector<Use> uses(const Table& table, const Iterations& loop, const std::vector<std::uint64_t>& sampled) {
  std::vector<Use> rows(table.rows - 1);
  for (const auto& run : loop.run) {
    const std::uint64_t row = table.begin.empty() ? skel_row(run.number, table.rows, loop.all - 1)
                                                  : skel_row_from(run.number, table.rows, table.begin.data());
    rows[row - 1].run.push_back(run);
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    Use& use = rows[r];
    const std::uint64_t middle = use.run.empty() ? 1 + (2 * r + 1) * (loop.all - 1) / (2 * rows.size())
                                                 : use.run[(use.run.size() - 1) / 2].number;
    const auto after = std::lower_bound(sampled.begin() + 1, sampled.end(), middle);
    use.sampled = static_cast<std::uint64_t>(std::min(after, sampled.end() - 1) - sampled.begin());
    const auto distance = [&](std::uint64_t s) { return std::max(sampled[s], middle) - std::min(sampled[s], middle); };
    if (use.sampled > 1 && distance(use.sampled - 1) < distance(use.sampled)) --use.sampled;
  }
  return rows;
}

/// Seconds times a factor, in units; false if a number would be too large.
bool append(const std::vector<double>& seconds, double factor, double unit_s, std::vector<int>& numbers) {
  for (const double s : seconds) {
    const double n = unit_s > 0 ? std::round(s * factor / unit_s) : 0;
    if (!(n < kLargest)) return false;
    numbers.push_back(static_cast<int>(n));
  }
  return true;
}

/// Occurrences of one location at one place.
struct Course {
  const OfLocation& samples;
  double total_s;             ///< of all occurrences
  std::uint64_t occurrences;  ///< all of them
  Columns columns;
  std::size_t at;  ///< position in Node::where
};

/// The row of the samples, or the nearest one of a later iteration that is not empty: this location may pass the place
/// in a kept iteration and not in the sampled one that stands for it.
std::uint64_t filled(const OfLocation& samples, std::uint64_t r) {
  for (std::uint64_t d = 0; d < samples.ends.size(); ++d) {
    if (d < r && !row(samples, r - d).empty()) return r - d;
    if (r + d < samples.ends.size() && !row(samples, r + d).empty()) return r + d;
  }
  return r;
}

/// What the iterations that use a row spend there, each as often as it counts.
template <class Number>
double total(std::span<const Number> numbers, const Use& use, const Course& course, const Passes& passes) {
  double seconds = 0, of_one = 0;
  std::uint64_t times = 0;
  for (const auto& [number, weight] : use.run) {
    const std::uint64_t now = passes(course.at, number);
    if (now != times) of_one = total(numbers, times = now, course.columns);
    seconds += weight * of_one;
  }
  return seconds;
}

bool stretched(double factor) { return factor > kMostStretched || factor < 1 / kMostStretched; }

/// A single row for all occurrences. Empty if the samples do not show where the time is spent.
std::optional<Table::OfLocation> whole(const Course& course, Column column) {
  if (course.samples.seconds.empty()) return {};
  // The columns are laid over the samples, then passed by all occurrences.
  std::vector<float> samples = course.samples.seconds;
  const std::uint64_t n = samples.size(), least = std::min(course.columns.all, course.columns.passes);
  if (n < least) {
    samples.resize(least);
    for (std::uint64_t k = 0; k < least; ++k) samples[k] = course.samples.seconds[k * n / least];
  }
  const auto seconds = columns_of(samples, 0, {course.columns.all, samples.size()}, column);
  Table::OfLocation own{{}, 0, course.columns.passes};
  const double unit = power_of_ten(course.total_s / static_cast<double>(course.occurrences) / kSteps);
  if (!append(seconds, 1, unit, own.numbers)) return {};
  const double numbers = total(std::span<const int>(own.numbers), course.occurrences, course.columns);
  if (numbers <= 0 || (column == Column::one && stretched(course.total_s / (numbers * unit)))) return {};
  own.unit_s = course.total_s / numbers;
  return own;
}

/// Row 0 is for iteration 0, which counts `weight_of_first` times. The other rows are for the other iterations that run: together they count for the
/// rest of the computation.
std::optional<Table::OfLocation> cut(const Course& course, Column column, double weight_of_first,
                                     const std::vector<Use>& rows, const Passes& passes) {
  const auto first = row(course.samples, 0);
  const double first_s = sum(first);
  const double rest_s = std::max(0.0, course.total_s - weight_of_first * first_s);
  Table::OfLocation own{{}, 0, course.columns.passes};
  std::vector<double> later;
  double shown_s = 0;
  for (const Use& use : rows) {
    const std::uint64_t sampled = filled(course.samples, use.sampled);
    const auto seconds = columns_of(row(course.samples, sampled), sampled, course.columns, column);
    shown_s += total(std::span(seconds), use, course, passes);
    later.insert(later.end(), seconds.begin(), seconds.end());
  }
  if (rest_s > 0 && !(shown_s > 0)) return {};
  const double factor = shown_s > 0 ? rest_s / shown_s : 0;
  // Also for means: with another scale other rows are used, too, which this factor would make far too long.
  if (shown_s > 0 && stretched(factor)) return {};
  const auto seconds = columns_of(first, 0, course.columns, column);
  const double shown_first_s = total(std::span(seconds), first.size(), course.columns);
  if (first_s > 0 && !(shown_first_s > 0)) return {};
  const double unit = power_of_ten(course.total_s / static_cast<double>(course.occurrences) / kSteps);
  if (!append(seconds, first_s > 0 ? first_s / shown_first_s : 0, unit, own.numbers)) return {};
  if (!append(later, factor, unit, own.numbers)) return {};
  // What rounding changed is made good in the unit.
  double numbers = 0;
  for (std::size_t r = 0; r < rows.size(); ++r)
    numbers += total(std::span<const int>(own.numbers).subspan((r + 1) * course.columns.all, course.columns.all),
                     rows[r], course, passes);
  own.unit_s = numbers > 0 ? rest_s / numbers : unit;
  return own;
}

/// What each of `locations` locations computes at least whenever it passes the place; 0 if that is not long.
double common_of(const Table& table, std::size_t locations) {
  if (table.of.size() != locations) return 0;
  double least = 1e300;
  for (const auto& own : table.of)
    least = std::min(least, own.unit_s * *std::min_element(own.numbers.begin(), own.numbers.end()));
  return least >= kLongGap_s ? least : 0;
}

}  // namespace

Table tabulate(const Compute& compute, const std::vector<std::uint64_t>& occurrences, const Passes& passes_at,
               const std::vector<Iterations>& loops, const std::vector<std::vector<std::uint64_t>>& sampled_of,
               std::size_t most, std::uint64_t passes_per_execution) {
  const auto& all = compute.samples.of;
  const bool in_loop = !loops.empty();
  if (all.empty() || compute.mean_s.empty()) return {};
  const auto of = [](const auto& each, std::size_t at) -> const auto& { return each[each.size() == 1 ? 0 : at]; };
  std::vector<std::uint64_t> passes(all.size(), 1);
  std::uint64_t wanted = 1;
  for (std::size_t at = 0; at < all.size(); ++at) {
    if (!in_loop) {
      passes[at] = std::max<std::uint64_t>(1, occurrences[at]);
      continue;
    }
    const Iterations& loop = of(loops, at);
    const auto& sampled = of(sampled_of, at);
    if (sampled.size() < 2 || sampled[0] != 0 || loop.run.size() > kMostKept) return {};
    if (all[at].ends.size() != sampled.size()) return {};
    for (std::uint64_t r = 0; r < sampled.size(); ++r) {
      const std::uint64_t size = row(all[at], r).size();
      if (size != passes_at(at, sampled[r])) return {};
      if (size % passes_per_execution != 0) passes_per_execution = 1;
      passes[at] = std::max(passes[at], size);
    }
    for (const auto& [number, weight] : loop.run) passes[at] = std::max(passes[at], passes_at(at, number));
    wanted = std::max(wanted, 1 + std::min<std::uint64_t>(loop.run.size(), sampled.size() - 1));
  }
  // As many rows as there are iterations that run, unless that leaves too few columns.
  most = std::max<std::size_t>(most, 2);
  Table table;
  const std::uint64_t most_passes = *std::max_element(passes.begin(), passes.end());
  const std::uint64_t fewest =
      std::max<std::uint64_t>(kFewestColumns, passes_per_execution <= most / kFewestRows ? passes_per_execution : 0);
  table.columns =
      std::min({most_passes, std::max<std::uint64_t>(most / wanted, in_loop ? fewest : 1), most / (in_loop ? 2 : 1)});
  if (!in_loop || table.columns >= most_passes || passes_per_execution > table.columns) passes_per_execution = 1;
  table.passes_per_execution = passes_per_execution;
  table.columns -= table.columns % passes_per_execution;
  table.rows = in_loop ? std::min(wanted, most / table.columns) : 1;
  std::vector<std::vector<Use>> rows_of;
  if (loops.size() == 1 && table.rows == 1 + loops[0].run.size() && (loops[0].chosen || !equal_parts(table, loops[0])))
    table.begin = row_begins(loops[0].run);
  for (std::size_t l = 0; l < loops.size(); ++l) rows_of.push_back(uses(table, loops[l], of(sampled_of, l)));
  for (std::size_t at = 0; at < all.size(); ++at) {
    const Course course{all[at],
                        compute.mean_s[at] * static_cast<double>(occurrences[at]),
                        occurrences[at],
                        {table.columns, passes[at], passes_per_execution},
                        at};
    if (!(course.total_s > 0)) {
      table.of.push_back({std::vector<int>(table.rows * table.columns, 0), 0, passes[at]});
      continue;
    }
    std::optional<Table::OfLocation> own;
    for (const Column column : {Column::one, Column::mean})
      if (!own)
        own = in_loop ? cut(course, column, of(loops, at).first, of(rows_of, at), passes_at) : whole(course, column);
    if (!own) return {};
    table.of.push_back(std::move(*own));
  }
  return table;
}

namespace {

/// The iterations of a cut loop, at a location, of which samples with so many rows, for iterations of the loop of the top
/// level, have all.
std::vector<std::uint64_t> sampled_iterations(const Phase& phase, std::size_t location, std::uint64_t rows) {
  const Node& top = phase.around.empty() ? *phase.loop : *phase.around[0];
  const auto later = static_cast<std::uint64_t>(top.loop().trips.of(location).at(0)) - 1;
  std::vector<Sums> inside;
  if (!phase.around.empty()) {
    for (std::size_t i = 1; i < phase.around.size(); ++i) inside.emplace_back(phase.around[i]->loop().trips.of(0));
    inside.emplace_back(phase.loop->loop().trips.of(0));
  }
  std::vector<std::uint64_t> all;
  for (std::uint64_t r = 0; r < rows; ++r) {
    std::uint64_t begin = later == 0 ? 0 : skel_iteration_sampled(r, rows, later), end = begin + 1;
    for (const Sums& level : inside) {
      begin = level.sum(begin);
      end = level.sum(end);
    }
    for (; begin < end; ++begin) all.push_back(begin);
  }
  return all;
}

/// Passes of a place in one execution of `loop` (`between`: of the place between its iterations). 1 if executions differ, or if `loop` is the cut loop
/// itself, the only one of `around` loops around the place.
std::uint64_t passes_of_execution(const Node& loop, bool between, std::size_t around) {
  const auto& choices = loop.loop().trips.choices;
  if ((!between && around < 2) || choices.size() != 1 || choices[0].kind != skeleton::Sequence::Kind::constant)
    return 1;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(1, choices[0].values[0] - (between ? 1 : 0)));
}

/// The same samples with a row for each of these iterations; false if they are not one for each pass.
bool cut_into_rows(skeleton::Samples& samples, const std::vector<std::uint64_t>& iterations, const Passes& passes) {
  for (std::size_t at = 0; at < samples.of.size(); ++at) {
    auto& own = samples.of[at];
    own.ends.clear();
    std::uint64_t end = 0;
    for (const std::uint64_t i : iterations) own.ends.push_back(static_cast<std::uint32_t>(end += passes(at, i)));
    if (end != own.seconds.size()) return false;
  }
  return true;
}

}  // namespace

Varying::Varying(const skeleton::Skeleton& skeleton, const Timing& timing, const Plan& plan)
    : skeleton_(skeleton), timing_(timing), plan_(plan), iterations_(plan.phases.size()) {
  for (std::size_t i = 0; i < plan.phases.size(); ++i)
    if (plan.phases[i].loop) phase_of_[plan.phases[i].loop] = i;
  for (const Node& node : skeleton.program)
    if (node.is_loop()) find(node, 0, {});
  std::stable_sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) { return a.weight > b.weight; });
  std::vector<Place> chosen;
  std::size_t locations = 0;
  for (const Place& place : places_) {
    if ((locations + place.node->where.size()) * kFewestNumbers > kNumbers) continue;
    locations += place.node->where.size();
    chosen.push_back(place);
  }
  const LoopRuns runs = loop_runs(plan);
  for (const Place& place : chosen) {
    const Phase& phase = plan.phases[place.phase];
    if (phase.loop && phase.kept <= kMostKept && iterations_[place.phase].empty())
      iterations_[place.phase] = iterations(plan, phase, runs[place.phase]);
    Table made = table(place, std::min(kMostNumbers, kNumbers / locations));
    if (!made.of.empty())
      tables_.emplace(
          std::pair(place.node, place.between),
          Written{std::move(made), place.node->where, phase.loop ? iterations_[place.phase][0].all - 1 : 0});
  }
}

Table Varying::table(const Place& place, std::size_t most) {
  const Node& node = *place.node;
  const Compute& compute = place.between ? node.loop().between : node.before;
  const auto& occurrences = timing_.occurrences(node, place.between);
  const Phase& phase = plan_.phases[place.phase];
  if (!phase.loop) return tabulate(compute, occurrences, {}, {}, {}, most);
  const auto& of_phase = iterations_[place.phase];
  if (of_phase.empty()) return {};
  const Counted counted(place.around, node, place.between);
  const auto passes = [&](std::size_t at, std::uint64_t iteration) { return counted.passes(at, iteration); };
  // Of the locations that execute the node.
  std::vector<Iterations> loops;
  std::vector<std::vector<std::uint64_t>> sampled;
  for (std::size_t at = 0; at < (of_phase.size() == 1 ? 1 : node.where.size()); ++at) {
    loops.push_back(of_phase[of_phase.size() == 1 ? 0 : node.where[at]]);
    sampled.push_back(sampled_iterations(phase, node.where[at], compute.samples.of[at].ends.size()));
  }
  const std::uint64_t passes_per_execution =
      passes_of_execution(place.between ? node : *place.around.back(), place.between, place.around.size());
  if (phase.around.empty()) return tabulate(compute, occurrences, passes, loops, sampled, most, passes_per_execution);
  if (place.between && &node == phase.loop) return {};  // first iterations of executions have none of it
  Compute own{compute.mean_s, compute.samples};
  if (!cut_into_rows(own.samples, sampled[0], passes)) return {};
  return tabulate(own, occurrences, passes, loops, sampled, most, passes_per_execution);
}

void Varying::find(const Node& loop, std::size_t phase, const Around& around) {
  const auto cut = phase_of_.find(&loop);
  Around inside = cut != phase_of_.end() ? Around{} : around;
  if (cut != phase_of_.end()) phase = cut->second;
  // Between its own iterations: counted in those of the cut loop, or in the loops around.
  inside.push_back(&loop);
  find(loop, true, phase, inside.size() > 1 ? around : inside);
  for (const Node& node : loop.loop().body) {
    find(node, false, phase, inside);
    if (node.is_loop()) find(node, phase, inside);
  }
}

void Varying::find(const Node& node, bool between, std::size_t phase, const Around& around) {
  const Compute& compute = between ? node.loop().between : node.before;
  if (compute.samples.of.empty()) return;
  const auto times = timing_.occurrences(node, between);
  double weight = 0;
  for (std::size_t at = 0; at < times.size(); ++at)
    weight += deviation(compute.samples.of[at]) * static_cast<double>(times[at]);
  places_.push_back({&node, between, phase, around, weight});
}

bool Varying::counts(const Node& node, bool between) const {
  const auto found = tables_.find({&node, between});
  return found != tables_.end() && found->second.later > 0;
}

std::string Varying::spend(const Node& node, bool between, const std::string& iteration, const std::string& work) {
  const auto found = tables_.find({&node, between});
  if (found == tables_.end()) return {};
  const auto& mean_s = (between ? node.loop().between : node.before).mean_s;
  written_.push_back(&found->second);
  const auto [least, most] = std::minmax_element(mean_s.begin(), mean_s.end());
  const auto low = duration(*least), high = duration(*most);
  const auto next = fmt::format("&varying[{}], {}", written_.size() - 1, found->second.later > 0 ? iteration : "0");
  const auto note = fmt::format("{} on average", low == high ? low : low + " to " + high);
  const double common =
      skeleton::has_threads(skeleton_) ? 0 : common_of(found->second.table, skeleton_.locations.size());
  const auto as = work.empty() ? "" : "_as";
  if (common > 0)
    return fmt::format("skel_compute_long{}(skel_next({}), {}{}); /* {} */", as, next, number(common),
                       behind_comma(work), note);
  (work.empty() ? has_short_ : has_short_works_) = true;
  if (!work.empty()) return fmt::format("compute_varying_as({}, {}); /* {} */", next, work, note);
  return fmt::format("compute_varying({}); /* {} */", next, note);
}

std::string Varying::declarations() const {
  if (written_.empty()) return {};
  Writer out;
  out.line("/* Computation that varies: for each rank rows x columns numbers, which stand further down. */");
  std::vector<std::string> all;
  for (std::size_t i = 0; i < written_.size(); ++i) {
    const auto& [table, where, later] = *written_[i];
    const std::size_t size = table.rows * table.columns;
    std::vector<std::string> units, passes;
    for (const auto& own : table.of) {
      units.push_back(number(own.unit_s));
      passes.push_back(std::to_string(own.passes));
    }
    std::string positions = "NULL";
    if (where.size() != skeleton_.locations.size()) {
      positions = fmt::format("position_{}", i);
      std::vector<std::string> of(skeleton_.locations.size(), "0");
      for (std::size_t at = 0; at < where.size(); ++at) of[where[at]] = std::to_string(at);
      out.line(fmt::format("static const int {}[] = {{{}}};", positions, join(of)));
    }
    out.line(fmt::format("static const int numbers_{}[{}];", i, size * where.size()));
    out.line(fmt::format("static const double unit_{}[] = {{{}}};", i, join(units)));
    out.line(fmt::format("static const long passes_{}[] = {{{}}};", i, join(passes)));
    if (!table.begin.empty())
      out.line(fmt::format("static const long begin_{}[] = {{{}}};", i, fmt::join(table.begin, ", ")));
    all.push_back(fmt::format("{{numbers_{}, unit_{}, passes_{}, {}, {}, {}, {}, {}, 0, 0, {}}}", i, i, i, positions,
                              table.rows, table.columns, table.passes_per_execution, std::max<std::uint64_t>(later, 1),
                              table.begin.empty() ? "NULL" : fmt::format("begin_{}", i)));
  }
  out.line(fmt::format("{} struct skel_varying varying[] = {{", own_storage(skeleton_)));
  for (const auto& line : all) out.line(fmt::format("  {},", line));
  out.line("};");
  return out.text();
}

std::string Varying::numbers() const {
  if (written_.empty()) return {};
  Writer out;
  out.line(
      "/* Computation as traced, in units: a row for each iteration that is run here, the first one included, or for");
  out.line(" * several of them; a column for each time that the place is passed in an iteration, or for several. */");
  for (std::size_t i = 0; i < written_.size(); ++i) {
    const auto& [table, where, later] = *written_[i];
    out.line(fmt::format("static const int numbers_{}[{}] = {{", i, table.rows * table.columns * where.size()));
    for (std::size_t at = 0; at < where.size(); ++at) {
      const Location& own = skeleton_.locations[where[at]].where;
      out.line(fmt::format("  /* rank {}{}: {} x {} */", own.rank,
                           own.thread ? fmt::format(", thread {}", own.thread) : "", table.rows, table.columns));
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
