/* A library that calls MPI while it is loaded. */
#include <mpi.h>
#include <unistd.h>

__attribute__((constructor)) static void load(void) {
  int flag;
  usleep(500000);
  MPI_Initialized(&flag);
}
