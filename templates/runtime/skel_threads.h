/* The part of skel.c for programs whose ranks call MPI in several threads; inserted before the files. */
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "skel.h"

SKEL_LOCAL int me;

/* Of a rank's threads, by number; each writes its own cache line. */
struct progress {
  _Alignas(64) atomic_long made; /* calls so far, the one at hand not counted */
};
static struct progress* progress;
static int threads; /* of this rank */
static pthread_t* others;
static atomic_int prepared, begun;
static void (*all_run)(void);
static struct compute_state calibrated; /* of the main thread */

/* Without MPI_THREAD_MULTIPLE: one call at a time. Turns keep the order of calls, but not of polls that found nothing,
 * of which one stands for many. */
static int one_at_a_time;
static pthread_mutex_t calling = PTHREAD_MUTEX_INITIALIZER;

static SKEL_LOCAL struct {
  int number; /* of the thread */
  int inside; /* of `calling` */
  long calls; /* begun */
  const struct skel_turn *turn, *end;
} own;

/* Whoever waits may share its core with whom it waits for; long ones let it sleep. */
static void pause_after(unsigned long tries) {
  const struct timespec pause = {0, 20000};
  if (tries < 1000)
    sched_yield();
  else
    nanosleep(&pause, NULL);
}

/* After a call, or as if all were made. */
static void publish(long calls) {
  if (own.inside) pthread_mutex_unlock(&calling);
  own.inside = 0;
  atomic_store_explicit(&progress[own.number].made, calls, memory_order_release);
}

static void between_calls(void) {
  if (progress) publish(own.calls);
}

void skel_turn(void) {
  publish(own.calls);
  for (; own.turn < own.end && own.turn->call <= own.calls; own.turn++) {
    atomic_long* const made = &progress[own.turn->thread].made;
    for (unsigned long i = 0; atomic_load_explicit(made, memory_order_acquire) < own.turn->calls; i++) pause_after(i);
  }
  own.calls++;
  if (one_at_a_time) own.inside = pthread_mutex_lock(&calling) == 0;
}

static void take_place(int number) {
  own.number = number;
  me = program->first_thread[rank] + number;
  own.turn = program->turn + program->first_turn[me];
  own.end = program->turn + program->first_turn[me + 1];
  skel_no_request = MPI_REQUEST_NULL;
}

/* Between two looks at what may need another thread's call: where MPI takes one call at a time, that has to wait until
 * the call at hand is over. */
static void let_others_call(unsigned long tries) {
  if (own.inside) pthread_mutex_unlock(&calling);
  pause_after(tries);
  if (own.inside) pthread_mutex_lock(&calling);
}

/* Before a thread ends: makes its deferred tests of sends. */
static void settle_all(void) {
  int left = 1;
  for (unsigned long i = 0; left; i++) {
    if (one_at_a_time) pthread_mutex_lock(&calling);
    left = settle(0);
    if (one_at_a_time) pthread_mutex_unlock(&calling);
    if (left) pause_after(i);
  }
}

static void* thread(void* number) {
  take_place((int)(intptr_t)number);
  prepare_buffers();
  compute = calibrated;
  atomic_fetch_add(&prepared, 1);
  for (unsigned long i = 0; !atomic_load(&begun); i++) pause_after(i);
  all_run();
  publish(own.calls);
  settle_all();
  publish(LONG_MAX);
  return NULL;
}

/* The main thread, before the run: the others are made and ready. */
static void prepare_threads(void) {
  int level;
  PMPI_Query_thread(&level);
  one_at_a_time = level < MPI_THREAD_MULTIPLE;
  if (one_at_a_time && program->at_once)
    stop("the program's threads call MPI at once, which this MPI does not allow; take one with MPI_THREAD_MULTIPLE");
  threads = program->first_thread[rank + 1] - program->first_thread[rank];
  progress = aligned_alloc(_Alignof(struct progress), (size_t)threads * sizeof *progress);
  if (!progress) no_memory((size_t)threads * sizeof *progress);
  for (int i = 0; i < threads; i++) atomic_init(&progress[i].made, i ? 0 : program->calls_before);
  others = zeroed((size_t)threads, sizeof *others);
  own.calls = program->calls_before;
  calibrated = compute;
  for (int i = 1; i < threads; i++)
    if (pthread_create(&others[i], NULL, thread, (void*)(intptr_t)i)) give_up("a thread cannot be made");
  for (unsigned long i = 0; atomic_load(&prepared) < threads - 1; i++) pause_after(i);
}

void skel_begin_threads(void (*run)(void)) {
  all_run = run;
  atomic_store(&begun, 1);
}

void skel_end_threads(void) {
  publish(LONG_MAX);
  for (int i = 1; i < threads; i++) pthread_join(others[i], NULL);
}
