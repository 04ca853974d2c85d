/* The hot path of capture: what a wrapper does for each call, inline. C11; compiled once per MPI flavour (mpi.h).
 *
 * A wrapper   enters (only the outermost call of a thread is recorded, and what user functions call that MPI calls
 * back), hashes the values of its signature and finds
 * their number, makes room for the longest event that this call can become, reads the clock, calls PMPI, reads the
 * clock, writes the event, leaves. Per call there is no lock, no system call, no allocation; those happen when a
 * signature is new or a chunk is full, outside of what is timed (SKT_TAG_PAUSE). The cost of recording itself falls
 * between two calls: HEAD states it, the reader takes it off. */
#ifndef SKEL_STREAM_H
#define SKEL_STREAM_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "ranks.h"
#include "skt_format.h"

#define SKEL_LIKELY(x) __builtin_expect(!!(x), 1)
#define SKEL_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define SKEL_COLD __attribute__((noinline, cold))
#define SKEL_MAX_COUNTERS 16
#define SKEL_MOST_FUNCTIONS 2048
#define SKEL_VARINT 10 /* bytes of the longest varint */
#define SKEL_EVENT_ROOM \
  288 /* tag, times, scalar parameters, and what may have to be said first (pause, clock, failed) */

struct skel_entry {
  uint64_t hash; /* 0: free */
  uint64_t id;
};

/* Open addressing, at most half full; `size` is a power of two. Ids of signatures are those of the file + 1: 0 is `not
 * there`. */
struct skel_table {
  struct skel_entry* entries;
  uint64_t size, used;
};

/* What a call still needs while user functions that it calls back make calls of their own. */
struct skel_outer {
  size_t room;
  uint64_t* scratch;
  size_t scratch_bytes;
  uint64_t site;
};
#define SKEL_DEPTH 8

/* What one thread records. */
struct skel_stream {
  uint8_t *pos, *limit; /* free part of the open chunk */
  struct skt_chunk_header* chunk;
  uint64_t last;       /* tick at which the last recorded call (or a pause after it) ended */
  uint64_t next_check; /* tick at which skel_check has something to do */
  uint64_t address;    /* last recorded buffer address */
  uint64_t calls, dropped;
  uint64_t suspended_calls; /* made while MPI_Pcontrol(0) holds, not recorded */
  uint64_t begin;           /* tick at which the call began that is being made */
  size_t room;              /* what it may write */
  int depth;                /* how many calls wait for user functions to return */
  const void* outermost;    /* where its thread's first function returns to, if known */
  struct skel_table signatures;
  uint32_t signature_count;
  uint32_t thread, sequence;
  int columns; /* counters per event */
  int counter_set;
  int stopped;  /* nothing is recorded any more: calls are counted as dropped */
  int numbered; /* `thread` is its number */
  uint64_t at;  /* where its chunk is in the file; 0: not there yet */
  size_t kept;  /* room below the limit for the calls that wait */
  struct skel_outer outer[SKEL_DEPTH];
  uint64_t counters_before[SKEL_MAX_COUNTERS], counters_gap[SKEL_MAX_COUNTERS];
  size_t mapped; /* bytes of the mapping that holds `chunk`; 0: not ours to unmap */
  uint64_t* scratch;
  size_t scratch_bytes;
  struct skel_stream* next;
  uint8_t functions[SKEL_MOST_FUNCTIONS / 8]; /* which functions are defined in this stream */
};

/* A parameter's value on its way to a signature. */
struct skel_value {
  int64_t scalar;
  const void* array; /* of what the parameter's width says */
  int length;
};

/* How an array's elements lie in memory. */
enum skel_width { SKEL_ONE, SKEL_TEXT, SKEL_TEXTS, SKEL_INTS, SKEL_WIDE, SKEL_TYPES, SKEL_INFOS };

/* Generated: the recorded parameters of a function, in order. */
struct skel_parameter {
  uint8_t role, place;
  uint8_t width; /* enum skel_width; SKEL_ONE: no array in the signature */
};
struct skel_function {
  const char* name;
  const struct skel_parameter* parameters;
  int count;
};
extern const struct skel_function skel_functions[];

/* The thread's stream while it may record: NULL inside of a call, before the first call, after the end. */
#define skel_self (skel_own()->self)

/* Set once a receive was posted whose match is not known from its parameters. */
#ifdef SKEL_SMPI
#define skel_wildcards (skel_own()->wildcards)
#else
extern int skel_wildcards;
#endif

/* Set once the program has given MPI a function to call back. */
extern int skel_callbacks;

/* Set once the program has cancelled a request. */
extern int skel_cancels;

#define SKEL_SET(flag) __atomic_store_n(&(flag), 1, __ATOMIC_RELAXED)
#define SKEL_IS_SET(flag) __atomic_load_n(&(flag), __ATOMIC_RELAXED)

/* `returns_to`: where the program goes on behind the call. */
struct skel_stream* skel_enter_first(const void* returns_to);
struct skel_stream* skel_enter_lasting_first(const void* returns_to);
void skel_leave_inner(struct skel_stream* s);
uint32_t skel_define(struct skel_stream* s, uint64_t hash, int function, const struct skel_value* values);
int skel_more_room(struct skel_stream* s, size_t bytes);
void skel_check(struct skel_stream* s);
void skel_read_counters_before(struct skel_stream* s);
void skel_read_counters_after(struct skel_stream* s);
void skel_failed(struct skel_stream* s, int error); /* the call whose event is written next */
void* skel_scratch(struct skel_stream* s, size_t bytes);
void skel_define_file(struct skel_stream* s, MPI_File file);
void skel_define_comm(struct skel_stream* s, MPI_Comm comm, MPI_Comm like); /* like: of the same group and kind */

