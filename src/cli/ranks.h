#pragma once
// Start of ranks, shared by trace, time, predict and verify: the yield option, and the error when no rank comes.

#include "cli/command.h"
#include "launch/preload.h"
#include "predict/skeleton_run.h"

namespace skelgen::cli {

/// Adds --yield auto|on|off.
void add_yield_option(CLI::App& app, launch::Yield& choice);

/// The launcher line read, and whether its ranks must yield; says so on stderr when that was decided here.
struct Ranks {
  launch::CommandLine line;
  bool yield;
};
Ranks plan_ranks(const Context& context, const std::vector<std::string>& launcher, launch::Yield choice);

/// Throws Error{usage} if a launcher starts nothing, Error{invalid_argument} if it will not find a program that it starts.
/// words: of the line.
void require_launched_program(const std::vector<std::string>& words, const launch::CommandLine& line);

/// Throws Error{mismatch} if the line says that it starts another number of ranks than the skeleton in `directory` has.
void require_ranks(const launch::CommandLine& line, int ranks, const std::string& directory);

/// Throws Error{usage} if the launcher line starts the program that the skeleton was made of. command: the command and its
/// operands, for the message.
void require_launcher_alone(const std::vector<std::string>& launcher, const predict::SkeletonInfo& skeleton,
                            const std::string& command);

/// Throws Error{unsupported} where the ranks left in `directory` that each of them ran alone, because the launcher is
/// another MPI's.
void require_one_mpi(const std::filesystem::path& directory, const std::string& program);

/// Throws Error{unsupported} where the capture library has no back end for the launcher's MPI: no rank is recorded.
void require_back_end(const launch::CommandLine& line, const launch::Libraries& libraries);

/// "interrupted; 2 of 10 runs were done", for a series that a signal ended. what: "runs".
std::string interrupted(std::size_t done, std::size_t wanted, const char* what);
/// Its exit status: that of the last launcher, but never 0, with which some launchers end after a signal.
inline int interrupted_status(const launch::Outcome& last) { return last.status ? last.status : 128 + last.asked; }

/// The cause, or the likely ones, why no rank wrote anything although the launcher reported success.
Error no_rank_seen(const std::string& program);

}  // namespace skelgen::cli
