/* Condition variables, barriers, and futexes by libc's syscall(). */
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>

#include "made.h"
#include "record.h"

static void record_wait(struct skel_stream* s, const void* condition, const void* mutex, const void* site,
                        struct skel_span from, int timed_out) {
  const unsigned call = SKEL_CALL(SKT_CONDITION, SKT_WAIT, SKT_BLOCKED | (timed_out ? SKT_TIMED_OUT : 0));
  skel_record_span(s, call, (uint64_t)(uintptr_t)condition, (uint64_t)(uintptr_t)mutex, site, from,
                   skel_end(s, from, call), 0);
}

#define SKEL_WAIT(condition, mutex, success, timeout, call)                                                         \
  struct skel_stream* const s = skel_stream();                                                                      \
  if (SKEL_UNLIKELY(!s)) return call;                                                                               \
  const struct skel_span from = skel_begin(s);                                                                      \
  const int result = call;                                                                                          \
  if (result == success || result == timeout) record_wait(s, condition, mutex, SKEL_SITE, from, result == timeout); \
  return result

#define SKEL_WAKE(action, condition, success, call)                                                          \
  struct skel_stream* const s = skel_stream();                                                               \
  if (SKEL_UNLIKELY(!s)) return call;                                                                        \
  const struct skel_span from = skel_begin(s);                                                               \
  const int result = call;                                                                                   \
  if (result == success) skel_record(s, SKEL_CALL(SKT_CONDITION, action, 0), condition, SKEL_SITE, from, 0); \
  return result

SKEL_EXPORT int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) {
  const int result = SKEL_REAL(pthread_cond_init)(condition, attributes);
  if (!result) skel_made(SKT_CONDITION, condition, SKEL_SITE, 0);
  return result;
}
SKEL_EXPORT int pthread_cond_destroy(pthread_cond_t* condition) {
  const int result = SKEL_REAL(pthread_cond_destroy)(condition);
  if (!result) skel_destroyed(SKT_CONDITION, condition, SKEL_SITE);
  return result;
}
SKEL_EXPORT int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  SKEL_WAIT(condition, mutex, 0, ETIMEDOUT, SKEL_REAL(pthread_cond_wait)(condition, mutex));
}
SKEL_EXPORT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                       const struct timespec* until) {
  SKEL_WAIT(condition, mutex, 0, ETIMEDOUT, SKEL_REAL(pthread_cond_timedwait)(condition, mutex, until));
}
SKEL_EXPORT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                       const struct timespec* until) {
  SKEL_WAIT(condition, mutex, 0, ETIMEDOUT, SKEL_REAL(pthread_cond_clockwait)(condition, mutex, clock, until));
}
SKEL_EXPORT int pthread_cond_signal(pthread_cond_t* condition) {
  SKEL_WAKE(SKT_SIGNAL, condition, 0, SKEL_REAL(pthread_cond_signal)(condition));
}
SKEL_EXPORT int pthread_cond_broadcast(pthread_cond_t* condition) {
  SKEL_WAKE(SKT_BROADCAST, condition, 0, SKEL_REAL(pthread_cond_broadcast)(condition));
}

SKEL_EXPORT int cnd_init(cnd_t* condition) {
  const int result = SKEL_REAL(cnd_init)(condition);
  if (result == thrd_success) skel_made(SKT_CONDITION, condition, SKEL_SITE, 0);
  return result;
}
SKEL_EXPORT void cnd_destroy(cnd_t* condition) {
  SKEL_REAL(cnd_destroy)(condition);
  skel_destroyed(SKT_CONDITION, condition, SKEL_SITE);
}
SKEL_EXPORT int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  SKEL_WAIT(condition, mutex, thrd_success, thrd_timedout, SKEL_REAL(cnd_wait)(condition, mutex));
}
SKEL_EXPORT int cnd_timedwait(cnd_t* restrict condition, mtx_t* restrict mutex, const struct timespec* restrict until) {
  SKEL_WAIT(condition, mutex, thrd_success, thrd_timedout, SKEL_REAL(cnd_timedwait)(condition, mutex, until));
}
SKEL_EXPORT int cnd_signal(cnd_t* condition) {
  SKEL_WAKE(SKT_SIGNAL, condition, thrd_success, SKEL_REAL(cnd_signal)(condition));
}
SKEL_EXPORT int cnd_broadcast(cnd_t* condition) {
  SKEL_WAKE(SKT_BROADCAST, condition, thrd_success, SKEL_REAL(cnd_broadcast)(condition));
}

/* ---- barriers ---- */

SKEL_EXPORT int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                                     unsigned count) {
  const int result = SKEL_REAL(pthread_barrier_init)(barrier, attributes, count);
  if (!result) skel_made(SKT_BARRIER, barrier, SKEL_SITE, count);
  return result;
}
SKEL_EXPORT int pthread_barrier_destroy(pthread_barrier_t* barrier) {
  const int result = SKEL_REAL(pthread_barrier_destroy)(barrier);
  if (!result) skel_destroyed(SKT_BARRIER, barrier, SKEL_SITE);
  return result;
}
/* glibc calls the one that came last serial: it alone did not wait. */
SKEL_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) {
  struct skel_stream* const s = skel_stream();
  if (SKEL_UNLIKELY(!s)) return SKEL_REAL(pthread_barrier_wait)(barrier);
  const struct skel_span from = skel_begin(s);
  const int result = skel_real.pthread_barrier_wait(barrier);
  if (result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD)
    skel_record(s, SKEL_CALL(SKT_BARRIER, SKT_ARRIVE, result == 0 ? SKT_BLOCKED : 0), barrier, SKEL_SITE, from, 0);
  return result;
}

/* ---- system calls: futexes, and descriptors that are closed ---- */

static void record_futex(struct skel_stream* s, int operation, int how_many, const void* word, long result,
                         const void* site, struct skel_span from) {
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
      if (result == 0) skel_record(s, SKEL_CALL(SKT_FUTEX, SKT_WAIT, SKT_BLOCKED), word, site, from, 0);
      return;
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
      if (result > 0)
        skel_record(s, SKEL_CALL(SKT_FUTEX, how_many == 1 ? SKT_SIGNAL : SKT_BROADCAST, 0), word, site, from, 0);
      return;
    default:
      return;
  }
}

/* Reads six arguments, however many there are, as the system call itself does. */
__attribute__((no_sanitize("address"))) SKEL_EXPORT long syscall(long number, ...) {
  va_list rest;
  long a[6];
  va_start(rest, number);
  for (int i = 0; i < 6; i++) a[i] = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_close) skel_closes((unsigned)a[0], (unsigned)a[0]);
  struct skel_stream* const s = number == SYS_futex ? skel_stream() : NULL;
  if (SKEL_LIKELY(!s)) return SKEL_REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  const struct skel_span from = skel_begin(s);
  const long result = SKEL_REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  record_futex(s, (int)a[1], (int)a[2], (const void*)a[0], result, SKEL_SITE, from);
  return result;
}
