#pragma once
// Sizes of a program's datatypes.

#include <cstdint>
#include <map>
#include <optional>

#include "mpi/layout.h"
#include "skeleton/skeleton.h"

namespace skelgen::skeleton {

/// The skeleton must outlive it. O(statements + numbers in their lists of blocks), as often as datatypes are made of each other.
class Datatypes {
 public:
  explicit Datatypes(const Skeleton& skeleton);
  /// Bytes of an element of the datatype that calls name by this number. Nothing: it is none, or calls make it of which not all make
  /// one of the same size. Nothing of any made one where a call makes several in turn.
  std::optional<std::int64_t> bytes(std::int64_t type) const;

 private:
  /// True if a datatype that was known is not any more.
  bool add(const Block& block);
  bool add(const Call& call);
  std::optional<mpi::Layout> layout(std::int64_t type) const;

  const Skeleton& skeleton_;
  bool unclear_ = false;  ///< a call makes several of them in turn
  std::map<std::int64_t, std::optional<mpi::Layout>> made_;
};

}  // namespace skelgen::skeleton
