/* What a tool sees of it: seven sends, three collectives. With HIDDEN set it makes calls that tools do not see. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank, value = 1, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 7; i++) {
    if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 3; i++) MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (getenv("HIDDEN")) PMPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
