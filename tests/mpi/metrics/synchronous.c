// synchronous COUNT MILLISECONDS: rank 0 sends so many bytes, synchronously if it is one, then computes; rank 1 computes as
// long, then receives. Computation is sleep.
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char** argv) {
  int rank;
  const int bytes = argc > 1 ? atoi(argv[1]) : 1, milliseconds = argc > 2 ? atoi(argv[2]) : 100;
  const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  char* const data = calloc(1, (size_t)bytes);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    if (bytes == 1)
      MPI_Ssend(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    else
      MPI_Send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  }
  nanosleep(&time, NULL);
  if (rank == 1) MPI_Recv(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  free(data);
  return 0;
}
