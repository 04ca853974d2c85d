/* Dynamic windows: memory that is attached while the window lives, whose addresses the ranks tell each other. */
#include <mpi.h>
#include <stdlib.h>

enum { N = 16, STEPS = 12, CELL = sizeof(double) };

static int rank, size;

static MPI_Aint address_of(void* place) {
  MPI_Aint address;
  MPI_Get_address(place, &address);
  return address;
}

/* Each rank has two pieces in the window, of other sizes on odd ranks; all know where all of them are. */
static void pieces(MPI_Win win, double* own) {
  const size_t extra = rank % 2 ? 3 * N : N;
  double *far = calloc(extra, CELL), sum = 1, result[2] = {0};
  MPI_Aint mine[2], (*theirs)[2] = calloc((size_t)size, sizeof *theirs);
  MPI_Win_attach(win, own, N * CELL);
  MPI_Win_attach(win, far, (MPI_Aint)(extra * CELL));
  mine[0] = address_of(own), mine[1] = address_of(far);
  MPI_Allgather(mine, 2, MPI_AINT, theirs, 2, MPI_AINT, MPI_COMM_WORLD);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int i = 0; i < STEPS; i++) {
    MPI_Win_fence(0, win);
    MPI_Put(own, 2, MPI_DOUBLE, right, theirs[right][0] + (4 + i % 4) * CELL, 2, MPI_DOUBLE, win);
    MPI_Get(result, 1, MPI_DOUBLE, left, theirs[left][1] + i * CELL, 1, MPI_DOUBLE, win);
    MPI_Put(own, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, 1, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
  }
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < STEPS; i++) {
    MPI_Fetch_and_op(&sum, result, MPI_DOUBLE, 0, theirs[0][0], MPI_SUM, win);
    MPI_Accumulate(&sum, 1, MPI_DOUBLE, size - 1, theirs[size - 1][1] + rank * CELL, 1, MPI_DOUBLE, MPI_SUM, win);
    MPI_Win_flush_all(win);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_detach(win, far);
  MPI_Win_detach(win, own);
  free(theirs);
  free(far);
}

/* A new piece in every step, told to the neighbour, which fills it. */
static void mailboxes(MPI_Win win, double* own) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int i = 0; i < STEPS; i++) {
    double* box = calloc(4, CELL);
    MPI_Aint here = address_of(box), there;
    MPI_Win_attach(win, box, 4 * CELL);
    MPI_Sendrecv(&here, 1, MPI_AINT, left, 5, &there, 1, MPI_AINT, right, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    MPI_Put(own, 3, MPI_DOUBLE, right, there + CELL, 3, MPI_DOUBLE, win);
    MPI_Win_unlock(right, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(win, box);
    free(box);
  }
}

/* Ranks of the window are not those of MPI_COMM_WORLD. */
static void reversed(double* own) {
  MPI_Comm backwards;
  MPI_Win win;
  MPI_Aint mine = address_of(own + 1), first;
  int me;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
  MPI_Comm_rank(backwards, &me);
  MPI_Win_create_dynamic(MPI_INFO_NULL, backwards, &win);
  if (me == 0) MPI_Win_attach(win, own, 3 * CELL);
  first = mine;
  MPI_Bcast(&first, 1, MPI_AINT, 0, backwards);
  MPI_Win_fence(0, win);
  if (me == 1) MPI_Put(own + 4, 1, MPI_DOUBLE, 0, first, 1, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
  if (me == 0) MPI_Win_detach(win, own);
  MPI_Win_free(&win);
  MPI_Comm_free(&backwards);
}

int main(int argc, char** argv) {
  MPI_Win win;
  double *own = calloc(N, CELL), unlike = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) MPI_Send(&unlike, 1, MPI_DOUBLE, size - 1, 1, MPI_COMM_WORLD); /* numbers buffers differently */
  if (rank == size - 1) MPI_Recv(&unlike, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  pieces(win, own);
  mailboxes(win, own);
  MPI_Win_free(&win);
  reversed(own);
  free(own);
  MPI_Finalize();
  return 0;
}
