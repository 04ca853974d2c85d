#include "build/generalize.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include "build/forms.h"
#include "build/provenance.h"
#include "build/stage_clock.h"
#include "generalize/instance.h"
#include "normalize/join.h"
#include "normalize/sites.h"
#include "support/error.h"

namespace skelgen::build {
namespace {

/// Ascending by ranks; of one program, each number once.
std::vector<trace::Trace> open_all(const std::vector<std::filesystem::path>& directories) {
  if (directories.size() < 2)
    throw Error(Code::invalid_argument, "one trace says nothing of other numbers of ranks",
                "give traces at two or more numbers");
  std::vector<trace::Trace> traces;
  for (const auto& directory : directories) {
    traces.push_back(trace::open(directory));
    require_complete(traces.back());
  }
  std::ranges::stable_sort(traces, {}, [](const trace::Trace& trace) { return trace.ranks(); });
  for (std::size_t i = 1; i < traces.size(); ++i) {
    const auto name = [&](std::size_t of) { return traces[of].directory().string(); };
    if (traces[i].ranks() == traces[i - 1].ranks())
      throw Error(Code::mismatch, name(i), {}, fmt::format("has {} ranks, as {} has", traces[i].ranks(), name(i - 1)),
                  "give one trace of each number of ranks");
    if (traces[i].application() != traces[0].application())
      throw Error(
          Code::mismatch, name(i), {},
          fmt::format("is of the program {}, and {} of {}", traces[i].application(), name(0), traces[0].application()),
          "give traces of one program");
  }
  return traces;
}

/// Calls that the program makes at one number of ranks only: another program, or another problem.
void compare_functions(const std::vector<Run>& runs) {
  const auto functions = [](const Run& run) {
    std::set<std::string_view> names;
    for (const auto& symbol : run.calls.symbols) names.insert(symbol.function->name);
    return names;
  };
  const auto lacks = [](const Run& one, const std::set<std::string_view>& own, const Run& other,
                        const std::set<std::string_view>& others) {
    for (const std::string_view name : others)
      if (!own.contains(name))
        throw Error(
            Code::mismatch, one.name, {},
            fmt::format("has no {}, which {} has: another program, or one that does something else with {} ranks", name,
                        other.name, one.calls.locations.size()),
            "give traces at numbers of ranks where the program does the same");
  };
  const auto first = functions(runs[0]);
  for (const Run& run : runs) {
    const auto own = functions(run);
    lacks(run, own, runs[0], first);
    lacks(runs[0], first, run, own);
  }
}

/// Refuses runs that differ in the number of files, in their sizes or in the rank that opens one first: no rule is sought for these.
void compare_files(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    const auto &own = run.calls.scratch, &first = runs[0].calls.scratch;
    if (own.size() != first.size())
      throw Error(
          Code::mismatch, run.name, {},
          fmt::format(
              "opens or deletes {} files by MPI with {} ranks, and {} with {}: there is no rule for their number",
              own.size(), run.calls.locations.size(), first.size(), runs[0].calls.locations.size()));
    for (std::size_t n = 0; n < own.size(); ++n) {
      if (own[n].bytes >= 0 && first[n].bytes >= 0 && own[n].bytes != first[n].bytes)
        throw Error(
            Code::mismatch, run.name, {},
            fmt::format(
                "file {} holds {} bytes before the run with {} ranks, and {} with {}: there is no rule for its size", n,
                own[n].bytes, run.calls.locations.size(), first[n].bytes, runs[0].calls.locations.size()));
      if (own[n].rank != first[n].rank)
        throw Error(
            Code::mismatch, run.name, {},
            fmt::format("file {} is first opened by rank {} of {}, and by rank {} of {}: there is no rule for that", n,
                        own[n].rank, run.calls.locations.size(), first[n].rank, runs[0].calls.locations.size()));
    }
  }
}

/// The program of all runs in this form.
skeleton::Skeleton united(const std::vector<Run>& runs, const normalize::Normalized& joined, const Candidate& candidate,
                          StageClock& clock) {
  Diagnostics diagnostics;
  Options options;
  for (const Run& run : runs) options.joined.push_back(static_cast<std::uint32_t>(run.calls.locations.size()));
  auto skeleton = shortest_form(joined, options, clock, diagnostics, std::span(&candidate, 1));
  std::size_t first = 0;
  double core_wait = 0;
  for (const Run& run : runs) {
    const auto begin = skeleton.locations.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + std::ssize(run.calls.locations);
    first += run.calls.locations.size();
    if (!run.trace) continue;
    skeleton::Skeleton own;
    own.locations.assign(begin, end);
    annotate(own, *run.trace);
    std::ranges::copy(own.locations, begin);
    skeleton.mpi_name = own.mpi_name;
    skeleton.cpu_time = own.cpu_time;
    core_wait = std::max(core_wait, counted_core_wait(*run.trace));
  }
  if (core_wait > 0) skeleton.notes.emplace_back("core_wait", fmt::format("{}", core_wait));
  return skeleton;
}

/// The runs as one. sites: calls from different places in the program are different symbols; nothing if a
/// run does not say where they are.
std::optional<normalize::Normalized> joined(const std::vector<Run>& runs, normalize::Areas areas, bool sites) {
  std::map<Site, std::int64_t> numbers;
  std::vector<normalize::Normalized> all;
  for (const Run& run : runs) {
    const normalize::Normalized& calls = run.with(areas);
    if (!sites) {
      all.push_back(calls);
      continue;
    }
    const auto unknown = [](const auto& location) { return location.sites.size() != location.calls.size(); };
    if (std::ranges::any_of(calls.locations, unknown)) return {};
    const auto number = [&](const normalize::LocationCalls& location, std::uint64_t address) {
      const Site site = run.trace ? site_of(*run.trace, location.where.rank, address) : Site{{}, {}, address};
      // Each rank of a simulated run has a copy of the program.
      const Site known = site.build_id.empty() ? site : Site{{}, site.build_id, site.address};
      return numbers.try_emplace(known, std::ssize(numbers)).first->second;
    };
    all.push_back(normalize::sites_as_symbols(calls, number));
  }
  return normalize::join(std::move(all));
}

constexpr double kMargin = 2;           ///< another grid is a rival if its description is no more than this longer
constexpr std::uint32_t kFarthest = 4;  ///< texts are compared up to so many times the largest traced number of ranks

/// How long its rules are, and what they leave open.
double length_of_rules(const General& one) { return one.of.cost + static_cast<double>(one.of.doubts.size()); }

/// With how much of a guess the grid is: few dimensions, and the largest first, as MPI_Dims_create orders them, are likely.
double description(const General& one) {
  using enum generalize::Grid::Kind;
  const auto kind = one.grid.kind;
  const double dimensions = kind == space || kind == space_last ? 1 : 0;
  const double order = kind == plane_last || kind == space_last ? 0.5 : 0;
  return length_of_rules(one) + dimensions + order;
}

/// All say where in the program their calls are.
bool with_sites(const std::vector<Run>& runs) {
  return std::ranges::all_of(runs, [](const Run& run) {
    return std::ranges::none_of(run.calls.locations, [](const auto& location) { return location.sites.empty(); });
  });
}

/// Looks for the form of the runs' common program, and for the grid, that have rules for everything.
class Search {
 public:
  Search(const std::vector<Run>& runs, std::ostream* progress) : runs_(runs), clock_(progress) {
    found_.sites = with_sites(runs);
    for (const Run& run : runs) {
      found_.traced.push_back(static_cast<std::uint32_t>(run.calls.locations.size()));
      for (const auto& location : run.calls.locations) found_.records_in += location.calls.size();
    }
    for (const auto areas : {Areas::touching, Areas::addresses})
      if (std::ranges::any_of(runs, [&](const Run& run) { return run.others.contains(areas); }))
        other_areas_.push_back(areas);
  }

