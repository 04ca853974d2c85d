/* Collectives between two groups of different size. Arrays end where memory does: who reads further dies.
 * Runs with three eager limits. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "forms.h"

enum { MOST = 16, N = 12 };

/* Memory of so many bytes, with none behind it. */
static void* last(size_t bytes) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (bytes + page - 1) / page;
  char* all = mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED || mprotect(all + pages * page, page, PROT_NONE)) abort();
  return all + pages * page - bytes;
}

static int* counts_of(int n, int first, int step) {
  int* all = last((size_t)n * sizeof(int));
  for (int i = 0; i < n; i++) all[i] = first + i * step;
  return all;
}

int main(int argc, char** argv) {
  MPI_Comm own, between;
  MPI_Request request;
  MPI_Status status;
  int rank, size, own_rank, own_size, others;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int second = rank == size - 1; /* {0, 1, 2} and {3} */
  MPI_Comm_split(MPI_COMM_WORLD, second, rank, &own);
  MPI_Comm_rank(own, &own_rank);
  MPI_Comm_size(own, &own_size);
  MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, second ? 0 : size - 1, 7, &between);
  MPI_Comm_remote_size(between, &others);

  /* Of each other rank 2 ints. */
  int *out = last(MOST * N * sizeof(int)), *in = last(MOST * N * sizeof(int));
  const int *two = counts_of(others, 2, 0), *places = counts_of(others, 0, 2), *bytes = counts_of(others, 0, 8);
  MPI_Datatype* types = last((size_t)others * sizeof *types);
  for (int i = 0; i < others; i++) types[i] = MPI_INT;
  CALL(Allgatherv, allgatherv, out, 2, MPI_INT, in, two, places, MPI_INT, between);
  CALL(Allgather, allgather, out, 2, MPI_INT, in, 2, MPI_INT, between);
  CALL(Alltoallv, alltoallv, out, two, places, MPI_INT, in, two, places, MPI_INT, between);
  CALL(Alltoallw, alltoallw, out, two, bytes, types, in, two, bytes, types, between);
  CALL(Alltoall, alltoall, out, 2, MPI_INT, in, 2, MPI_INT, between);

  /* The roots are the first ranks of either group in turn. */
  for (int of = 0; of < 2; of++) {
    const int root = of != second ? 0 : own_rank == 0 ? MPI_ROOT : MPI_PROC_NULL, is_root = root == MPI_ROOT;
    CALL(Gatherv, gatherv, out, 2, MPI_INT, in, is_root ? two : NULL, is_root ? places : NULL, MPI_INT, root, between);
    CALL(Scatterv, scatterv, out, is_root ? two : NULL, is_root ? places : NULL, MPI_INT, in, 2, MPI_INT, root,
         between);
    CALL(Gather, gather, out, 2, MPI_INT, in, 2, MPI_INT, root, between);
    CALL(Scatter, scatter, out, 2, MPI_INT, in, 2, MPI_INT, root, between);
    CALL(Reduce, reduce, out, in, 2, MPI_INT, MPI_SUM, root, between);
  }

  /* N ints, of which each rank of a group gets its share. */
  const int* shares = counts_of(own_size, N / own_size, 0);
  CALL(Reduce_scatter, reduce_scatter, out, in, shares, MPI_INT, MPI_SUM, between);
  int* different = counts_of(own_size, 1, 1);
  different[own_size - 1] = N - (own_size - 1) * own_size / 2;
  CALL(Reduce_scatter, reduce_scatter, out, in, different, MPI_INT, MPI_SUM, between);
  int *all = last(N * sizeof(int)), *part = last(sizeof(int) * (size_t)(N / own_size));
  CALL(Reduce_scatter_block, reduce_scatter_block, all, part, N / own_size, MPI_INT, MPI_SUM, between);
  CALL(Allreduce, allreduce, out, in, 2, MPI_INT, MPI_MAX, between);

  MPI_Comm_free(&between);
  MPI_Comm_free(&own);
  MPI_Finalize();
  return 0;
}
