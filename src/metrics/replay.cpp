#include "metrics/replay.h"

#include <numeric>
#include <queue>

#include "metrics/he_sun.h"
#include "metrics/kept_regions.h"
#include "metrics/matching.h"
#include "metrics/meetings.h"
#include "metrics/rank_reader.h"

namespace skelgen::metrics {
namespace {

class Replay {
 public:
  Replay(const trace::Trace& trace, const ReplayOptions& options)
      : options_(options),
        readers_(rank_readers(trace, options.unit_s)),
        matching_(readers_),
        running_(readers_.size()),
        blocked_(readers_.size(), trace.locations().size()),
        kept_(options.regions) {
    const std::size_t n = trace.locations().size();
    out_.waits.resize(n);
    out_.caused.resize(n);
    std::uint32_t ranks = 0;
    for (const Location& where : trace.locations()) {
      ranks += where.thread == 0;
      Place& place = places_.emplace_back();
      place.where = where;
      place.rank = ranks - 1;
      place.thread = static_cast<std::size_t>(where.thread);
      place.path = Path(static_cast<std::uint32_t>(places_.size() - 1));
      ++running_[place.rank];
      if (options.regions) place.vectors = {std::vector<double>(n), std::vector<double>(n)};
    }
  }

  Replayed run() {
    for (std::uint32_t i = 0; i < places_.size(); ++i) wake(i);
    do {
      while (!ready_.empty()) {
        const std::uint32_t location = ready_.top().second;
        ready_.pop();
        places_[location].queued = false;
        advance(location);
      }
    } while (let_go());
    finish();
    return std::move(out_);
  }

 private:
  struct Place {
    Location where;
    std::size_t thread = 0;
    std::uint32_t rank = 0;  // index into readers_
    std::uint64_t steps = 0, sends = 0;
    double computing = 0, blocked = 0, scaled_computing = 0, scaled_blocked = 0;
    double logical = 0, events = 0, scaled_chain = 0, chain = 0, end = 0;
    double region_computing = 0, region_blocked = 0;
    Altered altered{}, altered_entry{};  // of the last step; when its call was entered
    std::uint32_t call = kNone;
    double waited_until = 0;  // up to there waiting is accounted for
    double met = 0;           // what it had computed when it met all others
    bool queued = false, over = false;
    bool passed = false;  // the time of the next step is already counted
    bool let_go = false;  // the next step does not wait any more
    Path path;
    Vectors vectors;
  };

  const Step* front(std::uint32_t location) {
    const Place& place = places_[location];
    return readers_[place.rank].front(place.thread);
  }

  void wake(std::uint32_t location) {
    Place& place = places_[location];
    ++out_.wakes;
    if (place.queued || place.over) return;
    place.queued = true;
    ready_.emplace(readers_[place.rank].earliest(place.thread), location);
  }

  /// Runs a location until it has to wait, ends, or is well ahead of the others.
  void advance(std::uint32_t location) {
    Place& place = places_[location];
    RankReader& reader = readers_[place.rank];
    for (int steps = 0;; ++steps) {
      const double others = ready_.empty() ? kForever : ready_.top().first;
      if (reader.behind_others(place.thread) && reader.earliest(place.thread) > others) return wake(location);
      const Step* step = front(location);
      if (!step) return end(location);
      if (steps >= kAtATime && step->at > others) return wake(location);
      if (!place.passed) pass_time(location, *step);
      if (!take(location, *step)) return;
      place.passed = place.let_go = false;
      place.end = step->at;
      ++place.steps;
      reader.pop(place.thread);
    }
  }

