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

/// New places, by location and place; of whole buffers, which keep their offsets, by the place where they begin.
using Renamed = std::vector<std::map<std::int64_t, std::int64_t>>;

std::int64_t buffer_of(std::int64_t place) { return mpi::pack(mpi::slot_of(place), 0); }

std::size_t values_of(const Sequence& sequence) {
  return sequence.kind == Sequence::Kind::arithmetic ? 1 : sequence.values.size();
}

/// Nothing where two buffers of a location would be one, or that cannot be named. lists: what lists name at the same place of
/// the list is alike, too; else buffers that only lists name come behind all others, in the order of each location. apart:
/// what no location names by the same address is another buffer, though it overlaps.
std::optional<Renamed> renamed(const Skeleton& united, bool lists, bool apart) {
  Sets sets;
  const std::size_t n = united.locations.size();
  const auto key_of = [&](std::int64_t place) { return apart ? place : buffer_of(place); };
  std::vector<std::map<std::int64_t, std::size_t>> name_of(n);  // by location and key
  const bool known = each_buffer(united.program, [&](const Argument& argument, const auto& where) {
    std::vector<std::size_t> names;
    for (std::size_t p = 0; p < where.size(); ++p) {
      const Sequence& sequence = argument.of(p);
      const bool walks = sequence.kind == Sequence::Kind::arithmetic;
      if ((lists && sequence.values.size() > kMostNames) || (walks && !mpi::stays_in_buffer(sequence.values[1])))
        return false;
      if (!lists && values_of(sequence) > 1) continue;
      for (std::size_t i = 0; i < values_of(sequence); ++i) {
        if (i == names.size()) names.push_back(sets.add());
        if (mpi::slot_of(sequence.values[i]) < 0) continue;
        const auto [known_, fresh] = name_of[where[p]].try_emplace(key_of(sequence.values[i]), names[i]);
        if (!fresh) sets.unite(known_->second, names[i]);
      }
    }
    return true;
  });
  if (!known) return {};
  std::vector<std::map<std::size_t, std::int64_t>> first(n);  // by location and set: its first place
  std::set<std::size_t> all;
  for (std::size_t l = 0; l < n; ++l)
    for (const auto& [place, name] : name_of[l]) {
      const auto [begin, fresh] = first[l].try_emplace(sets.find(name), place);
      if (!fresh && mpi::slot_of(begin->second) != mpi::slot_of(place)) return {};
      all.insert(sets.find(name));
    }
  std::map<std::size_t, std::int64_t> number;  // by set, in the order of their first names
  std::int64_t next = 0;
  for (const std::size_t set : all) number[set] = next++;
  Renamed renamed(n);
  for (std::size_t l = 0; l < n; ++l)
    for (const auto& [place, name] : name_of[l]) {
      const std::size_t set = sets.find(name);
      renamed[l][place] = mpi::pack(number[set], mpi::offset_of(place) - mpi::offset_of(first[l][set]));
    }
  std::vector<std::set<std::int64_t>> others(n);  // keys
  each_buffer(united.program, [&](const Argument& argument, const auto& where) {
    for (std::size_t p = 0; p < where.size(); ++p)
      for (std::size_t i = 0; i < values_of(argument.of(p)); ++i) {
        const std::int64_t place = argument.of(p).values[i];
        if (mpi::slot_of(place) >= 0 && !name_of[where[p]].contains(key_of(place)))
          others[where[p]].insert(key_of(place));
      }
    return true;
  });
  for (std::size_t l = 0; l < n; ++l) {
    std::int64_t behind = next;
    for (const std::int64_t place : others[l]) renamed[l][place] = mpi::pack(behind++, 0);
  }
  return renamed;
}

/// Gives all places in buffers that arguments name what `place` says: (location, place).
template <class Place>
void rename(Skeleton& skeleton, const Place& place) {
  // Each choice of an argument belongs to locations that may name their buffers differently: one choice for each.
  each_buffer(skeleton.program, [&](Argument& argument, const auto& where) {
    std::vector<Sequence> choices;
    std::vector<std::uint32_t> choice;
    for (std::size_t p = 0; p < where.size(); ++p) {
      Sequence own = argument.of(p);
      for (std::size_t i = 0, values = values_of(own); i < values; ++i)
        if (mpi::slot_of(own.values[i]) >= 0) own.values[i] = place(where[p], own.values[i]);
      const auto same = std::ranges::find(choices, own);
      choice.push_back(static_cast<std::uint32_t>(same - choices.begin()));
      if (same == choices.end()) choices.push_back(std::move(own));
    }
    argument.choices = std::move(choices);
    argument.choice = std::move(choice);
    if (argument.choices.size() == 1) argument.choice.clear();
    return true;
  });
}

}  // namespace

void name_buffers_alike(Skeleton& united, bool apart) {
  if (has_places(united.program)) return;
  auto known = renamed(united, true, apart);
  if (!known) known = renamed(united, false, apart);
  if (!known) return;
  rename(united, [&](std::uint32_t l, std::int64_t place) {
    if (apart) return (*known)[l].at(place);
    return mpi::pack(mpi::slot_of((*known)[l].at(buffer_of(place))), mpi::offset_of(place));
  });
  for (std::size_t l = 0; l < united.locations.size(); ++l) {
    auto& location = united.locations[l];
    std::vector<std::uint64_t> bytes;
    for (const auto& [place, now] : (*known)[l]) {
      const auto slot = static_cast<std::size_t>(mpi::slot_of(place)),
                 number = static_cast<std::size_t>(mpi::slot_of(now));
      if (slot >= location.buffer_bytes.size()) continue;
      if (bytes.size() <= number) bytes.resize(number + 1, 0);
      const auto before = static_cast<std::uint64_t>(mpi::offset_of(place) - mpi::offset_of(now));
      bytes[number] =
          std::max(bytes[number], location.buffer_bytes[slot] - std::min(before, location.buffer_bytes[slot]));
    }
    location.buffer_bytes = std::move(bytes);
  }
}

void places_as_buffers(Skeleton& skeleton) {
  std::vector<std::map<std::int64_t, std::int64_t>> slots(skeleton.locations.size());
  rename(skeleton, [&](std::uint32_t l, std::int64_t place) {
    return mpi::pack(slots[l].try_emplace(place, std::ssize(slots[l])).first->second, 0);
  });
}

}  // namespace skelgen::generalize
