// Slots of buffers that are the same on all locations.

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "generalize/generalize.h"

namespace skelgen::generalize {
namespace {

using mpi::Role;
using skeleton::Argument;
using skeleton::Block;
using skeleton::Sequence;
using skeleton::Skeleton;

constexpr std::size_t kMostNames = 64;  ///< values of one argument

/// Calls visit(argument, where) for each argument that names buffers, in the order of the program; stops where it returns
/// false.
template <class Nodes, class Visit>
bool each_buffer(Nodes& block, const Visit& visit) {
  for (auto& node : block) {
    if (node.is_loop()) {
      if (!each_buffer(node.loop().body, visit)) return false;
      continue;
    }
    auto& call = node.call();
    for (std::size_t a = 0; a < call.arguments.size(); ++a)
      if (call.function->parameters[a].role == Role::buffer && !visit(call.arguments[a], node.where)) return false;
  }
  return true;
}

bool has_places(const Block& block) {
  for (const auto& node : block) {
    if (node.is_loop()) {
      if (has_places(node.loop().body)) return true;
      continue;
    }
    for (const auto& parameter : node.call().function->parameters)
      if (parameter.role == Role::target || node.call().function->kind == mpi::Kind::win_attach) return true;
  }
  return false;
}

/// Names that arguments have for buffers: which argument, and which of its values. Those of one buffer are one set.
class Sets {
 public:
  std::size_t add() {
    of_.push_back(of_.size());
    return of_.size() - 1;
  }
  /// The first name of the set.
  std::size_t find(std::size_t name) {
    while (of_[name] != name) name = of_[name] = of_[of_[name]];
    return name;
  }
  void unite(std::size_t a, std::size_t b) {
    a = find(a);
    b = find(b);
    of_[std::max(a, b)] = std::min(a, b);
  }
  std::size_t size() const { return of_.size(); }

 private:
  std::vector<std::size_t> of_;
};

}  // namespace

namespace {

/// New numbers of slots, by location.
using Renamed = std::vector<std::map<std::int64_t, std::int64_t>>;

/// Nothing where two buffers of a location would be one, or that cannot be named. lists: what lists name at the same place of
/// the list is alike, too; else buffers that only lists name come behind all others, in the order of each location.
std::optional<Renamed> renamed(const Skeleton& united, bool lists) {
  Sets sets;
  const std::size_t n = united.locations.size();
  std::vector<std::map<std::int64_t, std::size_t>> name_of(n);  // by location and slot
  const auto values_of = [](const Sequence& sequence) {
    return sequence.kind == Sequence::Kind::arithmetic ? 1 : sequence.values.size();
  };
  const bool known = each_buffer(united.program, [&](const Argument& argument, const auto& where) {
    std::vector<std::size_t> names;
    for (std::size_t p = 0; p < where.size(); ++p) {
      const Sequence& sequence = argument.of(p);
      const bool walks = sequence.kind == Sequence::Kind::arithmetic;
      if ((lists && sequence.values.size() > kMostNames) || (walks && !mpi::stays_in_buffer(sequence.values[1])))
        return false;
      if (!lists && values_of(sequence) > 1) continue;
      for (std::size_t i = 0; i < values_of(sequence); ++i) {
        const std::int64_t slot = mpi::slot_of(sequence.values[i]);
        if (i == names.size()) names.push_back(sets.add());
        if (slot < 0) continue;
        const auto [known_, fresh] = name_of[where[p]].try_emplace(slot, names[i]);
        if (!fresh) sets.unite(known_->second, names[i]);
      }
    }
    return true;
  });
  if (!known) return {};
  std::vector<std::set<std::size_t>> used(n);
  std::set<std::size_t> all;
  for (std::size_t l = 0; l < n; ++l)
    for (const auto& [slot, name] : name_of[l])
      if (!used[l].insert(sets.find(name)).second) return {};
  for (const auto& own : used) all.insert(own.begin(), own.end());
  std::map<std::size_t, std::int64_t> number;  // by set, in the order of their first names
  std::int64_t next = 0;
  for (const std::size_t set : all) number[set] = next++;
  Renamed renamed(n);
  for (std::size_t l = 0; l < n; ++l)
    for (const auto& [slot, name] : name_of[l]) renamed[l][slot] = number[sets.find(name)];
  std::vector<std::set<std::int64_t>> others(n);  // slots
  each_buffer(united.program, [&](const Argument& argument, const auto& where) {
    for (std::size_t p = 0; p < where.size(); ++p)
      for (std::size_t i = 0; i < values_of(argument.of(p)); ++i) {
        const std::int64_t slot = mpi::slot_of(argument.of(p).values[i]);
        if (slot >= 0 && !name_of[where[p]].contains(slot)) others[where[p]].insert(slot);
      }
    return true;
  });
  for (std::size_t l = 0; l < n; ++l) {
    std::int64_t behind = next;
    for (const std::int64_t slot : others[l]) renamed[l][slot] = behind++;
  }
  return renamed;
}

}  // namespace

void name_buffers_alike(Skeleton& united) {
  if (has_places(united.program)) return;
  auto known = renamed(united, true);
  if (!known) known = renamed(united, false);
  if (!known) return;
  // Each choice of an argument belongs to locations that may name their buffers differently: one choice for each.
  each_buffer(united.program, [&](Argument& argument, const auto& where) {
    std::vector<Sequence> choices;
    std::vector<std::uint32_t> choice;
    for (std::size_t p = 0; p < where.size(); ++p) {
      Sequence own = argument.of(p);
      const std::size_t values = own.kind == Sequence::Kind::arithmetic ? 1 : own.values.size();
      for (std::size_t i = 0; i < values; ++i) {
        const std::int64_t slot = mpi::slot_of(own.values[i]);
        if (slot >= 0) own.values[i] = mpi::pack((*known)[where[p]].at(slot), mpi::offset_of(own.values[i]));
      }
      const auto same = std::ranges::find(choices, own);
      choice.push_back(static_cast<std::uint32_t>(same - choices.begin()));
      if (same == choices.end()) choices.push_back(std::move(own));
    }
    argument.choices = std::move(choices);
    argument.choice = std::move(choice);
    if (argument.choices.size() == 1) argument.choice.clear();
    return true;
  });
  for (std::size_t l = 0; l < united.locations.size(); ++l) {
    auto& location = united.locations[l];
    std::vector<std::uint64_t> bytes;
    for (const auto& [slot, number] : (*known)[l]) {
      if (static_cast<std::size_t>(slot) >= location.buffer_bytes.size()) continue;
      if (bytes.size() <= static_cast<std::size_t>(number)) bytes.resize(static_cast<std::size_t>(number) + 1, 0);
      bytes[static_cast<std::size_t>(number)] = location.buffer_bytes[static_cast<std::size_t>(slot)];
    }
    location.buffer_bytes = std::move(bytes);
  }
}

}  // namespace skelgen::generalize
