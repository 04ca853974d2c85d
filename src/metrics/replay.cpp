#include "metrics/replay.h"

#include <numeric>
#include <queue>

#include "metrics/altered.h"
#include "metrics/he_sun.h"
#include "metrics/kept_regions.h"
#include "metrics/matching.h"
#include "metrics/meetings.h"
#include "metrics/open_collectives.h"
#include "metrics/polling.h"
#include "metrics/rank_reader.h"
#include "metrics/wait_accounts.h"

namespace skelgen::metrics {
namespace {

class Replay {
 public:
  Replay(const trace::Trace& trace, const ReplayOptions& options)
      : options_(options),
        readers_(rank_readers(trace, options.unit_s, options.cuts)),
        matching_(readers_),
        running_(readers_.size()),
        open_collectives_(readers_, matching_, running_),
        waits_(trace.locations(), options.observer, options.path ? LateReceivers::kMost : 0),
        altered_(options.altered, options.late_receivers, trace.locations()),
        most_channels_(options.idle_channels * std::max<std::size_t>(readers_.size(), 1024)),
        blocked_(readers_.size(), trace.locations().size()),
        phases_(options.cuts),
        slack_(trace.locations().size(), options.cuts.empty() ? 0 : options.cuts.front().size() + 1,
               options.slack_window),
        kept_(options.regions),
        events_left_(trace.locations().size() <= options.events ? options.events : 0) {
    const std::size_t n = trace.locations().size();
    std::uint32_t ranks = 0;
    for (const Location& where : trace.locations()) {
      ranks += where.thread == 0;
      Place& place = places_.emplace_back();
      place.where = where;
      place.rank = ranks - 1;
      place.thread = static_cast<std::size_t>(where.thread);
      place.path = Path(static_cast<std::uint32_t>(places_.size() - 1));
      ++running_[place.rank];
      if (options.regions) place.vectors = {std::vector<double>(n), std::vector<double>(n), {}};
      if (events_left_) place.vectors.v.resize(n);
    }
    if (events_left_) out_.clocks.emplace(n);
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
    bool queued = false, over = false;
    bool passed = false;  // the time of the next step is already counted
    bool let_go = false;  // the next step does not wait any more
    Polling polling;
    double came = 0;                                 // when the last one that it waited for had come
    std::vector<std::pair<Step, std::size_t>> held;  // what asks, and is behind that; with phases, not yet logged
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
      if (!place.held.empty() && !place.polling.any()) log_held(location);
      meeting_ = {};
      if (!take(location, *step)) return stop(location, step->at);
      if (slack_.wanted()) log(location, *step);
      place.passed = place.let_go = false;
      place.end = step->at;
      ++place.steps;
      reader.pop(place.thread);
    }
  }

  /// The location has to wait in its step that ends at `at`.
  void stop(std::uint32_t location, double at) {
    if (!stopped_known_) return;
    stopped_.emplace(at, location);
    if (stopped_.size() <= 2 * places_.size()) return;
    stopped_ = {};  // most went on
    stopped_known_ = false;
  }

  /// What waits for a rank that is over waits in vain.
  void end(std::uint32_t location) {
    Place& place = places_[location];
    place.over = true;
    meeting_ = {};
    log_held(location);
    phases_.end(location, place.end, place.chain);
    if (--running_[place.rank] > 0) return;
    for (const std::uint32_t waiting : open_collectives_.end(place.rank)) wake(waiting);
    for (const std::uint32_t rank : {place.rank, kNone})
      for (const std::uint32_t waiting : blocked_.of(rank)) wake(waiting);
  }

