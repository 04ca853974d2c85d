#include "work/seconds.h"

#include <algorithm>

#include "work/follower.h"

namespace skelgen::work {
namespace {

/// Seconds of each place of a location over the whole program, by place.
void add_seconds(const skeleton::Block& block, std::uint32_t l, std::uint64_t executions, std::uint32_t& number,
                 std::vector<double>& seconds) {
  for (const skeleton::Node& node : block) {
    const int position = node.position(l);
    const std::uint32_t own = number++;
    const auto at = static_cast<std::size_t>(std::max(position, 0));
    const auto mean = [&](const skeleton::Compute& compute) {
      return position < 0 || compute.mean_s.empty() ? 0 : compute.mean_s[at];
    };
    const bool in_run = node.is_loop() || node.call().function->kind != mpi::Kind::init;  // before it nothing counts
    seconds[before(own)] = in_run ? mean(node.before) * static_cast<double>(executions) : 0;
    if (!node.is_loop()) continue;
    const skeleton::Loop& loop = node.loop();
    const auto iterations =
        position < 0 ? 0 : static_cast<std::uint64_t>(std::max<std::int64_t>(0, loop.trips.of(at).sum(executions)));
    const auto entered = position < 0 ? 0 : loop.trips.of(at).positive(executions);
    seconds[between(own)] = mean(loop.between) * static_cast<double>(iterations - std::min(iterations, entered));
    add_seconds(loop.body, l, iterations, number, seconds);
  }
}

}  // namespace

std::vector<double> seconds_by_place(const skeleton::Skeleton& skeleton, std::uint32_t location) {
  std::vector<double> seconds(2 * nodes_of(skeleton).size());
  std::uint32_t number = 0;
  add_seconds(skeleton.program, location, 1, number, seconds);
  return seconds;
}

}  // namespace skelgen::work
