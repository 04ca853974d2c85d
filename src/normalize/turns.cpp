#include "normalize/turns.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

#include "engine/interpreter.h"

namespace skelgen::normalize {

using mpi::Kind;
using mpi::Role;

namespace {

enum class What : std::int64_t {
  comm,
  type,
  op,
  window,
  file,
  meeting,
  meeting_in_window,
  meeting_in_file,
  send,
  receive,
  attached,
  all
};
using Key = std::array<std::int64_t, 4>;

/// A thing that a call uses; calls that only read it may be made in any order.
struct Access {
  std::size_t object;
  bool writes;
};

/// What each record of a rank uses.
class Accesses {
 public:
  Accesses(const Normalized& rank, bool serialized) : rank_(rank), serialized_(serialized) {
    for (const Record& record : rank.records) look(record);
    for (const Record& record : rank.records) {
      add(record);
      of_.push_back(std::move(now_));
      now_.clear();
    }
  }
  const std::vector<Access>& of(RecordId record) const { return of_[record]; }
  std::size_t objects() const { return numbers_.size(); }

 private:
  const mpi::Function& function(const Record& record) const { return *rank_.symbols[record.symbol].function; }
  static std::int64_t value(const Record& record, int parameter) {
    return record.values[static_cast<std::size_t>(parameter)];
  }
  static bool receives(Kind kind) {
    return kind == Kind::recv || kind == Kind::recv_init || kind == Kind::probe || kind == Kind::match ||
           kind == Kind::sendrecv;
  }

  /// Receives of any source or tag may take the messages of others in their communicator.
  void look(const Record& record) {
    const mpi::Function& f = function(record);
    if (!receives(f.kind)) return;
    auto& [any_source, any_tag] = wild_[value(record, f.find(Role::comm))];
    any_source = any_source || value(record, f.find_last(Role::peer)) == mpi::kAnySource;
    any_tag = any_tag || value(record, f.find_last(Role::tag)) == mpi::kAnyTag;
  }

  void use(What what, std::int64_t a, bool writes, std::int64_t b = 0, std::int64_t c = 0) {
    const auto number =
        numbers_.try_emplace(Key{static_cast<std::int64_t>(what), a, b, c}, numbers_.size()).first->second;
    const auto known = std::ranges::find(now_, number, &Access::object);
    if (known == now_.end())
      now_.push_back({number, writes});
    else
      known->writes = known->writes || writes;
  }

  void add(const Record& record) {
    const mpi::Function& f = function(record);
    if (f.kind == Kind::opaque || f.kind == Kind::environment) return;
    if (serialized_) return use(What::all, 0, true);
    for (std::size_t i = 0; i < f.parameters.size(); ++i) handle(f, f.parameters[i].role, record.values[i]);
    const auto scalar = [&](Role role) { return value(record, f.find(role)); };
    switch (f.kind) {
      case Kind::collective:
      case Kind::collective_init:
      case Kind::comm_create:
      case Kind::win_create:
      case Kind::file_open:
        use(What::meeting, scalar(Role::comm), true);
        break;
      case Kind::win_fence:
        use(What::meeting_in_window, scalar(Role::win), true);
        break;
      case Kind::file_collective:
        use(What::meeting_in_file, scalar(Role::file), true);
        break;
      case Kind::attach:
      case Kind::detach:
        use(What::attached, 0, true);
        break;
      default:
        break;
    }
    if (f.kind == Kind::send || f.kind == Kind::send_init || f.kind == Kind::sendrecv)
      use(What::send, scalar(Role::comm), true, scalar(Role::peer), scalar(Role::tag));
    if (f.mode == mpi::Mode::buffered) use(What::attached, 0, false);
    if (!receives(f.kind)) return;
    const auto& [any_source, any_tag] = wild_.at(scalar(Role::comm));
    use(What::receive, scalar(Role::comm), true, any_tag || any_source ? 0 : 1 + value(record, f.find_last(Role::peer)),
        any_tag ? 0 : 1 + value(record, f.find_last(Role::tag)));
  }

  /// What else uses the window must stay before or behind the call: it makes or frees it, or begins or ends an epoch.
  static bool changes_window(const mpi::Function& f) {
    static constexpr Kind kKinds[] = {Kind::win_create,   Kind::win_free, Kind::win_fence, Kind::win_start,
                                      Kind::win_complete, Kind::win_post, Kind::win_wait};
    return std::ranges::find(kKinds, f.kind) != std::end(kKinds) ||
           (f.kind == Kind::win_local && f.part != mpi::Part::whole);
  }

