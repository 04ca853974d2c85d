#include "merge/sources.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include "merge/choices.h"
#include "merge/rules.h"
#include "normalize/answers.h"

namespace skelgen::merge {
namespace {

using skeleton::Call;

/// What the locations that execute a statement received there, in order of execution.
struct Received {
  bool wildcard = false;
  std::map<std::uint32_t, std::uint8_t> answers;               // by location
  std::map<std::uint32_t, std::vector<std::int64_t>> sources;  // by location
};
using ByCall = std::map<const Call*, Received>;

void collect(const normalize::Normalized& normalized, const skeleton::Skeleton& skeleton, std::uint32_t l,
             ByCall& received) {
  const auto& matches = normalized.locations[l].matches;
  std::uint64_t index = 0;
  std::size_t next = 0;
  skeleton::expand(skeleton, l, [&](const skeleton::ExpandedCall& call) {
    const std::uint64_t number = index++;
    const auto& symbol = normalized.symbols[normalized.records[normalized.locations[l].calls[number]].symbol];
    if (const auto k = normalize::answered(symbol)) received[call.call].answers[l] = static_cast<std::uint8_t>(k);
    const int source = call.call->function->source();
    if (source < 0) return true;
    Received& all = received[call.call];
    std::int64_t from = call.values[static_cast<std::size_t>(source)];
    if (next < matches.size() && matches[next].call == number) {
      from = matches[next++].source;
      all.wildcard = true;
    }
    all.sources[l].push_back(from);
    return true;
  });
}

bool has_wildcards(const skeleton::Block& block) {
  return std::ranges::any_of(block, [](const skeleton::Node& node) {
    return node.is_loop() ? has_wildcards(node.loop().body) : node.call().matched.has_value();
  });
}

void set_free(skeleton::Block& block, bool free) {
  for (skeleton::Node& node : block) {
    if (node.is_loop())
      set_free(node.loop().body, free);
    else if (node.call().matched)
      node.call().any_order = free;
  }
}

void fill(const normalize::Normalized& normalized, skeleton::Block& block, const ByCall& received) {
  for (skeleton::Node& node : block) {
    if (node.is_loop()) {
      fill(normalized, node.loop().body, received);
      continue;
    }
    const auto found = received.find(&node.call());
    if (found == received.end()) continue;
    if (!found->second.answers.empty()) {
      for (const std::uint32_t l : node.where) {
        const auto own = found->second.answers.find(l);
        node.call().answers.push_back(own == found->second.answers.end() ? 0 : own->second);
      }
    }
    if (!found->second.wildcard) continue;
    Choices choices;
    skeleton::Argument argument;
    for (const std::uint32_t l : node.where)
      argument.choice.push_back(choices.add(skeleton::Sequence::of(found->second.sources.at(l))));
    argument.choices = choices.take();
    if (argument.choices.size() == 1) argument.choice.clear();
    argument.rule = find_rule(normalized, node.where, node.call(), argument);
    node.call().matched = std::move(argument);
  }
}

/// Messages that receives of MPI_ANY_SOURCE take by their recorded sources: of which location, in which communicator
/// (slot), of which tags.
using Named = std::map<std::pair<std::uint32_t, std::int64_t>, std::set<std::int64_t>>;

/// The value that a location always gives the last parameter of this role, `changing` if there are several.
std::int64_t constant(const Call& call, mpi::Role role, std::size_t position, std::int64_t changing) {
  auto parameter = call.arguments.size() - 1;
  while (call.function->parameters[parameter].role != role) --parameter;
  const auto& all = call.arguments[parameter].of(position);
  return all.kind == skeleton::Sequence::Kind::constant ? all.values[0] : changing;
}

/// Nobody leaves this call before all have come to it.
bool all_meet(const skeleton::Skeleton& skeleton, const skeleton::Node& node) {
  const Call& call = node.call();
  if (!call.function->meets_all()) return false;
  if (node.where.size() != skeleton.locations.size()) return false;
  for (std::size_t at = 0; at < node.where.size(); ++at)
    if (constant(call, mpi::Role::comm, at, -1) != 0) return false;
  return true;
}

bool always_entered(const skeleton::Loop& loop) {
  return std::ranges::all_of(loop.trips.choices, [](const skeleton::Sequence& trips) {
    return trips.kind != skeleton::Sequence::Kind::arithmetic && std::ranges::min(trips.values) > 0;
  });
}

/// `named`: what may be named behind a node before all meet; becomes that of before it.
void look_behind(const skeleton::Skeleton& skeleton, const skeleton::Node& node, Named& named) {
  if (node.is_loop()) {
    Named skipped = always_entered(node.loop()) ? Named{} : named;
    for (const skeleton::Node& child : node.loop().body | std::views::reverse) look_behind(skeleton, child, named);
    for (auto& [inbox, tags] : skipped) named[inbox].merge(tags);
    return;
  }
  const Call& call = node.call();
  if (all_meet(skeleton, node)) named.clear();
  for (std::size_t at = 0; call.matched && !call.any_order && at < node.where.size(); ++at)
    named[{node.where[at], constant(call, mpi::Role::comm, at, 0)}].insert(
        constant(call, mpi::Role::tag, at, mpi::kAnyTag));
}

/// Whether a receive of MPI_ANY_SOURCE in the block may take one of these messages.
bool may_take(const skeleton::Block& block, const Named& named) {
  return std::ranges::any_of(block, [&](const skeleton::Node& node) {
    if (node.is_loop()) return may_take(node.loop().body, named);
    const Call& call = node.call();
    for (std::size_t at = 0; call.matched && at < node.where.size(); ++at) {
      const auto found = named.find({node.where[at], constant(call, mpi::Role::comm, at, 0)});
      const std::int64_t tag = constant(call, mpi::Role::tag, at, mpi::kAnyTag);
      if (found != named.end() &&
          (tag == mpi::kAnyTag || found->second.contains(mpi::kAnyTag) || found->second.contains(tag)))
        return true;
    }
    return false;
  });
}

/// Who may come first may do so in loops that would not be closed otherwise: sources that were recorded belong to one
/// order of arrival, which is not the same in all iterations. Not where a message that is received behind the loop, by
/// the source that was recorded, may come while the loop still waits for others.
void free_wildcards(skeleton::Skeleton& skeleton) {
  Named named;
  for (skeleton::Node& node : skeleton.program | std::views::reverse) {
    if (node.is_loop() && has_wildcards(node.loop().body) && !may_take(node.loop().body, named) &&
        !skeleton::closed(skeleton, node) && skeleton::closed(skeleton, node, skeleton::Wildcards::anybody))
      set_free(node.loop().body, true);
    look_behind(skeleton, node, named);
  }
}

}  // namespace

void attach_sources(const normalize::Normalized& normalized, skeleton::Skeleton& skeleton) {
  if (std::all_of(normalized.locations.begin(), normalized.locations.end(),
                  [](const normalize::LocationCalls& l) { return l.matches.empty(); }))
    return;
  ByCall received;
  for (std::uint32_t l = 0; l < normalized.locations.size(); ++l) collect(normalized, skeleton, l, received);
  fill(normalized, skeleton.program, received);
  free_wildcards(skeleton);
}

void keep_wildcards(skeleton::Skeleton& skeleton) { set_free(skeleton.program, true); }

void record_wildcards(skeleton::Skeleton& skeleton) {
  for (skeleton::Node& node : skeleton.program)
    if (node.is_loop() && has_wildcards(node.loop().body) &&
        skeleton::closed(skeleton, node, skeleton::Wildcards::anybody))
      set_free(node.loop().body, false);
}

}  // namespace skelgen::merge
