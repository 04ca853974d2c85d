// A program that was edited or written by hand: what it needs that nobody wrote, and what does not fit any more.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>

#include "mpi/layout.h"
#include "skeleton/trips.h"
#include "support/error.h"
#include "text/valid.h"

namespace skelgen::text {
namespace {

using mpi::Role;

constexpr std::uint64_t kMostVisited = std::uint64_t{1} << 26;  ///< occurrences that are looked at one by one
constexpr std::uint64_t kMostBuffers = std::uint64_t{1} << 24;  ///< of all locations, that nobody gave the size of

[[noreturn]] void fail(const Places& places, const Node* node, const std::string& text) {
  throw Error(Code::corrupt, places.of(node), {}, text);
}

/// The fewest trips of so many executions.
double least(const Sequence& trips, std::uint64_t times) {
  const double first = static_cast<double>(trips.values[0]);
  if (trips.kind == Sequence::Kind::arithmetic)
    return std::min(first, first + static_cast<double>(trips.values[1]) * (static_cast<double>(times) - 1));
  return static_cast<double>(*std::ranges::min_element(trips.values));
}

/// Sums of trips that cannot overflow.
class Calls {
 public:
  Calls(const Places& places, double most) : places_(places), most_(most) {}

  void block(const Block& nodes, const std::vector<std::uint64_t>& occurrences) {
    for (const Node& node : nodes) {
      std::vector<std::uint64_t> inside(node.is_loop() ? occurrences.size() : 0, 0);
      for (std::size_t p = 0; p < node.where.size(); ++p) {
        const std::uint64_t times = occurrences[node.where[p]];
        if (node.is_loop()) inside[node.where[p]] = trips(node, p, times);
        sum_ += static_cast<double>(node.is_loop() ? inside[node.where[p]] : times);
      }
      if (sum_ > most_)
        fail(places_, &node, fmt::format("with this statement the locations make more than {:g} calls", most_));
      if (node.is_loop()) block(node.loop().body, inside);
    }
  }

 private:
  std::uint64_t trips(const Node& node, std::size_t p, std::uint64_t times) {
    const Sequence& trips = node.loop().trips.of(p);
    return known_.of(trips, times, [&] {
      const auto all = iterations(trips, times, most_);
      if (!all && least(trips, times) < 0) fail(places_, &node, "a loop of less than no trips");
      if (!all) fail(places_, &node, fmt::format("a loop of more than {:g} iterations in all", most_));
      return *all;
    });
  }

  const Places& places_;
  const double most_;
  double sum_ = 0;
  skeleton::ByTrips<std::uint64_t> known_;
};

bool fits(const Samples& samples, const Node& top, const Node& node) {
  for (std::size_t p = 0; p < samples.of.size(); ++p) {
    const int at = top.position(node.where[p]);
    const auto trips = at < 0 ? 0 : top.loop().trips.of(static_cast<std::size_t>(at)).at(0);
    if (samples.of[p].ends.size() > static_cast<std::uint64_t>(std::max<std::int64_t>(0, trips))) return false;
  }
  return true;
}

void fit(const Node& top, Node& node) {
  if (!fits(node.before.samples, top, node)) node.before.samples = {};
  if (!node.is_loop()) return;
  if (!fits(node.loop().between.samples, top, node)) node.loop().between.samples = {};
  for (Node& child : node.loop().body) fit(top, child);
}

/// A predefined datatype; nothing: it is none.
std::optional<mpi::Layout> predefined(const Skeleton& skeleton, std::int64_t datatype) {
  if (datatype < 0 || datatype >= std::ssize(skeleton.names)) return {};
  const auto n = static_cast<std::size_t>(datatype);
  // The skeleton's MPI may have the usual size, whatever the text says.
  const std::int64_t bytes = std::max<std::int64_t>(skeleton.name_bytes[n], mpi::datatype_size(skeleton.names[n]));
  return mpi::predefined_layout(skeleton.names[n], bytes, extent_of(skeleton.names[n], bytes));
}

/// The elements of an array argument; of an id that is none, none.
std::span<const std::int64_t> elements_of(const Skeleton& skeleton, std::int64_t id) {
  if (id < 0 || id >= std::ssize(skeleton.arrays)) return {};
  return skeleton.arrays[static_cast<std::size_t>(id)];
}

/// The datatypes that a location has made, by slot. A slot has several layouts where a loop makes another one each time.
using Made = std::map<std::int64_t, std::vector<mpi::Layout>>;

/// The datatypes that all locations have made, while their calls are visited in order.
class Datatypes {
 public:
  Datatypes(const Skeleton& skeleton, const Places& places) : skeleton_(skeleton), places_(places) {
    const auto makes = [](const auto& of) { return skeleton::has(of, mpi::Kind::type_create); };
    if (makes(skeleton.program) || std::ranges::any_of(skeleton.pools, makes, &Pool::body))
      made_.resize(skeleton.locations.size());
  }

