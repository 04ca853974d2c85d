#include "text/valid.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "mpi/codes.h"
#include "mpi/hints.h"
#include "mpi/implementations.h"
#include "skeleton/trips.h"
#include "support/error.h"
#include "text/words.h"

namespace skelgen::text {
namespace {

using mpi::Direction;
using mpi::Kind;
using mpi::Role;
using Length = mpi::Parameter::Length;

constexpr std::int64_t kMostDimensions = 1024;
constexpr std::uint64_t kMostCompared = std::uint64_t{1} << 26;  ///< lengths of all arrays that change with a number

/// The call ends the life of the handle that it is given.
constexpr bool frees(mpi::Kind kind) {
  switch (kind) {
    case mpi::Kind::comm_free:
    case mpi::Kind::win_free:
    case mpi::Kind::file_close:
    case mpi::Kind::type_free:
    case mpi::Kind::op_free:
    case mpi::Kind::request_free:
      return true;
    default:
      return false;  // MPIs give the same group several times
  }
}

// Values of sequences that stand for all of them.

std::vector<std::int64_t> each_once(std::vector<std::int64_t> all) {
  std::ranges::sort(all);
  const auto rest = std::ranges::unique(all);
  all.erase(rest.begin(), rest.end());
  return all;
}

/// Values of an arithmetic sequence that suffice to check all: both ends, and the smallest four, among which are special
/// values (MPI_PROC_NULL, MPI_IN_PLACE).
std::vector<std::int64_t> ends(const Sequence& walk, std::uint64_t occurrences) {
  constexpr std::uint64_t kNamed = 4;  // ranks and places in memory have at most three
  if (occurrences == 0) return {};
  std::vector<std::int64_t> some{walk.at(0), walk.at(occurrences - 1)};
  for (std::uint64_t k = 0; k < std::min(kNamed, occurrences); ++k)
    some.push_back(walk.at(walk.values[1] < 0 ? occurrences - 1 - k : k));
  return each_once(std::move(some));
}

/// The values of sequences, each once; looked up where many locations have the same sequences, equally often. Refers to
/// the sequences.
class Walks {
 public:
  /// each: all values also of arithmetic sequences, otherwise those of ends(). nullptr: more than kMost.
  const std::vector<std::int64_t>* values(const Sequence& sequence, std::uint64_t occurrences, bool each) {
    const bool walk = sequence.kind == Sequence::Kind::arithmetic && sequence.values[1] != 0;
    auto& all = known_[{&sequence, walk ? occurrences : 0, walk && each}];
    if (!all.empty()) return &all;
    if (!walk) {
      all = each_once({sequence.values.begin(), sequence.values.end() - (sequence.kind == Sequence::Kind::arithmetic)});
    } else if (!each) {
      all = ends(sequence, occurrences);
    } else {
      walked_ += std::min(occurrences, kMost + 1);
      if (walked_ > kMost) return nullptr;
      for (std::uint64_t k = 0; k < occurrences; ++k) all.push_back(sequence.at(k));
      all = each_once(std::move(all));
    }
    return &all;
  }

 private:
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 24;  ///< values of all walks, each
  std::map<std::tuple<const Sequence*, std::uint64_t, bool>, std::vector<std::int64_t>> known_;
  std::uint64_t walked_ = 0;
};

// The buffers of a call: no NULL buffer with elements, no buffer twice.

constexpr std::uint64_t kMostOccurrences = 1 << 16;  ///< occurrences of one call

/// A call as a location makes it.
class BufferArguments {
 public:
  BufferArguments(const Skeleton& skeleton, const Node& node, std::size_t position, std::uint64_t occurrences,
                  std::span<const Communicator* const> communicators)
      : skeleton_(skeleton), call_(node.call()), position_(position), occurrences_(occurrences) {
    if (function().find(Role::comm) < 0) return;
    for (const Communicator* c : communicators) {
      vague_ = vague_ || c->inter() || (comm_ && !alike(*comm_, *c));
      comm_ = c;
    }
    vague_ = vague_ || !comm_;
  }

  const mpi::Function& function() const { return *call_.function; }

