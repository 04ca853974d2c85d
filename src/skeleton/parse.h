#pragma once
// The text form (print, docs/text-form.md) -> a skeleton.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "skeleton/skeleton.h"

namespace skelgen::skeleton {

/// What a text may ask for at most; more is refused. What takes time or memory by calls has limits of its own:
/// emit::Effort, cycle().
struct Limits {
  std::uint64_t locations = std::uint64_t{1} << 20;
  /// That lists, tables and statements of all locations hold; as many words and signs at most, besides.
  std::uint64_t values = std::uint64_t{1} << 27;
  double calls = 1e12;  ///< that all locations make together
};

/// Where in which file the nodes of a skeleton stand. They must not move; moving the skeleton does no harm.
struct Places {
  std::string file;
  std::unordered_map<const Node*, std::uint32_t> lines;  ///< from 1
  /// "FILE:LINE", "FILE" for an unknown node.
  std::string of(const Node* node) const;
  /// The line of a call; 0: unknown. O(statements).
  std::uint32_t line(const Call& call) const;
};

/// The skeleton, checked: what print() writes of a skeleton that passed check() gives the same skeleton, but for the
/// identities of communicators and the order of an argument's choices. It counts as edited unless the line
/// `traced` agrees with all the others. Computation that stands first or last in a loop's body is put where the intermediate form has it. Buffers
/// of an edited one are made large enough for messages of predefined datatypes. `file`: a name for errors. Throws Error{corrupt}
/// "FILE:LINE:COLUMN: what was found; what was expected", or "FILE:LINE: what is wrong". places: takes the lines. O(text + locations x
/// statements).
Skeleton parse(std::string_view text, const std::string& file, const Limits& limits = {}, Places* places = nullptr);

/// Where the calls of a skeleton stand in what print() writes of it; no file.
Places places_in_text(const Skeleton& skeleton);

}  // namespace skelgen::skeleton