  void pass_time(std::uint32_t location, const Step& step) {
    Place& place = places_[location];
    const double rho = options_.rho.empty() ? 1 : options_.rho[location];
    place.passed = true;
    place.polling.pass(step, place.steps);
    place.computing += step.computing;
    place.blocked += step.blocked;
    place.scaled_computing += rho * step.computing;
    place.scaled_blocked += rho * step.blocked;
    place.scaled_chain += rho * step.computing;
    place.logical += step.gaps;
    place.events += step.gaps;
    for (double i = 0; i < step.gaps && out_.clocks; ++i) keep_clock(location);
    place.region_computing += step.computing;
    place.region_blocked += step.blocked;
    if (auto* observer = options_.observer)
      observer->spent(place.where, step.at, step.computing, step.blocked, *step.function);
    const double chain = std::exchange(place.chain, place.chain + step.computing);
    const double start = readers_[place.rank].start(place.thread);
    altered_.pass(location, step, start, place.polling);
    phases_.pass(location, step, place.steps ? place.end : start, chain);
    if (!options_.regions) return;
    place.vectors.w[location] = place.scaled_computing;
    place.vectors.u[location] = place.scaled_blocked;
  }

  /// An event of the location, which knows all that went before it.
  void keep_clock(std::uint32_t location) {
    auto& v = places_[location].vectors.v;
    if (events_left_-- == 0) {
      out_.clocks.reset();
      for (Place& place : places_) place.vectors.v = std::vector<std::uint32_t>();
      return;
    }
    ++v[location];
    (*out_.clocks)[location].push_back(v);
  }

  Clocks clocks(std::uint32_t location, const Step& step) const {
    const Place& place = places_[location];
    Clocks result;
    result.logical = place.logical;
    result.scaled_chain = place.scaled_chain;
    result.chain = place.chain;
    result.at = step.at;
    result.until = step.other;
    result.location = location;
    result.call = step.call;
    result.step = place.steps;
    result.send = place.sends;
    result.altered = altered_.now(location);
    result.path = place.path;
    result.entry = slack_.next();
    if (options_.regions || out_.clocks) result.vectors = std::make_shared<Vectors>(place.vectors);
    return result;
  }

  /// One event of the location; `from`: what it got from others.
  void count(std::uint32_t location, const Step& step, const Clocks& from) {
    Place& place = places_[location];
    place.logical = std::max(place.logical, from.logical) + 1;
    place.scaled_chain = std::max(place.scaled_chain, from.scaled_chain);
    place.chain = std::max(place.chain, from.chain);
    place.events += 1;
    if (step.kind != StepKind::send) altered_.wait(location, step, from, place.polling);
    if (from.vectors) Clocks::take_larger(place.vectors, *from.vectors);
    if (out_.clocks) keep_clock(location);
    if (from.location == location || from.at <= std::max(began(location, step), place.came)) return;
    place.came = std::min(step.at, from.at);
    if (!options_.path) return;
    const Polling& polling = place.polling;
    if (polling.any() && from.at <= polling.to())  // the rest of the call is time of its own
      place.path = Path(from.path, from.step + 1, location, polling.last() + 1, polling.to() - from.at);
    else
      place.path = Path(from.path, from.step + 1, location, place.steps + 1, std::max(0.0, step.at - from.at));
  }

  /// When the step began to wait.
  double began(std::uint32_t location, const Step& step) const {
    const Polling& polling = places_[location].polling;
    return polling.any() ? polling.from() : step.entered;
  }

  void log(std::uint32_t location, const Step& step) {
    Place& place = places_[location];
    const Polling& polling = place.polling;
    const std::size_t phase = phases_.now(location);
    if (step.asks) return hold(place, step, phase);
    if (polling.open() && !place.held.empty() && place.held.size() < kMostHeld)
      return void(place.held.emplace_back(step, phase));
    if (!polling.any()) return slack_.add(location, phase, step, meeting_);
    log_held(location);
    Step got = step;
    if (!polling.open() && meeting_.came <= polling.to()) got.entered = std::max(polling.from(), meeting_.came);
    slack_.add(location, phase, got, meeting_);
  }

  /// Steps of calls that ask become one.
  static void hold(Place& place, Step asks, std::size_t phase) {
    asks.entered = place.polling.from();
    if (place.held.size() == 1 && place.held.front().second == phase) {
      asks.computing += place.held.front().first.computing;
      asks.blocked += place.held.front().first.blocked;
      place.held.clear();
    }
    place.held.emplace_back(asks, phase);
  }

