#pragma once
// Parts of the text form as print() puts them together. Internal to src/text.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "text/words.h"

namespace skelgen::text {

/// "[0..3] ", or nothing where all locations are meant.
std::string who(const Locations& where, const Locations& all);

/// Arguments as text. Refers to the skeleton.
class ArgumentText {
 public:
  explicit ArgumentText(const Skeleton& skeleton) : skeleton_(skeleton), value_(skeleton) {}
  /// One text if all locations agree; a table {a, b, ...} by position if they differ in constants; else "[who] text |
  /// [who] text". call: of which it is an argument, for formulas of the rank.
  std::string operator()(const Argument& argument, mpi::Role role, const Locations& where,
                         const Call* call = nullptr) const;
  std::string sequence(const Sequence& sequence, mpi::Role role) const;

 private:
  const Skeleton& skeleton_;
  ValueText value_;
};

/// Who the locations are: "ranks 4", their buffers, machines and communicators.
std::string text_of_locations(const Skeleton& skeleton);

/// A number that is the same for equal texts, and hardly for others.
std::uint64_t fingerprint(std::string_view text);

/// All of the text but the line `traced`.
std::string text_of(const Skeleton& skeleton);

}  // namespace skelgen::text
