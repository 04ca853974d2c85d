#pragma once
// Communicators, windows or files that live, by slot.

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>

#include "mpi/mpi.h"

namespace skelgen::engine {

/// The communicators, windows or files of a rank by slot, while its calls make them in the order of a list.
class LiveObjects {
 public:
  /// already: how many of them there are before the first call. The list must outlive this.
  explicit LiveObjects(std::span<const mpi::Communicator> listed, std::size_t already = 0) : left_(listed) {
    for (already = std::min(already, listed.size()); already > 0; --already) make(left_.front().slot);
  }

  /// False: a call did not make the next one (MPI_COMM_NULL).
  bool make(std::int64_t slot) {
    if (left_.empty() || left_.front().slot != slot) return false;
    at_[slot] = &left_.front();
    left_ = left_.subspan(1);
    return true;
  }
  void free(std::int64_t slot) { at_.erase(slot); }
  /// nullptr: there is none.
  const mpi::Communicator* at(std::int64_t slot) const {
    const auto found = at_.find(slot);
    return found == at_.end() ? nullptr : found->second;
  }

 private:
  std::span<const mpi::Communicator> left_;  ///< to be made
  std::map<std::int64_t, const mpi::Communicator*> at_;
};

}  // namespace skelgen::engine
