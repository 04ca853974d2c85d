#include "predict/skeleton_run.h"

#include <fstream>

#include "predict/program.h"
#include "support/error.h"

namespace skelgen::predict {
namespace {

using Json = nlohmann::ordered_json;

Json read_json(const std::filesystem::path& file, const std::string& what, const std::string& remedy) {
  std::ifstream in(file);
  if (!in) throw Error(Code::io, file.string(), {}, what + " cannot be read", remedy);
  try {
    return Json::parse(in);
  } catch (const Json::exception&) {
    throw Error(Code::corrupt, file.string(), {}, what + " is not valid JSON", remedy);
  }
}

bool is_smpi(const std::string& name) { return name.find("SMPI") != std::string::npos; }

double median_of(std::span<const SkeletonRun> runs, double SkeletonRun::*member) {
  std::vector<double> values;
  for (const auto& run : runs) values.push_back(run.*member);
  return median(values);
}

}  // namespace

bool is_skeleton(const std::filesystem::path& directory) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(directory / "skeleton.json", ignored);
}

SkeletonInfo read_skeleton_info(const std::filesystem::path& directory) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory, ignored))
    throw Error(Code::io, directory.string(), {},
                std::filesystem::exists(directory, ignored) ? "is no directory" : "no such directory",
                "give a directory that skelgen build wrote");
  const auto file = directory / "skeleton.json";
  const std::string remedy = "build the skeleton again";
  SkeletonInfo info;
  info.directory = directory;
  info.json = read_json(file, "the skeleton's description",
                        is_skeleton(directory) ? remedy : "give a directory that skelgen build wrote");
  try {
    info.ranks = info.json.at("ranks").get<int>();
    info.scale = info.json.at("scale").get<double>();
    info.mpi = info.json.value("mpi", "");
    info.compiler = info.json.value("compiler", "");
    info.normalize = info.json.value("normalize", "strict");
    info.tolerance = info.json.value("tolerance", 0.0);
    info.shared_memory = info.json.value("shared_memory", false);
  } catch (const Json::exception&) {
    throw Error(Code::corrupt, file.string(), {}, "the skeleton's description lacks ranks, scale or mpi", remedy);
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
                              const std::string& compiler, const Launcher& launcher, bool optimize) {
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
  const auto chosen = !compiler.empty() ? compiler : tool_of_mpi("mpicc", skeleton.mpi);
  std::vector<std::string> make{"make", "-s", "-C", folder.string(), "MPICC=" + chosen};
  if (!optimize) make.push_back("OPTIMIZE=-O0");
  run_compiler(make, chosen, "skeleton", skeleton.directory.string(), scratch, launcher);
  return std::filesystem::absolute(folder / "skeleton");
}

std::string compiler_for(const SkeletonInfo& skeleton, const CommandLine& line, const std::string& given) {
  if (!given.empty()) return given;
  if (line.mpi == MpiKind::smpi) return tool_of_mpi("mpicc", "SMPI");
  return is_smpi(skeleton.mpi) ? tool_of_mpi("mpicc", line.mpi == MpiKind::openmpi ? "Open MPI" : "MPICH") : "";
}

std::vector<std::string> launcher_line(const SkeletonInfo& skeleton, const std::vector<std::string>& given) {
  if (!given.empty()) return given;
  if (is_smpi(skeleton.mpi))
    throw Error(Code::invalid_argument, skeleton.directory.string(), {},
                "was traced under SMPI, whose launcher needs a platform",
                "name it: -- smpirun -np " + std::to_string(skeleton.ranks) + " -platform FILE.xml -hostfile FILE");
  return {tool_of_mpi("mpiexec", skeleton.mpi), "-n", std::to_string(skeleton.ranks)};
}

SkeletonRun read_skeleton_run(const std::filesystem::path& file) {
  const auto json =
      read_json(file, "the skeleton's report", "run again; was the skeleton started with its own number of ranks?");
  SkeletonRun run;
  try {
    if (json.at("schema") != "skelgen.skeleton/1")
      throw Error(Code::corrupt, file.string(), {}, "the report is not of schema skelgen.skeleton/1",
                  "build the skeleton again");
    run.predicted_s = json.at("predicted_s").get<double>();
    run.skeleton_s = json.at("skeleton_s").get<double>();
    run.scale = json.at("scale").get<double>();
    run.compute = json.at("compute").get<std::string>();
    run.init_s = json.value("init_s", 0.0);
    run.finalize_s = json.value("finalize_s", 0.0);
    for (const auto& phase : json.at("phases"))
      run.phases.push_back(
          {phase.at("name").get<std::string>(), phase.at("weight").get<double>(), phase.at("seconds").get<double>()});
  } catch (const Json::exception&) {
    throw Error(Code::corrupt, file.string(), {}, "the skeleton's report lacks a key of skelgen.skeleton/1",
                "build the skeleton again");
  }
  return run;
}

SkeletonRun run_skeleton(const std::filesystem::path& program, const std::vector<std::string>& line,
                         const Environment& environment, const std::filesystem::path& scratch,
                         const Launcher& launcher) {
  const auto report = std::filesystem::absolute(scratch / "run.json");
  run_reporting(line, {program.string(), "--json", report.string()}, "skeleton", environment, scratch, launcher);
  return read_skeleton_run(report);
}

Prediction combine(std::span<const SkeletonRun> runs, double confidence) {
  Prediction all;
  for (const auto& run : runs) all.runs.push_back(run.predicted_s);
  all.predicted_s = median(all.runs);
  all.confidence = confidence;
  all.interval = prediction_interval(all.runs, confidence);
  all.skeleton_s = median_of(runs, &SkeletonRun::skeleton_s);
  all.init_s = median_of(runs, &SkeletonRun::init_s);
  all.finalize_s = median_of(runs, &SkeletonRun::finalize_s);
  all.scale = runs.front().scale;
  all.compute = runs.front().compute;
  all.phases = runs.front().phases;
  for (std::size_t i = 0; i < all.phases.size(); ++i) {
    std::vector<double> values;
    for (const auto& run : runs) {
      if (run.phases.size() != all.phases.size() || run.phases[i].name != all.phases[i].name)
        throw Error(Code::mismatch, "the skeleton's launches report different phases", "build the skeleton again");
      values.push_back(run.phases[i].seconds);
    }
    all.phases[i].seconds = median(values);
  }
  return all;
}

}  // namespace skelgen::predict
