/* Recording of calls: what a wrapper does for each one, inline. No lock and no system call, but for reading the work
 * (work.h); those come when a call is new to its thread or a chunk is full.
 *
 * A wrapper takes the thread's stream, begins a span, calls the real function and records the span. Between the two the
 * stream is the thread's, so that a signal handler's calls are recorded in the middle of a call that waits; while a
 * record is written skel_self is NULL, and such a call is not recorded.
 *
 * A handler may also fork. The child begins a record of its own, in fork()'s handler of pthread_atfork; in a child that
 * another call made, where its first thread first meets capture. If a record was being written, the child finishes that in
 * memory of its own, and begins behind it. What changes more than the thread's chunk is done with signals blocked. */
#ifndef SKEL_RECORD_H
#define SKEL_RECORD_H

#include <signal.h>

#include "ranks.h"
#include "real.h"
#include "sink.h"
#include "table.h"
#include "thread_format.h"
#include "work.h"

#define SKEL_EXPORT __attribute__((visibility("default")))
#define SKEL_SITE __builtin_return_address(0)
#define SKEL_IGNORED UINT32_MAX    /* id of calls that MPI makes */
#define SKEL_EVENT_ROOM 128        /* bytes of the longest event */
#define SKEL_MOST_CALLS (1u << 18) /* different ones that a thread knows at a time: their numbers are the latest ones */

#define SKEL_CALL(primitive, action, flags) ((unsigned)(primitive) | (unsigned)(action) << 8 | (unsigned)(flags) << 16)

/* Points to a word that is 0 in the child of a fork, whichever call made it, until capture has begun anew there. A vfork's
 * child has its parent's memory, and what it records are calls of the thread that waits for it. */
extern uint32_t* skel_not_forked;
static inline int skel_is_new_child(void) { return !__atomic_load_n(skel_not_forked, __ATOMIC_RELAXED); }
enum skel_phase skel_phase_here(void); /* of this process: begins a child's record; SKEL_CLOSED until that has begun */

/* Around what capture does besides a call of the program: errno stays what it is; a cancellation waits, which would leave
 * capture's lock taken; and so do signals, whose handlers may fork. */
struct skel_alone {
  int error, cancellation;
  sigset_t signals;
};
struct skel_alone skel_be_alone(void);
void skel_be_back(const struct skel_alone* before);

#define SKEL_REAL(name) (SKEL_LIKELY(skel_real.name != NULL) ? skel_real.name : (skel_find_real(), skel_real.name))

/* The thread's stream, NULL while nothing is recorded. Makes it for a thread that is new. */
struct skel_stream* skel_stream_first(void);
static inline struct skel_stream* skel_stream(void) {
  struct skel_stream* const s = skel_self;
  return SKEL_LIKELY(s != NULL) ? s : skel_stream_first();
}

uint32_t skel_define(struct skel_stream* s, uint64_t hash, unsigned call, uint64_t object, uint64_t second,
                     const void* site);
int skel_more_room(struct skel_stream* s, size_t bytes);
void skel_record_pause(struct skel_stream* s); /* what making room took, behind the event that needed it: is no gap */
/* Before there is a file: what tells later how much a semaphore or an eventfd holds and for how many a barrier waits. */
void skel_record_early(unsigned call, uint64_t object, const void* site, uint64_t value);

/* SKELGEN_SITES=1: where the function was called from that makes a call, which returns to `site`; NULL if it is not known or not
 * wanted. Looks through the stack, which takes microseconds: for calls that wait, before they do. */
const void* skel_caller(struct skel_stream* s, const void* site);

/* SKELGEN_THREAD_LAYERS=FILE: work is read only where a call belongs to another layer than the one before it, by the
 * calls' sites, where a thread ends, and where it leaves an OpenMP region. */
extern int skel_at_layers;

static inline struct skel_thread* skel_thread_of(struct skel_stream* s) { return (struct skel_thread*)s; }

static inline struct skel_span skel_begin(struct skel_stream* s) {
  struct skel_thread* const t = skel_thread_of(s);
  uint64_t now = skel_ticks();
  if (SKEL_UNLIKELY(now - t->work_ticks >= skel_work_window)) now = skel_work_read(t);
  return (struct skel_span){now, skel_work_at(t, now)};
}

/* Work is read before a lock is taken and after it is given back: the kernel, asked for a thread's time, may find that its
 * slice is over, and others would wait for the lock of a thread that has no core. Nobody has a semaphore: there it is read
 * before a post, behind which the thread that was woken would get the core. */
static inline void skel_before_lock(struct skel_stream* s) {
  struct skel_thread* const t = skel_thread_of(s);
  if (SKEL_UNLIKELY(skel_ticks() - t->work_ticks >= skel_work_window)) skel_work_read(t);
}
static inline struct skel_span skel_begin_unread(struct skel_stream* s) {
  const uint64_t now = skel_ticks();
  return (struct skel_span){now, skel_work_at(skel_thread_of(s), now)};
}
/* Nor does what giving it back took belong to what was before: a thread that is woken costs some microseconds. */
static inline struct skel_span skel_after_lock(struct skel_stream* s, struct skel_span from) {
  struct skel_thread* const t = skel_thread_of(s);
  if (SKEL_UNLIKELY(from.ticks - t->work_ticks >= skel_work_window)) {
    const uint64_t took = skel_ticks() - from.ticks;
    skel_work_read(t);
    const uint64_t since = took < skel_work_longest ? took * skel_work_rate >> 32 : 0;
    if (took < skel_work_longest || from.work > t->work) from.work = t->work > since ? t->work - since : 0;
  }
  return from;
}