  /// counts: means are taken where nothing is exact.
  General run(generalize::Counts counts) {
    for (const auto taken : {generalize::Counts::exact, generalize::Counts::means}) {
      counts_ = taken;
      reason_.reset();  // why there are no exact ones says less than why there are no means
      farthest_ = 0;
      if (auto found = with_counts()) return std::move(*found);
      if (taken == counts) break;
    }
    const Error& why = *reason_;
    if (found_.sites || why.code() == Code::unsupported) throw Error(why);
    throw Error(why.code(), why.path(), why.offset(), why.text(),
                fmt::format("{}{}traces made with --sites may help: they tell apart calls that look alike",
                            why.remedy(), why.remedy().empty() ? "" : "; "));
  }

 private:
  using Areas = normalize::Areas;

  std::optional<General> with_counts() {
    const auto attempts = this->attempts();
    for (const auto trips : {generalize::Trips::confirmed, generalize::Trips::any}) {
      // Numbers of trips that no trace confirms are taken, with a doubt, only where there is no other way.
      const auto guessed = [](const auto& one) { return one.second.guessed; };
      if (trips == generalize::Trips::any && std::ranges::none_of(known_, guessed)) break;
      std::optional<General> best;
      bool best_of_sites = false;
      for (const Attempt& attempt : attempts) {
        // A form in which calls are told apart by their place in the program is preferred to all others, and so is the first view of these:
        // whether peers are part of a call changes what rules cost.
        if (best_of_sites && (!attempt.sites || attempt.form.view != best->form.view)) break;
        auto found = in_form(attempt, trips);
        if (!found) continue;
        if (!best || description(*found) < description(*best)) best = std::move(found);
        best_of_sites = attempt.sites;
        if (best->of.doubts.empty()) break;
      }
      if (best) return best;
    }
    return {};
  }

