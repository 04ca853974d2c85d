/* Threads: created, joined, detached; how a process ends. That a thread ends is seen in record.c. */
#include <errno.h>
#include <stdlib.h>

#include "modules.h"
#include "record.h"

static uint64_t creations; /* numbered from 1 */

struct beginning {
  uint64_t creation; /* 0: the thread is an MPI's */
  union {
    void* (*posix)(void*);
    int (*c11)(void*);
  } function;
  void* argument;
};

static struct beginning take(void* memory) {
  const struct beginning beginning = *(struct beginning*)memory;
  if (beginning.creation)
    skel_thread_begins(beginning.creation);
  else
    skel_thread_ignore();
  free(memory);
  return beginning;
}
static void* begin_posix(void* memory) {
  const struct beginning beginning = take(memory);
  return beginning.function.posix(beginning.argument);
}
static int begin_c11(void* memory) {
  const struct beginning beginning = take(memory);
  return beginning.function.c11(beginning.argument);
}

/* What the new thread is given; NULL if it is not to be recorded. */
static struct beginning* prepare(const void* function, void* argument) {
  const int error = errno;
  skel_phase_here(); /* another thread of a child's parent may have had a lock */
  const struct skel_module* const module = skel_module_of(function);
  const int is_mpi = module && module->is_mpi;
  if (!is_mpi) skel_begin_threads();
  struct beginning* const beginning = is_mpi || skel_phase_here() == SKEL_OPEN ? malloc(sizeof *beginning) : NULL;
  errno = error;
  if (!beginning) return NULL;
  beginning->creation = is_mpi ? 0 : __atomic_add_fetch(&creations, 1, __ATOMIC_RELAXED);
  beginning->argument = argument;
  return beginning;
}

static void record_creation(struct skel_stream* s, uint64_t creation, pthread_t thread, const void* site,
                            struct skel_span from) {
  if (s && creation) skel_record(s, SKEL_CALL(SKT_THREAD, SKT_CREATE, 0), (const void*)thread, site, from, creation);
}

SKEL_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                               void* argument) {
  struct beginning* const beginning = prepare((const void*)(uintptr_t)function, argument);
  if (!beginning) return SKEL_REAL(pthread_create)(thread, attributes, function, argument);
  beginning->function.posix = function;
  const uint64_t creation = beginning->creation;
  struct skel_stream* const s = skel_stream();
  const struct skel_span from = s ? skel_begin(s) : (struct skel_span){0, 0};
  const int result = SKEL_REAL(pthread_create)(thread, attributes, begin_posix, beginning);
  if (result)
    free(beginning);
  else
    record_creation(s, creation, *thread, SKEL_SITE, from);
  return result;
}

SKEL_EXPORT int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  struct beginning* const beginning = prepare((const void*)(uintptr_t)function, argument);
  if (!beginning) return SKEL_REAL(thrd_create)(thread, function, argument);
  beginning->function.c11 = function;
  const uint64_t creation = beginning->creation;
  struct skel_stream* const s = skel_stream();
  const struct skel_span from = s ? skel_begin(s) : (struct skel_span){0, 0};
  const int result = SKEL_REAL(thrd_create)(thread, begin_c11, beginning);
  if (result != thrd_success)
    free(beginning);
  else
    record_creation(s, creation, *thread, SKEL_SITE, from);
  return result;
}

/* A thread that has ended is joined at once. */
#define SKEL_JOIN(busy, success, try, call)                                                          \
  struct skel_stream* const s = skel_stream();                                                       \
  if (SKEL_UNLIKELY(!s)) return call;                                                                \
  const struct skel_span from = skel_begin(s);                                                       \
  unsigned flags = 0;                                                                                \
  int result = try;                                                                                  \
  if (busy) {                                                                                        \
    flags = SKT_BLOCKED;                                                                             \
    result = call;                                                                                   \
  }                                                                                                  \
  if (result == success)                                                                             \
    skel_record(s, SKEL_CALL(SKT_THREAD, SKT_JOIN, flags), (const void*)thread, SKEL_SITE, from, 0); \
  return result

SKEL_EXPORT int pthread_join(pthread_t thread, void** value) {
  pthread_testcancel();
  SKEL_JOIN(result == EBUSY, 0, skel_real.pthread_tryjoin_np(thread, value), SKEL_REAL(pthread_join)(thread, value));
}
SKEL_EXPORT int pthread_tryjoin_np(pthread_t thread, void** value) {
  SKEL_JOIN(0, 0, skel_real.pthread_tryjoin_np(thread, value), SKEL_REAL(pthread_tryjoin_np)(thread, value));
}
SKEL_EXPORT int pthread_timedjoin_np(pthread_t thread, void** value, const struct timespec* until) {
  pthread_testcancel();
  SKEL_JOIN(result == EBUSY, 0, skel_real.pthread_tryjoin_np(thread, value),
            SKEL_REAL(pthread_timedjoin_np)(thread, value, until));
}
SKEL_EXPORT int thrd_join(thrd_t thread, int* value) {
  SKEL_JOIN(1, thrd_success, thrd_busy, SKEL_REAL(thrd_join)(thread, value));
}

SKEL_EXPORT int pthread_detach(pthread_t thread) {
  struct skel_stream* const s = skel_stream();
  const struct skel_span from = s ? skel_begin(s) : (struct skel_span){0, 0};
  const int result = SKEL_REAL(pthread_detach)(thread);
  if (s && !result) skel_record(s, SKEL_CALL(SKT_THREAD, SKT_DETACH, 0), (const void*)thread, SKEL_SITE, from, 0);
  return result;
}
SKEL_EXPORT int thrd_detach(thrd_t thread) {
  struct skel_stream* const s = skel_stream();
  const struct skel_span from = s ? skel_begin(s) : (struct skel_span){0, 0};
  const int result = SKEL_REAL(thrd_detach)(thread);
  if (s && result == thrd_success)
    skel_record(s, SKEL_CALL(SKT_THREAD, SKT_DETACH, 0), (const void*)thread, SKEL_SITE, from, 0);
  return result;
}

/* These run no destructors of this library. */
SKEL_EXPORT void _exit(int status) {
  if (skel_is_this_process()) skel_end_process();
  SKEL_REAL(_exit)(status);
  __builtin_unreachable();
}
SKEL_EXPORT void _Exit(int status) {
  if (skel_is_this_process()) skel_end_process();
  SKEL_REAL(_Exit)(status);
  __builtin_unreachable();
}
