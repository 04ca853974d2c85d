#pragma once
// Canonical numbers of MPI's constants, the same for all MPIs; part of the record format (FORMAT.md).

#include <string>

#include "mpi/mpi.h"

namespace skelgen::mpi {

/// Names of a parameter's values, from wrappers/mpi_roles.table.
struct Codes {
  std::string_view name;
  std::span<const Word> words;  ///< {1, "MPI_LOCK_EXCLUSIVE"}
  bool flags = false;           ///< the constants are bits that may be combined
  bool open = false;            ///< other values are plain numbers

  bool contains(std::int64_t v) const;
  /// "MPI_LOCK_SHARED", "MPI_MODE_CREATE | MPI_MODE_RDWR", "0". contains(v).
  std::string text(std::int64_t v) const;
  /// "1 MPI_LOCK_EXCLUSIVE, 2 MPI_LOCK_SHARED"; with flags "a sum of 1 ...".
  std::string all() const;
};

}  // namespace skelgen::mpi
