#include "network/replay.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <numeric>
#include <optional>
#include <ranges>
#include <string>

#include "engine/bytes.h"
#include "engine/execution.h"
#include "mpi/layout.h"
#include "network/shared_links.h"
#include "skeleton/cursor.h"
#include "skeleton/shortened.h"
#include "skeleton/trips.h"
#include "support/error.h"

namespace skelgen::network {
namespace {

using mpi::Kind;
using mpi::Role;
using skeleton::Skeleton;

/// Which of netbench's patterns a collective is like.
const char* pattern_of(const mpi::Function& function) {
  bool in_parts = false, out_parts = false;
  for (const auto& parameter : function.parameters) {
    if (parameter.role != Role::buffer) continue;
    const bool parts = parameter.per_rank != mpi::Ranks::none || parameter.per_neighbour != mpi::Neighbours::none ||
                       (parameter.count >= 0 && function.find(Role::counts) == parameter.count);
    (parameter.direction == mpi::Direction::out ? out_parts : in_parts) |= parts;
  }
  switch (function.flow) {
    case mpi::Flow::from_root:
      return in_parts ? "scatter" : "bcast";
    case mpi::Flow::to_root:
      return out_parts ? "gather" : "bcast";
    default:
      return in_parts || out_parts ? "alltoall" : function.find(Role::buffer) < 0 ? "barrier" : "allreduce";
  }
}

bool in_parts(std::string_view pattern) { return pattern == "scatter" || pattern == "gather" || pattern == "alltoall"; }

/// The calls of all locations, of some loops a few iterations, and their time.
class TimedProgram final : public engine::Source, public engine::TimeModel {
 public:
  TimedProgram(const Skeleton& skeleton, const MessageTimes& times, const std::vector<double>& rho,
               const skeleton::Shortened& shortened)
      : TimeModel(skeleton.locations.size()), skeleton_(skeleton), times_(times), shortened_(shortened) {
    if (times.distances().ranks() == skeleton::ranks(skeleton) && times.distances().groups() > 1)
      distances_ = &times.distances();
    if (distances_ && distances_->shared()) links_.emplace(distances_->groups(), times.reverse());
    for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l) {
      const auto rank = static_cast<std::size_t>(skeleton.locations[l].where.rank);
      locations_.emplace_back(skeleton::Cursor(skeleton, l, shortened, /*timed=*/true),
                              rho.empty() ? 1 : 1 / rho[rank]);
    }
  }

  const engine::Call* next(std::uint32_t l) override {
    auto& own = locations_[l];
    const auto before = own.cursor.lap();
    const skeleton::Call* const next = own.cursor.next();
    const auto lap = own.cursor.lap();
    if (before.loop && before.loop != lap.loop) leave(l, *before.loop);
    if (lap.loop) enter(l, lap);
    if (!next) {
      own.account.end_s = now(l);
      return nullptr;
    }
    ++calls_;
    own.statement = next;
    own.duration_s = own.cursor.duration_s();
    return &own.call.set(
        *next->function, skeleton_.arrays, [&](std::size_t i) { return own.cursor.value(static_cast<int>(i)); }, next,
        own.cursor.matched());
  }
  std::int64_t element_bytes(std::uint32_t l, std::int64_t type) const override {
    const auto found = layout(l, type);
    return found ? found->size : -1;
  }
  Error not_made(std::uint32_t l, const engine::Call* call, const char* what, std::int64_t slot) const override {
    return Error(Code::corrupt, "rank " + std::to_string(skeleton_.locations[l].where.rank) + " uses " + what + " " +
                                    std::to_string(slot) + (call ? " in " + std::string(call->function->name) : "") +
                                    ", which it has not made");
  }

