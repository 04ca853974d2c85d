// A program that was edited or written by hand: what it needs that nobody wrote, and what does not fit any more.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "skeleton/valid.h"
#include "support/error.h"

namespace skelgen::skeleton {
namespace {

using mpi::Role;

constexpr std::uint64_t kMostOccurrences = 10'000'000;          ///< of a statement that are looked at one by one
constexpr std::uint64_t kMostBuffers = std::uint64_t{1} << 24;  ///< of all locations, that nobody gave the size of

[[noreturn]] void fail(const Places& places, const Node* node, const std::string& text) {
  throw Error(Code::corrupt, places.of(node), {}, text);
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
  /// Of so many executions, as far as a table has values for them.
  std::uint64_t trips(const Node& node, std::size_t p, std::uint64_t times) const {
    const Sequence& trips = node.loop().trips.of(p);
    const auto refuse = [&] { fail(places_, &node, fmt::format("a loop of more than {:g} iterations in all", most_)); };
    if (times == 0) return 0;
    const auto n = static_cast<double>(times);
    if (trips.kind == Sequence::Kind::arithmetic) {
      const double first = static_cast<double>(trips.values[0]), step = static_cast<double>(trips.values[1]);
      const double last = first + step * (n - 1);
      if (first < 0 || last < 0) fail(places_, &node, "a loop of less than no trips");
      if (std::max(first, last) * n > most_) refuse();
      return static_cast<std::uint64_t>(trips.sum(times));
    }
    double all = 0;
    for (const std::int64_t once : trips.values) {
      if (once < 0) fail(places_, &node, "a loop of less than no trips");
      all += static_cast<double>(once);
    }
    const bool table = trips.kind == Sequence::Kind::table;
    const auto size = static_cast<double>(trips.values.size());
    if (all > most_ || (!table && all * std::floor(n / size) > most_)) refuse();
    return static_cast<std::uint64_t>(trips.sum(table ? std::min(times, std::uint64_t{trips.values.size()}) : times));
  }

  const Places& places_;
  const double most_;
  double sum_ = 0;
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

/// Bytes from one element of a predefined datatype to the next.
std::int64_t extent_of(std::string_view name, std::int64_t bytes) {
  if (name == "MPI_DOUBLE_INT" || name == "MPI_LONG_INT") return 16;
  if (name == "MPI_LONG_DOUBLE_INT") return 32;
  return name == "MPI_SHORT_INT" ? 8 : bytes;
}

/// What the buffers of a call need, for one location.
class Needs {
 public:
  Needs(const Skeleton& skeleton, const Node& node, std::size_t position)
      : skeleton_(skeleton), call_(node.call()), p_(position), l_(node.where[position]) {}

  /// Calls `need(slot, bytes)` for what the buffer that is parameter i needs at any of so many occurrences.
  void of(std::size_t i, std::uint64_t occurrences, const auto& need) const {
    const mpi::Parameter& parameter = call_.function->parameters[i];
    std::uint64_t n = 1;
    bool varies = false;
    for (const int other : {static_cast<int>(i), parameter.count, parameter.displs, parameter.datatype, parameter.times,
                            call_.function->find(Role::comm), call_.function->find(Role::root)}) {
      if (other < 0) continue;
      const Sequence& own = call_.arguments[static_cast<std::size_t>(other)].of(p_);
      if (own.kind == Sequence::Kind::periodic) n = std::min(kMostOccurrences, std::lcm(n, own.values.size()));
      varies = varies || own.kind == Sequence::Kind::arithmetic || own.kind == Sequence::Kind::table;
    }
    n = std::min({varies ? occurrences : n, occurrences, kMostOccurrences});
    for (std::uint64_t k = 0; k < n; ++k) {
      const std::int64_t buffer = at(static_cast<int>(i), k), slot = mpi::slot_of(buffer);
      if (slot >= 0) need(static_cast<std::size_t>(slot), mpi::offset_of(buffer) + bytes(parameter, k));
    }
  }

 private:
  std::int64_t at(int parameter, std::uint64_t k) const {
    return call_.arguments[static_cast<std::size_t>(parameter)].of(p_).at(k);
  }
  const std::vector<std::int64_t>& array(int parameter, std::uint64_t k) const {
    static const std::vector<std::int64_t> kNone;
    const auto id = static_cast<std::uint64_t>(at(parameter, k));
    return id < skeleton_.arrays.size() ? skeleton_.arrays[id] : kNone;
  }
  /// 0: the datatype is not predefined, or there is none.
  std::int64_t extent(std::int64_t datatype) const {
    if (datatype < 0 || datatype >= static_cast<std::int64_t>(skeleton_.names.size())) return 0;
    const auto n = static_cast<std::size_t>(datatype);
    return extent_of(skeleton_.names[n], skeleton_.name_bytes[n]);
  }
  const Communicator* communicator(std::uint64_t k) const {
    const int comm = call_.function->find(Role::comm);
    if (comm < 0) return nullptr;
    for (const Communicator& c : skeleton_.locations[l_].communicators)
      if (c.slot == at(comm, k)) return &c;
    return nullptr;
  }

  std::int64_t bytes(const mpi::Parameter& parameter, std::uint64_t k) const {
    const auto& parameters = call_.function->parameters;
    const Communicator* comm = communicator(k);
    if (parameter.datatype < 0) return parameter.count < 0 ? 0 : narrow(at(parameter.count, k));
    const int root = call_.function->find(Role::root);
    if (parameter.root_only && root >= 0 && comm && at(root, k) != (comm->inter() ? mpi::kRoot : comm->rank)) return 0;
    __int128 most = 0;
    if (parameters[static_cast<std::size_t>(parameter.datatype)].role == Role::datatypes) {
      const auto &counts = array(parameter.count, k), &displs = array(parameter.displs, k),
                 &types = array(parameter.datatype, k);
      for (std::size_t i = 0; i < std::min({counts.size(), displs.size(), types.size()}); ++i)
        if (counts[i] > 0) most = std::max(most, displs[i] + static_cast<__int128>(counts[i]) * extent(types[i]));
      return narrow(most);
    }
    const __int128 extent = this->extent(at(parameter.datatype, k));
    if (extent == 0) return 0;
    if (parameter.displs >= 0) {
      const auto &counts = array(parameter.count, k), &displs = array(parameter.displs, k);
      for (std::size_t i = 0; i < std::min(counts.size(), displs.size()); ++i)
        if (counts[i] > 0) most = std::max(most, (static_cast<__int128>(displs[i]) + counts[i]) * extent);
      return narrow(most);
    }
    return narrow(elements(parameter, comm, k) * extent);
  }

  /// As normalization counts them.
  __int128 elements(const mpi::Parameter& parameter, const Communicator* comm, std::uint64_t k) const {
    if (parameter.count < 0) return 1;
    bool own = parameter.own_share && comm;
    for (std::size_t i = 0; own && i < call_.arguments.size(); ++i)
      own = call_.function->parameters[i].role != Role::buffer || at(static_cast<int>(i), k) != mpi::kInPlace;
    if (is_array(call_.function->parameters[static_cast<std::size_t>(parameter.count)].role)) {
      const auto& counts = array(parameter.count, k);
      if (own)
        return static_cast<std::size_t>(comm->rank) < counts.size() ? counts[static_cast<std::size_t>(comm->rank)] : 0;
      return std::accumulate(counts.begin(), counts.end(), __int128{0});
    }
    const __int128 count = at(parameter.count, k);
    if (parameter.times >= 0) return count * at(parameter.times, k);
    if (parameter.per_neighbour != mpi::Neighbours::none)
      return !comm ? 0
                   : count * std::max<std::int64_t>(0, parameter.per_neighbour == mpi::Neighbours::sources
                                                           ? comm->sources
                                                           : comm->destinations);
    return count * (parameter.per_rank && comm && !own ? comm->peers_size() : 1);
  }

  /// More than the largest buffer is as much as twice that.
  static std::int64_t narrow(__int128 bytes) {
    return static_cast<std::int64_t>(std::clamp<__int128>(bytes, 0, 2 * mpi::kLargestBuffer));
  }

  const Skeleton& skeleton_;
  const Call& call_;
  const std::size_t p_;
  const std::uint32_t l_;
};

class Buffers {
 public:
  Buffers(Skeleton& skeleton, const Places& places) : skeleton_(skeleton), places_(places) {}

  void block(const Block& nodes, const std::vector<std::uint64_t>& occurrences) {
    for (const Node& node : nodes) {
      std::vector<std::uint64_t> inside(node.is_loop() ? occurrences.size() : 0, 0);
      for (std::size_t p = 0; p < node.where.size(); ++p) {
        const std::uint64_t times = occurrences[node.where[p]];
        if (node.is_loop())
          inside[node.where[p]] = static_cast<std::uint64_t>(node.loop().trips.of(p).sum(times));
        else
          call(node, p, times);
      }
      if (node.is_loop()) block(node.loop().body, inside);
    }
  }

 private:
  void call(const Node& node, std::size_t p, std::uint64_t occurrences) {
    const Needs needs(skeleton_, node, p);
    auto& buffers = skeleton_.locations[node.where[p]].buffer_bytes;
    for (std::size_t i = 0; i < node.call().arguments.size(); ++i) {
      if (node.call().function->parameters[i].role != Role::buffer) continue;
      needs.of(i, occurrences, [&](std::size_t slot, std::int64_t bytes) {
        if (bytes > mpi::kLargestBuffer)
          fail(places_, &node, fmt::format("{} needs a buffer of more than 2^40 bytes", node.call().function->name));
        if (buffers.size() <= slot) {
          added_ += slot + 1 - buffers.size();
          if (added_ > kMostBuffers) fail(places_, &node, fmt::format("buffer b{}: number them from 0 on", slot));
          buffers.resize(slot + 1, 0);
        }
        buffers[slot] = std::max(buffers[slot], static_cast<std::uint64_t>(bytes));
      });
    }
  }

  Skeleton& skeleton_;
  const Places& places_;
  std::uint64_t added_ = 0;  // to those that were given
};

}  // namespace

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

}  // namespace skelgen::skeleton
