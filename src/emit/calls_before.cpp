#include <span>

#include "emit/emit.h"

namespace skelgen::emit {
namespace {

using Span = std::span<const skeleton::Node>;

/// Adds the calls of a block that location l executes executions[l] times.
void add_calls(Span block, const std::vector<std::uint64_t>& executions, std::vector<std::uint64_t>& calls) {
  for (const auto& node : block) {
    std::vector<std::uint64_t> inside(node.is_loop() ? executions.size() : 0);
    for (std::size_t p = 0; p < node.where.size(); ++p) {
      const auto l = node.where[p];
      if (node.is_loop())
        inside[l] = static_cast<std::uint64_t>(node.loop().trips.of(p).sum(executions[l]));
      else
        calls[l] += executions[l];
    }
    if (node.is_loop()) add_calls(node.loop().body, inside, calls);
  }
}

}  // namespace

std::vector<PhaseBegin> calls_before(const skeleton::Skeleton& skeleton, const Plan& plan) {
  const auto n = skeleton.locations.size();
  const std::vector<std::uint64_t> once(n, 1);
  std::vector<PhaseBegin> before;
  std::vector<std::uint64_t> calls(n), begin(n);  // so far; before the phase that comes next
  const skeleton::Node* next = skeleton.program.data();
  for (std::size_t i = 0; i < plan.phases.size(); ++i) {
    const Phase& phase = plan.phases[i];
    if (phase.loop && !phase.next) continue;
    if (!phase.loop) {
      before.push_back({i, begin});
      continue;
    }
    add_calls({next, phase.loop}, once, calls);
    before.push_back({i, calls});
    std::vector<std::uint64_t> first, behind;  // iterations before the cut ones, and with them
    for (std::size_t l = 0; l < n; ++l) {
      const skeleton::Ends& ends = skeleton::ends_at(phase.ends, l);
      first.push_back(ends.first);
      behind.push_back(static_cast<std::uint64_t>(phase.loop->loop().trips.of(l).at(0)) - ends.last);
    }
    add_calls(phase.loop->loop().body, first, before.back().calls);
    begin = calls;
    add_calls(phase.loop->loop().body, behind, begin);
    add_calls({phase.loop, 1}, once, calls);
    next = phase.loop + 1;
  }
  return before;
}

}  // namespace skelgen::emit
