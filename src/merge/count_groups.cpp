#include "merge/count_groups.h"

#include <algorithm>
#include <limits>

#include "support/error.h"

namespace skelgen::merge {
namespace {

using mpi::Direction;
using mpi::Kind;
using mpi::Role;
using skeleton::Call;
using skeleton::Node;
using skeleton::Sequence;

constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMessages = -1;                 // in the place of a collective's function
constexpr std::uint64_t kAnyTime = ~std::uint64_t{0};  // occurrences: how many there are does not matter
constexpr std::size_t kMostEnvelopes = 64;             // of a call; beyond, it may be any message of its communicator

/// The different values; nothing if there are many.
std::optional<std::set<std::int64_t>> values_of(const Sequence& sequence, std::uint64_t executions) {
  std::set<std::int64_t> all;
  if (sequence.kind == Sequence::Kind::arithmetic) {
    if (executions > kMostEnvelopes) return {};
    for (std::uint64_t k = 0; k < executions; ++k) all.insert(sequence.at(k));
    return all;
  }
  for (const std::int64_t value : sequence.values) {
    all.insert(value);
    if (all.size() > kMostEnvelopes) return {};
  }
  return all;
}

/// The n-th parameter of this role (from behind: the last one), or -1.
int place(const mpi::Function& function, Role role, bool last) {
  int found = -1;
  for (std::size_t i = 0; i < function.parameters.size(); ++i)
    if (function.parameters[i].role == role && (last || found < 0)) found = static_cast<int>(i);
  return found;
}

std::vector<std::size_t> arrays_of_counts(const mpi::Function& function) {
  std::vector<std::size_t> arrays;
  for (std::size_t i = 0; i < function.parameters.size(); ++i)
    if (function.parameters[i].role == Role::counts && function.counted_type(i) >= 0) arrays.push_back(i);
  return arrays;
}

bool may_be_in_place(const Call& call, std::size_t position) {
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    if (call.function->parameters[i].role == Role::buffer &&
        call.arguments[i].of(position).takes(mpi::kInPlace, kAnyTime))
      return true;
  return false;
}

}  // namespace

std::uint32_t Unions::add() {
  parent_.push_back(static_cast<std::uint32_t>(parent_.size()));
  return parent_.back();
}

std::uint32_t Unions::find(std::uint32_t a) {
  while (parent_[a] != a) a = parent_[a] = parent_[parent_[a]];
  return a;
}

CountGroups::CountGroups(const skeleton::Skeleton& skeleton, bool by_element)
    : skeleton_(skeleton), by_element_(by_element), slots_(skeleton.locations.size()) {
  std::map<std::uint64_t, std::uint32_t> by_identity;
  for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l)
    for (const auto& communicator : skeleton.locations[l].communicators) {
      const auto [known, fresh] = by_identity.try_emplace(communicator.all(), 0);
      if (fresh) known->second = contexts_.add();
      const auto [slot, first] = slots_[l].try_emplace(communicator.slot, known->second);
      if (!first) contexts_.unite(slot->second, known->second);
    }
}

void CountGroups::meet(const Node& node) {
  const Call& call = node.call();
  const int at = call.function->find(Role::comm);
  if (at < 0) return;
  const bool two_lists = arrays_of_counts(*call.function).size() > 1;
  for (std::size_t p = 0; p < node.where.size(); ++p) {
    const Sequence& slots = call.arguments[static_cast<std::size_t>(at)].of(p);
    if (two_lists && may_be_in_place(call, p))
      if (const auto known = slots_[node.where[p]].find(slots.values[0]); known != slots_[node.where[p]].end())
        both_ways_.push_back(known->second);  // all that the call may be made in become one context
    if (slots.kind == Sequence::Kind::constant) continue;
    auto& known = slots_[node.where[p]];
    std::optional<std::uint32_t> first;
    for (const auto& [slot, context] : known) {
      if (!slots.takes(slot, kAnyTime)) continue;
      if (first) contexts_.unite(*first, context);
      first = context;
    }
  }
}

std::uint32_t CountGroups::context(std::uint32_t l, const Call& call, std::size_t position) {
  if (!settled_) {
    settled_ = true;
    details_.resize(contexts_.size());
    for (std::uint32_t i = 0; i < skeleton_.locations.size(); ++i)
      for (const auto& communicator : skeleton_.locations[i].communicators) {
        Context& own = details_[contexts_.find(slots_[i].at(communicator.slot))];
        const auto [rank, fresh] = own.rank.try_emplace(i, communicator.rank);
        own.vague = own.vague || communicator.inter() || rank->second != communicator.rank ||
                    (own.size >= 0 && own.size != communicator.size);
        own.size = communicator.size;
      }
    for (const std::uint32_t context : both_ways_) details_[contexts_.find(context)].both_ways = true;
  }
  const int at = call.function->find(Role::comm);
  const auto& known = slots_[l];
  const auto slot =
      at < 0 ? known.end() : known.find(call.arguments[static_cast<std::size_t>(at)].of(position).values[0]);
  if (slot == known.end())
    throw Error(Code::internal, std::string(call.function->name) + " is called in a communicator that is not listed");
  return contexts_.find(slot->second);
}

