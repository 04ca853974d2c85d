/* Mutexes, read-write locks, spin locks, semaphores, once. A lock is first tried: whether it was taken says whether the
 * call had to wait. */
#include <errno.h>
#include <stdarg.h>

#include "made.h"
#include "record.h"

void skel_made(unsigned primitive, const void* object, const void* site, uint64_t value) {
  struct skel_stream* const s = skel_stream();
  const unsigned call = SKEL_CALL(primitive, SKT_MADE, 0);
  if (s)
    skel_record(s, call, object, site, skel_begin(s), value);
  else
    skel_record_early(call, (uint64_t)(uintptr_t)object, site, value);
}

void skel_destroyed(unsigned primitive, const void* object, const void* site) {
  struct skel_stream* const s = skel_stream();
  if (s) skel_record(s, SKEL_CALL(primitive, SKT_DESTROYED, 0), object, site, skel_begin(s), 0);
}

/* What `try` cannot have at once, `call` waits for. Others than `busy` are how the call ends. What was to be had is one
 * moment, behind which the lock is the thread's. unseen: the call where nothing is recorded. */
#define SKEL_TAKE_OR(unseen, primitive, action, object, busy, succeeded, try, call)                         \
  struct skel_stream* const s = skel_stream();                                                              \
  if (SKEL_UNLIKELY(!s)) return unseen;                                                                     \
  skel_before_lock(s);                                                                                      \
  int result = try;                                                                                         \
  const struct skel_span from = skel_begin_unread(s);                                                       \
  if (SKEL_UNLIKELY(busy)) {                                                                                \
    const void* const caller = skel_caller(s, SKEL_SITE);                                                   \
    result = call;                                                                                          \
    if (succeeded) skel_record_waited(s, SKEL_CALL(primitive, action, 0), object, caller, SKEL_SITE, from); \
  } else if (SKEL_LIKELY(succeeded)) {                                                                      \
    skel_record_moment(s, SKEL_CALL(primitive, action, 0), object, SKEL_SITE, from, 0);                     \
  }                                                                                                         \
  return result
#define SKEL_TAKE(primitive, action, object, busy, succeeded, try, call) \
  SKEL_TAKE_OR(call, primitive, action, object, busy, succeeded, try, call)

#define SKEL_GIVE(primitive, action, object, call)                                                   \
  struct skel_stream* const s = skel_stream();                                                       \
  if (SKEL_UNLIKELY(!s)) return call;                                                                \
  const struct skel_span from = skel_begin_unread(s);                                                \
  const int result = call;                                                                           \
  if (SKEL_LIKELY(!result))                                                                          \
    skel_record(s, SKEL_CALL(primitive, action, 0), object, SKEL_SITE, skel_after_lock(s, from), 0); \
  return result

/* ---- mutexes ---- */

#define OWNED (result == 0 || result == EOWNERDEAD)

SKEL_EXPORT int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) {
  const int result = SKEL_REAL(pthread_mutex_init)(mutex, attributes);
  if (!result) skel_made(SKT_MUTEX, mutex, SKEL_SITE, 0);
  return result;
}
SKEL_EXPORT int pthread_mutex_destroy(pthread_mutex_t* mutex) {
  const int result = SKEL_REAL(pthread_mutex_destroy)(mutex);
  if (!result) skel_destroyed(SKT_MUTEX, mutex, SKEL_SITE);
  return result;
}
SKEL_EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) {
  SKEL_TAKE(SKT_MUTEX, SKT_ACQUIRE, mutex, result == EBUSY, OWNED, skel_real.pthread_mutex_trylock(mutex),
            SKEL_REAL(pthread_mutex_lock)(mutex));
}
SKEL_EXPORT int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  SKEL_TAKE(SKT_MUTEX, SKT_ACQUIRE, mutex, 0, OWNED, skel_real.pthread_mutex_trylock(mutex),
            SKEL_REAL(pthread_mutex_trylock)(mutex));
}
SKEL_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const struct timespec* until) {
  SKEL_TAKE(SKT_MUTEX, SKT_ACQUIRE, mutex, result == EBUSY, OWNED, skel_real.pthread_mutex_trylock(mutex),
            SKEL_REAL(pthread_mutex_timedlock)(mutex, until));
}
SKEL_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const struct timespec* until) {
  SKEL_TAKE(SKT_MUTEX, SKT_ACQUIRE, mutex, result == EBUSY, OWNED, skel_real.pthread_mutex_trylock(mutex),
            SKEL_REAL(pthread_mutex_clocklock)(mutex, clock, until));
}
/* Waking somebody takes time, else it is one moment. In glibc the lock is 1 when nobody waits for it. */
#ifdef __GLIBC__
#define SKEL_IS_AWAITED(mutex) ((unsigned)__atomic_load_n(&(mutex)->__data.__lock, __ATOMIC_RELAXED) > 1)
#else
#define SKEL_IS_AWAITED(mutex) 1
#endif
SKEL_EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  struct skel_stream* const s = skel_stream();
  if (SKEL_UNLIKELY(!s)) return SKEL_REAL(pthread_mutex_unlock)(mutex);
  struct skel_span from = skel_begin_unread(s);
  const int wakes = SKEL_IS_AWAITED(mutex);
  const int result = skel_real.pthread_mutex_unlock(mutex);
  const unsigned call = SKEL_CALL(SKT_MUTEX, SKT_RELEASE, 0);
  if (SKEL_UNLIKELY(result)) return result;
  from = skel_after_lock(s, from);
  if (SKEL_UNLIKELY(wakes))
    skel_record(s, call, mutex, SKEL_SITE, from, 0);
  else
    skel_record_moment(s, call, mutex, SKEL_SITE, from, 0);
  return result;
}

