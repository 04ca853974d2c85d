/* What is loaded where: sites of calls are told by their modules. */
#ifndef SKEL_MODULES_H
#define SKEL_MODULES_H

#include <stdint.h>

#define SKEL_MODULE_PATH 256

struct skel_module {
  uint64_t from, to, base;
  int is_ours; /* an MPI's, or this library's */
  int recorded;
  char path[SKEL_MODULE_PATH];
  char build_id[80]; /* in hexadecimal digits, may be empty */
};

/* The module of an address, NULL for code that was made at run time. */
struct skel_module* skel_module_of(const void* address);
/* In the child of a fork: none is recorded. */
void skel_modules_forget(void);

#endif
