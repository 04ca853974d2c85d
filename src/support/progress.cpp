#include "support/progress.h"

#include <algorithm>
#include <ostream>
#include <utility>

namespace skelgen {
namespace {

constexpr const char* kClear = "\r\033[K";

}  // namespace

Progress::Progress(std::ostream* out, std::chrono::milliseconds patience) : out_(out), patience_(patience) {
  if (out_) thread_ = std::jthread([this](std::stop_token stop) { show(std::move(stop)); });
}

Progress::~Progress() {
  if (!out_) return;
  thread_.request_stop();
  thread_.join();
  if (shown_) *out_ << kClear << std::flush;
}

void Progress::stage(std::string name) {
  const std::lock_guard guard(lock_);
  name_ = std::move(name);
}

void Progress::show(std::stop_token stop) {
  std::unique_lock guard(lock_);
  const auto stopped = [] { return false; };
  wake_.wait_for(guard, stop, patience_, stopped);
  while (!stop.stop_requested()) {
    const auto taken = std::chrono::steady_clock::now() - begin_;
    if (!name_.empty()) {
      *out_ << kClear << "skelgen: " << name_ << ", " << std::chrono::duration_cast<std::chrono::seconds>(taken).count()
            << " s in all" << std::flush;
      shown_ = true;
    }
    wake_.wait_for(guard, stop, std::min(patience_, std::chrono::milliseconds(1000)), stopped);
  }
}

}  // namespace skelgen