  /// Two buffers of as many elements are the same memory.
  std::string aliased() const {
    const auto& parameters = function().parameters;
    for (std::size_t a = 0; a < parameters.size(); ++a)
      for (std::size_t b = a + 1; b < parameters.size(); ++b) {
        if (parameters[a].role != Role::buffer || parameters[b].role != Role::buffer || vague_) continue;
        if (parameters[a].count < 0 || parameters[a].count != parameters[b].count || of(a) != of(b)) continue;
        const bool memory = of(a).kind != Sequence::Kind::constant || mpi::slot_of(of(a).values[0]) >= 0;
        if (!memory || of(a).takes(mpi::kNullBuffer, occurrences_) || of(a).takes(mpi::kInPlace, occurrences_))
          continue;
        for (std::uint64_t k = 0; k < std::min(occurrences_, kMostOccurrences); ++k)
          if (counted(parameters[a], k) > 0 && counted(parameters[b], k) > 0)
            return fmt::format("{} and {} are the same buffer", parameters[a].name, parameters[b].name);
      }
    return {};
  }

  /// A buffer that is NULL has elements.
  std::string null() const {
    if (vague_) return {};
    const auto& parameters = function().parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const mpi::Parameter& buffer = parameters[i];
      if (buffer.role != Role::buffer || buffer.datatype < 0 || buffer.count < 0) continue;
      if (parameters[static_cast<std::size_t>(buffer.count)].role != Role::count) continue;
      if (!of(i).takes(mpi::kNullBuffer, occurrences_)) continue;
      for (std::uint64_t k = 0; k < std::min(occurrences_, kMostOccurrences); ++k)
        if (of(i).at(k) == mpi::kNullBuffer && elements(buffer, k) > 0 && !for_nobody(i, k))
          return fmt::format("{} is NULL, but {} is {}", buffer.name,
                             parameters[static_cast<std::size_t>(buffer.count)].name, at(buffer.count, k));
    }
    return {};
  }

 private:
  /// Equal counts span equal memory in both.
  static bool alike(const Communicator& a, const Communicator& b) {
    return a.rank == b.rank && a.size == b.size && a.sources == b.sources && a.destinations == b.destinations;
  }
  const Sequence& of(std::size_t parameter) const { return call_.arguments[parameter].of(position_); }
  std::int64_t at(int parameter, std::uint64_t k) const { return of(static_cast<std::size_t>(parameter)).at(k); }

  /// The peers of the buffer, which stand between it and the next one, are MPI_PROC_NULL.
  bool for_nobody(std::size_t buffer, std::uint64_t k) const {
    const auto& parameters = function().parameters;
    bool named = false;
    for (std::size_t i = buffer + 1; i < parameters.size() && parameters[i].role != Role::buffer; ++i) {
      if (parameters[i].role != Role::peer) continue;
      if (of(i).at(k) != mpi::kProcNull) return false;
      named = true;
    }
    return named;
  }

  bool in_place(std::uint64_t k) const {
    for (std::size_t i = 0; i < call_.arguments.size(); ++i)
      if (function().parameters[i].role == Role::buffer && of(i).at(k) == mpi::kInPlace) return true;
    return false;
  }

  /// Elements of which the call uses the buffer.
  __int128 counted(const mpi::Parameter& buffer, std::uint64_t k) const {
    const int root = function().find(Role::root);
    if (!mpi::uses(buffer, *comm_, root < 0 ? std::nullopt : std::optional(at(root, k)), in_place(k))) return 0;
    mpi::Amount amount{0, {}, buffer.times < 0 ? 1 : at(buffer.times, k)};
    if (const auto count = static_cast<std::size_t>(buffer.count); function().parameters[count].role == Role::count)
      amount.count = of(count).at(k);
    else
      amount.counts = skeleton_.arrays.at(static_cast<std::size_t>(of(count).at(k)));
    return mpi::elements(buffer, amount, comm_, false);
  }

  /// Number of elements, 0 for made datatypes and those without size.
  __int128 elements(const mpi::Parameter& buffer, std::uint64_t k) const {
    const std::int64_t type = at(buffer.datatype, k);
    const bool has_size = type >= 0 && type < std::ssize(skeleton_.name_bytes) &&
                          skeleton_.name_bytes[static_cast<std::size_t>(type)] != 0;
    return has_size ? counted(buffer, k) : 0;
  }

