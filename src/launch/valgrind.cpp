#include "launch/valgrind.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "launch/launch.h"
#include "launch/preload.h"
#include "support/error.h"

namespace skelgen::launch {
namespace {

constexpr const char* kTool = "skelgen-amd64-linux";

/// In names of files Valgrind replaces what begins with %.
std::string without_patterns(const std::string& path) {
  std::string out;
  for (const char c : path) out += c == '%' ? "%%" : std::string(1, c);
  return out;
}

/// Where the first line "==7==    at 0x10913D: f (loops.c:7)" from `from` on says that the program was: " in function f",
/// " in /opt/app" where the function is not known; empty where there is no such line.
std::string place_at(const std::string& log, std::size_t from) {
  const auto at = log.find("  at 0x", from);
  if (at == std::string::npos) return {};
  const auto end = std::min(log.find('\n', at), log.size()), name = log.find(": ", at), open = log.rfind(" (", end);
  if (name >= open || open >= end) return {};
  const auto function = log.substr(name + 2, open - name - 2);
  return function == "???" ? " " + log.substr(open + 2, end - open - 3) : " in function " + function;
}

}  // namespace

std::optional<std::filesystem::path> search_profile_tool(const std::filesystem::path& executable) {
  const auto libraries = search_libraries(executable);
  if (libraries.capture.empty()) return {};
  const auto folder = libraries.capture.parent_path();
  for (const auto& place : {folder / "valgrind", folder.parent_path() / "valgrind"})
    if (std::error_code ignored; std::filesystem::is_regular_file(place / kTool, ignored)) return place;
  return {};
}

std::filesystem::path find_profile_tool(const std::filesystem::path& executable) {
  const auto tool = search_profile_tool(executable);
  if (!tool)
    throw Error(Code::unsupported, "this skelgen was built without its Valgrind tool",
                "apt install valgrind and build it again");
  if (!find_program("valgrind"))
    throw Error(Code::unsupported, "valgrind", {}, "is not installed, or not in PATH", "apt install valgrind");
  return *tool;
}

std::vector<std::string> under_valgrind(const std::vector<std::string>& words, const CommandLine& line,
                                        const ProfileRun& run) {
  const auto directory = without_patterns(run.directory.string());
  const std::vector<std::string> before{"env",
                                        "VALGRIND_LIB=" + run.tool.string(),
                                        "valgrind",
                                        "--tool=skelgen",
                                        "--vgdb=no",
                                        "--intervals=yes",
                                        "--stop=" + run.directory.string() + "/stop",
                                        "--out=" + directory + "/process-%p.work",
                                        "--log-file=" + directory + "/process-%p.log"};
  std::vector<std::string> all = words;
  for (auto at = line.executables.rbegin(); at != line.executables.rend(); ++at)
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(*at), before.begin(), before.end());
  return all;
}

std::optional<std::string> ended_by(const std::string& log) {
  constexpr std::string_view kBytes = "unhandled instruction bytes: ", kSignal = "default action of signal ";
  if (const auto at = log.find("Unrecognised instruction at address"); at != std::string::npos) {
    const auto bytes = log.rfind(kBytes, at);
    const bool avx512 = bytes != std::string::npos && log.compare(bytes + kBytes.size(), 4, "0x62") == 0;  // EVEX
    return fmt::format("Valgrind cannot run {}{}", avx512 ? "the AVX-512" : "an instruction", place_at(log, at));
  }
  const auto at = log.find(kSignal);
  const auto open = log.find('(', at), close = log.find(')', at);
  if (at == std::string::npos || close == std::string::npos) return {};
  return fmt::format("{} ended it{}", log.substr(open + 1, close - open - 1), place_at(log, at));
}

}  // namespace skelgen::launch
