#pragma once
// Report of the counts that merge_counts() changed. Internal to src/merge.

#include <map>
#include <utility>
#include <vector>

#include "merge/counts.h"
#include "merge/tolerance.h"

namespace skelgen::merge {

class CountReport {
 public:
  /// Takes down the bytes of all calls.
  CountReport(skeleton::Skeleton& skeleton, const Types& types);
  /// The site's argument was `was`.
  void changed(const CountPlace& site, const skeleton::Argument& was);
  /// When everything has changed.
  CountChanges finish();

 private:
  struct Before {
    std::vector<std::uint64_t> executions;
    std::vector<std::pair<std::size_t, skeleton::Argument>> arguments;  // those that changed
  };

  void each_call(const std::function<void(CountChange&, std::uint64_t, std::uint64_t)>& visit);
  std::uint64_t bytes_of(const skeleton::Node& node, std::size_t p, std::uint64_t executions) const;
  void count(const skeleton::Node& node, const Before& before);
  double difference(const skeleton::Node& node, std::size_t parameter, std::int64_t old, std::int64_t now) const;

  skeleton::Skeleton& skeleton_;
  const Types& types_;
  std::map<skeleton::Node*, Before> before_;
  CountChanges report_;
};

}  // namespace skelgen::merge