  const Made& of(std::uint32_t location) const {
    static const Made kNone;
    return made_.empty() ? kNone : made_[location];
  }

  const std::vector<Made>& now() const { return made_; }
  /// They may also be what they were then.
  void add(const std::vector<Made>& then) {
    for (std::size_t l = 0; l < then.size(); ++l)
      for (const auto& [slot, layouts] : then[l])
        for (const mpi::Layout& one : layouts) add(made_[l][slot], one);
  }

  /// The call makes one, if it does, so often.
  void call(const Node& node, std::size_t position, std::uint64_t occurrences) {
    const Call& call = node.call();
    const int slot = call.function->find(Role::newtype);
    if (call.function->kind != mpi::Kind::type_create || slot < 0) return;
    Decisive decisive;
    for (const auto& argument : call.arguments) decisive.add(argument.of(position), false, occurrences);
    Made fresh;
    visited_ += decisive.each(occurrences, kMostVisited - visited_, [&](std::uint64_t k) {
      std::vector<std::vector<mpi::Layout>> olds;
      std::vector<mpi::Value> values;
      for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        const Role role = mpi::written_role(*call.function, call.function->parameters[i]);
        mpi::Value& value = values.emplace_back(mpi::Value{call.arguments[i].of(position).at(k), {}});
        if (is_array(role)) value.array = elements_of(skeleton_, value.scalar);
        if (role == Role::datatype) olds.push_back(layouts(node.where[position], value.scalar));
        if (role == Role::datatypes)
          for (const std::int64_t one : value.array) olds.push_back(layouts(node.where[position], one));
      }
      const std::int64_t made = values[static_cast<std::size_t>(slot)].scalar;
      if (made < 0) return;  // MPI_DATATYPE_NULL
      make(node, fresh[made < mpi::kMade ? made + mpi::kMade : made], values, olds);
    });
    if (visited_ >= kMostVisited) too_many(node);
    for (auto& [made, layouts] : fresh) made_[node.where[position]][made] = std::move(layouts);
  }

 private:
  static constexpr std::size_t kMostLayouts = 4096;  ///< of a slot

  static void add(std::vector<mpi::Layout>& layouts, const mpi::Layout& one) {
    if (std::ranges::find(layouts, one) == layouts.end()) layouts.push_back(one);
  }

  std::vector<mpi::Layout> layouts(std::uint32_t location, std::int64_t datatype) const {
    if (const auto one = predefined(skeleton_, datatype)) return {*one};
    const auto made = made_[location].find(datatype);
    return made == made_[location].end() ? std::vector<mpi::Layout>{} : made->second;
  }

  /// Of each choice among what its datatypes may be.
  void make(const Node& node, std::vector<mpi::Layout>& made, const std::vector<mpi::Value>& values,
            const std::vector<std::vector<mpi::Layout>>& olds) const {
    const mpi::Function& function = *node.call().function;
    if (std::ranges::any_of(olds, &std::vector<mpi::Layout>::empty)) return;
    if (olds.empty() && function.way != mpi::Way::structure) return;  // a parametrized basic type
    std::vector<std::size_t> choice(olds.size(), 0);
    for (std::size_t tried = 0;; ++tried) {
      if (tried == kMostLayouts || made.size() == kMostLayouts) too_many(node);
      std::vector<mpi::Layout> chosen;
      for (std::size_t i = 0; i < olds.size(); ++i) chosen.push_back(olds[i][choice[i]]);
      try {
        add(made, mpi::made_layout(function, values, chosen));
      } catch (const Error& error) {
        fail(places_, &node, fmt::format("{}: {}", function.name, error.what()));
      }
      std::size_t i = 0;
      while (i < choice.size() && ++choice[i] == olds[i].size()) choice[i++] = 0;
      if (i == choice.size()) return;
    }
  }

