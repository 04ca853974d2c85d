/* libskeltrace.so: one preload for every MPI. Exports every MPI_* and PMPI_* name, and Fortran's mpi_*_, as a jump through a slot and links no MPI. The
 * first call finds the MPI that the caller uses, loads the back end that was built for it and fills the slots; without
 * one, the calls go straight to PMPI. A slot whose name is nowhere yet stays open until that is called: the MPI's
 * library for Fortran may be loaded at any time. */
#include "front.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char* const names[] = {
#include "front_names.inc"
};
enum { NAMES = sizeof names / sizeof names[0] };

extern void* skel_slots[NAMES];
void skel_front_resolve(void* caller, size_t slot) __attribute__((visibility("hidden")));

static int by_name(const void* name, const void* entry) { return strcmp(name, *(const char* const*)entry); }

int skel_front_has(const char* name) { return bsearch(name, names, NAMES, sizeof names[0], by_name) != NULL; }

static void say(const char* what, const char* why) {
  char line[4096];
  const char* const rank = skel_rank_in_environment();
  if (rank && strcmp(rank, "0")) return;
  const int length = snprintf(line, sizeof line, "skelgen: %s: %s\n", what, why);
  if (length > 0 && write(2, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1) < 0) return;
}

/* What an address belongs to; dladdr alone would look through all symbols for each. */
struct part {
  uintptr_t from, to;
};
static struct part own_part, mpi_part;

static int covers(struct dl_phdr_info* info, size_t bytes, void* with) {
  struct part* const part = with;
  const uintptr_t at = part->from;
  uintptr_t from = UINTPTR_MAX, to = 0;
  (void)bytes;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)* const segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD) continue;
    const uintptr_t begin = info->dlpi_addr + segment->p_vaddr, end = begin + segment->p_memsz;
    if (begin < from) from = begin;
    if (end > to) to = end;
  }
  if (at < from || at >= to) return 0;
  *part = (struct part){from, to};
  return 1;
}

static int is_in(struct part* part, const void* anything, const void* address) {
  if (!part->to) {
    part->from = (uintptr_t)anything;
    dl_iterate_phdr(covers, part);
  }
  return (uintptr_t)address >= part->from && (uintptr_t)address < part->to;
}

static int is_own(const void* address) { return is_in(&own_part, (void*)skel_slots, address); }

/* A handle in which PMPI_Init is found: of the library that has it, so that dlsym on it looks there first. */
static void* handle_of(void* pmpi_init) {
  Dl_info info;
  struct link_map* map = NULL;
  if (!pmpi_init || !dladdr1(pmpi_init, &info, (void**)&map, RTLD_DL_LINKMAP) || !map) return NULL;
  return map->l_name[0] ? dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD) : dlopen(NULL, RTLD_LAZY);
}

static void* find_mpi_by(const char* init, void* caller) {
  static const char* const libraries[] = {"libmpich.so.12", "libmpi.so.12", "libmpi.so.40", "libsimgrid.so.3.32"};
  Dl_info info;
  struct link_map* map = NULL;
  void* found = NULL;
  /* What the caller itself is linked with. */
  if (dladdr1(caller, &info, (void**)&map, RTLD_DL_LINKMAP) && map) {
    void* const object = map->l_name[0] ? dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD) : dlopen(NULL, RTLD_LAZY);
    if (object) found = dlsym(object, init);
  }
  if (!found || is_own(found)) found = dlsym(RTLD_NEXT, init);
  /* Loaded with RTLD_LOCAL by an interpreter. */
  for (size_t i = 0; !found && i < sizeof libraries / sizeof libraries[0]; i++) {
    void* const library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
    if (library) found = dlsym(library, init);
  }
  return handle_of(found);
}

/* Libraries that stand in for MPI in programs of one process may have no PMPI names. */
static void* find_mpi(void* caller) {
  void* mpi = find_mpi_by("PMPI_Init", caller);
  if (!mpi) mpi = find_mpi_by("MPI_Init", caller);
  return mpi ? mpi : find_mpi_by("mpi_init_", caller);
}

/* An address of the program's MPI: its C library, or the ones for Fortran, which may be loaded later than that. */
static void* the_mpi;

/* Looking for one that is not there costs a search of the file system: once for all names. */
static int fortran_looked;