  struct Attempt {
    bool sites;  ///< calls from different places in the program are different statements
    Candidate form;
    bool all_areas = true;  ///< tried, not overlapping ones only
  };

  std::vector<Attempt> attempts() const {
    using enum fold::Owners;
    constexpr auto values = Candidate::View::peers_as_values;
    const bool sites = found_.sites;
    std::vector<Attempt> all;
    if (sites) {
      all.push_back({true, {.view = values, .shared_loops = runs}});
      all.push_back({true, {.view = values, .shared_loops = locations}});
      all.push_back({true, {.shared_loops = runs}});
      all.push_back({true, {.view = values, .folding = Candidate::Folding::jointly}, false});
    }
    for (const Candidate& form : kCandidates) all.push_back({false, form, false});
    all.push_back({false, {.written_out = true}, false});
    all.push_back({false, {.shared_loops = runs}});
    if (!sites) all.push_back({false, {.view = values, .shared_loops = runs}});
    return all;
  }

  /// Where there are no rules, or they are in doubt, the simplest of all ways to tell buffers apart.
  std::optional<General> in_form(const Attempt& attempt, generalize::Trips trips) {
    auto best = with_areas(Areas::overlapping, attempt, trips);
    if (!attempt.all_areas || (best && best->of.doubts.empty())) return best;
    for (const Areas areas : other_areas_) {
      auto other = with_areas(areas, attempt, trips);
      if (other && (!best || description(*other) < description(*best))) best = std::move(other);
    }
    return best;
  }

  std::optional<General> with_areas(Areas areas, const Attempt& attempt, generalize::Trips trips) {
    // How far what overlaps is apart tells which addresses belong together.
    const bool apart = areas == Areas::addresses;
    const std::pair way(apart ? Areas::overlapping : areas, attempt.sites);
    auto view = views_.find(way);
    if (view == views_.end()) view = views_.emplace(way, *joined(runs_, way.first, attempt.sites)).first;
    auto skeleton = united(runs_, view->second, attempt.form, clock_);
    generalize::name_buffers_alike(skeleton, apart);
    clock_.enter("rules", stage_);
    std::vector<General> all;
    for (const auto& grid : generalize::grids_of(skeleton, found_.traced)) {
      General one = found_;
      one.form = attempt.form;
      one.grid = grid;
      try {
        one.of = generalize::generalize(skeleton, found_.traced, grid, trips, counts_, known_);
        check(one, areas);
      } catch (const Error& error) {
        if (!reason_ || known_[grid.kind].reached > farthest_) {
          reason_.emplace(error);
          farthest_ = known_[grid.kind].reached;
        }
        continue;
      }
      all.push_back(std::move(one));
      // Where nothing is in doubt without a grid, none is guessed.
      if (grid.kind == generalize::Grid::Kind::none && all.back().of.doubts.empty()) break;
    }
    if (all.empty()) return {};
    const auto simplest = std::ranges::min_element(all, {}, description);
    // Only a guessed grid is in doubt because of another one.
    if (simplest->grid.kind < generalize::Grid::Kind::plane) return std::move(*simplest);
    for (const General& other : all) {
      if (&other == &*simplest || length_of_rules(other) > length_of_rules(*simplest) + kMargin) continue;
      const auto ranks = differ(simplest->of.text, other.of.text);
      if (!ranks) continue;
      simplest->of.doubts.push_back(
          {"the grid", fmt::format("{}, and {}: both fit all traces, with rules about as long, and differ at {} ranks",
                                   generalize::text(simplest->grid.kind), generalize::text(other.grid.kind), *ranks)});
      break;
    }
    return std::move(*simplest);
  }

  /// The first number of ranks beyond the traced ones at which two texts do not say the same calls; nothing: none was found.
  std::optional<std::uint32_t> differ(const std::string& one, const std::string& other) const {
    const generalize::Family family = generalize::family_of(found_.traced);
    const std::uint32_t most = found_.traced.back();
    for (std::uint32_t n = most + 1; n <= kFarthest * most; ++n) {
      if (family == generalize::Family::any ? n % most != 0 : !generalize::belongs(n, family)) continue;
      try {
        if (calls_of(generalize::instantiate(one, {}, n)) != calls_of(generalize::instantiate(other, {}, n))) return n;
      } catch (const Error&) {  // one of them has no text there
      }
    }
    return {};
  }

