#include "emit/neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "skeleton/groups.h"

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

/// How often a call is executed at least in one iteration of the loops that are around `use`, too. 0 if the skeleton may
/// leave some of that out, as the loop is cut, or if it is not known.
std::uint64_t least_executions(const Place& call, const Place& use, const std::set<const Node*>& cut) {
  std::uint64_t executions = 1;
  for (std::size_t l = 0; l < call.loops.size(); ++l) {
    if (l < use.loops.size() && call.loops[l] == use.loops[l]) continue;
    const Argument& trips = call.loops[l]->loop().trips;
    std::int64_t least = INT32_MAX;
    for (const Sequence& each : trips.choices) least = std::min(least, is_constant(each) ? each.at(0) : 0);
    if (cut.contains(call.loops[l])) least = std::min<std::int64_t>(least, 1);
    executions =
        std::min<std::uint64_t>(executions * static_cast<std::uint64_t>(std::max<std::int64_t>(least, 0)), INT32_MAX);
  }
  return executions;
}

/// The number of dimensions that all communicators in this slot have; 0 if they differ, or some have no grid.
std::size_t dimensions_of(const skeleton::Skeleton& skeleton, std::int64_t slot) {
  std::set<std::size_t> dimensions;
  for (const auto& location : skeleton.locations)
    for (const auto& comm : location.communicators)
      if (comm.slot == slot) dimensions.insert(comm.grid ? comm.grid->dimensions.size() : 0);
  return dimensions.size() == 1 ? *dimensions.begin() : 0;
}

/// Whether a peer of `node` is in each occurrence what `shift`, which stands before it in the same block, returned in the
/// same one as rank_source, else rank_dest.
bool is_result(const skeleton::Skeleton& skeleton, const Timing& timing, const Node& node, const Argument& peer,
               const Node& shift, bool source) {
  const Call& call = shift.call();
  const auto& displacements = call.arguments[static_cast<std::size_t>(call.function->find_last(Role::integer))];
  for (std::size_t p = 0; p < node.where.size(); ++p) {
    const auto groups = skeleton::groups_of_peers(node.call(), p, skeleton.locations[node.where[p]]);
    if (groups.size() != 1 || !groups[0]->grid) return false;
    const mpi::Grid& grid = *groups[0]->grid;
    const Sequence &in = direction(call).of(p), &by = displacements.of(p), &is = peer.of(p);
    const std::uint64_t all = timing.of(node).occurrences[p];
    std::uint64_t n = 1;  // after so many everything repeats itself
    for (const Sequence* each : {&in, &by, &is})
      n = std::min(all, std::lcm(n, std::max<std::uint64_t>(each->period(all), 1)));
    for (std::uint64_t k = 0; k < n; ++k) {
      const auto dimension = in.at(k);
      if (dimension < 0 || static_cast<std::size_t>(dimension) >= grid.dimensions.size()) return false;
      const auto displacement = source ? -by.at(k) : by.at(k);
      if (is.at(k) != grid.neighbour(groups[0]->rank, static_cast<std::size_t>(dimension), displacement)) return false;
    }
  }
  return true;
}

}  // namespace

