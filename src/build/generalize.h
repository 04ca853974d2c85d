#pragma once
// Several traces of one program at different numbers of ranks -> the text of a skeleton for any number: what
// `skelgen generalize` does.

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "build/build.h"
#include "generalize/generalize.h"
#include "normalize/normalize.h"
#include "verify/verify.h"

namespace skelgen::build {

/// A skeleton for any number of ranks, and what it was made of.
struct General {
  generalize::Generalized of;
  std::vector<std::uint32_t> traced;  ///< numbers of ranks, ascending
  std::uint64_t records_in = 0;       ///< calls of all traces
  Candidate form;                     ///< of the runs' common program
  generalize::Grid grid;
  bool sites = false;    ///< all traces say where in the program calls are
  double core_wait = 0;  ///< Provenance::core_wait, the largest of all traces
};

/// One run: its calls, what it is called in messages, and the trace that says how fast its processors were.
struct Run {
  normalize::Normalized calls;
  std::string name;
  std::optional<trace::Trace> trace{};
  /// The same calls, in which other memory is one buffer, where that makes a difference.
  std::map<normalize::Areas, normalize::Normalized> others{};
  const normalize::Normalized& with(normalize::Areas areas) const {
    const auto known = others.find(areas);
    return known == others.end() ? calls : known->second;
  }
};

/// Finds the rules, and checks the text call by call against each run. The forms of the runs' common program and the grids
/// are tried one after the other, until there are rules for everything and nothing is in doubt; else the
/// one with the shortest rules and fewest doubts is taken, first of those where calls say where they are. counts: means are taken where no form is exact. runs: two or more, ascending by ranks, each of one thread a rank. Throws Error{mismatch} for programs
/// that call different functions, and where no rule was found, with the reason of the form and grid that came farthest; Error{unsupported} for
/// threads, pools, intercommunicators and reordered exchanges, for which no rule is sought.
General generalize_runs(const std::vector<Run>& runs, generalize::Counts counts = generalize::Counts::exact,
                        std::ostream* progress = nullptr);

/// The same of traces. Throws Error{invalid_argument} for fewer than two; Error{mismatch} for the same number twice, and for other
/// programs; Error{unsupported} for several threads and what is handed out to whoever is free; and what build() throws of a
/// trace.
General generalize_traces(const std::vector<std::filesystem::path>& directories,
                          generalize::Counts counts = generalize::Counts::exact, std::ostream* progress = nullptr);

/// Run::others of the calls of a trace.
std::map<normalize::Areas, normalize::Normalized> with_other_areas(const trace::Trace& trace,
                                                                   const normalize::Normalized& calls);

/// The skeleton that a text, for any number of ranks or for this one, is at so many ranks. Throws Error as build_text().
skeleton::Skeleton skeleton_at(const std::string& text, const std::string& file, std::uint32_t ranks);

/// The first call in which the text at the trace's number of ranks differs from the trace; nothing if there is none. What is
/// computed is not compared. Throws as skeleton_at().
std::optional<verify::Difference> difference(const normalize::Normalized& traced, const std::string& text,
                                             const std::string& file,
                                             normalize::Areas areas = normalize::Areas::overlapping);

}  // namespace skelgen::build
