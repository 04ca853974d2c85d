#include "engine/standard.h"

#include <algorithm>
#include <string>

namespace skelgen::engine {
namespace {

using Names = std::string_view[];

constexpr Names kFromAll = {"Barrier",   "Allreduce", "Allgather",      "Allgatherv",          "Alltoall",
                            "Alltoallv", "Alltoallw", "Reduce_scatter", "Reduce_scatter_block"};
constexpr Names kFromRoot = {"Bcast", "Scatter", "Scatterv"};
constexpr Names kToRoot = {"Reduce", "Gather", "Gatherv"};

bool among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// "Reduce" of MPI_Reduce, MPI_Ireduce, MPI_Reduce_init, and of those with _c.
std::string kind_of(const mpi::Function& collective) {
  std::string name(collective.name.substr(4));
  for (const std::string_view end : {"_c", "_init"})
    if (name.ends_with(end)) name.resize(name.size() - end.size());
  if (!collective.nonblocking) return name;
  name.erase(0, 1);
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

}  // namespace

bool waits_for_receive(const mpi::Function& send) {
  constexpr Names kSynchronous = {"MPI_Ssend", "MPI_Issend", "MPI_Ssend_init"};
  return among(kSynchronous, send.name);
}

bool is_buffered(const mpi::Function& send) {
  constexpr Names kBuffered = {"MPI_Bsend", "MPI_Ibsend", "MPI_Bsend_init"};
  return among(kBuffered, send.name);
}

bool is_partitioned(const mpi::Function& function) {
  const bool of_message =
      function.kind == mpi::Kind::send_init || function.kind == mpi::Kind::recv_init || function.kind == mpi::Kind::ask;
  return of_message && function.find(mpi::Role::integer) >= 0;
}

std::int64_t parts_made_ready(const Call& call) {
  using mpi::Role;
  if (call.function->kind != mpi::Kind::local || !call.has(Role::request) || !call.has(Role::integer)) return 0;
  if (call.has(Role::integers)) return call.number(Role::integer);  // a list and its length
  if (call.function->find(Role::integer, 1) < 0) return 1;
  return call.number(Role::integer, 1) - call.number(Role::integer) + 1;
}

Waits least_waits(const mpi::Function& collective, const mpi::Communicator& comm, std::int64_t root) {
  if (comm.inter()) return Waits::for_nobody;
  const std::string kind = kind_of(collective);
  const bool is_root = comm.rank == root;
  if (among(kFromAll, kind) || (among(kToRoot, kind) && is_root)) return Waits::for_all;
  return among(kFromRoot, kind) && !is_root ? Waits::for_root : Waits::for_nobody;
}

}  // namespace skelgen::engine
