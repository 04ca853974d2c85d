#pragma once
// The text that `skelgen threads` prints without --json.

#include <vector>

#include "cli/command.h"
#include "threads/simulate.h"

namespace skelgen::cli {

/// The run with half the work of some threads.
struct Half {
  std::vector<std::uint32_t> threads;
  double seconds = 0;
};

/// The run, its analysis, and the run with other work where that was asked for.
struct Synchronisation {
  threads::Run run;
  threads::Analysis analysis;
  std::vector<std::vector<std::uint32_t>> groups;  ///< threads::groups()
  std::vector<threads::Change> changes;
  unsigned processors = 0;                ///< that the threads share in predictions; 0: each has one
  threads::Simulated evaluated, changed;  ///< evaluated: not of a run that did not end
  double changed_without_s = 0;           ///< the same without synchronisation
  std::vector<Half> halves;               ///< of threads and groups; those that gain most first
  bool all_halves = true;                 ///< else some of the threads that compute less were not tried
};

/// "main", "thread 2", "thread 3 (writer)".
std::string thread_name(const threads::Run& run, std::uint32_t thread);
/// "half the work of", "3 times the work of".
std::string work_of(double factor);

void print(const Context& context, const Synchronisation& all);

}  // namespace skelgen::cli
