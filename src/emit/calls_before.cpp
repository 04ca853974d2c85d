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

std::vector<std::vector<std::uint64_t>> calls_before(const skeleton::Skeleton& skeleton, const Plan& plan) {
  const auto n = skeleton.locations.size();
  const std::vector<std::uint64_t> once(n, 1);
  std::vector<std::vector<std::uint64_t>> before;
  std::vector<std::uint64_t> calls(n);
  std::size_t next = 0;  // node of the program
  for (const Phase& phase : plan.phases) {
    if (!phase.loop) {
      before.push_back(calls);
      continue;
    }
    const Span program(skeleton.program);
    add_calls(program.subspan(next, *phase.loop - next), once, calls);
    const skeleton::Node& loop = program[*phase.loop];
    before.push_back(calls);
    add_calls(loop.loop().body, once, before.back());
    add_calls({&loop, 1}, once, calls);
    next = *phase.loop + 1;
  }
  return before;
}

}  // namespace skelgen::emit