  void begin(std::uint32_t l, const engine::Call&) override {
    auto& own = locations_[l];
    const double computation = own.cursor.before_s() * own.slowness;
    now(l) += computation;
    own.account.computed_s += computation;
    own.begun_s = now(l);
  }
  void end(std::uint32_t l, const engine::Call& call) override {
    auto& own = locations_[l];
    if (!is_timed(*call.function)) now(l) += own.duration_s;
    own.account.calls_s[call.function] += now(l) - own.begun_s;
    if (call.function->kind == Kind::type_create && call.has(Role::newtype)) {
      const auto slot = call.number(Role::newtype);
      own.made[slot < mpi::kMade ? slot + mpi::kMade : slot] =
          engine::made_layout(call, [&](std::int64_t type) { return layout(l, type); });
    }
  }
  bool waits(std::int64_t bytes) const override { return times_.waits(static_cast<double>(bytes)); }
  double send(std::uint32_t l, std::int64_t bytes, bool waits, bool to_itself) override {
    const auto length = static_cast<double>(std::max<std::int64_t>(0, bytes));
    const double sent = now(l);
    now(l) += times_.send(length);
    if (to_itself) return sent;
    count(l, length);
    note(l, "pingpong", 2, length);
    return waits ? sent : locations_[l].out.reserve(sent, own_occupies(l, length));
  }
  std::optional<double> receive(const Message& message) override {
    if (rank(message.from) == rank(message.to)) return std::max(message.sent_s, message.posted_s);
    const auto bytes = static_cast<double>(std::max<std::int64_t>(0, message.bytes));
    count(message.to, bytes);
    const double start = message.waits
                             ? locations_[message.from].out.reserve(std::max(message.sent_s, message.posted_s),
                                                                    own_occupies(message.from, bytes))
                             : message.sent_s;
    if (!distances_) {
      const double end = start + times_.message(bytes);
      return taken_in(message, message.waits ? end : std::max(end, message.posted_s + times_.late_receive(bytes)));
    }
    const int from = rank(message.from), to = rank(message.to);
    const auto way = distances_->way(from, to);
    const double takes = times_.message(bytes, way), late = times_.late_receive(bytes, way);
    const double at_late = message.waits ? 0 : message.posted_s + late;
    if (!links_ || distances_->group(from) == distances_->group(to))
      return taken_in(message, std::max(start + takes, at_late));
    // What takes half of the message's time after a late receive is the message, which set out no sooner.
    const double end = late < takes / 2 ? start + takes : std::max(start + takes, at_late);
    // The message arrived before the links' present time, because its receive was posted late. The links cannot go back, so it does not load them.
    if (end <= links_->now_s()) return taken_in(message, std::max(end, at_late));
    const double link = times_.occupies(bytes, way), enters = std::max(end - link, links_->now_s());
    links_->enter(message.id, distances_->group(from), distances_->group(to), enters, end - enters);
    passing_.emplace(message.id, Passing{message, at_late});
    return std::nullopt;
  }
  bool in_order() const override { return links_.has_value(); }
  double next_s() const override { return links_ ? links_->next_s() : TimeModel::next_s(); }
  std::optional<Arrival> pass() override {
    const double now = links_->next_s();
    const auto id = links_->pass();
    if (!id) return std::nullopt;
    const auto [message, not_before] = passing_.extract(*id).mapped();
    return Arrival{*id, taken_in(message, std::max(now, not_before))};
  }
  double collective(std::uint32_t l, const engine::Call& call, const mpi::Communicator& comm) override {
    if (call.function->kind != Kind::collective || comm.inter()) return 0;
    const auto ranks = comm.all_size();
    const auto [brought, taken] = engine::moved(call, &comm, [&](std::int64_t type) { return element_bytes(l, type); });
    const char* pattern = pattern_of(*call.function);
    if (std::string_view(pattern) == "barrier" && !times_.measured(pattern))
      pattern = "allreduce";  // by an older netbench
    auto bytes = static_cast<double>(std::max(brought.value_or(0), taken.value_or(0)));
    auto& its = locations_[l].account.communication;
    if (in_parts(pattern) && ranks > 1) {
      const bool all = call.function->flow == mpi::Flow::all,
                 root = call.has(Role::root) && comm.rank == call.number(Role::root);
      if (all || root) bytes /= ranks;  // of one part
      const double parts = all ? 2.0 * (ranks - 1) : root ? ranks - 1.0 : 1;
      its.messages_p += parts;
      its.bytes_p += parts * bytes;
    } else if (ranks > 1) {
      ++its.messages_b;
      its.bytes_b += bytes;
    }
    if (ranks > 1) note(l, pattern, static_cast<int>(ranks), bytes);
    return times_.collective(pattern, static_cast<int>(ranks), bytes);
  }