  [[noreturn]] void too_many(const Node& node) const {
    fail(places_, &node,
         fmt::format("{} changes in too many ways to find out the sizes of buffers", node.call().function->name));
  }

  const Skeleton& skeleton_;
  const Places& places_;
  std::vector<Made> made_;     // by location; empty: no call makes one
  std::uint64_t visited_ = 0;  // occurrences
};

/// What the buffers of a call need, for one location.
class Needs {
 public:
  Needs(const Skeleton& skeleton, const Datatypes& datatypes, const Node& node, std::size_t position)
      : skeleton_(skeleton),
        made_(datatypes.of(node.where[position])),
        call_(node.call()),
        p_(position),
        comm_(call_.function->find(Role::comm)),
        root_(call_.function->find(Role::root)) {
    if (comm_ < 0) return;
    const Sequence& slots = sequence(comm_);
    for (const Communicator& c : skeleton.locations[node.where[position]].communicators)
      if (slots.kind != Sequence::Kind::constant || c.slot == slots.values[0]) communicators_.push_back(&c);
  }

  /// Calls `need(slot, bytes)` for what the buffer that is parameter i needs at some of so many occurrences, among which
  /// are those where it needs most. Returns how many those are; stops at `most`.
  std::uint64_t of(std::size_t i, std::uint64_t occurrences, std::uint64_t most, const auto& need) const {
    Decisive decisive;
    for (const int other : related(i)) {
      const Sequence& own = sequence(other);
      decisive.add(own, own.kind == Sequence::Kind::arithmetic && is_line(i, other, own.values[1]), occurrences);
    }
    return decisive.each(occurrences, most, [&](std::uint64_t k) {
      const std::int64_t buffer = at(static_cast<int>(i), k), slot = mpi::slot_of(buffer);
      if (slot >= 0)
        need(static_cast<std::size_t>(slot), mpi::offset_of(buffer) + bytes(parameter(static_cast<int>(i)), k));
    });
  }

  /// Equal for locations whose buffer needs the same.
  std::vector<std::int64_t> key(std::size_t i, std::uint64_t occurrences) const {
    std::vector<std::int64_t> key{static_cast<std::int64_t>(i), static_cast<std::int64_t>(occurrences)};
    for (const int other : related(i)) {
      key.push_back(reinterpret_cast<std::intptr_t>(&sequence(other)));
      each_made(other, [&](std::int64_t slot, const std::vector<mpi::Layout>& layouts) {
        key.insert(key.end(), {slot, std::ssize(layouts)});
        for (const mpi::Layout& one : layouts) key.insert(key.end(), {one.lb, one.ub, one.true_ub});
      });
    }
    const mpi::Parameter& buffer = parameter(static_cast<int>(i));
    for (const Communicator* c : communicators_) {
      key.insert(key.end(), {c->slot, c->size, c->peers_size(), c->inter(), c->sources, c->destinations});
      if (buffer.own_share) key.push_back(c->rank);
      if (buffer.not_first) key.push_back(c->rank == 0);
      if (!buffer.root_only || root_ < 0) continue;
      const Sequence& roots = sequence(root_);
      key.push_back(roots.kind == Sequence::Kind::constant ? mpi::uses(buffer, *c, roots.values[0], false) : c->rank);
    }
    return key;
  }

