/* Off the hot path. */
#include "objects.h"

/* How many integers, addresses and datatypes made the datatype; returns the combiner. MPICH ends the program if the call
 * without _c is asked about a datatype that was made with large counts. */
int skel_envelope_of(MPI_Datatype type, int counts[3]) {
  int combiner = MPI_COMBINER_NAMED;
#if MPI_VERSION >= 4
  MPI_Count wide[4] = {0};
  skel_pmpi.MPI_Type_get_envelope_c(type, &wide[0], &wide[1], &wide[2], &wide[3], &combiner);
  counts[0] = (int)(wide[0] + wide[2]), counts[1] = (int)wide[1], counts[2] = (int)wide[3];
#else
  skel_pmpi.MPI_Type_get_envelope(type, &counts[0], &counts[1], &counts[2], &combiner);
#endif
  return combiner;
}

int skel_neighbours(MPI_Comm comm, int sources) {
  int kind = MPI_UNDEFINED, in = 0, out = 0, weighted;
  if (comm == MPI_COMM_NULL) return 0;
  kind = skel_topology(comm);
  if (kind == MPI_CART) return 2 * skel_dimensions(comm);
  if (kind == MPI_DIST_GRAPH) skel_pmpi.MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  if (kind == MPI_GRAPH) {
    int rank = 0;
    skel_pmpi.MPI_Comm_rank(comm, &rank);
    skel_pmpi.MPI_Graph_neighbors_count(comm, rank, &in);
    out = in;
  }
  return sources ? in : out;
}

int skel_envelope(MPI_Datatype type, enum skel_envelope of) {
  int counts[3] = {0};
  if (type == MPI_DATATYPE_NULL) return 0;
  skel_envelope_of(type, counts);
  return counts[of];
}
