/* What the generated wrappers need: canonical values of ranks, tags and handles, arrays into keys and events. Compiled
 * against one mpi.h. */
#ifndef SKEL_WRAP_H
#define SKEL_WRAP_H

#include <mpi.h>
#include <stdint.h>
#include <string.h>

#include "real.inc"
#include "state.h"

/* A handle as a number; 0 is the null handle. Handles are ints or pointers, depending on the MPI. */
#define SKEL_RAW(handle, null)                                     \
  ((handle) == (null)    ? 0                                       \
   : sizeof(handle) == 4 ? (uint64_t)(uint32_t)(uintptr_t)(handle) \
                         : (uint64_t)(uintptr_t)(handle))
#define SKEL_IN_PLACE ((const void*)MPI_IN_PLACE)

struct skel_wrapper {
  const char* name;
  void (*wrapper)(void);
  void (**real)(void);
};
extern const struct skel_wrapper skel_wrappers[];
extern const unsigned skel_wrapper_count;
extern const struct skel_function* const skel_functions;

/* Writes what a handle just made stands for; later uses of it mean this one. */
void skel_define_comm(struct skel_thread* t, MPI_Comm comm);
void skel_define_group(struct skel_thread* t, MPI_Group group);
/* The MPI's own functions, by their MPI_ names. */
extern struct skel_real real;

static inline int64_t skel_peer(int rank) {
  return rank >= 0 ? rank : rank == MPI_PROC_NULL ? -1 : rank == MPI_ANY_SOURCE ? -2 : rank == MPI_ROOT ? -3 : rank;
}
static inline int64_t skel_tag(int tag) { return tag == MPI_ANY_TAG ? -1 : tag; }
static inline int64_t skel_undefined(int value) { return value == MPI_UNDEFINED ? -32766 : value; }
static inline int skel_length(int count) { return count > 0 ? count : 0; }
static inline int skel_outcount(int count) { return count == MPI_UNDEFINED ? 0 : skel_length(count); }

static inline int skel_comm_size(MPI_Comm comm) {
  int size = 0, inter = 0;
  if (comm == MPI_COMM_NULL) return 0;
  real.MPI_Comm_test_inter(comm, &inter);
  if (inter ? real.MPI_Comm_remote_size(comm, &size) : real.MPI_Comm_size(comm, &size)) return 0;
  return size;
}
static inline int skel_is_root(MPI_Comm comm, int root) {
  int rank = -1;
  return comm != MPI_COMM_NULL && real.MPI_Comm_rank(comm, &rank) == MPI_SUCCESS && rank == root;
}
static inline int skel_topology(MPI_Comm comm) {
  int dimensions = 0, kind = MPI_UNDEFINED;
  if (comm == MPI_COMM_NULL || real.MPI_Topo_test(comm, &kind) || kind != MPI_CART) return 0;
  return real.MPI_Cartdim_get(comm, &dimensions) ? 0 : dimensions;
}

static inline void skel_key_ints(struct skel_thread* t, const int* values, int count) {
  const int length = values && skel_key_room(t, (size_t)skel_length(count) + 1) ? skel_length(count) : 0;
  skel_key_add(t, length);
  for (int i = 0; i < length; i++) skel_key_add(t, values[i]);
}
static inline uint8_t* skel_put_ints(uint8_t* at, const int* values, int count) {
  at = skel_put(at, (uint64_t)count);
  for (int i = 0; i < count; i++) at = skel_put_signed(at, values[i]);
  return at;
}
static inline uint64_t* skel_requests(struct skel_thread* t, const MPI_Request* requests, int count) {
  uint64_t* values = skel_values(t, (size_t)skel_length(count));
  for (int i = 0; values && i < count; i++) values[i] = SKEL_RAW(requests[i], MPI_REQUEST_NULL);
  return values;
}
static inline uint8_t* skel_put_requests(uint8_t* at, const uint64_t* values, int count) {
  const int length = values ? skel_length(count) : 0;
  at = skel_put(at, (uint64_t)length);
  for (int i = 0; i < length; i++) at = skel_put_signed(at, (int64_t)values[i]);
  return at;
}
static inline uint8_t* skel_put_status(uint8_t* at, const MPI_Status* status, int known) {
  if (!known) return skel_put(at, 0);
  at = skel_put(at, 2);
  at = skel_put_signed(at, skel_peer(status->MPI_SOURCE));
  return skel_put_signed(at, skel_tag(status->MPI_TAG));
}
static inline MPI_Status* skel_own_statuses(struct skel_thread* t, int count) {
  MPI_Status* own = skel_statuses(t, (size_t)skel_length(count) * sizeof *own);
  return own ? own : MPI_STATUSES_IGNORE;
}
static inline uint8_t* skel_put_statuses(uint8_t* at, const MPI_Status* statuses, int count) {
  if (statuses == MPI_STATUSES_IGNORE) count = 0;
  at = skel_put(at, (uint64_t)(2 * skel_length(count)));
  for (int i = 0; i < count; i++) {
    at = skel_put_signed(at, skel_peer(statuses[i].MPI_SOURCE));
    at = skel_put_signed(at, skel_tag(statuses[i].MPI_TAG));
  }
  return at;
}

#endif
