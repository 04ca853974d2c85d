#pragma once
// Which statement of a skeleton each call of another run of the same program is.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mpi/mpi.h"
#include "skeleton/skeleton.h"
#include "trace/trace.h"

namespace skelgen::work {

/// A place of computation: the one before a node, or between a loop's iterations. Nodes are numbered in the order in which
/// they stand in the program, over all locations.
using Place = std::uint32_t;
inline constexpr Place kNoPlace = ~Place{0};
constexpr Place before(std::uint32_t node) { return 2 * node; }
constexpr Place between(std::uint32_t node) { return 2 * node + 1; }

/// The nodes by number. The skeleton must outlive them.
std::vector<const skeleton::Node*> nodes_of(const skeleton::Skeleton& skeleton);

/// A call of the other run.
struct MadeCall {
  const mpi::Function* function;
  std::span<const std::int64_t> values;  ///< canonical, by parameter; empty: only the function is known
  bool may_be_left_out = false;          ///< a poll that found nothing
};

/// A poll that says that it found nothing. values: by parameter.
bool found_nothing(const mpi::Function& function, std::span<const std::int64_t> values);

/// Follows the calls of one location through the skeleton's program. The program's order holds, its numbers need not: a
/// loop may run more or less often than it did, which costs little; a call that the program does not have there, or a
/// statement that the run left out, costs more; and so does a call whose peer, tag, root, count or communicator is not
/// the statement's, where that has only one. Of all ways that are still open after a call, the cheapest one to each
/// statement is kept (Viterbi 1967), so that what was ambiguous is decided by what follows. Runs that make
/// the same calls cost nothing. Time for each call: the ways that are open, mostly one or two. Memory: 8 bytes for each.
class Follower {
 public:
  Follower(const skeleton::Skeleton& skeleton, std::uint32_t location);

  void add(const MadeCall& call);
  /// Of the cheapest way so far: where the computation before the last call is; kNoPlace: nowhere.
  Place place() const { return open_.front().place; }
  /// By call, in order, for the cheapest way. O(calls).
  std::vector<Place> places() const;

  /// How the cheapest way differs from the program.
  struct Differences {
    std::uint64_t calls = 0;             ///< all that were added
    std::uint64_t left_over = 0;         ///< that the program does not have where they were made
    std::uint64_t left_out = 0;          ///< statements that were not executed
    std::uint64_t trips = 0;             ///< loops that ran more or less often
    std::uint64_t other_counts = 0;      ///< calls with another count than the statement's only one
    std::optional<std::uint64_t> first;  ///< the first call where one of these but trips differed
  };
  Differences differences() const;

 private:
  struct Step {  // a node as the location sees it
    std::uint32_t number = 0;
    const skeleton::Call* call = nullptr;  // nullptr: a loop
    std::size_t position = 0;
    std::uint32_t end = 0;                                       // the first step behind it and its body
    const skeleton::Sequence* trips = nullptr;                   // of a loop
    std::uint32_t varying = ~std::uint32_t{0};                   // index of its executions, if its trips vary
    std::vector<std::pair<std::size_t, std::int64_t>> compared;  // arguments that have one value, and which
  };
  struct Frame {
    std::uint32_t loop;  // kProgram: the whole program
    std::int64_t trip, trips;
    std::uint32_t at;  // the next step
    Place place;       // of what comes next; kNoPlace: its own
  };
  struct Way {
    std::vector<Frame> frames;
    std::vector<std::uint64_t> executed;  // by Step::varying
    double cost = 0;
    Place place = kNoPlace;  // of the last call
    std::uint32_t step = kProgram;
    bool left_over = false;   // the last call, behind `step`
    std::uint32_t trail = 0;  // index in trail_
    Differences differences;
  };
  struct Stretch {  // of a way: one call
    Place place;
    std::uint32_t before;
  };
  static constexpr std::uint32_t kProgram = ~std::uint32_t{0};

  void append(const skeleton::Block& block, std::uint32_t location, std::uint32_t& number);
  std::uint32_t end_of(const Frame& frame) const;
  void next(Way way, double most, std::vector<Way>& found) const;
  void match(const std::vector<Way>& reached, const MadeCall& call, std::vector<Way>& fitting) const;
  void keep(std::vector<Way> ways);

  std::vector<Step> steps_;
  std::uint32_t varying_ = 0;
  std::uint64_t calls_ = 0;
  std::vector<Way> open_;  // never empty; the cheapest first
  std::vector<Stretch> trail_;
};

/// Adds a recorded call, which is not canonical yet. False: it is none of the calls that a skeleton has, or a poll that
/// found nothing.
bool follow(Follower& follower, const trace::Event& event);

}  // namespace skelgen::work
