#include "launch/interrupted.h"

#include <unistd.h>

#include <algorithm>

namespace skelgen::launch {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// A handler has no other way to its data.
std::array<char, 8192> said;
std::size_t said_length;

void say_and_end(int number) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, said.data(), said_length);
  signal(number, SIG_DFL);
  raise(number);  // when this handler has returned
}

}  // namespace

SaidWhenInterrupted::SaidWhenInterrupted(const std::string& line) {
  said_length = std::min(line.size(), said.size() - 1);
  std::copy_n(line.begin(), said_length, said.begin());
  said[said_length++] = '\n';
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    struct sigaction saying {};
    saying.sa_handler = say_and_end;
    if (before_[i].sa_handler == SIG_DFL) sigaction(kSignals[i], &saying, nullptr);
  }
}

SaidWhenInterrupted::~SaidWhenInterrupted() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

}  // namespace skelgen::launch
