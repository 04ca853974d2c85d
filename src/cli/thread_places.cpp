#include "cli/thread_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "build/sites.h"
#include "launch/temporary.h"
#include "support/printable.h"

namespace skelgen::cli {
namespace {

namespace fs = std::filesystem;

/// A function, and where in it the code is.
struct Frame {
  std::string function, file, line;
};

bool is_system_module(const std::string& path) {
  return std::ranges::any_of(std::initializer_list<const char*>{"/usr/lib", "/lib/", "/lib64/", "/lib32/"},
                             [&](const char* begin) { return path.starts_with(begin); });
}

/// Headers of the system and of compilers, wherever these are.
bool is_system_source(const std::string& path) {
  if (path.starts_with("/usr/include/") || path.starts_with("/usr/lib")) return true;
  return std::ranges::any_of(
      std::initializer_list<const char*>{"/include/c++/", "/lib/gcc/", "/lib/clang/", "/sysdeps/"},
      [&](const char* part) { return path.find(part) != std::string::npos; });
}

/// Without arguments, and without those of templates.
std::string short_name(const std::string& function) {
  std::string name;
  int depth = 0;
  for (const char c : function) {
    if (c == '<') ++depth;
    if (depth == 0) {
      if (c == '(' && !name.empty()) return name + (name.ends_with("operator") ? "()" : "");
      if (c == ' ') name.clear();  // the type that it returns
      if (c != ' ') name += c;
    }
    if (c == '>' && depth > 0) --depth;
  }
  return name;
}

/// "/src/pool.cpp:24 (discriminator 2)".
void read_place(const std::string& line, Frame& frame) {
  const auto end = std::min(line.find(" ("), line.size());
  const auto colon = line.rfind(':', end);
  if (colon == std::string::npos || line.starts_with('?')) return;
  const auto number = line.substr(colon + 1, end - colon - 1);
  if (number == "0" || number.starts_with('?')) return;
  frame.file = line.substr(0, colon);
  frame.line = number;
}

/// Frames by address, the innermost first, from what addr2line -a -i -f prints.
std::map<std::uint64_t, std::vector<Frame>> read_frames(const std::string& text) {
  std::map<std::uint64_t, std::vector<Frame>> all;
  std::istringstream lines(text);
  std::vector<Frame>* frames = nullptr;
  bool is_place = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("addr2line: ")) continue;
    if (line.starts_with("0x") && line.size() <= 18 &&
        line.find_first_not_of("0123456789abcdef", 2) == std::string::npos) {
      frames = &all[std::stoull(line, nullptr, 16)];
      is_place = false;
    } else if (frames && is_place) {
      read_place(line, frames->back());
      is_place = false;
    } else if (frames) {
      frames->push_back({line.starts_with('?') ? std::string() : line, {}, {}});
      is_place = true;
    }
  }
  return all;
}

std::map<std::uint64_t, std::vector<Frame>> frames_of(const Context& context, const std::string& module,
                                                      const std::vector<std::uint64_t>& addresses) {
  constexpr std::size_t kAtOnce = 500;
  std::map<std::uint64_t, std::vector<Frame>> all;
  const launch::TemporaryDirectory scratch(launch::scratch_parent(), "lines");
  for (std::size_t begin = 0; begin < addresses.size(); begin += kAtOnce) {
    std::vector<std::string> command{"addr2line", "-a", "-i", "-f", "-C", "-e", module};
    for (std::size_t i = begin; i < std::min(begin + kAtOnce, addresses.size()); ++i)
      command.push_back(fmt::format("{:#x}", addresses[i]));
    const auto ran = launch::capture(command, scratch.path(), context.launch);
    if (ran.outcome.status == 0) all.merge(read_frames(ran.text));
  }
  return all;
}

ThreadPlace place_of(const std::vector<Frame>& frames, const std::string& module, ThreadPlace unknown) {
  for (const auto& frame : frames)
    if (!frame.file.empty() && !is_system_source(frame.file))
      return {fmt::format("{}:{}", printable(fs::path(frame.file).filename().string()), frame.line), true};
  const bool has_lines = std::ranges::any_of(frames, [](const Frame& frame) { return !frame.file.empty(); });
  const auto name = frames.empty() ? std::string() : short_name(frames.back().function);
  // Without lines, a name is that of the next symbol before: of a program without symbols, any.
  if (name.empty() || (unknown.own && !has_lines)) return unknown;
  return {fmt::format("{} in {}", printable(name), printable(fs::path(module).filename().string())), false};
}

}  // namespace

std::map<std::uint32_t, ThreadPlace> thread_places(const Context& context, const threads::Run& run,
                                                   const std::vector<threads::Awaited>& objects) {
  std::map<std::uint32_t, ThreadPlace> result;
  std::map<std::pair<std::string, std::string>, std::map<std::uint64_t, std::vector<std::uint32_t>>> wanted;
  for (const auto& object : objects)
    for (const auto& [both, seconds] : object.sites)
      for (const auto site : {both.first, both.second}) {
        if (site == threads::kNoSite || result.contains(site)) continue;
        const auto& [module, offset, build_id] = run.sites[site];
        const auto name = fs::path(module).filename().string();
        result[site] = {fmt::format("{}{:#x}", name.empty() ? name : printable(name) + "+", offset),
                        !is_system_module(module)};
        if (!name.empty()) wanted[{module, build_id}][offset - 1].push_back(site);  // in the call
      }
  if (wanted.empty() || !launch::find_program("addr2line")) return result;
  for (const auto& [module, sites] : wanted) {
    std::error_code unknown;
    if (!fs::is_regular_file(module.first, unknown) || build::build_id_of(module.first) != module.second) continue;
    std::vector<std::uint64_t> addresses;
    for (const auto& [address, indices] : sites) addresses.push_back(address);
    const auto frames = frames_of(context, module.first, addresses);
    for (const auto& [address, indices] : sites)
      if (const auto found = frames.find(address); found != frames.end())
        for (const auto site : indices) result[site] = place_of(found->second, module.first, result[site]);
  }
  return result;
}

std::string text_of(const std::map<std::uint32_t, ThreadPlace>& places,
                    const std::pair<std::uint32_t, std::uint32_t>& sites) {
  const auto& call = places.at(sites.first);
  if (sites.second == threads::kNoSite) return call.text;
  const auto& caller = places.at(sites.second);
  if (!caller.own) return call.text;
  return call.own ? call.text + ", called at " + caller.text : caller.text;
}

}  // namespace skelgen::cli