static void* find_in_fortran(const char* name) {
  static const char* const names_of[] = {"libmpi_mpifh.so.40", "libmpi_usempif08.so.40", "libmpichfort.so.12",
                                         "libmpifort.so.12"};
  enum { LIBRARIES = sizeof names_of / sizeof names_of[0] };
  static void* libraries[LIBRARIES];
  void* found = NULL;
  for (int i = 0; i < LIBRARIES && !fortran_looked; i++) libraries[i] = dlopen(names_of[i], RTLD_LAZY | RTLD_NOLOAD);
  fortran_looked = 1;
  for (int i = 0; i < LIBRARIES && !found; i++)
    if (libraries[i]) found = dlsym(libraries[i], name);
  return found;
}

static void* find_in_mpi(const char* name) {
  const int behind = !strncmp(name, "PMPI_", 5) || skel_front_has(name); /* this library */
  void* found = dlsym(behind ? the_mpi : RTLD_DEFAULT, name);
  if (!found) found = find_in_fortran(name);
  if (!found) found = dlsym(the_mpi, name);
  return found;
}

/* The same name in a library behind this one that is no MPI: another tool, or what the program put before its MPI. */
static int is_tool(const void* found) {
  static void* of_mpi;
  Dl_info info;
  if (!of_mpi) of_mpi = dlsym(the_mpi, "PMPI_Init");
  if (!found || is_own(found) || is_in(&mpi_part, of_mpi, found)) return 0;
  return dladdr(found, &info) && info.dli_fname && !skel_is_mpi_library(info.dli_fname);
}

static void* find_tool(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  return is_tool(found) ? found : NULL;
}

/* Whether a tool comes before this library: its MPI_X gets the program's calls, and goes on with PMPI_X. Then that is
 * where they arrive here. Otherwise a PMPI call is one that its caller does not want to be seen. */
static int is_wrapped_before(const char* name) { return is_tool(dlsym(RTLD_DEFAULT, name)); }

/* "mpich", "openmpi", "smpi", or NULL for an MPI that there is no back end for. */
static const char* flavour_of(void* mpi, char* version, size_t bytes) {
  char text[8192] = "";
  int length = 0;
  int (*get)(char*, int*);
  void* const found = dlsym(mpi, "PMPI_Get_library_version");
  memcpy(&get, &found, sizeof get);
  if (get) get(text, &length);
  text[sizeof text - 1] = 0;
  snprintf(version, bytes, "%.*s", (int)strcspn(text, "\n"), text);
  /* These share one binary interface (the MPICH ABI initiative). */
  static const char* const mpich[] = {"MPICH", "Intel(R) MPI", "MVAPICH"};
  for (int i = 0; i < 3; i++)
    if (strstr(text, mpich[i])) return "mpich";
  if (strstr(text, "Open MPI")) return "openmpi";
  return strstr(text, "SMPI") ? "smpi" : NULL;
}

static void* open_backend(void* mpi) {
  char path[4096], version[256];
  Dl_info info;
  const char* const mode = getenv("SKELGEN_MODE");
  if (mode && !strcmp(mode, "off")) return NULL;
  const char* const flavour = flavour_of(mpi, version, sizeof version);
  if (!flavour) {
    say(*version ? version : "this MPI", "there is no support for it; the program goes on unrecorded");
    return NULL;
  }
  if (!dladdr((void*)skel_slots, &info)) return NULL;
  const char* const slash = strrchr(info.dli_fname, '/');
  snprintf(path, sizeof path, "%.*slibskeltrace-%s.so", slash ? (int)(slash + 1 - info.dli_fname) : 0, info.dli_fname,
           flavour);
  void* const backend = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!backend && access(path, F_OK))
    say(path, "is not there; the program goes on unrecorded; build skelgen where this MPI's compiler and headers are");
  else if (!backend)
    say(path, "cannot be loaded; the program goes on unrecorded; install skelgen completely");
  return backend;
}

/* What a name stands for without a wrapper: another tool's, its PMPI entry, or where it has none, what comes behind this
 * library. */
static void* without_wrapper(const char* name) {
  static const char* const twins[] = {"P%s", "p%s", "pmpir_%s"}; /* C, Fortran, MPICH's mpi_f08 */
  char twin[128];
  if (name[0] == 'P') {
    void* const found = dlsym(the_mpi, name);
    return found ? found : dlsym(the_mpi, name + 1);
  }
  void* const tool = find_tool(name);
  if (tool) return tool;
  for (int i = name[0] == 'M' ? 0 : 1; i < (name[0] == 'M' ? 1 : 3); i++) {
    snprintf(twin, sizeof twin, twins[i], i == 2 ? name + strlen("mpi_") : name);
    void* const found = find_in_mpi(twin);
    if (found) return found;
  }
  if (name[0] == 'M') return dlsym(the_mpi, name);
  void* const found = dlsym(RTLD_NEXT, name);
  return found ? found : find_in_fortran(name);
}

