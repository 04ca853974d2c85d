#include "emit/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "emit/timing.h"
#include "mpi/mpi.h"
#include "support/error.h"

namespace skelgen::emit {
namespace {

using mpi::Role;
using skeleton::Block;
using skeleton::Sequence;

using Slots = std::vector<std::uint8_t>;  // by slot, 0 or 1

/// Which slots MPI calls read, of every location.
class Readers {
 public:
  explicit Readers(const skeleton::Skeleton& skeleton) : timing_(skeleton) {
    for (const auto& location : skeleton.locations) read_.emplace_back(location.buffer_bytes.size());
    visit(skeleton.program);
    for (const auto& pool : skeleton.pools)
      for (const auto& node : pool.body) add(node, std::vector<std::uint64_t>(node.where.size(), pool.ends.size()));
  }
  const Slots& of(std::size_t location) const { return read_[location]; }

 private:
  void visit(const Block& block) {
    for (const auto& node : block) {
      if (node.is_loop())
        visit(node.loop().body);
      else
        add(node, timing_.of(node).occurrences);
    }
  }

  void add(const skeleton::Node& node, const std::vector<std::uint64_t>& occurrences) {
    const auto& call = node.call();
    const auto& parameters = call.function->parameters;
    for (std::size_t at = 0; at < node.where.size(); ++at) {
      bool in_place = false;  // at any occurrence
      for (std::size_t i = 0; i < parameters.size(); ++i)
        in_place = in_place || (parameters[i].role == Role::buffer &&
                                call.arguments[i].of(at).takes(mpi::kInPlace, occurrences[at]));
      for (std::size_t i = 0; i < parameters.size(); ++i)
        if (call.function->reads(i, in_place)) add(call.arguments[i].of(at), occurrences[at], read_[node.where[at]]);
    }
  }

  static void add(const Sequence& sequence, std::uint64_t occurrences, Slots& read) {
    const auto mark = [&](std::int64_t buffer) {
      const auto slot = mpi::slot_of(buffer);
      if (slot >= 0 && static_cast<std::size_t>(slot) < read.size()) read[static_cast<std::size_t>(slot)] = 1;
    };
    if (sequence.kind != Sequence::Kind::arithmetic) {
      std::ranges::for_each(sequence.values, mark);
      return;
    }
    const bool moves = std::abs(sequence.values[1]) >= mpi::kLargestBuffer / 2;  // to another slot
    for (std::uint64_t k = 0; k < (moves ? std::min<std::uint64_t>(occurrences, read.size()) : 1); ++k)
      mark(sequence.at(k));
  }

  const Timing timing_;
  std::vector<Slots> read_;
};

bool is_shared(const skeleton::LocationData& location, std::size_t slot) {
  return slot < location.shared.size() && location.shared[slot];
}

/// Of a location: bytes that its buffers take, and what sharing saves.
struct Taken {
  std::uint64_t bytes = 0, saved = 0;
};
Taken taken(const skeleton::LocationData& location) {
  Taken result;
  std::uint64_t one = 0;
  for (std::size_t slot = 0; slot < location.buffer_bytes.size(); ++slot) {
    const auto bytes = location.buffer_bytes[slot];
    const bool shared = is_shared(location, slot);
    (shared ? result.saved : result.bytes) += bytes;
    if (shared) one = std::max(one, bytes);
  }
  return {result.bytes + one, result.saved - one};
}

std::map<Rank, Taken> by_rank(const skeleton::Skeleton& skeleton) {
  std::map<Rank, Taken> result;  // of all threads
  for (const auto& location : skeleton.locations) {
    const auto [bytes, saved] = taken(location);
    auto& rank = result[location.where.rank];
    rank.bytes += bytes;
    rank.saved += saved;
  }
  return result;
}

}  // namespace

BufferMemory buffer_memory(const skeleton::Skeleton& skeleton) {
  BufferMemory memory;
  for (const auto& [rank, taken] : by_rank(skeleton)) {
    memory.most = std::max(memory.most, taken.bytes);
    memory.all += taken.bytes;
    memory.shared += taken.saved;
  }
  return memory;
}

std::string buffer_row(const skeleton::LocationData& location, std::size_t slots) {
  if (slots == 0) return "0";
  std::string row;
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const auto bytes = slot < location.buffer_bytes.size() ? location.buffer_bytes[slot] : 0;
    row += fmt::format("{}{}{}", slot > 0 ? ", " : "", is_shared(location, slot) ? "SKEL_SHARED | " : "", bytes);
  }
  return row;
}

void share_memory(skeleton::Skeleton& skeleton, std::uint64_t most) {
  const auto before = by_rank(skeleton);
  if (std::ranges::all_of(before, [&](const auto& of) { return of.second.bytes <= most; })) return;
  const Readers readers(skeleton);
  for (std::size_t l = 0; l < skeleton.locations.size(); ++l) {
    auto& location = skeleton.locations[l];
    if (before.at(location.where.rank).bytes <= most) continue;
    location.shared = readers.of(l);
    for (auto& slot : location.shared) slot = !slot;
  }
  for (const auto& [rank, taken] : by_rank(skeleton))
    if (taken.bytes > most)
      throw Error(
          Code::unsupported,
          fmt::format("the buffers of rank {} take {} bytes where {} are allowed, although those that are only written "
                      "share their memory",
                      rank, taken.bytes, most),
          "allow more");
}

}  // namespace skelgen::emit
