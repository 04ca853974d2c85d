/* verify N: sums on rows of two ranks, and a window over all ranks backwards. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  double own[8] = {0}, sum[8];
  int rank, back, n = argc > 1 ? atoi(argv[1]) : 4;
  MPI_Comm row, backwards;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
  MPI_Comm_rank(backwards, &back);
  MPI_Win_create(own, sizeof own, sizeof *own, MPI_INFO_NULL, backwards, &win);
  for (int i = 0; i < 10; i++) {
    MPI_Allreduce(own, sum, n, MPI_DOUBLE, MPI_SUM, row);
    MPI_Win_fence(0, win);
    MPI_Get(sum, 1, MPI_DOUBLE, back ^ 1, 0, 1, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
  }
  MPI_Win_free(&win);
  MPI_Comm_free(&backwards);
  MPI_Comm_free(&row);
  MPI_Finalize();
  return 0;
}
