#include "predict/skeleton_run.h"

#include "launch/program.h"
#include "predict/checked_json.h"
#include "support/error.h"

namespace skelgen::predict {
namespace {

KernelSpeeds speeds_of(const Json& json, const char* key) {
  KernelSpeeds speeds;
  if (json.contains(key))
    for (const auto& [kernel, speed] : json[key].items())
      speeds[kernel] = {speed.at(0).get<double>(), speed.at(1).get<double>()};
  return speeds;
}

Processor read_processor(const Json& json) {
  Processor processor = json.contains("processor") ? processor_at(json["processor"]) : Processor();
  processor.drift = number_at(json, "drift", 1);
  return processor;
}

TimesByRank read_ranks(const Json& json, std::size_t phases) {
  TimesByRank ranks{json.at("seconds"), json.at("computing_s")};
  for (const auto* lists : {&ranks.seconds, &ranks.computing})
    for (const auto& list : *lists)
      if (list.size() != phases || lists->size() != ranks.seconds.size()) throw std::out_of_range("per_rank");
  return ranks;
}

bool is_smpi(const std::string& name) { return name.find("SMPI") != std::string::npos; }

}  // namespace

bool is_skeleton(const std::filesystem::path& directory) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(directory / "skeleton.json", ignored);
}

SkeletonInfo read_skeleton_info(const std::filesystem::path& directory) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory, ignored))
    throw Error(Code::io, directory.string(), {},
                std::filesystem::exists(directory, ignored) ? "is no directory" : "no such file or directory",
                "give a directory that skelgen build wrote");
  if (!is_skeleton(directory) && std::filesystem::is_regular_file(directory / "meta.json", ignored))
    throw Error(Code::io, directory.string(), {}, "is a trace, not a skeleton",
                "give a directory that skelgen build wrote");
  const auto file = directory / "skeleton.json";
  const std::string remedy = "build the skeleton again";
  SkeletonInfo info;
  info.directory = directory;
  info.json = read_json(file, "the skeleton's description",
                        is_skeleton(directory) ? remedy : "give a directory that skelgen build wrote");
  try {
    info.origin = origin_of(info.json);
    info.ranks = info.json.at("ranks").get<int>();
    info.scale = number_at(info.json, "scale");
    info.expected_run_s = number_at(info.json, "expected_run_s", 0);
    info.statements = info.json.value("statements", std::uint64_t{0});
    info.lossless = info.json.value("lossless", false);
    info.safe = info.json.value("safe", false);
    if (info.json.contains("phases"))
      for (const auto& phase : info.json["phases"]) {
        info.phases.push_back(
            {phase.at("name").get<std::string>(), number_at(phase, "weight"), number_at(phase, "traced_s")});
        if (!phase.contains("run")) continue;
        info.cut.push_back({.name = info.phases.back().name,
                            .trips = phase.at("trips").get<std::uint64_t>(),
                            .run = phase["run"].get<std::uint64_t>(),
                            .weight = info.phases.back().weight,
                            .traced_s = info.phases.back().seconds,
                            .error = number_at(phase, "error", 0)});
        info.origin.sampling_errors.emplace(info.cut.back().name, info.cut.back().error);
      }
    info.not_cut = info.json.value("not_cut", std::vector<std::string>{});
    info.mpi = info.json.value("mpi", "");
    info.compiler = info.json.value("compiler", "");
    info.program_mark = info.json.value("program_mark", "");
    info.normalize = info.json.value("normalize", "strict");
    info.tolerance = info.json.value("tolerance", 0.0);
    info.edited = info.json.value("edited", info.json.contains("lossless") && !info.lossless && info.tolerance == 0);
    info.shared_memory = info.json.value("shared_memory", false);
    info.tests_go_on = info.json.value("tests_go_on", false);
    info.files = info.json.value("files", false);
  } catch (const std::exception&) {
    throw Error(Code::corrupt, file.string(), {},
                "the skeleton's description lacks ranks, scale or mpi, or has a value that cannot be there", remedy);
  }
  if (info.normalize != "strict" && info.normalize != "exchange")
    throw Error(Code::corrupt, file.string(), {},
                "the skeleton's calls are in no order that is known: " + info.normalize, remedy);
  if (!(info.tolerance >= 0 && info.tolerance < 1))
    throw Error(Code::corrupt, file.string(), {}, "the skeleton's tolerance is no share from 0 on and below 1", remedy);
  if (info.ranks < 1) throw Error(Code::corrupt, file.string(), {}, "the skeleton has no ranks", remedy);
  return info;
}

std::filesystem::path compile(const SkeletonInfo& skeleton, const std::filesystem::path& scratch,
                              const std::string& compiler, const launch::Launcher& launcher, bool optimize) {
  const auto folder = scratch / "skeleton";
  std::filesystem::create_directories(folder);
  for (const auto& entry : std::filesystem::directory_iterator(skeleton.directory)) {
    const auto ending = entry.path().extension();
    if (ending != ".c" && ending != ".h" && entry.path().filename() != "Makefile") continue;
    std::error_code problem;
    std::filesystem::copy_file(entry.path(), folder / entry.path().filename(),
                               std::filesystem::copy_options::overwrite_existing, problem);
    if (problem) throw Error(Code::io, entry.path().string(), {}, "cannot be copied: " + problem.message());
  }
  const auto chosen = !compiler.empty() ? compiler : launch::tool_of_mpi("mpicc", skeleton.mpi);
  std::vector<std::string> make{"make", "-s", "-C", folder.string(), "MPICC=" + chosen};
  if (!optimize) make.push_back("OPTIMIZE=-O0 -g1");
  launch::run_compiler(make, chosen, "skeleton", skeleton.directory.string(), scratch, launcher);
  return std::filesystem::absolute(folder / "skeleton");
}

