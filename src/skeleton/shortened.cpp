#include "skeleton/shortened.h"

#include <algorithm>

namespace skelgen::skeleton {
namespace {

using mpi::Kind;

/// Fewer iterations than this are not worth a look, nor is a loop with a smaller share of the program's calls: to look
/// at one costs a walk over the program.
constexpr std::int64_t kFew = 8;
constexpr double kSmallShare = 1.0 / 64;

/// Calls in a node of the top level, about.
double calls_in(const Node& node) {
  if (!node.is_loop()) return 1;
  double calls = 0;
  for (const auto& inner : node.loop().body) calls += calls_in(inner);
  return calls * static_cast<double>(node.loop().trips.of(0).at(0));
}

bool matches_by_name(const Call& call) {
  switch (call.function->kind) {
    case Kind::opaque:
    case Kind::environment:
    case Kind::local:
    case Kind::file_delete:
    case Kind::send:
    case Kind::recv:
    case Kind::sendrecv:
    case Kind::complete:
    case Kind::collective:
      break;
    default:
      return false;
  }
  if (call.matched) return false;
  for (std::size_t a = 0; a < call.arguments.size(); ++a) {
    const auto role = call.function->parameters[a].role;
    const auto& choices = call.arguments[a].choices;
    if (role == mpi::Role::op && !std::ranges::all_of(choices, [](const Sequence& operations) {
          return operations.kind == Sequence::Kind::constant;
        }))
      return false;  // a cycle says nothing of them
    if (role != mpi::Role::tag) continue;
    for (const auto& tags : choices)
      if (tags.kind == Sequence::Kind::arithmetic || std::ranges::count(tags.values, mpi::kAnyTag) > 0) return false;
  }
  return true;
}

bool matches_by_name(const Block& block) {
  return std::ranges::all_of(block, [](const Node& node) {
    return node.is_loop() ? node.loop().pool < 0 && matches_by_name(node.loop().body) : matches_by_name(node.call());
  });
}

}  // namespace

Shortened shortened(const Skeleton& skeleton) {
  Shortened loops;
  double all = 0;
  for (const auto& node : skeleton.program) all += calls_in(node);
  for (const auto& node : skeleton.program) {
    if (calls_in(node) < kSmallShare * all) continue;
    if (!node.is_loop() || node.loop().trips.of(0).at(0) < kFew || !matches_by_name(node.loop().body)) continue;
    if (node.loop().pool >= 0) continue;
    const std::uint64_t cycle = closed(skeleton, node).cycle;
    if (cycle > 0) loops[&node] = 2 * cycle + 1;
  }
  return loops;
}

}  // namespace skelgen::skeleton
