/* Only MPICH has it: persistent collectives and collectives of neighbours, started in another order on each rank; a copy
 * of a communicator that completes later and gets hints. */
#include <mpi.h>

enum { N = 8, STEPS = 30, MOST = 19 };

int main(int argc, char** argv) {
  static double in[64 * N], out[64 * N];
  int rank, size, counts[16], displs[16], dims[1] = {0}, periods[1] = {1};
  MPI_Aint places[2] = {0, N * sizeof(double)};
  MPI_Datatype types[16];
  MPI_Request all[MOST], two[2];
  MPI_Status status[MOST];
  MPI_Comm ring, copy;
  MPI_Info hints;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 16; i++) counts[i] = 1 + i % 2, displs[i] = i * N, types[i] = MPI_DOUBLE;
  MPI_Dims_create(size, 1, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);

  /* Each of them once. */
  const MPI_Comm world = MPI_COMM_WORLD;
  const MPI_Info none = MPI_INFO_NULL;
  int n = 0;
  const int mine = counts[rank];
  MPI_Barrier_init(world, none, &all[n++]);
  MPI_Bcast_init(out, N, MPI_DOUBLE, size - 1, world, none, &all[n++]);
  MPI_Reduce_init(out, in, N, MPI_DOUBLE, MPI_SUM, 0, world, none, &all[n++]);
  MPI_Allreduce_init(out, in, 1, MPI_DOUBLE, MPI_MAX, world, none, &all[n++]);
  MPI_Scan_init(out, in, 2, MPI_DOUBLE, MPI_SUM, world, none, &all[n++]);
  MPI_Exscan_init(out, in, 2, MPI_DOUBLE, MPI_SUM, world, none, &all[n++]);
  MPI_Reduce_scatter_init(out, in, counts, MPI_DOUBLE, MPI_SUM, world, none, &all[n++]);
  MPI_Reduce_scatter_block_init(out, in, 2, MPI_DOUBLE, MPI_SUM, world, none, &all[n++]);
  MPI_Gather_init(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, 0, world, none, &all[n++]);
  MPI_Gatherv_init(out, mine, MPI_DOUBLE, in, counts, displs, MPI_DOUBLE, 0, world, none, &all[n++]);
  MPI_Scatter_init(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, 0, world, none, &all[n++]);
  MPI_Scatterv_init(out, counts, displs, MPI_DOUBLE, in, mine, MPI_DOUBLE, 0, world, none, &all[n++]);
  MPI_Allgather_init(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, world, none, &all[n++]);
  MPI_Allgatherv_init(out, mine, MPI_DOUBLE, in, counts, displs, MPI_DOUBLE, world, none, &all[n++]);
  MPI_Alltoall_init(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, world, none, &all[n++]);
  MPI_Neighbor_allgather_init(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, ring, none, &all[n++]);
  MPI_Neighbor_allgatherv_init(out, 1, MPI_DOUBLE, in, (int[]){1, 1}, displs, MPI_DOUBLE, ring, none, &all[n++]);
  MPI_Neighbor_alltoall_init(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, ring, none, &all[n++]);
  MPI_Neighbor_alltoallw_init(out, (int[]){1, 1}, places, types, in, (int[]){1, 1}, places, types, ring, none,
                              &all[n++]);
  for (int i = 0; i < n; i++) {
    MPI_Start(&all[i]);
    MPI_Wait(&all[i], status);
  }
  for (int i = 0; i < n; i++) MPI_Request_free(&all[i]);

  /* A main loop: ranks start the same two in different order. */
  MPI_Allreduce_init(out, in, 1, MPI_DOUBLE, MPI_SUM, world, none, &two[0]);
  MPI_Neighbor_alltoallv_init(out, (int[]){4, 4}, displs, MPI_DOUBLE, in + 16 * N, (int[]){4, 4}, displs, MPI_DOUBLE,
                              ring, none, &two[1]);
  for (int i = 0; i < STEPS; i++) {
    MPI_Start(&two[rank % 2]);
    MPI_Start(&two[1 - rank % 2]);
    MPI_Waitall(2, two, status);
    if (i % 3 == 0) {
      MPI_Startall(2, two);
      MPI_Waitall(2, two, status);
    }
  }
  MPI_Request_free(&two[0]);
  MPI_Request_free(&two[1]);
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "mpi_assert_no_any_source", "true");
  MPI_Comm_idup_with_info(world, hints, &copy, &two[0]);
  MPI_Wait(&two[0], status);
  MPI_Barrier(copy);
  MPI_Comm_free(&copy);
  MPI_Info_free(&hints);
  MPI_Comm_free(&ring);
  MPI_Finalize();
  return 0;
}
