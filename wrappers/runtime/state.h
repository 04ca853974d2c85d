/* State of the capture library. One process is one rank here; everything goes through skel_state() and skel_enter(), so
 * that a flavour with all ranks in one process only needs another accessor. Nothing in this library aborts, throws or
 * prints per call: it counts. */
#ifndef SKEL_STATE_H
#define SKEL_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "skt_format.h"

enum { SKEL_CHUNK_BYTES = 1 << 20, SKEL_MAX_COLUMNS = 8 };

enum skel_mode { SKEL_MODE_RECORD, SKEL_MODE_TIME, SKEL_MODE_OFF };

/* One parameter of a function as it is recorded; generated rows. */
struct skel_parameter {
  uint8_t role;  /* enum class Role of src/mpi/mpi.h */
  uint8_t place; /* enum skt_place */
  uint8_t is_array;
};
struct skel_function {
  const char* name;
  uint32_t parameters;
  const struct skel_parameter* parameter;
};

/* Interned signatures: open addressing over keys (words) kept in one growing block. */
struct skel_slot {
  uint64_t hash; /* 0: empty */
  uint64_t at;   /* word index of the key in `words`: its length, then the key */
  uint32_t id;
};
struct skel_interner {
  struct skel_slot* slots;
  uint64_t capacity, count; /* of slots; a power of two */
  uint64_t* words;
  uint64_t words_capacity, words_used;
};

struct skel_handles { /* handles that the stream has defined */
  uint64_t* value;
  size_t count, capacity;
};

struct skel_thread {
  struct skel_chunk* chunk; /* NULL: not recording (disk full) */
  uint8_t *at, *limit;      /* in the chunk's payload */
  uint64_t last_end;        /* ticks when the last call returned */
  uint64_t pause;           /* ticks of our own since then that are to be taken out of the next gap */
  uint64_t last_address;
  uint64_t calls, dropped;
  int depth; /* > 0 inside a call: what MPI calls itself is not recorded */
  uint32_t number, sequence;
  uint64_t* key; /* scratch: signature being built */
  size_t key_capacity, key_length;
  uint64_t* values; /* scratch: request arrays as they were before the call */
  size_t values_capacity;
  void* statuses; /* scratch for calls that ignore statuses */
  size_t statuses_bytes;
  uint64_t column_begin[SKEL_MAX_COLUMNS], column_end[SKEL_MAX_COLUMNS];
  uint8_t* function_defined;
  struct skel_handles defined;
  struct skel_interner interner;
  struct skel_thread* next;
};

struct skel_chunk { /* a mapped piece of the file, or memory before the file exists (offset 0) */
  struct skt_chunk_header* header;
  uint64_t offset;
};

struct skel_state {
  enum skel_mode mode;
  int tsc;
  atomic_int recording; /* calls are recorded */
  int fd;
  atomic_uint_fast64_t file_end;
  _Atomic(struct skel_thread*) threads;
  atomic_uint thread_count;
  uint64_t origin, origin_ns;
  uint64_t init_begin, init_end, init_begin_ns, init_end_ns, finalize_begin, finalize_begin_ns, finalize_end;
  uint64_t run_id;
  int rank, ranks;
  int wildcards; /* a non-blocking wildcard receive was posted: statuses of completions are recorded from now on */
  char directory[4096];
  char application[256];
  char error[256]; /* why recording stopped; said once, at the end */
  uint64_t record_cost;
  double speed_register, speed_memory;
  uint64_t working_set;
  uint64_t sample_at; /* ticks of the next step of the working-set sample, UINT64_MAX when done */
  int sample_step;
  uint32_t columns;
  const char* column_name[SKEL_MAX_COLUMNS];
  uint32_t functions;
  const struct skel_function* function;
  pid_t pid;
};

struct skel_state* skel_state(void);

/* This thread's stream if the call that begins now is to be recorded, else NULL: recording is off or the call is made
 * inside another one. Must be paired with skel_leave when it returned a stream. */
struct skel_thread* skel_enter(void);
static inline void skel_leave(struct skel_thread* t) { t->depth = 0; }
/* The same for MPI_Init and MPI_Finalize, which are timed even when nothing is recorded. */
struct skel_thread* skel_enter_session(void);
/* Reads SKELGEN_* and starts the clock; the mode. */
enum skel_mode skel_start(uint32_t functions, const struct skel_function* function);

