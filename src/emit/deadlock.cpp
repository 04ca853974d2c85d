#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "emit/emit.h"
#include "engine/execution.h"
#include "skeleton/cursor.h"
#include "skeleton/shortened.h"
#include "support/error.h"

namespace skelgen::emit {
namespace {

using engine::Execution;
using engine::MayBlock;
using engine::Operation;
using engine::SendTests;
using skeleton::Skeleton;

const skeleton::Call* statement(const void* origin) { return static_cast<const skeleton::Call*>(origin); }

/// "FILE:LINE", "FILE" of no call.
std::string place(const skeleton::Places& places, const skeleton::Call* call) {
  const auto line = call ? places.line(*call) : 0;
  return line ? fmt::format("{}:{}", places.file, line) : places.file;
}

/// A skeleton's calls, of shortened loops a few iterations.
class SkeletonCalls final : public engine::Source {
 public:
  /// All must outlive it.
  SkeletonCalls(const Skeleton& skeleton, const skeleton::Shortened& shortened, const skeleton::Places* places)
      : skeleton_(skeleton), places_(places) {
    for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l)
      locations_.emplace_back(skeleton::Cursor(skeleton, l, shortened));
  }

  const engine::Call* next(std::uint32_t l) override {
    auto& [cursor, call] = locations_[l];
    const skeleton::Call* const next = cursor.next();
    if (!next) return nullptr;
    return &call.set(
        *next->function, skeleton_.arrays, [&](std::size_t i) { return cursor.value(static_cast<int>(i)); }, next,
        cursor.matched());
  }
  std::int64_t element_bytes(std::uint32_t, std::int64_t type) const override {
    return type < std::ssize(skeleton_.name_bytes) ? skeleton_.name_bytes[static_cast<std::size_t>(type)] : -1;
  }
  Error not_made(std::uint32_t l, const engine::Call* call, const char* what, std::int64_t slot) const override {
    return Error(Code::corrupt, places_ ? place(*places_, call ? statement(call->origin) : nullptr) : std::string(), {},
                 fmt::format("rank {} uses {} {} in {}", skeleton_.locations[l].where.rank, what, slot,
                             call ? call->function->name : "its turn"),
                 "make it before");
  }

 private:
  struct OfLocation {
    explicit OfLocation(skeleton::Cursor&& its) : cursor(std::move(its)) {}
    skeleton::Cursor cursor;
    engine::NumberedCall call;
  };
  const Skeleton& skeleton_;
  const skeleton::Places* const places_;
  std::deque<OfLocation> locations_;
};

/// What an execution that did not come to its end says to people.
class Explanation {
 public:
  Explanation(const Skeleton& skeleton, const Execution& execution) : skeleton_(skeleton), execution_(execution) {}

  Deadlock blocked() const {
    constexpr std::size_t kShown = 4;
    Deadlock result{.safe = false};
    std::size_t blocked = 0;
    const auto& operations = execution_.operations();
    for (std::uint32_t l = 0; l < skeleton_.locations.size(); ++l) {
      if (operations.missing(l) == 0 || ++blocked > kShown) continue;
      const int thread = skeleton_.locations[l].where.thread;
      std::vector<std::string> whom;
      for (engine::Id id = 0; id < operations.all().size() && whom.size() < 3; ++id)
        if (const auto& operation = operations.all()[id]; operation.waited && operation.owner == l)
          whom.push_back(describe(operation, id));
      const engine::Call* const call = execution_.call(l);
      result.explanation += fmt::format("{}rank {}{} waits in {} for {}", blocked > 1 ? "; " : "", rank(l),
                                        thread ? fmt::format(", thread {},", thread) : "",
                                        call ? call->function->name : "its turn", fmt::join(whom, ", "));
      if (call && std::ranges::find(result.calls, statement(call->origin)) == result.calls.end())
        result.calls.push_back(statement(call->origin));
    }
    if (blocked > kShown)
      result.explanation +=
          fmt::format("; {} more {} wait", blocked - kShown, skeleton::has_threads(skeleton_) ? "threads" : "ranks");
    return result;
  }

  Deadlock clash() const {
    const auto& [first, other] = *execution_.operations().clash();
    Deadlock result{.safe = false,
                    .clash = true,
                    .explanation = describe(other, first.call) + " where " + describe(first, other.call),
                    .calls = {statement(first.call.origin)}};
    if (other.call.origin != first.call.origin) result.calls.push_back(statement(other.call.origin));
    return result;
  }

 private:
  Rank rank(std::uint32_t l) const { return skeleton_.locations[l].where.rank; }

  std::string member(const mpi::Communicator& comm, std::int64_t rank) const {
    const auto group = execution_.members().find(comm.peers());  // none: a text does not say who they are
    if (group == execution_.members().end()) return fmt::format("rank {} of a communicator", rank);
    const auto found = group->second.find(static_cast<int>(rank));
    return fmt::format("rank {}", found == group->second.end() ? rank : this->rank(found->second));
  }

