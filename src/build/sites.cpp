#include "build/sites.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <utility>

#include "launch/launch.h"
#include "launch/temporary.h"
#include "support/error.h"

namespace skelgen::build {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSitesShown = 3;  ///< sites beside a statement
constexpr std::size_t kAtOnce = 500;    ///< addresses that addr2line is given
constexpr std::size_t kIdBytes = 1024;  ///< a note longer than that is no build id

/// "MPI.cpython-311-x86_64-linux-gnu.so": what it calls is called by scripts, of which addresses know nothing.
bool is_python_extension(const std::string& file) {
  return file.find(".cpython-") != std::string::npos || file.find(".abi3.so") != std::string::npos;
}

std::string hexadecimal(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

/// Places by address, as addr2line's lines say: "/src/solver.f90:120 (discriminator 2)"; empty if it does not know.
std::string place_of(const std::string& line) {
  const auto end = std::min(line.find(" ("), line.size());
  const auto colon = line.rfind(':', end);
  if (line.starts_with('?') || colon == std::string::npos || colon + 1 == end || line[colon + 1] == '?') return {};
  if (line.substr(colon + 1, end - colon - 1) == "0") return {};
  const auto slash = line.rfind('/', colon);
  auto text =
      line.substr(slash == std::string::npos ? 0 : slash + 1, end - (slash == std::string::npos ? 0 : slash + 1));
  for (char& c : text)
    if (c == '*' || c == '\\') c = '_';  // it will stand in a comment
  return text;
}

/// Each address stands before its line; warnings may come before, between and behind them.
void read_places(const std::string& text, std::map<std::uint64_t, std::string>& places) {
  std::istringstream lines(text);
  std::uint64_t address = 0;  // that has no line yet
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("0x") && line.size() <= 18 &&
        line.find_first_not_of("0123456789abcdef", 2) == std::string::npos) {
      address = std::stoull(line, nullptr, 16) + 1;
    } else if (address != 0 && !line.starts_with("addr2line: ")) {
      places[std::exchange(address, 0)] = place_of(line);
    }
  }
}

std::map<std::uint64_t, std::string> places_of(const launch::Launcher& launcher, const std::string& module,
                                               const std::vector<std::uint64_t>& addresses) {
  std::map<std::uint64_t, std::string> places;
  const launch::TemporaryDirectory scratch(launch::scratch_parent(), "lines");
  for (std::size_t begin = 0; begin < addresses.size(); begin += kAtOnce) {
    const std::size_t end = std::min(begin + kAtOnce, addresses.size());
    std::vector<std::string> command{"addr2line", "-a", "-e", module};
    for (std::size_t i = begin; i < end; ++i) command.push_back(fmt::format("{:#x}", addresses[i] - 1));  // in the call
    const auto ran = launch::capture(command, scratch.path(), launcher);
    if (ran.outcome.status == 0) read_places(ran.text, places);
  }
  return places;
}

}  // namespace

std::string build_id_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  Elf64_Ehdr head{};
  in.read(reinterpret_cast<char*>(&head), sizeof head);
  if (!in || !std::equal(head.e_ident, head.e_ident + SELFMAG, ELFMAG)) return {};
  for (std::size_t i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr part{};
    in.seekg(static_cast<std::streamoff>(head.e_phoff + i * sizeof part));
    in.read(reinterpret_cast<char*>(&part), sizeof part);
    if (!in) return {};
    if (part.p_type != PT_NOTE) continue;
    in.seekg(static_cast<std::streamoff>(part.p_offset));
    for (std::uint64_t left = part.p_filesz; left >= sizeof(Elf64_Nhdr);) {
      Elf64_Nhdr note{};
      in.read(reinterpret_cast<char*>(&note), sizeof note);
      const auto padded = [](std::uint64_t n) { return (n + 3) / 4 * 4; };
      const std::uint64_t body = padded(note.n_namesz) + padded(note.n_descsz);
      if (!in || body > kIdBytes || sizeof note + body > left) break;
      std::string text(body, '\0');
      in.read(text.data(), static_cast<std::streamsize>(body));
      left -= sizeof note + body;
      if (note.n_type == NT_GNU_BUILD_ID && text.starts_with(std::string_view("GNU\0", 4)))
        return hexadecimal(std::string_view(text).substr(padded(note.n_namesz), note.n_descsz));
    }
  }
  return {};
}

Site site_of(const trace::Trace& trace, Rank rank, std::uint64_t address) {
  const auto info = std::ranges::find(trace.rank_info(), rank, &trace::RankInfo::rank);
  const auto module =
      std::ranges::find_if(info->modules, [&](const trace::Module& one) { return one.contains(address); });
  return module == info->modules.end() ? Site() : Site{module->path, module->build_id, address - module->base};
}

