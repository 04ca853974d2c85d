/* Linked with -Wl,--wrap=PMPI_Query_thread: an MPI that lets threads call it, but not at once. */
#include <mpi.h>

int __wrap_PMPI_Query_thread(int* level);

int __wrap_PMPI_Query_thread(int* level) {
  *level = MPI_THREAD_SERIALIZED;
  return MPI_SUCCESS;
}
