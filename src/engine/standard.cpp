#include "engine/standard.h"

namespace skelgen::engine {

std::int64_t parts_made_ready(const Call& call) {
  using mpi::Role;
  if (call.function->kind != mpi::Kind::local || !call.function->partitioned) return 0;
  if (call.has(Role::integers)) return call.number(Role::integer);   // a list and its length
  return call.last(Role::integer) - call.number(Role::integer) + 1;  // from the first to the last
}

CollectiveWait least_waits(const mpi::Function& collective, const mpi::Communicator& comm, std::int64_t root) {
  using mpi::Flow;
  if (comm.inter()) return CollectiveWait::for_nobody;
  const Flow flow = collective.flow;
  const bool is_root = comm.rank == root;
  if (flow == Flow::all || (flow == Flow::to_root && is_root)) return CollectiveWait::for_all;
  return flow == Flow::from_root && !is_root ? CollectiveWait::for_root : CollectiveWait::for_nobody;
}

}  // namespace skelgen::engine