std::string line_of(const launch::Launcher& launcher, const trace::Trace& trace,
                    const normalize::LocationCalls& location, std::size_t call) {
  if (call >= location.sites.size() || location.sites[call] == 0 || !launch::find_program("addr2line")) return {};
  const Site site = site_of(trace, location.where.rank, location.sites[call]);
  if (site.module.empty() || build_id_of(site.module) != site.build_id) return {};
  const auto places = places_of(launcher, site.module, {site.address});
  const auto place = places.find(site.address);
  return place == places.end() ? std::string() : place->second;
}

Sites sites_of(const trace::Trace& trace, const normalize::Normalized& normalized, const skeleton::Skeleton& skeleton) {
  if (!trace.has_sites())
    throw Error(Code::unsupported, trace.directory().string(), {}, "the trace does not say where calls were made",
                "trace with --sites, or build without --annotate");
  Sites sites;
  std::map<const skeleton::Call*, std::set<Site>> known;
  for (std::uint32_t l = 0; l < normalized.locations.size(); ++l) {
    const normalize::LocationCalls& location = normalized.locations[l];
    std::map<std::uint64_t, Site> own;
    std::size_t k = 0;
    skeleton::expand(skeleton, l, [&](const skeleton::ExpandedCall& call) {
      const std::uint64_t address = k < location.sites.size() ? location.sites[k] : 0;
      ++k;
      if (address == 0) return true;
      const auto [entry, fresh] = own.try_emplace(address);
      if (fresh) entry->second = site_of(trace, location.where.rank, address);
      const Site& site = entry->second;
      if (!site.module.empty() && known[call.call].insert(site).second) sites[call.call].push_back(site);
      return true;
    });
  }
  return sites;
}

std::map<Site, std::string> lines_of(const launch::Launcher& launcher, const std::set<Site>& sites,
                                     const std::function<void(const std::string&)>& note) {
  if (!launch::find_program("addr2line"))
    throw Error(Code::launch, "addr2line", {}, "command not found", "install binutils, or build without --annotate");
  std::map<std::pair<std::string, std::string>, std::set<std::uint64_t>> wanted;
  for (const Site& site : sites) wanted[{site.module, site.build_id}].insert(site.address);
  std::map<Site, std::string> lines;
  // Build IDs of modules that are gone: each rank of a simulated run has a copy of the program, which SMPI removes.
  std::set<std::string> gone;
  for (const auto& [module, addresses] : wanted) {
    const auto& [file, id] = module;
    std::error_code unknown;
    if (!fs::is_regular_file(file, unknown) || build_id_of(file) != id) {
      if (!gone.insert(id.empty() ? file : id).second) continue;
      note(fmt::format("{}: {}: calls in it have no source lines", file,
                       fs::exists(file, unknown)
                           ? "is not what was traced any more"
                           : "is not there any more (SMPI removes the copies of a program that it runs)"));
      continue;
    }
    bool some = false;
    for (auto& [address, place] : places_of(launcher, file, {addresses.begin(), addresses.end()})) {
      if (place.empty()) continue;
      some = true;
      lines[{file, id, address}] = std::move(place);
    }
    if (!some && is_python_extension(file))
      note(fmt::format("{}: is a Python extension: calls that a script makes by it have no source lines", file));
    else if (!some)
      note(fmt::format("{}: has no debug information: calls in it have no source lines; compile with -g", file));
  }
  return lines;
}

void add_lines(const launch::Launcher& launcher, std::vector<metrics::Finding>& findings,
               const std::function<void(const std::string&)>& note) {
  std::set<Site> sites;
  for (const auto& finding : findings)
    if (finding.site) sites.insert(*finding.site);
  if (sites.empty() || !launch::find_program("addr2line")) return;
  const auto lines = lines_of(launcher, sites, note);
  for (auto& finding : findings) {
    const auto line = finding.site ? lines.find(*finding.site) : lines.end();
    if (line == lines.end()) continue;
    finding.line = line->second;
    finding.text.insert(finding.line_at, (finding.only_site ? " (" : " (most of it at ") + finding.line + ")");
  }
}

emit::Annotations annotations(const launch::Launcher& launcher, const Sites& sites,
                              const std::function<void(const std::string&)>& note) {
  std::set<Site> wanted;
  for (const auto& [call, all] : sites) wanted.insert(all.begin(), all.end());
  const auto places = lines_of(launcher, wanted, note);
  emit::Annotations result;
  for (const auto& [call, all] : sites) {
    std::vector<std::string> lines;  // different ones
    for (const Site& site : all)
      if (const auto place = places.find(site);
          place != places.end() && std::ranges::find(lines, place->second) == lines.end())
        lines.push_back(place->second);
    if (lines.empty()) continue;
    const std::size_t shown = std::min(kSitesShown, lines.size());
    auto text = fmt::format("{}", fmt::join(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    if (lines.size() > shown) text += fmt::format(" and {} more", lines.size() - shown);
    result[call] = std::move(text);
  }
  return result;
}

}  // namespace skelgen::build
