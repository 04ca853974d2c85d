#include "metrics/gatherings.h"

#include <algorithm>
#include <utility>

namespace skelgen::metrics {

namespace {

/// Of who comes: where those who wait for it note how late it may be, and how many they are.
Meeting meeting_of(const Step& step, const Gathering& gathering, Entry own, int rank, int size) {
  const auto others = [](int n) { return static_cast<std::uint32_t>(n); };
  switch (step.shape) {
    case Shape::from_root:
      if (rank != step.root) return {};
      return {.entry = own, .needed_by = others(size - 1)};
    case Shape::to_root:
      return {.entry = gathering.first, .needed_by = 1};
    case Shape::prefix:
      return {.entry = own, .needed_by = others(size - 1 - rank)};
    case Shape::neighbours:  // it is not known to how many its data goes
      return {.entry = own};
    case Shape::none:
    case Shape::all:
      break;
  }
  return {.entry = gathering.first, .needed_by = others(size)};
}

}  // namespace

Meetings& Gatherings::meetings(std::uint32_t comm) {
  if (meetings_.size() <= comm) meetings_.resize(comm + 1);
  return meetings_[comm];
}

std::vector<std::uint32_t> Gatherings::enter(std::uint32_t rank, const Step& step, Clocks mine, Meeting& meeting) {
  const std::uint32_t comm = matching_.comm(rank, step.link);
  Gathering* const found = meetings(comm).gatherings.at(step.number);
  if (!found) return {};  // more ranks than the communicator has
  Gathering& gathering = *found;
  circular_ += std::exchange(gathering.let_go, 0);
  const int own = readers_[rank].comms()[step.link].rank;
  if (++gathering.arrived == 1) gathering.first = mine.entry;
  meeting = meeting_of(step, gathering, mine.entry, own, static_cast<int>(matching_.comm(comm).size));
  if (step.shape == Shape::prefix)
    meeting.scan = {gathering.first, static_cast<std::uint32_t>(own), matching_.comm(comm).size};
  else
    gathering.all.join(mine);
  if (own == step.root) {
    gathering.root_here = true;
    gathering.root = mine;
  }
  const bool by_rank = step.shape == Shape::prefix || step.shape == Shape::neighbours;
  if (by_rank) {
    if (!gathering.here) gathering.here = std::make_unique<std::map<std::uint32_t, Clocks>>();
    (*gathering.here)[static_cast<std::uint32_t>(own)] = std::move(mine);
  }
  // Waking ranks before all have come would let none of them go on, but where the root or single ranks decide.
  if (!by_rank && own != step.root && !all_here(comm, gathering, step.number)) return {};
  return std::exchange(gathering.waiting, {});
}

/// Whether all ranks have come that still make calls.
bool Gatherings::all_here(std::uint32_t comm, const Gathering& gathering, std::uint32_t number) {
  const auto& ended = meetings(comm).ended;
  const auto missing = std::ranges::upper_bound(ended, number) - ended.begin();
  return gathering.arrived + static_cast<std::uint64_t>(missing) >= matching_.comm(comm).size;
}

/// The rank of the communicator does not come to this collective any more.
bool Gatherings::gone(std::uint32_t comm, std::uint32_t rank, std::uint32_t number) {
  const auto& members = matching_.comm(comm).members;
  const auto member = members.find(rank);
  return member != members.end() && running_[member->second.rank] == 0 &&
         readers_[member->second.rank].collectives(member->second.own) <= number;
}

bool Gatherings::gathered(std::uint32_t comm, std::uint32_t rank, const Step& step, Gathering& gathering, Clocks& from,
                          Meeting& meeting) {
  const auto own = static_cast<std::uint32_t>(readers_[rank].comms()[step.link].rank);
  const auto there = [&](std::uint32_t other) {
    return gathering.here->contains(other) || gone(comm, other, step.number);
  };
  const auto join = [&](std::uint32_t other) {
    const auto found = gathering.here->find(other);
    if (found == gathering.here->end()) return;
    from.join(found->second);
    meeting.others.push_back(found->second.entry);
  };
  const bool root = static_cast<std::int32_t>(own) == step.root;
  switch (step.shape) {
    case Shape::from_root:
      if (root) return true;
      if (gathering.root_here) from = gathering.root;
      meeting.entry = from.entry;
      return gathering.root_here || gone(comm, static_cast<std::uint32_t>(step.root), step.number);
    case Shape::prefix:
      meeting.scan = {gathering.first, own, matching_.comm(comm).size};
      while (gathering.first_missing < own && there(gathering.first_missing)) {
        Clocks& here = (*gathering.here)[gathering.first_missing++];
        gathering.all.join(here);
        here = gathering.all;
      }
      if (gathering.first_missing < own) return false;
      if (own > 0) from = (*gathering.here)[own - 1];
      return true;
    case Shape::neighbours: {
      bool all = true;
      for (const int source : readers_[rank].sources(step.link)) {
        if (source < 0 || source == static_cast<int>(own)) continue;
        all = all && there(static_cast<std::uint32_t>(source));
        join(static_cast<std::uint32_t>(source));
      }
      return all;
    }
    case Shape::to_root:
      if (!root) return true;
      [[fallthrough]];
    case Shape::none:
    case Shape::all:
      if (!all_here(comm, gathering, step.number)) return false;
      from = gathering.all;
      meeting.entry = gathering.first;
      return true;
  }
  return true;
}

bool Gatherings::leave(std::uint32_t location, std::uint32_t rank, const Step& step, bool let_go, Clocks& from,
                       Meeting& meeting) {
  const std::uint32_t comm = matching_.comm(rank, step.link);
  Gathering* const gathering = meetings(comm).gatherings.at(step.number);
  if (!gathering) return true;
  if (!gathered(comm, rank, step, *gathering, from, meeting)) {
    if (!let_go) {
      gathering->waiting.push_back(location);
      return false;
    }
    ++gathering->let_go;
  }
  meeting.came = from.location == kNone ? 0 : from.at;
  if (++gathering->left == matching_.comm(comm).size) meetings(comm).gatherings.done(step.number);
  return true;
}

std::vector<std::uint32_t> Gatherings::end(std::uint32_t rank) {
  std::vector<std::uint32_t> waited;
  const auto comms = readers_[rank].comms().size();
  for (std::uint32_t own = 0; own < comms; ++own) {
    auto& [gatherings, ended] = meetings(matching_.comm(rank, own));
    const std::uint32_t calls = readers_[rank].collectives(own);
    ended.insert(std::ranges::upper_bound(ended, calls), calls);
    for (std::uint32_t i = std::max(calls, gatherings.first()); i < gatherings.last(); ++i)
      for (const std::uint32_t location : std::exchange(gatherings[i].waiting, {})) waited.push_back(location);
  }
  return waited;
}

void Gatherings::count_unmatched(Unmatched& unmatched) {
  unmatched.circular += circular_;
  for (std::uint32_t comm = 0; comm < meetings_.size(); ++comm) {
    auto& gatherings = meetings_[comm].gatherings;
    for (std::uint32_t i = gatherings.first(); i < gatherings.last(); ++i)
      unmatched.collectives += !gatherings[i].done && gatherings[i].arrived < matching_.comm(comm).size;
  }
}

}  // namespace skelgen::metrics
