#pragma once
// Numbers that stand for constants of MPI, the same for all MPIs; they are part of the record format (FORMAT.md).

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace skelgen::mpi {

/// What the values of a parameter mean.
struct Codes {
  std::string_view parameter;               ///< name, as in the MPI standard
  std::int64_t first;                       ///< the first constant's number; the others follow
  std::span<const std::string_view> names;  ///< "MPI_LOCK_EXCLUSIVE"
  bool flags = false;                       ///< the constants are bits that may be combined, the first one is 1

  bool contains(std::int64_t v) const;
  /// "MPI_LOCK_SHARED", "MPI_MODE_CREATE | MPI_MODE_RDWR", "0". contains(v).
  std::string text(std::int64_t v) const;
  /// "1 MPI_LOCK_EXCLUSIVE, 2 MPI_LOCK_SHARED"; with flags "a sum of 1 ...".
  std::string all() const;
};

/// nullptr if the parameter's values are plain numbers.
const Codes* codes(std::string_view parameter);

}  // namespace skelgen::mpi
