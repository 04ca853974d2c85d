#pragma once
// Checks of a program's file before it is run: whether the launcher will find it, and whether it is linked with an MPI.

#include <filesystem>
#include <string>
#include <vector>

#include "launch/command_line.h"

namespace skelgen::launch {

/// "./app: no such file" or "app is not in PATH; did you mean ./app?" of the first program of `line` that its launcher
/// (MPICH's or Open MPI's, on this machine) will not find; empty where all are there, or where that is not certain. words:
/// what `line` was read from.
std::string missing_program(const std::vector<std::string>& words, const CommandLine& line);

/// Why a program, as a launcher line names it, cannot be recorded: "linked statically ...", or that it needs no library beyond
/// the compiler's. Empty: neither, or its file cannot be read as a 64-bit ELF file. Reads its headers only.
std::string why_no_mpi(const std::string& program);

}  // namespace skelgen::launch
