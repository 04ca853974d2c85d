/* Windows: part of skel.c, which is one file in a skeleton. Calls on dynamic ones name places in the memory of others by
 * address; buffers stay where they are, so addresses are told once. */
#include "skel.h"

/* Attributes of windows: what rank_in_win and size_of_win found. */
static int rank_key, size_key;

static struct {
  int* number;       /* [buffer slots]: of those that are attached to windows */
  MPI_Aint* address; /* [ranks][attached slots] */
  int ranks_key;     /* attribute of a window: its ranks in MPI_COMM_WORLD */
} remote;

static int forget_ranks(MPI_Win win, int key, void* ranks, void* extra) {
  (void)win, (void)key, (void)extra;
  free(ranks);
  return MPI_SUCCESS;
}

static void prepare_windows(void) {
  PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &rank_key, NULL);
  PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &size_key, NULL);
  const int n = program->attached;
  if (n == 0) return;
  MPI_Aint* own = zeroed((size_t)n, sizeof *own);
  remote.number = zeroed((size_t)program->buffers, sizeof *remote.number);
  remote.address = zeroed((size_t)size * (size_t)n, sizeof *own);
  for (int i = 0; i < n; i++) {
    remote.number[program->attached_slot[i]] = i;
    PMPI_Get_address(skel_memory[program->attached_slot[i]], &own[i]);
  }
  PMPI_Allgather(own, n, MPI_AINT, remote.address, n, MPI_AINT, MPI_COMM_WORLD);
  free(own);
  PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, forget_ranks, &remote.ranks_key, NULL);
}

/* A group is asked once: making one takes longer than many a call on the window. */
static int in_window(MPI_Win win, int key, int (*ask)(MPI_Group, int*)) {
  void* known = NULL;
  int found = 0, number = 0;
  PMPI_Win_get_attr(win, key, &known, &found);
  if (found) return (int)(intptr_t)known;
  MPI_Group group;
  PMPI_Win_get_group(win, &group);
  ask(group, &number);
  PMPI_Group_free(&group);
  PMPI_Win_set_attr(win, key, (void*)(intptr_t)number);
  return number;
}
int rank_in_win(MPI_Win win) { return in_window(win, rank_key, PMPI_Group_rank); }
int size_of_win(MPI_Win win) { return in_window(win, size_key, PMPI_Group_size); }

void skel_dynamic(MPI_Win* win) {
  if (*win == MPI_WIN_NULL || program->attached == 0) return;
  MPI_Group world, group;
  int n;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Win_get_group(*win, &group);
  PMPI_Group_size(group, &n);
  int *members = zeroed((size_t)n, sizeof(int)), *ranks = zeroed((size_t)n, sizeof(int));
  for (int i = 0; i < n; i++) members[i] = i;
  PMPI_Group_translate_ranks(group, n, members, world, ranks);
  PMPI_Win_set_attr(*win, remote.ranks_key, ranks);
  free(members);
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
}

MPI_Aint skel_target(MPI_Win win, int rank_there, int64_t place) {
  const int64_t slot = (place >> SKEL_OFFSET_BITS) - 1;
  int *ranks = NULL, found = 0;
  if (slot < 0 || rank_there < 0) return (MPI_Aint)place;
  PMPI_Win_get_attr(win, remote.ranks_key, &ranks, &found);
  if (!found) give_up("a place in a buffer, but the window is not dynamic");
  return remote.address[(size_t)ranks[rank_there] * (size_t)program->attached + (size_t)remote.number[slot]] +
         (MPI_Aint)(place & ((INT64_C(1) << SKEL_OFFSET_BITS) - 1));
}
