/* Particles move to the next rank in every tenth step; in the others no rank has anything to send. At most 5 statements.
 * Runs with three eager limits. */
#include <mpi.h>

int main(int argc, char** argv) {
  static double out[64], in[64];
  int rank, size, zero[16] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < 40; step++) {
    int to[16] = {0}, from[16] = {0};
    if (step % 10 == 9) to[(rank + 1) % size] = from[(rank + size - 1) % size] = 3;
    MPI_Alltoallv(out, to, zero, MPI_DOUBLE, in, from, zero, MPI_DOUBLE, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
