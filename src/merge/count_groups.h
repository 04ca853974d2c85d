#pragma once
// Groups of counts that have to agree: two sides of a message, all members of a collective. Internal to src/merge.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "skeleton/skeleton.h"

namespace skelgen::merge {

/// Sets of numbers 0, 1, 2, ...
class Unions {
 public:
  std::uint32_t add();
  std::uint32_t find(std::uint32_t a);
  void unite(std::uint32_t a, std::uint32_t b) { parent_[find(a)] = find(b); }
  std::size_t size() const { return parent_.size(); }

 private:
  std::vector<std::uint32_t> parent_;
};

/// Groups of counts. Two that may belong to one message, or to one collective, are in the same group; the groups are
/// coarser than they need be: messages by communicator, tag and distance of ranks, collectives by communicator and
/// function, and where each rank or pair of ranks has its own count, by that. So whatever never decreasing function maps
/// the bytes of all counts of a group, no receive becomes too small, and collectives still agree.
class CountGroups {
 public:
  using Id = std::uint32_t;
  /// by_element: the elements of arrays of counts are told apart.
  CountGroups(const skeleton::Skeleton& skeleton, bool by_element);

  /// A call may be made in any communicator that its slots ever held: before the first groups are asked for.
  void meet(const skeleton::Node& node);
  /// The group of a count (or of element `element` of an array of counts) of a call at a position of its node, which
  /// executes it `executions` times. Nothing if nobody is at the other side (MPI_PROC_NULL).
  std::optional<Id> group(const skeleton::Node& node, std::size_t position, std::size_t parameter, std::size_t element,
                          std::uint64_t executions);
  /// A group of its own.
  Id alone() { return unions_.add(); }
  void unite(Id a, Id b) { unions_.unite(a, b); }
  /// Receives of any source or tag are in the group of all messages that they may get. After the last group().
  void finish();
  /// The same for ids of the same group.
  Id find(Id id) { return unions_.find(id); }
  std::size_t size() const { return unions_.size(); }

 private:
  using Key = std::array<std::int64_t, 5>;

  struct Context {
    std::map<std::uint32_t, int> rank;  // by location
    int size = -1;
    bool vague = false;      // communicators of different size, or where a location has different ranks
    bool both_ways = false;  // in an MPI_Alltoallv in place a rank's counts say what it sends, too
  };

  std::uint32_t context(std::uint32_t l, const skeleton::Call& call, std::size_t position);
  Id id(const Key& key);
  Id message(std::uint32_t context, std::int64_t tag, std::int64_t distance);
  std::optional<Id> of_message(const skeleton::Node& node, std::size_t position, std::size_t parameter,
                               std::uint64_t executions);

  const skeleton::Skeleton& skeleton_;
  const bool by_element_;
  Unions contexts_;
  std::vector<std::map<std::int64_t, std::uint32_t>> slots_;  // by location: context of a slot
  std::vector<std::uint32_t> both_ways_;                      // contexts
  std::vector<Context> details_;                              // by context's representative, once a group was asked for
  bool settled_ = false;
  Unions unions_;
  std::map<Key, Id> ids_;
  std::set<Key> wild_;
};

}  // namespace skelgen::merge
