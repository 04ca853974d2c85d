// skelgen profile: run a program under the Valgrind tool; what its computation consists of is added to a trace.

#include "work/profile.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <exception>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <sstream>
#include <thread>

#include "build/build.h"
#include "cli/commands.h"
#include "cli/ranks.h"
#include "cli/table.h"
#include "cli/trace_place.h"
#include "launch/signals.h"
#include "launch/temporary.h"
#include "launch/valgrind.h"
#include "skeleton/skeleton.h"
#include "support/progress.h"
#include "support/replace.h"
#include "trace/file.h"
#include "work/attribute.h"
#include "work/enough.h"
#include "work/run.h"

namespace skelgen::cli {
namespace {

namespace fs = std::filesystem;

/// More calls than this share that the trace does not have there, or with other counts: it is another program, or another
/// problem.
constexpr double kMostDifferent = 0.02;

struct ProfileOptions {
  std::string directory;
  bool full = false, json = false;
  launch::Yield yield = launch::Yield::automatic;
};

/// Ends a profiled run when it has shown enough of the program: first its profiles, at the next call of each rank, then
/// the program.
class EarlyEnd {
 public:
  /// skeleton: of the program; must outlive this.
  EarlyEnd(fs::path directory, const skeleton::Skeleton& skeleton)
      : directory_(std::move(directory)), ranks_(static_cast<int>(skeleton::ranks(skeleton))) {
    const launch::SignalsElsewhere inherited;
    reader_ = std::thread([this, &skeleton] {
      try {
        seen_ = work::watch(directory_, skeleton, over_);
      } catch (const std::exception&) {
        // A run that cannot be followed is profiled to its end; whoever reads the whole of it says what is wrong.
      }
      if (seen_) std::ofstream(directory_ / work::kStop) << '\n';
    });
  }
  ~EarlyEnd() {
    over_ = true;
    reader_.join();
  }
  EarlyEnd(const EarlyEnd&) = delete;
  EarlyEnd& operator=(const EarlyEnd&) = delete;

  /// Whether all profiles are written.
  bool enough() const { return seen_ && work::whole_profiles(directory_) >= ranks_; }

 private:
  const fs::path directory_;
  const int ranks_;
  std::atomic<bool> over_ = false, seen_ = false;
  std::thread reader_;
};

/// What is profiled goes to DIR/work.partial until all of it is there; nothing is left of it without keep().
class WorkPlace {
 public:
  explicit WorkPlace(const fs::path& trace)
      : target_(trace / work::kDirectory), partial_(target_.string() + ".partial") {
    launch::require_writable(trace);
    std::error_code problem;
    fs::remove_all(partial_, problem);  // what a killed one has left
    if (!fs::create_directory(partial_, problem))
      throw Error(Code::io, partial_.string(), {}, "cannot be made: " + problem.message(),
                  "check space and permissions");
  }
  ~WorkPlace() {
    std::error_code ignored;
    fs::remove_all(partial_, ignored);
  }
  WorkPlace(const WorkPlace&) = delete;
  WorkPlace& operator=(const WorkPlace&) = delete;

  const fs::path& partial() const { return partial_; }
  const fs::path& target() const { return target_; }
  void keep() const try { replace_directory(partial_, target_); } catch (const fs::filesystem_error& error) {
    throw Error(Code::io, target_.string(), {}, "cannot be written: " + error.code().message(),
                "check its permissions");
  }

