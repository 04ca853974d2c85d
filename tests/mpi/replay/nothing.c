/* Completions of null requests in a program that makes no request. At most 12 statements. */
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Request none[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[3];
  int index = 0, several[3], count = 0;
  MPI_Init(&argc, &argv);
  MPI_Wait(&none[0], &statuses[0]);
  MPI_Waitany(3, none, &index, &statuses[0]);
  MPI_Waitsome(3, none, &count, several, statuses);
  MPI_Waitall(3, none, statuses);
  MPI_Finalize();
  return 0;
}
