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

/* Whether threads of the program may call MPI at the same time; no before MPI_Init. */
static int has_many_callers(void) {
  static int level = -1;
  static int (*initialized)(int*);
  static int (*query_thread)(int*);
  if (level >= 0) return level == MULTIPLE;
  if (!initialized) {
    void* const initialized_here = dlsym(RTLD_DEFAULT, "PMPI_Initialized");
    void* const query_here = dlsym(RTLD_DEFAULT, "PMPI_Query_thread");
    if (!initialized_here || !query_here) return 0;
    memcpy(&query_thread, &query_here, sizeof query_here);
    memcpy(&initialized, &initialized_here, sizeof initialized_here);
  }
  int is = 0;
  if (initialized(&is) == 0 && is) query_thread(&level);
  return level == MULTIPLE;
}

/* Whether the poller may give its core away. With MPI_THREAD_MULTIPLE it has MPICH's lock meanwhile: other threads that call MPI would wait
 * until the kernel lets the poller go on, some thousand times before the lock is handed over. */
static int may_yield(void) {
  static pthread_t poller;
  static int several;
  static unsigned times;
  if (!poller) poller = pthread_self();
  if (!pthread_equal(poller, pthread_self())) several = 1;
  if (several) return 0;
  return !has_many_callers() || times++ % (YIELDS + POLLS_OF_A_LOCK / IDLE_POLLS) < YIELDS;
}

unsigned ucp_worker_progress(void* worker) {
  static unsigned (*next)(void*);
  static _Thread_local int idle;
  if (__builtin_expect(!next, 0)) {
    void* found = dlsym(RTLD_NEXT, "ucp_worker_progress");
    if (!found) { /* UCX was loaded out of our sight */
      void* const library = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
      if (library) found = dlsym(library, "ucp_worker_progress");
    }
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