  void handle(const mpi::Function& f, Role role, std::int64_t value) {
    const auto made = [&](What what, std::int64_t one, Kind freed) {
      if (one >= mpi::kMade) use(what, one - mpi::kMade, f.kind == freed);
    };
    switch (role) {
      case Role::comm:
        if (value >= 2) use(What::comm, value, f.kind == Kind::comm_free);
        break;
      case Role::newcomm:
        if (value >= 2) use(What::comm, value, true);
        break;
      case Role::win:
        if (value >= 0) use(What::window, value, changes_window(f));
        break;
      case Role::file:
        if (value >= 0) use(What::file, value, f.kind == Kind::file_open || f.kind == Kind::file_close);
        break;
      case Role::newtype:
        if (value >= 0) use(What::type, value, true);
        break;
      case Role::newop:
        if (value >= 0) use(What::op, value, true);
        break;
      case Role::datatype:
        made(What::type, value, Kind::type_free);
        break;
      case Role::op:
        made(What::op, value, Kind::op_free);
        break;
      case Role::datatypes:
        for (const std::int64_t one : rank_.arrays[static_cast<std::size_t>(value)])
          made(What::type, one, Kind::type_free);
        break;
      default:
        break;
    }
  }

  const Normalized& rank_;
  const bool serialized_;
  std::map<std::int64_t, std::pair<bool, bool>> wild_;  // by communicator: any source, any tag
  std::map<Key, std::size_t> numbers_;
  std::vector<std::vector<Access>> of_;
  std::vector<Access> now_;
};

/// The last two calls of a thread that used an object: at most the newest is still being made when another begins.
class Last {
 public:
  void add(double end, std::uint64_t calls) {
    older_ = newer_;
    newer_ = {end, calls};
  }
  /// How many calls the thread had made with the last one that had returned at that time; 0: none.
  std::uint64_t before(double start) const {
    return newer_.end <= start ? newer_.calls : older_.end <= start ? older_.calls : 0;
  }

 private:
  struct Use {
    double end = 0;
    std::uint64_t calls = 0;
  };
  Use newer_, older_;
};

struct OfThreads {
  struct Operation {};
  using Comm = Operation;
  using Collective = Operation;
  static constexpr bool kParts = false, kSizes = false;
};
/// Whether a thread has something begun and not ended.
class OpenEnds : public engine::NullSink<OfThreads> {
 public:
  explicit OpenEnds(const Normalized& rank) : rank_(rank) {}

  /// The thread's calls in order.
  void add(const Record& record) {
    const auto value = [&](std::size_t i) { return record.values[i]; };
    interpreter_.call(call_.set(*rank_.symbols[record.symbol].function, rank_.arrays, value), *this);
  }
  bool none() const { return interpreter_.is_idle(); }

  // ---- see engine::Interpreter

  void other(const engine::Call& call) {
    if (call.function->kind == Kind::comm_create) interpreter_.begin(call, *this, [] { return Operation(); });
  }

 private:
  const Normalized& rank_;
  engine::NumberedCall call_;
  engine::Interpreter<OfThreads> interpreter_;
};

class TurnSearch {
 public:
  TurnSearch(Normalized& rank, std::span<const std::vector<Interval>> when)
      : rank_(rank), when_(when), accesses_(rank, serialized()), used_(accesses_.objects()), waited_(when.size()) {}

  void run() {
    std::vector<std::tuple<double, std::size_t, std::size_t>> all;  // start, thread, call
    for (std::size_t thread = 0; thread < when_.size(); ++thread)
      for (std::size_t call = 0; call < when_[thread].size(); ++call)
        all.emplace_back(when_[thread][call].start, thread, call);
    std::ranges::sort(all);
    find_teams();
    for (const auto& [start, thread, call] : all) {
      if (thread > 0 && call == 0) begins(thread);
      if (thread == 0)
        for (auto [join, end] = joined_.equal_range(call); join != end; ++join)
          wait(0, call, join->second, when_[join->second].size());
      step(thread, call);
    }
  }

 private:
  static constexpr std::size_t kNever = ~std::size_t{0};

  struct Used {
    std::size_t thread;
    Last any, written;
  };

  /// The program has promised that its threads do not call MPI at the same time.
  bool serialized() const {
    for (const RecordId call : rank_.locations[0].calls) {
      const Record& record = rank_.records[call];
      const mpi::Function& function = *rank_.symbols[record.symbol].function;
      if (function.kind != Kind::init) continue;
      const int required = function.find(Role::integer);
      return required < 0 || record.values[static_cast<std::size_t>(required)] < mpi::kThreadMultiple;
    }
    return true;
  }