  /// What the location asked for is taken to be what the step brought, if it brought something.
  void log_held(std::uint32_t location) {
    Place& place = places_[location];
    const Polling& polling = place.polling;
    for (auto& [step, phase] : place.held) {
      Meeting met;
      if (step.asks && polling.any() && meeting_.came > 0) {
        step.kind = StepKind::receive;
        met.came = std::min(meeting_.came, polling.to());
        if (meeting_.came <= polling.to()) {
          std::swap(met.entry, meeting_.entry);
          std::swap(met.others, meeting_.others);
        }
      }
      slack_.add(location, phase, step, met);
    }
    place.held.clear();
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
      case StepKind::sent:
        if (step.link != kNone) completed(location, step);
        return true;
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
    if (matching_.channels() > most_channels_) drop_channels();
    return channels_[channel].at(step.number);
  }

  /// Forgets those through which nothing is under way, at the latest when they are twice as many as after the last time.
  void drop_channels() {
    out_.channels = std::max(out_.channels, matching_.channels());
    for (std::uint32_t i = 0; i < channels_.size(); ++i)
      if (const std::uint32_t messages = channels_[i].last();
          messages > 0 && channels_[i].first() == messages && matching_.drop_channel(i, messages))
        channels_[i] = {};
    most_channels_ = std::max(most_channels_, 2 * matching_.channels());
  }

  void send(std::uint32_t location, const Step& step) {
    Message* sent = message(location, step);
    if (!sent) {
      ++out_.unmatched.circular;
      return;
    }
    sent->sent = true;
    meeting_ = {.entry = slack_.next(), .needed_by = 1};
    sent->clocks = clocks(location, step);
    if (sent->waiting != kNone) wake(sent->waiting);
  }

  void completed(std::uint32_t location, const Step& step) {
    Message* const message = this->message(location, step);
    if (!message) return;
    message->completion = waits_.completed(location, step, places_[location].polling);
    if (message->receiver == kNone) return;
    waits_.received(location, message->receiver, message->completion, message->posted);
    channels_[matching_.channel(places_[location].rank, step.link)].done(step.number);
  }

  bool receive(std::uint32_t location, const Step& step) {
    Clocks from;
    if (step.link != kNone) {
      bool done = true;
      Message* wanted = message(location, step);
      const std::uint32_t channel = matching_.channel(places_[location].rank, step.link);
      if (wanted && wanted->sent) {
        from = std::move(wanted->clocks);
        meeting_ = {.came = from.at, .entry = from.entry};
        waits_.message(location, step, from, places_[location].polling);
        done = from.until != kLater || wanted->completion.accounted;
        wanted->receiver = location;
        wanted->posted = step.other;
        if (wanted->completion.accounted) waits_.received(from.location, location, wanted->completion, step.other);
        if (options_.message) options_.message(location, from.location, from.send);
      } else if (wanted && !places_[location].let_go) {
        const std::uint32_t sender = matching_.sender(channel);
        if (sender == kNone || running_[sender] > 0) {
          wanted->waiting = location;
          blocked_.add(location, sender);
          return false;
        }
      }
      if (wanted && !wanted->sent) matching_.keep_channel(channel);  // it may still be sent
      if (wanted && done) channels_[channel].done(step.number);
      blocked_.remove(location);
    }
    count(location, step, from);
    region(location, step, from);
    return true;
  }

  void enter(std::uint32_t location, const Step& step) {
    const Place& place = places_[location];
    Clocks mine = clocks(location, step);
    mine.since = waits_.since(location, step, place.computing, readers_[place.rank].comms());
    for (const std::uint32_t waiting : open_collectives_.enter(place.rank, step, std::move(mine), meeting_))
      wake(waiting);
  }