CountGroups::Id CountGroups::id(const Key& key) {
  const auto [known, fresh] = ids_.try_emplace(key, 0);
  if (fresh) known->second = unions_.add();
  return known->second;
}

CountGroups::Id CountGroups::message(std::uint32_t context, std::int64_t tag, std::int64_t distance) {
  const bool vague = context < details_.size() && details_[context].vague;
  const Key key{static_cast<std::int64_t>(context), kMessages, tag, vague ? kAny : distance, 0};
  if (tag == kAny || distance == kAny) wild_.insert(key);
  return id(key);
}

std::optional<CountGroups::Id> CountGroups::of_message(const Node& node, std::size_t position, std::size_t parameter,
                                                       std::uint64_t executions) {
  const Call& call = node.call();
  const mpi::Function& function = *call.function;
  if (function.kind == Kind::recv_matched) {  // whatever a probe has found
    const Key key{kAny, kMessages, kAny, kAny, 0};
    wild_.insert(key);
    return id(key);
  }
  const std::uint32_t own = context(node.where[position], call, position);
  const Context& details = details_[own];
  const auto rank = details.rank.find(node.where[position]);
  std::optional<Id> all;
  const auto side = [&](bool receives) {
    const auto argument = [&](Role role) -> const Sequence& {
      return call.arguments[static_cast<std::size_t>(place(function, role, receives))].of(position);
    };
    const auto add = [&](std::int64_t tag, std::int64_t distance) {
      const Id one = message(own, tag, distance);
      if (all) unions_.unite(*all, one);
      all = one;
    };
    const auto peers = values_of(argument(Role::peer), executions), tags = values_of(argument(Role::tag), executions);
    if (!peers || !tags || peers->size() * tags->size() > kMostEnvelopes) return add(kAny, kAny);
    for (const std::int64_t peer : *peers) {
      if (peer == mpi::kProcNull) continue;
      const std::int64_t n = details.size, from = receives ? peer : rank->second, to = receives ? rank->second : peer;
      for (const std::int64_t tag : *tags)
        add(tag == mpi::kAnyTag ? kAny : tag, peer < 0 || details.vague || n < 1 ? kAny : ((to - from) % n + n) % n);
    }
  };
  for (const mpi::Parameter& buffer : function.parameters) {
    if (buffer.role != Role::buffer || buffer.count != static_cast<int>(parameter)) continue;
    if (buffer.direction != Direction::out) side(false);
    if (buffer.direction != Direction::in) side(true);
  }
  return all;
}

std::optional<CountGroups::Id> CountGroups::group(const Node& node, std::size_t position, std::size_t parameter,
                                                  std::size_t element, std::uint64_t executions) {
  const Call& call = node.call();
  const mpi::Function& function = *call.function;
  if (function.kind != Kind::collective && function.kind != Kind::collective_init)
    return of_message(node, position, parameter, executions);
  const std::uint32_t own = context(node.where[position], call, position);
  Key key{static_cast<std::int64_t>(own), function.id, 0, 0, 0};
  const auto arrays = arrays_of_counts(function);
  if (arrays.empty() || !by_element_ || details_[own].vague) return id(key);
  // Of neighbours an element says whose it is only together with the topology.
  if (function.flow == mpi::Flow::neighbours) return id(key);
  // Sender and receiver of Alltoallv's elements; elsewhere whose count it is.
  const std::int64_t rank = details_[own].rank.at(node.where[position]), other = static_cast<std::int64_t>(element);
  if (arrays.size() > 1) {
    key[2] = parameter == arrays[0] ? rank : other;
    key[3] = parameter == arrays[0] ? other : rank;
    if (details_[own].both_ways && key[2] > key[3]) std::swap(key[2], key[3]);
  } else {
    key[2] = function.parameters[parameter].role == Role::counts ? other : rank;
  }
  return id(key);
}

void CountGroups::finish() {
  const auto fits = [](std::int64_t pattern, std::int64_t value) { return pattern == kAny || pattern == value; };
  for (const Key& wild : wild_) {
    const Id own = id(wild);
    for (const auto& [key, other] : ids_)
      if (key[1] == kMessages && fits(wild[0], key[0]) && (fits(wild[2], key[2]) || key[2] == kAny) &&
          (fits(wild[3], key[3]) || key[3] == kAny))
        unions_.unite(own, other);
  }
}

}  // namespace skelgen::merge
