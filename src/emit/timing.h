#pragma once
// Executions of each node by each location, and their time in the traced run.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "skeleton/skeleton.h"

namespace skelgen::emit {

/// All occurrences 0..n-1 have the same value (true for n <= 1).
bool is_constant(const skeleton::Sequence& sequence);

struct NodeTiming {
  std::vector<std::uint64_t> occurrences;  ///< by position in Node::where
  std::vector<std::uint64_t> between;      ///< of a loop, by position: its iterations but the first of each execution
  std::vector<double> seconds;             ///< by position: before, calls, between and body, all occurrences together
};

class Timing {
 public:
  /// O(nodes x locations) plus the lengths of the different trip counts' periods and tables.
  explicit Timing(const skeleton::Skeleton& skeleton);
  const NodeTiming& of(const skeleton::Node& node) const { return nodes_.at(&node); }
  /// How often each location computes before the node, or between its iterations; by position.
  const std::vector<std::uint64_t>& occurrences(const skeleton::Node& node, bool between) const;
  /// Seconds of all locations together, of a node or of the whole program.
  double total(const skeleton::Node& node) const;
  double total() const { return total_; }

 private:
  const std::vector<double>& visit(const skeleton::Node& node, const std::vector<std::uint64_t>& occurrences);

  std::size_t locations_;
  std::unordered_map<const skeleton::Node*, NodeTiming> nodes_;
  double total_ = 0;
};

}  // namespace skelgen::emit
