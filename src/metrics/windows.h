#pragma once
// He & Sun's concurrency inside windows of a run. Internal to src/metrics.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "metrics/he_sun.h"
#include "metrics/metrics.h"
#include "metrics/steps.h"

namespace skelgen::metrics {

/// The longest chain of computation inside a window that led somewhere, and which window that is; what went before the
/// window's cut is no part of it.
struct WindowChain {
  std::int32_t window = -1;  ///< -1: none
  double seconds = 0;
  /// Of several, those of the last window count.
  void join(const WindowChain& other) {
    if (other.window > window) *this = other;
    if (other.window == window) seconds = std::max(seconds, other.seconds);
  }
  /// What comes from another window is no part of this one.
  void follow(const WindowChain& from) {
    if (from.window == window) seconds = std::max(seconds, from.seconds);
  }
};

/// Of all locations inside a window, in seconds.
struct WindowSums {
  double computing = 0, blocked = 0, chain = 0;
  /// (dwt - ht) / (dvol - ht): as He & Sun's alpha of the part of a computation between two consistent cuts. Nothing where
  /// a single location is left, which may have been there for a thousandth longer.
  Measure alpha() const {
    const double volume = computing + blocked;
    return volume - chain <= 1e-3 * volume ? std::nullopt : region_alpha(computing, volume, chain);
  }
};

/// Cuts the run into windows of the same length. O(1) for each step, and for each window that it reaches into.
class TimeWindows {
 public:
  /// count 0: none.
  TimeWindows(std::size_t locations, std::size_t count, double length_s)
      : length_s_(length_s > 0 ? length_s : 1), sums_(length_s > 0 ? count : 0), at_(sums_.empty() ? 0 : locations) {}

  /// The location comes to a step: right before that it was blocked, before that it has computed. speed: see Options::rho.
  void pass(std::uint32_t location, const Step& step, double speed) {
    if (at_.empty()) return;
    WindowChain& at = at_[location].chain;
    bool& entered = at_[location].entered;
    entered = false;
    if (step.at < at_[location].end) {
      WindowSums& sums = sums_[static_cast<std::size_t>(at.window)];
      sums.computing += speed * step.computing;
      sums.blocked += speed * step.blocked;
      at.seconds += speed * step.computing;
      return;
    }
    double computing = step.computing, blocked = step.blocked, from_s = step.at - computing - blocked;
    while (true) {
      const std::int32_t window = window_of(from_s);
      if (window != at.window) {
        leave(at);
        at = {window, 0};
        at_[location].end = length_s_ * (window + 1);
      }
      const double left = window + 1 < static_cast<std::int32_t>(sums_.size())
                              ? std::max(0.0, length_s_ * (window + 1) - from_s)
                              : computing + blocked;
      const double computes = std::min(computing, left), waits = std::min(blocked, left - computes);
      WindowSums& sums = sums_[static_cast<std::size_t>(window)];
      sums.computing += speed * computes;
      sums.blocked += speed * waits;
      at.seconds += speed * computes;
      if (!entered && step.entered < length_s_ * (window + 1)) {
        at_[location].entry = at;
        entered = true;
      }
      computing -= computes;
      blocked -= waits;
      if (computing + blocked <= 0) return;
      from_s = length_s_ * (window + 1);
    }
  }
  WindowChain now(std::uint32_t location) const { return at_.empty() ? WindowChain() : at_[location].chain; }
  /// Where the call of the last step was entered.
  WindowChain entry(std::uint32_t location) const {
    return at_.empty() || !at_[location].entered ? now(location) : at_[location].entry;
  }
  void follow(std::uint32_t location, const WindowChain& from) {
    if (!at_.empty()) at_[location].chain.follow(from);
  }

  /// All is over.
  Windows take() {
    Windows result{sums_.empty() ? 0 : length_s_, {}};
    for (const At& at : at_) leave(at.chain);
    for (const WindowSums& sums : sums_) result.alpha.push_back(sums.alpha());
    return result;
  }

 private:
  std::int32_t window_of(double at_s) const {
    const auto last = static_cast<double>(sums_.size() - 1);
    // What is left of rounding reaches into no window.
    return static_cast<std::int32_t>(std::clamp(at_s / length_s_ * (1 + 1e-12), 0.0, last));
  }
  void leave(const WindowChain& at) {
    if (at.window < 0) return;
    double& chain = sums_[static_cast<std::size_t>(at.window)].chain;
    chain = std::max(chain, at.seconds);
  }

  struct At {
    WindowChain chain;
    double end = 0;  // of the window
    WindowChain entry;
    bool entered = false;  // it may be another one than `chain`
  };

  double length_s_;
  std::vector<WindowSums> sums_;
  std::vector<At> at_;  // by location
};

}  // namespace skelgen::metrics
