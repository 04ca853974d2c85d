#include "real.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "modules.h"
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

const void* skel_library_of(const void* address) {
  Dl_info library;
  return address && dladdr(address, &library) ? library.dli_fbase : NULL;
}

static const char* version_of(enum skel_openmp_kind kind, const char* of_gnu) {
  return kind == skel_gnu ? of_gnu : "VERSION";
}
static int has_openmp(void* library, enum skel_openmp_kind kind) {
  return dlvsym(library, "omp_set_lock", version_of(kind, "OMP_3.0")) != NULL;
}

static void look_into(struct skel_openmp* runtime, void* library, enum skel_openmp_kind kind) {
#define SKEL_FIND(name, version) put(&runtime->name, dlvsym(library, #name, version_of(kind, version)));
  SKEL_GOMP_NAMES(SKEL_FIND)
#undef SKEL_FIND
  /* omp_get_dynamic() initialises LLVM's runtime, which calls ompt_start_tool(). */
  int (*const begin)(void) = (int (*)(void))(uintptr_t)dlvsym(library, "omp_get_dynamic", version_of(kind, "OMP_1.0"));
  if (begin) begin();
  runtime->library = skel_library_of((const void*)(uintptr_t)runtime->omp_set_lock);
}

static int look_into_file(struct skel_openmp* runtime, const char* path, enum skel_openmp_kind kind) {
  void* const library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  const int found = library && has_openmp(library, kind);
  if (found) look_into(runtime, library, kind);
  if (library) dlclose(library);
  return found;
}

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

/* The runtime that the loader would choose for the caller: first the one in the global scope (RTLD_NEXT). A library that was opened
 * with RTLD_LOCAL is not in that scope: it is looked for among the caller's dependencies, then by the usual file names. */
static void find_openmp(struct skel_openmp* runtime, enum skel_openmp_kind kind, const char* caller) {
  static const char* const beginnings[] = {"libgomp", "libomp", "libiomp"};
  if (has_openmp(RTLD_NEXT, kind)) {
    look_into(runtime, RTLD_NEXT, kind);
    return;
  }
  int found = caller && look_into_file(runtime, caller, kind);
  for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0] && !found; i++) {
    struct search search = {.beginning = beginnings[i]};
    found = dl_iterate_phdr(is_called, &search) && look_into_file(runtime, search.path, kind);
  }
}

SKEL_COLD const struct skel_openmp* skel_find_openmp(enum skel_openmp_kind kind, struct skel_module* caller) {
  static struct skel_openmp of_others[SKEL_OPENMP_KINDS]; /* of code without a module */
  if (!caller && of_others[kind].library) return &of_others[kind];
  struct skel_openmp* runtime = caller ? skel_allocate(sizeof *runtime) : NULL;
  if (!runtime) runtime = &of_others[kind];
  find_openmp(runtime, kind, caller ? caller->path : NULL);
  if (caller) __atomic_store_n(&caller->openmp[kind], runtime, __ATOMIC_RELEASE);
  return runtime;
}
