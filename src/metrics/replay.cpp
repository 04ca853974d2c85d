#include "metrics/replay.h"

#include <numeric>
#include <queue>
#include <tuple>

#include "metrics/altered.h"
#include "metrics/call_sites.h"
#include "metrics/he_sun.h"
#include "metrics/kept_regions.h"
#include "metrics/matching.h"
#include "metrics/meetings.h"
#include "metrics/numbers.h"
#include "metrics/open_collectives.h"
#include "metrics/polling.h"
#include "metrics/rank_reader.h"
#include "metrics/raynal.h"
#include "metrics/sends.h"
#include "metrics/wait_accounts.h"

namespace skelgen::metrics {
namespace {

class Replay {
 public:
  Replay(const trace::Trace& trace, const ReplayOptions& options)
      : options_(options),
        with_regions_(options.regions > 0 || options.region),
        sites_(trace),
        readers_(rank_readers(trace, options.unit_s, options.cuts, sites_)),
        matching_(readers_),
        running_(readers_.size()),
        open_collectives_(readers_, matching_, running_),
        waits_(trace.locations(), options.observer, options.altered.empty()),
        altered_(options.altered, trace.locations()),
        most_channels_(options.idle_channels * std::max<std::size_t>(readers_.size(), 1024)),
        blocked_(readers_.size(), trace.locations().size()),
        posted_(readers_.size()),
        watchers_(readers_.size()),
        watched_from_(readers_.size(), kForever),
        phases_(options.cuts),
        windows_(trace.locations().size(), options.windows, window_length(trace, options.windows)),
        slack_(trace.locations().size(), options.cuts.empty() ? 0 : options.cuts.front().size() + 1,
               options.slack_window),
        kept_(options.regions),
        events_left_(trace.locations().size() <= options.events ? options.events : 0) {
    const std::size_t n = trace.locations().size();
    std::uint32_t ranks = 0;
    for (const Location& where : trace.locations()) {
      if (where.thread == 0) {
        ++ranks;
        first_place_.push_back(static_cast<std::uint32_t>(places_.size()));
      }
      Place& place = places_.emplace_back();
      place.where = where;
      place.rank = ranks - 1;
      place.thread = static_cast<std::size_t>(where.thread);
      place.path = Path(static_cast<std::uint32_t>(places_.size() - 1));
      ++running_[place.rank];
      if (with_regions_) {
        place.vectors.w.resize(n);
        place.vectors.u.resize(n);
      }
      if (options.cone) {
        place.vectors.events.resize(n);
        place.vectors.logical.resize(n);
      }
      if (events_left_) place.vectors.v.resize(n);
    }
    first_place_.push_back(static_cast<std::uint32_t>(places_.size()));
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
    Chains chains, unwaited;  // unwaited: if sends never waited for their receives
    double events = 0, end = 0;
    double progress = 0;  // what it posts from now on, it posts then or later
    double region_computing = 0, region_blocked = 0;
    bool queued = false, over = false;
    bool passed = false;    // the time of the next step is already counted
    bool let_go = false;    // the next step does not wait any more
    bool internal = false;  // it has computed since its last event
    bool posted = false;    // that the next step posts a receive is logged
    bool deferred = false;  // the next step was put off until the others were there
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
    const bool threads = first_place_[place.rank + 1] - first_place_[place.rank] > 1;
    Step kept;
    for (int steps = 0;; ++steps) {
      const double others = ready_.empty() ? kForever : ready_.top().first;
      if (threads && reader.behind_others(place.thread) && reader.earliest(place.thread) > others)
        return wake(location);
      const Step* const next = front(location);
      if (!next) return end(location);
      if (threads) kept = *next;  // others of the rank may be read meanwhile
      const Step& step = threads ? kept : *next;
      if (steps >= kAtATime && step.at > others) return wake(location);
      if (!place.passed) pass_time(location, step);
      if (!place.held.empty() && !place.polling.any()) log_held(location);
      meeting_.reset();
      const bool taken = take(location, step);
      place.progress = step.at;
      if (step.at > watched_from_[place.rank]) wake_watchers(place.rank);
      if (!taken) return stop(location, step);
      if (slack_.wanted()) log(location, step);
      place.passed = place.let_go = place.posted = place.deferred = false;
      place.end = step.at;
      ++place.steps;
      reader.pop(place.thread);
    }
  }

