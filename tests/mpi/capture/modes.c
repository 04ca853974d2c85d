/* Two ranks make calls beside the plain ones; what each call must look like in the trace stands in modes_test.cpp. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, flag = 0, size = 4096;
  void* memory = malloc(4096);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int other = 1 - rank;
  double out[16] = {0}, in[16] = {0};
  MPI_Status status;
  MPI_Request requests[2], own;

  MPI_Buffer_attach(memory, size);
  MPI_Irecv(in, 2, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Ibsend(out, 2, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Buffer_detach(&memory, &size);
  MPI_Sendrecv_replace(in, 2, MPI_DOUBLE, other, 3, other, 3, MPI_COMM_WORLD, &status);

  MPI_Recv_init(in, 4, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Ssend_init(out, 4, MPI_INT, other, 4, MPI_COMM_WORLD, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Start(&requests[0]);
  MPI_Start(&requests[1]);
  MPI_Wait(&requests[1], &status);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);

  const int counts[2] = {1, 3};
  MPI_Exscan(out, in, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_scatter(MPI_IN_PLACE, in, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_scatter_block(out, in, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Reduce_local(out, in, 5, MPI_DOUBLE, MPI_MIN);
  MPI_Ibarrier(MPI_COMM_WORLD, &own);
  MPI_Wait(&own, MPI_STATUS_IGNORE);
  MPI_Igather(out, 2, MPI_INT, rank == 0 ? in : NULL, rank == 0 ? 2 : -5, MPI_INT, 0, MPI_COMM_WORLD, &own);
  MPI_Wait(&own, MPI_STATUS_IGNORE);
  MPI_Ireduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &own);
  MPI_Wait(&own, MPI_STATUS_IGNORE);

  const int bytes[2] = {0, 32};
  const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, counts, bytes, (MPI_Datatype[2]){MPI_INT, MPI_INT}, MPI_COMM_SELF);
  MPI_Ialltoallw(out, (int[2]){2, 2}, bytes, (MPI_Datatype[2]){types[rank], types[rank]}, in, (int[2]){2, 2}, bytes,
                 types, MPI_COMM_WORLD, &own);
  MPI_Wait(&own, MPI_STATUS_IGNORE);

  MPI_Message message;
  MPI_Isend(out, 3, MPI_INT, other, 6, MPI_COMM_WORLD, &own);
  MPI_Mprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(in, 8, MPI_INT, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&own, MPI_STATUS_IGNORE);
  MPI_Improbe(MPI_PROC_NULL, 6, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(in, 8, MPI_INT, &message, &own);
  MPI_Wait(&own, MPI_STATUS_IGNORE);

  MPI_Comm made;
  MPI_Comm_idup(MPI_COMM_WORLD, &made, &own);
  MPI_Wait(&own, MPI_STATUS_IGNORE);
  MPI_Barrier(made);
  MPI_Comm_free(&made);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &made);
  MPI_Comm_free(&made);
  MPI_Group world, half, both;
  int first = 1;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &first, &half);
  if (rank == 1) {
    MPI_Comm_create_group(MPI_COMM_WORLD, half, 8, &made);
    MPI_Comm_free(&made);
  }
  MPI_Group_union(half, world, &both);
  MPI_Group_free(&both);
  MPI_Group_free(&half);
  MPI_Group_free(&world);
  MPI_Finalize();
  free(memory);
  return 0;
}
