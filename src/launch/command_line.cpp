#include "launch/command_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <string_view>

#include "launch/launch.h"
#include "support/fingerprint.h"

namespace skelgen::launch {
namespace {

using Words = std::vector<std::string>;

template <std::size_t N>
bool any_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::array<std::string_view, 13> kLaunchers{
    "mpiexec",        "mpirun",  "mpiexec.mpich", "mpirun.mpich", "mpiexec.hydra", "mpirun.hydra", "mpiexec.openmpi",
    "mpirun.openmpi", "orterun", "prterun",       "srun",         "smpirun",       "aprun"};

/// Options of Hydra, Open MPI and srun that take one value as the next word; written with one dash here, accepted with
/// two.
constexpr std::array<std::string_view, 62> kOneValue{"n",
                                                     "np",
                                                     "c",
                                                     "ppn",
                                                     "f",
                                                     "hostfile",
                                                     "host",
                                                     "hosts",
                                                     "machinefile",
                                                     "machine",
                                                     "wdir",
                                                     "wd",
                                                     "path",
                                                     "configfile",
                                                     "launcher",
                                                     "launcher-exec",
                                                     "localhost",
                                                     "genvlist",
                                                     "envlist",
                                                     "outfile-pattern",
                                                     "errfile-pattern",
                                                     "prepend-pattern",
                                                     "bind-to",
                                                     "map-by",
                                                     "rank-by",
                                                     "membind",
                                                     "topolib",
                                                     "iface",
                                                     "rmk",
                                                     "usize",
                                                     "demux",
                                                     "ckpoint-prefix",
                                                     "x",
                                                     "H",
                                                     "N",
                                                     "npernode",
                                                     "npersocket",
                                                     "tune",
                                                     "am",
                                                     "rankfile",
                                                     "rf",
                                                     "output-filename",
                                                     "timeout",
                                                     "stdin",
                                                     "prefix",
                                                     "cpu-set",
                                                     "cpu-list",
                                                     "app",
                                                     "personality",
                                                     "ntasks",
                                                     "nodes",
                                                     "ntasks-per-node",
                                                     "cpus-per-task",
                                                     "p",
                                                     "partition",
                                                     "t",
                                                     "w",
                                                     "nodelist",
                                                     "platform",
                                                     "mpi",
                                                     "order-nodes",
                                                     "profile"};
/// Options of smpirun that take one value as the next word; its others have theirs behind `=` or none.
constexpr std::array<std::string_view, 12> kSmpi{
    "n",       "np",     "platform", "hostfile",      "machinefile",        "bandwidth",
    "latency", "replay", "wrapper",  "trace-comment", "trace-comment-file", "trace-file"};
/// ... two values.
constexpr std::array<std::string_view, 6> kTwoValues{"genv", "env", "mca", "gmca", "pmca", "omca"};

std::string option_name(const std::string& word) {
  const auto begin = word.find_first_not_of('-');
  return begin == std::string::npos
             ? word
             : word.substr(begin, word.find('=') == std::string::npos ? std::string::npos : word.find('=') - begin);
}

std::string base_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

std::optional<int> number(const std::string& text) {
  int value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || value < 1) return {};
  return value;
}

bool takes_one_value(const CommandLine& line, const std::string& option) {
  return line.mpi == MpiKind::smpi ? any_of(kSmpi, option) : any_of(kOneValue, option);
}

bool names_only_this_host(const std::string& list, const std::string& this_host) {
  std::istringstream hosts(list);
  for (std::string host; std::getline(hosts, host, ',');) {
    host = host.substr(0, host.find(':'));
    if (host != "localhost" && host != "127.0.0.1" && host != this_host &&
        host != this_host.substr(0, this_host.find('.')))
      return false;
  }
  return true;
}

/// Index of the first word that is no option (or value of one), from `at` on.
std::size_t skip_options(const Words& words, std::size_t at, CommandLine& line, std::optional<int>& ranks,
                         const std::string& this_host) {
  while (at < words.size() && words[at].size() > 1 && words[at][0] == '-') {
    if (words[at] == "--") return at + 1;
    const auto name = option_name(words[at]);
    const auto equals = words[at].find('=');
    const bool one_value = takes_one_value(line, name);
    const bool has_value = equals != std::string::npos && one_value;
    const std::string value = has_value ? words[at].substr(equals + 1) : at + 1 < words.size() ? words[at + 1] : "";
    if (name == "n" || name == "np" || name == "ntasks" || (name == "c" && line.mpi != MpiKind::unknown)) {
      if (const auto count = number(value)) ranks = count;
    }
    if (name == "host" || name == "hosts" || name == "H" || name == "w" || name == "nodelist")
      line.local = line.local && names_only_this_host(value, this_host);
    if (name == "hostfile" || name == "machinefile" || name == "f" || name == "configfile") line.local = false;
    if (name == "configfile" || name == "app") line.programs_in_file = true;
    if (name == "x") line.exports_environment = true;
    if (name.size() > 1 && name[0] == 'n' && number(name.substr(1))) ranks = number(name.substr(1));  // srun -n4
    at += has_value ? 1 : one_value ? 2 : line.mpi != MpiKind::smpi && any_of(kTwoValues, name) ? 3 : 1;
  }
  return at;
}

/// Looks through programs that only start another one; interpreters: through those of a script, too.
std::size_t skip_wrappers(const Words& words, std::size_t at, bool interpreters = true) {
  constexpr std::array<std::string_view, 8> kPlain{"nice",   "nohup", "setsid",  "time",
                                                   "stdbuf", "exec",  "command", "ionice"};
  constexpr std::array<std::string_view, 6> kInterpreters{"python", "python3", "sh", "bash", "perl", "julia"};
  while (at + 1 < words.size()) {
    const auto name = base_name(words[at]);
    std::size_t next = at + 1;
    const auto skip_dashes = [&] {
      while (next < words.size() && words[next].starts_with('-')) {
        const bool takes_value =
            words[next] == "-n" || words[next] == "-u" || words[next] == "-m" || words[next] == "-C";
        next += takes_value && !any_of(kInterpreters, name) ? 2 : 1;
      }
    };
    if (name == "env") {
      skip_dashes();
      while (next < words.size() && words[next].find('=') != std::string::npos) ++next;
    } else if (name == "taskset" || name == "timeout") {
      if (name == "taskset" && next < words.size() && words[next] == "-c")
        ++next;
      else
        skip_dashes();
      ++next;  // the mask, the duration
    } else if (any_of(kPlain, name)) {
      skip_dashes();
    } else if (interpreters && any_of(kInterpreters, name)) {
      if (next < words.size() && words[next] == "-c") return at;
      skip_dashes();
    } else {
      return at;
    }
    if (next >= words.size()) return at;
    at = next;
  }
  return at;
}

MpiKind kind_of(const std::string& launcher) {
  const auto found = find_program(launcher);
  std::error_code ignored;
  const auto real = found ? std::filesystem::canonical(*found, ignored) : std::filesystem::path(launcher);
  for (const auto& name : {base_name(launcher), real.filename().string()}) {
    if (name == "smpirun") return MpiKind::smpi;
    if (name.find("openmpi") != std::string::npos || name == "orterun" || name == "prterun") return MpiKind::openmpi;
    if (name.find("mpich") != std::string::npos || name.find("hydra") != std::string::npos) return MpiKind::mpich;
  }
  return MpiKind::unknown;
}

}  // namespace