  const Skeleton& skeleton_;
  const Call& call_;
  const std::size_t position_;
  const std::uint64_t occurrences_;
  const Communicator* comm_ = nullptr;
  bool vague_ = false;  ///< the communicator is not known, or is an intercommunicator
};

/// Calls whose buffers are looked at: messages and collectives.
bool moves_data(Kind kind) {
  switch (kind) {
    case Kind::send:
    case Kind::recv:
    case Kind::sendrecv:
    case Kind::send_init:
    case Kind::recv_init:
    case Kind::collective:
    case Kind::collective_init:
      return true;
    default:
      return false;
  }
}

/// The rule of MPI that the buffers of a call break on the location at this position of Node::where: NULL for elements,
/// the same buffer twice. Empty if they break none for sure. communicators: those of the location that have had the
/// call's slot, none if it has several slots. O(arguments + communicators), and up to 2^16 occurrences where a buffer is
/// NULL once, or the same as another.
std::string forbidden_buffers(const Skeleton& skeleton, const Node& node, std::size_t position,
                              std::uint64_t occurrences, std::span<const Communicator* const> communicators) {
  if (!moves_data(node.call().function->kind)) return {};
  const BufferArguments arguments(skeleton, node, position, occurrences, communicators);
  auto rule = arguments.null();
  if (rule.empty() && mpi::implementation(skeleton.mpi_name).refuses_equal_buffers) rule = arguments.aliased();
  return rule;
}

class CallCheck {
 public:
  CallCheck(const Skeleton& skeleton, const Places* places) : skeleton_(skeleton), places_(places) {}

  void location(std::uint32_t l) {
    l_ = l;
    const bool main = skeleton_.locations[l].where.thread == 0;
    const LocationData& own = skeleton_.locations[l];
    of_slot_.clear();
    for (const auto& [role, list] : {std::pair{Role::comm, &own.communicators}, std::pair{Role::win, &own.windows},
                                     std::pair{Role::file, &own.files}})
      for (const Communicator& c : *list) of_slot_[{role, c.slot}].push_back(&c);
    made_ = main ? std::map<Role, std::set<std::int64_t>>() : lent_;
    if (made_.empty()) made_[Role::comm] = {0, 1};
    freed_.clear();
    receives_.clear();
    starters_ = enders_ = 0;
    block(skeleton_.program, 1, false);
    at_ = nullptr;
    for (const auto& [role, slots] : freed_) made_[role].insert(slots.begin(), slots.end());
    if (main) lent_ = made_;  // threads, and the bodies of pools, use what there was at any time
    if (main && starters_ != 1) fail(fmt::format("location {} does not call MPI_Init once, outside of all loops", l));
    if (main && enders_ != 1) fail(fmt::format("location {} does not call MPI_Finalize once, outside of all loops", l));
    for (const Pool& pool : skeleton_.pools) body(pool.body, pool.ends.size());
  }

 private:
  [[noreturn]] void fail(const std::string& text) const {
    if (places_) throw Error(Code::corrupt, places_->of(at_), {}, text);
    const auto call = at_ && !at_->is_loop() ? fmt::format("{} of rank {}: ", at_->call().function->name,
                                                           skeleton_.locations[l_].where.rank)
                                             : "";
    throw Error(Code::unsupported, call + text + ", which MPI forbids",
                "mend the program if it does so, else report this");
  }
  [[noreturn]] void fail(const mpi::Parameter& parameter, const std::string& text) const {
    fail(places_ ? fmt::format("{} of {}: {}", parameter.name, at_->call().function->name, text)
                 : fmt::format("{}: {}", parameter.name, text));
  }
  /// Of a trace, what cannot be looked at is taken to be right.
  void give_up(const std::string& text) const {
    if (places_) fail(text);
  }

  /// Makes this node the one at hand; false if the location does not execute it.
  bool look_at(const Node& node, std::uint64_t occurrences) {
    const int found = node.position(l_);
    if (found < 0) return false;
    p_ = static_cast<std::size_t>(found);
    at_ = &node;
    occurrences_ = occurrences;
    return true;
  }

  void block(const Block& nodes, std::uint64_t occurrences, bool inside) {
    for (const Node& node : nodes) {
      if (!look_at(node, occurrences)) continue;
      if (!node.is_loop()) {
        call(node.call(), inside);
        continue;
      }
      body(node.loop().body, iterations(node, occurrences));
    }
  }

  /// Of a loop that the location enters so often.
  std::uint64_t iterations(const Node& node, std::uint64_t occurrences) {
    return static_cast<std::uint64_t>(iterations_.of(node.loop().trips.of(p_), occurrences));
  }

