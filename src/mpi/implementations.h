#pragma once
// What is known of MPI implementations, beyond the standard.

#include <algorithm>
#include <string_view>

namespace skelgen::mpi {

struct Implementation {
  std::string_view name;              ///< as traces have it
  int buffered_overhead;              ///< MPI_BSEND_OVERHEAD, bytes
  bool refuses_equal_buffers = true;  ///< of a call for which the standard wants them to differ
};

/// That of this name. Of others: no overhead, and the rules of the standard.
constexpr Implementation implementation(std::string_view name) {
  constexpr Implementation kKnown[] = {{"MPICH", 96}, {"Open MPI", 128, false}};
  const auto* const found = std::ranges::find(kKnown, name, &Implementation::name);
  return found == std::end(kKnown) ? Implementation{name, 0} : *found;
}

}  // namespace skelgen::mpi