  /// The lines of a text without those of computation, notes and empty ones.
  static std::string calls_of(const std::string& text) {
    std::string calls;
    for (const auto part : std::views::split(text, '\n')) {
      const std::string_view line(part.begin(), part.end());
      std::string_view words = line.substr(std::min(line.find_first_not_of(' '), line.size()));
      if (words.starts_with("[")) words.remove_prefix(std::min(words.find("] ") + 2, words.size()));
      const bool other =
          words.empty() || words.starts_with("compute ") || words.starts_with("between ") || words.starts_with("note ");
      if (!other) calls.append(line) += '\n';
    }
    return calls;
  }

  /// Throws Error that shows the first call of a trace that the text does not repeat.
  void check(const General& one, Areas areas) const {
    for (const Run& run : runs_)
      if (const auto differs = difference(run.with(areas), one.of.text, "the generalised skeleton", areas))
        throw Error(Code::mismatch, run.name, {},
                    fmt::format("the rules do not repeat the trace: rank {}, call {}: expected {}, got {}",
                                differs->rank, differs->index, differs->expected, differs->actual));
  }

  const std::vector<Run>& runs_;
  StageClock clock_;
  Stage stage_;
  General found_;  ///< what is known before rules are sought
  generalize::Counts counts_ = generalize::Counts::exact;
  std::vector<Areas> other_areas_;                                 ///< that make a difference
  std::map<std::pair<Areas, bool>, normalize::Normalized> views_;  ///< the runs as one, by Attempt::sites, too
  generalize::KnownByGrid known_;
  std::optional<Error> reason_;  ///< of the attempt that came farthest
  std::uint64_t farthest_ = 0;
};

}  // namespace

skeleton::Skeleton skeleton_at(const std::string& text, const std::string& file, std::uint32_t ranks) {
  return text::parse(generalize::is_general(text) ? generalize::instantiate(text, file, ranks) : text, file);
}

std::optional<verify::Difference> difference(const normalize::Normalized& traced, const std::string& text,
                                             const std::string& file, normalize::Areas areas) {
  auto skeleton = skeleton_at(text, file, static_cast<std::uint32_t>(traced.locations.size()));
  if (areas == normalize::Areas::addresses) generalize::places_as_buffers(skeleton);
  return verify::lossless(traced, skeleton, verify::Runs::others);
}

General generalize_runs(const std::vector<Run>& runs, generalize::Counts counts, std::ostream* progress) {
  compare_functions(runs);
  compare_files(runs);
  return Search(runs, progress).run(counts);
}

std::map<normalize::Areas, normalize::Normalized> with_other_areas(const trace::Trace& trace,
                                                                   const normalize::Normalized& calls) {
  const auto buffers = [](const normalize::Normalized& run) {
    std::size_t n = 0;
    for (const auto& location : run.locations) n += location.buffer_bytes.size();
    return n;
  };
  std::map<normalize::Areas, normalize::Normalized> others;
  for (const auto areas : {normalize::Areas::touching, normalize::Areas::addresses}) {
    try {
      auto other = normalize::classes(trace, {.sites = trace.has_sites(), .areas = areas});
      if (buffers(other) != buffers(calls)) others.emplace(areas, std::move(other));
    } catch (const Error& error) {
      if (error.code() != Code::unsupported) throw;  // more addresses than there may be buffers
    }
  }
  return others;
}

General generalize_traces(const std::vector<std::filesystem::path>& directories, generalize::Counts counts,
                          std::ostream* progress) {
  std::vector<Run> runs;
  for (auto& trace : open_all(directories)) {
    Run& run = runs.emplace_back(
        Run{normalize::classes(trace, {.sites = trace.has_sites()}), trace.directory().string(), trace});
    if (std::ssize(run.calls.locations) != trace.ranks())
      throw Error(Code::unsupported, run.name, {}, "several threads of a rank call MPI, which is not generalised");
    run.others = with_other_areas(trace, run.calls);
    if (!run.calls.pools.empty())
      throw Error(Code::unsupported, run.name, {},
                  "messages are handed out to whoever is free: which rank gets how many depends on time");
  }
  General general = generalize_runs(runs, counts, progress);
  for (const Run& run : runs) general.core_wait = std::max(general.core_wait, counted_core_wait(*run.trace));
  return general;
}

}  // namespace skelgen::build