  Replay result() && {
    Replay replay;
    for (auto& own : locations_) {
      replay.run_s = std::max(replay.run_s, own.account.end_s);
      replay.locations.push_back(std::move(own.account));
    }
    replay.calls = calls_;
    replay.sent = std::move(sent_);
    for (const auto& [loop, iterations] : shortened_) {
      std::uint64_t trips = 0;
      for (std::size_t p = 0; p < loop->where.size(); ++p)
        trips = std::max(trips, static_cast<std::uint64_t>(std::max<std::int64_t>(0, loop->loop().trips.of(p).at(0))));
      replay.skipped += trips - std::min(trips, iterations);
    }
    return replay;
  }

 private:
  /// One message at a time; knows when it is busy at last.
  struct Port {
    double from_s = 0, to_s = 0;
    /// When a message that could begin at `start` does.
    double reserve(double start, double takes) {
      if (start < to_s && start + takes > from_s) start = to_s;
      if (start > to_s) from_s = start;
      to_s = std::max(to_s, start + takes);
      return start;
    }
    void shift(double seconds) {
      from_s += seconds;
      to_s += seconds;
    }
  };
  /// A message on a link that others share.
  struct Passing {
    Message message;
    double not_before_s;
  };
  struct OfLocation {
    OfLocation(skeleton::Cursor&& its, double slow) : cursor(std::move(its)), slowness(slow) {}
    skeleton::Cursor cursor;
    engine::NumberedCall call;
    double slowness, duration_s = 0, begun_s = 0;
    Port out, in;
    Account account, half;  ///< half: after half of the iterations of a shortened loop, the last one that was entered
    const skeleton::Node* half_of = nullptr;
    const skeleton::Call* statement = nullptr;  ///< at hand
    std::map<std::int64_t, std::optional<mpi::Layout>> made;
  };

  /// Of an element of a datatype; nothing where it is not known.
  std::optional<mpi::Layout> layout(std::uint32_t l, std::int64_t type) const {
    if (type < 0) return std::nullopt;
    if (type < mpi::kMade) {
      if (type >= std::ssize(skeleton_.name_bytes)) return std::nullopt;
      const int bytes = skeleton_.name_bytes[static_cast<std::size_t>(type)];
      return mpi::contiguous(bytes, {.size = 1, .ub = 1, .true_ub = 1});
    }
    const auto& made = locations_[l].made;
    const auto found = made.find(type);
    return found == made.end() ? std::nullopt : found->second;
  }

  /// When a message that comes at `end` has passed the port of its receiver.
  double taken_in(const Message& message, double end) {
    const auto bytes = static_cast<double>(std::max<std::int64_t>(0, message.bytes));
    const double occupies = own_occupies(message.to, bytes);
    return locations_[message.to].in.reserve(end - occupies, occupies) + occupies;
  }
  int rank(std::uint32_t l) const { return skeleton_.locations[l].where.rank; }
  /// For so long a message has the location's own port.
  double own_occupies(std::uint32_t l, double bytes) const {
    const double seconds = times_.occupies(bytes);
    return distances_ ? seconds * distances_->own_per_byte(distances_->group(rank(l))) : seconds;
  }
  void count(std::uint32_t l, double bytes) {
    auto& its = locations_[l].account.communication;
    ++its.messages_p;
    its.bytes_p += bytes;
  }

  void note(std::uint32_t l, const char* pattern, int ranks, double bytes) {
    auto& sent = sent_[locations_[l].statement];
    if (sent.messages == 0) sent.pattern = pattern, sent.ranks = ranks;
    ++sent.messages;
    sent.bytes += bytes;
  }

  /// Before a call in an iteration of a shortened loop: the later half may begin with it.
  void enter(std::uint32_t l, const skeleton::Cursor::Lap& lap) {
    auto& own = locations_[l];
    if (own.half_of == lap.loop) return;
    const auto found = shortened_.find(lap.loop);
    if (found != shortened_.end() && lap.number > found->second / 2) take_half(l, *lap.loop);
  }
  void take_half(std::uint32_t l, const skeleton::Node& loop) {
    auto& own = locations_[l];
    own.account.end_s = now(l);
    own.half = own.account;
    own.half_of = &loop;
  }

