// program TRACE: prints skeleton.c of a trace in which every gap between calls took 100 us, every gap between the
// iterations of a loop 1 ms and every call 1 us. So the text depends on what the program did and not on how long it
// took.

#include <algorithm>
#include <iostream>
#include <set>

#include "build/build.h"
#include "emit/emit.h"
#include "support/error.h"

namespace {

using namespace skelgen;

// Of all who execute it, also if all gaps were too short for the clock.
void set(skeleton::Compute& compute, const skeleton::Node& node, double seconds) {
  compute.mean_s.assign(node.where.size(), seconds);
  compute.samples = {};
}

// started: locations that have done something in this block already, so that the first thing that they do has no
// computation before it.
void set_times(skeleton::Block& block) {
  std::set<std::uint32_t> started;
  for (auto& node : block) {
    set(node.before, node, 0);
    for (std::size_t at = 0; at < node.where.size(); ++at)
      if (!started.insert(node.where[at]).second) node.before.mean_s[at] = 100e-6;
    if (node.is_loop()) {
      set(node.loop().between, node, 1e-3);
      set_times(node.loop().body);
    } else {
      std::fill(node.call().duration_s.begin(), node.call().duration_s.end(), 1e-6);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    auto built = build::build(argv[1], {});
    set_times(built.result.skeleton.program);
    built.result.skeleton.traced_wall_s = 1;
    built.result.skeleton.cpu_time = false;  // depends on the cores of the machine
    for (auto& location : built.result.skeleton.locations) {
      location.working_set_bytes = 1 << 20;
      location.speed_register = location.speed_memory = 1e9;
      location.kernel_speeds.clear();
      location.processor.clear();
    }
    std::cout << emit::program(built.result.skeleton, emit::plan_scale(built.result.skeleton, 10));
  } catch (const Error& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
