/* libskeltrace.so: the library that is preloaded, whatever the MPI and the language. It links no MPI. Every MPI name is
 * a jump through a slot (front_stubs.S); the first call of a program fills all slots: it finds the MPI that the caller
 * was linked with, asks it who it is, and loads the back end for that flavour from its own directory. A program that
 * never calls MPI never gets past the constructor-free loading. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*function)(void);

extern function skel_slots[];
static const char* const kNames[] = {
#define SKEL_NAME(name) name,
#include "front_names.inc"
#undef SKEL_NAME
};
enum { kCount = sizeof kNames / sizeof *kNames };

static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
static int bound;

/* What a name leads to that this MPI does not have. */
static int missing(void) {
  static int said;
  if (!said++) fprintf(stderr, "skelgen: the program calls an MPI function that its MPI library does not have\n");
  return 15; /* MPI_ERR_OTHER of the usual MPIs */
}

static function find(void* mpi, const char* prefix, const char* name) {
  char symbol[128];
  function found;
  snprintf(symbol, sizeof symbol, "%s%s", prefix, name);
  *(void**)&found = dlsym(mpi, symbol);
  return found;
}

/* The MPI that the code at `caller` uses: through its own link map, else the next in line, else whatever is loaded. */
static void* find_mpi(void* caller) {
  static const char* const names[] = {"libmpich.so.12", "libmpi.so.12", "libmpi.so.40", "libmpi.so"};
  Dl_info info;
  struct link_map* map = NULL;
  void* mpi;
  if (dladdr1(caller, &info, (void**)&map, RTLD_DL_LINKMAP) && map) {
    mpi = dlopen(map->l_name[0] ? map->l_name : NULL, RTLD_LAZY | RTLD_NOLOAD);
    if (mpi && dlsym(mpi, "PMPI_Init")) return mpi;
  }
  if (dlsym(RTLD_NEXT, "PMPI_Init")) return RTLD_NEXT;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    mpi = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
    if (mpi && dlsym(mpi, "PMPI_Init")) return mpi;
  }
  return NULL;
}

static const char* flavour_of(void* mpi) {
  static char text[16384]; /* more than any MPI_MAX_LIBRARY_VERSION_STRING */
  int length = 0;
  int (*version)(char*, int*) = (int (*)(char*, int*))find(mpi, "P", "MPI_Get_library_version");
  if (!version || version(text, &length)) return NULL;
  if (strstr(text, "MPICH")) return "mpich";
  if (strstr(text, "Open MPI")) return "openmpi";
  if (strstr(text, "SMPI")) return "smpi";
  return NULL;
}

static void bind_one(const char* name, function target) {
  int low = 0, high = kCount - 1;
  while (low <= high) {
    const int middle = (low + high) / 2, order = strcmp(name, kNames[middle]);
    if (order == 0) {
      if (target) skel_slots[middle] = target;
      return;
    }
    if (order < 0)
      high = middle - 1;
    else
      low = middle + 1;
  }
}

static void bind_all(void* caller) {
  void* mpi = find_mpi(caller);
  const char* mode = getenv("SKELGEN_MODE");
  const char* flavour = mpi ? flavour_of(mpi) : NULL;
  for (int i = 0; i < kCount; i++) {
    function real = mpi ? find(mpi, "P", kNames[i]) : NULL;
    if (!real && mpi && mpi != RTLD_NEXT) real = find(mpi, "", kNames[i]); /* a few functions have no profiling twin */
    skel_slots[i] = real && real != skel_slots[i] ? real : (function)missing;
  }
  if (!mpi || (mode && strcmp(mode, "off") == 0)) return;
  char path[4096] = "";
  Dl_info self;
  if (flavour && dladdr((void*)kNames, &self)) {
    const char* slash = strrchr(self.dli_fname, '/');
    snprintf(path, sizeof path, "%.*slibskeltrace-%s.so", slash ? (int)(slash + 1 - self.dli_fname) : 0, self.dli_fname,
             flavour);
  }
  void* back_end = path[0] ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  int (*open_back_end)(void*, void (*)(const char*, function)) = NULL;
  if (back_end) *(void**)&open_back_end = dlsym(back_end, "skel_backend_open");
  if (!open_back_end) {
    fprintf(stderr, "skelgen: no capture library for this MPI (%s); nothing is recorded\n",
            path[0] ? dlerror() : "unknown library version");
    return;
  }
  open_back_end(mpi, bind_one);
}

function skel_front_resolve(uint64_t number, void* caller) {
  pthread_mutex_lock(&once);
  if (!bound) bind_all(caller);
  bound = 1;
  pthread_mutex_unlock(&once);
  return skel_slots[number];
}
