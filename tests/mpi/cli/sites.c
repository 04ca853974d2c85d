/* Calls whose lines are known: what stands in capitals behind a call names it. */
#include <mpi.h>

static int rank, size;

static void exchange(double* cell, int step) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Request request;
  MPI_Irecv(cell + 1, 1, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, &request); /* RECEIVE */
  MPI_Send(cell, 1, MPI_DOUBLE, right, 3, MPI_COMM_WORLD);               /* SEND */
  MPI_Wait(&request, MPI_STATUS_IGNORE);                                 /* WAIT */
  cell[0] = cell[1] + step;
}

int main(int argc, char** argv) {
  double cell[2] = {1, 0}, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD); /* FIRST */
  for (int i = 0; i < 40; i++) exchange(cell, i);
  MPI_Barrier(MPI_COMM_WORLD); /* SECOND */
  /* One statement of a loop. */
  MPI_Allreduce(cell, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* REDUCE1 */
  MPI_Allreduce(cell, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* REDUCE2 */
  MPI_Allreduce(cell, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* REDUCE3 */
  MPI_Allreduce(cell, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* REDUCE4 */
  MPI_Allreduce(cell, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* REDUCE5 */
  MPI_Finalize();
  return 0;
}
