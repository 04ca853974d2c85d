/* The one accessor, and the streams of the threads. */
#define _GNU_SOURCE
#include "state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct skel_state the_state = {.fd = -1, .sample_at = UINT64_MAX};
static __thread struct skel_thread* this_thread __attribute__((tls_model("initial-exec")));

struct skel_state* skel_state(void) {
  return &the_state;
}

/* A forked child is another process: it must not write into its parent's file. */
static void forget_in_child(void) {
  atomic_store(&the_state.recording, 0);
  the_state.mode = SKEL_MODE_OFF;
  the_state.fd = -1;
}

enum skel_mode skel_start(uint32_t functions, const struct skel_function* function) {
  struct skel_state* s = &the_state;
  const char* mode = getenv("SKELGEN_MODE");
  s->mode = !mode || strcmp(mode, "record") == 0 ? SKEL_MODE_RECORD
            : strcmp(mode, "time") == 0          ? SKEL_MODE_TIME
                                                 : SKEL_MODE_OFF;
  s->tsc = skel_clock_is_tsc();
  s->functions = functions;
  s->function = function;
  s->pid = getpid();
  s->origin = skel_ticks(s->tsc);
  s->origin_ns = skel_monotonic_ns();
  if (s->mode == SKEL_MODE_OFF) return s->mode;
  pthread_atfork(NULL, NULL, forget_in_child);
  if (s->mode == SKEL_MODE_RECORD) skel_counters_start(s);
  atomic_store(&s->recording, s->mode == SKEL_MODE_RECORD);
  return s->mode;
}

static struct skel_thread* thread_new(void) {
  struct skel_state* s = &the_state;
  struct skel_thread* t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (t == MAP_FAILED) return NULL;
  t->function_defined = calloc(s->functions, 1);
  t->key_length = 0;
  if (!t->function_defined || skel_key_grow(t, 0)) return NULL;
  t->number = atomic_fetch_add(&s->thread_count, 1);
  t->last_end = s->origin;
  skel_chunk_new(s, t);
  if (s->columns) skel_counters_read(s, t->column_end);
  t->next = atomic_load(&s->threads);
  while (!atomic_compare_exchange_weak(&s->threads, &t->next, t)) {
  }
  this_thread = t;
  return t;
}

static struct skel_thread* enter(void) {
  struct skel_thread* t = this_thread;
  if (__builtin_expect(!t, 0) && !(t = thread_new())) return NULL;
  if (t->depth) return NULL;
  t->depth = 1;
  return t;
}

struct skel_thread* skel_enter(void) {
  return __builtin_expect(atomic_load_explicit(&the_state.recording, memory_order_relaxed), 1) ? enter() : NULL;
}

struct skel_thread* skel_enter_session(void) {
  return the_state.mode == SKEL_MODE_OFF ? NULL : enter();
}
