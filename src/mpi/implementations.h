#pragma once
// Properties of MPI implementations that the standard leaves open.

#include <algorithm>
#include <string_view>

namespace skelgen::mpi {

struct Implementation {
  std::string_view name;              ///< as traces have it
  int buffered_overhead;              ///< MPI_BSEND_OVERHEAD, bytes
  bool refuses_equal_buffers = true;  ///< of a call for which the standard wants them to differ
};

/// The implementation of this name. Unknown names: overhead 0, equal buffers refused as the standard says.
constexpr Implementation implementation(std::string_view name) {
  constexpr Implementation kKnown[] = {{"MPICH", 96}, {"Open MPI", 128, false}};
  const auto* const found = std::ranges::find(kKnown, name, &Implementation::name);
  return found == std::end(kKnown) ? Implementation{name, 0} : *found;
}

}  // namespace skelgen::mpi