  /// What waits for a rank that is over waits in vain.
  void end(std::uint32_t location) {
    Place& place = places_[location];
    place.over = true;
    if (--running_[place.rank] > 0) return;
    const auto comms = readers_[place.rank].comms().size();
    for (std::uint32_t own = 0; own < comms; ++own) {
      auto& [gatherings, ended] = meetings(matching_.comm(place.rank, own));
      const std::uint32_t calls = readers_[place.rank].collectives(own);
      ended.insert(std::ranges::upper_bound(ended, calls), calls);
      const std::uint32_t first = gatherings.first();
      for (std::size_t i = std::max(calls, first) - first; i < gatherings.left().size(); ++i)
        wake_all(gatherings.left()[i]);
    }
    for (const std::uint32_t rank : {place.rank, kNone})
      for (const std::uint32_t waiting : blocked_.of(rank)) wake(waiting);
  }

  void wake_all(Gathering& gathering) {
    for (const std::uint32_t waiting : std::exchange(gathering.waiting, {})) wake(waiting);
  }

  void pass_time(std::uint32_t location, const Step& step) {
    Place& place = places_[location];
    const double rho = options_.rho.empty() ? 1 : options_.rho[location];
    place.passed = true;
    place.computing += step.computing;
    place.blocked += step.blocked;
    place.scaled_computing += rho * step.computing;
    place.scaled_blocked += rho * step.blocked;
    place.scaled_chain += rho * step.computing;
    place.chain += step.computing;
    place.logical += step.gaps;
    place.events += step.gaps;
    place.region_computing += step.computing;
    place.region_blocked += step.blocked;
    pass_altered(place, step);
    if (!options_.regions) return;
    place.vectors.w[location] = place.scaled_computing;
    place.vectors.u[location] = place.scaled_blocked;
  }

  /// How much of its time something takes in an altered run.
  static double share(bool halved) { return halved ? 0.5 : 1; }

  /// Up to where the step may wait for others: the call's entry if it is its first one. Steps that wait for nobody end.
  void pass_altered(Place& place, const Step& step) {
    const bool waits = step.kind == StepKind::receive || step.kind == StepKind::leave;
    const bool enters = std::exchange(place.call, step.call) != step.call;
    const double inside = enters ? std::min(step.blocked, step.at - step.entered) : step.blocked;
    for (std::size_t i = 0; i < options_.altered.size(); ++i) {
      const Halved& halved = options_.altered[i];
      double& now = place.altered[i];
      if (place.steps == 0) now = readers_[place.rank].start(place.thread);
      if (enters) {
        now += share(halved.rank == place.where.rank) * step.computing + (step.blocked - inside);
        place.altered_entry[i] = now;
      }
      if (!waits) now += share(halved.function == step.function->name) * inside;
    }
  }

  /// The end of a step that waited for others; what they did not cause takes as long as it did.
  void wait_altered(Place& place, const Step& step, const Clocks& from) {
    const bool alone = from.location == kNone;
    const double rest = step.at - (alone ? step.entered : std::max(step.entered, from.at));
    for (std::size_t i = 0; i < options_.altered.size(); ++i) {
      const double came = alone ? place.altered_entry[i] : std::max(place.altered_entry[i], from.altered[i]);
      const double took = share(options_.altered[i].function == step.function->name) * rest;
      place.altered[i] = std::max(place.altered[i], came + took);
    }
  }

  Clocks clocks(std::uint32_t location, const Step& step) const {
    const Place& place = places_[location];
    Clocks result;
    result.logical = place.logical;
    result.scaled_chain = place.scaled_chain;
    result.chain = place.chain;
    result.at = step.at;
    result.until = step.other;
    result.since = place.computing - place.met;
    result.location = location;
    result.step = place.steps;
    result.send = place.sends;
    result.altered = place.altered;
    result.path = place.path;
    if (options_.regions) result.vectors = std::make_shared<Vectors>(place.vectors);
    return result;
  }

  /// One event of the location; `from`: what it got from others.
  void count(std::uint32_t location, const Step& step, const Clocks& from) {
    Place& place = places_[location];
    place.logical = std::max(place.logical, from.logical) + 1;
    place.scaled_chain = std::max(place.scaled_chain, from.scaled_chain);
    place.chain = std::max(place.chain, from.chain);
    place.events += 1;
    if (step.kind != StepKind::send) wait_altered(place, step, from);
    if (from.vectors) Clocks::take_larger(place.vectors, *from.vectors);
    if (options_.path && from.location != kNone && from.location != location && from.at > step.entered)
      place.path = Path(from.path, from.step + 1, location, place.steps + 1, std::max(0.0, step.at - from.at));
  }