/* Inlined up to the wrapper that the program has called. */
static inline __attribute__((always_inline)) struct skel_stream* skel_enter(void) {
  struct skel_stream* s = skel_self;
  if (SKEL_UNLIKELY(!s)) return skel_enter_first(__builtin_return_address(0));
  skel_self = NULL;
  return s;
}

/* For calls that make or free what later calls name: they are recorded while MPI_Pcontrol(0) holds, too, or handles
 * would mean afterwards what they meant before. */
static inline __attribute__((always_inline)) struct skel_stream* skel_enter_lasting(void) {
  struct skel_stream* s = skel_self;
  if (SKEL_UNLIKELY(!s)) return skel_enter_lasting_first(__builtin_return_address(0));
  skel_self = NULL;
  return s;
}

/* For calls that may wait for others, after they have entered. */
static inline void skel_may_wait(struct skel_stream* s) {
  if (!s->depth) skel_computation_ended();
}

static inline void skel_leave(struct skel_stream* s) {
  if (SKEL_UNLIKELY(s->depth)) {
    skel_leave_inner(s);
    return;
  }
  skel_self = s;
  skel_computation_goes_on();
}

/* Two values at a time into a 64-bit hash (128-bit product, folded): a call's signature has about four such steps. */
static inline uint64_t skel_mix(uint64_t hash, uint64_t a, uint64_t b) {
  const __uint128_t product = (__uint128_t)(a ^ hash ^ UINT64_C(0xa0761d6478bd642f)) *
                              (b ^ UINT64_C(0xe7037ed1a0b428db) ^ (hash >> 32 | hash << 32));
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t skel_mix_array(uint64_t hash, const int* values, int length) {
  hash = skel_mix(hash, (uint64_t)length, 0x5bd1e995);
  for (int i = 0; i + 1 < length; i += 2) hash = skel_mix(hash, (uint64_t)values[i], (uint64_t)values[i + 1]);
  if (length & 1) hash = skel_mix(hash, (uint64_t)values[length - 1], 0);
  return hash;
}

static inline uint32_t skel_find(const struct skel_table* table, uint64_t hash) {
  for (uint64_t at = hash & (table->size - 1);; at = (at + 1) & (table->size - 1)) {
    const struct skel_entry* entry = &table->entries[at];
    if (entry->hash == hash) return (uint32_t)entry->id;
    if (!entry->hash) return 0;
  }
}

/* Whether `bytes` more can be written: false only once recording has stopped; the thread then stays outside. */
static inline int skel_room(struct skel_stream* s, size_t bytes) {
  s->room = bytes;
  if (SKEL_LIKELY(s->limit - s->pos >= (ptrdiff_t)bytes)) return 1;
  return skel_more_room(s, bytes);
}

/* The tick at which the call begins. For one that a user function makes it is when the call began that called the user
 * function back: all of that time is MPI's. */
static inline uint64_t skel_begin(struct skel_stream* s) {
  if (SKEL_UNLIKELY(s->depth)) return s->begin;
  if (SKEL_UNLIKELY(s->columns)) skel_read_counters_before(s);
  skel_call_begins();
  uint64_t now = skel_ticks();
  if (SKEL_UNLIKELY(now >= s->next_check)) {
    skel_check(s);
    now = skel_ticks();
  }
  return s->begin = now;
}

static inline uint8_t* skel_put(uint8_t* p, uint64_t value) {
  while (value >= 0x80) {
    *p++ = (uint8_t)(value | 0x80);
    value >>= 7;
  }
  *p++ = (uint8_t)value;
  return p;
}

static inline uint8_t* skel_put_signed(uint8_t* p, int64_t value) {
  return skel_put(p, ((uint64_t)value << 1) ^ (uint64_t)(value >> 63));
}

static inline uint8_t* skel_put_buffer(struct skel_stream* s, uint8_t* p, const void* buffer) {
  if (!buffer || buffer == MPI_IN_PLACE) return skel_put(p, buffer != NULL);
  const int64_t delta = (int64_t)((uint64_t)(uintptr_t)buffer - s->address);
  s->address = (uint64_t)(uintptr_t)buffer;
  return skel_put(p, 2 + (((uint64_t)delta << 1) ^ (uint64_t)(delta >> 63)));
}

static inline uint8_t* skel_event(struct skel_stream* s, uint32_t signature, uint64_t begin, uint64_t end) {
  const uint64_t from = begin > s->last ? begin : s->last; /* calls of user functions were written before */
  uint8_t* p = skel_put(s->pos, (uint64_t)SKT_TAG_EVENT + signature - 1);
  p = skel_put(p, from - s->last);
  p = skel_put(p, end > from ? end - from : 0);
  s->last = end > from ? end : from;
  if (SKEL_UNLIKELY(s->columns)) {
    for (int i = 0; i < s->columns; i++) p = skel_put(p, s->counters_gap[i]);
    skel_read_counters_after(s);
  }
  return p;
}

/* What lies before `p` is part of the file from here on, even if the process is killed. */
static inline void skel_commit(struct skel_stream* s, uint8_t* p) {
  s->pos = p;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&s->chunk->used, (uint64_t)(p - (uint8_t*)(s->chunk + 1)), __ATOMIC_RELEASE);
}

static inline void skel_count(struct skel_stream* s) { __atomic_store_n(&s->calls, s->calls + 1, __ATOMIC_RELAXED); }

static inline void skel_drop(struct skel_stream* s) { __atomic_store_n(&s->dropped, s->dropped + 1, __ATOMIC_RELAXED); }

static inline void skel_event_end(struct skel_stream* s, uint8_t* p) {
  skel_count(s);
  skel_commit(s, p);
  skel_leave(s);
}

#endif
