#include "emit/standard.h"

#include <algorithm>
#include <string>

namespace skelgen::emit {
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

Waits least_waits(const mpi::Function& collective, const skeleton::Communicator& comm, std::int64_t root) {
  if (comm.inter()) return Waits::for_nobody;
  const std::string kind = kind_of(collective);
  const bool is_root = comm.rank == root;
  if (among(kFromAll, kind) || (among(kToRoot, kind) && is_root)) return Waits::for_all;
  return among(kFromRoot, kind) && !is_root ? Waits::for_root : Waits::for_nobody;
}

}  // namespace skelgen::emit
