#include "build/generalize.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "build/forms.h"
#include "build/provenance.h"
#include "build/stage_clock.h"
#include "generalize/instance.h"
#include "normalize/join.h"
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

/// The program of all runs in this form.
skeleton::Skeleton united(const std::vector<Run>& runs, const normalize::Normalized& joined, const Candidate& candidate,
                          StageClock& clock) {
  Diagnostics diagnostics;
  auto skeleton = shortest_form(joined, {}, clock, diagnostics, std::span(&candidate, 1));
  std::size_t first = 0;
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
  }
  return skeleton;
}

/// How long its rules are, and what they leave open.
double description(const General& one) { return one.of.cost + static_cast<double>(one.of.doubts.size()); }

}  // namespace

skeleton::Skeleton skeleton_at(const std::string& text, const std::string& file, std::uint32_t ranks) {
  return text::parse(generalize::is_general(text) ? generalize::instantiate(text, file, ranks) : text, file);
}

std::optional<verify::Difference> difference(const normalize::Normalized& traced, const std::string& text,
                                             const std::string& file) {
  const auto skeleton = skeleton_at(text, file, static_cast<std::uint32_t>(traced.locations.size()));
  return verify::lossless(traced, skeleton, verify::Runs::others);
}

General generalize_runs(const std::vector<Run>& runs, std::ostream* progress) {
  StageClock clock(progress);
  Stage search;
  General general;
  std::vector<normalize::Normalized> calls;
  for (const Run& run : runs) {
    general.traced.push_back(static_cast<std::uint32_t>(run.calls.locations.size()));
    for (const auto& location : run.calls.locations) general.records_in += location.calls.size();
    calls.push_back(run.calls);
  }
  compare_functions(runs);
  const auto joined = normalize::join(std::move(calls));
  std::optional<Error> reason;  // of the attempt that came farthest
  std::uint64_t farthest = 0;
  generalize::KnownByGrid known;
  std::vector<Candidate> candidates(std::begin(kCandidates), std::end(kCandidates));
  candidates.push_back({.written_out = true});
  // Numbers of trips that no trace confirms are taken, with a doubt, only where there is no other way.
  for (const auto trips : {generalize::Trips::confirmed, generalize::Trips::any}) {
    if (trips == generalize::Trips::any &&
        std::ranges::none_of(known, [](const auto& one) { return one.second.guessed; }))
      break;
    for (const Candidate& candidate : candidates) {
      auto skeleton = united(runs, joined, candidate, clock);
      generalize::name_buffers_alike(skeleton);
      clock.enter("rules", search);
      std::optional<General> best;
      for (const auto& grid : generalize::grids_of(skeleton, general.traced)) {
        General one = general;
        one.form = candidate;
        one.grid = grid;
        try {
          one.of = generalize::generalize(skeleton, general.traced, grid, trips, known);
          for (const Run& run : runs)
            if (const auto differs = difference(run.calls, one.of.text, "the generalised skeleton"))
              throw Error(Code::unsupported, run.name, {},
                          fmt::format("the rules do not repeat the trace: rank {}, call {}: expected {}, got {}",
                                      differs->rank, differs->index, differs->expected, differs->actual));
        } catch (const Error& error) {
          if (!reason || known[grid.kind].reached > farthest) {
            reason.emplace(error);
            farthest = known[grid.kind].reached;
          }
          continue;
        }
        if (!best || description(one) < description(*best)) best = std::move(one);
      }
      if (best) return std::move(*best);
    }
  }
  throw Error(*reason);
}

General generalize_traces(const std::vector<std::filesystem::path>& directories, std::ostream* progress) {
  std::vector<Run> runs;
  for (auto& trace : open_all(directories)) {
    Run& run = runs.emplace_back(Run{normalize::classes(trace), trace.directory().string(), trace});
    if (std::ssize(run.calls.locations) != trace.ranks())
      throw Error(Code::unsupported, run.name, {}, "several threads of a rank call MPI, which is not generalised");
    if (!run.calls.pools.empty())
      throw Error(Code::unsupported, run.name, {},
                  "messages are handed out to whoever is free: which rank gets how many depends on time");
  }
  return generalize_runs(runs, progress);
}

}  // namespace skelgen::build
