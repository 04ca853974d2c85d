#include "cli/layer_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "build/sites.h"
#include "launch/launch.h"
#include "support/error.h"
#include "threads/layer_sites.h"

namespace skelgen::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRemedy = "trace it without --at-layers, and give that trace";

/// An ELF file that names a function that creates threads: not a shell, a driver or `make`, which start who knows what.
bool creates_threads(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  constexpr const char* kCreators[] = {"pthread_create", "thrd_create", "_M_start_thread", "GOMP_parallel",
                                       "__kmpc_fork_call"};
  return bytes.starts_with("\177ELF") &&
         std::ranges::any_of(kCreators, [&](const char* name) { return bytes.find(name) != std::string::npos; });
}

/// The executable that the command line starts; empty where that is not certain: shells, drivers and other programs that create no threads.
fs::path started(const launch::CommandLine& line) {
  const auto found = launch::find_program(line.program);
  std::error_code unknown;
  const auto file = found ? fs::canonical(*found, unknown) : fs::path();
  return !file.empty() && creates_threads(file) ? file : fs::path();
}

/// build_ids: by module of which the first trace has calls; applications: by name.
void require_same_program(const std::string& first, const std::vector<std::string>& words,
                          const launch::CommandLine& line, const std::map<std::string, std::string>& build_ids,
                          const std::set<std::string>& applications) {
  const auto program = started(line);
  if (program.empty() || build_ids.contains(program.string())) return;
  const auto is_named = [](const std::string& path, const std::string& name) {
    return fs::path(path).filename() == name;
  };
  const auto namesake = std::ranges::find_if(
      build_ids, [&](const auto& module) { return is_named(module.first, program.filename().string()); });
  const bool other_place = namesake != build_ids.end();
  const bool named = std::ranges::any_of(words, [&](const std::string& word) {
    return std::ranges::any_of(applications, [&](const std::string& name) { return is_named(word, name); });
  });
  if (named && !other_place) return;
  throw Error(Code::mismatch, first, {},
              fmt::format("is a trace of {}, not of {}",
                          other_place ? namesake->first : fmt::format("{}", fmt::join(applications, ", ")),
                          other_place ? program.string() : line.program),
              kRemedy);
}

}  // namespace

std::string layer_places(const std::string& first, const std::vector<std::string>& words,
                         const launch::CommandLine& line) {
  threads::LayerSites sites;
  std::map<std::string, std::string> build_ids;  // by module
  std::set<std::string> applications;
  for (const auto& file : threads::files_of(first)) {
    const auto run = threads::read_file(file);
    threads::add_layer_sites(run, threads::analyse(run), sites);
    for (const auto& site : run.sites) build_ids[site.module] = site.build_id;
    applications.insert(run.application);
  }
  if (sites.empty())
    throw Error(Code::invalid_argument, first, {}, "has no layers",
                "trace without --at-layers: no thread waits for signals of another");
  std::set<std::string> modules;
  for (const auto& [place, layer] : sites) modules.insert(place.first);

  require_same_program(first, words, line, build_ids, applications);
  std::error_code unknown;
  for (const auto& module : modules)
    if (!fs::is_regular_file(module, unknown) || build::build_id_of(module) != build_ids[module])
      throw Error(Code::mismatch, first, {}, fmt::format("{} is not what was traced any more", module), kRemedy);
  return threads::text_of(sites);
}

}  // namespace skelgen::cli