static void* (*wrapper_of)(const char* name); /* NULL: nothing is recorded */
static void (*open_again)(void* (*find)(const char* name), void* (*find_tool)(const char* name));
static unsigned char filled[NAMES];

static int fill(size_t slot) {
  const int seen = wrapper_of && (names[slot][0] != 'P' || is_wrapped_before(names[slot] + 1));
  void* target = seen ? wrapper_of(names[slot]) : NULL;
  if (!target) target = without_wrapper(names[slot]);
  if (!target) return 0;
  __atomic_store_n(&filled[slot], 1, __ATOMIC_RELEASE);
  __atomic_store_n(&skel_slots[slot], target, __ATOMIC_RELEASE);
  return 1;
}

static void start(void* backend) {
  void (*open_mpi)(void* (*)(const char*), void* (*)(const char*)) = NULL;
  if (backend) {
    void* found = dlsym(backend, "skel_backend_open");
    memcpy(&open_mpi, &found, sizeof found);
    found = dlsym(backend, "skel_backend_open_again");
    memcpy(&open_again, &found, sizeof found);
    found = dlsym(backend, "skel_backend_wrapper");
    memcpy(&wrapper_of, &found, sizeof found);
  }
  if (open_mpi) open_mpi(find_in_mpi, find_tool);
  for (size_t i = 0; i < NAMES; i++) fill(i);
}

/* What a program calls that has no such function gets an error, and is not ended: where it refers to the function by a
 * weak name, it takes this library's for a sign that the MPI has it, or that there is an MPI at all. */
static int no_function(void) { return 16; /* MPI_ERR_OTHER, or near it */ }
static double no_time(void) { return 0; }
static int is_not_running(int* flag) { return *flag = 0; }
static void fortran_is_not_running(int* flag, int* error) { *flag = *error = 0; }

static void* instead_of(const char* name) {
  const int running = strcasestr(name, "MPI_Initialized") || strcasestr(name, "MPI_Finalized");
  if (name[0] == 'm' || name[0] == 'p') return running ? (void*)fortran_is_not_running : NULL;
  if (running) return (void*)is_not_running;
  if (strstr(name, "MPI_Wt")) return (void*)no_time;
  return (void*)no_function;
}

/* For the slot that held `open`: what another thread has stored there meanwhile stays. */
static void set_if_open(size_t slot, void* open, void* target) {
  __atomic_compare_exchange_n(&skel_slots[slot], &open, target, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* No MPI that is loaded has it. */
static void do_without(size_t slot, void* open) {
  void* const target = instead_of(names[slot]);
  say(names[slot],
      the_mpi ? "is called, but the MPI that is loaded does not have it" : "is called, but no MPI library is loaded");
  if (!target) abort(); /* Fortran has no way to say that it failed */
  set_if_open(slot, open, target);
}

/* The call goes straight to the MPI. */
static void go_by(void* caller, size_t slot) {
  char twin[128] = "P";
  const char* const name = names[slot];
  void* const open = __atomic_load_n(&skel_slots[slot], __ATOMIC_ACQUIRE);
  if (__atomic_load_n(&filled[slot], __ATOMIC_ACQUIRE)) return;
  void* const mpi = find_mpi(caller);
  void* target = NULL;
  if (mpi && name[0] == 'M') target = dlsym(mpi, strncat(twin, name, sizeof twin - 2));
  if (!target) target = dlsym(RTLD_NEXT, name); /* Fortran's are in a library of their own */
  if (mpi && !target) target = dlsym(mpi, name);
  if (target)
    set_if_open(slot, open, target);
  else
    do_without(slot, open);
}

/* The lock is not worth waiting for without end: this thread may be loading a library, which calls MPI while it is
 * loaded, and the one that has the lock be waiting for the loader. */
static int lock_in_time(pthread_mutex_t* lock) {
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 5;
  return pthread_mutex_timedlock(lock, &end) == 0;
}

/* A call has come by a slot that is still open. */
void skel_front_resolve(void* caller, size_t slot) {
  static pthread_mutex_t filling = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  if (!lock_in_time(&filling)) {
    go_by(caller, slot);
    return;
  }
  fortran_looked = 0;
  if (!the_mpi) {
    the_mpi = find_mpi(caller);
    if (the_mpi) start(open_backend(the_mpi));
  }
  if (!filled[slot] && open_again) open_again(find_in_mpi, find_tool);
  if (!filled[slot] && (!the_mpi || !fill(slot)))
    do_without(slot, __atomic_load_n(&skel_slots[slot], __ATOMIC_RELAXED));
  pthread_mutex_unlock(&filling);
}
