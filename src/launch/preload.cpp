#include "launch/preload.h"

#include <cstdio>
#include <cstdlib>
#include <random>

#include "support/error.h"

namespace skelgen::launch {

namespace {

/// A number that no other run has, so that its ranks need not agree on one.
std::string run_number() {
  std::random_device random;
  char text[17];
  std::snprintf(text, sizeof text, "%08x%08x", random() | 1u, random());
  return text;
}

}  // namespace

Libraries search_libraries(const std::filesystem::path& executable) {
  const auto prefix = executable.parent_path().parent_path();
  std::vector<std::filesystem::path> folders{prefix / "lib", prefix / "lib64"};
  std::error_code ignored;
  // Debian installs into lib/x86_64-linux-gnu: one more level, whatever the triplet is called.
  for (const auto& entry : std::filesystem::directory_iterator(prefix / "lib", ignored)) {
    const auto name = entry.path().filename().string();
    if (entry.is_directory(ignored) && (name == "skelgen" || name.find("-linux-") != std::string::npos))
      folders.push_back(entry.path());
  }
  for (std::size_t plain = folders.size(), i = 0; i < plain; ++i) folders.push_back(folders[i] / "skelgen");
  for (const auto& folder : folders) {
    const auto here = [&](const char* name) {
      return std::filesystem::is_regular_file(folder / name, ignored) ? folder / name : std::filesystem::path();
    };
    const Libraries found{here("libskeltrace.so"), here("libskelyield.so"), here("libskelthreads.so")};
    if (!found.capture.empty() || !found.threads.empty()) return found;
  }
  return {};
}

Libraries find_libraries(const std::filesystem::path& executable) {
  const auto found = search_libraries(executable);
  if (found.capture.empty())
    throw Error(Code::io, (executable.parent_path().parent_path() / "lib" / "libskeltrace.so").string(), {},
                "the capture library is not there", "build or install skelgen completely");
  return found;
}

std::filesystem::path this_executable() { return std::filesystem::canonical("/proc/self/exe"); }

bool needs_yield(const CommandLine& line, int cores, Yield choice) {
  if (choice != Yield::automatic) return choice == Yield::on;
  return line.mpi != MpiKind::smpi && line.local && line.ranks && *line.ranks > cores;
}

std::string inherited(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value ? value : "";
}

Environment environment_of(const Capture& capture, const Libraries& libraries, const CommandLine& line, Lookup lookup) {
  Environment set;
  std::string preload, search;
  const auto add_library = [&](const std::string& path) { preload += (preload.empty() ? "" : ":") + path; };
  // Blanks separate libraries in LD_PRELOAD: by its name alone a library is searched for in LD_LIBRARY_PATH, whose
  // folders may have them.
  const auto add_own = [&](const std::filesystem::path& library) {
    if (library.string().find_first_of(" \t\n") == std::string::npos) return add_library(library.string());
    if (library.string().find_first_of(":;") != std::string::npos)
      throw Error(Code::unsupported, library.string(), {},
                  "LD_PRELOAD takes no path with a blank and a colon or semicolon", "install skelgen elsewhere");
    add_library(library.filename().string());
    search = library.parent_path().string();
  };
  if (!capture.mode.empty() && !libraries.capture.empty()) add_own(libraries.capture);
  if (capture.threads) {
    if (libraries.threads.empty())
      throw Error(Code::io, (libraries.capture.parent_path() / "libskelthreads.so").string(), {},
                  "the library that records threads is not there", "build or install skelgen completely");
    add_own(libraries.threads);
  }
  if (capture.yield) {
    if (libraries.yield.empty())
      throw Error(Code::io, (libraries.capture.parent_path() / "libskelyield.so").string(), {},
                  "the library that lets waiting ranks yield is not there",
                  "build or install skelgen completely, or use --yield off");
    add_own(libraries.yield);
  }
  if (preload.empty()) return set;
  if (const auto before = lookup("LD_PRELOAD"); !before.empty()) add_library(before);
  set.emplace_back("LD_PRELOAD", preload);
  if (!search.empty()) {
    const auto before_search = lookup("LD_LIBRARY_PATH");
    set.emplace_back("LD_LIBRARY_PATH", search + (before_search.empty() ? "" : ":" + before_search));
  }
  if (!capture.mode.empty()) {
    set.emplace_back("SKELGEN_OUT", std::filesystem::absolute(capture.out).string());
    set.emplace_back("SKELGEN_MODE", capture.mode + ":" + run_number());
    if (!capture.counters.empty()) set.emplace_back("SKELGEN_COUNTERS", capture.counters);
    if (capture.sites) set.emplace_back("SKELGEN_SITES", "1");
    if (capture.online) set.emplace_back("SKELGEN_ONLINE", "1");
    if (capture.yield && capture.mode == "record") set.emplace_back("SKELGEN_CPU_TIME", "1");
    if (!capture.layers.empty())
      set.emplace_back("SKELGEN_THREAD_LAYERS", std::filesystem::absolute(capture.layers).string());
  }
  if (line.mpi == MpiKind::openmpi) {
    if (!line.exports_environment) {
      std::string list = lookup("OMPI_MCA_mca_base_env_list");
      for (const auto& [name, value] : set) list += (list.empty() ? "" : ";") + name;
      set.emplace_back("OMPI_MCA_mca_base_env_list", list);
    }
    if (capture.yield) set.emplace_back("OMPI_MCA_mpi_yield_when_idle", "1");
  }
  return set;
}

}  // namespace skelgen::launch
