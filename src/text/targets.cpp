// What one-sided calls of a text name in the memory of other ranks: the C that is made of it would write there.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "skeleton/trips.h"
#include "support/error.h"
#include "text/valid.h"

namespace skelgen::text {
namespace {

using mpi::Kind;
using mpi::Role;

constexpr std::uint64_t kMostLookedAt = std::uint64_t{1} << 26;  ///< occurrences that are looked at one by one
constexpr unsigned kOrdinary = 1, kDynamic = 2;                  ///< windows: bits of what a slot may hold

/// The arguments of a one-sided call that say what it names, on one location.
struct Access {
  Access(const Call& call, std::size_t p) {
    const auto sequence = [&](int parameter) {
      return parameter < 0 ? nullptr : &call.arguments[static_cast<std::size_t>(parameter)].of(p);
    };
    window = sequence(call.function->find(Role::win));
    rank = sequence(call.function->find(Role::peer));
    target = sequence(call.function->find(Role::target));
    count = sequence(call.function->find_last(Role::count));
    datatype = sequence(call.function->find_last(Role::datatype));
  }

  std::vector<const Sequence*> all() const {
    std::vector<const Sequence*> some{window, rank, target, datatype};
    if (count) some.push_back(count);
    return some;
  }
  bool is_line(const Sequence* sequence) const {
    return sequence == count || (sequence == target && mpi::stays_in_buffer(target->values[1]));
  }

  const Sequence *window, *rank, *target, *datatype;
  const Sequence* count;  ///< nullptr: one element
};

class Targets {
 public:
  Targets(const Skeleton& skeleton, const Places& places)
      : skeleton_(skeleton), places_(places), attached_(attached_slots(skeleton)) {
    for (const LocationData& location : skeleton.locations)
      if (location.where.thread == 0)
        for (const Communicator& window : location.windows) of_rank_[{window.identity, window.rank}] = &location;
    for (l_ = 0; skeleton.edited && l_ < skeleton.locations.size(); ++l_) {
      std::size_t made = 0;
      if (skeleton.locations[l_].where.thread == 0) find_parts(skeleton.program, made);
    }
  }

  void location(std::uint32_t l) {
    l_ = l;
    if (skeleton_.locations[l].where.thread == 0) made_.clear();
    holds_ = made_;  // threads use what the main thread made at any time
    windows_.clear();
    for (const Communicator& window : skeleton_.locations[l].windows) windows_[window.slot].push_back(&window);
    block(skeleton_.program, 1);
    for (const Pool& pool : skeleton_.pools) body(pool.body, pool.ends.size());
  }

 private:
  /// What a rank gives to a window.
  struct Part {
    std::int64_t bytes, unit;
  };

  bool makes_windows(const Block& nodes) const {
    return std::ranges::any_of(nodes, [&](const Node& node) {
      return node.position(l_) >= 0 &&
             (node.is_loop() ? makes_windows(node.loop().body) : node.call().function->kind == Kind::win_create);
    });
  }

  /// Parts of the windows that the location makes before a loop makes some; made: how many, null windows left out. Of
  /// shared windows, where the next rank's part may follow, and dynamic ones they are not known.
  void find_parts(const Block& nodes, std::size_t& made) {
    const auto& windows = skeleton_.locations[l_].windows;
    for (const Node& node : nodes) {
      const int found = node.position(l_);
      if (found < 0) continue;
      if (node.is_loop()) {
        if (makes_windows(node.loop().body)) return;
        continue;
      }
      const mpi::Function& function = *node.call().function;
      if (function.kind != Kind::win_create) continue;
      const auto value = [&](Role role) {
        return node.call()
            .arguments[static_cast<std::size_t>(function.find(role))]
            .of(static_cast<std::size_t>(found))
            .at(0);
      };
      const std::int64_t slot = value(Role::win);
      if (slot < 0) continue;
      if (made == windows.size() || windows[made].slot != slot) return;  // the lines say something else
      const Communicator& window = windows[made++];
      if (function.way == mpi::Way::given || function.way == mpi::Way::allocated)
        parts_[{window.identity, window.rank}] = {value(Role::aint), value(Role::integer)};
    }
  }

