#pragma once
// How large elements of the datatypes are that a program names.

#include <cstdint>
#include <map>
#include <optional>

#include "mpi/layout.h"
#include "skeleton/skeleton.h"

namespace skelgen::skeleton {

/// The skeleton must outlive it. O(statements + numbers in their lists of blocks).
class Datatypes {
 public:
  explicit Datatypes(const Skeleton& skeleton);
  /// Of an element of the datatype that calls name by this number. Nothing: it is none, or made by calls of which not all make one of
  /// the same size.
  std::optional<std::int64_t> bytes(std::int64_t type) const;

 private:
  void add(const Block& block);
  void add(const Call& call);
  std::optional<mpi::Layout> layout(std::int64_t type) const;

  const Skeleton& skeleton_;
  bool unclear_ = false;  ///< a call makes several of them in turn
  std::map<std::int64_t, std::optional<mpi::Layout>> made_;
};

}  // namespace skelgen::skeleton
