/* Off the hot path. */
#include "encode.h"

#include <string.h>
#include <sys/mman.h>

#define MOST_EARLY_BYTES ((size_t)64 << 20) /* of what is recorded before MPI_Init */

#ifndef SKEL_SMPI
int skel_wildcards;
#endif
int skel_callbacks;
int skel_cancels;

int skel_stream_prepare(struct skel_stream* s) {
  s->last = skel_state()->origin;
  s->next_check = UINT64_MAX;
  return skel_table_prepare(&s->signatures);
}

void skel_begin_early(struct skel_stream* s, size_t bytes) {
  s->chunk = skel_early_chunk();
  s->chunk->capacity = SKEL_EARLY_BYTES;
  s->pos = (uint8_t*)(s->chunk + 1);
  s->limit = s->pos + bytes;
}

SKEL_COLD void skel_give_up(struct skel_stream* s) {
  if (!s->stopped) skel_drop(s);
  s->stopped = 1;
}

/* Nothing is recorded: MPI_Init does not come, or not by here. */
static void end_early(struct skel_stream* s) {
  if (s->mapped) munmap(s->chunk, s->mapped);
  s->mapped = 0;
  skel_begin_early(s, 0);
  skel_give_up(s);
}

/* What is recorded before the file is there moves to a greater place. */
static int grow_early(struct skel_stream* s, size_t bytes) {
  const size_t used = (size_t)(s->pos - (uint8_t*)(s->chunk + 1));
  const size_t all = (sizeof *s->chunk + 2 * (used + bytes) + 65535) & ~(size_t)65535;
  if (s->stopped || all > MOST_EARLY_BYTES) return 0;
  struct skt_chunk_header* const greater = skel_allocate(all);
  if (!greater) return 0;
  memcpy(greater, s->chunk, sizeof *greater + used);
  if (s->mapped) munmap(s->chunk, s->mapped);
  s->mapped = all;
  s->chunk = greater;
  greater->capacity = all - sizeof *greater;
  s->pos = (uint8_t*)(greater + 1) + used;
  s->limit = (uint8_t*)greater + all;
  return 1;
}

SKEL_COLD int skel_more_room(struct skel_stream* s, size_t bytes) {
  if (skel_phase() == SKEL_BEFORE) {
    if (grow_early(s, bytes)) return 1;
    end_early(s);
    return 0;
  }
  const uint64_t since = skel_ticks();
  if (s->stopped || skel_phase() == SKEL_CLOSED || skel_sink_chunk(s, bytes + 256)) {
    skel_give_up(s);
    return 0;
  }
  const struct skel_clock_pair now = skel_clock_read_pair();
  uint8_t* p = skel_put(s->pos, SKT_TAG_CLOCK);
  p = skel_put(p, now.ticks);
  p = skel_put(p, now.nanoseconds);
  skel_commit(s, p);
  skel_pause(s, since);
  return 1;
}

void skel_pause(struct skel_stream* s, uint64_t since) {
  const uint64_t now = skel_ticks();
  if (now <= since) return;
  uint8_t* p = skel_put(s->pos, SKT_TAG_PAUSE);
  p = skel_put(p, now - since);
  skel_commit(s, p);
  s->last += now - since;
}

SKEL_COLD void skel_failed(struct skel_stream* s, int error) {
#ifdef MPICH /* has more in its numbers; for the others they are classes */
  error &= 0x7f;
#endif
  skel_commit(s, skel_put(skel_put(s->pos, SKT_TAG_FAILED), (uint64_t)(error & 0x7fffffff)));
}

SKEL_COLD void* skel_scratch(struct skel_stream* s, size_t bytes) {
  bytes = (bytes * 2 + 65535) & ~(size_t)65535;
  void* const p = skel_allocate(bytes);
  if (!p) return NULL;
  if (s->scratch) munmap(s->scratch, s->scratch_bytes);
  s->scratch = p;
  s->scratch_bytes = bytes;
  return p;
}
