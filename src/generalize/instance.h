#pragma once
// The text of a skeleton for any number of ranks (docs/generalize.md) -> the text form for one number (docs/text-form.md).
//
//   skeleton 1                                       skeleton 1
//   ranks any                                        ranks 4
//   program {                                  p = 4 program {
//     MPI_Init()                               ────►   MPI_Init()
//     [r > 0] MPI_Send(count=$(512 / p), ...)          [1..3] MPI_Send(count=128, ...)
//     MPI_Finalize()                                   MPI_Finalize()
//   }                                                }
//
// Each line of the text becomes the line of the same number in the result, so a message that names a line of the result names
// it in the text, too. Lines "comm", "window" and "file" are the exception: they become lines behind the program.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skelgen::generalize {

/// The word behind "ranks" in such a text.
inline constexpr std::string_view kAnyRanks = "any";

/// True for the text of a skeleton for any number of ranks. O(lines before "ranks").
bool is_general(std::string_view text);

/// The kind of numbers that all traced numbers of ranks belong to. A skeleton is refused at numbers of another kind, at which no
/// rule was checked.
enum class Family : std::uint8_t { any, powers_of_two, squares };
Family family_of(const std::vector<std::uint32_t>& ranks);
bool belongs(std::uint32_t ranks, Family family);
/// "powers of two"
const char* text(Family family);

/// The text for so many ranks. file: for errors. Throws Error{corrupt} "FILE:LINE: what is wrong" for what cannot be read;
/// Error{unsupported} with the rule that forbids this number of ranks, for numbers that are not what those of `from` are
/// (Family), and where a rule has no value. O(statements x ranks).
std::string instantiate(std::string_view text, const std::string& file, std::uint32_t ranks);

}  // namespace skelgen::generalize
