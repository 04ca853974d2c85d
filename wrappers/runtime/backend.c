/* The back end's door: the front library hands over the MPI that it found and gets the wrappers. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

#include "wrap.h"

__attribute__((visibility("default"))) int skel_backend_open(void* mpi,
                                                             void (*bind)(const char* name, void (*target)(void))) {
  for (unsigned i = 0; i < skel_wrapper_count; i++) {
    char symbol[128];
    snprintf(symbol, sizeof symbol, "P%s", skel_wrappers[i].name);
    *(void**)skel_wrappers[i].real = dlsym(mpi, symbol);
  }
  const enum skel_mode mode = skel_start(skel_wrapper_count, skel_functions);
  for (unsigned i = 0; i < skel_wrapper_count && mode != SKEL_MODE_OFF; i++) {
    const char* name = skel_wrappers[i].name;
    const int session = strncmp(name, "MPI_Init", 8) == 0 || strcmp(name, "MPI_Finalize") == 0;
    if (*skel_wrappers[i].real && (mode == SKEL_MODE_RECORD || session)) bind(name, skel_wrappers[i].wrapper);
  }
  return 0;
}
