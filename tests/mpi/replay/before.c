/* A loop of calls before MPI_Init. At most 8 statements. */
#include <mpi.h>

int main(int argc, char** argv) {
  int said = 0;
  for (int i = 0; i < 50; i++) {
    MPI_Initialized(&said);
    for (int k = 0; k < 3; k++) MPI_Finalized(&said);
  }
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