  /// The location has to wait in its step.
  void stop(std::uint32_t location, const Step& step) {
    if (!stopped_known_) return;
    stopped_.emplace(step.kind != StepKind::sent, step.at, location);
    if (stopped_.size() <= 2 * places_.size()) return;
    stopped_ = {};  // most went on
    stopped_known_ = false;
  }

  /// What waits for a rank that is over waits in vain.
  void end(std::uint32_t location) {
    Place& place = places_[location];
    place.over = true;
    meeting_.reset();
    log_held(location);
    phases_.end(location, place.end, place.chains.seconds);
    if (watched_from_[place.rank] < kForever) wake_watchers(place.rank);
    if (--running_[place.rank] > 0) return;
    for (const std::uint32_t waiting : open_collectives_.end(place.rank)) wake(waiting);
    for (const std::uint32_t rank : {place.rank, kNone})
      for (const std::uint32_t waiting : blocked_.of(rank)) wake(waiting);
  }

  void pass_time(std::uint32_t location, const Step& step) {
    Place& place = places_[location];
    const double rho = options_.rho.empty() ? 1 : options_.rho[location];
    if (place.steps == 0) place.end = readers_[place.rank].start(place.thread);
    place.passed = true;
    place.polling.pass(step, place.steps);
    place.computing += step.computing;
    place.blocked += step.blocked;
    place.scaled_computing += rho * step.computing;
    place.scaled_blocked += rho * step.blocked;
    // Without a unit what is computed from one event to the next is one, whatever else is called between.
    double events = step.gaps;
    if (options_.unit_s <= 0) events = step.gaps > 0 && !std::exchange(place.internal, true) ? 1 : 0;
    for (Chains* const chains : {&place.chains, &place.unwaited}) {
      chains->scaled += rho * step.computing;
      chains->events += events;
    }
    place.events += events;
    for (double i = 0; i < events && out_.clocks; ++i) keep_clock(location);
    place.region_computing += step.computing;
    place.region_blocked += step.blocked;
    if (auto* observer = options_.observer) {
      static const mpi::Function kLocal{.name = CriticalPath::kLocalCalls, .kind = mpi::Kind::local};
      static const mpi::Function kWithoutCore{.name = CriticalPath::kWithoutCore, .kind = mpi::Kind::local};
      double computing = step.computing, blocked = step.blocked;
      const auto before_call = [&](const mpi::Function& what, double seconds) {
        if (!(seconds > 0)) return;
        blocked -= seconds;
        observer->spent(place.where, step.at - blocked, std::exchange(computing, 0), seconds, what);
      };
      before_call(kLocal, step.local);
      before_call(kWithoutCore, std::min(step.without_core, blocked));
      observer->spent(place.where, step.at, computing, blocked, *step.function);
    }
    const double chain = std::exchange(place.chains.seconds, place.chains.seconds + step.computing);
    place.unwaited.seconds += step.computing;
    out_.without_core_s += step.without_core;
    waits_.roots.was_inside(location, step.function, step.blocked - step.local - step.without_core);
    altered_.pass(location, step, place.end, place.polling);
    phases_.pass(location, step, place.end, chain, rho);
    windows_.pass(location, step, rho);
    if (options_.cone) count_in_cone(location);
    if (!with_regions_) return;
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

  void clocks(std::uint32_t location, const Step& step, Clocks& result) const {
    const Place& place = places_[location];
    result.enters = false;
    result.in_phase = phases_.chain(location);
    result.in_window = windows_.now(location);
    result.chains = place.chains;
    result.unwaited = place.unwaited;
    result.at = step.at;
    result.location = location;
    result.step = place.steps;
    result.send = place.sends;
    if (altered_.any()) result.altered = altered_.now(location);
    result.path = place.path;
    if (waits_.roots.wanted()) waits_.roots.tell(location, step.at, place.computing, result.history);
    result.entry = slack_.next();
    if (with_regions_ || options_.cone || out_.clocks) result.vectors = std::make_shared<Vectors>(place.vectors);
  }

  /// One event of the location; `from`: what it got from others.
  void count(std::uint32_t location, const Step& step, const Clocks& from) {
    Place& place = places_[location];
    place.unwaited.join(from.unwaited);
    follow(location, step, from);
    place.chains.events += 1;
    place.unwaited.events += 1;
    place.events += 1;
    place.internal = false;
    ++out_.message_events;
    if (options_.cone) {
      count_in_cone(location);
      if (is_of(place, step, *options_.cone)) {
        out_.cone = cone(location, place.vectors.events, place.vectors.logical);
        out_.cone->of = *options_.cone;
        out_.cone->function = step.function->name;
      }
    }
    if (out_.clocks) keep_clock(location);
  }

  void count_in_cone(std::uint32_t location) {
    Place& place = places_[location];
    place.vectors.events[location] = place.events;
    place.vectors.logical[location] = place.chains.events;
  }
  static bool is_of(const Place& place, const Step& step, const CallOf& call) {
    return place.thread == 0 && place.where.rank == call.rank && step.call == call.call;
  }

  /// The step ends behind what it got from others.
  void follow(std::uint32_t location, const Step& step, const Clocks& from) {
    Place& place = places_[location];
    place.chains.join(from.chains);
    phases_.follow(location, from.in_phase);
    windows_.follow(location, from.in_window);
    if (step.kind != StepKind::send) altered_.wait(location, step, from, place.polling);
    if (from.vectors) Clocks::take_larger(place.vectors, *from.vectors);
    if (from.location == location || from.at <= std::max(began(location, step), place.came)) return;
    place.came = std::min(step.at, from.at);
    if (!options_.path) return;
    const Polling& polling = place.polling;
    const std::uint64_t to = from.enters ? from.step : from.step + 1;
    if (polling.any() && from.at <= polling.to())  // the rest of the call is time of its own
      place.path = Path(from.path, to, from.enters, location, polling.last() + 1, polling.to() - from.at);
    else
      place.path = Path(from.path, to, from.enters, location, place.steps + 1, std::max(0.0, step.at - from.at));
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
    if (place.posted) {
      Step rest = step;
      rest.computing = 0;
      rest.blocked = std::min(step.blocked, step.at - step.entered);
      return slack_.add(location, phase, rest, meeting_);
    }
    if (step.asks) return hold(place, step, phase);
    if (polling.open() && !place.held.empty() && place.held.size() < kMostHeld)
      return void(place.held.emplace_back(step, phase));
    if (!polling.any()) return slack_.add(location, phase, step, meeting_);
    log_held(location);
    Step got = step;
    if (!polling.open() && meeting_.came <= polling.to()) got.entered = std::max(polling.from(), meeting_.came);
    slack_.add(location, phase, got, meeting_);
  }

  /// A receive that its own call posts is logged twice: as what others may wait for, when it begins, and as what waits.
  void log_posted(std::uint32_t location, const Step& step) {
    Place& place = places_[location];
    Step begins = step;
    begins.kind = StepKind::post;
    begins.at = step.entered;
    begins.blocked = std::max(0.0, step.blocked - (step.at - step.entered));
    slack_.add(location, phases_.now(location), begins, {});
    place.posted = true;
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
        count(location, step, nobody_);
        region(location, step, nobody_);
        if (step.link != kNone) send(location, step);
        ++places_[location].sends;
        return true;
      case StepKind::post:
        post(location, step);
        return true;
      case StepKind::receive:
        return receive(location, step);
      case StepKind::sent:
        return completed(location, step);
      case StepKind::enter:
        region(location, step, nobody_);
        if (step.link != kNone) enter(location, step);
        return true;
      case StepKind::leave:
        return leave(location, step);
    }
    return true;
  }

