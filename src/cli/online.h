#pragma once
// Online measuring of a run while it is recorded; online.json stays in place of the records.

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/command.h"
#include "metrics/metrics.h"
#include "trace/trace.h"

namespace skelgen::cli {

inline constexpr const char* kOnlineFile = "online.json";

/// True if `directory` has one.
bool is_online(const std::filesystem::path& directory);

/// Reads the records of a run that is about to begin as they come, on a thread of its own.
class Online {
 public:
  /// rho: see metrics::Options.
  Online(std::filesystem::path directory, std::vector<double> rho);
  ~Online();
  Online(const Online&) = delete;
  Online& operator=(const Online&) = delete;

  /// To be called when the launcher has ended; waits until the rest is read.
  void finish();
  /// What is wrong, if the run could not be measured; the records may be gone all the same.
  const std::string& problem() const { return problem_; }
  bool gave_back() const { return gave_back_; }
  /// Where nothing is wrong: how the run ended. No records.
  const trace::Trace& ended() const { return *ended_; }
  /// The same: what online.json has.
  Json json() const;
  /// The same: writes online.json and removes the records. Throws Error{io}; records that are still a trace are kept then.
  void keep() const;

 private:
  void read();

  const std::filesystem::path directory_;
  const std::vector<double> rho_;
  std::atomic<bool> over_ = false;
  bool gave_back_ = false;
  std::string problem_;
  metrics::Metrics measured_;
  std::optional<trace::Trace> ended_;
  std::thread reader_;
};

/// The object of `metrics --json` that online.json has. Throws Error{io}, Error{corrupt}; Error{invalid_argument} if
/// `rho` is not empty and not what the run was measured with.
Json read_online(const std::filesystem::path& directory, const std::vector<double>& rho);

/// What people are shown of such an object.
metrics::Metrics metrics_of(const Json& json);

}  // namespace skelgen::cli