 private:
  const mpi::Parameter& parameter(int i) const { return call_.function->parameters[static_cast<std::size_t>(i)]; }
  const Sequence& sequence(int parameter) const { return call_.arguments[static_cast<std::size_t>(parameter)].of(p_); }
  std::int64_t at(int parameter, std::uint64_t k) const { return sequence(parameter).at(k); }
  std::span<const std::int64_t> array(int parameter, std::uint64_t k) const {
    return elements_of(skeleton_, at(parameter, k));
  }
  /// With an argument that steps on like this, the need of the buffer does so, too.
  bool is_line(std::size_t buffer, int argument, std::int64_t step) const {
    if (argument == static_cast<int>(buffer)) return mpi::stays_in_buffer(step);
    return parameter(argument).role == Role::count && argument != parameter(static_cast<int>(buffer)).times;
  }
  bool in_place(std::uint64_t k) const {
    for (std::size_t i = 0; i < call_.arguments.size(); ++i)
      if (parameter(static_cast<int>(i)).role == Role::buffer && at(static_cast<int>(i), k) == mpi::kInPlace)
        return true;
    return false;
  }

  /// The parameters that say what the buffer that is parameter i needs, itself among them.
  std::vector<int> related(std::size_t i) const {
    const mpi::Parameter& buffer = parameter(static_cast<int>(i));
    std::vector<int> all;
    for (const int other : {static_cast<int>(i), buffer.count, buffer.displs, buffer.datatype, buffer.times, comm_,
                            buffer.root_only ? root_ : -1})
      if (other >= 0) all.push_back(other);
    for (std::size_t other = 0; (buffer.own_share || buffer.not_first) && other < call_.arguments.size(); ++other)
      if (parameter(static_cast<int>(other)).role == Role::buffer) all.push_back(static_cast<int>(other));
    return all;
  }

  /// Calls visit(slot, layouts) for each datatype that the program made among the values of a parameter.
  void each_made(int parameter, const auto& visit) const {
    const Role role = this->parameter(parameter).role;
    if (made_.empty() || (role != Role::datatype && role != Role::datatypes)) return;
    const auto one = [&](std::int64_t slot) {
      if (const auto made = made_.find(slot); made != made_.end()) visit(slot, made->second);
    };
    for (const std::int64_t value : sequence(parameter).values) {
      if (role == Role::datatype) one(value);
      if (role == Role::datatypes)
        for (const std::int64_t each : elements_of(skeleton_, value)) one(each);
    }
  }

  /// Calls visit(layout) for each that the datatype may be: none that is not known.
  void each_layout(std::int64_t datatype, const auto& visit) const {
    if (const auto one = predefined(skeleton_, datatype)) return visit(*one);
    const auto made = made_.find(datatype);
    if (made != made_.end())
      for (const mpi::Layout& one : made->second) visit(one);
  }
  /// The byte behind so many elements, the first of them at `begin`.
  static __int128 end(const mpi::Layout& layout, __int128 begin, __int128 count) {
    if (count <= 0) return 0;
    return std::max(begin, begin + (count - 1) * layout.extent()) + layout.true_ub;
  }

  /// Most of all communicators that have had the slot.
  std::int64_t bytes(const mpi::Parameter& parameter, std::uint64_t k) const {
    std::optional<std::int64_t> most;
    for (const Communicator* c : communicators_)
      if (c->slot == at(comm_, k)) most = std::max(most.value_or(0), bytes(parameter, c, k));
    return most ? *most : bytes(parameter, nullptr, k);
  }

  std::int64_t bytes(const mpi::Parameter& parameter, const Communicator* comm, std::uint64_t k) const {
    const auto& parameters = call_.function->parameters;
    if (parameter.datatype < 0) return parameter.count < 0 ? 0 : narrow(at(parameter.count, k));
    if (comm && !mpi::uses(parameter, *comm, root_ < 0 ? std::nullopt : std::optional(at(root_, k)), in_place(k)))
      return 0;
    __int128 most = 0;
    if (parameters[static_cast<std::size_t>(parameter.datatype)].role == Role::datatypes) {
      const auto counts = array(parameter.count, k), displs = array(parameter.displs, k),
                 types = array(parameter.datatype, k);
      for (std::size_t i = 0; i < std::min({counts.size(), displs.size(), types.size()}); ++i)
        each_layout(types[i],
                    [&](const mpi::Layout& layout) { most = std::max(most, end(layout, displs[i], counts[i])); });
      return narrow(most);
    }
    each_layout(at(parameter.datatype, k), [&](const mpi::Layout& layout) {
      if (parameter.displs < 0) {
        most = std::max(most, end(layout, 0, elements(parameter, comm, k)));
        return;
      }
      const auto counts = array(parameter.count, k), displs = array(parameter.displs, k);
      for (std::size_t i = 0; i < std::min(counts.size(), displs.size()); ++i)
        most = std::max(most, end(layout, static_cast<__int128>(displs[i]) * layout.extent(), counts[i]));
    });
    return narrow(most);
  }