  /// Through which the step's message goes.
  std::uint32_t channel(std::uint32_t location, const Step& step) {
    return matching_.channel(places_[location].rank, step.link);
  }
  /// The message that the step sends or receives; null if its receiver went on without it.
  Message* message(std::uint32_t channel, const Step& step) {
    if (channels_.size() <= channel) channels_.resize(channel + 1);
    if (matching_.channels() > most_channels_) drop_channels();
    return channels_[channel].at(step.number, spare_messages_);
  }

  /// Forgets those through which nothing is under way, at the latest when they are twice as many as after the last time.
  void drop_channels() {
    out_.channels = std::max(out_.channels, matching_.channels());
    const auto is_idle = [](NumberedRing<Message>& channel) {
      for (std::uint32_t number = channel.first(); number < channel.last(); ++number) {
        const Message* const one = channel[number];  // posted only: it may be that the receive was cancelled
        if (one && (one->sent || one->received || one->waiting != kNone || one->sender != kNone)) return false;
      }
      return channel.last() > 0;
    };
    for (std::uint32_t i = 0; i < channels_.size(); ++i)
      if (is_idle(channels_[i]) && matching_.drop_channel(i, channels_[i].first())) channels_[i] = {};
    most_channels_ = std::max(most_channels_, 2 * matching_.channels());
  }

