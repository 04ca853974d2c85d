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

/* A library that was loaded for another one alone is not among what comes next, and may have a name of its own. */
static int is_gomp(struct dl_phdr_info* info, size_t bytes, void* path) {
  static const char* const beginnings[] = {"libgomp", "libomp", "libiomp"};
  const char* const slash = strrchr(info->dlpi_name, '/');
  (void)bytes;
  for (size_t i = 0; slash && i < sizeof beginnings / sizeof beginnings[0]; i++)
    if (!strncmp(slash + 1, beginnings[i], strlen(beginnings[i]))) {
      snprintf(path, PATH_MAX, "%s", info->dlpi_name);
      return 1;
    }
  return 0;
}

static void* find_gomp(const char* name) {
  char path[PATH_MAX];
  void* address = dlsym(RTLD_NEXT, name);
  if (address || !dl_iterate_phdr(is_gomp, path)) return address;
  void* const library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (library) address = dlsym(library, name);
  if (library) dlclose(library);
  return address;
}

SKEL_COLD void skel_find_gomp(void) {
#define SKEL_FIND(name) put(&skel_real.name, find_gomp(#name));
  SKEL_GOMP_NAMES(SKEL_FIND)
#undef SKEL_FIND
}
