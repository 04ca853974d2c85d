/* Linked with an emitted program: MPI_Waitsome and MPI_Testsome complete one request at a time, as under SMPI, where the
 * runtime cannot wait before it calls them. Rank 0 says how many they completed. */
#include <mpi.h>
#include <stdio.h>

static int rank, completed;

int MPI_Waitsome(int n, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
  const int result = PMPI_Waitany(n, requests, &indices[0], statuses);
  *done = indices[0] == MPI_UNDEFINED ? MPI_UNDEFINED : 1;
  completed += *done == 1;
  return result;
}

int MPI_Testsome(int n, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
  return MPI_Waitsome(n, requests, done, indices, statuses);
}

int MPI_Finalize(void) {
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("completed %d\n", completed);
  return PMPI_Finalize();
}