static inline struct skel_span skel_end(struct skel_stream* s, struct skel_span from, unsigned call) {
  struct skel_thread* const t = skel_thread_of(s);
  const uint64_t now = skel_ticks();
  if (SKEL_UNLIKELY((call & skel_work_reads) || now - from.ticks >= skel_work_longest)) skel_work_read(t);
  const uint64_t work = skel_work_at(t, now);
  return (struct skel_span){now, work > from.work ? work : from.work};
}

/* A member's work of a region ends there: the runtime's threads may stay until the process ends. */
static inline int skel_leaves_region(unsigned call) {
  return (call & 0xffff) == SKEL_CALL(SKT_PARALLEL, SKT_ARRIVE, 0);
}

/* Returns what skel_write_ends() puts back: a handler of a signal may come between the two stores, and record its calls. */
static inline struct skel_stream* skel_write_begins(struct skel_stream* s) {
  struct skel_own* const own = skel_own();
  struct skel_stream* const before = own->writing;
  own->writing = s;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  own->self = NULL;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return before;
}
static inline void skel_write_ends(struct skel_stream* s, struct skel_stream* before) {
  struct skel_own* const own = skel_own();
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  own->self = s->stopped ? NULL : s;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  own->writing = before;
}
/* skel_commit(), but by a child: where no handler of pthread_atfork was called, the chunk is still its parent's. */
static inline void skel_commit_own(struct skel_stream* s, uint8_t* p) {
  if (SKEL_LIKELY(!skel_is_new_child())) skel_commit(s, p);
}

/* The first call that a child makes, whose stream is its parent's. */
void skel_record_in_child(unsigned call, uint64_t object, const void* site, uint64_t value);

static inline void skel_record_span(struct skel_stream* s, unsigned call, uint64_t object, uint64_t second,
                                    const void* site, struct skel_span from, struct skel_span to, uint64_t value) {
  if (SKEL_UNLIKELY(skel_is_new_child())) {
    skel_record_in_child(call, object, site, value);
    return;
  }
  if (SKEL_UNLIKELY(skel_self != s)) return; /* closed meanwhile */
  struct skel_stream* const before = skel_write_begins(s);
  struct skel_thread* const t = skel_thread_of(s);
  const uint64_t hash = skel_mix(call ^ second * UINT64_C(0x9e3779b97f4a7c15), object, (uint64_t)(uintptr_t)site);
  uint32_t id = skel_find(&s->signatures, hash);
  if (SKEL_UNLIKELY(!id)) id = skel_define(s, hash, call, object, second, site);
  if (SKEL_LIKELY(id && id != SKEL_IGNORED) &&
      (SKEL_LIKELY(s->limit - s->pos >= SKEL_EVENT_ROOM) || skel_more_room(s, SKEL_EVENT_ROOM))) {
    if (SKEL_UNLIKELY(skel_at_layers) && (t->layers[id % SKEL_MOST_CALLS] != t->layer || skel_leaves_region(call))) {
      t->layer = t->layers[id % SKEL_MOST_CALLS];
      skel_work_read(t);
      from.work = to.work = t->work;
    }
    const uint64_t begin = from.ticks > s->last ? from.ticks : s->last, end = to.ticks > begin ? to.ticks : begin;
    const uint64_t work = from.work > t->recorded_work ? from.work : t->recorded_work;
    const uint64_t worked = to.work > work ? to.work : work;
    uint8_t* p = skel_put(s->pos, (uint64_t)SKT_TAG_EVENT + id - 1);
    p = skel_put(p, begin - s->last);
    p = skel_put(p, end - begin);
    p = skel_put(p, work - t->recorded_work);
    p = skel_put(p, worked - work);
    p = skel_put(p, value);
    s->last = end;
    t->recorded_work = worked;
    s->calls++;
    skel_commit_own(s, p);
    if (SKEL_UNLIKELY(t->pause)) skel_record_pause(s);
  }
  skel_write_ends(s, before);
}

/* A call that began at `from` and has returned. */
static inline void skel_record(struct skel_stream* s, unsigned call, const void* object, const void* site,
                               struct skel_span from, uint64_t value) {
  skel_record_span(s, call, (uint64_t)(uintptr_t)object, 0, site, from, skel_end(s, from, call), value);
}

/* The same of one that had to wait: with skel_caller(). */
static inline void skel_record_waited(struct skel_stream* s, unsigned call, const void* object, const void* caller,
                                      const void* site, struct skel_span from) {
  call |= SKEL_CALL(0, 0, SKT_BLOCKED);
  skel_record_span(s, call, (uint64_t)(uintptr_t)object, (uint64_t)(uintptr_t)caller, site, from,
                   skel_end(s, from, call), 0);
}

/* A call that took no time worth a second stamp. */
static inline void skel_record_moment(struct skel_stream* s, unsigned call, const void* object, const void* site,
                                      struct skel_span at, uint64_t value) {
  skel_record_span(s, call, (uint64_t)(uintptr_t)object, 0, site, at, at, value);
}

/* Of calls that do not say whether they waited. */
extern uint64_t skel_long_call; /* ticks of 2 us */
static inline unsigned skel_if_long(struct skel_span from) {
  return skel_ticks() - from.ticks > skel_long_call ? SKEL_CALL(0, 0, SKT_BLOCKED) : 0;
}

/* Recording begins with the first thread that the program creates. */
void skel_begin_threads(void);
void skel_thread_begins(uint64_t creation); /* in the new thread */
void skel_thread_ignore(void);              /* the same: it is an MPI's */
void skel_end_process(void);
int skel_is_this_process(void); /* and not a vfork's child */

#endif
