#pragma once
// Context in which subcommands run (streams, launcher), and options and messages that they share.

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "launch/launch.h"
#include "support/error.h"

namespace CLI {
class App;
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
};

/// A subcommand: its options, and what runs after the line was read.
struct Command {
  CLI::App* app;
  std::function<int(const Context&)> run;  ///< returns the exit status
};

/// Throws Error{usage} if something, or nothing, stands behind `--` against what the command wants.
void require_launcher(const Context& context, const CLI::App& app);
void refuse_launcher(const Context& context, const CLI::App& app);

/// The first line of the command's help: "Usage: skelgen LINE".
void set_usage(CLI::App& app, const std::string& line);

/// For CLI::Option::check: a whole number from `least` on, at most `most`; a number from `least` on; a number above 0.
/// What is wrong is said in a sentence, not as C++ limits.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most = UINT64_MAX);
CLI::Validator number_from(double least);
CLI::Validator positive_number();
/// A number from 0 on and below 1.
CLI::Validator share();

/// The object and a line end.
void print_json(std::ostream& out, const Json& json);

/// `skelgen: TEXT` on stderr: notes and warnings that do not end the command. What others wrote may stand in it: see printable().
void note(const Context& context, const std::string& text);

}  // namespace skelgen::cli