  [[noreturn]] void fail(const std::string& text) const {
    const mpi::Function& function = *at_->call().function;
    const auto& target = function.parameters[static_cast<std::size_t>(function.find(Role::target))];
    throw Error(Code::corrupt, places_.of(at_), {}, fmt::format("{} of {}: {}", target.name, function.name, text));
  }

  void block(const Block& nodes, std::uint64_t occurrences) {
    for (const Node& node : nodes) {
      const int found = node.position(l_);
      if (found < 0) continue;
      const auto p = static_cast<std::size_t>(found);
      at_ = &node;
      if (node.is_loop()) {
        body(node.loop().body, iterations(node, p, occurrences));
      } else if (node.call().function->kind == Kind::win_create) {
        create(node.call(), p, occurrences, false);
      } else if (node.call().function->find(Role::target) >= 0) {
        check(Access(node.call(), p), occurrences);
      }
    }
  }

  /// A later iteration may use what an earlier one made below.
  void body(const Block& nodes, std::uint64_t occurrences) {
    const auto before = holds_;
    if (occurrences > 1) collect(nodes, occurrences);
    block(nodes, occurrences);
    for (const auto& [slot, kinds] : before) holds_[slot] |= kinds;  // it may have been entered for no trips
  }

  void collect(const Block& nodes, std::uint64_t occurrences) {
    for (const Node& node : nodes) {
      const int found = node.position(l_);
      if (found < 0) continue;
      const auto p = static_cast<std::size_t>(found);
      if (node.is_loop())
        collect(node.loop().body, iterations(node, p, occurrences));
      else if (node.call().function->kind == Kind::win_create)
        create(node.call(), p, occurrences, true);
    }
  }

  std::uint64_t iterations(const Node& node, std::size_t p, std::uint64_t occurrences) {
    return static_cast<std::uint64_t>(iterations_.of(node.loop().trips.of(p), occurrences));
  }

  /// The call makes windows. among: its slots may hold what they held before, too.
  void create(const Call& call, std::size_t p, std::uint64_t occurrences, bool among) {
    const unsigned kind = call.function->way == mpi::Way::dynamic ? kDynamic : kOrdinary;
    const Sequence& slots = call.arguments[static_cast<std::size_t>(call.function->find(Role::win))].of(p);
    for (const auto& [slot, all] : windows_) {
      if (!slots.takes(slot, occurrences)) continue;
      made_[slot] |= kind;
      holds_[slot] = among || slots.kind != Sequence::Kind::constant ? holds_[slot] | kind : kind;
    }
  }

  void check(const Access& access, std::uint64_t occurrences) {
    if (!checked_.insert(key(access, occurrences)).second) return;
    Decisive decisive;
    for (const Sequence* sequence : access.all()) decisive.add(*sequence, access.is_line(sequence), occurrences);
    visited_ += decisive.each(occurrences, kMostLookedAt - visited_, [&](std::uint64_t k) { check_one(access, k); });
    if (visited_ >= kMostLookedAt) fail("changes in too many ways to find out where it leads");
  }

  /// Equal for locations whose calls name the same.
  std::vector<std::int64_t> key(const Access& access, std::uint64_t occurrences) {
    std::vector<std::int64_t> key{static_cast<std::int64_t>(occurrences)};
    for (const Sequence* sequence : access.all()) key.push_back(reinterpret_cast<std::intptr_t>(sequence));
    for (const std::int64_t slot : access.window->values) {
      if (access.window->kind == Sequence::Kind::arithmetic) return key.push_back(-1 - std::int64_t{l_}), key;
      key.push_back(holds_[slot]);
      for (const Communicator* window : windows_[slot]) key.push_back(static_cast<std::int64_t>(window->identity));
    }
    return key;
  }

