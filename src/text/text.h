#pragma once
// The text form of a skeleton (docs/text-form.md): printed, read, checked.

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include "skeleton/skeleton.h"

namespace skelgen::text {

// The text is a form of these types.
using skeleton::Argument;
using skeleton::Block;
using skeleton::Call;
using skeleton::Communicator;
using skeleton::Compute;
using skeleton::LocationData;
using skeleton::Loop;
using skeleton::Node;
using skeleton::Places;
using skeleton::Pool;
using skeleton::RankRule;
using skeleton::Samples;
using skeleton::Sequence;
using skeleton::Skeleton;

/// What a text may ask for at most; more is refused. What takes time or memory by calls has limits of its own:
/// engine::ExecutionLimits, skeleton::closed().
struct Limits {
  std::uint64_t locations = std::uint64_t{1} << 20;
  /// That lists, tables and statements of all locations hold; as many words and signs at most, besides.
  std::uint64_t values = std::uint64_t{1} << 27;
  double calls = 1e12;  ///< that all locations make together
};

/// The skeleton, checked: what print() writes of a skeleton that passed check() gives the same skeleton, but for the
/// identities of communicators and the order of an argument's choices. It counts as edited unless the line
/// `traced` agrees with all the others. Computation that stands first or last in a loop's body is put where the intermediate form has it. Buffers
/// of an edited one are made large enough for its messages. `file`: a name for errors. Throws Error{corrupt}
/// "FILE:LINE:COLUMN: what was found; what was expected", or "FILE:LINE: what is wrong". places: takes the lines. O(text + locations x
/// statements).
Skeleton parse(std::string_view text, const std::string& file, const Limits& limits = {}, Places* places = nullptr);

/// The text form: one statement a line, two spaces per level, all that the skeleton holds. The same bytes for the same skeleton.
void print(std::ostream& out, const Skeleton& skeleton);

/// Where the calls of a skeleton stand in what print() writes of it; no file.
Places places_in_text(const Skeleton& skeleton);

/// Checks that MPI takes every call: handles are made before, in the order of the statements; ranks are in the group,
/// arrays as long as the call reads them, numbers what a parameter can have; buffers are memory where they have elements,
/// and not the same. After check(). Throws Error{unsupported} that names call, rank and rule: the program did what MPI
/// forbids, or the skeleton does not do what the program did. places: as of check(); of a text, what changes in too many ways to be
/// looked at is refused, too. O(statements x locations), and what arrays and tables hold.
void check_calls(const Skeleton& skeleton, const Places* places = nullptr);

}  // namespace skelgen::text