  void send(std::uint32_t location, const Step& step) {
    Message* sent = message(channel(location, step), step);
    if (!sent) {
      ++out_.unmatched.circular;
      return;
    }
    sent->sent = true;
    sent->completes = step.completes;
    meeting_.entry = slack_.next();
    meeting_.needed_by = 1;
    clocks(location, step, sent->clocks);
    if (sent->waiting != kNone) wake(sent->waiting);
  }

  /// The send is over. It may have waited until its receive was posted: then that must be known.
  bool completed(std::uint32_t location, const Step& step) {
    Place& place = places_[location];
    std::unique_ptr<Clocks> posted;
    const std::uint32_t channel = step.link == kNone ? kNone : this->channel(location, step);
    if (Message* const message = step.link == kNone ? nullptr : this->message(channel, step)) {
      const bool may_wait = sends_.may_wait(step);
      if (may_wait && !message->posted) {
        const std::uint32_t receiver = matching_.receiver(channel);
        if (receiver == kNone || !posts_too_late(receiver, step)) {
          if (!place.let_go) return wait_for_post(location, step, *message, receiver);
        } else if (posted_[receiver].unknown == 0) {
          sends_.returned_before(step);
        }
      }
      message->sender = kNone;
      message->completed = true;
      blocked_.remove(location);
      posted = std::move(message->posted);
      if (!may_wait) spare_clocks_.give_back(std::move(posted));
      if (message->received) channels_[channel].done(step.number, spare_messages_);
    }
    if (posted && posted->at > step.at && step.bytes != kSynchronous) {
      sends_.returned_before(step);
      spare_clocks_.give_back(std::move(posted));
    }
    if (posted && posted->location != location &&
        sends_.depends(step, waits_.unexplained(location, step, posted->at, place.polling))) {
      meeting_.came = posted->at;
      meeting_.entry = posted->entry;
      waits_.sent(location, step, *posted, place.computing, phases_.now(location), place.polling);
      follow(location, step, *posted);
    } else {
      altered_.wait(location, step, nobody_, place.polling);
    }
    spare_clocks_.give_back(std::move(posted));
    return true;
  }