CommandLine parse_command_line(const std::vector<std::string>& words, const std::string& this_host) {
  CommandLine line;
  if (words.empty()) return line;
  const auto first = skip_wrappers(words, 0);
  line.program = words[first];
  line.program_index = first;
  line.executables = {skip_wrappers(words, 0, false)};
  if (!any_of(kLaunchers, base_name(words[first]))) return line;
  line.is_launcher = true;
  line.mpi = kind_of(words[first]);
  line.launcher = words[first];
  line.executables.clear();

  bool all_known = true;
  int sum = 0;
  bool have_program = false;
  for (std::size_t at = first + 1; at < words.size();) {
    std::optional<int> ranks;
    const auto operand = skip_options(words, at, line, ranks, this_host);
    all_known = all_known && ranks.has_value();
    sum += ranks.value_or(0);
    if (operand < words.size()) line.executables.push_back(skip_wrappers(words, operand, false));
    if (!have_program && operand < words.size()) {
      line.program_index = skip_wrappers(words, operand);
      line.program = words[line.program_index];
      have_program = true;
    }
    const auto colon =
        std::find(words.begin() + static_cast<std::ptrdiff_t>(std::min(operand, words.size())), words.end(), ":");
    at = colon == words.end() ? words.size() : static_cast<std::size_t>(colon - words.begin()) + 1;
  }
  if (all_known && sum > 0) line.ranks = sum;
  return line;
}

std::string application_name(const CommandLine& line) {
  auto name = base_name(line.program);
  for (auto& c : name) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    if (!plain) c = '_';
  }
  return name.empty() ? "app" : name;
}

std::string program_mark(const std::string& program) { return fmt::format("{:016x}", fingerprint(base_name(program))); }

std::optional<std::size_t> find_marked(const std::vector<std::string>& words, const CommandLine& line,
                                       const std::string& mark) {
  std::vector<std::size_t> starts = line.executables;
  if (line.program_index > 0) starts.push_back(line.program_index);
  if (!line.is_launcher)
    for (std::size_t at = 0; at < words.size(); ++at) starts.push_back(at);
  std::ranges::sort(starts);
  for (const auto at : starts)
    if (!mark.empty() && program_mark(words[at]) == mark) return at;
  return {};
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace skelgen::launch
