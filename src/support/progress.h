#pragma once
// Progress line for a person at a terminal during long work.

#include <chrono>
#include <condition_variable>
#include <iosfwd>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace skelgen {

/// One line that is written over: "skelgen: fold, 12 s in all". Nothing else may write to the stream meanwhile. The line
/// appears once the work has taken `patience` and is gone when the object is.
class Progress {
 public:
  /// No stream: shows nothing.
  explicit Progress(std::ostream* out, std::chrono::milliseconds patience = std::chrono::seconds(2));
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// What is being done now.
  void stage(std::string name);

 private:
  void show(std::stop_token stop);

  std::ostream* out_;
  std::chrono::milliseconds patience_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex lock_;
  std::condition_variable_any wake_;
  std::string name_;    // under lock_
  bool shown_ = false;  // the thread's, until it has ended
  std::jthread thread_;
};

}  // namespace skelgen