  __int128 elements(const mpi::Parameter& buffer, const Communicator* comm, std::uint64_t k) const {
    const bool own = buffer.own_share && comm && !in_place(k);
    mpi::Amount amount;
    if (buffer.count >= 0 && is_array(parameter(buffer.count).role))
      amount.counts = array(buffer.count, k);
    else if (buffer.count >= 0)
      amount.count = at(buffer.count, k);
    if (buffer.times >= 0) amount.times = at(buffer.times, k);
    return mpi::elements(buffer, amount, comm, own);
  }

  /// More than the largest buffer is as much as twice that.
  static std::int64_t narrow(__int128 bytes) {
    return static_cast<std::int64_t>(std::clamp<__int128>(bytes, 0, 2 * mpi::kLargestBuffer));
  }

  const Skeleton& skeleton_;
  const Made& made_;
  const Call& call_;
  const std::size_t p_;
  const int comm_, root_;                           ///< parameters, or -1
  std::vector<const Communicator*> communicators_;  ///< that may be the call's
};

class Buffers {
 public:
  Buffers(Skeleton& skeleton, const Places& places)
      : skeleton_(skeleton), places_(places), datatypes_(skeleton, places) {}

  /// Datatypes are then what the calls before have made. only_made: no buffers are looked at.
  void block(const Block& nodes, const std::vector<std::uint64_t>& occurrences, bool only_made = false) {
    for (const Node& node : nodes) {
      if (!node.is_loop()) {
        if (!only_made) call(node, occurrences);
        for (std::size_t p = 0; p < node.where.size(); ++p)
          if (const std::uint64_t times = occurrences[node.where[p]]; times > 0) datatypes_.call(node, p, times);
        continue;
      }
      std::vector<std::uint64_t> inside(occurrences.size(), 0);
      skeleton::Iterations iterations;
      for (std::size_t p = 0; p < node.where.size(); ++p)
        inside[node.where[p]] =
            static_cast<std::uint64_t>(iterations.of(node.loop().trips.of(p), occurrences[node.where[p]]));
      if (!only_made && skeleton::has(node.loop().body, mpi::Kind::type_create)) {
        // An iteration begins with what was made before the loop, or by the iteration before.
        const std::vector<Made> before = datatypes_.now();
        block(node.loop().body, inside, true);
        datatypes_.add(before);
      }
      block(node.loop().body, inside, only_made);
    }
  }

 private:
  using Sizes = std::map<std::size_t, std::int64_t>;  ///< by slot

  void call(const Node& node, const std::vector<std::uint64_t>& occurrences) {
    std::map<std::vector<std::int64_t>, Sizes> known;
    for (std::size_t p = 0; p < node.where.size(); ++p) {
      const Needs needs(skeleton_, datatypes_, node, p);
      const std::uint64_t times = occurrences[node.where[p]];
      for (std::size_t i = 0; i < node.call().arguments.size(); ++i) {
        if (node.call().function->parameters[i].role != Role::buffer || times == 0) continue;
        const auto [entry, added] = known.try_emplace(needs.key(i, times));
        if (added) find(node, needs, i, times, entry->second);
        grow(node, skeleton_.locations[node.where[p]].buffer_bytes, entry->second);
      }
    }
  }

