#pragma once
// Contents of an opened trace. Internal to src/trace.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "trace/decode.h"
#include "trace/file.h"
#include "trace/trace.h"

namespace skelgen::trace {

struct Trace::Impl {
  std::filesystem::path directory;
  nlohmann::json meta;
  std::string application, command;
  int ranks = 0;
  std::vector<RankFile> files;  // by rank; a missing one is nowhere
  std::vector<RankInfo> info;   // parallel to files
  std::vector<Clock> clocks;    // parallel to files
  std::vector<Location> locations;
  std::vector<double> zero_s;  // parallel to files: when the run began, on this file's clock
  std::optional<Seconds> wall;
  bool has_cpu_time = false, has_sites = false;
  ThreadWaits thread_waits;
  mutable UnknownFunctions unknown;

  StreamContext context(Location where) const;
};

/// An Impl without files: what meta.json says. Throws as open().
std::shared_ptr<Trace::Impl> read_meta(const std::filesystem::path& directory);

/// Throws Error{corrupt} that names the ranks which have none of the files; `there` is ascending.
void require_ranks(const Trace::Impl& impl, const std::vector<Rank>& there);

/// The trace of these files, which were checked each by itself; by rank. Throws Error{corrupt} where they do not belong
/// together.
Trace assemble(std::shared_ptr<Trace::Impl> impl, std::vector<RankFile> files, bool allow_incomplete = true);

}  // namespace skelgen::trace
