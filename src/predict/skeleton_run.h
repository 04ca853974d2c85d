#pragma once
// A skeleton directory -> a program -> its launches.

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "launch/launch.h"
#include "launch/preload.h"
#include "predict/processor.h"

namespace skelgen::predict {

/// Which skeleton it is, and of which run. What is not known is 0 or empty.
struct Origin {
  int ranks = 0;
  double traced_wall_s = 0;               ///< run time of the traced run
  std::string checksum;                   ///< of skeleton.c as it was written
  std::string mpi{};                      ///< of the traced run
  std::vector<double> original_runs_s{};  ///< run times of all runs that were traced, of which it is one
  int status = 0;                         ///< that the traced run ended with
  std::optional<bool> yield{};            ///< it was traced with --yield
  double core_wait =
      0;  ///< share of the traced run in which ranks waited for a core, where such time counts as computation
  double computation_error = 0;  ///< relative, of a skeleton for a number of ranks that was not traced
  std::map<std::string, double> sampling_errors{};  ///< by cut loop, of a skeleton that was read: CutLoop::error
};

/// An MPI implementation, as traces name it. What is not known is empty.
struct Mpi {
  std::string name, version;
  std::string text() const { return name + (version.empty() ? "" : " " + version); }
};
/// Whether the traced run and the skeleton's used the same MPI, of any version. Where one is not known, they are taken
/// for the same.
bool same_mpi(const Mpi& traced, const Mpi& here);

struct PhaseTime {
  std::string name;
  double weight = 1, seconds = 0;
  double iterations = 0;                ///< that ran of a cut loop
  std::optional<double> deviation_s{};  ///< of one's time, without what computation explains; nothing: too few ran
  double left_out_s = 0;                ///< of seconds: computation that was counted instead of spent
};

/// A loop of which the skeleton runs a part: see emit::Phase.
struct CutLoop {
  std::string name;
  std::uint64_t trips = 1;
  std::uint64_t run = 1;  ///< of the trips
  double weight = 1, traced_s = 0;
  double error = 0;  ///< sampling error of its time: one standard deviation, as a share of the run time
};

/// What skeleton.json says; `json` has all of it. Seconds of phases are those of the traced run.
struct SkeletonInfo {
  std::filesystem::path directory;
  int ranks = 0;
  std::string mpi, compiler;
  std::string program_mark;  ///< launch::program_mark() of the traced program; empty: not known
  double scale = 1;
  std::string normalize;       ///< the order of its calls: "strict" or "exchange"
  bool shared_memory = false;  ///< buffers that are only written are one
  bool tests_go_on = false;    ///< tests of sends may come later
  bool files = false;          ///< it opens files by MPI
  double tolerance = 0;        ///< its counts may differ from those traced by this share
  double expected_run_s = 0;   ///< of the skeleton, where it was traced
  std::uint64_t statements = 0;
  bool lossless = false, safe = false;
  bool edited = false;  ///< of a text that is not what was traced
  std::vector<PhaseTime> phases;
  std::vector<CutLoop> cut;
  std::vector<std::string> not_cut;  ///< loops that take long, and why they run in full
  Origin origin;
  nlohmann::ordered_json json;
};

/// True if `directory` has a skeleton.json.
bool is_skeleton(const std::filesystem::path& directory);

/// Throws Error{io} (no such directory, no skeleton.json), Error{corrupt}.
SkeletonInfo read_skeleton_info(const std::filesystem::path& directory);

/// Copies the sources into `scratch` (the skeleton's own directory may be read-only, and stays as it is) and runs make
/// there. `compiler` empty: the traced MPI's, by name where both MPICH and Open MPI may be installed. Returns the
/// program. `optimize`: for a program whose computation is measured; one that is only to make its calls is there sooner
/// without, and knows the lines of its calls. Throws Error{launch} without make, Error{mismatch} with the compiler's last line.
std::filesystem::path compile(const SkeletonInfo& skeleton, const std::filesystem::path& scratch,
                              const std::string& compiler, const launch::Launcher& launcher, bool optimize = true);

/// The compiler for a skeleton that `line` starts: `given`, else the one of the launcher's MPI (that of its kind, or the
/// mpicc beside it), else, where the launcher is no MPI's own (srun), the traced MPI's or the mpicc in PATH.
std::string compiler_for(const SkeletonInfo& skeleton, const launch::CommandLine& line, const std::string& given);

/// Whether tests of sends that the skeleton may leave for later wait all the same where `line` starts it: SMPI says of every
/// request that it is complete.
bool tests_wait(const SkeletonInfo& skeleton, const launch::CommandLine& line);
inline constexpr const char* kTestsWait =
    "this skeleton makes tests of incomplete sends later; under SMPI they wait instead, so it may hang: run it with "
    "MPICH or Open MPI";

/// `given` if it is not empty, else mpiexec of the traced MPI, or of the one that is here, with the skeleton's number of
/// ranks. Throws
/// Error{invalid_argument} for SMPI, whose launcher needs to be told of a platform.
std::vector<std::string> launcher_line(const SkeletonInfo& skeleton, const std::vector<std::string>& given);

/// Each rank's phases, as often as they count: their seconds, and the part that was computation. [rank][phase]; the first one has
/// MPI_Init.
struct TimesByRank {
  std::vector<std::vector<double>> seconds, computing;
};

/// What one launch of the skeleton reported (schema skelgen.skeleton/1).
struct SkeletonRun {
  double predicted_s = 0, skeleton_s = 0, scale = 1, init_s = 0, finalize_s = 0;
  std::string compute;
  std::vector<PhaseTime> phases;
  double computed_s = 0;   ///< of predicted_s: computation, in seconds of the traced machine
  double work_ratio = 0;   ///< how much longer it takes here as work; 0: not known
  double core_wait = 0;    ///< share of the ranks' time in which they were ready to run but had no core; 0: not known
  double unexplained = 1;  ///< share of it whose work is a guess
  KernelSpeeds speeds{}, traced_speeds{};  ///< means over the ranks; 0: not known
  Processor processor{};                   ///< without its ratios
  /// Of the ranks' computation, and of all their time from the end of MPI_Init on, both of the whole program; in seconds.
  struct Computing {
    double mean_s = 0, most_s = 0, deviation_s = 0, mean_of_all_s = 0, longest_s = 0;
  };
  std::optional<Computing> computing = {};   ///< not of programs with several threads per rank
  std::optional<TimesByRank> per_rank = {};  ///< the same, where it was asked for
  Mpi mpi{};
};
/// Throws Error{corrupt}, Error{io}.
SkeletonRun read_skeleton_run(const std::filesystem::path& file);

/// Launches `line program --json FILE` once. `environment` is added; files of the skeleton are in `scratch` unless
/// SKEL_SCRATCH is set. per_rank: with the ranks' times. Throws Error{mismatch} that has the status when it
/// is not 0.
SkeletonRun run_skeleton(const std::filesystem::path& program, const std::vector<std::string>& line,
                         const launch::Environment& environment, const std::filesystem::path& scratch,
                         const launch::Launcher& launcher, bool per_rank = false);

}  // namespace skelgen::predict
