/* Pieces of the generated wrappers that are the same for many functions. */
#ifndef SKEL_WRAPPER_PARTS_H
#define SKEL_WRAPPER_PARTS_H

#include <string.h>

#include "handles.h"
#include "pmpi.h"
#include "stream.h"

/* The requests of Waitall and its kin as they were before the call; room for as many statuses behind them. */
struct skel_before {
  size_t count, room;
  MPI_Request requests[];
};

static inline struct skel_before* skel_keep(struct skel_stream* s, size_t count, const MPI_Request* requests) {
  const size_t room = (sizeof(struct skel_before) + count * sizeof(MPI_Request) + 15) & ~(size_t)15;
  const size_t bytes = room + count * sizeof(MPI_Status);
  struct skel_before* before = s->scratch_bytes >= bytes ? (void*)s->scratch : skel_scratch(s, bytes);
  if (before) {
    before->count = count;
    before->room = room;
    if (count) memcpy(before->requests, requests, count * sizeof(MPI_Request));
  }
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

static inline uint8_t* skel_put_statuses(uint8_t* p, const MPI_Status* statuses, int count) {
  if (count < 0) count = 0; /* MPI_UNDEFINED: no request was active */
  p = skel_put(p, (uint64_t)count * 2);
  for (int i = 0; i < count; i++) {
    p = skel_put_signed(p, skel_peer(statuses[i].MPI_SOURCE));
    p = skel_put_signed(p, skel_tag(statuses[i].MPI_TAG));
  }
  return p;
}

static inline uint8_t* skel_put_indices(uint8_t* p, const int* indices, int count) {
  if (count < 0) count = 0;
  p = skel_put(p, (uint64_t)count);
  for (int i = 0; i < count; i++) p = skel_put_signed(p, indices[i]);
  return p;
}

extern uint64_t
    skel_freed; /* datatypes and operations, by all threads: a handle that comes back may mean something else */

static inline struct skel_made* skel_made_at(struct skel_stream* s, int64_t handle) {
  return &s->made[((uint64_t)handle ^ (uint64_t)handle >> 27) % SKEL_MADE];
}

/* What a handle of a datatype or operation stands for, besides its value: equal numbers, made alike. Where that is not
 * known, it may stand for something else as soon as any has been freed. */
static inline uint64_t skel_meaning(struct skel_stream* s, int64_t handle) {
  if (!handle || SKEL_PREDEFINED(handle)) return 0;
  const uint64_t freed = __atomic_load_n(&skel_freed, __ATOMIC_RELAXED);
  const struct skel_made* const made = skel_made_at(s, handle);
  return made->handle == handle && made->foreign == freed - s->freed ? made->meaning : skel_mix(1, freed, 1);
}

/* After the call that freed it. */
static inline void skel_forget(struct skel_stream* s, int64_t handle) {
  struct skel_made* const made = skel_made_at(s, handle);
  if (made->handle == handle) made->handle = 0;
  s->freed++;
  __atomic_fetch_add(&skel_freed, 1, __ATOMIC_RELAXED);
}

/* After the call that made it; `meaning`: the hash of that call's signature. */
void skel_define_datatype(struct skel_stream* s, int64_t handle, uint64_t meaning);
void skel_define_op(struct skel_stream* s, int64_t handle, uint64_t meaning);

static inline uint64_t skel_mix_aints(uint64_t hash, const MPI_Aint* values, int length) {
  hash = skel_mix(hash, (uint64_t)length, 0x61696e74);
  for (int i = 0; i < length; i++) hash = skel_mix(hash, (uint64_t)values[i], 1);
  return hash;
}

static inline uint64_t skel_mix_types(struct skel_stream* s, uint64_t hash, const MPI_Datatype* types, int length) {
  hash = skel_mix(hash, (uint64_t)length, 0x74797065);
  for (int i = 0; i < length; i++) {
    const int64_t handle = skel_datatype(types[i]);
    hash = skel_mix(hash, (uint64_t)handle, skel_meaning(s, handle));
  }
  return hash;
}

/* How many ranks the vectors of a collective over `comm` have entries for. */
static inline int skel_ranks(MPI_Comm comm) {
  int inter = 0, size = 0;
  if (comm == MPI_COMM_NULL) return 0;
  skel_pmpi.MPI_Comm_test_inter(comm, &inter);
  if (inter)
    skel_pmpi.MPI_Comm_remote_size(comm, &size);
  else
    skel_pmpi.MPI_Comm_size(comm, &size);
  return size;
}

static inline int skel_at_root(MPI_Comm comm, int root) {
  int inter = 0, rank = -1;
  if (root == MPI_ROOT) return 1;
  if (root < 0 || comm == MPI_COMM_NULL) return 0;
  skel_pmpi.MPI_Comm_test_inter(comm, &inter);
  if (inter) return 0;
  skel_pmpi.MPI_Comm_rank(comm, &rank);
  return rank == root;
}

static inline int skel_dimensions(MPI_Comm comm) {
  int kind = MPI_UNDEFINED, dimensions = 0;
  if (comm == MPI_COMM_NULL) return 0;
  skel_pmpi.MPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) skel_pmpi.MPI_Cartdim_get(comm, &dimensions);
  return dimensions;
}

/* For functions that are known by name and time only. NULL: just call it. */
static inline struct skel_stream* skel_enter_opaque(int function, uint32_t* id) {
  struct skel_stream* const s = skel_enter();
  if (!s) return NULL;
  const uint64_t hash = skel_mix(0, (uint64_t)function, 0x6f706171);
  *id = skel_find(&s->signatures, hash);
  if (SKEL_UNLIKELY(!*id)) *id = skel_define(s, hash, function, NULL);
  return *id && skel_room(s, SKEL_EVENT_ROOM) ? s : NULL;
}

/* Writes the members of `group` before the call that names it (a handle may come back for other members) and mixes them
 * into the hash. */
uint64_t skel_mix_group(struct skel_stream* s, uint64_t hash, MPI_Group group);

/* No memory: this call is dropped, like all that follow. */
void skel_give_up(struct skel_stream* s);

#endif