SKEL_EXPORT int mtx_init(mtx_t* mutex, int type) {
  const int result = SKEL_REAL(mtx_init)(mutex, type);
  if (result == thrd_success) skel_made(SKT_MUTEX, mutex, SKEL_SITE, 0);
  return result;
}
SKEL_EXPORT void mtx_destroy(mtx_t* mutex) {
  SKEL_REAL(mtx_destroy)(mutex);
  skel_destroyed(SKT_MUTEX, mutex, SKEL_SITE);
}
#define LOCKED (result == thrd_success)
SKEL_EXPORT int mtx_lock(mtx_t* mutex) {
  SKEL_TAKE(SKT_MUTEX, SKT_ACQUIRE, mutex, result == thrd_busy, LOCKED, skel_real.mtx_trylock(mutex),
            SKEL_REAL(mtx_lock)(mutex));
}
SKEL_EXPORT int mtx_trylock(mtx_t* mutex) {
  SKEL_TAKE(SKT_MUTEX, SKT_ACQUIRE, mutex, 0, LOCKED, skel_real.mtx_trylock(mutex), SKEL_REAL(mtx_trylock)(mutex));
}
SKEL_EXPORT int mtx_timedlock(mtx_t* restrict mutex, const struct timespec* restrict until) {
  SKEL_TAKE(SKT_MUTEX, SKT_ACQUIRE, mutex, result == thrd_busy, LOCKED, skel_real.mtx_trylock(mutex),
            SKEL_REAL(mtx_timedlock)(mutex, until));
}
SKEL_EXPORT int mtx_unlock(mtx_t* mutex) { SKEL_GIVE(SKT_MUTEX, SKT_RELEASE, mutex, SKEL_REAL(mtx_unlock)(mutex)); }

/* ---- read-write locks ---- */

SKEL_EXPORT int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes) {
  const int result = SKEL_REAL(pthread_rwlock_init)(lock, attributes);
  if (!result) skel_made(SKT_READ_WRITE_LOCK, lock, SKEL_SITE, 0);
  return result;
}
SKEL_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t* lock) {
  const int result = SKEL_REAL(pthread_rwlock_destroy)(lock);
  if (!result) skel_destroyed(SKT_READ_WRITE_LOCK, lock, SKEL_SITE);
  return result;
}
#define TAKE_SHARED(busy, call)                                               \
  SKEL_TAKE(SKT_READ_WRITE_LOCK, SKT_ACQUIRE_SHARED, lock, busy, result == 0, \
            skel_real.pthread_rwlock_tryrdlock(lock), call)
#define TAKE_WHOLE(busy, call) \
  SKEL_TAKE(SKT_READ_WRITE_LOCK, SKT_ACQUIRE, lock, busy, result == 0, skel_real.pthread_rwlock_trywrlock(lock), call)
