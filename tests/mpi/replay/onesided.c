/* One-sided communication: every way to make a window, to move data and to synchronise. */
#include <mpi.h>
#include <stdlib.h>

enum { N = 32, STEPS = 20 };

static int rank, size;

/* All meet before and after. */
static void fences(MPI_Win win, double* own) {
  for (int i = 0; i < STEPS; i++) {
    MPI_Win_fence(i == 0 ? MPI_MODE_NOPRECEDE : 0, win);
    MPI_Put(own, 2, MPI_DOUBLE, (rank + 1) % size, 4, 2, MPI_DOUBLE, win);
    MPI_Get(own + 8, 2, MPI_DOUBLE, (rank + size - 1) % size, 12 + i % 3, 2, MPI_DOUBLE, win);
    MPI_Win_fence(MPI_MODE_NOSTORE, win);
    MPI_Accumulate(own, 1, MPI_DOUBLE, 0, rank % 4, 1, MPI_DOUBLE, MPI_SUM, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  }
}

/* Neighbours on a ring open their windows to each other. */
static void neighbours(MPI_Win win, double* own) {
  const int others[2] = {(rank + 1) % size, (rank + size - 1) % size}, n = size > 2 ? 2 : 1;
  MPI_Group world, group;
  int over = 0;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, n, others, &group);
  for (int i = 0; i < STEPS; i++) {
    MPI_Win_post(group, 0, win);
    MPI_Win_start(group, 0, win);
    for (int k = 0; k < n; k++) MPI_Put(own + 16, 3, MPI_DOUBLE, others[k], 20, 3, MPI_DOUBLE, win);
    MPI_Win_complete(win);
    if (i % 2)
      MPI_Win_wait(win);
    else
      for (over = 0; !over;) MPI_Win_test(win, &over);
  }
  MPI_Group_free(&group);
  MPI_Group_free(&world);
}

/* The target does nothing. */
static void locks(MPI_Win win, double* own) {
  double result[N] = {0};
  const double one = 1, two = 2;
  MPI_Request request[4];
  MPI_Status status[4];
  for (int i = 0; i < STEPS; i++) {
    const int target = (rank + i) % size;
    MPI_Win_lock(i % 4 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win);
    MPI_Put(own + 4, 1, MPI_DOUBLE, target, 24, 1, MPI_DOUBLE, win);
    MPI_Win_flush(target, win);
    MPI_Get(result, 1, MPI_DOUBLE, target, 24, 1, MPI_DOUBLE, win);
    MPI_Win_flush_local(target, win);
    MPI_Win_unlock(target, win);
  }
  for (int i = 0; i < 2 * STEPS; i++) { /* constants that are a line over the iterations, and one that is not */
    MPI_Win_lock(i / STEPS ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, rank, 0, win);
    MPI_Win_unlock(rank, win);
    MPI_Win_lock((i + rank) % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, rank, 0, win);
    MPI_Win_unlock(rank, win);
  }
  for (int i = 0; i < 2; i++) {
    MPI_Win_lock(i ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, rank, i ? MPI_MODE_NOCHECK : 0, win);
    MPI_Win_unlock(rank, win);
  }
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  MPI_Fetch_and_op(&one, result, MPI_DOUBLE, 0, 0, MPI_SUM, win);
  MPI_Win_flush_all(win);
  MPI_Get_accumulate(&one, 1, MPI_DOUBLE, result + 1, 1, MPI_DOUBLE, size - 1, 1, 1, MPI_DOUBLE, MPI_NO_OP, win);
  MPI_Win_flush_local_all(win);
  MPI_Rput(own, 1, MPI_DOUBLE, 0, 2, 1, MPI_DOUBLE, win, &request[0]);
  MPI_Rget(result + 2, 1, MPI_DOUBLE, 0, 3, 1, MPI_DOUBLE, win, &request[1]);
  MPI_Raccumulate(&two, 1, MPI_DOUBLE, 0, 4, 1, MPI_DOUBLE, MPI_MAX, win, &request[2]);
  MPI_Rget_accumulate(&two, 1, MPI_DOUBLE, result + 3, 1, MPI_DOUBLE, 0, 5, 1, MPI_DOUBLE, MPI_REPLACE, win,
                      &request[3]);
  MPI_Waitall(4, request, status);
  MPI_Win_sync(win);
  MPI_Win_unlock_all(win);
}

int main(int argc, char** argv) {
  double *own, *base;
  long long counter = 0, expected = 0, found;
  MPI_Win win;
  MPI_Comm node;
  MPI_Group group;
  MPI_Aint bytes;
  int unit;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  own = calloc(N, sizeof *own);

  MPI_Win_create(own, N * sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_get_group(win, &group);
  MPI_Group_free(&group);
  fences(win, own);
  MPI_Win_free(&win);

  MPI_Win_allocate(N * sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  neighbours(win, own);
  MPI_Barrier(MPI_COMM_WORLD);
  locks(win, own);
  MPI_Win_free(&win);

  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Win_allocate_shared(N * sizeof *own, sizeof *own, MPI_INFO_NULL, node, &base, &win);
  MPI_Win_shared_query(win, 0, &bytes, &unit, &base);
  MPI_Win_lock_all(0, win);
  MPI_Win_sync(win);
  MPI_Barrier(node);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Comm_free(&node);

  /* A counter on rank 0 alone: everybody takes numbers. */
  MPI_Win_create(&counter, rank == 0 ? sizeof counter : 0, sizeof counter, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int i = 0; i < STEPS; i++) {
    const long long next = i + 1;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Compare_and_swap(&next, &expected, &found, MPI_LONG_LONG, 0, 0, win);
    MPI_Win_unlock(0, win);
  }
  MPI_Win_free(&win);
  free(own);
  MPI_Finalize();
  return 0;
}
