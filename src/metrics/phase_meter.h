#pragma once
// Time that each phase of the run took. Internal to src/metrics.

#include <algorithm>
#include <utility>
#include <vector>

#include "metrics/steps.h"
#include "metrics/windows.h"

namespace skelgen::metrics {

/// A phase over all locations, each by its own clock: from the end of its last call before the phase to that of its last
/// call in it.
struct PhaseTimes {
  double seconds = 0, elapsed = 0;  ///< the longest of all locations, the sum
  double most = 0, computing = 0;   ///< the same of what was computed
  double ideal = 0;                 ///< the longest on a network that costs nothing
  WindowSums sums;                  ///< scaled with the locations' speeds
};

/// O(1) time per step, memory O(phases + locations).
class PhaseMeter {
 public:
  static constexpr double kRounding_s = 1e-12;  ///< what is less is no time

  explicit PhaseMeter(const Cuts& cuts) : cuts_(cuts), at_(cuts.size()) {
    if (!cuts.empty()) phases_.resize(cuts.front().size() + 1);
  }

  /// The location comes to a step. before: when its last one ended, or it started. chain: the longest chain of computation
  /// that led there. speed: see Options::rho.
  void pass(std::uint32_t location, const Step& step, double before, double chain, double speed) {
    if (phases_.empty()) return;
    At& at = at_[location];
    const auto& cuts = cuts_[location];
    const auto begins = [&] { return at.phase < cuts.size() && step.call >= cuts[at.phase]; };
    if (!std::exchange(at.begun, true) || begins()) {
      if (at.inside.window >= 0) end(location, before, chain);
      while (begins()) ++at.phase;
      at = {at.phase, true, before, chain, 0, {static_cast<std::int32_t>(at.phase), 0}};
    }
    at.computing += step.computing;
    at.inside.seconds += speed * step.computing;
    WindowSums& sums = phases_[at.phase].sums;
    sums.computing += speed * step.computing;
    sums.blocked += speed * step.blocked;
  }

  /// The location's last phase ends.
  void end(std::uint32_t location, double now, double chain) {
    if (phases_.empty() || !at_[location].begun) return;
    const At& at = at_[location];
    PhaseTimes& phase = phases_[at.phase];
    const double elapsed = now - at.begin > kRounding_s ? now - at.begin : 0;
    phase.seconds = std::max(phase.seconds, elapsed);
    phase.elapsed += elapsed;
    phase.most = std::max(phase.most, at.computing);
    phase.computing += at.computing;
    phase.ideal = std::max(phase.ideal, chain - at.chain);
    phase.sums.chain = std::max(phase.sums.chain, at.inside.seconds);
  }

  /// That the location is in.
  std::size_t now(std::uint32_t location) const { return phases_.empty() ? 0 : at_[location].phase; }
  /// The longest chain inside it.
  WindowChain chain(std::uint32_t location) const { return phases_.empty() ? WindowChain() : at_[location].inside; }
  void follow(std::uint32_t location, const WindowChain& from) {
    if (!phases_.empty()) at_[location].inside.follow(from);
  }

  std::vector<PhaseTimes> take() { return std::move(phases_); }

 private:
  struct At {
    std::size_t phase = 0;
    bool begun = false;
    double begin = 0, chain = 0, computing = 0;  // of the phase: the first two where it began
    WindowChain inside;
  };

  const Cuts& cuts_;
  std::vector<At> at_;
  std::vector<PhaseTimes> phases_;
};

}  // namespace skelgen::metrics
