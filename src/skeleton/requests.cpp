#include "skeleton/requests.h"

#include <algorithm>

#include "skeleton/steps.h"

namespace skelgen::skeleton {

std::optional<std::int64_t> value(const mpi::Function& function, Values values, mpi::Role role, int n) {
  for (std::size_t a = 0; a < values.size(); ++a)
    if (function.parameters[a].role == role && n-- == 0) return values[a];
  return {};
}

std::vector<std::int64_t> completed(const Skeleton& skeleton, const mpi::Function& function, Values values) {
  const auto array = [&](std::int64_t id) -> const std::vector<std::int64_t>& {
    return skeleton.arrays[static_cast<std::size_t>(id)];
  };
  if (value(function, values, mpi::Role::flag) == 0) return {};
  if (const auto one = value(function, values, mpi::Role::request)) return {*one};
  const auto id = value(function, values, mpi::Role::requests);
  if (!id) return {};
  std::vector<std::int64_t> some;
  const auto add = [&](std::int64_t i) {
    if (i >= 0 && i < static_cast<std::int64_t>(array(*id).size()))
      some.push_back(array(*id)[static_cast<std::size_t>(i)]);
  };
  if (const auto index = value(function, values, mpi::Role::index)) {
    add(*index);
    return some;
  }
  if (const auto indices = value(function, values, mpi::Role::indices)) {
    std::ranges::for_each(array(*indices), add);
    return some;
  }
  return array(*id);
}

std::vector<std::int64_t> started(const Skeleton& skeleton, const mpi::Function& function, Values values) {
  if (const auto one = value(function, values, mpi::Role::request)) return {*one};
  const auto id = value(function, values, mpi::Role::requests);
  return id ? skeleton.arrays[static_cast<std::size_t>(*id)] : std::vector<std::int64_t>{};
}

Persistent persistent(const mpi::Function& function, Values values, std::uint64_t number) {
  constexpr std::int64_t kTags = std::int64_t{1} << 32;  // a partitioned message is no other of its tag
  return {function.kind, value(function, values, mpi::Role::peer).value_or(mpi::kProcNull),
          value(function, values, mpi::Role::tag).value_or(0) - (function.partitioned ? kTags : 0),
          *value(function, values, mpi::Role::comm), number};
}

PersistentRequests persistent_before(const Skeleton& skeleton, const Node& node, std::uint32_t l) {
  PersistentRequests requests;
  const std::function<bool(const ExpandedCall&)> visit = [&](const ExpandedCall& c) {
    const mpi::Function& function = *c.call->function;
    const auto request = value(function, c.values, mpi::Role::request);
    switch (function.kind) {
      case mpi::Kind::send_init:
      case mpi::Kind::recv_init:
        requests.made[*request] = persistent(function, c.values);
        break;
      case mpi::Kind::collective_init:
        requests.made[*request] =
            persistent(function, c.values, requests.collectives[*value(function, c.values, mpi::Role::comm)]++);
        break;
      case mpi::Kind::start:
        for (const auto slot : started(skeleton, function, c.values)) requests.active.insert(slot);
        break;
      case mpi::Kind::complete:
      case mpi::Kind::test:
        for (const auto slot : completed(skeleton, function, c.values)) requests.active.erase(slot);
        break;
      case mpi::Kind::request_free:
        requests.made.erase(*request);
        requests.active.erase(*request);
        break;
      default:
        break;
    }
    return true;
  };
  std::size_t before = 0;
  for (const Node& other : skeleton.program) {
    if (&other == &node) break;
    before += other.position(l) >= 0;
  }
  auto steps = steps_of(skeleton.program, l);
  steps.resize(before);
  Execution(visit).block(steps);
  return requests;
}

bool has(const Block& block, mpi::Kind kind) {
  return std::ranges::any_of(block, [&](const Node& node) {
    return node.is_loop() ? has(node.loop().body, kind) : node.call().function->kind == kind;
  });
}

}  // namespace skelgen::skeleton
