/* Between the front library, which knows no MPI, and the back end of one MPI. */
#ifndef SKEL_FRONT_H
#define SKEL_FRONT_H

#include <stdlib.h>

/* find: address of a name in the program's MPI, NULL if it has none. Called once, before the first call of a wrapper. */
void skel_backend_open(void* (*find)(const char* name));
/* When a name is called that was nowhere: its library may have been loaded since. One thread at a time. */
void skel_backend_open_again(void* (*find)(const char* name));
/* The wrapper of an MPI function in C or Fortran, NULL if it is to be called directly. */
void* skel_backend_wrapper(const char* name);

/* The rank as the launcher tells it, before MPI does; NULL if it does not. For not saying things once per rank. */
static inline const char* skel_rank_in_environment(void) {
  static const char* const variables[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"};
  for (int i = 0; i < 4; i++)
    if (getenv(variables[i])) return getenv(variables[i]);
  return NULL;
}

#endif
