/* The table of handles. Off the hot path: entered when a datatype or an operation is made or freed. */
#include "handle_identity.h"

#include <pthread.h>
#include <sys/mman.h>

#define FIRST_HANDLES 1024

struct skel_handles* skel_handles;

static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;

static struct skel_handle* entry(struct skel_handles* all, int64_t handle) {
  for (uint64_t at = skel_place(handle);; at++) {
    struct skel_handle* const one = &all->entries[at & (all->size - 1)];
    if (one->handle == handle || !one->handle) return one;
  }
}

/* The table before stays where it is: others may be reading it. */
static struct skel_handles* greater(const struct skel_handles* before) {
  const uint64_t size = before ? before->size * 2 : FIRST_HANDLES;
  struct skel_handles* const all = mmap(NULL, sizeof *all + size * sizeof(struct skel_handle), PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) return NULL;
  all->size = size;
  for (uint64_t i = 0; before && i < before->size; i++)
    if (before->entries[i].handle) *entry(all, before->entries[i].handle) = before->entries[i];
  all->used = before ? before->used : 0;
  __atomic_store_n(&skel_handles, all, __ATOMIC_RELEASE);
  return all;
}

int skel_handle_changed(int64_t handle, const struct skel_stream* maker, uint64_t identity) {
  pthread_mutex_lock(&changing);
  struct skel_handles* all = skel_handles;
  if (!all || all->used * 2 >= all->size) all = greater(all);
  if (all) {
    struct skel_handle* const one = entry(all, handle);
    all->used += !one->handle;
    one->maker = maker;
    one->identity = identity;
    one->generation++;
    __atomic_store_n(&one->handle, handle, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&changing);
  return all != NULL;
}
