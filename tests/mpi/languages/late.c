/* late PLUGIN: loads a library in Fortran when MPI has long been running, for itself alone, and calls it. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  void* const plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  void* const found = plugin ? dlsym(plugin, "plugin_") : NULL;
  void (*run)(void);
  if (!found) return puts(dlerror()), 1;
  memcpy(&run, &found, sizeof run);
  run();
  MPI_Finalize();
  return 0;
}