 private:
  fs::path target_, partial_;
};

std::string contents(const fs::path& file) {
  std::ostringstream all;
  all << std::ifstream(file).rdbuf();
  return all.str();
}

/// What the logs of the processes say of how the program ended; the first one that says something.
std::optional<std::string> ended_by(const fs::path& directory) {
  std::vector<fs::path> logs;
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.path().extension() == ".log") logs.push_back(entry.path());
  std::ranges::sort(logs);
  for (const auto& log : logs)
    if (auto problem = launch::ended_by(contents(log))) return problem;
  return {};
}

/// What of the skeleton's computation was profiled, and how.
struct Profiled {
  work::Attributed attributed;
  work::Coverage coverage;
  std::uint64_t calls = 0, different = 0;
  double wall_s = 0, slowdown = 0;
  bool ended_early = false;
};

/// Totals of the features that are no reuse; what is 0 is left out.
std::vector<std::pair<std::string, double>> classes(const work::Attributed& all) {
  std::vector<std::pair<std::string, double>> named;
  for (std::size_t f = 0; f < all.total.size(); ++f)
    if (all.total[f] > 0 && all.features[f].find("_reuse_") == std::string::npos)
      named.emplace_back(all.features[f], all.total[f]);
  return named;
}

/// Misses of fully associative caches per access, by the caches' bytes.
struct Misses {
  double bytes, loads, stores;
};
std::vector<Misses> misses(const work::Attributed& all) {
  std::vector<Misses> result;
  for (double bytes = 1 << 12; bytes <= 1 << 28; bytes *= 4)
    result.push_back({bytes, work::miss_ratio(all.features, all.total, "load", bytes / 64),
                      work::miss_ratio(all.features, all.total, "store", bytes / 64)});
  return result;
}

Json json_of(const Profiled& profiled, const fs::path& target) {
  Json json{{"schema", "skelgen.profile/1"},
            {"work", target.string()},
            {"positions",
             {{"all", profiled.coverage.places},
              {"profiled", profiled.coverage.visited},
              {"share", profiled.coverage.share}}},
            {"classes", Json::object()},
            {"reuse", Json::array()},
            {"calls", profiled.calls},
            {"calls_elsewhere", profiled.different},
            {"wall_s", profiled.wall_s},
            {"slowdown", profiled.slowdown},
            {"ended_early", profiled.ended_early}};
  for (const auto& [name, times] : classes(profiled.attributed)) json["classes"][name] = times;
  for (const auto& [bytes, loads, stores] : misses(profiled.attributed))
    json["reuse"].push_back({{"bytes", bytes}, {"load_misses", loads}, {"store_misses", stores}});
  return json;
}

void print(std::ostream& out, const Profiled& profiled, const std::string& shown) {
  const auto line = [&](const char* name, const std::string& text) { out << fmt::format("{:<12}{}\n", name, text); };
  line("profile", shown);
  line("positions", fmt::format("{} of {} that compute, {} of the computation", format_count(profiled.coverage.visited),
                                format_count(profiled.coverage.places), format_percent(profiled.coverage.share)));
  line("calls",
       fmt::format("{}{}", format_count(profiled.calls),
                   profiled.different ? fmt::format(", {} of them not as traced", format_count(profiled.different))
                                      : ", as traced"));
  line("slowdown", fmt::format("{:.1f} ({})", profiled.slowdown, format_seconds(profiled.wall_s)));
  line("ended", profiled.ended_early ? "early: what is repeated was seen three times" : "by itself");
  const auto named = classes(profiled.attributed);
  double instructions = 0;
  for (const auto& [name, times] : named)
    if (name == "instructions") instructions = times;
  out << '\n';
  Table table({"class", "times", "an instruction"});
  for (const auto& [name, times] : named)
    table.add({name, fmt::format("{:.4g}", times), fmt::format("{:.3f}", instructions > 0 ? times / instructions : 0)});
  table.print(out);
  out << '\n';
  Table caches({"cache of", "load misses", "store misses"});
  for (const auto& [bytes, loads, stores] : misses(profiled.attributed))
    caches.add({format_bytes(bytes), format_percent(loads), format_percent(stores)});
  caches.print(out);
}

/// Throws Error{mismatch} where the run is not one of the traced program.
void require_same_program(const Profiled& profiled, const std::string& directory) {
  std::uint64_t other = 0;
  for (const auto& own : profiled.attributed.differences) other += own.other_counts;
  const auto most = kMostDifferent * static_cast<double>(std::max<std::uint64_t>(1, profiled.calls));
  if (static_cast<double>(profiled.different + other) <= most) return;
  for (std::size_t l = 0; l < profiled.attributed.differences.size(); ++l)
    if (const auto first = profiled.attributed.differences[l].first)
      throw Error(Code::mismatch, directory, {},
                  fmt::format("{} of {} profiled calls are not those of the trace, rank {}'s call {} the first one",
                              format_count(profiled.different + other), format_count(profiled.calls), l, *first),
                  "profile the program, input and number of ranks that were traced");
}

Profiled read(const skeleton::Skeleton& skeleton, const fs::path& directory) {
  Profiled result;
  const auto run = work::open_run(directory);
  result.attributed = work::attribute(skeleton, run.calls, run.profiles);
  result.coverage = work::coverage(skeleton, result.attributed);
  for (const auto& own : result.attributed.differences) {
    result.calls += own.calls;
    result.different += own.left_over + own.left_out;
  }
  return result;
}

int profile(const Context& context, const ProfileOptions& options) {
  const auto ranks = plan_ranks(context, context.launcher, options.yield);
  require_launched_program(context.launcher, ranks.line);
  if (ranks.line.mpi == launch::MpiKind::smpi)
    throw Error(Code::unsupported, "smpirun runs all ranks in one process, which cannot be profiled",
                "profile with the MPI that the program is for");
  const auto original = trace::open(options.directory, {.allow_incomplete = false});
  if (ranks.line.ranks && *ranks.line.ranks != original.ranks())
    throw Error(Code::mismatch, options.directory, {},
                fmt::format("has {} ranks, and {} are to be started", original.ranks(), *ranks.line.ranks),
                "profile with the ranks that were traced");
  launch::require_program(context.launcher[0]);
  const auto tool = launch::find_profile_tool(context.executable);
  const auto libraries = launch::find_libraries(context.executable);
  build::Options wanted;
  wanted.measure = false;
  wanted.work = false;
  if (context.terminal) wanted.progress = &context.err;
  const auto built = build::build(original, wanted);
  work::require_one_thread(built.result.skeleton);

  const WorkPlace place(fs::absolute(options.directory));
  launch::Launch what;
  what.command = launch::under_valgrind(context.launcher, ranks.line, {tool, place.partial()});
  what.environment = launch::environment_of({place.partial(), "record", "", ranks.yield, false, !options.full},
                                            libraries, ranks.line, launch::inherited);
  what.output_to_stderr = options.json;  // stdout belongs to the JSON object
  if (context.terminal) note(context, "the program runs under Valgrind, which takes 10 to 100 times as long");
  std::optional<EarlyEnd> early;
  if (!options.full) {
    early.emplace(place.partial(), built.result.skeleton);
    what.enough = [&] { return early->enough(); };
    // Hydra has nothing to clean up, but much to say of ranks that were ended.
    if (ranks.line.mpi == launch::MpiKind::mpich) what.end_by = SIGKILL;
  }
  const auto outcome = context.launch(what);
  early.reset();
  const auto problem = ended_by(place.partial());
  const auto& program = ranks.line.program;
  if (outcome.asked)
    throw Error(Code::mismatch, program, {}, "was ended from outside", "nothing was kept; profile again");
  if (problem && problem->starts_with("Valgrind"))
    throw Error(Code::unsupported, program, {}, *problem,
                "compile it for a processor without that (-march=x86-64-v3), or predict without a profile");
  if (!has_rank_files(place.partial()))
    throw outcome.status == 0 ? no_rank_seen(program)
                              : Error(Code::mismatch, program, {},
                                      fmt::format("ended with status {} before any rank called MPI_Init{}",
                                                  outcome.status, problem ? ": " + *problem : ""),
                                      "see what it said");
  std::optional<Progress> progress(context.terminal ? &context.err : nullptr);
  progress->stage("where the gaps belong");
  work::name_profiles(place.partial(), original.ranks());
  auto profiled = read(built.result.skeleton, place.partial());
  progress.reset();
  profiled.wall_s = 1e-9 * static_cast<double>(outcome.ended_ns - outcome.spawned_ns);
  profiled.slowdown = original.wall() && original.wall()->value > 0 ? profiled.wall_s / original.wall()->value : 0;
  profiled.ended_early = outcome.enough;
  require_same_program(profiled, options.directory);
  place.keep();
  if (outcome.status != 0 && !outcome.enough)
    note(context, fmt::format("{}: ended with status {}{}; what it had computed until then was kept", program,
                              outcome.status, problem ? " (" + *problem + ")" : ""));
  if (options.json)
    print_json(context.out, json_of(profiled, place.target()));
  else
    print(context.out, profiled, (fs::path(options.directory) / work::kDirectory).string());
  return 0;
}

}  // namespace

Command add_profile(CLI::App& parent) {
  auto* app =
      parent.add_subcommand("profile", "Run a traced program under Valgrind and add what it computes to the trace");
  set_usage(*app, "profile [OPTIONS] DIR -- LAUNCHER... APP ARGS...");
  const auto options = std::make_shared<ProfileOptions>();
  app->add_option("DIR", options->directory, "Trace of the same program with the same input and ranks")->required();
  app->add_flag("--full", options->full,
                "Go on to the program's end, also when each place in loops was seen three times");
  app->add_flag("--json", options->json, "One JSON object on stdout; the program's own output goes to stderr");
  add_yield_option(*app, options->yield);
  app->footer(
      "The line after -- is started with valgrind before the program. What computation consists of (operations, "
      "reuse distances of cache lines) is written to DIR/work when all of it is there.");
  return {app, LauncherLine::needed, [=](const Context& context) { return profile(context, *options); }};
}

}  // namespace skelgen::cli
