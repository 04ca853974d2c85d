#include "merge/class_program.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "support/error.h"

namespace skelgen::merge {
namespace {

void append(const fold::Program& block, std::uint64_t executions, ClassProgram& nodes) {
  for (const fold::Node& node : block) {
    const std::size_t i = nodes.size();
    if (i >= std::numeric_limits<std::uint32_t>::max()) throw Error(Code::internal, "a folded program of 2^32 nodes");
    if (node.is_loop() && node.trips == 0) throw Error(Code::internal, "a folded loop of no trips");
    const std::uint64_t iterations = !node.is_loop() ? 0
                                     : node.each.empty()
                                         ? executions * node.trips
                                         : std::accumulate(node.each.begin(), node.each.end(), std::uint64_t{0});
    if (!node.each.empty() && node.each.size() != executions)
      throw Error(Code::internal, "a folded loop has trips for another number of executions");
    const auto left_out = static_cast<std::uint64_t>(std::ranges::count(node.each, std::uint64_t{0}));
    nodes.push_back(
        {node.symbol, node.is_loop() ? node.trips : 0, 0, executions, iterations, executions - left_out, node.each});
    if (node.is_loop()) append(node.body, iterations, nodes);
    nodes[i].end = static_cast<std::uint32_t>(nodes.size());
  }
}

}  // namespace

ClassProgram class_program(const fold::Program& program) {
  ClassProgram nodes;
  append(program, 1, nodes);
  return nodes;
}

}  // namespace skelgen::merge
