// skelgen doctor: what this machine has and what is missing.

#include <cpuid.h>
#include <fmt/format.h>
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <set>

#include "build/json.h"
#include "cli/commands.h"
#include "cli/counters.h"
#include "launch/command_line.h"
#include "launch/cores.h"
#include "launch/preload.h"
#include "launch/temporary.h"
#include "launch/valgrind.h"
#include "support/format.h"

namespace skelgen::cli {
namespace {

struct Mpi {
  std::string name, version, compiler, launcher;
};

struct Remark {
  std::string what, remedy;
};

/// Others that use more of the cores than this disturb what is measured.
constexpr double kMostByOthers = 0.1;

struct Findings {
  int cores = 0;
  std::optional<double> used_by_others;  ///< share of the cores that others use
  bool invariant_tsc = false;
  double monotonic_ns = 0;
  std::optional<int> perf_event_paranoid;
  Counters counters;
  std::vector<Mpi> mpis;
  std::string capture_library, yield_library;
  std::string profile_tool;  ///< where it is; empty: not built, or valgrind is not installed
  std::vector<Remark> missing, warnings;
};

bool has_invariant_tsc() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
}

/// Cost of one reading of CLOCK_MONOTONIC.
double clock_cost_ns() {
  constexpr int kReadings = 100'000;
  timespec first{}, last{};
  clock_gettime(CLOCK_MONOTONIC, &first);
  for (int i = 0; i < kReadings; ++i) clock_gettime(CLOCK_MONOTONIC, &last);
  return (static_cast<double>(last.tv_sec - first.tv_sec) * 1e9 + static_cast<double>(last.tv_nsec - first.tv_nsec)) /
         kReadings;
}

std::optional<int> read_paranoid() {
  std::ifstream in("/proc/sys/kernel/perf_event_paranoid");
  int value = 0;
  if (in >> value) return value;
  return {};
}

/// The text behind `label` up to the end of its line, without blanks around.
std::string after(const std::string& text, const std::string& label) {
  const auto at = text.find(label);
  if (at == std::string::npos) return {};
  return launch::last_line(text.substr(at + label.size(), text.find('\n', at) - at - label.size()));
}

/// What a launcher says of itself: its MPI and version. Nothing if it is no launcher of a known MPI.
std::optional<Mpi> identify(const std::string& launcher, const Context& context, const std::filesystem::path& scratch) {
  const auto said = launch::capture({launcher, "--version"}, scratch, context.launch);
  if (said.outcome.status != 0) return {};
  if (said.text.find("HYDRA") != std::string::npos) return Mpi{"MPICH", after(said.text, "Version:"), {}, launcher};
  if (said.text.find("Open MPI") != std::string::npos || said.text.find("OpenRTE") != std::string::npos)
    return Mpi{"Open MPI",
               after(said.text, said.text.find("(OpenRTE)") != std::string::npos ? "(OpenRTE)" : "(Open MPI)"),
               {},
               launcher};
  if (const auto version = after(said.text, "SimGrid version"); !version.empty())
    return Mpi{"SMPI", version, {}, launcher};
  return {};
}

std::vector<Mpi> find_mpis(const Context& context, const std::filesystem::path& scratch) {
  std::vector<Mpi> found;
  std::set<std::filesystem::path> seen;  // plain names are often links to the named ones
  const std::pair<std::string, std::string> tools[] = {{"mpiexec.mpich", "mpicc.mpich"},
                                                       {"mpiexec.openmpi", "mpicc.openmpi"},
                                                       {"mpiexec", "mpicc"},
                                                       {"smpirun", "smpicc"}};
  for (const auto& [launcher, compiler] : tools) {
    const auto path = launch::find_program(launcher);
    if (!path || !seen.insert(std::filesystem::canonical(*path)).second) continue;
    auto mpi = identify(launcher, context, scratch);
    if (!mpi) continue;
    if (launch::find_program(compiler)) mpi->compiler = compiler;
    found.push_back(*mpi);
  }
  return found;
}

/// As the capture library names its back ends.
std::string back_end_of(const Mpi& mpi) {
  return mpi.name == "MPICH" ? "mpich" : mpi.name == "Open MPI" ? "openmpi" : "smpi";
}

Findings examine(const Context& context) {
  Findings all;
  all.cores = launch::usable_cores();
  all.used_by_others = launch::load_by_others();
  if (all.used_by_others.value_or(0) > kMostByOthers)
    all.warnings.push_back(
        {fmt::format("other processes use {} of the cores: ranks wait for a core, so traces, times and predictions are "
                     "too long and differ from run to run",
                     format_percent(*all.used_by_others)),
         "trace and predict when they are gone (top shows them), or else with --yield on"});
  all.invariant_tsc = has_invariant_tsc();
  all.monotonic_ns = clock_cost_ns();
  all.perf_event_paranoid = read_paranoid();
  all.counters =
      probe_counters({"PAPI_TOT_CYC", "PAPI_TOT_INS", "PAPI_L3_TCM", "perf::TASK-CLOCK", "perf::PAGE-FAULTS"});
  const launch::TemporaryDirectory scratch(launch::scratch_parent(), "doctor");
  all.mpis = find_mpis(context, scratch.path());

  const auto executable = context.executable;
  const auto libraries = launch::search_libraries(executable);
  all.capture_library = libraries.capture.string();
  all.yield_library = libraries.yield.string();
  const auto tool = launch::search_profile_tool(executable);
  if (tool && launch::find_program("valgrind")) all.profile_tool = tool->string();

  const auto tool_place = libraries.capture.empty()
                              ? std::string()
                              : fmt::format(" (no {})", (libraries.capture.parent_path() / "valgrind").string());

  const auto lacks = [&](const std::string& what, const std::string& remedy) { all.missing.push_back({what, remedy}); };
  if (all.capture_library.empty())
    lacks("the capture library libskeltrace.so: trace, time and verify do not work",
          "build or install skelgen completely");
  if (all.yield_library.empty())
    lacks("libskelyield.so: more ranks than cores are slow and distort times", "build or install skelgen completely");
  if (libraries.threads.empty())
    lacks("libskelthreads.so: trace --threads does not work", "build or install skelgen completely");
  if (all.profile_tool.empty())
    lacks(tool ? "valgrind: profile does not work"
               : fmt::format("the Valgrind tool{}: profile does not work", tool_place),
          tool                               ? "apt install valgrind"
          : launch::find_program("valgrind") ? "build skelgen again, now that Valgrind is here"
                                             : "apt install valgrind, build skelgen again");
  if (all.mpis.empty()) lacks("an MPI", "apt install mpich");
  for (const auto& mpi : all.mpis) {
    const auto back_end = libraries.capture.parent_path() / ("libskeltrace-" + back_end_of(mpi) + ".so");
    if (!libraries.capture.empty() && !std::filesystem::exists(back_end))
      lacks("the back end for " + mpi.name + ": its programs run unrecorded",
            "install its compiler and headers, build skelgen again");
    if (mpi.compiler.empty())
      lacks("the compiler of " + mpi.name + ": its skeletons cannot be built",
            mpi.name == "MPICH"      ? "apt install libmpich-dev"
            : mpi.name == "Open MPI" ? "apt install libopenmpi-dev"
                                     : "apt install libsimgrid-dev");
  }
  if (std::ranges::none_of(all.mpis, [](const Mpi& mpi) { return mpi.name == "SMPI"; }))
    lacks("SimGrid: predict --platform does not work", "apt install libsimgrid-dev");
  if (!launch::find_program("make")) lacks("make: skeletons cannot be built", "apt install make");
  if (all.counters.version.empty()) {
    lacks("PAPI (" + all.counters.problem + "): --counters does not work", all.counters.remedy);
  } else {
    const auto cycles = std::find_if(all.counters.events.begin(), all.counters.events.end(),
                                     [](const CounterEvent& e) { return e.name == "PAPI_TOT_CYC"; });
    if (cycles != all.counters.events.end() && !cycles->works) {
      const bool forbidden = all.perf_event_paranoid.value_or(0) > 2;
      const auto other = std::ranges::find_if(all.counters.events, &CounterEvent::works);
      const auto& disabled = all.counters.disabled;
      lacks("hardware counters (optional; PAPI_TOT_CYC: " + (disabled.empty() ? cycles->reason : disabled) +
                "): trace --counters cannot read them, and trace --threads measures work in time",
            forbidden ? "sysctl kernel.perf_event_paranoid=2"
            : disabled.find("libpfm4") != std::string::npos
                ? "libpfm4 does not know this processor: put a newer libpfm.so.4 on LD_LIBRARY_PATH"
                : "virtual machines often have none: use the host" +
                      (other == all.counters.events.end() ? std::string() : ", or --counters " + other->name));
    }
  }
  if (!all.invariant_tsc)
    lacks("an invariant time stamp counter: capture uses CLOCK_MONOTONIC and costs more per call",
          "none on this processor");
  return all;
}

Json json_of(const Findings& all) {
  Json json{
      {"schema", "skelgen.doctor/1"},
      {"cores", all.cores},
      {"used_by_others", all.used_by_others},
      {"timers", {{"tsc_invariant", all.invariant_tsc}, {"clock_monotonic_ns", all.monotonic_ns}}},
      {"perf_event_paranoid", all.perf_event_paranoid},
      {"mpis", Json::array()},
      {"papi",
       {{"version", all.counters.version.empty() ? Json() : Json(all.counters.version)}, {"events", Json::array()}}},
      {"capture_library", all.capture_library.empty() ? Json() : Json(all.capture_library)},
      {"yield_library", all.yield_library.empty() ? Json() : Json(all.yield_library)},
      {"profile_tool", all.profile_tool.empty() ? Json() : Json(all.profile_tool)},
      {"missing", Json::array()},
      {"warnings", Json::array()}};
  for (const auto& mpi : all.mpis)
    json["mpis"].push_back({{"name", mpi.name},
                            {"version", mpi.version},
                            {"compiler", mpi.compiler.empty() ? Json() : Json(mpi.compiler)},
                            {"launcher", mpi.launcher}});
  for (const auto& event : all.counters.events)
    json["papi"]["events"].push_back(
        {{"name", event.name}, {"works", event.works}, {"reason", event.works ? Json() : Json(event.reason)}});
  for (const auto& missing : all.missing)
    json["missing"].push_back({{"what", missing.what}, {"remedy", missing.remedy}});
  for (const auto& warning : all.warnings)
    json["warnings"].push_back({{"what", warning.what}, {"remedy", warning.remedy}});
  return json;
}

void print(std::ostream& out, const Findings& all) {
  const auto line = [&](const char* name, const std::string& value) { out << fmt::format("{:<10}{}\n", name, value); };
  line("cores", std::to_string(all.cores));
  line("load", all.used_by_others
                   ? fmt::format("other processes use {} of the cores", format_percent(*all.used_by_others))
                   : "unknown");
  line("timers", fmt::format("time stamp counter {}, CLOCK_MONOTONIC {:.0f} ns a reading",
                             all.invariant_tsc ? "invariant" : "not invariant", all.monotonic_ns));
  for (const auto& mpi : all.mpis)
    line("MPI", fmt::format("{} {}: {}, {}", mpi.name, mpi.version, mpi.launcher,
                            mpi.compiler.empty() ? "no compiler" : mpi.compiler));
  line("PAPI", all.counters.version.empty() ? "none: " + all.counters.problem : all.counters.version);
  for (const auto& event : all.counters.events)
    line("", fmt::format("{:<18} {}", event.name, event.works ? "counts" : "unavailable (" + event.reason + ")"));
  line("perf", all.perf_event_paranoid ? fmt::format("perf_event_paranoid = {}", *all.perf_event_paranoid)
                                       : "no perf events in this kernel");
  line("capture", all.capture_library.empty() ? "not found" : all.capture_library);
  line("yield", all.yield_library.empty() ? "not found" : all.yield_library);
  line("Valgrind", all.profile_tool.empty() ? "not found" : all.profile_tool);
  const auto list = [&](const char* title, const std::vector<Remark>& some) {
    out << fmt::format("\n{}\n", title);
    for (const auto& one : some) out << fmt::format("  {}\n    -> {}\n", one.what, one.remedy);
  };
  if (!all.warnings.empty()) list("warning", all.warnings);
  list(all.missing.empty() ? "nothing is missing" : "missing", all.missing);
}

}  // namespace

Command add_doctor(CLI::App& parent) {
  auto* app = parent.add_subcommand("doctor", "Show what this machine has and what is missing");
  set_usage(*app, "doctor [OPTIONS]");
  const auto json = std::make_shared<bool>(false);
  app->add_flag("--json", *json, "One JSON object on stdout");
  return {app, LauncherLine::none, [=](const Context& context) {
            const auto found = examine(context);
            if (*json)
              print_json(context.out, json_of(found));
            else
              print(context.out, found);
            return 0;
          }};
}

}  // namespace skelgen::cli
