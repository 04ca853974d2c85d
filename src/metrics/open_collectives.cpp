#include "metrics/open_collectives.h"

#include <algorithm>
#include <utility>

#include "metrics/step_maker.h"

namespace skelgen::metrics {

namespace {

/// Of who comes: where those who wait for it note how late it may be, and how many they are.
Meeting meeting_of(const Step& step, const OpenCollective& open_collective, Entry own, int rank, int size) {
  const auto others = [](int n) { return static_cast<std::uint32_t>(n); };
  switch (step.shape) {
    case Shape::from_root:
      if (rank != step.root) return {.entry = own};  // for whom it hands data on is not known
      return {.entry = own, .needed_by = others(size - 1)};
    case Shape::to_root:
      return {.entry = open_collective.first, .needed_by = 1};
    case Shape::prefix:
      return {.entry = own, .needed_by = others(size - 1 - rank)};
    case Shape::neighbours:  // it is not known to how many its data goes
      return {.entry = own};
    case Shape::none:
    case Shape::all:
      break;
  }
  return {.entry = open_collective.first, .needed_by = others(size)};
}

}  // namespace

Meetings& OpenCollectives::meetings(std::uint32_t comm) {
  if (comm == last_comm_) return *last_;
  if (meetings_.size() <= comm) meetings_.resize(comm + 1);
  last_comm_ = comm;
  last_ = &meetings_[comm];
  return *last_;
}

std::vector<std::uint32_t> OpenCollectives::enter(std::uint32_t rank, const Step& step, Clocks&& mine,
                                                  Meeting& meeting) {
  const std::uint32_t comm = matching_.comm(rank, step.link);
  OpenCollective* const found = meetings(comm).open_collectives.at(step.number, spare_);
  if (!found) return {};  // more ranks than the communicator has
  OpenCollective& open_collective = *found;
  circular_ += std::exchange(open_collective.let_go, 0);
  const int own = readers_[rank].comms()[step.link].rank;
  if (++open_collective.arrived == 1) open_collective.first = mine.entry;
  meeting = meeting_of(step, open_collective, mine.entry, own, static_cast<int>(matching_.comm(comm).size));
  if (step.shape == Shape::prefix)
    meeting.scan = {open_collective.first, static_cast<std::uint32_t>(own), matching_.comm(comm).size};
  if (step.shape == Shape::from_root || step.shape == Shape::to_root) {
    auto& came = open_collective.came;
    auto& arrivals = open_collective.arrivals;
    if (came.empty()) came.reserve(std::min<std::size_t>(matching_.comm(comm).size, 64));
    const auto index = static_cast<std::uint32_t>(came.size());
    if (own == step.root) open_collective.root = index;
    auto later = arrivals.end();  // few: they come nearly in order of time
    while (later != arrivals.begin() && std::prev(later)->at > mine.at) --later;
    arrivals.insert(later, {mine.at, static_cast<std::uint32_t>(own), index});
    came.push_back(std::move(mine));
    if (own != step.root && !all_here(comm, open_collective, step.number)) return {};
    return std::exchange(open_collective.waiting, {});
  }
  const bool by_rank = step.shape == Shape::prefix || step.shape == Shape::neighbours;
  if (!by_rank) open_collective.all.join(mine);
  if (by_rank) {
    if (!open_collective.here) open_collective.here = std::make_unique<std::map<std::uint32_t, Clocks>>();
    (*open_collective.here)[static_cast<std::uint32_t>(own)] = std::move(mine);
  }
  // Waking ranks before all have come would let none of them go on, but where the root or single ranks decide.
  if (!by_rank && !all_here(comm, open_collective, step.number)) return {};
  return std::exchange(open_collective.waiting, {});
}

/// Whether all ranks have come that still make calls.
bool OpenCollectives::all_here(std::uint32_t comm, const OpenCollective& open_collective, std::uint32_t number) {
  const auto& ended = meetings(comm).ended;
  const auto missing = std::ranges::upper_bound(ended, number) - ended.begin();
  return open_collective.arrived + static_cast<std::uint64_t>(missing) >= matching_.comm(comm).size;
}

/// The rank of the communicator does not come to this collective any more.
bool OpenCollectives::gone(std::uint32_t comm, std::uint32_t rank, std::uint32_t number) {
  const auto& members = matching_.comm(comm).members;
  const auto member = members.find(rank);
  return member != members.end() && running_[member->second.rank] == 0 &&
         readers_[member->second.rank].collectives(member->second.own) <= number;
}

bool OpenCollectives::gathered(std::uint32_t comm, std::uint32_t rank, const Step& step,
                               OpenCollective& open_collective, Clocks& from, Meeting& meeting) {
  const auto own = static_cast<std::uint32_t>(readers_[rank].comms()[step.link].rank);
  const auto there = [&](std::uint32_t other) {
    return open_collective.here->contains(other) || gone(comm, other, step.number);
  };
  const auto join = [&](std::uint32_t other) {
    const auto found = open_collective.here->find(other);
    if (found == open_collective.here->end()) return;
    from.join(found->second);
    meeting.others.push_back(found->second.entry);
  };
  const bool root = static_cast<std::int32_t>(own) == step.root;
  switch (step.shape) {
    case Shape::from_root:
      if (root) return true;
      if (open_collective.root != kNone) from = open_collective.came[open_collective.root];
      meeting.entry = from.entry;
      return open_collective.root != kNone || gone(comm, static_cast<std::uint32_t>(step.root), step.number);
    case Shape::prefix:
      meeting.scan = {open_collective.first, own, matching_.comm(comm).size};
      while (open_collective.first_missing < own && there(open_collective.first_missing)) {
        Clocks& here = (*open_collective.here)[open_collective.first_missing++];
        open_collective.all.join(here);
        here = open_collective.all;
      }
      if (open_collective.first_missing < own) return false;
      if (own > 0) from = (*open_collective.here)[own - 1];
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
      if (!all_here(comm, open_collective, step.number)) return false;
      if (step.shape == Shape::to_root)
        for (const Clocks& clocks : open_collective.came) from.join(clocks);
      else
        from = open_collective.all;
      meeting.entry = open_collective.first;
      return true;
  }
  return true;
}

bool OpenCollectives::may_wait_on_the_way(std::uint32_t rank, const Step& step) const {
  if (step.shape != Shape::from_root && step.shape != Shape::to_root) return false;
  if (step.shape == Shape::to_root && readers_[rank].comms()[step.link].rank == step.root) return false;
  return step.at - step.entered >= StepMaker::kLeastWait;
}

/// Adds the rank that the times show it to have waited for.
void OpenCollectives::wait_on_the_way(std::uint32_t rank, const Step& step, const OpenCollective& open_collective,
                                      Clocks& from, Meeting& meeting) const {
  const auto own = static_cast<std::uint32_t>(readers_[rank].comms()[step.link].rank);
  const auto& arrivals = open_collective.arrivals;
  auto behind = std::ranges::upper_bound(arrivals, step.at, {}, &OpenCollective::Arrival::at);
  if (behind != arrivals.begin() && std::prev(behind)->rank == own) --behind;
  if (behind == arrivals.begin()) return;
  const Clocks& last = open_collective.came[std::prev(behind)->index];
  const double begun = from.location == kNone ? step.entered : std::max(step.entered, from.at);
  if (last.at - begun < std::max(StepMaker::kLeastWait, (step.at - begun) / 2)) return;
  from.join(last);
  meeting.others.push_back(last.entry);
}

bool OpenCollectives::leave(std::uint32_t location, std::uint32_t rank, const Step& step, bool let_go, Clocks& from,
                            Meeting& meeting) {
  const std::uint32_t comm = matching_.comm(rank, step.link);
  OpenCollective* const open_collective = meetings(comm).open_collectives.at(step.number, spare_);
  if (!open_collective) return true;
  if (!gathered(comm, rank, step, *open_collective, from, meeting)) {
    if (!let_go) {
      open_collective->waiting.push_back(location);
      return false;
    }
    ++open_collective->let_go;
  }
  if (may_wait_on_the_way(rank, step)) wait_on_the_way(rank, step, *open_collective, from, meeting);
  meeting.came = from.location == kNone ? 0 : from.at;
  if (++open_collective->left == matching_.comm(comm).size) meetings(comm).open_collectives.done(step.number, spare_);
  return true;
}

std::vector<std::uint32_t> OpenCollectives::end(std::uint32_t rank) {
  std::vector<std::uint32_t> waited;
  const auto comms = readers_[rank].comms().size();
  for (std::uint32_t own = 0; own < comms; ++own) {
    auto& [open_collectives, ended] = meetings(matching_.comm(rank, own));
    const std::uint32_t calls = readers_[rank].collectives(own);
    ended.insert(std::ranges::upper_bound(ended, calls), calls);
    for (std::uint32_t i = std::max(calls, open_collectives.first()); i < open_collectives.last(); ++i) {
      OpenCollective* const open_collective = open_collectives[i];
      if (!open_collective) continue;
      for (const std::uint32_t location : std::exchange(open_collective->waiting, {})) waited.push_back(location);
    }
  }
  return waited;
}

void OpenCollectives::count_unmatched(Unmatched& unmatched) {
  unmatched.circular += circular_;
  for (std::uint32_t comm = 0; comm < meetings_.size(); ++comm) {
    auto& open_collectives = meetings_[comm].open_collectives;
    for (std::uint32_t i = open_collectives.first(); i < open_collectives.last(); ++i)
      unmatched.collectives += open_collectives[i] && open_collectives[i]->arrived < matching_.comm(comm).size;
  }
}

}  // namespace skelgen::metrics
