#pragma once
// Words of the text form that printing, parsing, checks and messages share. docs/text-form.md describes it.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/values.h"
#include "text/text.h"

namespace skelgen::text {

using Locations = std::vector<std::uint32_t>;

/// Ascending numbers as ranges: "0..3,7,8..14/2" (the last: 8, 10, 12, 14).
std::string ranges(std::span<const std::uint32_t> numbers);

/// Items with repeats counted: "1.25, 1.3 x 3". item: the text of a value; equal values have equal ones.
std::string runs(const auto& values, const auto& item) {
  std::string list;
  for (std::size_t i = 0, end; i < values.size(); i = end) {
    for (end = i + 1; end < values.size() && values[end] == values[i];) ++end;
    if (!list.empty()) list += ", ";
    list += item(values[i]);
    if (end - i > 1) list += " x " + std::to_string(end - i);
  }
  return list;
}
std::string runs(std::span<const std::string> items);

/// A time >= 0 with a unit that suits it and as many digits as tell it from all others: "0 s", "12.5 us".
std::string seconds(double value);
/// Several times with one unit, repeats counted: "{1.25, 1.3 x 3} us"; a single value if all are the same.
std::string seconds(std::span<const double> values);
/// The same in brackets, which stand also around one value: "(1.25, 1.3 x 3) us".
std::string list_of_seconds(std::span<const float> values);

/// The units of time, and the power of ten of seconds that each is: "us" -6. Nothing for other words.
std::optional<int> unit_exponent(std::string_view unit);

/// A letter, then letters, digits and '_'.
bool is_identifier(std::string_view text);

using mpi::quoted;
using mpi::slot_letter;

/// Values of parameters as text that is read as these values. Arrays up to 8 values are written out, "(1, 2)"; longer
/// ones by number, "a3". Refers to the skeleton.
class ValueText : public mpi::ValueWriter {
 public:
  explicit ValueText(const Skeleton& skeleton);

 private:
  std::string_view name(std::int64_t number) const override;
  const std::vector<std::int64_t>* array(mpi::Role role, std::int64_t number) const override;

  const Skeleton& skeleton_;
  std::vector<bool> named_;  ///< by number of a name: it can stand for the number
  std::vector<bool> first_;  ///< by number of an array: none before it has the same values
};

/// All of the text but the line `traced`.
std::string text_of(const Skeleton& skeleton);

}  // namespace skelgen::text
