#pragma once
// Order between the calls of a rank's threads.

#include <cstdint>

namespace skelgen::mpi {

/// Before its call number `call` (from 0) a thread waits until another thread of its rank has made `calls` calls.
struct Turn {
  std::uint64_t call;
  std::int32_t thread;
  std::uint64_t calls;
  bool operator==(const Turn&) const = default;
};

}  // namespace skelgen::mpi
