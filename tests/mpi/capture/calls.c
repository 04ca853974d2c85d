/* Two ranks make one call of many functions; what each call must look like in the trace stands in capture_test.cpp. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, size, flag, index, done, indices[2], number = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int other = 1 - rank;
  double out[16] = {0}, in[16] = {0};
  MPI_Status status, statuses[2];
  MPI_Request requests[2];

  /* point to point */
  if (rank == 0) {
    MPI_Send(out, 3, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);
    MPI_Ssend(out, 0, MPI_INT, 1, 8, MPI_COMM_WORLD);
    MPI_Send(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(in, 3, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(in, 16, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Sendrecv(out, 2, MPI_DOUBLE, other, 1, in, 2, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &status);
  MPI_Irecv(in, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, 1, MPI_INT, other, 5, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Irecv(in, 1, MPI_INT, other, 6, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, 1, MPI_INT, other, 6, MPI_COMM_WORLD, &requests[1]);
  MPI_Wait(&requests[0], &status);
  MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
  MPI_Waitsome(2, requests, &done, indices, statuses);
  MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
  MPI_Isend(out, 4, MPI_CHAR, other, 9, MPI_COMM_WORLD, &requests[1]);
  MPI_Probe(other, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(in, 4, MPI_CHAR, other, 9, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_CHAR, &number);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);

  /* collectives; what means nothing away from the root is garbage there */
  const MPI_Datatype nothing = rank == 0 ? MPI_INT : (MPI_Datatype)0x7badbad;
  int* const nowhere = rank == 0 ? (int*)in : (int*)8;
  const int counts[2] = {1, 2}, displs[2] = {0, 1}, ones[2] = {1, 1};
  MPI_Bcast(out, 4, MPI_FLOAT, 1, MPI_COMM_WORLD);
  MPI_Reduce(out, rank == 0 ? in : NULL, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Gather(out, 2, MPI_INT, nowhere, rank == 0 ? 2 : -5, nothing, 0, MPI_COMM_WORLD);
  MPI_Gatherv(out, rank + 1, MPI_INT, nowhere, rank == 0 ? counts : (const int*)8, rank == 0 ? displs : (const int*)8,
              nothing, 0, MPI_COMM_WORLD);
  MPI_Alltoall(MPI_IN_PLACE, -3, (MPI_Datatype)0x7badbad, in, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoallv(out, ones, displs, MPI_INT, in, ones, displs, MPI_INT, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);

  /* communicators: the handle of a freed group comes back for other members */
  MPI_Comm half, cart, row, pair;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 3 : MPI_UNDEFINED, 0, &half);
  if (half != MPI_COMM_NULL) MPI_Comm_free(&half);
  const int dims[2] = {2, 1}, periods[2] = {1, 0}, keep[2] = {1, 0};
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
  MPI_Cart_sub(cart, keep, &row);
  MPI_Group world, some;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  for (int member = 0; member < 2; member++) {
    MPI_Group_incl(world, 1, &member, &some);
    MPI_Comm_create(MPI_COMM_WORLD, some, &pair);
    if (pair != MPI_COMM_NULL) MPI_Barrier(pair);
    if (pair != MPI_COMM_NULL) MPI_Comm_free(&pair);
    MPI_Group_free(&some);
  }
  MPI_Group_free(&world);
  MPI_Comm_free(&row);
  MPI_Comm_free(&cart);
  MPI_Pcontrol(1);
  MPI_Finalize();
  return 0;
}