  /// A later iteration may use what an earlier one made below.
  void body(const Block& nodes, std::uint64_t occurrences) {
    const bool outermost = occurrences > 1 && !std::exchange(repeated_, occurrences > 1 || repeated_);
    if (outermost) collect(nodes, occurrences);
    block(nodes, occurrences, true);
    if (outermost) repeated_ = false;
  }

  /// What the calls of a body make.
  void collect(const Block& nodes, std::uint64_t occurrences) {
    for (const Node& node : nodes) {
      if (!look_at(node, occurrences)) continue;
      if (node.is_loop()) {
        collect(node.loop().body, iterations(node, occurrences));
        continue;
      }
      const auto& parameters = node.call().function->parameters;
      for (std::size_t i = 0; i < parameters.size(); ++i)
        if (const auto handle = mpi::properties(parameters[i].role).stands_for;
            handle && parameters[i].direction == Direction::out && !is_array(parameters[i].role)) {
          const auto& all = values(static_cast<int>(i));
          made_[*handle].insert(all.begin(), all.end());
          if (*handle == Role::request && receives(node.call().function->kind))
            receives_.insert(all.begin(), all.end());
        }
    }
  }

  const Sequence& sequence(int parameter) const {
    return at_->call().arguments[static_cast<std::size_t>(parameter)].of(p_);
  }
  /// The values that an argument takes, each once, or of walks over numbers and places those that matter.
  const std::vector<std::int64_t>& values(const Sequence& sequence, Role role) {
    const bool each = mpi::properties(role).stands_for || is_array(role) || role == Role::info;
    if (const auto* all = walks_.values(sequence, occurrences_, each)) return *all;
    give_up(fmt::format("{} walks over too many handles or arrays", at_->call().function->name));
    return *walks_.values(sequence, occurrences_, false);
  }
  const std::vector<std::int64_t>& values(int parameter) {
    const mpi::Function& function = *at_->call().function;
    return values(sequence(parameter),
                  mpi::written_role(function, function.parameters[static_cast<std::size_t>(parameter)]));
  }
  /// The location's communicators, windows or files that have had the slot.
  std::span<const Communicator* const> of_slot(Role role, std::int64_t slot) const {
    const auto known = of_slot_.find({role, slot});
    return known == of_slot_.end() ? std::span<const Communicator* const>() : known->second;
  }
  const std::vector<std::int64_t>& array(const mpi::Parameter& parameter, std::int64_t id) const {
    if (id < 0 || id >= static_cast<std::int64_t>(skeleton_.arrays.size()))
      fail(parameter, fmt::format("there is no array {}", id));
    return skeleton_.arrays[static_cast<std::size_t>(id)];
  }

  void call(const Call& call, bool inside) {
    const mpi::Function& function = *call.function;
    if (places_ && (function.kind == Kind::abort || (function.kind == Kind::opaque && !function.harmless)))
      fail(fmt::format("{} is not replayed", function.name));
    if (function.large) fail(fmt::format("{} is replayed as the call without _c: write that", function.name));
    if (inside && (function.kind == Kind::init || function.kind == Kind::finalize))
      fail(fmt::format("{} inside of a loop", function.name));
    starters_ += function.kind == Kind::init;
    enders_ += function.kind == Kind::finalize;
    for (const Direction direction : {Direction::in, Direction::out})  // handles are used before others are made
      for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        const mpi::Parameter& parameter = function.parameters[i];
        if ((parameter.direction == Direction::out) == (direction == Direction::out))
          argument(call, parameter, static_cast<int>(i));
      }
    const int comm = function.find(Role::comm);
    const Sequence* const slots = comm < 0 ? nullptr : &sequence(comm);
    const auto communicators = slots && slots->kind == Sequence::Kind::constant
                                   ? of_slot(Role::comm, slots->values[0])
                                   : std::span<const Communicator* const>();
    if (const auto rule = forbidden_buffers(skeleton_, *at_, p_, occurrences_, communicators); !rule.empty())
      fail(places_ ? fmt::format("{}: {}", function.name, rule) : rule);
    if (!call.dispatch) return;
    if (function.find(Role::buffer) != 0) fail("no message that could be handed out");
    const std::int64_t messages = messages_for_receivers(function);
    for (const std::int64_t n : values(call.dispatch->of(p_), Role::count))
      if (n < -1 || n >= messages)
        fail(fmt::format("{} is the number of no message of a pool that its receivers work for", n));
  }

