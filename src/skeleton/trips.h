#pragma once
// Total trips of a loop over its executions: looked up where many locations have the same
// trips, equally often.

#include <cstdint>
#include <map>
#include <utility>

#include "skeleton/skeleton.h"

namespace skelgen::skeleton {

/// Results by trips and executions, each computed once. Refers to the trips.
template <class Result>
class ByTrips {
 public:
  const Result& of(const Sequence& trips, std::uint64_t executions, const auto& compute) {
    const auto [known, added] = known_.try_emplace({&trips, executions});
    if (added) known->second = compute();
    return known->second;
  }

 private:
  std::map<std::pair<const Sequence*, std::uint64_t>, Result> known_;
};

/// Iterations of all executions together.
class Iterations {
 public:
  std::int64_t of(const Sequence& trips, std::uint64_t executions) {
    return sums_.of(trips, executions, [&] { return trips.sum(executions); });
  }

 private:
  ByTrips<std::int64_t> sums_;
};

}  // namespace skelgen::skeleton