  /// The later half of the executed iterations stands for those that are not executed.
  void leave(std::uint32_t l, const skeleton::Node& loop) {
    const auto found = shortened_.find(&loop);
    if (found == shortened_.end()) return;
    const auto position = static_cast<std::size_t>(loop.position(l));
    const auto trips = loop.loop().trips.of(position).at(0);
    const auto executed = static_cast<std::int64_t>(found->second), later = executed - executed / 2;
    if (trips <= executed) return;
    auto& own = locations_[l];
    if (own.half_of != &loop) take_half(l, loop);  // it has no calls in the later half
    own.account.end_s = now(l);
    const double times = static_cast<double>(trips - executed) / static_cast<double>(later);
    const auto add = [&](double& sum, double half) { sum += times * (sum - half); };
    add(own.account.end_s, own.half.end_s);
    add(own.account.computed_s, own.half.computed_s);
    auto &its = own.account.communication, &half = own.half.communication;
    add(its.messages_p, half.messages_p);
    add(its.bytes_p, half.bytes_p);
    add(its.messages_b, half.messages_b);
    add(its.bytes_b, half.bytes_b);
    for (auto& [function, seconds] : own.account.calls_s) {
      const auto before = own.half.calls_s.find(function);
      add(seconds, before == own.half.calls_s.end() ? 0 : before->second);
    }
    const double skipped = own.account.end_s - now(l);
    now(l) += skipped;
    own.out.shift(skipped);
    own.in.shift(skipped);
  }

  const Skeleton& skeleton_;
  const MessageTimes& times_;
  const skeleton::Shortened& shortened_;
  const Distances* distances_ = nullptr;              ///< nullptr: all pairs are alike
  std::optional<SharedLinks> links_;                  ///< nothing: groups share none
  std::unordered_map<std::size_t, Passing> passing_;  ///< on these, by id
  std::deque<OfLocation> locations_;
  std::unordered_map<const skeleton::Call*, Sent> sent_;
  std::uint64_t calls_ = 0;
};

/// Iterations of a loop of which its computation was sampled, 0: of none.
std::uint64_t sampled_rows(const skeleton::Node& node) {
  std::uint64_t rows = 0;
  const auto look = [&](const skeleton::Compute& compute) {
    for (const auto& of : compute.samples.of) rows = std::max<std::uint64_t>(rows, of.ends.size());
  };
  look(node.before);
  if (!node.is_loop()) return rows;
  look(node.loop().between);
  for (const auto& inner : node.loop().body) rows = std::max(rows, sampled_rows(inner));
  return rows;
}

/// After how many iterations of a loop the calls of a block, each made `times` times in an iteration, move as many bytes again;
/// 0: never, or nothing says so.
std::uint64_t byte_cycle(const skeleton::Block& block, std::uint64_t times) {
  std::uint64_t cycle = 1;
  constexpr std::uint64_t kLongest = 1'000'000;
  const auto both = [&](std::uint64_t other) {
    cycle = other == 0 ? 0 : std::lcm(cycle, other);
    if (cycle > kLongest) cycle = 0;
  };
  const auto of = [&](const skeleton::Sequence& values) -> std::uint64_t {
    switch (values.kind) {
      case skeleton::Sequence::Kind::constant:
        return 1;
      case skeleton::Sequence::Kind::periodic:
        return values.values.size() / std::gcd(values.values.size(), times);
      default:
        return 0;
    }
  };
  for (const auto& node : block) {
    if (cycle == 0) return 0;
    if (node.is_loop()) {
      std::uint64_t inner = 0;
      const auto& trips = node.loop().trips;
      for (const auto& choice : trips.choices) {
        if (choice.kind != skeleton::Sequence::Kind::constant) return 0;
        inner =
            byte_cycle(node.loop().body, times * static_cast<std::uint64_t>(std::max<std::int64_t>(1, choice.at(0))));
        both(inner);
        if (cycle == 0) return 0;
      }
      continue;
    }
    const auto& call = node.call();
    for (std::size_t a = 0; a < call.arguments.size(); ++a) switch (call.function->parameters[a].role) {
        case Role::count:
        case Role::counts:
        case Role::integer:
        case Role::integers:
        case Role::datatype:
        case Role::datatypes:
          for (const auto& values : call.arguments[a].choices) both(of(values));
          break;
        default:
          break;
      }
  }
  return cycle;
}

Replay execute(const Skeleton& skeleton, const MessageTimes& times, const std::vector<double>& rho,
               const skeleton::Shortened& shortened) {
  std::vector<engine::LocationSetup> places;
  for (const auto& own : skeleton.locations)
    places.push_back({own.where, own.communicators, own.windows, own.files, own.turns});
  TimedProgram program(skeleton, times, rho, shortened);
  engine::Execution execution(
      program, places, {.may_block = engine::MayBlock::returns, .tests = engine::SendTests::wait, .times = &program});
  using End = engine::Execution::End;
  switch (execution.run()) {
    case End::all_ended:
      return std::move(program).result();
    case End::blocked:
      throw Error(Code::unsupported, "the program cannot be replayed: ranks wait for each other for ever",
                  "does it rely on buffered messages that are long?");
    case End::clash:
      throw Error(Code::unsupported, "the program cannot be replayed: ranks call different collectives", "");
    default:
      throw Error(Code::unsupported, "the program cannot be replayed: it makes too many calls", "");
  }
}

}  // namespace

