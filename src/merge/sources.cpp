#include "merge/sources.h"

#include <algorithm>
#include <map>

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
    if (const int comm = node.call().function->find(mpi::Role::comm); comm >= 0)
      argument.rule =
          find_rule(normalized, node.where, argument, node.call().arguments[static_cast<std::size_t>(comm)]);
    node.call().matched = std::move(argument);
  }
}

/// Who may come first may do so in loops that would not be closed otherwise: sources that were recorded belong to one
/// order of arrival, which is not the same in all iterations.
void free_wildcards(skeleton::Skeleton& skeleton) {
  for (skeleton::Node& node : skeleton.program)
    if (node.is_loop() && has_wildcards(node.loop().body) && !skeleton::closed(skeleton, node) &&
        skeleton::closed(skeleton, node, skeleton::Wildcards::anybody))
      set_free(node.loop().body, true);
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
