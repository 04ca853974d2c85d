#include "work/passes.h"

#include <algorithm>

namespace skelgen::work {
namespace {

/// top: between the iterations of the loop at the top level around the block.
void add_block(const skeleton::Block& block, std::uint32_t l, std::uint64_t executions, Place top,
               std::vector<Passes>& all) {
  for (const skeleton::Node& node : block) {
    const auto number = static_cast<std::uint32_t>(all.size() / 2);
    all.resize(all.size() + 2);
    const int position = node.position(l);
    const auto at = static_cast<std::size_t>(std::max(position, 0));
    const auto add = [&](Place place, const skeleton::Compute& compute, std::uint64_t times, Place iterations) {
      if (position < 0) return;
      all[place].times = times;
      if (!compute.mean_s.empty()) all[place].seconds = compute.mean_s[at] * static_cast<double>(times);
      if (at < compute.samples.of.size() && place != iterations) all[place].iterations = iterations;
    };
    add(before(number), node.before, executions, top);
    if (!node.is_loop()) {
      if (node.call().function->kind == mpi::Kind::init) all[before(number)].seconds = 0;
      continue;
    }
    const skeleton::Loop& loop = node.loop();
    const auto& trips = loop.trips.of(at);
    const std::uint64_t iterations =
        position < 0 ? 0 : static_cast<std::uint64_t>(std::max<std::int64_t>(0, trips.sum(executions)));
    const std::uint64_t entered = position < 0 ? 0 : trips.positive(executions);
    const Place own_top = top == kNoPlace ? between(number) : top;
    add(between(number), loop.between, iterations - std::min(iterations, entered), own_top);
    add_block(loop.body, l, iterations, own_top, all);
  }
}

}  // namespace

std::vector<Passes> passes_by_place(const skeleton::Skeleton& skeleton, std::uint32_t location) {
  std::vector<Passes> all;
  add_block(skeleton.program, location, 1, kNoPlace, all);
  return all;
}

}  // namespace skelgen::work
