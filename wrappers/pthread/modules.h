/* What is loaded where: sites of calls are told by their modules. */
#ifndef SKEL_MODULES_H
#define SKEL_MODULES_H

#include <stdint.h>

#include "real.h"

#define SKEL_MODULE_PATH 256

struct skel_module {
  uint64_t from, to, base;
  int is_mpi;
  int recorded;
  char path[SKEL_MODULE_PATH];
  char build_id[80];                                   /* in hexadecimal digits, may be empty */
  const struct skel_openmp* openmp[SKEL_OPENMP_KINDS]; /* NULL: not looked for yet */
};

/* The module of an address, NULL for code that was made at run time. */
struct skel_module* skel_module_of(const void* address);
/* Where calls of OpenMP go that the module makes. The functions are NULL where there is no runtime. */
const struct skel_openmp* skel_find_openmp(enum skel_openmp_kind kind, struct skel_module* caller);
/* In the child of a fork: none is recorded. */
void skel_modules_forget(void);

#endif
