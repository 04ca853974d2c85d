/* Pieces of the generated wrappers that are the same for many functions. */
#ifndef SKEL_WRAPPER_PARTS_H
#define SKEL_WRAPPER_PARTS_H

#include <string.h>

#include "define.h"
#include "enter.h"
#include "handles.h"
#include "objects.h"
#include "pmpi.h"
#include "values.h"

/* The requests of Waitall and its kin as they were before the call; room for as many statuses behind them. */
struct skel_before {
  size_t count, room;
  MPI_Request requests[];
};

/* Requests that are not yet set; NULL without memory. */
static inline struct skel_before* skel_keep_room(struct skel_stream* s, size_t count) {
  const size_t room = (sizeof(struct skel_before) + count * sizeof(MPI_Request) + 15) & ~(size_t)15;
  const size_t bytes = room + count * sizeof(MPI_Status);
  struct skel_before* before = s->scratch_bytes >= bytes ? (void*)s->scratch : skel_scratch(s, bytes);
  if (before) {
    before->count = count;
    before->room = room;
  }
  return before;
}

static inline struct skel_before* skel_keep(struct skel_stream* s, size_t count, const MPI_Request* requests) {
  struct skel_before* const before = skel_keep_room(s, count);
  if (before && count) memcpy(before->requests, requests, count * sizeof(MPI_Request));
  return before;
}

static inline MPI_Status* skel_statuses(struct skel_before* before) {
  return (MPI_Status*)((char*)before + before->room);
}

static inline uint8_t* skel_put_requests(uint8_t* p, const struct skel_before* before) {
  p = skel_put(p, before->count);
  for (size_t i = 0; i < before->count; i++) p = skel_put_signed(p, skel_request(before->requests[i]));
  return p;
}

static SKEL_COLD int skel_was_cancelled(const MPI_Status* status) {
  int cancelled = 0;
  skel_pmpi.MPI_Test_cancelled(status, &cancelled);
  return cancelled;
}

static inline uint8_t* skel_put_statuses(uint8_t* p, const MPI_Status* statuses, int count) {
  if (count <= 0) return skel_put(p, 0); /* MPI_UNDEFINED: no request was active */
  p = skel_put(p, (uint64_t)count * 2);
  for (int i = 0; i < count; i++) {
    const int cancelled = SKEL_UNLIKELY(SKEL_IS_SET(skel_cancels)) && skel_was_cancelled(&statuses[i]);
    p = skel_put_signed(p, cancelled ? SKT_CANCELLED : skel_peer(statuses[i].MPI_SOURCE));
    p = skel_put_signed(p, skel_tag(statuses[i].MPI_TAG));
  }
  return p;
}

static inline uint8_t* skel_put_indices(uint8_t* p, const int* indices, int count, int first) {
  if (count < 0) count = 0;
  p = skel_put(p, (uint64_t)count);
  for (int i = 0; i < count; i++) p = skel_put_signed(p, indices[i] - first);
  return p;
}

/* For functions that are known by name and time only. NULL: just call it. */
static inline __attribute__((always_inline)) struct skel_stream* skel_enter_opaque(int function, uint32_t* id) {
  struct skel_stream* const s = skel_enter();
  if (!s) return NULL;
  skel_may_wait(s);
  const uint64_t hash = skel_mix(0, (uint64_t)function, 0x6f706171);
  *id = skel_find(&s->signatures, hash);
  if (SKEL_UNLIKELY(!*id)) *id = skel_define(s, hash, function, NULL);
  return *id && skel_room(s, SKEL_EVENT_ROOM) ? s : NULL;
}

#endif