  /// The ranks that a meeting waits for, as far as a text says who its members are.
  std::string missing(const mpi::Communicator& comm, const std::vector<std::uint32_t>& present) const {
    constexpr std::size_t kShown = 4;
    std::vector<Rank> absent;
    for (const auto identity : {comm.identity, comm.remote})
      if (const auto group = execution_.members().find(identity); group != execution_.members().end())
        for (const auto& [_, location] : group->second)
          if (std::ranges::none_of(present, [&](auto l) { return rank(l) == rank(location); }))
            absent.push_back(rank(location));
    if (present.empty() || absent.empty() ||
        absent.size() + present.size() != static_cast<std::size_t>(comm.all_size()))
      return fmt::format("the other ranks of a communicator of {}", comm.all_size());
    const std::size_t shown = std::min(absent.size(), kShown);
    auto text = fmt::format("rank{} {}", absent.size() > 1 ? "s" : "",
                            fmt::join(absent.begin(), absent.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    if (shown < absent.size()) text += fmt::format(" and {} more", absent.size() - shown);
    return text + fmt::format(" of a communicator of {}", comm.all_size());
  }

  std::string describe(const Operation& operation, engine::Id id) const {
    switch (operation.what) {
      case Operation::What::turn:
        return fmt::format("its thread {} to make {} calls", operation.peer, operation.tag);
      case Operation::What::drain:
        return "its buffered messages to be received";
      case Operation::What::meeting:
        return missing(*operation.comm, execution_.operations().present(id));
      default:
        break;
    }
    const auto peer = operation.peer == mpi::kAnySource ? "any rank" : member(*operation.comm, operation.peer);
    const bool shown = operation.tag >= 0 || engine::is_of_parts(operation.tag);
    const auto tag = shown ? fmt::format(" (tag {})", operation.tag & 0xffffffff) : "";
    return (operation.what == Operation::What::probe ? "a message of " : "") + peer + tag;
  }

  /// "rank 3 calls MPI_Reduce of MPI_SUM to root 0"
  std::string describe(const engine::Clash::Side& side, const engine::Collective& other) const {
    auto text = fmt::format("rank {} calls {}", rank(side.location), side.call.function->name);
    if (const auto op = side.call.op; op != other.op)
      text += op >= 0 && op < std::ssize(skeleton_.names) ? " with " + skeleton_.names[static_cast<std::size_t>(op)]
                                                          : " with an operation of its own";
    if (side.call.root != other.root) text += fmt::format(" of root {}", side.call.root);
    return text;
  }

  const Skeleton& skeleton_;
  const Execution& execution_;
};

/// It was traced under SMPI, where a test of a send waits.
bool simulated(const Skeleton& skeleton) {
  return std::ranges::any_of(skeleton.locations, [](const auto& location) { return location.speed_flops > 0; });
}

Deadlock unchecked(const char* reason) { return {.safe = false, .checked = false, .explanation = reason}; }
constexpr const char* kTooManyCalls = "it makes too many calls that differ from iteration to iteration";
constexpr const char* kTooManyCancelled = "it cancels too many receives";

/// Throws Error{corrupt} that names both calls.
[[noreturn]] void refuse_truncated(const skeleton::Places& places, const engine::Truncated& truncated) {
  const auto& [receive, send] = truncated;
  throw Error(Code::corrupt, place(places, statement(receive.origin)), {},
              fmt::format("{} takes {} bytes, but {} in line {} sends it {}", receive.function->name, receive.bytes,
                          send.function->name, places.line(*statement(send.origin)), send.bytes),
              "make the receive larger");
}

/// By location, in `all`; empty if the program cancels nothing. Returns what there is too much of, nullptr: nothing.
/// O(calls) if the program calls MPI_Cancel.
const char* find_ended_by_cancel(const Skeleton& skeleton, SkeletonCalls calls, ExecutionLimits most,
                                 std::vector<engine::EndedByCancel>& all) {
  if (!skeleton::has(skeleton.program, mpi::Kind::cancel)) return nullptr;
  for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l) {
    engine::CancelSearch search(most.messages);
    while (const auto* call = calls.next(l)) {
      if (most.calls-- == 0) return kTooManyCalls;
      if (!search.call(*call)) return kTooManyCancelled;
    }
    all.push_back(search.take());
    most.messages -= all.back().size();
  }
  return nullptr;
}

}  // namespace

Deadlock check_deadlock(const Skeleton& skeleton, const skeleton::Places* places, const ExecutionLimits& most) {
  const auto short_loops = skeleton::shortened(skeleton);
  std::vector<engine::EndedByCancel> ended;
  if (const char* reason = find_ended_by_cancel(skeleton, SkeletonCalls(skeleton, short_loops, places), most, ended))
    return unchecked(reason);
  std::vector<engine::LocationSetup> locations;
  for (const auto& own : skeleton.locations)
    locations.push_back({own.where, own.communicators, own.windows, own.files, own.turns});

  bool send_tested = false;
  const auto run = [&](MayBlock may_block, SendTests tests) {
    SkeletonCalls calls(skeleton, short_loops, places);
    Execution execution(calls, locations, {may_block, tests, most, ended});
    const auto end = execution.run();
    send_tested = execution.send_tested();
    if (const auto& small = execution.operations().truncated(); small && skeleton.edited && places)
      refuse_truncated(*places, *small);
    switch (end) {
      case Execution::End::all_ended:
        return Deadlock{};
      case Execution::End::clash:
        return Explanation(skeleton, execution).clash();
      case Execution::End::too_many_calls:
        return unchecked(kTooManyCalls);
      case Execution::End::too_many_messages:
        return unchecked("too many messages are under way at a time");
      case Execution::End::blocked:
        break;
    }
    Deadlock result = Explanation(skeleton, execution).blocked();
    result.certain = may_block == MayBlock::returns && !execution.operations().chose();
    return result;
  };
  const Deadlock strict = run(MayBlock::blocks, SendTests::wait);
  if (strict.safe || !strict.checked || strict.clash) return strict;
  if (send_tested && !simulated(skeleton)) {
    Deadlock deferring = run(MayBlock::blocks, SendTests::defer);
    deferring.tests_go_on = deferring.safe;
    if (deferring.safe || !deferring.checked || deferring.clash) return deferring;
  }
  const Deadlock loose = run(MayBlock::returns, SendTests::wait);
  return loose.certain ? loose : strict;
}

}  // namespace skelgen::emit
