#pragma once
// Skeleton -> a directory of C that needs nothing but MPI: skeleton.c, skel.h, skel.c, Makefile, README.md,
// skeleton.json, and tables.h if there are many or long tables.

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/call.h"
#include "skeleton/skeleton.h"

namespace skelgen::emit {

/// The loops around a place, the outermost first.
using Around = std::vector<const skeleton::Node*>;

/// A kept iteration of a cut loop, 1 for the first one that may be left out, and how often its time counts.
struct Chosen {
  std::uint64_t iteration;
  double weight;
};

/// A part of the run that is timed by itself inside the skeleton; the predicted time is the sum of weight x seconds. The
/// part of a cut loop is its iterations after the first of each execution, without the parts of cut loops inside it.
struct Phase {
  std::string name;  ///< for people: "prologue", "loop 1", "loop 1.1", "between 1 and 2", "epilogue"
  const skeleton::Node* loop = nullptr;  ///< that is cut; of the skeleton that was planned
  Around around{};                       ///< of a cut loop: all loops around it
  std::size_t inside = 0;                ///< of a cut loop: the phase that it stands in
  std::optional<std::size_t> next{};     ///< of a cut loop of the top level: the phase that follows it
  double weight = 1;                     ///< traced seconds / seconds run, of the iterations: see skel_weight
  double typical = 1;                    ///< how much longer than a kept iteration one after the first took on average
  double share = 1;                      ///< of K - 1 by which the loop is cut: see skel_loop_scale
  std::uint64_t times = 1;               ///< executions of the loop that the skeleton runs
  std::uint64_t longest = 1;             ///< most trips of an execution, at location 0
  /// Iterations of each execution that always run, by location or the same for all: the first ones in the phase around, the
  /// last ones there or in `next`.
  std::vector<skeleton::Ends> ends{{1, 0}};
  std::uint64_t trips = 1;  ///< of all executions of the original, at location 0
  std::uint64_t kept = 1;   ///< iterations that the skeleton runs and times, besides those that always run
  std::uint64_t least = 1;  ///< of an execution that kShortestPart_s asks for, whatever K is; at most longest - 1
  bool raised = false;      ///< more iterations are kept than K asks for, because of `least`
  /// Which iterations are kept, of a loop whose iterations are of several kinds (kinds.h): ascending, those of the executions that run
  /// one behind the other; `typical` comes on top of their weights. Empty: what skel_iteration_kept says, as for every K but `Plan::scale`.
  std::vector<Chosen> chosen{};
  double traced_s = 0;  ///< slowest location's traced time in this phase
  /// Expected error of the predicted run time because only some iterations run, one standard deviation, in relation to
  /// the traced run time: as far as their computation was found to vary (skeleton::Samples), each by itself, or where some
  /// are chosen as far as those of one kind differ.
  double error = 0;
  /// Of `trips`, the iterations that the skeleton runs, those that always run included.
  std::uint64_t run() const { return std::min(trips, kept + times * (ends[0].first + ends[0].last)); }
};

/// Which loops are cut and by how much. A loop at any depth may be cut that is skeleton::cuttable, that all locations run,
/// and that takes long enough; the first iteration of each execution belongs to the phase around it. Loops inside a cut loop are cut, too, where its own iterations are too few for K.
struct Plan {
  double scale = 1;  ///< K that was asked for (or found from a budget)
  /// Plain parts and cut loops of the top level in turn, one plain part first and last; behind each of them the cut loops
  /// that stand in it.
  std::vector<Phase> phases;
  double expected_run_s = 0;  ///< of the skeleton on the traced machine
  double cut_s = 0;           ///< slowest location's traced time in loops of which iterations are left out
  double left_out_s = 0;  ///< of long computation that all locations have in common, which is counted instead of spent
  std::string uncut;      ///< why no loop is cut, of the loop that takes most of the time; empty if one is
  /// "the loop of 5 trips (35 % of the time) is not closed: ...": other loops with a twentieth of the time that are not cut
  /// and in which nothing is that takes half of theirs, by time.
  std::vector<std::string> not_cut;
};
/// A cut loop's kept iterations are not fewer than this takes on the traced machine (or all of them): a shorter part is
/// measured badly. Of a loop with less than half of the traced time it is proportional to its share, at least a quarter: what is measured badly
/// of it counts less.
inline constexpr double kShortestPart_s = 0.2;
/// Loops with a smaller share of the traced time are not cut; nor are those that never have three iterations, or loops
/// inside others whose executions take less on average: to look at the clock has its price.
inline constexpr double kSmallestShare = 0.005;
inline constexpr double kShortestExecution_s = 100e-6;
/// More iterations are kept where one after the first took this many times as long as a kept one on average, or as short.
inline constexpr double kMostUntypical = 1.5;
/// Loops inside a cut one are cut where that one runs this many times as long as K asks for.
inline constexpr double kMuchLonger = 2;

/// kept = max(1, round((trips - 1) / K)), raised as kShortestPart_s says. K >= 1. Throws Error{invalid_argument} otherwise.
/// A program without a loop to cut has one phase, "whole run"; its time does not depend on K.
Plan plan_scale(const skeleton::Skeleton& skeleton, double k);
/// A K whose plan takes at most `seconds`, and 0.98 of that or more if one of at most five plans does. Where none fits, the shortest plan that was
/// made, whose expected_run_s is above `seconds`. Throws Error{invalid_argument} unless `seconds` is finite and above 0.
Plan plan_budget(const skeleton::Skeleton& skeleton, double seconds);

/// The plain parts and the cut loops of the top level, by their number in the plan, and how many calls each location makes
/// before. The first iteration of a cut loop belongs to the phase before. O(nodes x locations).
struct PhaseBegin {
  std::size_t phase;
  std::vector<std::uint64_t> calls;  ///< by location
};
std::vector<PhaseBegin> calls_before(const skeleton::Skeleton& skeleton, const Plan& plan);

/// What stands beside a statement, by its call: where in the program it was made, "solver.f90:120".
using Annotations = std::map<const skeleton::Call*, std::string>;

struct Options {
  std::string compiler = "mpicc";  ///< the Makefile's default MPICC
  bool safe = true;                ///< result of check_deadlock, said in README.md
  bool force = false;              ///< replace a skeleton in which somebody edited or left something, too
  Annotations annotations;
  std::string extra_json;  ///< a JSON object whose members skeleton.json gets too (build: "concurrency"), or empty
};

// skeleton.json is what predict, verify and info know of a skeleton, at least: "schema": "skelgen.skeleton-info/1"
// (first), "ranks", "mpi" (name of the traced MPI), "compiler", "scale", "statements", "tolerance"
// (Skeleton::tolerance), "shared_memory" (LocationData::shared), "lossless" (false for an edited text or with a
// tolerance), "edited" (Skeleton::edited), "safe", "tests_go_on" (Skeleton::tests_go_on), "checksum" (of skeleton.c and tables.h, one behind the other,
// as they were written), "expected_run_s", "traced_wall_s", "phases" [{"name", "weight", "trips", "kept", "traced_s", and of cut loops "executions", "run", "error"}],
// "not_cut" (Plan::not_cut).

/// The first of skeleton.c (with tables.h) and the runtime's files (skel.c, skel.h) that is not as build writes it:
/// skeleton.c and tables.h by their checksum in skeleton.json, the others by what this skelgen writes. Empty: none.
std::string edited_file(const std::filesystem::path& directory);

/// Writes the directory: first into `directory`.partial-XXXXXX, then renamed; several at a time do not disturb each other.
/// A skeleton that is as it was written is replaced; one with other files in it or an edited skeleton.c only with
/// Options::force; anything else there is an error. Throws Error{io}.
void write(const std::filesystem::path& directory, const skeleton::Skeleton& skeleton, const Plan& plan,
           const Options& options);

/// skeleton.c as text (for tests). `tables`: takes the text of tables.h, empty if there is no need for it; nullptr:
/// all stands in the program.
std::string program(const skeleton::Skeleton& skeleton, const Plan& plan, std::string* tables = nullptr,
                    const Annotations& annotations = {});
/// Tables with an entry for each rank stand in skeleton.c, where they can be read, if there are no more ranks; else in
/// tables.h, so that skeleton.c does not grow with the ranks.
inline constexpr std::size_t kFewRanks = 16;
/// Those of computation, and those of values that change from call to call, stand in skeleton.c if they have no more
/// lines: nobody reads thousands of numbers.
inline constexpr std::ptrdiff_t kFewLines = 30;
/// Programs with more numbers (skeleton::argument_values) have those of long tables packed in tables.h: a compiler takes a
/// second for a million numbers, and half a kilobyte of memory for each.
inline constexpr std::size_t kManyNumbers = std::size_t{1} << 16;

/// Would the program finish if every standard send waited for its receiver, buffered ones at MPI_Buffer_detach, and do the collective calls that meet have
/// the same function, root and operation? Simulates all locations call by call, but of a closed loop without wildcards a
/// few iterations only: O(calls) that are left, and no more than `most`. If it would not, simulates it once more, with an
/// MPI in which nobody waits but where the standard says so. Tests that found sends complete wait for them; where the
/// program is not safe then, they are left for later, as a program that polls goes on: to the end of their thread or MPI_Finalize, or until their
/// persistent requests are started again or freed. Throws Error{corrupt} where a program
/// that somebody wrote uses a communicator, window or file that it has not made; places: where its calls stand.
struct Deadlock {
  bool safe = true;
  bool checked = true;                         ///< false: not safe, as the program is too long to say
  bool clash = false;                          ///< not safe, as collective calls that meet are not the same
  std::string explanation{};                   ///< who waits for whom, or the calls that meet, if not safe
  std::vector<const skeleton::Call*> calls{};  ///< that it names, each once
  bool certain = false;                        ///< not safe with any MPI: it hangs if no standard send waits, too
  bool tests_go_on = false;                    ///< tests of sends are deferred: the program is safe only so
};
using engine::ExecutionLimits;
Deadlock check_deadlock(const skeleton::Skeleton& skeleton, const skeleton::Places* places = nullptr,
                        const ExecutionLimits& most = {});

}  // namespace skelgen::emit
