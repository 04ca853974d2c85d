#pragma once
// Statements that stand in several places of the emitted program become a function.

#include <string>
#include <string_view>

namespace skelgen::emit {

/// The functions of a program, with a function for each sequence of statements that the phases make in several places:
/// "repeated_1(32);" where they stood, 32 being the first row of `gap` that they use; the rows must follow each other in the
/// same way. Looks at statements of the top level of functions without parameters but iteration_N(). Sequences are as long
/// as saves most lines, at least six. O(statements^2) of up to 1,000 statements; more are left as they are.
std::string share_repeated(std::string_view functions);

}  // namespace skelgen::emit
