#include "real.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "record.h"

/* An allocator that a program brings may lock while dlsym allocates: glibc exports these by other names, too. */
#define OTHER(name) extern __typeof__(name) __##name __attribute__((weak))
OTHER(pthread_mutex_lock);
OTHER(pthread_mutex_trylock);
OTHER(pthread_mutex_unlock);
OTHER(pthread_mutex_init);
OTHER(pthread_mutex_destroy);
OTHER(pthread_once);
OTHER(pthread_rwlock_rdlock);
OTHER(pthread_rwlock_wrlock);
OTHER(pthread_rwlock_unlock);
extern __typeof__(read) __read __attribute__((weak));
extern __typeof__(write) __write __attribute__((weak));
extern __typeof__(close) __close __attribute__((weak));

struct skel_real skel_real = {.pthread_mutex_lock = __pthread_mutex_lock,
                              .pthread_mutex_trylock = __pthread_mutex_trylock,
                              .pthread_mutex_unlock = __pthread_mutex_unlock,
                              .pthread_mutex_init = __pthread_mutex_init,
                              .pthread_mutex_destroy = __pthread_mutex_destroy,
                              .pthread_once = __pthread_once,
                              .pthread_rwlock_rdlock = __pthread_rwlock_rdlock,
                              .pthread_rwlock_wrlock = __pthread_rwlock_wrlock,
                              .pthread_rwlock_unlock = __pthread_rwlock_unlock,
                              .read = __read,
                              .write = __write,
                              .close = __close};
int skel_real_found;

/* Condition variables of before glibc 2.3.2 are other ones, by the same names. */
static void* find(const char* name) {
  if (!strncmp(name, "pthread_cond_", 13) && strcmp(name + 13, "clockwait")) {
#ifdef __x86_64__
    void* const current = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    if (current) return current;
#endif
  }
  return dlsym(RTLD_NEXT, name);
}

static void put(void* slot, void* address) {
  if (address) __atomic_store_n((void**)slot, address, __ATOMIC_RELAXED);
}

SKEL_COLD void skel_find_real(void) {
#define SKEL_FIND(name) put(&skel_real.name, find(#name));
  SKEL_LIBC_NAMES(SKEL_FIND)
#undef SKEL_FIND
  __atomic_store_n(&skel_real_found, 1, __ATOMIC_RELEASE);
}

/* ---- OpenMP ---- */

struct skel_openmp skel_gnu, skel_llvm;

struct search {
  const char* beginning;
  char path[PATH_MAX];
};
static int is_called(struct dl_phdr_info* info, size_t bytes, void* with) {
  struct search* const search = with;
  const char* const slash = strrchr(info->dlpi_name, '/');
  (void)bytes;
  if (!slash || strncmp(slash + 1, search->beginning, strlen(search->beginning)) != 0) return 0;
  snprintf(search->path, sizeof search->path, "%s", info->dlpi_name);
  return 1;
}

/* A library that was loaded for another one alone is not among what comes next, and may have a name of its own. */
static void* find_openmp(const char* name, const char* version) {
  static const char* const beginnings[] = {"libgomp", "libomp", "libiomp"};
  void* address = dlvsym(RTLD_NEXT, name, version);
  for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0] && !address; i++) {
    struct search search = {.beginning = beginnings[i]};
    void* const library = dl_iterate_phdr(is_called, &search) ? dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (library) address = dlvsym(library, name, version);
    if (library) dlclose(library);
  }
  return address;
}

const void* skel_library_of(const void* address) {
  Dl_info library;
  return address && dladdr(address, &library) ? library.dli_fbase : NULL;
}

SKEL_COLD void skel_find_openmp(struct skel_openmp* runtime) {
  const int is_gnu = runtime == &skel_gnu;
#define SKEL_FIND(name, version) put(&runtime->name, find_openmp(#name, is_gnu ? version : "VERSION"));
  SKEL_GOMP_NAMES(SKEL_FIND)
#undef SKEL_FIND
  /* Of the calls that begin a runtime, which then looks for a tool of OMPT, the one that does least. */
  int (*const begin)(void) = (int (*)(void))(uintptr_t)find_openmp("omp_get_dynamic", is_gnu ? "OMP_1.0" : "VERSION");
  if (begin) begin();
  const void* const library = skel_library_of((const void*)(uintptr_t)runtime->omp_set_lock);
  __atomic_store_n(&runtime->library, library, __ATOMIC_RELEASE);
}
