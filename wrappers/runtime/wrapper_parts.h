/* Pieces of the generated wrappers that are the same for many functions. */
#ifndef SKEL_WRAPPER_PARTS_H
#define SKEL_WRAPPER_PARTS_H

#include <string.h>

#include "handles.h"
#include "meanings.h"
#include "pmpi.h"
#include "stream.h"

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

static inline uint8_t* skel_put_statuses(uint8_t* p, const MPI_Status* statuses, int count) {
  if (count < 0) count = 0; /* MPI_UNDEFINED: no request was active */
  p = skel_put(p, (uint64_t)count * 2);
  for (int i = 0; i < count; i++) {
    int cancelled = 0;
    if (SKEL_UNLIKELY(SKEL_IS_SET(skel_cancels))) skel_pmpi.MPI_Test_cancelled(&statuses[i], &cancelled);
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

/* After the call that made it; `meaning`: the hash of that call's signature. */
void skel_define_datatype(struct skel_stream* s, int64_t handle, uint64_t meaning);
void skel_define_op(struct skel_stream* s, int64_t handle, uint64_t meaning);
/* After the call that freed it. */
void skel_forget(struct skel_stream* s, int64_t handle);

#define SKEL_TEXT_BYTES 1000 /* recorded of a text */
#define SKEL_TEXT_ROOM (SKEL_TEXT_BYTES * 2 + SKEL_VARINT)

/* What MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY are: in some MPIs a variable of the library. */
extern const void *skel_unweighted, *skel_weights_empty;
/* What is recorded for MPI_UNWEIGHTED: one number that no weight is. */
extern const int skel_no_weights;

/* Whether there is an array at all. */
static inline int skel_is_array(const void* array) {
  return array && array != skel_unweighted && array != skel_weights_empty;
}

/* A number of elements as the program gave it: MPI may yet refuse it. */
static inline int skel_at_least_0(int64_t length) { return length > 0 ? (int)length : 0; }

static inline size_t skel_array_room(int length) { return ((size_t)length + 1) * SKEL_VARINT; }

static inline int skel_text_length(const char* text) { return text ? (int)strnlen(text, SKEL_TEXT_BYTES) : 0; }

static inline int64_t skel_least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Value i of an array. */
static inline int64_t skel_element(const void* array, int i, enum skel_width width) {
  switch (width) {
    case SKEL_TEXT:
      return ((const unsigned char*)array)[i];
    case SKEL_WIDE:
      return (int64_t)((const MPI_Aint*)array)[i];
    case SKEL_TYPES:
      return skel_datatype(((const MPI_Datatype*)array)[i]);
    case SKEL_INFOS:
      return skel_info(((const MPI_Info*)array)[i]);
    default:
      return ((const int*)array)[i];
  }
}

uint64_t skel_mix_texts(uint64_t hash, char* const* texts, int length);

/* `width` is a constant. */
static inline uint64_t skel_mix_values(struct skel_stream* s, uint64_t hash, const void* array, int length,
                                       enum skel_width width) {
  if (width == SKEL_INTS) return skel_mix_array(hash, array, length);
  if (width == SKEL_TEXTS) return skel_mix_texts(hash, array, length);
  hash = skel_mix(hash, (uint64_t)length, 0x61696e74);
  for (int i = 0; i < length; i++) {
    const int64_t value = skel_element(array, i, width);
    hash = skel_mix(hash, (uint64_t)value, width == SKEL_TYPES ? skel_meaning(s, value) : 1);
  }
  return hash;
}

static inline uint8_t* skel_put_values(uint8_t* p, const void* array, int length, enum skel_width width) {
  p = skel_put(p, (uint64_t)length);
  for (int i = 0; i < length; i++) p = skel_put_signed(p, skel_element(array, i, width));
  return p;
}

/* Ranks of the caller's group: entries of Reduce_scatter's counts. */
static inline int skel_own_ranks(MPI_Comm comm) {
  int size = 0;
  if (comm != MPI_COMM_NULL) skel_pmpi.MPI_Comm_size(comm, &size);
  return size;
}
/* Entries of a collective's vectors: ranks of comm, of an intercommunicator those of the other group. */
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
  if (SKEL_IS_ROOT(root)) return 1;
  if (root < 0 || comm == MPI_COMM_NULL) return 0;
  skel_pmpi.MPI_Comm_test_inter(comm, &inter);
  if (inter) return 0;
  skel_pmpi.MPI_Comm_rank(comm, &rank);
  return rank == root;
}

/* Of a communicator that is no intercommunicator. SMPI has no collectives of neighbours, and says so of MPI_Topo_test by
 * ending the program. */
static inline int skel_topology(MPI_Comm comm) {
  int kind = MPI_UNDEFINED;
#ifdef SKEL_SMPI
  (void)comm;
#else
  skel_pmpi.MPI_Topo_test(comm, &kind);
#endif
  return kind;
}

static inline int skel_dimensions(MPI_Comm comm) {
  int dimensions = 0;
  if (comm == MPI_COMM_NULL) return 0;
#ifdef SKEL_SMPI
  if (skel_pmpi.MPI_Cartdim_get(comm, &dimensions) != MPI_SUCCESS) return 0;
#else
  if (skel_topology(comm) == MPI_CART) skel_pmpi.MPI_Cartdim_get(comm, &dimensions);
#endif
  return dimensions;
}

/* How many neighbours the caller has in the topology of `comm`: sources or destinations. */
int skel_neighbours(MPI_Comm comm, int sources);

enum skel_envelope { SKEL_INTEGERS, SKEL_ADDRESSES, SKEL_DATATYPES };
int skel_envelope(MPI_Datatype type, enum skel_envelope of);

static inline int skel_sum_of(const int* values, int length) {
  int64_t sum = 0;
  for (int i = 0; i < length; i++) sum += values[i];
  return sum > 0 && sum < INT32_MAX ? (int)sum : 0;
}

static inline int skel_last_of(const int* values, int length) { return length > 0 ? values[length - 1] : 0; }

static inline int skel_texts_length(char* const* texts) {
  int length = 0;
  while (texts[length]) length++;
  return length;
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

/* Writes the members of `group` before the call that names it (a handle may come back for other members) and mixes them
 * into the hash. */
uint64_t skel_mix_group(struct skel_stream* s, uint64_t hash, MPI_Group group);

/* No memory: this call is dropped, like all that follow. */
void skel_give_up(struct skel_stream* s);

#endif
