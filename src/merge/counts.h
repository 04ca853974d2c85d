#pragma once
// Counts of messages in a skeleton: where they stand, what they count, which values they have. Internal to src/merge.

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "normalize/normalize.h"
#include "skeleton/skeleton.h"

namespace skelgen::merge {

constexpr std::uint64_t kMostSteps = 1u << 16;  ///< of an arithmetic sequence that is looked at value by value

/// A count, or an array of counts, of a statement.
struct CountPlace {
  skeleton::Node* node;
  std::size_t parameter;
  std::vector<std::uint64_t> executions;  ///< by position
  bool in_pool;                           ///< a worker's statement, for whichever worker gets the message
  const mpi::Function& function() const { return *node->call().function; }
  skeleton::Argument& argument() const { return node->call().arguments[parameter]; }
  bool is_array() const { return function().parameters[parameter].role == mpi::Role::counts; }
};

/// An element of a datatype; bytes -1: not known, 0: of no datatype.
struct Type {
  std::int64_t bytes = 0, extent = 0;
  bool operator==(const Type&) const = default;
};

class Types {
 public:
  Types(const normalize::Normalized& normalized, const skeleton::Skeleton& skeleton);
  /// Of the elements that a count of this call counts. `element`: of an array of counts.
  Type of(const skeleton::Node& node, std::size_t position, std::size_t parameter, std::size_t element) const;

 private:
  Type type(std::uint32_t l, std::int64_t name) const;

  const skeleton::Skeleton& skeleton_;
  std::vector<std::map<std::int64_t, Type>> made_;  // by location and slot
};

/// Calls visit(value, times) for what a sequence says at `executions` occurrences. False: too many to be looked at.
bool each_value(const skeleton::Sequence& sequence, std::uint64_t executions, const auto& visit) {
  using Kind = skeleton::Sequence::Kind;
  switch (sequence.kind) {
    case Kind::constant:
      visit(sequence.values[0], static_cast<double>(executions));
      return true;
    case Kind::arithmetic:
      if (executions > kMostSteps) return false;
      for (std::uint64_t k = 0; k < executions; ++k) visit(sequence.at(k), 1.0);
      return true;
    case Kind::periodic:
      for (std::uint64_t i = 0, n = sequence.values.size(); i < n; ++i)
        visit(sequence.values[i], static_cast<double>(executions / n + (i < executions % n)));
      return true;
    case Kind::table:
      break;
  }
  for (const auto v : sequence.values) visit(v, 1.0);
  return true;
}

/// After how many occurrences two sequences have shown all that they have.
std::uint64_t occurrences(const skeleton::Sequence& a, const skeleton::Sequence& b, std::uint64_t executions);

}  // namespace skelgen::merge