  /// The location is put where it will be found when the receive is posted, or cannot be any more before the send was over.
  bool wait_for_post(std::uint32_t location, const Step& step, Message& message, std::uint32_t receiver) {
    message.sender = location;
    blocked_.add(location, receiver);
    if (receiver != kNone && step.bytes != kSynchronous) {
      watchers_[receiver].emplace(step.at, location);
      watched_from_[receiver] = watchers_[receiver].top().first;
    }
    return false;
  }

  /// What the rank has not posted it will not post, or not before the send was over.
  bool posts_too_late(std::uint32_t rank, const Step& sent) const {
    return running_[rank] == 0 || (sent.bytes != kSynchronous && is_past(rank, sent.at));
  }
  bool is_past(std::uint32_t rank, double at) const {
    for (std::uint32_t i = first_place_[rank]; i < first_place_[rank + 1]; ++i)
      if (!places_[i].over && places_[i].progress <= at) return false;
    return true;
  }

  /// Senders that wait for what the rank posts and were over before what it is at.
  void wake_watchers(std::uint32_t rank) {
    auto& watchers = watchers_[rank];
    while (!watchers.empty() && is_past(rank, watchers.top().first)) {
      wake(watchers.top().second);
      watchers.pop();
    }
    watched_from_[rank] = watchers.empty() ? kForever : watchers.top().first;
  }

  /// The call has posted a receive, when it was entered.
  std::unique_ptr<Clocks> posted(std::uint32_t location, const Step& step) {
    std::unique_ptr<Clocks> result = spare_clocks_.take();
    clocks(location, step, *result);
    if (!places_[location].held.empty()) result->entry = kNoEntry;  // others are logged before
    result->at = step.entered;
    result->in_window = windows_.entry(location);
    if (waits_.roots.wanted()) waits_.roots.tell(location, step.entered, places_[location].computing, result->history);
    if (altered_.any()) result->altered = altered_.entry(location);
    result->enters = true;
    return result;
  }

  void post(std::uint32_t location, const Step& step) {
    if (step.link == kNone) {
      auto& [unknown, at] = posted_[places_[location].rank];
      const auto place = static_cast<std::size_t>(step.root);
      if (at.size() <= place) at.resize(place + 1);
      unknown += !at[place];
      at[place] = posted(location, step);
    } else if (Message* const message = this->message(channel(location, step), step);
               message && !message->completed && (!message->sent || message->completes)) {
      set_posted(*message, posted(location, step));
    }
  }

  void set_posted(Message& message, std::unique_ptr<Clocks> clocks) {
    if (message.completed || (message.sent && !message.completes)) return;
    message.posted = std::move(clocks);
    if (message.sender != kNone) wake(message.sender);
  }

  /// The message is asked for; that its receive is posted is known at last, unless it was before.
  void ask(std::uint32_t location, const Step& step, Message& message) {
    if (step.root >= 0) {
      auto& [unknown, at] = posted_[places_[location].rank];
      const auto place = static_cast<std::size_t>(step.root);
      if (place >= at.size() || !at[place]) return;
      --unknown;
      set_posted(message, std::move(at[place]));
      return;
    }
    if (message.posted || message.completed || (message.sent && !message.completes)) return;
    set_posted(message, posted(location, step));
    if (slack_.wanted() && places_[location].held.empty()) log_posted(location, step);
  }

  bool receive(std::uint32_t location, const Step& step) {
    const Clocks* from = &nobody_;
    Message* wanted = nullptr;
    bool done = true;
    const std::uint32_t channel = step.link == kNone ? kNone : this->channel(location, step);
    if (step.link != kNone) {
      wanted = message(channel, step);
      if (wanted) ask(location, step, *wanted);
      if (wanted && wanted->sent) {
        from = &wanted->clocks;
        meeting_.came = from->at;
        meeting_.entry = from->entry;
        waits_.message(location, step, *from, places_[location].computing, phases_.now(location),
                       places_[location].polling);
        done = !wanted->completes || wanted->completed;
        if (done) spare_clocks_.give_back(std::move(wanted->posted));
        wanted->received = true;
        if (options_.message) options_.message(location, from->location, from->send);
      } else if (wanted && !places_[location].let_go) {
        const std::uint32_t sender = matching_.sender(channel);
        if (sender == kNone || running_[sender] > 0) {
          wanted->waiting = location;
          blocked_.add(location, sender);
          return false;
        }
      }
      if (wanted && !wanted->sent) matching_.keep_channel(channel);  // it may still be sent
      blocked_.remove(location);
    }
    count(location, step, *from);
    region(location, step, *from);
    if (wanted && done) channels_[channel].done(step.number, spare_messages_);
    return true;
  }

