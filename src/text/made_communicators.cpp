// Whether the calls of a text make the communicators that its lines `comm` say: buffers, counts and peers follow the
// lines, and MPI follows the calls.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "skeleton/steps.h"
#include "support/error.h"
#include "text/valid.h"
#include "text/words.h"

namespace skelgen::text {
namespace {

using mpi::Kind;
using mpi::Role;
using skeleton::ExpandedCall;
using skeleton::Step;
using skeleton::Walk;

constexpr std::uint64_t kMostMakers = std::uint64_t{1} << 22;  ///< calls and iterations that are looked at

/// What one location says in a call that all of a communicator make, and what it gets there.
struct Share {
  std::uint32_t l = 0;
  const Call* call = nullptr;
  const Communicator* parent = nullptr;
  const Communicator* made = nullptr;  ///< as the lines say; nullptr: none
  std::int64_t color = 0, key = 0;
  bool known = true;    ///< what it gets
  bool gets = true;     ///< MPI gives it a communicator
  bool ordered = true;  ///< by key, then by rank
  bool inter = false;   ///< of two groups
  bool merged = false;  ///< both groups of the parent become one
};

/// What is left of the steps without calls that neither make communicators nor free them.
std::vector<Step> makers(std::vector<Step> steps) {
  std::erase_if(steps, [](Step& step) {
    if (step.call)
      return step.call->function->kind != Kind::comm_create && step.call->function->kind != Kind::comm_free;
    step.body = makers(std::move(step.body));
    return step.body.empty();
  });
  return steps;
}

/// Calls and iterations of steps that are executed so often.
std::uint64_t visits(const std::vector<Step>& steps, std::uint64_t times) {
  std::uint64_t all = 0;
  for (const Step& step : steps) {
    const std::uint64_t own = step.call ? times : static_cast<std::uint64_t>(step.trips->sum(times));
    all += own + visits(step.body, own);
  }
  return all;
}

class MadeCheck {
 public:
  MadeCheck(const Skeleton& skeleton, const Places& places) : skeleton_(skeleton), places_(places) {}

  void run() {
    for (std::uint32_t l = 0; l < skeleton_.locations.size(); ++l)
      if (skeleton_.locations[l].where.thread == 0) location(l);
    for (auto& [which, shares] : meetings_) meeting(shares);
  }

 private:
  [[noreturn]] void fail(const Call& call, const std::string& text) const {
    const auto& made = call.function->parameters[static_cast<std::size_t>(call.function->find(Role::newcomm))];
    throw Error(Code::corrupt, fmt::format("{}:{}", places_.file, places_.line(call)), {},
                fmt::format("{} of {}: {}", made.name, call.function->name, text));
  }

  void location(std::uint32_t l) {
    const auto& all = skeleton_.locations[l].communicators;
    l_ = l;
    live_.clear();
    calls_.clear();
    for (next_ = 0; next_ < all.size() && all[next_].slot < 2; ++next_) live_[all[next_].slot] = &all[next_];
    auto steps = makers(steps_of(skeleton_.program, l));
    looked_at_ += visits(steps, 1);
    if (looked_at_ > kMostMakers) return;
    const std::function<bool(const ExpandedCall&)> visit = [&](const ExpandedCall& call) { return step(call), true; };
    Walk(visit).block(steps);
  }

  void step(const ExpandedCall& expanded) {
    const mpi::Function& function = *expanded.call->function;
    const std::int64_t slot = value(expanded, Role::comm);
    const auto found = live_.find(slot);
    if (function.kind == Kind::comm_free) {
      if (found != live_.end()) live_.erase(found);
      return;
    }
    Share share;
    share.l = l_;
    share.call = expanded.call;
    share.parent = found == live_.end() ? nullptr : found->second;
    take(value(expanded, Role::newcomm), share);
    grid(expanded, share);
    if (function.find(Role::group) >= 0) return of_members(share, value(expanded, Role::group));
    if (!share.parent) return;
    const std::uint64_t number = calls_[share.parent->all()]++;
    if (says(expanded, share)) meetings_[{share.parent->all(), number}].push_back(share);
  }

  static std::int64_t value(const ExpandedCall& call, Role role) {
    return call.values[static_cast<std::size_t>(call.call->function->find(role))];
  }
  static std::int64_t named(const ExpandedCall& call, std::string_view name) {
    const auto& all = call.call->function->parameters;
    return call.values[static_cast<std::size_t>(std::ranges::find(all, name, &mpi::Parameter::name) - all.begin())];
  }

