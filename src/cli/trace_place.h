#pragma once
// Directory in which `trace` writes: runs below DIR.partial, the one that is kept under its final name. Nothing but traces is ever
// replaced or removed.

#include <filesystem>

namespace skelgen::cli {

/// True if `directory` has a file rank-*.skt.
bool has_rank_files(const std::filesystem::path& directory);

/// The place of one trace, locked as long as this lives.
class TracePlace {
 public:
  /// `target`: absolute, in a directory that exists. Throws Error{invalid_argument} if something stands there, or at
  /// `target`.partial, that holds anything but a trace, or if another process traces into it.
  explicit TracePlace(const std::filesystem::path& target);
  /// Removes the runs that were not kept.
  ~TracePlace();
  TracePlace(const TracePlace&) = delete;
  TracePlace& operator=(const TracePlace&) = delete;

  /// A new, empty directory for the run of this number.
  std::filesystem::path begin_run(int number) const;
  /// Gives `run` the final name, then removes what stood there. Throws Error{invalid_argument} if that is no trace any
  /// more: the run stays where it is.
  void keep(const std::filesystem::path& run);
  /// Leaves `run` where it is, for the user: what stands at the final name stays, too.
  void leave(const std::filesystem::path& run);

 private:
  void lock();

  std::filesystem::path target_, partial_;
  int lock_ = -1;
  bool leave_ = false;
  std::filesystem::path left_;
};

}  // namespace skelgen::cli
