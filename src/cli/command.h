#pragma once
// Context in which subcommands run (streams, launcher), and options and messages that they share.

#include <chrono>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "launch/launch.h"
#include "support/error.h"
#include "support/progress.h"

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace skelgen::cli {

using Json = nlohmann::ordered_json;

/// Everything outside that a command may touch; tests put their own in.
struct Context {
  std::ostream& out;
  std::ostream& err;
  launch::Launcher launch;
  std::function<std::time_t()> now;
  std::filesystem::path executable;   ///< of skelgen: the capture library is found from there
  std::vector<std::string> launcher;  ///< what stood behind `--`
  bool terminal = false;              ///< err is one: progress of long work is shown there
  std::chrono::milliseconds patience = std::chrono::seconds(2);  ///< beside launches: what takes less shows none
  std::string about = {};  ///< before each note ("16 ranks: "), where a command does one thing several times
};

/// Whether a launcher line stands behind `--`.
enum class LauncherLine { none, optional, needed };

/// A subcommand: its options, and what runs after the line was read.
struct Command {
  CLI::App* app;
  LauncherLine launcher;
  std::function<int(const Context&)> run;  ///< returns the exit status
};

/// The first line of the command's help: "Usage: skelgen LINE".
void set_usage(CLI::App& app, const std::string& line);

/// For CLI::Option::check: a whole number from `least` on, at most `most`; a number from `least` on; a number above 0.
/// What is wrong is said in a sentence, not as C++ limits.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most = UINT64_MAX);
CLI::Validator number_from(double least);
CLI::Validator positive_number();
/// A number from 0 on and below 1.
CLI::Validator share();

/// The option takes values separated by commas, in one word: what follows is another argument.
CLI::Option* comma_separated(CLI::Option* option);
/// The option takes one of these words.
CLI::Option* one_of(CLI::Option* option, const std::vector<std::string>& words);
/// An option that takes one of these words; choose(i): the i-th one.
void add_choice(CLI::App& app, const std::string& name, const std::function<void(std::size_t)>& choose,
                const std::vector<std::string>& words, const std::string& description);
/// The same of words that stand for values.
template <class Value>
void add_choice(CLI::App& app, const std::string& name, Value& to,
                const std::vector<std::pair<std::string, Value>>& choices, const std::string& description) {
  std::vector<std::string> words;
  for (const auto& choice : choices) words.push_back(choice.first);
  add_choice(
      app, name, [&to, choices](std::size_t i) { to = choices[i].second; }, words, description);
}

/// Writes the file that -o names, "-" for standard output.
void write_output(const Context& context, const std::string& file, std::string_view text);
/// Throws what write_output() would where nothing can be written: before the work that makes the text.
void require_writable_output(const std::string& file);
/// Throws Error{usage} for "-": `what` is a directory.
void require_directory_name(const std::string& name, const char* what);

/// The object and a line end.
void print_json(std::ostream& out, const Json& json);

/// Progress line for a command that starts programs, if there is a terminal: signals stay for the thread that waits for
/// those.
std::unique_ptr<Progress> progress_beside_launches(const Context& context);

/// `skelgen: TEXT` on stderr: notes and warnings that do not end the command. What others wrote may stand in it: see printable().
void note(const Context& context, const std::string& text);
/// The same of measurements that a busy machine spoilt. why: what shows it.
void note_spoilt(const Context& context, const std::string& why);

}  // namespace skelgen::cli