  void enter(std::uint32_t location, const Step& step) {
    const Place& place = places_[location];
    clocks(location, step, brings_);
    brings_.since = waits_.since(location, step, place.computing, readers_[place.rank].comms());
    for (const std::uint32_t waiting : open_collectives_.enter(place.rank, step, std::move(brings_), meeting_))
      wake(waiting);
  }

  /// The location goes on when all others are where the step ends, or wait for something that comes later.
  void defer(std::uint32_t location, const Step& step) {
    Place& place = places_[location];
    place.deferred = place.queued = true;
    ready_.emplace(step.at, location);
  }

  bool leave(std::uint32_t location, const Step& step) {
    Clocks from;
    if (step.link != kNone) {
      const Place& place = places_[location];
      if (!place.deferred && open_collectives_.may_wait_on_the_way(place.rank, step)) {
        defer(location, step);
        return false;
      }
      if (!open_collectives_.leave(location, place.rank, step, place.let_go, from, meeting_)) return false;
      if (step.may_end_early && from.at > step.at) {  // it did not wait for all, so for nobody that is known
        from = {};
        meeting_.came = 0;
      }
      const auto& comms = readers_[place.rank].comms();
      const std::uint64_t comm = matching_.comm(place.rank, step.link);
      const bool all = comms[step.link].size == static_cast<int>(readers_.size());
      waits_.collective(location, step, from, place.computing, comms, all ? (comm + 1) << 32 | step.number : 0,
                        phases_.now(location), place.polling);
    }
    count(location, step, from);
    region(location, step, from);
    return true;
  }