  /// Does the step unless it has to wait; the location is put where it will be found when the wait is over.
  bool take(std::uint32_t location, const Step& step) {
    switch (step.kind) {
      case StepKind::plain:
        return true;
      case StepKind::send:
        count(location, step, {});
        region(location, step, {});
        if (step.link != kNone) send(location, step);
        ++places_[location].sends;
        return true;
      case StepKind::receive:
        return receive(location, step);
      case StepKind::enter:
        region(location, step, {});
        if (step.link != kNone) enter(location, step);
        return true;
      case StepKind::leave:
        return leave(location, step);
    }
    return true;
  }

  /// The message that the step sends or receives; null if its receiver went on without it.
  Message* message(std::uint32_t location, const Step& step) {
    const std::uint32_t channel = matching_.channel(places_[location].rank, step.link);
    if (channels_.size() <= channel) channels_.resize(channel + 1);
    return channels_[channel].at(step.number);
  }

  void send(std::uint32_t location, const Step& step) {
    Message* sent = message(location, step);
    if (!sent) {
      ++out_.unmatched.circular;
      return;
    }
    sent->sent = true;
    sent->clocks = clocks(location, step);
    if (sent->waiting != kNone) wake(sent->waiting);
  }

  /// Seconds from `from` to `to` that are not accounted for already.
  double wait(std::uint32_t location, double from, double to) {
    double& until = places_[location].waited_until;
    from = std::max(from, until);
    until = std::max(from, to);
    return until - from;
  }

  void add_wait(std::uint32_t location, std::uint32_t cause, double Waits::*kind, double seconds) {
    out_.waits[location].*kind += seconds;
    out_.caused[cause].*kind += seconds;
  }

  /// One of the two came late.
  void late(std::uint32_t location, const Step& step, const Clocks& from) {
    if (from.location == location) return;
    add_wait(location, from.location, &Waits::late_sender_s, wait(location, step.entered, std::min(step.at, from.at)));
    if (step.other > from.at && step.other <= from.until)
      add_wait(from.location, location, &Waits::late_receiver_s, step.other - from.at);
  }

  void late_to_collective(std::uint32_t location, const Step& step, const Clocks& from) {
    Place& place = places_[location];
    if (from.location != kNone && from.location != location) {
      const double waited = wait(location, step.entered, std::min(step.at, from.at));
      const double more = step.shape == Shape::all ? from.since - (place.computing - place.met) : 0;
      const double imbalance = std::clamp(more, 0.0, waited);
      add_wait(location, from.location, &Waits::imbalance_s, imbalance);
      add_wait(location, from.location, &Waits::collective_s, waited - imbalance);
    }
    if (step.shape == Shape::all) place.met = place.computing;
  }

  bool receive(std::uint32_t location, const Step& step) {
    Clocks from;
    if (step.link != kNone) {
      Message* wanted = message(location, step);
      const std::uint32_t channel = matching_.channel(places_[location].rank, step.link);
      const std::uint32_t sender = matching_.sender(channel);
      if (wanted && wanted->sent) {
        from = std::move(wanted->clocks);
        late(location, step, from);
        if (options_.message) options_.message(location, from.location, from.send);
      } else if (wanted && !places_[location].let_go && (sender == kNone || running_[sender] > 0)) {
        wanted->waiting = location;
        blocked_.add(location, sender);
        return false;
      }
      if (wanted) channels_[channel].done(step.number);
      blocked_.remove(location);
    }
    count(location, step, from);
    region(location, step, from);
    return true;
  }

  Meetings& meetings(std::uint32_t comm) {
    if (meetings_.size() <= comm) meetings_.resize(comm + 1);
    return meetings_[comm];
  }

