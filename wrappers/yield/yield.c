/* libskelyield.so: MPICH over UCX waits by polling, and with more ranks than cores the poller keeps the core from the
 * rank that it waits for. Gives the core away after a few polls in which nothing happened. */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>

#define IDLE_POLLS 20
#define MULTIPLE 3               /* MPICH's MPI_THREAD_MULTIPLE */
#define YIELDS 50                /* in a row, while another thread may wait for the poller's lock */
#define POLLS_OF_A_LOCK 0x100000 /* MPICH hands its lock to another thread after 2^16 to 2^20 of them */

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker);

/* Of a library behind this one; of `library` if it was loaded out of our sight. NULL if there is none. */
static void* find(const char* name, const char* library) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found) return found;
  void* const loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  return loaded ? dlsym(loaded, name) : NULL;
}

/* Whether threads of the program may call MPI at the same time; no before MPI_Init. */
static int has_many_callers(void) {
  static int level = -1, has_looked;
  static int (*initialized)(int*);
  static int (*query_thread)(int*);
  if (level >= 0) return level == MULTIPLE;
  if (!has_looked) {
    has_looked = 1;
    void* const is_initialized = find("PMPI_Initialized", "libmpich.so.12");
    void* const query = find("PMPI_Query_thread", "libmpich.so.12");
    if (is_initialized && query) {
      memcpy(&query_thread, &query, sizeof query);
      memcpy(&initialized, &is_initialized, sizeof is_initialized);
    }
  }
  int is = 0;
  if (initialized && initialized(&is) == 0 && is) query_thread(&level);
  return level == MULTIPLE;
}

/* Whether the poller may give its core away. With MPI_THREAD_MULTIPLE it has MPICH's lock meanwhile: other threads that call MPI would wait
 * until the kernel lets the poller go on, some thousand times before the lock is handed over. Without, nobody waits for it. */
static int may_yield(void) {
  static pthread_t poller;
  static int several;
  static unsigned times;
  if (!has_many_callers()) return 1;
  if (!poller) poller = pthread_self();
  if (!pthread_equal(poller, pthread_self())) several = 1;
  return !several && times++ % (YIELDS + POLLS_OF_A_LOCK / IDLE_POLLS) < YIELDS;
}

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*next)(void*);
  static _Thread_local int idle;
  if (__builtin_expect(!next, 0)) {
    void* const found = find("ucp_worker_progress", "libucp.so.0");
    if (!found) return 0;
    memcpy(&next, &found, sizeof found);
  }
  const unsigned events = next(worker);
  if (events) {
    idle = 0;
  } else if (++idle >= IDLE_POLLS) {
    idle = 0;
    if (may_yield()) sched_yield();
  }
  return events;
}