bool is_timed(const mpi::Function& function) {
  switch (function.kind) {
    case Kind::send:
    case Kind::recv:
    case Kind::sendrecv:
    case Kind::probe:
    case Kind::match:
    case Kind::recv_matched:
    case Kind::start:
    case Kind::complete:
    case Kind::test:
    case Kind::ask:
    case Kind::cancel:
    case Kind::collective:
    case Kind::comm_create:
    case Kind::finalize:
    case Kind::win_fence:
    case Kind::win_complete:
    case Kind::win_wait:
    case Kind::win_create:
    case Kind::win_free:
    case Kind::file_open:
    case Kind::file_close:
      return true;
    default:
      return false;
  }
}

std::vector<CallTimes> traced_calls(const Skeleton& skeleton) {
  std::vector<CallTimes> all(skeleton.locations.size());
  skeleton::each_node(skeleton, [&](const skeleton::Node& node, const std::vector<std::uint64_t>& executions) {
    if (node.is_loop() || node.call().duration_s.empty()) return;
    for (std::size_t p = 0; p < node.where.size(); ++p)
      all[node.where[p]][node.call().function] += static_cast<double>(executions[p]) * node.call().duration_s[p];
  });
  return all;
}

Replay replay(const Skeleton& skeleton, const MessageTimes& times, const std::vector<double>& rho) {
  constexpr std::uint64_t kFirst = 4;  // cycles of the earlier half
  if (skeleton::has_threads(skeleton))
    throw Error(Code::unsupported, "the program cannot be replayed: several threads of a rank call MPI", "");
  if (skeleton::has(skeleton.program, Kind::collective_init))
    throw Error(Code::unsupported, "the program cannot be replayed: it has persistent collectives", "");
  const auto closed = skeleton::shortened(skeleton);
  std::optional<Replay> last;
  for (std::uint64_t cycles = kFirst;; cycles *= 2) {
    skeleton::Shortened some;
    for (const auto& [node, iterations] : closed) {
      const auto& loop = node->loop();
      const std::uint64_t bytes = byte_cycle(loop.body, 1);
      if (bytes == 0) continue;
      const std::uint64_t cycle = std::lcm((iterations - 1) / 2, bytes);  // skeleton::shortened(): two cycles and one
      const std::uint64_t step = std::lcm(cycle, std::max<std::uint64_t>(1, sampled_rows(*node)));
      const std::uint64_t executed = 2 * ((cycle * cycles + step - 1) / step * step);
      const bool shorter = std::ranges::any_of(
          std::views::iota(std::size_t{0}, node->where.size()),
          [&](std::size_t p) { return loop.trips.of(p).at(0) > static_cast<std::int64_t>(executed); });
      if (shorter) some[node] = executed;
    }
    auto now = execute(skeleton, times, rho, some);
    if (some.empty() || (last && std::abs(now.run_s - last->run_s) <= kSteady * now.run_s)) return now;
    last = std::move(now);
  }
}

}  // namespace skelgen::network