SKEL_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  TAKE_SHARED(result == EBUSY || result == EAGAIN, SKEL_REAL(pthread_rwlock_rdlock)(lock));
}
SKEL_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
  TAKE_SHARED(0, SKEL_REAL(pthread_rwlock_tryrdlock)(lock));
}
SKEL_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const struct timespec* until) {
  TAKE_SHARED(result == EBUSY || result == EAGAIN, SKEL_REAL(pthread_rwlock_timedrdlock)(lock, until));
}
SKEL_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock, const struct timespec* until) {
  TAKE_SHARED(result == EBUSY || result == EAGAIN, SKEL_REAL(pthread_rwlock_clockrdlock)(lock, clock, until));
}
SKEL_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  TAKE_WHOLE(result == EBUSY, SKEL_REAL(pthread_rwlock_wrlock)(lock));
}
SKEL_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
  TAKE_WHOLE(0, SKEL_REAL(pthread_rwlock_trywrlock)(lock));
}
SKEL_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const struct timespec* until) {
  TAKE_WHOLE(result == EBUSY, SKEL_REAL(pthread_rwlock_timedwrlock)(lock, until));
}
SKEL_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock, const struct timespec* until) {
  TAKE_WHOLE(result == EBUSY, SKEL_REAL(pthread_rwlock_clockwrlock)(lock, clock, until));
}
SKEL_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  SKEL_GIVE(SKT_READ_WRITE_LOCK, SKT_RELEASE, lock, SKEL_REAL(pthread_rwlock_unlock)(lock));
}

/* ---- spin locks ---- */

static const void* spin(pthread_spinlock_t* lock) { return (const void*)(uintptr_t)lock; }

SKEL_EXPORT int pthread_spin_init(pthread_spinlock_t* lock, int shared) {
  const int result = SKEL_REAL(pthread_spin_init)(lock, shared);
  if (!result) skel_made(SKT_SPIN_LOCK, spin(lock), SKEL_SITE, 0);
  return result;
}
SKEL_EXPORT int pthread_spin_destroy(pthread_spinlock_t* lock) {
  const int result = SKEL_REAL(pthread_spin_destroy)(lock);
  if (!result) skel_destroyed(SKT_SPIN_LOCK, spin(lock), SKEL_SITE);
  return result;
}
SKEL_EXPORT int pthread_spin_lock(pthread_spinlock_t* lock) {
  SKEL_TAKE(SKT_SPIN_LOCK, SKT_ACQUIRE, spin(lock), result == EBUSY, result == 0, skel_real.pthread_spin_trylock(lock),
            SKEL_REAL(pthread_spin_lock)(lock));
}
SKEL_EXPORT int pthread_spin_trylock(pthread_spinlock_t* lock) {
  SKEL_TAKE(SKT_SPIN_LOCK, SKT_ACQUIRE, spin(lock), 0, result == 0, skel_real.pthread_spin_trylock(lock),
            SKEL_REAL(pthread_spin_trylock)(lock));
}
SKEL_EXPORT int pthread_spin_unlock(pthread_spinlock_t* lock) {
  SKEL_GIVE(SKT_SPIN_LOCK, SKT_RELEASE, spin(lock), SKEL_REAL(pthread_spin_unlock)(lock));
}

/* ---- semaphores ---- */

SKEL_EXPORT int sem_init(sem_t* semaphore, int shared, unsigned value) {
  const int result = SKEL_REAL(sem_init)(semaphore, shared, value);
  if (!result) skel_made(SKT_SEMAPHORE, semaphore, SKEL_SITE, value);
  return result;
}
SKEL_EXPORT int sem_destroy(sem_t* semaphore) {
  const int result = SKEL_REAL(sem_destroy)(semaphore);
  if (!result) skel_destroyed(SKT_SEMAPHORE, semaphore, SKEL_SITE);
  return result;
}
/* A name that is open already is the same semaphore, at the same address: the last one that closes it destroys it. */
static void opened(unsigned action, sem_t* semaphore, const void* site, struct skel_stream* s, struct skel_span from,
                   uint64_t value) {
  const unsigned call = SKEL_CALL(SKT_SEMAPHORE, action, SKT_OPENED);
  if (s)
    skel_record(s, call, semaphore, site, from, value);
  else
    skel_record_early(call, (uint64_t)(uintptr_t)semaphore, site, value);
}
SKEL_EXPORT sem_t* sem_open(const char* name, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t); /* without O_CREAT they are not looked at */
  const unsigned value = va_arg(rest, unsigned);
  va_end(rest);
  sem_t* const semaphore = SKEL_REAL(sem_open)(name, flags, mode, value);
  int held = 0;
  if (semaphore == SEM_FAILED || sem_getvalue(semaphore, &held) != 0) return semaphore;
  struct skel_stream* const s = skel_stream();
  const struct skel_span from = s ? skel_begin(s) : (struct skel_span){0, 0};
  opened(SKT_MADE, semaphore, SKEL_SITE, s, from, held > 0 ? (uint64_t)held : 0);
  return semaphore;
}
SKEL_EXPORT int sem_close(sem_t* semaphore) {
  struct skel_stream* const s = skel_stream();
  const struct skel_span from = s ? skel_begin(s) : (struct skel_span){0, 0}; /* another may get the address then */
  const int result = SKEL_REAL(sem_close)(semaphore);
  if (!result) opened(SKT_DESTROYED, semaphore, SKEL_SITE, s, from, 0);
  return result;
}