  void find(const Node& node, const Needs& needs, std::size_t i, std::uint64_t occurrences, Sizes& sizes) {
    visited_ += needs.of(i, occurrences, kMostVisited - visited_, [&](std::size_t slot, std::int64_t bytes) {
      auto& most = sizes[slot];
      most = std::max(most, bytes);
      if (sizes.size() > kMostBuffers) refuse_slot(node, slot);
    });
    if (visited_ >= kMostVisited)
      fail(places_, &node,
           fmt::format("{} changes in too many ways to find out the sizes of buffers", node.call().function->name));
  }

  void grow(const Node& node, std::vector<std::uint64_t>& buffers, const Sizes& sizes) {
    for (const auto& [slot, bytes] : sizes) {
      if (bytes > mpi::kLargestBuffer)
        fail(places_, &node, fmt::format("{} needs a buffer of more than 2^40 bytes", node.call().function->name));
      if (buffers.size() <= slot) {
        added_ += slot + 1 - buffers.size();
        if (added_ > kMostBuffers) refuse_slot(node, slot);
        buffers.resize(slot + 1, 0);
      }
      buffers[slot] = std::max(buffers[slot], static_cast<std::uint64_t>(bytes));
    }
  }

  [[noreturn]] void refuse_slot(const Node& node, std::size_t slot) const {
    fail(places_, &node, fmt::format("buffer b{}: number them from 0 on", slot));
  }

  Skeleton& skeleton_;
  const Places& places_;
  Datatypes datatypes_;
  std::uint64_t added_ = 0;    // to those that were given
  std::uint64_t visited_ = 0;  // occurrences
};

}  // namespace

std::int64_t extent_of(std::string_view name, std::int64_t bytes) {
  if (name == "MPI_DOUBLE_INT" || name == "MPI_LONG_INT") return 16;
  if (name == "MPI_LONG_DOUBLE_INT") return 32;
  return name == "MPI_SHORT_INT" ? 8 : bytes;
}

std::optional<std::uint64_t> iterations(const Sequence& trips, std::uint64_t times, double most) {
  if (times == 0) return 0;
  if (least(trips, times) < 0) return {};
  const auto n = static_cast<double>(times);
  if (trips.kind == Sequence::Kind::arithmetic) {
    const double first = static_cast<double>(trips.values[0]), step = static_cast<double>(trips.values[1]);
    if (std::max(first, first + step * (n - 1)) * n > most) return {};
    return static_cast<std::uint64_t>(trips.sum(times));
  }
  double all = 0;
  for (const std::int64_t once : trips.values) all += static_cast<double>(once);
  const bool table = trips.kind == Sequence::Kind::table;
  const auto size = static_cast<double>(trips.values.size());
  if (all > most || (!table && all * std::floor(n / size) > most)) return {};
  return static_cast<std::uint64_t>(trips.sum(table ? std::min(times, std::uint64_t{trips.values.size()}) : times));
}

std::uint64_t common_period(std::uint64_t a, std::uint64_t b, std::uint64_t most) {
  const auto both = static_cast<unsigned __int128>(a / std::gcd(a, b)) * b;
  return both < most ? static_cast<std::uint64_t>(both) : most;
}

void refuse_too_many_calls(const Skeleton& skeleton, const Places& places, double most) {
  Calls calls(places, most);
  calls.block(skeleton.program, std::vector<std::uint64_t>(skeleton.locations.size(), 1));
  for (const Pool& pool : skeleton.pools)
    calls.block(pool.body, std::vector<std::uint64_t>(skeleton.locations.size(), pool.ends.size()));
}

void fit_samples(Skeleton& skeleton) {
  for (Node& node : skeleton.program)
    if (node.is_loop()) {
      if (!fits(node.loop().between.samples, node, node)) node.loop().between.samples = {};
      for (Node& child : node.loop().body) fit(node, child);
    }
}

void fit_buffers(Skeleton& skeleton, const Places& places) {
  Buffers buffers(skeleton, places);
  buffers.block(skeleton.program, std::vector<std::uint64_t>(skeleton.locations.size(), 1));
  for (const Pool& pool : skeleton.pools)
    buffers.block(pool.body, std::vector<std::uint64_t>(skeleton.locations.size(), pool.ends.size()));
}

}  // namespace skelgen::text