  bool leave(std::uint32_t location, const Step& step) {
    Clocks from;
    if (step.link != kNone) {
      const Place& place = places_[location];
      if (!open_collectives_.leave(location, place.rank, step, place.let_go, from, meeting_)) return false;
      if (step.may_end_early && from.at > step.at) {  // it did not wait for all, so for nobody that is known
        from = {};
        meeting_.came = 0;
      }
      waits_.collective(location, step, from, place.computing, readers_[place.rank].comms(), place.polling);
    }
    count(location, step, from);
    region(location, step, from);
    return true;
  }

  /// Nobody can go on, yet somebody is not at the end: the first one goes on without what it waits for. If that never
  /// comes, the trace does not have it; else calls wait for each other in a circle.
  bool let_go() {
    for (std::uint32_t i = 0; i < places_.size() && !stopped_known_; ++i)
      if (const Step* const step = look(i)) stopped_.emplace(step->at, i);
    stopped_known_ = true;
    for (; !stopped_.empty(); stopped_.pop()) {
      const auto [at, location] = stopped_.top();
      const Step* const step = look(location);
      if (!step || step->at != at) continue;  // it went on
      stopped_.pop();
      places_[location].let_go = true;
      wake(location);
      return true;
    }
    return false;
  }

  /// The step in which the location waits; null if it is over.
  const Step* look(std::uint32_t location) {
    ++out_.wakes;
    return places_[location].over ? nullptr : front(location);
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
    const auto& [w, u, v] = place.vectors;
    const double weight = std::accumulate(w.begin(), w.end(), 0.0);
    region.alpha = region_alpha(weight, weight + std::accumulate(u.begin(), u.end(), 0.0), place.scaled_chain);
    if (!region.alpha) return;
    if (w[location] + u[location] > 0) region.phi1 = w[location] / (w[location] + u[location]);
    if (from.location != kNone && from.location != location && from.at > began(location, step))
      region.waits_for = places_[from.location].where.rank;
    kept_.add(std::move(region), location, place.steps);
  }

  void finish() {
    std::uint32_t last = 0;
    out_.altered = altered_.ends();
    out_.waits = std::move(waits_.waits);
    out_.caused = std::move(waits_.caused);
    out_.late_receivers = waits_.late.take();
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
    }
    if (slack_.wanted()) out_.slacks = slack_.finish(out_.ends);
    if (!places_.empty()) out_.path = places_[last].path.stretches(places_[last].steps);
    out_.phases = phases_.take();
    out_.regions = kept_.take();
    out_.channels = std::max(out_.channels, matching_.channels());
    for (const RankReader& reader : readers_) out_.unmatched.add(reader.unmatched());
    matching_.count_unmatched(out_.unmatched);
    open_collectives_.count_unmatched(out_.unmatched);
  }

  using When = std::pair<double, std::uint32_t>;
  static constexpr int kAtATime = 64;
  static constexpr std::size_t kMostHeld = 16;
  static constexpr double kForever = std::numeric_limits<double>::infinity();

  const ReplayOptions& options_;
  std::vector<RankReader> readers_;
  Matching matching_;
  std::vector<int> running_;  // by rank: threads that are not over
  OpenCollectives open_collectives_;
  WaitAccounts waits_;
  AlteredRuns altered_;
  std::vector<Place> places_;
  std::vector<NumberedRing<Message>> channels_;
  std::size_t most_channels_;  // before some are forgotten
  using Earliest = std::priority_queue<When, std::vector<When>, std::greater<>>;
  Earliest ready_;
  Earliest stopped_;  // all that wait, and some that went on; since somebody was let go
  bool stopped_known_ = false;
  Blocked blocked_;
  PhaseMeter phases_;
  SlackLog slack_;
  Meeting meeting_;  // of the step that is taken
  KeptRegions kept_;
  std::size_t events_left_;  // whose clocks may still be kept
  Replayed out_;
};

}  // namespace

Replayed replay(const trace::Trace& trace, const ReplayOptions& options) { return Replay(trace, options).run(); }

}  // namespace skelgen::metrics
