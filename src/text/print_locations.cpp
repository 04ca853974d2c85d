// Who the locations are, as text: what they have in common stands in one line.

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <set>
#include <tuple>

#include "text/print.h"

namespace skelgen::text {
namespace {

/// A communicator, window or file with all that share it.
struct Shared {
  struct Side {
    int size = 0;
    std::map<std::uint32_t, const Communicator*> members;  ///< by location
  };
  std::vector<Side> sides;
  std::pair<std::uint32_t, std::size_t> first{~0u, 0};  ///< the first location that has it, and the place in its list
  std::set<std::size_t> later;                          ///< those that some location made right after it
  std::size_t before = 0;                               ///< that must stand before it
};

using Lists = std::vector<std::span<const Communicator>>;

/// What the locations' lists name, in an order that agrees with each of them.
std::vector<Shared> shared(const Lists& lists) {
  using Key = std::tuple<std::uint64_t, std::uint64_t, int, int, int>;  // groups, their sizes, how many before
  std::map<Key, std::size_t> numbers;
  std::vector<Shared> all;
  for (std::uint32_t l = 0; l < lists.size(); ++l) {
    std::map<Key, int> times;
    std::optional<std::size_t> last;
    for (std::size_t i = 0; i < lists[l].size(); ++i) {
      const Communicator& c = lists[l][i];
      const bool left = !c.inter() || c.identity <= c.remote;
      Key key = left ? Key{c.identity, c.remote, c.size, c.remote_size, 0}
                     : Key{c.remote, c.identity, c.remote_size, c.size, 0};
      std::get<4>(key) = times[key]++;
      const auto [known, added] = numbers.emplace(key, all.size());
      if (added) {
        all.emplace_back().sides.resize(c.inter() ? 2 : 1);
        all.back().sides.front().size = std::get<2>(key);
        if (c.inter()) all.back().sides.back().size = std::get<3>(key);
        all.back().first = {l, i};
      }
      all[known->second].sides[left ? 0 : 1].members.emplace(l, &c);
      if (last && all[*last].later.insert(known->second).second) ++all[known->second].before;
      last = known->second;
    }
  }
  // The one that is free and was named first comes next; if all wait for each other, the one that was named first.
  const auto after = [&](std::size_t a, std::size_t b) { return all[a].first > all[b].first; };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(after)> free(after);
  std::vector<bool> done(all.size(), false);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].before == 0) free.push(i);
  for (std::size_t stuck = 0; order.size() < all.size();) {
    if (free.empty()) {
      while (done[stuck]) ++stuck;
      free.push(stuck);
    }
    const std::size_t next = free.top();
    free.pop();
    if (done[next]) continue;
    done[next] = true;
    order.push_back(next);
    for (const std::size_t other : all[next].later)
      if (--all[other].before == 0 && !done[other]) free.push(other);
  }
  std::vector<Shared> sorted;
  for (const std::size_t i : order) {
    // The side of the first location stands first: which of two groups has the smaller identity means nothing.
    if (!all[i].sides[0].members.contains(all[i].first.first)) std::swap(all[i].sides.front(), all[i].sides.back());
    sorted.push_back(std::move(all[i]));
  }
  return sorted;
}

std::string in_order(const Locations& members) {
  std::string text;
  for (std::size_t i = 0, end; i < members.size(); i = end) {
    for (end = i + 1; end < members.size() && members[end] == members[end - 1] + 1;) ++end;
    if (end - i == 2) end = i + 1;
    text += fmt::format("{}{}", text.empty() ? "" : ",", members[i]);
    if (end - i > 1) text += fmt::format("..{}", members[end - 1]);
  }
  return text;
}

/// A number of each member.
std::string each(const ArgumentText& argument, const Shared::Side& side, mpi::Role role, auto number) {
  Argument all;
  all.choices.clear();
  Locations where;
  for (const auto& [l, c] : side.members) {
    where.push_back(l);
    all.choice.push_back(static_cast<std::uint32_t>(all.choices.size()));
    all.choices.push_back({Sequence::Kind::constant, {number(*c)}});
  }
  return argument(all, role, where);
}

/// "[0..3]": the members in order of their ranks, if all are known; else how many there are, and who is which.
std::string members(const ArgumentText& argument, const Shared::Side& side) {
  std::map<int, std::uint32_t> by_rank;
  for (const auto& [l, c] : side.members) by_rank.emplace(c->rank, l);
  Locations all;
  for (const auto& [rank, l] : by_rank)
    if (rank == static_cast<int>(all.size())) all.push_back(l);
  if (static_cast<int>(all.size()) == side.size && all.size() == side.members.size())
    return fmt::format("[{}]", in_order(all));
  if (side.members.empty()) return fmt::format("size {}", side.size);
  Locations where;
  for (const auto& [l, c] : side.members) where.push_back(l);
  return fmt::format("size {} [{}] ranks {}", side.size, ranges(where),
                     each(argument, side, mpi::Role::count, [](const Communicator& c) { return c.rank; }));
}