  /// Nobody can go on, yet somebody is not at the end: the first one goes on without what it waits for, sends before all
  /// else. If that never comes, the trace does not have it; else calls wait for each other in a circle.
  bool let_go() {
    for (std::uint32_t i = 0; i < places_.size() && !stopped_known_; ++i)
      if (const Step* const step = look(i)) stopped_.emplace(step->kind != StepKind::sent, step->at, i);
    stopped_known_ = true;
    for (; !stopped_.empty(); stopped_.pop()) {
      const auto [_, at, location] = stopped_.top();
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
    if (with_regions_) end_region(location, step, from);
  }
  void end_region(std::uint32_t location, const Step& step, const Clocks& from) {
    Place& place = places_[location];
    if (options_.region && is_of(place, step, *options_.region)) measure_region(location, step);
    if (!options_.regions) return;
    Region region;
    region.rank = place.where.rank;
    region.call = step.call;
    region.function = step.function->name;
    region.computing_s = place.region_computing;
    region.blocked_s = place.region_blocked;
    region.start_s = step.at - region.computing_s - region.blocked_s;
    place.region_computing = place.region_blocked = 0;
    const auto &w = place.vectors.w, &u = place.vectors.u;
    const double weight = std::accumulate(w.begin(), w.end(), 0.0);
    region.alpha = region_alpha(weight, weight + std::accumulate(u.begin(), u.end(), 0.0), place.chains.scaled);
    if (!region.alpha) return;
    if (w[location] + u[location] > 0) region.phi1 = w[location] / (w[location] + u[location]);
    if (from.location != kNone && from.location != location && from.at > began(location, step))
      region.waits_for = places_[from.location].where.rank;
    kept_.add(std::move(region), location, place.steps);
  }

  void measure_region(std::uint32_t location, const Step& step) {
    const Place& place = places_[location];
    const auto ratio = [](double a, double b) { return b != 0 ? Measure(a / b) : std::nullopt; };
    RegionMeasures& all = out_.region.emplace();
    all.of = *options_.region;
    all.function = step.function->name;
    all.w = place.vectors.w;
    all.u = place.vectors.u;
    all.height = place.chains.scaled;
    all.weight = sum(all.w);
    all.volume = all.weight + sum(all.u);
    all.alpha = region_alpha(all.weight, all.volume, all.height);
    const double w = all.w[location], u = all.u[location];
    all.phi1 = ratio(w, w + u);
    all.phi2 = ratio(u, w + u);
    all.phi3 = ratio(w, all.weight);
    all.phi4 = ratio(all.height, all.weight);
  }

  void finish() {
    std::uint32_t last = 0;
    out_.altered = altered_.ends();
    out_.waits = std::move(waits_.waits);
    out_.caused = std::move(waits_.caused);
    out_.rooted = std::move(waits_.roots.caused);
    out_.rooted_through = std::move(waits_.roots.through);
    out_.rooted_computing = std::move(waits_.roots.computing);
    out_.rooted_places = std::move(waits_.roots.places);
    out_.inside = std::move(waits_.roots.inside);
    out_.sends = sends_.result();
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
      out_.chains.join(place.chains);
      out_.unwaited.join(place.unwaited);
      if (out_.ends[i] > out_.ends[last]) last = i;
    }
    if (slack_.wanted()) out_.slacks = slack_.finish(out_.ends);
    if (!places_.empty()) out_.path = places_[last].path.stretches(places_[last].steps);
    out_.phases = phases_.take();
    out_.windows = windows_.take();
    out_.regions = kept_.take();
    out_.channels = std::max(out_.channels, matching_.channels());
    for (const RankReader& reader : readers_) out_.unmatched.add(reader.unmatched());
    matching_.count_unmatched(out_.unmatched);
    open_collectives_.count_unmatched(out_.unmatched);
  }

  static double window_length(const trace::Trace& trace, std::size_t windows) {
    const auto wall = windows > 0 ? trace.wall() : std::nullopt;
    return wall ? wall->value / static_cast<double>(windows) : 0;
  }

  using When = std::pair<double, std::uint32_t>;
  static constexpr int kAtATime = 64;
  static constexpr std::size_t kMostHeld = 16;
  static constexpr double kForever = std::numeric_limits<double>::infinity();

  const ReplayOptions& options_;
  const bool with_regions_;
  const CallSites sites_;
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
  using Stopped = std::tuple<bool, double, std::uint32_t>;  // false: in a send
  // All that wait, and some that went on; since somebody was let go.
  std::priority_queue<Stopped, std::vector<Stopped>, std::greater<>> stopped_;
  bool stopped_known_ = false;
  Blocked blocked_;
  WaitingSends sends_;
  Spare<Clocks> spare_clocks_;
  Spare<Message> spare_messages_;
  const Clocks nobody_;
  Clocks brings_;  // what a location brings to the collective that it enters
  struct Posted {
    std::size_t unknown = 0;                  // how many
    std::vector<std::unique_ptr<Clocks>> at;  // by place of the receive
  };
  // By rank: receives whose message was not known when they were posted; senders that wait for what it posts, by when
  // they were over; the first of these times.
  std::vector<Posted> posted_;
  std::vector<Earliest> watchers_;
  std::vector<double> watched_from_;
  std::vector<std::uint32_t> first_place_;  // by rank, and one more
  PhaseMeter phases_;
  TimeWindows windows_;
  SlackLog slack_;
  Meeting meeting_;  // of the step that is taken
  KeptRegions kept_;
  std::size_t events_left_;  // whose clocks may still be kept
  Replayed out_;
};

}  // namespace

Replayed replay(const trace::Trace& trace, const ReplayOptions& options) { return Replay(trace, options).run(); }

}  // namespace skelgen::metrics
