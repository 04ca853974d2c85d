/* The hot path of capture: what a wrapper does for each call, inline. C11; compiled once per MPI flavour (mpi.h).
 *
 * A wrapper   enters (only the outermost call of a thread is recorded, and what user functions call that MPI calls
 * back), hashes the values of its signature and finds
 * their number, makes room for the longest event that this call can become, reads the clock, calls PMPI, reads the
 * clock, writes the event, leaves. Per call there is no lock, no system call, no allocation; those happen when a
 * signature is new or a chunk is full, outside of what is timed (SKT_TAG_PAUSE). The cost of recording itself falls
 * between two calls: HEAD states it, the reader takes it off. */
#ifndef SKEL_ENCODE_H
#define SKEL_ENCODE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "counters.h"
#include "probe.h"
#include "ranks.h"
#include "sink.h"
#include "table.h"

#define SKEL_VARINT 10 /* bytes of the longest varint */
#define SKEL_EVENT_ROOM \
  288 /* tag, times, scalar parameters, and what may have to be said first (pause, clock, failed) */

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

int skel_more_room(struct skel_stream* s, size_t bytes);
void skel_failed(struct skel_stream* s, int error); /* the call whose event is written next */
void* skel_scratch(struct skel_stream* s, size_t bytes);
void skel_pause(struct skel_stream* s,
                uint64_t since); /* the time from then to now was ours; needs room for two numbers */
/* No memory: this call is dropped, like all that follow. */
void skel_give_up(struct skel_stream* s);
int skel_stream_prepare(struct skel_stream* s);
/* What is recorded before MPI_Init has returned: who we are, and so the file's name, is not known yet. */
void skel_begin_early(struct skel_stream* s, size_t bytes);

/* For calls that may wait for others, after they have entered. */
static inline void skel_may_wait(struct skel_stream* s) {
  if (!s->depth) skel_computation_ended();
}

static inline uint64_t skel_mix_array(uint64_t hash, const int* values, int length) {
  hash = skel_mix(hash, (uint64_t)length, 0x5bd1e995);
  for (int i = 0; i + 1 < length; i += 2) hash = skel_mix(hash, (uint64_t)values[i], (uint64_t)values[i + 1]);
  if (length & 1) hash = skel_mix(hash, (uint64_t)values[length - 1], 0);
  return hash;
}

/* Whether `bytes` more can be written: false only once recording has stopped; the thread then stays outside. */
static inline int skel_room(struct skel_stream* s, size_t bytes) {
  s->room = bytes;
  if (SKEL_LIKELY(s->limit - s->pos >= (ptrdiff_t)bytes)) return 1;
  return skel_more_room(s, bytes);
}

/* The tick at which the call begins. For one that a user function makes it is when the call began that called the user
 * function back: all of that time is MPI's. */
static inline __attribute__((always_inline)) uint64_t skel_begin(struct skel_stream* s) {
  if (SKEL_UNLIKELY(s->depth)) return s->begin;
  if (SKEL_UNLIKELY(s->columns)) skel_read_counters_before(s, __builtin_return_address(0));
  skel_call_begins();
  uint64_t now = skel_ticks();
  if (SKEL_UNLIKELY(now >= s->next_check)) {
    skel_check(s);
    skel_pause(s, now);
    now = skel_ticks();
  }
  return s->begin = now;
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

static inline void skel_count(struct skel_stream* s) { __atomic_store_n(&s->calls, s->calls + 1, __ATOMIC_RELAXED); }

static inline void skel_drop(struct skel_stream* s) { __atomic_store_n(&s->dropped, s->dropped + 1, __ATOMIC_RELAXED); }

#endif
