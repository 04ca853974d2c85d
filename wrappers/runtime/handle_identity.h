/* Identities of handles of datatypes and operations, besides their value: MPIs give handles out again. */
#ifndef SKEL_HANDLE_IDENTITY_H
#define SKEL_HANDLE_IDENTITY_H

#include "encode.h"
#include "handles.h"

/* Of one handle, since it was first made or freed. */
struct skel_handle {
  int64_t handle;                  /* 0: free */
  const struct skel_stream* maker; /* NULL: none that was seen */
  uint64_t identity;               /* for the maker: equal for what was made alike */
  uint64_t generation;             /* for other threads, whose streams do not have the maker's definitions */
};

/* All threads'. Grows with the number of different handles, never shrinks; a greater one replaces it as a whole, so
 * that it is read without a lock. Which thread makes, uses and frees a handle first is the program's care. */
struct skel_handles {
  uint64_t size, used; /* at most half full; a power of two */
  struct skel_handle entries[];
};
extern struct skel_handles* skel_handles;

/* Handles may be addresses, or differ in a few low bits. */
static inline uint64_t skel_place(int64_t handle) { return ((uint64_t)handle * UINT64_C(0x9e3779b97f4a7c15)) >> 32; }

/* Equal numbers: made alike. */
static inline uint64_t skel_handle_identity(const struct skel_stream* s, int64_t handle) {
  if (!handle || SKEL_PREDEFINED(handle)) return 0;
  const struct skel_handles* const all = __atomic_load_n(&skel_handles, __ATOMIC_ACQUIRE);
  for (uint64_t at = skel_place(handle); all; at++) {
    const struct skel_handle* const one = &all->entries[at & (all->size - 1)];
    const int64_t there = __atomic_load_n(&one->handle, __ATOMIC_ACQUIRE);
    if (there == handle) return one->maker == s ? one->identity : skel_mix(1, one->generation, 1);
    if (!there) break;
  }
  return 0; /* never made, never freed: MPI's own */
}

/* After the call that made it (`maker`, `identity`) or freed it (NULL, 0). Returns 0 without memory. */
int skel_handle_changed(int64_t handle, const struct skel_stream* maker, uint64_t identity);

#endif
