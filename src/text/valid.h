#pragma once
// Checks of skeletons that were read from a text, beyond check() and check_calls(): sizes, trips and addresses that C
// cannot express or that exceed the limits. Skeletons built from a trace pass them.
// Internal to src/text.

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "text/text.h"

namespace skelgen::text {

/// Iterations of a loop that is executed so often, as far as a table of trips has values; nothing if they are more than
/// `most`, or if an execution has less than no trips.
std::optional<std::uint64_t> iterations(const Sequence& trips, std::uint64_t times, double most);

/// After how many occurrences sequences that repeat themselves after a and b occurrences do so together; at most `most`.
std::uint64_t common_period(std::uint64_t a, std::uint64_t b, std::uint64_t most);

/// Bytes from one element of a predefined datatype, which has `bytes`, to the next.
std::int64_t extent_of(std::string_view name, std::int64_t bytes);

/// Occurrences among which are those where something that follows from some arguments is most and least.
class Decisive {
 public:
  /// line: while `argument` steps on, what follows from it does so, too.
  void add(const Sequence& argument, bool line, std::uint64_t occurrences) {
    if (argument.kind == Sequence::Kind::constant) return;
    if (argument.kind == Sequence::Kind::periodic)
      period_ = common_period(period_, argument.values.size(), occurrences);
    else if (argument.kind == Sequence::Kind::arithmetic && line)
      line_ = true;
    else
      period_ = occurrences;
  }
  /// Returns how many were visited; stops at `most`.
  std::uint64_t each(std::uint64_t occurrences, std::uint64_t most, const auto& visit) const {
    std::uint64_t visited = 0;
    for (std::uint64_t k = 0; k < std::min(period_, occurrences) && visited < most; ++k, ++visited) {
      visit(k);
      if (const std::uint64_t last = k + (occurrences - 1 - k) / period_ * period_; line_ && last > k)
        visit(last), ++visited;
    }
    return visited;
  }

 private:
  std::uint64_t period_ = 1;
  bool line_ = false;  ///< in between, it is between those of the first and the last one of all that are a period apart
};

/// Throws Error{corrupt} if all locations together make more than `most` calls and iterations. Before check(), whose sums
/// would overflow.
void refuse_too_many_calls(const Skeleton& skeleton, const Places& places, double most);

/// Drops samples that do not fit to the trips of the loops around them (somebody changed these): the means stay.
void fit_samples(Skeleton& skeleton);

/// Gives every buffer that a call names at least the bytes that the call needs: as far as datatypes are predefined, or made of
/// such by calls that stand before. O(statements x locations) and the values of tables and common periods, at most 2^26 of
/// these. Throws Error{corrupt} where a buffer needs more than 2^40 bytes, where there are more values, and of a datatype that
/// cannot be.
void fit_buffers(Skeleton& skeleton, const Places& places);

/// Throws Error{corrupt} where a call makes another communicator than the lines `comm` say: other members, in another
/// order. Only of what is certain; the calls that make communicators are looked at one by one, 2^22 of them at most.
/// After check_calls().
void check_made_communicators(const Skeleton& skeleton, const Places& places);

/// Throws Error{corrupt} where a one-sided call names a place that its target has not got: one outside of the target's
/// buffer, in a buffer that nobody attaches, or in a window that is not dynamic; a displacement in one that is. A slot
/// that holds windows of both kinds in turn takes both. Of an edited skeleton also where a displacement leads out of
/// the target's part of the window for sure.
void check_targets(const Skeleton& skeleton, const Places& places);

}  // namespace skelgen::text