/* --- stream.c: records */
/* Room for `bytes` in the open chunk; NULL (and counted) if there is none to be had. */
uint8_t* skel_reserve(struct skel_thread* t, size_t bytes);
/* Everything up to `end` is written: visible to a reader even if the process dies now. */
static inline void skel_commit(struct skel_thread* t, uint8_t* end) {
  atomic_signal_fence(memory_order_release);
  t->chunk->header->used = (uint64_t)(end - (uint8_t*)(t->chunk->header + 1));
  atomic_signal_fence(memory_order_release);
  t->at = end;
}
static inline uint8_t* skel_put(uint8_t* at, uint64_t value) {
  while (value >= 128) {
    *at++ = (uint8_t)(value | 128);
    value >>= 7;
  }
  *at++ = (uint8_t)value;
  return at;
}
static inline uint8_t* skel_put_signed(uint8_t* at, int64_t value) {
  return skel_put(at, ((uint64_t)value << 1) ^ (uint64_t)(value >> 63));
}
/* An address in an event: 0 NULL, 1 MPI_IN_PLACE, else relative to the stream's last one. */
static inline uint8_t* skel_put_address(struct skel_thread* t, uint8_t* at, const void* address, const void* in_place) {
  if (!address) return skel_put(at, 0);
  if (address == in_place) return skel_put(at, 1);
  const int64_t step = (int64_t)((uint64_t)(uintptr_t)address - t->last_address);
  t->last_address = (uint64_t)(uintptr_t)address;
  return skel_put(at, 2 + (((uint64_t)step << 1) ^ (uint64_t)(step >> 63)));
}
/* Opens rank-NNNNNN.skt with its header and HEAD, moves what was recorded so far into it. 0 on success. */
int skel_file_open(struct skel_state* s, const char* head_json);
/* Seals all chunks, appends TAIL, cuts the file. Recording is off afterwards. */
void skel_file_close(struct skel_state* s, const char* tail_json);
struct skel_chunk* skel_chunk_new(struct skel_state* s, struct skel_thread* t);

/* --- intern.c: signatures */
static inline void skel_key_begin(struct skel_thread* t, uint32_t function) {
  t->key[0] = function;
  t->key_length = 1;
}
int skel_key_grow(struct skel_thread* t, size_t words);
static inline void skel_key_add(struct skel_thread* t, int64_t value) {
  t->key[t->key_length++] = (uint64_t)value; /* scalars always fit: the scratch holds at least 64 words */
}
static inline int skel_key_room(struct skel_thread* t, size_t words) {
  return t->key_length + words + 64 <= t->key_capacity || skel_key_grow(t, words) == 0;
}
/* Id of the signature in t->key; defines it (and what it names) in the stream when it is new. UINT32_MAX if that was
 * not possible. */
uint32_t skel_signature(struct skel_thread* t);
/* Scratch for `count` values; NULL if there is no memory. */
uint64_t* skel_values(struct skel_thread* t, size_t count);
void* skel_statuses(struct skel_thread* t, size_t bytes);
int skel_defined(struct skel_handles* handles, uint64_t value); /* was it there already? adds it */

/* Begins the event of t->key: tag, times and columns are written, `bytes` more are reserved; NULL if it cannot be
 * recorded. */
uint8_t* skel_event(struct skel_thread* t, uint64_t begin, uint64_t end, size_t bytes);

/* --- define.c (compiled against the flavour's mpi.h): what handles mean */
void skel_define_handle(struct skel_thread* t, uint8_t role, uint64_t raw);
/* skel_define_comm and skel_define_group, for handles just made: wrap.h. */

/* --- session.c (compiled against the flavour's mpi.h) */
void skel_before_init(void);
void skel_after_init(struct skel_thread* t, uint64_t begin, uint64_t end);
void skel_before_finalize(struct skel_thread* t);
void skel_after_finalize(struct skel_thread* t, uint64_t end);
void skel_before_abort(struct skel_thread* t);

/* --- sample.c */
void skel_sample_begin(struct skel_state* s);
void skel_sample_step(struct skel_state* s, struct skel_thread* t);
void skel_probe_speed(struct skel_state* s);
uint64_t skel_peak_memory(void);

/* --- counters.c */
void skel_counters_start(struct skel_state* s);
void skel_counters_read(struct skel_state* s, uint64_t* values);

#endif