  /// The lines are in the order in which the calls make communicators.
  void take(std::int64_t slot, Share& share) {
    if (slot < 0) return;
    const auto& all = skeleton_.locations[l_].communicators;
    share.known = next_ < all.size() && all[next_].slot == slot;
    if (share.known)
      live_[slot] = share.made = &all[next_++];
    else
      live_.erase(slot);
  }

  /// MPI gives the communicator the Cartesian topology of its line.
  void grid(const ExpandedCall& call, const Share& share) const {
    if (!share.made || !share.made->grid) return;
    const mpi::Function& function = *call.call->function;
    const auto array = [&](int at) {
      return at < 0 ? std::span<const std::int64_t>()
                    : std::span(skeleton_.arrays[static_cast<std::size_t>(call.values[static_cast<std::size_t>(at)])]);
    };
    const auto made = mpi::made_grid(function.way, share.parent ? share.parent->grid : nullptr,
                                     array(function.find(Role::integers)), array(function.find_last(Role::integers)));
    if (!made || *made != *share.made->grid)
      fail(*share.call,
           fmt::format("location {} gets another topology here; expected the grid in the line \"comm\" of {}", share.l,
                       text_of(share)));
  }

  /// What the call says of whom it gives what. False if that is not known.
  bool says(const ExpandedCall& call, Share& share) {
    using mpi::Way;
    const Way way = call.call->function->way;
    share.inter = share.parent->inter();
    switch (way) {
      case Way::duplicate:
        return true;
      case Way::split:
      case Way::split_type:
        share.color = value(call, Role::color);
        share.key = value(call, Role::key);
        share.gets = share.color != mpi::kUndefined;
        if (way == Way::split) return true;
        if (!share.gets) compare(share, nullptr, 0, 0);
        return false;  // it depends on the machine
      case Way::between:
        share.inter = true;
        if (share.parent->rank == named(call, "local_leader")) remote_leader(call, share);
        return true;
      case Way::merge:
        share.key = named(call, "high") != 0;
        share.inter = false;
        share.merged = true;
        return true;
      case Way::cart:
      case Way::graph: {
        const __int128 nodes = way == Way::cart ? product(call) : named(call, "nnodes");
        share.gets = share.parent->rank < nodes;
        share.ordered = named(call, "reorder") == 0;
        return nodes == share.parent->size || (share.ordered && nodes < share.parent->size);
      }
      default:
        share.ordered = way == Way::dist_graph && named(call, "reorder") == 0;
        return way == Way::dist_graph;
    }
  }

  __int128 product(const ExpandedCall& call) const {
    __int128 product = 1;
    const auto& dims = skeleton_.arrays[static_cast<std::size_t>(named(call, "dims"))];
    for (const std::int64_t n : dims) product = std::clamp<__int128>(product * n, 0, mpi::kLargestBuffer);
    return product;
  }

  /// The leader names a rank of the other group.
  void remote_leader(const ExpandedCall& call, const Share& share) {
    const auto peer = live_.find(named(call, "peer_comm"));
    if (!share.made || !share.made->inter() || peer == live_.end()) return;
    if (at_rank_.empty())
      for (std::uint32_t l = 0; l < skeleton_.locations.size(); ++l)
        if (skeleton_.locations[l].where.thread == 0)
          for (const Communicator& c : skeleton_.locations[l].communicators) at_rank_[{c.identity, c.rank}] = l;
    const std::int64_t rank = named(call, "remote_leader");
    const auto leader = at_rank_.find({peer->second->peers(), rank});
    if (leader == at_rank_.end()) return;
    const auto& all = skeleton_.locations[leader->second].communicators;
    if (std::ranges::find(all, share.made->remote, &Communicator::identity) == all.end())
      fail(*share.call,
           fmt::format("the remote leader is location {} here; expected one of the other group in the line \"comm\" of "
                       "{}",
                       leader->second, text_of(share)));
  }

  /// Of a call that is about a group of ranks of MPI_COMM_WORLD, in their order.
  void of_members(Share& share, std::int64_t group) {
    if (!share.parent || share.parent->inter()) return;
    const auto& members = skeleton_.arrays[static_cast<std::size_t>(group)];
    auto [index, added] = places_in_.try_emplace(group);
    if (added)
      for (std::size_t i = 0; i < members.size(); ++i) index->second[members[i]] = static_cast<int>(i);
    const auto own = index->second.find(skeleton_.locations[l_].where.rank);
    share.gets = own != index->second.end();
    compare(share, nullptr, members.size(), share.gets ? own->second : 0);
    if (!share.made) return;
    const auto [first, is_first] = groups_.try_emplace(share.made->identity, l_, group);
    const auto [other, of_other] = first->second;
    if (!is_first && of_other != group && skeleton_.arrays[static_cast<std::size_t>(of_other)] != members)
      fail(*share.call, fmt::format("locations {} and {} name other groups here; expected the members in the line "
                                    "\"comm\" of {}",
                                    other, l_, text_of(share)));
  }

