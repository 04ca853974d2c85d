/* Queries to MPI: sizes and groups of communicators, sizes of datatypes. */
#ifndef SKEL_OBJECTS_H
#define SKEL_OBJECTS_H

#include "handles.h"
#include "pmpi.h"

/* Ranks of the caller's group: entries of Reduce_scatter's counts. */
static inline int skel_own_ranks(MPI_Comm comm) {
  int size = 0;
  if (comm != MPI_COMM_NULL) skel_pmpi.MPI_Comm_size(comm, &size);
  return size;
}
/* Entries of a collective's vectors: ranks of comm, of an intercommunicator those of the other group. */
static inline int skel_ranks(MPI_Comm comm) {
  int inter = 0, size = 0;
  if (comm == MPI_COMM_NULL) return 0;
  skel_pmpi.MPI_Comm_test_inter(comm, &inter);
  if (inter)
    skel_pmpi.MPI_Comm_remote_size(comm, &size);
  else
    skel_pmpi.MPI_Comm_size(comm, &size);
  return size;
}

static inline int skel_at_root(MPI_Comm comm, int root) {
  int inter = 0, rank = -1;
  if (SKEL_IS_ROOT(root)) return 1;
  if (root < 0 || comm == MPI_COMM_NULL) return 0;
  skel_pmpi.MPI_Comm_test_inter(comm, &inter);
  if (inter) return 0;
  skel_pmpi.MPI_Comm_rank(comm, &rank);
  return rank == root;
}

/* Of a communicator that is no intercommunicator. SMPI has no collectives of neighbours, and says so of MPI_Topo_test by
 * ending the program. */
static inline int skel_topology(MPI_Comm comm) {
  int kind = MPI_UNDEFINED;
#ifdef SKEL_SMPI
  (void)comm;
#else
  skel_pmpi.MPI_Topo_test(comm, &kind);
#endif
  return kind;
}

static inline int skel_dimensions(MPI_Comm comm) {
  int dimensions = 0;
  if (comm == MPI_COMM_NULL) return 0;
#ifdef SKEL_SMPI
  if (skel_pmpi.MPI_Cartdim_get(comm, &dimensions) != MPI_SUCCESS) return 0;
#else
  if (skel_topology(comm) == MPI_CART) skel_pmpi.MPI_Cartdim_get(comm, &dimensions);
#endif
  return dimensions;
}

/* How many neighbours the caller has in the topology of `comm`: sources or destinations. */
int skel_neighbours(MPI_Comm comm, int sources);

enum skel_envelope { SKEL_INTEGERS, SKEL_ADDRESSES, SKEL_DATATYPES };
int skel_envelope(MPI_Datatype type, enum skel_envelope of);
/* How many integers, addresses and datatypes made the datatype; returns the combiner. */
int skel_envelope_of(MPI_Datatype type, int counts[3]);

#endif
