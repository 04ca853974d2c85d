#pragma once

#include <signal.h>

#include <array>
#include <string>

namespace skelgen::launch {

/// While it lives, SIGINT, SIGTERM, SIGHUP and SIGQUIT that end this process write `line` to stderr first. Ignored ones stay
/// ignored. launch() keeps signals from it while a program runs. One at a time.
class SaidWhenInterrupted {
 public:
  explicit SaidWhenInterrupted(const std::string& line);
  ~SaidWhenInterrupted();
  SaidWhenInterrupted(const SaidWhenInterrupted&) = delete;
  SaidWhenInterrupted& operator=(const SaidWhenInterrupted&) = delete;

 private:
  std::array<struct sigaction, 4> before_{};
};

}  // namespace skelgen::launch