  /// All that make a communicator together, if the text says of all of them how.
  void meeting(std::vector<Share>& shares) const {
    const Share& one = shares.front();
    if (std::ssize(shares) != one.parent->all_size()) return;
    std::map<std::pair<std::uint64_t, std::int64_t>, std::vector<const Share*>> groups;  // by side and color
    std::set<std::pair<std::uint64_t, std::int64_t>> keys;                               // by side
    for (const Share& share : shares) {
      if (share.call->function != one.call->function || share.ordered != one.ordered) return;
      const std::uint64_t side = share.merged ? 0 : share.parent->identity;
      if (share.gets) groups[{side, share.color}].push_back(&share);
      keys.emplace(share.parent->identity, share.key);
    }
    // The groups stand in any order if both say the same of it.
    const bool ordered =
        one.ordered && (!one.merged || (keys.size() == 2 && keys.begin()->second != keys.rbegin()->second));
    for (Share& share : shares) {
      const std::uint64_t other = share.parent->remote;
      if (share.inter && share.parent->inter() && !groups.contains({other, share.color})) share.gets = false;
      if (!share.gets) compare(share, nullptr, 0, 0);
    }
    for (auto& [which, members] : groups) {
      if (!members.front()->gets) continue;
      std::ranges::sort(members, {}, [](const Share* s) { return std::pair{s->key, s->parent->rank}; });
      for (std::size_t rank = 0; rank < members.size(); ++rank)
        compare(*members[rank], members.front(), members.size(), ordered ? static_cast<int>(rank) : -1);
    }
  }

  /// MPI gives the location a communicator of so many, as this rank (-1: any), the same that `with` gets.
  void compare(const Share& share, const Share* with, std::size_t size, int rank) const {
    if (!share.known) return;
    if (!share.gets && share.made)
      fail(*share.call, fmt::format("location {} gets no communicator here; expected {} as in its line \"comm\"",
                                    share.l, text_of(share)));
    if (!share.gets) return;
    if (!share.made)
      fail(*share.call, fmt::format("location {} gets a communicator of {} here; expected MPI_COMM_NULL as is written",
                                    share.l, size));
    const Communicator& made = *share.made;
    const std::string name = text_of(share);
    if (made.inter() != share.inter)
      fail(*share.call, fmt::format("{} has {} here; expected {} as in its line \"comm\"", name,
                                    share.inter ? "two groups" : "one group", made.inter() ? "two" : "one"));
    if (made.size != static_cast<std::int64_t>(size))
      fail(*share.call, fmt::format("{} of location {} has {} members here; expected {} as in its line \"comm\"", name,
                                    share.l, size, made.size));
    if (with && with->made && with->made->identity != made.identity)
      fail(*share.call, fmt::format("locations {} and {} get the same communicator here; expected two as in the lines "
                                    "\"comm\" of {}",
                                    with->l, share.l, name));
    if (rank >= 0 && made.rank != rank)
      fail(*share.call, fmt::format("location {} is rank {} of {} here; expected rank {} as in its line \"comm\"",
                                    share.l, rank, name, made.rank));
  }

  static std::string text_of(const Share& share) { return fmt::format("c{}", share.made->slot); }

  const Skeleton& skeleton_;
  const Places& places_;
  std::uint32_t l_ = 0;
  std::map<std::int64_t, const Communicator*> live_;  ///< of the location, by slot
  std::map<std::uint64_t, std::uint64_t> calls_;      ///< of the location, by communicator
  std::size_t next_ = 0;                              ///< of the location's communicators
  std::uint64_t looked_at_ = 0;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Share>> meetings_;  ///< by communicator and number
  std::map<std::int64_t, std::unordered_map<std::int64_t, int>> places_in_;         ///< by group: of ranks
  std::map<std::uint64_t, std::pair<std::uint32_t, std::int64_t>> groups_;   ///< by communicator: who named which group
  std::map<std::pair<std::uint64_t, std::int64_t>, std::uint32_t> at_rank_;  ///< locations, by group and rank
};

}  // namespace

void check_made_communicators(const Skeleton& skeleton, const Places& places) { MadeCheck(skeleton, places).run(); }

}  // namespace skelgen::text
