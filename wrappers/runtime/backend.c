/* What the front library asks of a back end. */
#include "backend.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "front.h"
#include "lifecycle.h"
#include "pmpi.h"

extern void* const skel_wrappers[];

__attribute__((visibility("default"))) void skel_backend_open(void* mpi) {
  for (int i = 0; i < SKEL_FUNCTIONS; i++) {
    char name[128] = "P";
    strncat(name, skel_functions[i].name, sizeof name - 2);
    void* const found = dlsym(mpi, name);
    memcpy((char*)&skel_pmpi + (size_t)i * sizeof found, &found, sizeof found);
  }
  skel_lifecycle_start();
}

static int by_name(const void* name, const void* function) {
  return strcmp(name, ((const struct skel_function*)function)->name);
}

__attribute__((visibility("default"))) void* skel_backend_wrapper(const char* name) {
  const struct skel_function* const found = bsearch(name, skel_functions, SKEL_FUNCTIONS, sizeof *found, by_name);
  if (!found) return NULL;
  const ptrdiff_t i = found - skel_functions;
  void* pmpi;
  memcpy(&pmpi, (char*)&skel_pmpi + (size_t)i * sizeof pmpi, sizeof pmpi);
  if (!pmpi) return NULL;
  if (skel_state()->mode == SKEL_TIME && i != SKEL_MPI_Init && i != SKEL_MPI_Init_thread && i != SKEL_MPI_Finalize)
    return NULL;
  return skel_wrappers[i];
}
