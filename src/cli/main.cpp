// Where errors end: one line on stderr per failure, and the exit status that docs promise. Only `trace` catches
// one itself: what is wrong with a trace that it has just made.

#include <unistd.h>

#include <ctime>
#include <exception>
#include <iostream>
#include <new>
#include <sstream>

#include "cli/commands.h"
#include "launch/preload.h"
#include "launch/program.h"
#include "support/printable.h"

int main(int argc, char** argv) {
  using namespace skelgen;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    const auto now = [] { return std::time(nullptr); };
    const int status = cli::run(
        arguments,
        {std::cout, std::cerr, launch::launch, now, launch::this_executable(), {}, isatty(STDERR_FILENO) == 1});
    std::cout.flush();
    if (!std::cout)
      throw Error(Code::io, "standard output", {}, "could not be written completely", "check the disk or the pipe");
    return status;
  } catch (const launch::FailedRun& error) {
    std::istringstream lines(error.output());
    for (std::string line; std::getline(lines, line);) std::cerr << "  | " << printable(line) << '\n';
    std::cerr << "skelgen: " << printable(error.what()) << '\n';
    return cli::exit_status(error.code(), arguments);
  } catch (const Error& error) {
    std::cerr << "skelgen: " << printable(error.what()) << '\n';
    return cli::exit_status(error.code(), arguments);
  } catch (const std::bad_alloc&) {
    std::cerr << "skelgen: out of memory; use a machine with more or a shorter trace\n";
    return cli::exit_status(Code::internal, arguments);
  } catch (const std::exception& error) {
    std::cerr << "skelgen: " << printable(error.what()) << '\n';
    return cli::exit_status(Code::internal, arguments);
  }
}