  /// So many messages may be handed to all that the call at hand names: they look their numbers up in their pools.
  std::int64_t messages_for_receivers(const mpi::Function& function) {
    if (messages_.empty())
      for (const Node& node : skeleton_.program) {
        if (!node.is_loop() || node.loop().pool < 0) continue;
        const std::int64_t size = std::ssize(skeleton_.pools[static_cast<std::size_t>(node.loop().pool)].ends);
        for (const std::uint32_t l : node.where)
          for (const Communicator& c : skeleton_.locations[l].communicators) {
            auto& most = messages_[{c.identity, c.rank}];
            most = std::max(most, size);
          }
      }
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t slot : values(function.find(Role::comm)))
      for (const Communicator* c : of_slot(Role::comm, slot))
        for (const std::int64_t rank : values(function.find(Role::peer)))
          if (const auto worker = messages_.find({c->peers(), rank}); worker != messages_.end())
            least = std::min(least, worker->second);
    return least == std::numeric_limits<std::int64_t>::max() ? 0 : least;
  }

  void argument(const Call& call, const mpi::Parameter& parameter, int i) {
    if (parameter.role == Role::buffer || parameter.role == Role::target) stays(parameter, sequence(i));
    const bool result = parameter.role == Role::status || parameter.role == Role::statuses;
    const auto& all = values(i);
    if (parameter.role == Role::text) {
      for (const std::int64_t id : all) file(parameter, array(parameter, id));
      return;
    }
    if (is_array(parameter.role)) {
      for (const std::int64_t id : all) elements(parameter, id);
      if (!result) lengths(call, parameter, i);
      return;
    }
    if (mpi::known_by_members(call.function->kind) && parameter.role == Role::group) {
      for (const std::int64_t id : all) group(call, parameter, id);
      return;
    }
    for (const std::int64_t v : all) value(call, parameter, i, v);
  }

  /// A walk by bytes ends in the buffer in which it begins.
  void stays(const mpi::Parameter& parameter, const Sequence& walk) const {
    if (walk.kind != Sequence::Kind::arithmetic) return;
    if (!mpi::stays_in_buffer(walk.values[1])) {
      if (parameter.role == Role::target && !mpi::is_place(walk.values[0])) fail(parameter, "a walk into a buffer");
      return;
    }
    const auto way = static_cast<__int128>(walk.values[1]) * static_cast<std::int64_t>(occurrences_ - 1);
    const auto last = mpi::offset_of(walk.values[0]) + way;
    if (occurrences_ > 0 && (last < 0 || last >= mpi::kLargestBuffer)) fail(parameter, "a walk out of its buffer");
  }

  void elements(const mpi::Parameter& parameter, std::int64_t id) {
    const auto& elements = array(parameter, id);
    const auto handle = mpi::properties(parameter.role).stands_for;
    auto& different = elements_[id];
    if (different.empty()) different = each_once(elements);
    if (handle) {
      for (const std::int64_t v : different) used(parameter, *handle, v);
    } else if (right_.emplace(id, parameter.role).second) {
      for (const std::int64_t v : different) number(parameter, v);
    }
    if (parameter.role != Role::indices || different.empty()) return;
    const std::int64_t last = requests(at_->call()) - 1;
    for (const std::int64_t v : {different.front(), different.back()})
      if (v < 0 || v > last) fail(parameter, fmt::format("there is no request {}", v));
  }

  /// Ranks of MPI_COMM_WORLD, among them those that the call is about.
  void group(const Call& call, const mpi::Parameter& parameter, std::int64_t id) {
    const auto& members = array(parameter, id);
    if (right_.emplace(id, Role::group).second) {
      const auto sorted = each_once(members);
      if (sorted.size() != members.size()) fail(parameter, "a rank twice");
      const auto last = static_cast<std::int64_t>(ranks(skeleton_)) - 1;
      if (!sorted.empty() && (sorted.front() < 0 || sorted.back() > last))
        fail(parameter, fmt::format("ranks of MPI_COMM_WORLD are 0 to {}", last));
    }
    const int win = call.function->find(Role::win);
    if (win < 0 || members.empty()) return;
    for (const std::int64_t slot : values(win)) {
      const auto windows = of_slot(Role::win, slot);  // one after the other: the group is of one of them
      std::int64_t outside = -1;
      const bool of_one = std::ranges::any_of(windows, [&](const Communicator* c) {
        const auto [known, fresh] = shared_.try_emplace({id, c->identity}, -1);
        if (fresh)
          for (const std::int64_t member : members)
            if (!shares(c->identity, member)) known->second = member;
        if (known->second >= 0) outside = known->second;
        return known->second < 0;
      });
      if (!of_one && outside >= 0) fail(parameter, fmt::format("rank {} has no part in w{}", outside, slot));
    }
  }

  /// The rank has the window too.
  bool shares(std::uint64_t window, std::int64_t rank) {
    if (sharers_.empty())
      for (const LocationData& location : skeleton_.locations)
        for (const Communicator& c : location.windows) sharers_.emplace(c.identity, location.where.rank);
    return sharers_.contains({window, static_cast<Rank>(rank)});
  }

  /// The name of a file has its number.
  void file(const mpi::Parameter& parameter, const std::vector<std::int64_t>& name) const {
    if (!parameter.is_file) return;
    if (name.empty() || name[0] < 0 || name[0] >= std::ssize(skeleton_.scratch))
      fail(parameter, name.empty() ? "no number of a file" : fmt::format("there is no line \"scratch {}\"", name[0]));
  }

  void number(const mpi::Parameter& parameter, std::int64_t v) const {
    if (mpi::properties(parameter.role).is_int && v != static_cast<std::int32_t>(v))
      fail(parameter, fmt::format("{} is no int", v));
    if ((parameter.role == Role::count || parameter.role == Role::counts) && v < 0)
      fail(parameter, fmt::format("{} elements", v));
    const auto* codes = parameter.direction == Direction::in ? parameter.codes : nullptr;
    if (codes && !codes->open && !codes->contains(v)) fail(parameter, fmt::format("{} is not {}", v, codes->all()));
  }

  void value(const Call& call, const mpi::Parameter& parameter, int i, std::int64_t v) {
    number(parameter, v);
    if (const auto handle = mpi::properties(parameter.role).stands_for) {
      if (parameter.direction != Direction::out) return used(parameter, *handle, v);
      return made(parameter, *handle, v);
    }
    switch (parameter.role) {
      case Role::buffer:
        if (v != mpi::kNullBuffer && v != mpi::kInPlace && mpi::slot_of(v) < 0) fail(parameter, "no buffer");
        break;
      case Role::peer:
      case Role::root:
        peer(call, parameter, i, v);
        break;
      case Role::info:
        hints(parameter, array(parameter, v));
        break;
      case Role::tag:
        if (v < mpi::kAnyTag) fail(parameter, fmt::format("{} is no tag", v));
        break;
      case Role::flag:
        if (v != 0 && v != 1) fail(parameter, fmt::format("{} is no outcome", v));
        break;
      case Role::index:
        if (v != mpi::kUndefined && (v < 0 || v >= requests(call)))
          fail(parameter, fmt::format("there is no request {}", v));
        break;
      case Role::integer:
        if (call.function->kind == Kind::cancel) outcome(call, parameter, v);
        if (parameter.dimensions && (v < 0 || v > kMostDimensions)) fail(parameter, fmt::format("{} dimensions", v));
        break;
      default:
        break;
    }
  }

  /// Of MPI_Cancel: receives only are cancelled, or have had their message before.
  void outcome(const Call& call, const mpi::Parameter& parameter, std::int64_t v) {
    if (v < mpi::value_of(mpi::CancelOutcome::too_late) || v > mpi::value_of(mpi::CancelOutcome::received))
      fail(parameter, fmt::format("{} is no outcome", v));
    if (v == mpi::value_of(mpi::CancelOutcome::too_late)) return;
    const auto& slots = values(call.function->find(Role::request));
    if (std::ranges::none_of(slots, [&](std::int64_t slot) { return receives_.contains(slot); }))
      fail(parameter, fmt::format("{} is the outcome of receives only", v));
  }

  void hints(const mpi::Parameter& parameter, const std::vector<std::int64_t>& text) const {
    if (text.empty()) return;
    if (text[0] != mpi::kText || !mpi::are_hints(std::string(text.begin() + 1, text.end())))
      fail(parameter, "no hints that a skeleton can have");
  }

  /// Most requests that the call is given.
  std::int64_t requests(const Call& call) {
    const int at = call.function->find(Role::requests);
    if (at < 0) return 0;
    std::size_t most = 0;
    for (const std::int64_t id : values(at))
      most = std::max(most, array(call.function->parameters[static_cast<std::size_t>(at)], id).size());
    return static_cast<std::int64_t>(most);
  }

  void used(const mpi::Parameter& parameter, Role handle, std::int64_t v) {
    const bool given_up = parameter.direction == Direction::inout;
    if (given_up && ((handle == Role::comm && v < 2) || (handle == Role::op && v < mpi::kMade)))
      fail(parameter, "only what the program made can be given up");
    if (v == -1 && (handle == Role::win || handle == Role::file))
      fail(parameter, fmt::format("no call can use a null {}", handle == Role::win ? "window" : "file"));
    if (v == -1 || (handle == Role::message && v == mpi::kMessageNoProc)) return;
    if (handle == Role::datatype || handle == Role::op) {
      if (v < mpi::kMade) return named(parameter, handle, v);
      v -= mpi::kMade;
    }
    if (!made_[handle].contains(v))
      fail(parameter, fmt::format("{}{} was {}", slot_letter(handle), v,
                                  freed_[handle].contains(v) ? "freed before" : "not made before"));
    if (given_up && !repeated_ && occurrences_ == 1 && frees(at_->call().function->kind)) {
      made_[handle].erase(v);
      freed_[handle].insert(v);
    }
  }

  void made(const mpi::Parameter& parameter, Role handle, std::int64_t v) {
    const bool needed = handle == Role::group || handle == Role::op;  // no call gives null handles of these
    if ((v == -1 && !needed) || (handle == Role::message && v == mpi::kMessageNoProc)) return;
    if (v < (handle == Role::comm ? 2 : 0) || v >= std::int64_t{1} << 20)
      fail(parameter, fmt::format("{} is no slot", v));
    for (const auto& [role, word] :
         {std::pair{Role::comm, "comm"}, std::pair{Role::win, "window"}, std::pair{Role::file, "file"}})
      if (handle == role && of_slot(role, v).empty())
        fail(parameter,
             fmt::format("no line \"{} {}{} of [...]\" names location {}", word, slot_letter(handle), v, l_));
    made_[handle].insert(v);
    if (handle == Role::request && receives(at_->call().function->kind)) receives_.insert(v);
  }
  static bool receives(Kind kind) { return kind == Kind::recv || kind == Kind::recv_init; }

  void named(const mpi::Parameter& parameter, Role handle, std::int64_t v) const {
    if (v < 0 || v >= static_cast<std::int64_t>(skeleton_.names.size()))
      fail(parameter, fmt::format("there is no name {}", v));
    const std::string& name = skeleton_.names[static_cast<std::size_t>(v)];
    const bool type = mpi::datatype_size(name) > 0 || name == "MPI_DATATYPE_NULL";
    if (type != (handle == Role::datatype))
      fail(parameter, fmt::format("{} is no {}", name, handle == Role::datatype ? "datatype" : "operation"));
  }

  void peer(const Call& call, const mpi::Parameter& parameter, int i, std::int64_t v) {
    const mpi::Function& function = *call.function;
    if (v == mpi::kProcNull || v == mpi::kRoot) return;
    if (v == mpi::kAnySource && (i == function.source() || function.kind == Kind::recv_init)) return;
    std::int64_t most = v >= 0 ? -1 : 0;
    for (const Role role : {Role::comm, Role::win}) {
      const int at = function.find(role);
      if (at < 0) continue;
      most = std::max<std::int64_t>(most, 0);
      for (const std::int64_t slot : values(at))
        for (const Communicator* c : of_slot(role, slot))
          most = std::max<std::int64_t>({most, c->peers_size(), parameter.role == Role::root ? c->size : 0});
    }
    if (most >= 0 && v >= most) fail(parameter, fmt::format("there is no rank {} in its communicator or window", v));
    if (v < 0) fail(parameter, fmt::format("{} is no rank", v));
  }

  /// Arrays that the call reads are as long as it reads them.
  void lengths(const Call& call, const mpi::Parameter& parameter, int i) {
    if (parameter.length.empty() || (parameter.direction == Direction::out && parameter.role != Role::indices)) return;
    const mpi::Function& function = *call.function;
    const auto other = std::ranges::find(function.parameters, parameter.length, &mpi::Parameter::name);
    const int given =
        parameter.length_kind != Length::parameter ? -1 : static_cast<int>(other - function.parameters.begin());
    const bool may_be_empty =
        parameter.root_only || parameter.unweighted ||
        std::ranges::any_of(function.parameters, [&](const mpi::Parameter& buffer) {
          return buffer.role == Role::buffer &&
                 std::ranges::binary_search(values(static_cast<int>(&buffer - function.parameters.data())),
                                            mpi::kInPlace);
        });
    const Sequence& arrays = sequence(i);
    if (given >= 0) {
      if (compared_.emplace(&arrays, &sequence(given), occurrences_, may_be_empty).second)
        compare(parameter, arrays, sequence(given), may_be_empty);
    } else if (parameter.length_kind != Length::other) {
      for (const std::int64_t id : values(i))
        if (const auto size = array(parameter, id).size(); size > 0 || !may_be_empty)
          members(call, parameter, static_cast<std::int64_t>(size));
    }
  }

  /// Each array is as long as the number of its occurrence says.
  void compare(const mpi::Parameter& parameter, const Sequence& arrays, const Sequence& numbers, bool may_be_empty) {
    // Of numbers that walk on, the second one at a place in the period is wrong already if the first one is right.
    const std::uint64_t n =
        numbers.kind == Sequence::Kind::arithmetic
            ? std::min(occurrences_, 2 * arrays.period(occurrences_))
            : common_period(arrays.period(occurrences_), numbers.period(occurrences_), occurrences_);
    lengths_ += n;
    if (lengths_ > kMostCompared)
      return give_up(fmt::format("{} of {}: changes in too many ways to compare with {}", parameter.name,
                                 at_->call().function->name, parameter.length));
    for (std::uint64_t k = 0; k < n; ++k) {
      const auto& values = array(parameter, arrays.at(k));
      const auto length = static_cast<std::int64_t>(values.size());
      if (length == 0 && may_be_empty) continue;
      if (parameter.unweighted && values == std::vector{mpi::kUndefined}) continue;  // MPI_UNWEIGHTED
      if (length != numbers.at(k) * parameter.length_times)
        fail(parameter, fmt::format("{} elements, but {} is {}", length, parameter.length, numbers.at(k)));
    }
  }

  void members(const Call& call, const mpi::Parameter& parameter, std::int64_t length) {
    const int comm = call.function->find(Role::comm);
    if (comm < 0) return;
    std::int64_t wanted = 0;
    for (const std::int64_t slot : values(comm))
      for (const Communicator* c : of_slot(Role::comm, slot)) {
        wanted = parameter.length_kind == Length::peers     ? c->peers_size()
                 : parameter.length_kind == Length::own     ? c->size
                 : parameter.length_kind == Length::sources ? c->sources
                                                            : c->destinations;
        if (length == wanted) return;
      }
    fail(parameter, fmt::format("{} elements for {} ranks", length, wanted));
  }

  const Skeleton& skeleton_;
  const Places* places_;
  std::uint32_t l_ = 0;
  std::size_t p_ = 0;
  const Node* at_ = nullptr;
  std::uint64_t occurrences_ = 1;
  bool repeated_ = false;  ///< inside of a loop of several iterations
  int starters_ = 0, enders_ = 0;
  std::set<std::pair<std::uint64_t, Rank>> sharers_;    ///< of each window
  std::map<Role, std::set<std::int64_t>> made_, lent_;  ///< by the location; by the main thread of its rank
  std::map<Role, std::set<std::int64_t>> freed_;        ///< by the location, for sure
  std::set<std::int64_t> receives_;                     ///< slots that requests of receives have had
  std::map<std::pair<Role, std::int64_t>, std::vector<const Communicator*>> of_slot_;  ///< of the location
  Walks walks_;
  skeleton::Iterations iterations_;
  std::map<std::int64_t, std::vector<std::int64_t>> elements_;             ///< by array, each once
  std::set<std::pair<std::int64_t, Role>> right_;                          ///< arrays, as what
  std::map<std::pair<std::int64_t, std::uint64_t>, std::int64_t> shared_;  ///< groups and windows: a member without it
  std::set<std::tuple<const Sequence*, const Sequence*, std::uint64_t, bool>> compared_;
  std::map<std::pair<std::uint64_t, std::int64_t>, std::int64_t>
      messages_;  ///< of the largest pool that a rank works for
  std::uint64_t lengths_ = 0;
};

}  // namespace

void check_calls(const Skeleton& skeleton, const Places* places) {
  CallCheck calls(skeleton, places);
  for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l) calls.location(l);
}

}  // namespace skelgen::text
