/* Linked with -Wl,--wrap=calloc,--wrap=realloc: on rank 1 the one that the environment's STARVED names finds no memory. */
#include <stdlib.h>
#include <string.h>

extern int rank; /* of the runtime */

static int starved(const char* function) {
  const char* wanted = getenv("STARVED");
  return rank == 1 && wanted && strcmp(wanted, function) == 0;
}

void *__real_calloc(size_t n, size_t bytes), *__real_realloc(void*memory, size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes), *__wrap_realloc(void*memory, size_t bytes);

void* __wrap_calloc(size_t n, size_t bytes) { return starved("calloc") ? NULL : __real_calloc(n, bytes); }
void* __wrap_realloc(void* memory, size_t bytes) { return starved("realloc") ? NULL : __real_realloc(memory, bytes); }