  void check_one(const Access& access, std::uint64_t k) {
    const std::int64_t window = access.window->at(k), rank = access.rank->at(k), target = access.target->at(k),
                       count = access.count ? access.count->at(k) : 1;
    const bool moves = rank >= 0 && count > 0;
    if (target < 0) fail(fmt::format("{} is no displacement", target));
    const unsigned holds = holds_[window];
    if (!mpi::is_place(target)) {
      if (moves && holds == kDynamic)
        fail(fmt::format("{} in the dynamic window w{}; name a place in a buffer that is attached, like b0+8", target,
                         window));
      if (moves && holds == kOrdinary) stays(access, k);
      return;
    }
    const std::int64_t slot = mpi::slot_of(target), offset = mpi::offset_of(target);
    if (!(holds & kDynamic)) fail(fmt::format("b{}+{} in w{}, which is no dynamic window", slot, offset, window));
    if (!std::ranges::binary_search(attached_, slot)) fail(fmt::format("no rank attaches b{} to a window", slot));
    if (!moves) return;
    const __int128 end = offset + bytes(access.datatype->at(k), count);
    std::uint64_t most = 0;
    for (const Communicator* one : windows_[window]) most = std::max(most, bytes_of(one->identity, rank, slot));
    if (end > static_cast<__int128>(most))
      fail(fmt::format("ends behind b{} of rank {} of w{}, which has {} bytes", slot, rank, window, most));
  }

  /// What the call names lies in one of the windows that the slot may hold, unless something is not known of them.
  void stays(const Access& access, std::uint64_t k) const {
    const std::int64_t slot = access.window->at(k), rank = access.rank->at(k), target = access.target->at(k),
                       datatype = access.datatype->at(k);
    const auto windows = windows_.find(slot);
    if (datatype >= mpi::kMade || windows == windows_.end()) return;
    const __int128 length = bytes(datatype, access.count ? access.count->at(k) : 1);
    const Part* largest = nullptr;
    for (const Communicator* window : windows->second) {
      const auto part = parts_.find({window->identity, rank});
      if (part == parts_.end() || static_cast<__int128>(target) * part->second.unit + length <= part->second.bytes)
        return;
      if (!largest || part->second.bytes > largest->bytes) largest = &part->second;
    }
    fail(fmt::format("{} x {} bytes lead out of w{} of rank {}; expected an end in its {} bytes", target, largest->unit,
                     slot, rank, largest->bytes));
  }

  /// At least; of datatypes that the program made, only that there is something.
  __int128 bytes(std::int64_t datatype, std::int64_t count) const {
    if (datatype < 0 || datatype >= std::ssize(skeleton_.names)) return 1;
    const auto n = static_cast<std::size_t>(datatype);
    return static_cast<__int128>(count - 1) * extent_of(skeleton_.names[n], skeleton_.name_bytes[n]) +
           skeleton_.name_bytes[n];
  }

  /// Of the buffer slot of this rank of a window.
  std::uint64_t bytes_of(std::uint64_t window, std::int64_t rank, std::int64_t slot) const {
    const auto location = of_rank_.find({window, rank});
    if (location == of_rank_.end() || slot >= std::ssize(location->second->buffer_bytes)) return 0;
    return location->second->buffer_bytes[static_cast<std::size_t>(slot)];
  }

  const Skeleton& skeleton_;
  const Places& places_;
  const std::vector<std::int64_t> attached_;
  std::map<std::pair<std::uint64_t, std::int64_t>, const LocationData*> of_rank_;  ///< by window and rank in it
  std::map<std::pair<std::uint64_t, std::int64_t>, Part> parts_;  ///< the same, as far as they are known
  std::uint32_t l_ = 0;
  const Node* at_ = nullptr;
  std::map<std::int64_t, unsigned> holds_, made_;                     ///< by window slot: now; by the main thread
  std::map<std::int64_t, std::vector<const Communicator*>> windows_;  ///< of the location, by slot
  skeleton::Iterations iterations_;
  std::set<std::vector<std::int64_t>> checked_;
  std::uint64_t visited_ = 0;
};

}  // namespace

void check_targets(const Skeleton& skeleton, const Places& places) {
  if (std::ranges::all_of(skeleton.locations, [](const LocationData& l) { return l.windows.empty(); })) return;
  Targets targets(skeleton, places);
  for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l) targets.location(l);
}

}  // namespace skelgen::text
