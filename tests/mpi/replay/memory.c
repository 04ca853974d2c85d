/* Buffers of megabytes, sent from, received into and both, some of them in parts. With an argument they are small. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  const int n = argc > 1 ? 1 << 10 : 1 << 22;
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  const size_t bytes = (size_t)n * sizeof(double);
  double* out = malloc(bytes); /* read only */
  double* in = malloc(bytes);  /* written only, by parts */
  double* more = malloc(bytes / 2);
  double* sum = malloc(bytes / 4);
  double* both = malloc(bytes / 4);
  memset(out, 1, bytes);
  memset(both, 1, bytes / 4);
  for (int i = 0; i < 5; i++) {
    MPI_Sendrecv(out, n / 2, MPI_DOUBLE, next, 1, in, n / 2, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out + n / 2, n / 2, MPI_DOUBLE, next, 2, in + n / 2, n / 2, MPI_DOUBLE, last, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, n / 2, MPI_DOUBLE, next, 3, more, n / 2, MPI_DOUBLE, last, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(both, sum, n / 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, both, n / 4, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  free(out), free(in), free(more), free(sum), free(both);
  MPI_Finalize();
  return 0;
}
