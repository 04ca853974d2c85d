/* Collectives that move nothing: between all ranks, then to and from each rank in turn; in place and not, blocking, not
 * blocking and persistent, with datatypes of no size, with neighbours.
 * Runs with three eager limits. */
#include <mpi.h>
#include <stddef.h>

#include "forms.h"

enum { MOST = 16, N = 3 };

/* Where one rank's part is empty, nonblocking forms hang with Open MPI 4.1, traced or not. */
#ifdef OPEN_MPI
#define UNEVEN(name, later, ...) MPI_##name(__VA_ARGS__)
#else
#define UNEVEN CALL
#endif

static int rank, size;
static int in[MOST * MOST * N], out[MOST * MOST * N];
static MPI_Request request;
static MPI_Status status;

/* Counts that are the same on all ranks are 0. */
static void nothing(MPI_Datatype type, int n) {
  const int root = size - 1;
  const int at_root = rank == root;
  CALL(Bcast, bcast, out, n, type, root, MPI_COMM_WORLD);
  CALL(Gather, gather, out, n, type, in, n, type, root, MPI_COMM_WORLD);
  CALL(Gather, gather, at_root ? MPI_IN_PLACE : out, n, type, in, n, type, root, MPI_COMM_WORLD);
  CALL(Scatter, scatter, out, n, type, in, n, type, root, MPI_COMM_WORLD);
  CALL(Scatter, scatter, out, n, type, at_root ? MPI_IN_PLACE : in, n, type, root, MPI_COMM_WORLD);
  CALL(Allgather, allgather, out, n, type, in, n, type, MPI_COMM_WORLD);
  CALL(Allgather, allgather, MPI_IN_PLACE, n, type, in, n, type, MPI_COMM_WORLD);
  CALL(Alltoall, alltoall, out, n, type, in, n, type, MPI_COMM_WORLD);
  CALL(Alltoall, alltoall, MPI_IN_PLACE, n, type, in, n, type, MPI_COMM_WORLD);
  if (n > 0) return; /* operations are for predefined datatypes */
  CALL(Reduce, reduce, out, in, 0, type, MPI_SUM, root, MPI_COMM_WORLD);
  CALL(Reduce, reduce, at_root ? MPI_IN_PLACE : out, in, 0, type, MPI_SUM, root, MPI_COMM_WORLD);
  CALL(Allreduce, allreduce, out, in, 0, type, MPI_SUM, MPI_COMM_WORLD);
  CALL(Allreduce, allreduce, MPI_IN_PLACE, in, 0, type, MPI_SUM, MPI_COMM_WORLD);
  CALL(Scan, scan, out, in, 0, type, MPI_SUM, MPI_COMM_WORLD);
  CALL(Scan, scan, MPI_IN_PLACE, in, 0, type, MPI_SUM, MPI_COMM_WORLD);
  CALL(Exscan, exscan, out, in, 0, type, MPI_SUM, MPI_COMM_WORLD);
  CALL(Exscan, exscan, MPI_IN_PLACE, in, 0, type, MPI_SUM, MPI_COMM_WORLD);
  CALL(Reduce_scatter_block, reduce_scatter_block, out, in, 0, type, MPI_SUM, MPI_COMM_WORLD);
  CALL(Reduce_scatter_block, reduce_scatter_block, MPI_IN_PLACE, in, 0, type, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_local(out, in, 0, type, MPI_SUM);
}

/* Rank `empty` gets and gives nothing; -1: none does. type: one of N ints. */
static void vectors(int empty, MPI_Datatype type) {
  const int root = 0, n = rank == empty || empty < 0 ? 0 : N;
  const int at_root = rank == root;
  int counts[MOST], displs[MOST], pairs[MOST], bytes[MOST], own[MOST], spread[MOST];
  MPI_Datatype types[MOST];
  for (int i = 0; i < size; i++) {
    counts[i] = i == empty || empty < 0 ? 0 : N; /* of each rank */
    displs[i] = i * N;
    pairs[i] = own[i] = rank == empty ? 0 : counts[i]; /* with each rank */
    spread[i] = i * N;
    bytes[i] = i * N * (int)sizeof(int);
    types[i] = MPI_INT;
  }
  UNEVEN(Gatherv, gatherv, out, n, MPI_INT, in, counts, displs, MPI_INT, root, MPI_COMM_WORLD);
  UNEVEN(Gatherv, gatherv, at_root ? MPI_IN_PLACE : out, n, MPI_INT, in, counts, displs, MPI_INT, root, MPI_COMM_WORLD);
  UNEVEN(Scatterv, scatterv, out, counts, displs, MPI_INT, in, n, MPI_INT, root, MPI_COMM_WORLD);
  UNEVEN(Scatterv, scatterv, out, counts, displs, MPI_INT, at_root ? MPI_IN_PLACE : in, n, MPI_INT, root,
         MPI_COMM_WORLD);
  UNEVEN(Allgatherv, allgatherv, out, n, MPI_INT, in, counts, displs, MPI_INT, MPI_COMM_WORLD);
  UNEVEN(Allgatherv, allgatherv, out, n / N, type, in, counts, displs, MPI_INT, MPI_COMM_WORLD);
  UNEVEN(Allgatherv, allgatherv, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, displs, MPI_INT, MPI_COMM_WORLD);
  UNEVEN(Alltoallv, alltoallv, out, pairs, displs, MPI_INT, in, own, spread, MPI_INT, MPI_COMM_WORLD);
  UNEVEN(Alltoallv, alltoallv, out, pairs, displs, MPI_INT, in, pairs, displs, MPI_INT, MPI_COMM_WORLD);
  UNEVEN(Alltoallv, alltoallv, MPI_IN_PLACE, pairs, displs, MPI_INT, in, own, spread, MPI_INT, MPI_COMM_WORLD);
  UNEVEN(Alltoallw, alltoallw, out, pairs, bytes, types, in, own, bytes, types, MPI_COMM_WORLD);
  UNEVEN(Alltoallw, alltoallw, MPI_IN_PLACE, pairs, bytes, types, in, own, bytes, types, MPI_COMM_WORLD);
  UNEVEN(Reduce_scatter, reduce_scatter, out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  UNEVEN(Reduce_scatter, reduce_scatter, MPI_IN_PLACE, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  /* The halves of one buffer, whose counts are equal. */
  for (int i = 0; i < size; i++) spread[i] += MOST * N;
  UNEVEN(Alltoallv, alltoallv, out, pairs, displs, MPI_INT, out, own, spread, MPI_INT, MPI_COMM_WORLD);
}

/* Along a ring: both neighbours get nothing from rank `empty` and give it nothing; -1: nobody does anything. */
static void neighbours(int empty, MPI_Comm ring) {
  const int there[2] = {(rank + size - 1) % size, (rank + 1) % size};
  int counts[2], displs[2] = {0, N};
  MPI_Aint bytes[2] = {0, N * sizeof(int)};
  const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  for (int i = 0; i < 2; i++) counts[i] = rank == empty || there[i] == empty || empty < 0 ? 0 : N;
  CALL(Neighbor_allgather, neighbor_allgather, out, 0, MPI_INT, in, 0, MPI_INT, ring);
  CALL(Neighbor_alltoall, neighbor_alltoall, out, 0, MPI_INT, in, 0, MPI_INT, ring);
  for (int i = 0; i < 2; i++) displs[i] = i * N;
  CALL(Neighbor_alltoallv, neighbor_alltoallv, out, counts, displs, MPI_INT, in, counts, displs, MPI_INT, ring);
  CALL(Neighbor_alltoallw, neighbor_alltoallw, out, counts, bytes, types, in, counts, bytes, types, ring);
  for (int i = 0; i < 2; i++) counts[i] = there[i] == empty || empty < 0 ? 0 : N;
  CALL(Neighbor_allgatherv, neighbor_allgatherv, out, rank == empty || empty < 0 ? 0 : N, MPI_INT, in, counts, displs,
       MPI_INT, ring);
}

int main(int argc, char** argv) {
  MPI_Datatype row, none;
  MPI_Comm ring;
  const int around = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Type_contiguous(N, MPI_INT, &row);
  MPI_Type_contiguous(0, MPI_INT, &none);
  MPI_Type_commit(&row);
  MPI_Type_commit(&none);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &around, 0, &ring);
  nothing(MPI_INT, 0);
  nothing(none, 2);
  for (int empty = -1; empty < size; empty++) {
    vectors(empty, row);
    neighbours(empty, ring);
  }
  MPI_Comm_free(&ring);
  MPI_Type_free(&none);
  MPI_Type_free(&row);
  MPI_Finalize();
  return 0;
}
