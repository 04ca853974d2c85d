#include "emit/standard.h"

namespace skelgen::emit {

bool waits_for_receive(const mpi::Function& send) { return send.mode == mpi::Mode::synchronous; }

Waits least_waits(const mpi::Function& collective, const skeleton::Communicator& comm, std::int64_t root) {
  using mpi::Flow;
  if (comm.inter()) return Waits::for_nobody;
  const Flow flow = collective.flow;
  const bool is_root = comm.rank == root;
  if (flow == Flow::all || (flow == Flow::to_root && is_root)) return Waits::for_all;
  return flow == Flow::from_root && !is_root ? Waits::for_root : Waits::for_nobody;
}

}  // namespace skelgen::emit