std::string text_of_shared(const ArgumentText& argument, const char* word, mpi::Role role, const Lists& lists) {
  std::string text;
  for (const Shared& one : shared(lists)) {
    text += word;
    const char* between = " ";
    for (const Shared::Side& side : one.sides) {
      text += between;
      between = " to ";
      if (!side.members.empty())
        text += each(argument, side, role, [](const Communicator& c) { return c.slot; }) + " of ";
      text += members(argument, side);
      const auto in = [](const Communicator& c) { return c.sources; };
      const auto out = [](const Communicator& c) { return c.destinations; };
      if (std::ranges::any_of(side.members, [](const auto& m) { return m.second->sources >= 0; }))
        text += " sources " + each(argument, side, mpi::Role::count, in);
      if (std::ranges::any_of(side.members, [](const auto& m) { return m.second->destinations >= 0; }))
        text += " destinations " + each(argument, side, mpi::Role::count, out);
    }
    text += "\n";
  }
  return text;
}

/// Location l is rank l, and its first communicators are MPI_COMM_WORLD with all of them and MPI_COMM_SELF.
bool usual(const std::vector<LocationData>& locations) {
  std::set<std::uint64_t> groups;
  for (std::size_t l = 0; l < locations.size(); ++l) {
    const auto& [rank, thread] = locations[l].where;
    const auto& known = locations[l].communicators;
    if (rank != static_cast<Rank>(l) || thread != 0 || known.size() < 2) return false;
    const Communicator &world = known[0], &self = known[1];
    const bool right = world.slot == 0 && world.size == static_cast<int>(locations.size()) && world.rank == rank &&
                       world.identity == locations[0].communicators[0].identity && self.slot == 1 && self.size == 1 &&
                       self.rank == 0;
    const bool plain = !world.inter() && !self.inter() && world.sources < 0 && world.destinations < 0 &&
                       self.sources < 0 && self.destinations < 0;
    if (!right || !plain || !groups.insert(self.identity).second || self.identity == world.identity) return false;
  }
  return !locations.empty();
}

/// Lines that say `of(location)`, one for all locations that say the same.
std::string lines(const std::vector<LocationData>& locations, auto of) {
  std::vector<std::pair<std::string, Locations>> groups;
  std::map<std::string, std::size_t> group_of;
  Locations all;
  for (std::uint32_t l = 0; l < locations.size(); ++l) {
    all.push_back(l);
    std::string text = of(locations[l]);
    if (text.empty()) continue;
    const auto [entry, added] = group_of.emplace(text, groups.size());
    if (added) groups.emplace_back(std::move(text), Locations{});
    groups[entry->second].second.push_back(l);
  }
  std::string text;
  for (const auto& [line, where] : groups) text += who(where, all) + line + "\n";
  return text;
}

std::string buffers(const LocationData& location) {
  const auto items = runs(location.buffer_bytes, [](std::uint64_t bytes) { return std::to_string(bytes); });
  return items.empty() ? items : fmt::format("buffers ({})", items);
}

std::string turns(const LocationData& location) {
  std::vector<std::string> items;
  for (const auto& [call, thread, calls] : location.turns)
    items.push_back(fmt::format("{} after {} of thread {}", call, calls, thread));
  return items.empty() ? std::string() : fmt::format("turns ({})", fmt::join(items, ", "));
}

std::string machine(const LocationData& location) {
  std::string text;
  const auto add = [&](const char* word, double value) {
    if (value != 0) text += fmt::format("{}{} {}", text.empty() ? "" : " ", word, value);
  };
  if (location.working_set_bytes > 0) text = fmt::format("working_set {}", location.working_set_bytes);
  add("register", location.speed_register);
  add("memory", location.speed_memory);
  add("flops", location.speed_flops);
  return text.empty() ? text : "machine " + text;
}

}  // namespace

std::string text_of_locations(const Skeleton& skeleton) {
  const auto& locations = skeleton.locations;
  const ArgumentText argument(skeleton);
  const bool short_form = usual(locations);
  std::string text = short_form ? fmt::format("ranks {}\n", locations.size()) : "";
  for (std::size_t l = 0; !short_form && l < locations.size(); ++l)
    text += fmt::format("location {} rank {} thread {}\n", l, locations[l].where.rank, locations[l].where.thread);
  text += lines(locations, machine) + lines(locations, buffers) + lines(locations, turns);
  Lists communicators, windows, files;
  for (const LocationData& location : locations) {
    communicators.push_back(std::span(location.communicators).subspan(short_form ? 2 : 0));
    windows.push_back(location.windows);
    files.push_back(location.files);
  }
  return text + text_of_shared(argument, "comm", mpi::Role::comm, communicators) +
         text_of_shared(argument, "window", mpi::Role::win, windows) +
         text_of_shared(argument, "file", mpi::Role::file, files);
}

}  // namespace skelgen::text
