#pragma once
// Canonical values as text: in the text form, in messages, in emitted programs, in what `dump` prints.

#include <string>

#include "mpi/mpi.h"

namespace skelgen::mpi {

/// A value that refers to nothing, by its name if it has one: "MPI_ANY_SOURCE", "100".
std::string text(Role role, std::int64_t value);

/// Writes values that refer to things: "b0+800", "c2", "MPI_DOUBLE", "t0", "(1, 2)", "\"no_locks=true\"".
class ValueWriter {
 public:
  virtual ~ValueWriter() = default;
  std::string operator()(Role role, std::int64_t value) const;

 protected:
  /// Of the predefined datatype or operation of this number; "": it is written as the number.
  virtual std::string_view name(std::int64_t number) const = 0;
  /// The array of this number as a value of this role; nullptr: it is written as "a3".
  virtual const std::vector<std::int64_t>* array(Role role, std::int64_t number) const = 0;
};

/// Writes whatever these lists have.
class ListedValues : public ValueWriter {
 public:
  ListedValues(std::span<const std::vector<std::int64_t>> arrays, std::span<const std::string> names)
      : arrays_(arrays), names_(names) {}

 protected:
  std::string_view name(std::int64_t number) const override;
  const std::vector<std::int64_t>* array(Role role, std::int64_t number) const override;

 private:
  std::span<const std::vector<std::int64_t>> arrays_;
  std::span<const std::string> names_;
};

/// The letter before the number of what values of this role stand for ('r': "r0"); 0: they stand for nothing.
char slot_letter(Role role);
/// In quotes, with escapes.
std::string quoted(std::string_view text);

}  // namespace skelgen::mpi
