#pragma once
// All subcommands, one file each, and which of them a command line names.

#include "cli/command.h"

namespace skelgen::cli {

Command add_trace(CLI::App& parent);
Command add_profile(CLI::App& parent);
Command add_time(CLI::App& parent);
Command add_info(CLI::App& parent);
Command add_dump(CLI::App& parent);
Command add_build(CLI::App& parent);
Command add_generalize(CLI::App& parent);
Command add_predict(CLI::App& parent);
Command add_verify(CLI::App& parent);
Command add_metrics(CLI::App& parent);
Command add_report(CLI::App& parent);
Command add_compare(CLI::App& parent);
Command add_calibrate(CLI::App& parent);
Command add_netbench(CLI::App& parent);
Command add_model(CLI::App& parent);
Command add_threads(CLI::App& parent);
Command add_doctor(CLI::App& parent);

/// Reads the command line (without the program's name) and runs it. Returns the exit status; throws Error, Code::usage
/// for a wrong line.
int run(const std::vector<std::string>& arguments, Context context);

/// Exit status of a failure of the command that `arguments` name: 2 for wrong usage; for trace and time 127 when the
/// launcher is not there and 125 when something else failed before the launch; 1 otherwise.
int exit_status(Code code, const std::vector<std::string>& arguments);

}  // namespace skelgen::cli
