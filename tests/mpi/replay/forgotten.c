// At most 24 statements. Is cut. The last send of each round is forgotten: the request is set to null and nobody waits for it.
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <time.h>

int main(int argc, char** argv) {
  int rank, size, in[4], out = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const struct timespec pause = {0, 20000000};
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int i = 0; i < 40; i++) {
    nanosleep(&pause, NULL);  // shorter loops are run in full
    MPI_Request request = MPI_REQUEST_NULL, receives[4];
    for (int k = 0; k < 4; k++) MPI_Irecv(&in[k], 1, MPI_INT, left, k, MPI_COMM_WORLD, &receives[k]);
    for (int k = 0; k < 4; k++) {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Isend(&out, 1, MPI_INT, right, k, MPI_COMM_WORLD, &request);
    }
    MPI_Waitall(4, receives, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
