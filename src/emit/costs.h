#pragma once
// Traced seconds of single iterations of a cut loop.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emit/counted.h"
#include "skeleton/skeleton.h"

namespace skelgen::emit {

/// By loop that is cut: the share (0..1) of its iterations that always run, which are timed in the phase around it.
using CutInside = std::unordered_map<const skeleton::Node*, double>;

struct PhaseSeconds {
  double all_s = 0;
  double own_s = 0;  ///< of them, in the phase of the loop itself
};

/// Seconds that iterations of a loop take at some of its locations: the mean time of each statement times its executions, or
/// of computation what was sampled.
class Costs {
 public:
  /// iterations: about so many are looked at; of more, and of many locations, some are, evenly spread. ends: see Phase.
  Costs(const skeleton::Node& loop, std::uint64_t iterations, const std::vector<skeleton::Ends>& ends,
        const CutInside& inside = {});

  /// One of so many iterations is looked at.
  std::uint64_t step() const { return step_; }
  /// Locations that are looked at.
  std::uint64_t locations() const { return locations_; }
  /// The range of iterations at location 0; others may run the same iterations with other numbers. At all locations that are
  /// looked at together.
  PhaseSeconds of(std::uint64_t begin, std::uint64_t end) const;
  /// The same of the n-th of these locations. trips: of all executions of the loop at location 0: computation that varies is what
  /// it was in these iterations if this location's samples have all of them; 0: it is its mean.
  PhaseSeconds of(std::uint64_t n, std::uint64_t begin, std::uint64_t end, std::uint64_t trips = 0) const;
  /// The number of the n-th location that is looked at.
  std::uint32_t location(std::uint64_t n) const { return loop_.where[position(n)]; }
  /// The number that it gives to an iteration of location 0.
  std::uint64_t iteration(std::uint64_t n, std::uint64_t of_0) const {
    return of_0 + skeleton::ends_at(ends_, position(n)).first - ends_[0].first;
  }

 private:
  /// A statement, the computation before it or that between the iterations of a loop.
  struct Cost {
    Counted counted;
    const skeleton::Node* node;
    std::vector<double> seconds;       ///< each time, by position in Node::where
    const skeleton::Samples* samples;  ///< nullptr: there are none
    double share;                      ///< see CutInside
  };
  std::size_t position(std::uint64_t n) const { return n * loop_.where.size() / locations_; }
  void collect(const skeleton::Block& block, const Around& around, double share, const CutInside& inside);
  void add(const Around& around, const skeleton::Node& node, bool between, double share,
           const std::vector<double>& seconds, const skeleton::Samples* samples = nullptr);

  const skeleton::Node& loop_;
  const std::vector<skeleton::Ends>& ends_;
  std::vector<Cost> costs_;
  std::uint64_t step_ = 1, locations_ = 1;
};

}  // namespace skelgen::emit
