/* Threads of ranks that call MPI: part of skel.c, inserted before the files. */
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "skel.h"

SKEL_LOCAL int me;

/* Of a rank's threads, by number; each writes its own cache lines. */
struct progress {
  _Alignas(64) atomic_long made; /* calls so far, the one at hand not counted */
  atomic_long wanted;            /* the least number of calls that somebody sleeps for */
  pthread_mutex_t lock;          /* of `wanted` and `reached` */
  pthread_cond_t reached;
};
static struct progress* progress;
static int threads; /* of this rank */
static pthread_t* others;
static int made = 1; /* of this rank's threads, the main thread included */
/* Where a rank has more threads than AT_ONCE: how many calls the main thread has made when this thread, or one of a
 * higher number, begins. They may live one after the other, and be more than the system has at a time. */
#define AT_ONCE 100
static long* begins;
static struct {
  pthread_mutex_t lock;
  pthread_cond_t ready, open;
  int prepared, begun;
} gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
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

/* Whoever waits may share its core with whom it waits for. After that a thread that waits for another one sleeps until it is
 * woken, and one that has to ask MPI sleeps longer and longer: many of them would leave no time to the others. */
#define YIELDS 1000
#define SPIN_S 1e-4
static void pause_after(unsigned long tries) {
  const unsigned long more = tries < YIELDS ? 0 : tries - YIELDS;
  const struct timespec pause = {0, more < 980 ? 20000 + 1000 * (long)more : 1000000};
  if (tries < YIELDS)
    sched_yield();
  else
    nanosleep(&pause, NULL);
}

/* Waits until thread `other` has made `calls` calls. No wake-up is lost: the waiter stores `wanted` before it reads `made`,
 * the other thread stores `made` before it reads `wanted`. */
static void wait_until_made(struct progress* other, long calls) {
  if (atomic_load_explicit(&other->made, memory_order_acquire) >= calls) return;
  for (const double begin = wall(); wall() - begin < SPIN_S;) {
    sched_yield();
    if (atomic_load_explicit(&other->made, memory_order_acquire) >= calls) return;
  }
  pthread_mutex_lock(&other->lock);
  for (;;) {
    if (calls < atomic_load(&other->wanted)) atomic_store(&other->wanted, calls);
    if (atomic_load(&other->made) >= calls) break;
    pthread_cond_wait(&other->reached, &other->lock);
  }
  pthread_mutex_unlock(&other->lock);
}

static void* thread(void* number);

/* By the main thread: those that begin when it has made so many calls. */
static void make_threads(long calls) {
  for (; made < threads && (!begins || begins[made] <= calls); made++)
    if (pthread_create(&others[made], NULL, thread, (void*)(intptr_t)made)) give_up("a thread cannot be made");
}

/* After a call, or as if all were made. */
static void publish(long calls) {
  struct progress* const mine = &progress[own.number];
  if (own.number == 0) make_threads(calls);
  if (own.inside) pthread_mutex_unlock(&calling);
  own.inside = 0;
  if (atomic_load_explicit(&mine->made, memory_order_relaxed) == calls) return;
  atomic_store(&mine->made, calls);
  if (atomic_load(&mine->wanted) > calls) return;
  pthread_mutex_lock(&mine->lock);
  atomic_store(&mine->wanted, LONG_MAX);
  pthread_cond_broadcast(&mine->reached);
  pthread_mutex_unlock(&mine->lock);
}

static void between_calls(void) {
  if (progress) publish(own.calls);
}

void skel_turn(void) {
  publish(own.calls);
  for (; own.turn < own.end && own.turn->call <= own.calls; own.turn++)
    wait_until_made(&progress[own.turn->thread], own.turn->calls);
  own.calls++;
  if (one_at_a_time) own.inside = pthread_mutex_lock(&calling) == 0;
}

/* Turns name calls as they were numbered when all iterations ran. */
static void leave_out_calls(int phase, long iterations) {
  own.calls += iterations * program->calls_of_iteration[(long)phase * program->first_thread[program->ranks] + me];
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
  loops = zeroed((size_t)program->phases, sizeof *loops);
  pthread_mutex_lock(&gate.lock);
  gate.prepared++;
  pthread_cond_signal(&gate.ready);
  while (!gate.begun) pthread_cond_wait(&gate.open, &gate.lock);
  pthread_mutex_unlock(&gate.lock);
  /* What it computes before its first call is what passed after the main thread's call that is waited for. */
  if (own.turn < own.end && own.turn->call == 0 && own.turn->thread == 0) {
    wait_until_made(&progress[0], own.turn->calls);
    own.turn++;
  }
  all_run();
  publish(own.calls);
  settle_all();
  publish(LONG_MAX);
  free(loops);
  return NULL;
}

static void find_begins(void) {
  const long* const first = program->first_turn + program->first_thread[rank];
  long least = LONG_MAX;
  begins = zeroed((size_t)threads, sizeof *begins);
  for (int i = threads - 1; i > 0; begins[i--] = least) {
    const struct skel_turn* const turn = program->turn + first[i];
    const long calls = first[i] < first[i + 1] && turn->call == 0 && turn->thread == 0 ? turn->calls : 0;
    if (calls < least) least = calls;
  }
}

/* The main thread, before the run: the others that do not begin later are made and ready. */
static void prepare_threads(void) {
  int level;
  PMPI_Query_thread(&level);
  one_at_a_time = level < MPI_THREAD_MULTIPLE;
  if (one_at_a_time && program->at_once)
    stop("the program's threads call MPI at once, which this MPI does not allow; take one with MPI_THREAD_MULTIPLE");
  threads = program->first_thread[rank + 1] - program->first_thread[rank];
  progress = aligned_alloc(_Alignof(struct progress), (size_t)threads * sizeof *progress);
  if (!progress) no_memory((size_t)threads * sizeof *progress);
  for (int i = 0; i < threads; i++) {
    atomic_init(&progress[i].made, i ? 0 : program->calls_before);
    atomic_init(&progress[i].wanted, LONG_MAX);
    if (pthread_mutex_init(&progress[i].lock, NULL) || pthread_cond_init(&progress[i].reached, NULL))
      give_up("a thread cannot be made");
  }
  others = zeroed((size_t)threads, sizeof *others);
  own.calls = program->calls_before;
  calibrated = compute;
  if (threads > AT_ONCE) find_begins();
  make_threads(own.calls);
  pthread_mutex_lock(&gate.lock);
  while (gate.prepared < made - 1) pthread_cond_wait(&gate.ready, &gate.lock);
  pthread_mutex_unlock(&gate.lock);
}

void skel_begin_threads(void (*run)(void)) {
  all_run = run;
  pthread_mutex_lock(&gate.lock);
  gate.begun = 1;
  pthread_cond_broadcast(&gate.open);
  pthread_mutex_unlock(&gate.lock);
}

void skel_end_threads(void) {
  publish(LONG_MAX);
  for (int i = 1; i < threads; i++) pthread_join(others[i], NULL);
}