Neighbours::Neighbours(const skeleton::Skeleton& skeleton, const Plan& plan, const Timing& timing,
                       const Handles& handles)
    : skeleton_(skeleton), handles_(handles) {
  std::vector<Place> calls;
  std::vector<const Node*> loops;
  collect(skeleton.program, loops, calls);
  std::set<const Node*> cut;
  for (const Phase& phase : plan.phases)
    if (phase.loop) cut.insert(phase.loop);
  std::map<Key, std::size_t> first_use;
  for (std::size_t n = 0; n < calls.size(); ++n) {
    const Node& node = *calls[n].node;
    const auto use = [&](const Argument& argument) {
      if (!argument.rule || argument.rule->kind != RankRule::Kind::neighbour) return;
      const auto slot = constant(node.call(), Role::comm);
      if (!slot) return;
      const Key key{*slot, std::abs(argument.rule->c)};
      first_use.try_emplace(key, n);
      arrays_[key].used.insert(argument.rule->dimension);
      arrays_[key].locations.insert(node.where.begin(), node.where.end());
    };
    for (const Argument& argument : node.call().arguments) use(argument);
    if (node.call().matched) use(*node.call().matched);
  }
  for (auto entry = arrays_.begin(); entry != arrays_.end();) {
    auto& [key, arrays] = *entry;
    const std::int64_t slot = key.first, by = key.second;
    std::vector<const Place*> makers;
    bool plain = true;  // each makes it on all locations that execute it, before it returns
    for (const Place& place : calls) {
      const Call& maker = place.node->call();
      if (!makes(maker, slot)) continue;
      makers.push_back(&place);
      plain = plain && !maker.function->nonblocking && constant(maker, Role::newcomm) == slot;
    }
    arrays.dimensions = dimensions_of(skeleton, slot);
    if (makers.empty() || !plain || arrays.dimensions == 0) {
      entry = arrays_.erase(entry);
      continue;
    }
    const Place& use = calls[first_use.at(key)];
    std::set<std::int64_t> said;
    for (std::size_t n = 0; makers.size() == 1 && n < first_use.at(key); ++n) {
      const Place& place = calls[n];
      const Call& call = place.node->call();
      if (!shifts(call) || constant(call, Role::comm) != slot || !displacement(call) ||
          std::abs(*displacement(call)) != by || &place < makers[0] || !is_within(place, *makers[0]))
        continue;
      if (!std::ranges::includes(place.node->where, arrays.locations)) continue;
      const auto& directions = direction(call);
      // Which directions later iterations of loops around the use ask for does not matter, unless each makes the communicator anew.
      const std::uint64_t executions = least_executions(place, use, cut);
      const bool anew = !makers[0]->loops.empty() && !constant(directions);
      if (directions.choices.size() != 1 || executions == 0 || anew) continue;
      const Sequence& each = directions.choices[0];
      for (std::uint64_t k = 0; k < each.period(executions); ++k) said.insert(each.at(k));
    }
    arrays.shifted =
        std::ranges::all_of(arrays.used, [&](std::size_t d) { return said.contains(static_cast<std::int64_t>(d)); });
    ++entry;
  }
  look_for_returned(skeleton.program, timing);
}

/// Peers of a block's calls that are what the call of MPI_Cart_shift before them returned.
void Neighbours::look_for_returned(const skeleton::Block& block, const Timing& timing) {
  std::map<std::int64_t, const Node*> shift_of;  // by slot: the last call of MPI_Cart_shift so far
  for (const Node& node : block) {
    if (node.is_loop()) {
      look_for_returned(node.loop().body, timing);
      shift_of.clear();
      continue;
    }
    const Call& call = node.call();
    const auto slot = constant(call, Role::comm);
    if (slot && shifts(call)) {
      // Its results stand in arrays, or are wanted by nobody.
      const auto by = displacement(call);
      shift_of[*slot] = by && arrays_.contains({*slot, std::abs(*by)}) ? nullptr : &node;
    }
    const Node* const shift = slot && shift_of.contains(*slot) ? shift_of[*slot] : nullptr;
    if (!shift || shift->where != node.where) continue;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const Argument& peer = call.arguments[i];
      const bool same = peer.choices.size() == 1 && is_constant(peer.choices[0]);
      if (call.function->parameters[i].role != Role::peer || peer.rule || same) continue;
      const bool receives = static_cast<int>(i) == call.function->source();
      for (const bool source : {receives, !receives}) {
        if (!is_result(skeleton_, timing, node, peer, *shift, source)) continue;
        returned_[&peer] = base(*slot) + (source ? "_source" : "_dest");
        returning_.insert(&shift->call());
        break;
      }
    }
  }
}

std::string Neighbours::returned(const Argument& peer) const {
  const auto found = returned_.find(&peer);
  return found == returned_.end() ? std::string() : found->second;
}

std::string Neighbours::base(std::int64_t slot) const {
  std::string name = handles_.comm(slot);
  std::erase_if(name, [](char c) { return c == '[' || c == ']'; });
  return name;
}

std::string Neighbours::base(const Key& key, bool up) const {
  return fmt::format("{}_{}{}", base(key.first), up ? "plus" : "minus",
                     key.second == 1 ? "" : fmt::format("_{}", key.second));
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
  if (!slot) return {};
  if (returning_.contains(&shift)) return std::pair("&" + base(*slot) + "_source", "&" + base(*slot) + "_dest");
  const auto by = displacement(shift);
  if (!by) return {};
  const auto found = arrays_.find({*slot, std::abs(*by)});
  if (found == arrays_.end()) return {};
  const auto index = direction.starts_with("(int)") ? direction.substr(5) : direction;
  const auto element = [&](bool up) { return fmt::format("&{}[{}]", base(found->first, up), index); };
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
  std::set<std::string> comms;
  for (const Call* shift : returning_) comms.insert(base(*constant(*shift, Role::comm)));
  for (const std::string& comm : comms)
    out.line(fmt::format("{} int {}_source, {}_dest; /* what MPI_Cart_shift returned last */", own_storage(skeleton_),
                         comm, comm));
  return out.text();
}

}  // namespace skelgen::emit
