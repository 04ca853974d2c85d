#pragma once
// Templates and parameters of C functions that src/emit/generate.py puts into the library at build time.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace skelgen::emit {

/// A file below templates/.
struct Embedded {
  std::string_view name, text;  ///< "runtime/skel.h"
};
extern const Embedded kEmbedded[];
extern const std::size_t kEmbeddedCount;

/// All C parameters of a call, also those that are not recorded, in order, separated by blanks: "datatype" or
/// "status=status", see CParameter.
struct Shape {
  std::string_view function, parameters;
};
/// given: what C passes for a parameter that is not recorded: an expression, an array "int[maxdims]" that takes what
/// the call gives, or "" for an int that does.
struct CParameter {
  std::string_view name, given;
};
extern const Shape kShapes[];
extern const std::size_t kShapeCount;

/// Text of a template. Throws Error{internal} if there is none.
std::string_view embedded(std::string_view name);
/// The C parameters of `function` (of the table, not opaque). Throws Error{internal} for others.
std::vector<CParameter> c_parameters(std::string_view function);

}  // namespace skelgen::emit