  void enter(std::uint32_t location, const Step& step) {
    const Place& place = places_[location];
    Gathering* const found = meetings(matching_.comm(place.rank, step.link)).gatherings.at(step.number);
    if (!found) return;  // more ranks than the communicator has
    Gathering& gathering = *found;
    out_.unmatched.circular += std::exchange(gathering.let_go, 0);
    Clocks mine = clocks(location, step);
    const int rank = readers_[place.rank].comms()[step.link].rank;
    ++gathering.arrived;
    gathering.all.join(mine);
    if (rank == step.root) {
      gathering.root_here = true;
      gathering.root = mine;
    }
    if (step.shape == Shape::prefix || step.shape == Shape::neighbours) {
      if (!gathering.here) gathering.here = std::make_unique<std::map<std::uint32_t, Clocks>>();
      (*gathering.here)[static_cast<std::uint32_t>(rank)] = std::move(mine);
    }
    wake_all(gathering);
  }

  /// The rank of the communicator does not come to this collective any more.
  bool gone(std::uint32_t comm, std::uint32_t rank, std::uint32_t number) {
    const auto& members = matching_.comm(comm).members;
    const auto member = members.find(rank);
    return member != members.end() && running_[member->second.rank] == 0 &&
           readers_[member->second.rank].collectives(member->second.own) <= number;
  }

  /// Whether all are there whose data the step needs; `from`: of those who are.
  bool gathered(std::uint32_t comm, std::uint32_t rank, std::uint32_t place_rank, const Step& step,
                Gathering& gathering, Clocks& from) {
    const auto there = [&](std::uint32_t other) {
      return gathering.here->contains(other) || gone(comm, other, step.number);
    };
    const auto join = [&](std::uint32_t other) {
      const auto found = gathering.here->find(other);
      if (found != gathering.here->end()) from.join(found->second);
    };
    const bool root = static_cast<std::int32_t>(rank) == step.root;
    switch (step.shape) {
      case Shape::from_root:
        if (root) return true;
        if (gathering.root_here) from = gathering.root;
        return gathering.root_here || gone(comm, static_cast<std::uint32_t>(step.root), step.number);
      case Shape::prefix:
        while (gathering.first_missing < rank && there(gathering.first_missing)) ++gathering.first_missing;
        if (gathering.first_missing >= rank)
          for (std::uint32_t other = 0; other < rank; ++other) join(other);
        return gathering.first_missing >= rank;
      case Shape::neighbours: {
        bool all = true;
        for (const int source : readers_[place_rank].sources(step.link)) {
          if (source < 0 || source == static_cast<int>(rank)) continue;
          all = all && there(static_cast<std::uint32_t>(source));
          join(static_cast<std::uint32_t>(source));
        }
        return all;
      }
      case Shape::to_root:
        if (!root) return true;
        [[fallthrough]];
      case Shape::all: {
        const auto& ended = meetings(comm).ended;
        const auto missing = std::ranges::upper_bound(ended, step.number) - ended.begin();
        if (gathering.arrived + static_cast<std::uint64_t>(missing) < matching_.comm(comm).size) return false;
        from = gathering.all;
        return true;
      }
    }
    return true;
  }

  bool leave(std::uint32_t location, const Step& step) {
    Clocks from;
    if (step.link != kNone) {
      const Place& place = places_[location];
      const std::uint32_t comm = matching_.comm(place.rank, step.link);
      const auto rank = static_cast<std::uint32_t>(readers_[place.rank].comms()[step.link].rank);
      if (Gathering* const gathering = meetings(comm).gatherings.at(step.number)) {
        if (!gathered(comm, rank, place.rank, step, *gathering, from)) {
          if (!place.let_go) {
            gathering->waiting.push_back(location);
            return false;
          }
          ++gathering->let_go;
        }
        late_to_collective(location, step, from);
        if (++gathering->left == matching_.comm(comm).size) meetings(comm).gatherings.done(step.number);
      }
    }
    count(location, step, from);
    region(location, step, from);
    return true;
  }

