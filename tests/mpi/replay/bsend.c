/* Memory for buffered sends, of the size that this MPI asks for, anew in every step. */
#include <mpi.h>
#include <stdlib.h>

enum { N = 512, STEPS = 40, MESSAGES = 3 };

int main(int argc, char** argv) {
  static double in[N], out[N];
  int rank, size, bytes;
  void* memory;
  MPI_Request request;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Pack_size(N, MPI_DOUBLE, MPI_COMM_WORLD, &bytes);
  const int room = MESSAGES * (bytes + MPI_BSEND_OVERHEAD);
  for (int i = 0; i < STEPS; i++) {
    MPI_Buffer_attach(malloc((size_t)room), room);
    for (int m = 0; m < MESSAGES - 1; m++) MPI_Bsend(out, N, MPI_DOUBLE, right, m, MPI_COMM_WORLD);
    MPI_Ibsend(out, N, MPI_DOUBLE, right, MESSAGES - 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    for (int m = 0; m < MESSAGES; m++) MPI_Recv(in, N, MPI_DOUBLE, left, m, MPI_COMM_WORLD, &status);
    MPI_Buffer_detach(&memory, &bytes);
    free(memory);
  }
  MPI_Finalize();
  return 0;
}
