#include "emit/summary.h"

#include <fmt/format.h>

#include "emit/code_writer.h"

namespace skelgen::emit {

std::string summary(const skeleton::Skeleton& skeleton, const Plan& plan) {
  const auto ranks = skeleton::ranks(skeleton);
  const auto threads =
      skeleton::has_threads(skeleton) ? fmt::format(", together {} threads", skeleton.locations.size()) : "";
  return fmt::format(
      "/* Performance skeleton of an MPI program with {} rank{}{}: its calls, and its computation as time. Made by "
      "skelgen.\n"
      " * {} in the traced run; built with K = {}, expected to run {}.{} */",
      ranks, ranks == 1 ? "" : "s", threads, duration(skeleton.traced_wall_s), number(plan.scale),
      duration(plan.expected_run_s),
      skeleton.edited ? "\n * The program was edited or written by hand as text; it is not the one that was traced."
      : skeleton.tolerance > 0
          ? fmt::format("\n * Not lossless: counts of messages are within {} % of those that were traced.",
                        number(100 * skeleton.tolerance))
          : "");
}

}  // namespace skelgen::emit
