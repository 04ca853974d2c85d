#pragma once
// The program of one location, looked up once, to be executed call by call: what expand() and closed() run.

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "skeleton/skeleton.h"

namespace skelgen::skeleton {

/// One node as a location sees it: its sequences looked up, constant values already in place. Refers to the skeleton.
struct Step {
  const Call* call = nullptr;  ///< nullptr: a loop
  const Node* loop = nullptr;  ///< nullptr: a call
  double before_s = 0, between_s = 0;
  std::uint64_t occurrence = 0;  ///< of the next execution
  std::vector<std::int64_t> values;
  std::vector<std::pair<std::size_t, const Sequence*>> varying;  ///< arguments that are not constant
  const Sequence* trips = nullptr;
  const Sequence* order = nullptr;  ///< nullptr: always 0
  std::uint8_t answers = 0;         ///< Call::answers of the location
  bool any = false;                 ///< receives_from_any_source() of the location
  std::vector<Step> body;
};

/// Location l's steps in a block. recorded: wildcard receives that do not keep MPI_ANY_SOURCE name the sender whose
/// message they got, as the emitted program does.
std::vector<Step> steps_of(const Block& block, std::uint32_t l, bool recorded = false);

/// Visits the calls of steps in order; occurrences go on from where the last walk over the same steps left them.
class Walk {
 public:
  /// until: a loop before whose first execution the walk ends.
  explicit Walk(const std::function<bool(const ExpandedCall&)>& visit, const Node* until = nullptr)
      : visit_(visit), until_(until) {}
  /// False: the visitor wants no more, or the walk has come to its end.
  bool block(std::vector<Step>& steps);

 private:
  bool call(Step& step);
  bool loop(Step& step);

  const std::function<bool(const ExpandedCall&)>& visit_;
  const Node* const until_;
  double since_s_ = 0;  // computation since the previous call
};

}  // namespace skelgen::skeleton
