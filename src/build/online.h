#pragma once
// Online measuring: a run is measured while it is recorded.

#include <atomic>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "metrics/metrics.h"
#include "trace/trace.h"

namespace skelgen::build {

/// Reads the records of a run that is about to begin as they come, on a thread of its own.
class Online {
 public:
  /// rho: see metrics::Options. cores: of this machine.
  Online(std::filesystem::path directory, std::vector<double> rho, int cores);
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
  /// The same: the measures.
  const metrics::Metrics& measured() const { return measured_; }
  /// Writes a file of this name beside the records and removes these. Throws Error{io}; records that are still a trace are
  /// kept then.
  void replace_records(const char* file, const std::function<void(std::ostream&)>& write) const;

 private:
  void read();

  const std::filesystem::path directory_;
  const std::vector<double> rho_;
  const int cores_;
  std::atomic<bool> over_ = false;
  bool gave_back_ = false;
  std::string problem_;
  metrics::Metrics measured_;
  std::optional<trace::Trace> ended_;
  std::thread reader_;
};

}  // namespace skelgen::build