  /// Nobody can go on, yet somebody is not at the end: the first one goes on without what it waits for. If that never
  /// comes, the trace does not have it; else calls wait for each other in a circle.
  bool let_go() {
    std::uint32_t first = kNone;
    double earliest = 0;
    for (std::uint32_t i = 0; i < places_.size(); ++i) {
      if (places_[i].over) continue;
      const double at = front(i)->at;
      if (first != kNone && at >= earliest) continue;
      first = i;
      earliest = at;
    }
    if (first == kNone) return false;
    places_[first].let_go = true;
    wake(first);
    return true;
  }

  /// A message event ends a region; those of the lowest alpha are kept.
  void region(std::uint32_t location, const Step& step, const Clocks& from) {
    if (!options_.regions) return;
    Place& place = places_[location];
    Region region;
    region.rank = place.where.rank;
    region.call = step.call;
    region.function = step.function->name;
    region.computing_s = place.region_computing;
    region.blocked_s = place.region_blocked;
    region.start_s = step.at - region.computing_s - region.blocked_s;
    place.region_computing = place.region_blocked = 0;
    const auto& [w, u] = place.vectors;
    const double weight = std::accumulate(w.begin(), w.end(), 0.0);
    region.alpha = region_alpha(weight, weight + std::accumulate(u.begin(), u.end(), 0.0), place.scaled_chain);
    if (!region.alpha) return;
    if (w[location] + u[location] > 0) region.phi1 = w[location] / (w[location] + u[location]);
    if (from.location != kNone && from.location != location && from.at > step.entered)
      region.waits_for = places_[from.location].where.rank;
    kept_.add(std::move(region), location, place.steps);
  }

  void finish() {
    std::uint32_t last = 0;
    out_.altered.resize(options_.altered.size());
    for (std::uint32_t i = 0; i < places_.size(); ++i) {
      const Place& place = places_[i];
      const double start = readers_[place.rank].start(place.thread);
      out_.computing.push_back(place.computing);
      out_.blocked.push_back(place.blocked);
      out_.scaled_computing.push_back(place.scaled_computing);
      out_.scaled_blocked.push_back(place.scaled_blocked);
      out_.events.push_back(place.events);
      out_.starts.push_back(start);
      out_.ends.push_back(place.steps ? place.end : start);
      out_.height = std::max(out_.height, place.logical);
      out_.scaled_chain = std::max(out_.scaled_chain, place.scaled_chain);
      out_.chain = std::max(out_.chain, place.chain);
      if (out_.ends[i] > out_.ends[last]) last = i;
      for (std::size_t k = 0; k < out_.altered.size(); ++k)
        out_.altered[k] = std::max(out_.altered[k], place.altered[k]);
    }
    if (!places_.empty()) out_.path = places_[last].path.stretches(places_[last].steps);
    out_.regions = kept_.take();
    for (const RankReader& reader : readers_) out_.unmatched.add(reader.unmatched());
    matching_.count_unmatched(out_.unmatched);
    for (std::uint32_t comm = 0; comm < meetings_.size(); ++comm)
      for (const Gathering& gathering : meetings_[comm].gatherings.left())
        out_.unmatched.collectives += !gathering.done && gathering.arrived < matching_.comm(comm).size;
  }

  using When = std::pair<double, std::uint32_t>;
  static constexpr int kAtATime = 64;
  static constexpr double kForever = std::numeric_limits<double>::infinity();

  const ReplayOptions& options_;
  std::vector<RankReader> readers_;
  Matching matching_;
  std::vector<int> running_;  // by rank: threads that are not over
  std::vector<Place> places_;
  std::deque<Window<Message>> channels_;
  std::deque<Meetings> meetings_;
  std::priority_queue<When, std::vector<When>, std::greater<>> ready_;
  Blocked blocked_;
  KeptRegions kept_;
  Replayed out_;
};

}  // namespace

Replayed replay(const trace::Trace& trace, const ReplayOptions& options) { return Replay(trace, options).run(); }

}  // namespace skelgen::metrics
