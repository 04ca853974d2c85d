#include "emit/neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

namespace skelgen::emit {
namespace {

using mpi::Kind;
using mpi::Role;
using skeleton::Argument;
using skeleton::Call;
using skeleton::Node;
using skeleton::RankRule;
using skeleton::Sequence;

/// The value that an argument always has; nothing if there are several.
std::optional<std::int64_t> constant(const Argument& argument) {
  if (argument.choices.size() != 1 || !is_constant(argument.choices[0])) return {};
  return argument.choices[0].at(0);
}

std::optional<std::int64_t> constant(const Call& call, Role role) {
  const int at = call.function->find(role);
  return at < 0 ? std::nullopt : constant(call.arguments[static_cast<std::size_t>(at)]);
}

/// A call and the loops around it, in the order of the program.
struct Place {
  const Node* node;
  std::vector<const Node*> loops;
};

void collect(const skeleton::Block& block, std::vector<const Node*>& loops, std::vector<Place>& calls) {
  for (const Node& node : block) {
    if (!node.is_loop()) {
      calls.push_back({&node, loops});
      continue;
    }
    loops.push_back(&node);
    collect(node.loop().body, loops, calls);
    loops.pop_back();
  }
}

bool makes(const Call& call, std::int64_t slot) {
  if (call.function->kind != Kind::comm_create) return false;
  const auto& made = call.arguments[static_cast<std::size_t>(call.function->find(Role::newcomm))];
  return std::ranges::any_of(made.choices, [&](const Sequence& slots) {
    return slots.kind == Sequence::Kind::arithmetic || std::ranges::count(slots.values, slot) > 0;
  });
}

bool shifts(const Call& call) { return call.function->way == mpi::Way::cart_shift; }

/// Direction and displacement of MPI_Cart_shift.
const Argument& direction(const Call& shift) {
  return shift.arguments[static_cast<std::size_t>(shift.function->find(Role::integer))];
}
std::optional<std::int64_t> displacement(const Call& shift) {
  return constant(shift.arguments[static_cast<std::size_t>(shift.function->find_last(Role::integer))]);
}

/// All loops of `outer` are around `inner`, too.
bool is_within(const Place& inner, const Place& outer) {
  return outer.loops.size() <= inner.loops.size() &&
         std::equal(outer.loops.begin(), outer.loops.end(), inner.loops.begin());
}

}  // namespace

Neighbours::Neighbours(const skeleton::Skeleton& skeleton, const Handles& handles) : handles_(handles) {
  std::vector<Place> calls;
  std::vector<const Node*> loops;
  collect(skeleton.program, loops, calls);
  std::map<Key, std::size_t> first_use;
  for (std::size_t n = 0; n < calls.size(); ++n) {
    const Node& node = *calls[n].node;
    for (const Argument& argument : node.call().arguments) {
      if (!argument.rule || argument.rule->kind != RankRule::Kind::neighbour) continue;
      const auto slot = constant(node.call(), Role::comm);
      if (!slot) continue;
      const Key key{*slot, std::abs(argument.rule->c)};
      first_use.try_emplace(key, n);
      arrays_[key].used.insert(argument.rule->dimension);
      arrays_[key].locations.insert(node.where.begin(), node.where.end());
    }
  }
  for (auto entry = arrays_.begin(); entry != arrays_.end();) {
    auto& [key, arrays] = *entry;
    const std::int64_t slot = key.first, by = key.second;
    std::vector<const Place*> makers;
    bool plain = true;  // each maker makes it on all locations that execute it
    for (const Place& place : calls) {
      if (!makes(place.node->call(), slot)) continue;
      makers.push_back(&place);
      plain = plain && constant(place.node->call(), Role::newcomm) == slot;
    }
    for (const auto& location : skeleton.locations)
      for (const auto& comm : location.communicators)
        if (comm.slot == slot && comm.grid)
          arrays.dimensions = std::max(arrays.dimensions, comm.grid->dimensions.size());
    if (makers.empty() || !plain || arrays.dimensions == 0) {
      entry = arrays_.erase(entry);
      continue;
    }
    std::set<std::int64_t> said;
    for (std::size_t n = 0; makers.size() == 1 && n < first_use.at(key); ++n) {
      const Place& place = calls[n];
      const Call& call = place.node->call();
      if (!shifts(call) || constant(call, Role::comm) != slot || !displacement(call) ||
          std::abs(*displacement(call)) != by || &place < makers[0] || !is_within(place, *makers[0]))
        continue;
      if (!std::ranges::includes(place.node->where, arrays.locations)) continue;
      const auto& directions = direction(call);
      // In a loop around the first use not all directions may have been asked for by then.
      const bool whole = is_within(calls[first_use.at(key)], place) ? constant(directions).has_value() : true;
      if (directions.choices.size() != 1 || !whole) continue;
      const Sequence& all = directions.choices[0];
      for (std::size_t d = 0; d < arrays.dimensions; ++d)
        if (all.takes(static_cast<std::int64_t>(d), arrays.dimensions)) said.insert(static_cast<std::int64_t>(d));
    }
    arrays.shifted =
        std::ranges::all_of(arrays.used, [&](std::size_t d) { return said.contains(static_cast<std::int64_t>(d)); });
    ++entry;
  }
}

std::string Neighbours::base(const Key& key, bool up) const {
  std::string name = handles_.comm(key.first);
  std::erase_if(name, [](char c) { return c == '[' || c == ']'; });
  return fmt::format("{}_{}{}", name, up ? "plus" : "minus", key.second == 1 ? "" : fmt::format("_{}", key.second));
}

std::string Neighbours::name(const Call& call, const RankRule& rule) const {
  const auto slot = constant(call, Role::comm);
  const Key key{slot.value_or(-1), std::abs(rule.c)};
  if (!arrays_.contains(key)) return {};
  return fmt::format("{}[{}]", base(key, rule.c > 0), rule.dimension);
}

std::optional<std::pair<std::string, std::string>> Neighbours::results(const Call& shift,
                                                                       const std::string& direction) const {
  const auto slot = shifts(shift) ? constant(shift, Role::comm) : std::nullopt;
  const auto by = slot ? displacement(shift) : std::nullopt;
  if (!by) return {};
  const auto found = arrays_.find({*slot, std::abs(*by)});
  if (found == arrays_.end()) return {};
  const auto element = [&](bool up) { return fmt::format("&{}[{}]", base(found->first, up), direction); };
  return std::pair(element(*by < 0), element(*by > 0));
}

std::vector<std::string> Neighbours::behind(const Call& maker) const {
  std::vector<std::string> lines;
  for (const auto& [key, arrays] : arrays_)
    if (!arrays.shifted && makes(maker, key.first))
      lines.push_back(fmt::format("skel_neighbours({}, {}, {}, {});", handles_.comm(key.first), key.second,
                                  base(key, false), base(key, true)));
  return lines;
}

std::string Neighbours::declarations() const {
  Writer out;
  for (const auto& [key, arrays] : arrays_)
    out.line(fmt::format("static int {}[{}], {}[{}]; /* neighbours in each dimension */", base(key, false),
                         arrays.dimensions, base(key, true), arrays.dimensions));
  return out.text();
}

}  // namespace skelgen::emit