/* Before there are threads, a unit that is taken or given counts all the same. */
static int early(unsigned action, sem_t* semaphore, const void* site, int result) {
  if (result == 0) skel_record_early(SKEL_CALL(SKT_SEMAPHORE, action, 0), (uint64_t)(uintptr_t)semaphore, site, 0);
  return result;
}

/* A thread is cancelled here whether or not it waits. A unit that is not there leaves EAGAIN. */
#define TAKE_UNIT(busy, call)                                                                               \
  const int error = errno;                                                                                  \
  SKEL_TAKE_OR(early(SKT_ACQUIRE, semaphore, SKEL_SITE, call), SKT_SEMAPHORE, SKT_ACQUIRE, semaphore, busy, \
               result == 0, skel_real.sem_trywait(semaphore), (errno = error, call))
SKEL_EXPORT int sem_wait(sem_t* semaphore) {
  pthread_testcancel();
  TAKE_UNIT(result != 0, SKEL_REAL(sem_wait)(semaphore));
}
SKEL_EXPORT int sem_trywait(sem_t* semaphore) { TAKE_UNIT(0, SKEL_REAL(sem_trywait)(semaphore)); }
SKEL_EXPORT int sem_timedwait(sem_t* semaphore, const struct timespec* until) {
  pthread_testcancel();
  TAKE_UNIT(result != 0, SKEL_REAL(sem_timedwait)(semaphore, until));
}
SKEL_EXPORT int sem_clockwait(sem_t* semaphore, clockid_t clock, const struct timespec* until) {
  pthread_testcancel();
  TAKE_UNIT(result != 0, SKEL_REAL(sem_clockwait)(semaphore, clock, until));
}
SKEL_EXPORT int sem_post(sem_t* semaphore) {
  struct skel_stream* const s = skel_stream();
  if (SKEL_UNLIKELY(!s)) return early(SKT_RELEASE, semaphore, SKEL_SITE, SKEL_REAL(sem_post)(semaphore));
  const struct skel_span from = skel_begin(s);
  const int result = skel_real.sem_post(semaphore);
  if (result == 0) skel_record(s, SKEL_CALL(SKT_SEMAPHORE, SKT_RELEASE, 0), semaphore, SKEL_SITE, from, 0);
  return result;
}

/* ---- once: the thread that executes the function releases the others ---- */

struct once {
  void (*function)(void);
  int executed;
  struct once* outer;
};
static _Thread_local struct once* once_now __attribute__((tls_model("initial-exec")));

static void execute_once(void) {
  struct once* const now = once_now;
  now->executed = 1;
  now->function();
  once_now = now; /* calls of its own may have left theirs */
}

static void record_once(struct skel_stream* s, const struct once* now, const void* control, const void* site,
                        struct skel_span from) {
  once_now = now->outer;
  const unsigned call = now->executed ? SKEL_CALL(SKT_ONCE, SKT_RELEASE, 0) : SKEL_CALL(SKT_ONCE, SKT_ACQUIRE, 0);
  skel_record(s, now->executed ? call : call | skel_if_long(from), control, site, from, 0);
}

SKEL_EXPORT int pthread_once(pthread_once_t* control, void (*function)(void)) {
  struct skel_stream* const s = skel_stream();
  if (!s) return SKEL_REAL(pthread_once)(control, function);
  struct once now = {function, 0, once_now};
  const struct skel_span from = skel_begin(s);
  once_now = &now;
  const int result = skel_real.pthread_once(control, execute_once);
  record_once(s, &now, control, SKEL_SITE, from);
  return result;
}
SKEL_EXPORT void call_once(once_flag* flag, void (*function)(void)) {
  struct skel_stream* const s = skel_stream();
  if (!s) {
    SKEL_REAL(call_once)(flag, function);
    return;
  }
  struct once now = {function, 0, once_now};
  const struct skel_span from = skel_begin(s);
  once_now = &now;
  skel_real.call_once(flag, execute_once);
  record_once(s, &now, flag, SKEL_SITE, from);
}
