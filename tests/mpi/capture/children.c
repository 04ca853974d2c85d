/* Prints LD_PRELOAD and SKELGEN_OUT as a program sees them that this one starts: tracing leaves them alone. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = system("echo \"$LD_PRELOAD|$SKELGEN_OUT\"");
  MPI_Finalize();
  return status != 0;
}
