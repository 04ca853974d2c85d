/* Interface between the front library, which knows no MPI, and the back end of one MPI. */
#ifndef SKEL_FRONT_H
#define SKEL_FRONT_H

#include <stdlib.h>
#include <string.h>

/* find: address of a name in the program's MPI, NULL if it has none. find_tool: the same name's in another tool that
 * comes behind this library, NULL if there is none. Called once, before the first call of a wrapper. */
void skel_backend_open(void* (*find)(const char* name), void* (*find_tool)(const char* name));
/* When a name is called that was nowhere: its library may have been loaded since. One thread at a time. */
void skel_backend_open_again(void* (*find)(const char* name), void* (*find_tool)(const char* name));
/* The wrapper of an MPI function in C (by its name or PMPI name) or Fortran, NULL if it is to be called directly. */
void* skel_backend_wrapper(const char* name);

/* Whether an object file belongs to an MPI, or to this library. */
static inline int skel_is_mpi_library(const char* path) {
  static const char* const beginnings[] = {
      "libmpi.so", "libmpi_", "libmpich", "libmpifort", "libmpicxx", "libpmpi",    "libopen-",   "mca_",
      "libucp.",   "libuct.", "libucs.",  "libucm.",    "libpmix.",  "libfabric.", "libsimgrid", "libskeltrace"};
  const char* const slash = strrchr(path, '/');
  const char* const name = slash ? slash + 1 : path;
  for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
    if (!strncmp(name, beginnings[i], strlen(beginnings[i]))) return 1;
  return 0;
}

/* Whether the front library exports this name. */
int skel_front_has(const char* name) __attribute__((visibility("hidden")));

/* The rank as the launcher tells it, before MPI does; NULL if it does not. For not saying things once per rank. */
static inline const char* skel_rank_in_environment(void) {
  static const char* const variables[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"};
  for (int i = 0; i < 4; i++)
    if (getenv(variables[i])) return getenv(variables[i]);
  return NULL;
}

#endif