std::string compiler_for(const SkeletonInfo& skeleton, const launch::CommandLine& line, const std::string& given) {
  if (!given.empty()) return given;
  if (line.is_launcher && line.launcher != "srun" && line.launcher != "aprun") return launch::compiler_of(line);
  if (!is_smpi(skeleton.mpi)) return launch::tool_of_mpi("mpicc", skeleton.mpi);
  return "mpicc";
}

bool same_mpi(const Mpi& traced, const Mpi& here) {
  if (traced.name.empty() || here.name.empty()) return true;
  const auto abi = [](const Mpi& mpi) {  // traces know these by the back end that they share
    return mpi.name == "Intel MPI" || mpi.name == "MVAPICH" ? std::string("MPICH") : mpi.name;
  };
  return abi(traced) == abi(here);
}

bool tests_wait(const SkeletonInfo& skeleton, const launch::CommandLine& line) {
  return skeleton.tests_go_on && line.mpi == launch::MpiKind::smpi;
}

std::vector<std::string> launcher_line(const SkeletonInfo& skeleton, const std::vector<std::string>& given) {
  if (!given.empty()) return given;
  if (is_smpi(skeleton.mpi))
    throw Error(Code::invalid_argument, skeleton.directory.string(), {},
                "was traced under SMPI, whose launcher needs a platform",
                "name it: predict --platform FILE.xml, or -- smpirun -np " + std::to_string(skeleton.ranks) +
                    " -platform FILE.xml -hostfile FILE");
  auto launcher = launch::tool_of_mpi("mpiexec", skeleton.mpi);
  for (const char* other : {"mpiexec.mpich", "mpiexec.openmpi"})
    if (!launch::find_program(launcher) && launch::find_program(other)) launcher = other;
  return {launcher, "-n", std::to_string(skeleton.ranks)};
}

SkeletonRun read_skeleton_run(const std::filesystem::path& file) {
  const auto json =
      read_json(file, "the skeleton's report", "run again; was the skeleton started with its own number of ranks?");
  SkeletonRun run;
  try {
    if (json.at("schema") != "skelgen.skeleton/1")
      throw Error(Code::corrupt, file.string(), {}, "the report is not of schema skelgen.skeleton/1",
                  "build the skeleton again");
    run.predicted_s = number_at(json, "predicted_s");
    run.skeleton_s = number_at(json, "skeleton_s");
    run.scale = number_at(json, "scale");
    run.compute = json.at("compute").get<std::string>();
    run.init_s = number_at(json, "init_s", 0);
    run.finalize_s = number_at(json, "finalize_s", 0);
    run.phases = phases_of(json);
    run.computed_s = number_at(json, "computed_s", 0);
    run.work_ratio = number_at(json, "work_ratio", 0);
    run.core_wait = number_at(json, "core_wait", 0);
    run.unexplained = number_at(json, "unexplained", 1);
    run.speeds = speeds_of(json, "speeds");
    run.traced_speeds = speeds_of(json, "traced_speeds");
    run.processor = read_processor(json);
    if (json.contains("computing")) {
      const Json& all = json.at("computing");
      run.computing = {number_at(all, "mean_s"), number_at(all, "most_s"), number_at(all, "deviation_s"),
                       number_at(all, "mean_of_all_s"), number_at(all, "longest_s")};
    }
    if (json.contains("per_rank")) run.per_rank = read_ranks(json.at("per_rank"), run.phases.size());
    if (const auto mpi = json.find("mpi"); mpi != json.end())
      run.mpi = {mpi->at("name").get<std::string>(), mpi->at("version").get<std::string>()};
  } catch (const Error&) {
    throw;
  } catch (const std::exception&) {
    throw Error(Code::corrupt, file.string(), {},
                "the skeleton's report lacks a key of skelgen.skeleton/1, or has no such number there",
                "build the skeleton again");
  }
  return run;
}

SkeletonRun run_skeleton(const std::filesystem::path& program, const std::vector<std::string>& line,
                         const launch::Environment& environment, const std::filesystem::path& scratch,
                         const launch::Launcher& launcher, bool per_rank) {
  const auto report = std::filesystem::absolute(scratch / "run.json");
  auto all = environment;
  if (launch::inherited("SKEL_SCRATCH").empty())  // the working directory may be read-only
    all.emplace_back("SKEL_SCRATCH", std::filesystem::absolute(scratch).string());
  std::vector<std::string> command{program.string()};
  if (per_rank) command.emplace_back("--per-rank");
  command.insert(command.end(), {"--json", report.string()});
  launch::run_reporting(line, command, "skeleton", all, scratch, launcher);
  return read_skeleton_run(report);
}

}  // namespace skelgen::predict
