#include "cli/speeds.h"

#include <fmt/format.h>

#include <fstream>

#include "emit/embedded.h"
#include "launch/program.h"
#include "launch/temporary.h"

namespace skelgen::cli {
namespace {

namespace fs = std::filesystem;

fs::path compile_calibration(const Context& context, const std::string& compiler, const fs::path& scratch) {
  for (const char* name : {"calibrate/calibrate.c", "runtime/skel_kernels.h", "runtime/skel_kernel_names.h"})
    std::ofstream(scratch / fs::path(name).filename()) << emit::embedded(name);
  const auto program = fs::absolute(scratch / "calibrate");
  launch::run_compiler({compiler, "-std=c11", "-O2", "-o", program.string(), (scratch / "calibrate.c").string()},
                       compiler, "calibration", "calibrate.c", scratch, context.launch);
  return program;
}

}  // namespace

predict::Speeds measure_speeds(const Context& context, const std::vector<std::string>& launcher,
                               const std::string& compiler, launch::Yield yield) {
  const auto ranks = plan_ranks(context, launcher, yield);
  launch::require_program(launcher[0]);
  const launch::TemporaryDirectory scratch(launch::scratch_parent(), "calibrate");
  const auto program =
      compile_calibration(context, compiler.empty() ? launch::compiler_of(ranks.line) : compiler, scratch.path());
  const auto report = fs::absolute(scratch.path() / "speeds.json");
  const auto environment = launch::environment_of(
      {{}, {}, {}, ranks.yield}, launch::search_libraries(context.executable), ranks.line, launch::inherited);
  const char* const remedy = "name the launcher's own MPI compiler with --cc";
  launch::run_reporting(launcher, {program.string(), report.string()}, "calibration", environment, scratch.path(),
                        context.launch);
  if (fs::exists(report.string() + ".more"))  // templates/calibrate/calibrate.c
    throw Error(Code::mismatch, launcher[0], {}, "started ranks that did not find each other", remedy);
  auto speeds = predict::read_speeds(report);
  if (ranks.line.ranks && static_cast<std::size_t>(*ranks.line.ranks) != speeds.ranks.size())
    throw Error(Code::mismatch, launcher[0], {},
                fmt::format("started {} ranks, of which {} found each other", *ranks.line.ranks, speeds.ranks.size()),
                remedy);
  return speeds;
}

}  // namespace skelgen::cli