  /// Threads whose lives overlap began together, wherever each had its first turn on a processor, and are joined
  /// together: by the main thread's last call before all of them and its first one after them at which it has nothing
  /// open. It may not have joined them at that time; with a message of an envelope that they use, say, which may be
  /// another one in the skeleton, they may wait for what it has yet to do. No such call before the next team: no join.
  void find_teams() {
    std::vector<std::size_t> threads;
    for (std::size_t thread = 1; thread < when_.size(); ++thread)
      if (!when_[thread].empty()) threads.push_back(thread);
    std::ranges::stable_sort(threads, {}, [&](std::size_t thread) { return when_[thread].front().start; });
    const auto& main = when_[0];
    std::vector<bool> nothing_open;  // by call of the main thread: before it
    OpenEnds open(rank_);
    for (const RecordId record : rank_.locations[0].calls) {
      nothing_open.push_back(open.none());
      open.add(rank_.records[record]);
    }
    before_.resize(when_.size());
    joined_at_.assign(when_.size(), kNever);
    for (std::size_t begin = 0, end; begin < threads.size(); begin = end) {
      const double start = when_[threads[begin]].front().start;
      double last = when_[threads[begin]].back().end;
      for (end = begin + 1; end < threads.size() && when_[threads[end]].front().start <= last; ++end)
        last = std::max(last, when_[threads[end]].back().end);
      const auto call = [&](auto at) { return static_cast<std::size_t>(at - main.begin()); };
      const double next_team =
          end < threads.size() ? when_[threads[end]].front().start : std::numeric_limits<double>::infinity();
      const std::size_t first = call(std::ranges::upper_bound(main, start, {}, &Interval::end));
      std::size_t next = call(std::ranges::lower_bound(main, last, {}, &Interval::start));
      while (next < main.size() && !nothing_open[next] && main[next].start < next_team) ++next;
      const bool joins = next < main.size() && nothing_open[next] && main[next].start < next_team;
      for (std::size_t i = begin; i < end; ++i) {
        before_[threads[i]] = first;
        if (joins) joined_.emplace(next, threads[i]);
        if (joins) joined_at_[threads[i]] = next;
      }
    }
    // Threads begin in the order of these numbers.
    over_.assign(main.size(), 0);
    double last = 0;
    std::size_t at = 0;
    for (std::size_t call = 0; call < main.size(); ++call) {
      for (; at < threads.size() && before_[threads[at]] <= call; ++at)
        last = std::max(last, when_[threads[at]].back().end);
      over_[call] = last;
    }
  }

  /// The main thread joins the other one at a call that `thread` knows is made: no turn need say so again.
  bool knows(std::size_t thread, std::size_t call, std::size_t other) const {
    const std::size_t join = joined_at_[other];
    if (join == kNever) return false;
    if (thread == 0) return call > join;
    const auto waited = waited_[thread].find(0);
    return waited != waited_[thread].end() && waited->second > join;
  }

  void begins(std::size_t thread) {
    const auto& main = when_[0];
    const double start = when_[thread][0].start;
    const std::size_t n = before_[thread];
    if (n > 0) wait(thread, 0, 0, n);
    LocationCalls& location = rank_.locations[thread];
    location.gap_s[0] = std::min(location.gap_s[0], n > 0 ? start - main[n - 1].end : 0);
    location.duration_s[0] = when_[thread][0].end - start;
  }

  void step(std::size_t thread, std::size_t call) {
    const Interval& when = when_[thread][call];
    for (const auto& [object, writes] : accesses_.of(rank_.locations[thread].calls[call])) {
      // Of threads that all who call MPI from now on know to be joined nothing is remembered.
      std::erase_if(used_[object], [&](const Used& used) {
        return used.thread != thread && knows(thread, call, used.thread) && over_[joined_at_[used.thread]] < when.start;
      });
      Used* own = nullptr;
      for (Used& used : used_[object]) {
        if (used.thread == thread)
          own = &used;
        else if (!knows(thread, call, used.thread))
          wait(thread, call, used.thread, (writes ? used.any : used.written).before(when.start));
      }
      if (!own) own = &used_[object].emplace_back(Used{thread, {}, {}});
      own->any.add(when.end, call + 1);
      if (writes) own->written.add(when.end, call + 1);
    }
  }

  void wait(std::size_t thread, std::size_t call, std::size_t other, std::uint64_t calls) {
    std::uint64_t& waited = waited_[thread][other];
    if (calls <= waited) return;
    waited = calls;
    rank_.locations[thread].turns.push_back({call, static_cast<std::int32_t>(other), calls});
  }

  Normalized& rank_;
  const std::span<const std::vector<Interval>> when_;
  const Accesses accesses_;
  std::vector<std::vector<Used>> used_;                                 // by object
  std::vector<std::unordered_map<std::size_t, std::uint64_t>> waited_;  // by thread and other
  std::vector<std::size_t> before_;                 // by thread: calls of the main thread before its team began
  std::multimap<std::size_t, std::size_t> joined_;  // call of the main thread -> thread
  std::vector<std::size_t> joined_at_;              // by thread: that call, or kNever
  std::vector<double> over_;  // by call of the main thread: when all threads that began before it had returned ended
};

}  // namespace

void find_turns(Normalized& rank, std::span<const std::vector<Interval>> when) { TurnSearch(rank, when).run(); }

}  // namespace skelgen::normalize
