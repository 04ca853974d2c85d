#pragma once
// Report of a run on one page: an HTML file that needs no network and no other file.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "metrics/metrics.h"
#include "predict/scaling.h"
#include "report/structure.h"
#include "report/timeline.h"

namespace skelgen::report {

struct RunFacts {
  std::string application, command, mpi;
  std::string started;             ///< "2026-01-31T12:00:00Z"; empty: not known
  std::vector<std::string> hosts;  ///< different ones
  int ranks = 0;
  std::optional<double> wall_s;
  std::uint64_t calls = 0, dropped = 0, suspended = 0;
  bool simulated = false;
  std::vector<int> incomplete;  ///< ranks that ended before MPI_Finalize
};

struct FunctionTotal {
  std::string name;
  std::uint64_t calls = 0, bytes = 0;
  double seconds = 0;  ///< of all ranks together
};

/// A skeleton of the run, as its directory describes it.
struct SkeletonSummary {
  std::string name;
  double scale = 1, expected_run_s = 0;
  std::uint64_t statements = 0;
  bool lossless = true, safe = true;
  bool of_this_run = true;  ///< the run that it was built from took as long
  double traced_s = 0;      ///< run time of that run
  std::vector<predict::CutLoop> cut;
  std::vector<std::string> not_cut;
};

/// Run times of the program's replay on a measured network (`skelgen model`): first as it was measured, then with one thing
/// changed.
struct Replayed {
  std::string name;
  double run_s = 0;
};

/// Threads of one process of the run, as `skelgen threads` says.
struct ProcessThreads {
  struct Row {
    std::string name;
    double computes_s = 0, off_s = 0, waits_s = 0, hand_over_s = 0, calls_s = 0;
  };
  std::string process, clock;  ///< which one, and what its threads' work was counted in
  std::vector<Row> rows;
  std::string whole, reduced;  ///< the synchronisation graph, and with each layer as one vertex: SVG; empty: too large
};

/// All that a page says. What stands here as a name may be anything.
struct Report {
  RunFacts run;
  std::string version;                   ///< of skelgen
  double computation_s = 0;              ///< of all ranks together
  double without_core_s = 0;             ///< the same: ready to compute, between calls
  std::vector<FunctionTotal> functions;  ///< most time first
  metrics::Metrics measured;
  const Timeline* timeline = nullptr;
  std::optional<Structure> structure;
  std::string no_structure;                  ///< why there is none
  std::optional<std::vector<double>> bytes;  ///< sent, as Pairs::messages
  double bytes_of_no_pair = 0;               ///< that ranks sent to themselves, or gave to collectives without a root
  std::optional<SkeletonSummary> skeleton;
  std::optional<predict::Prediction> prediction;
  bool prediction_of_this_run = true;     ///< as SkeletonSummary::of_this_run
  std::vector<predict::AtRanks> scaling;  ///< predictions at several numbers of ranks; empty: none
  std::vector<Replayed> replayed;         ///< empty: none
  std::optional<ProcessThreads> threads;
};

/// The page, below 2 MB: its size does not grow with the ranks, the calls or the names. O(cells + lines + ranks +
/// statements). report: with a timeline; bytes, if they are there, as many as its pairs. Throws Error{internal} if the
/// template is broken.
std::string page(const Report& report);

}  // namespace skelgen::report
