#pragma once
// The environment under which ranks are traced or timed: LD_PRELOAD and the SKELGEN_* settings of the capture library.

#include <filesystem>
#include <string>
#include <vector>

#include "launch/command_line.h"

namespace skelgen::launch {

/// The libraries that go into LD_PRELOAD.
struct Libraries {
  std::filesystem::path capture;       ///< libskeltrace.so; empty if it is not there
  std::filesystem::path yield;         ///< libskelyield.so; empty if it is not there
  std::filesystem::path threads = {};  ///< libskelthreads.so; empty if it is not there
};

/// Looks beside `executable`: ../lib, ../lib64, ../lib/TRIPLET and skelgen/ in each. All empty when neither libskeltrace.so
/// nor libskelthreads.so is in one.
Libraries search_libraries(const std::filesystem::path& executable);
/// The same; throws Error{io} when libskeltrace.so is in none.
Libraries find_libraries(const std::filesystem::path& executable);

/// /proc/self/exe, resolved.
std::filesystem::path this_executable();

enum class Yield { automatic, on, off };

/// Should ranks give up the processor while they wait? automatic: when the line starts more ranks on this machine than
/// `cores`; not under SMPI, which runs them one after the other.
bool needs_yield(const CommandLine& line, int cores, Yield choice);

struct Capture {
  std::filesystem::path out;  ///< directory that ranks write to; becomes absolute
  std::string mode;           ///< "record" or "time"; empty: do not capture, only yield
  std::string counters;       ///< comma-separated list of counters, may be empty
  bool yield = false;         ///< ranks share cores: waiting ones yield, and computation is recorded as CPU time, too
  bool sites = false;         ///< where in the program each call is made is recorded, too
  bool online = false;        ///< what is recorded is read meanwhile, and may be given back
  bool threads = false;       ///< what threads do to each other is recorded, too, also of programs without MPI
  std::filesystem::path layers =
      {};  ///< file with the calls at which work of threads is read; empty: at every call; becomes absolute
};

using Environment = std::vector<std::pair<std::string, std::string>>;

/// Value of a variable in the environment that the ranks inherit; empty if it is not set.
using Lookup = std::string (*)(const std::string& name);
std::string inherited(const std::string& name);

/// LD_PRELOAD (what was there stays, behind ours), SKELGEN_OUT, SKELGEN_MODE with a number for the run, SKELGEN_COUNTERS, SKELGEN_SITES, SKELGEN_ONLINE, SKELGEN_CPU_TIME,
/// SKELGEN_THREAD_LAYERS; for Open MPI also the
/// list of variables that it hands on to other hosts, unless the line has -x (it refuses both), and its own yielding.
/// Empty when there is nothing to set. Throws Error{io} when yielding or threads are wanted and their library is not there.
Environment environment_of(const Capture& capture, const Libraries& libraries, const CommandLine& line, Lookup lookup);

}  // namespace skelgen::launch
