/* programs SEED N: N random programs of one-sided communication, one behind the other. Each makes a communicator in one
 * of the ways of MPI, a window over it, and names ranks of it in every call that has a target, with collectives on other
 * communicators in between; communicators are freed while the window lives. Some windows live to the end of the run. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 64, MOST = 400 };

#ifdef MPICH_VERSION
/* MPICH 4.0, traced or not, crashes now and then where the communicator of a window is freed before it, and waits for ever
 * in MPI_Win_start where other epochs came before: here communicators are freed after their windows, and ranks start
 * none. */
enum { EPOCHS = 3, FREED_EARLY = 0 };
#else
enum { EPOCHS = 5, FREED_EARLY = 1 };
#endif

static int rank, size;
static uint64_t state; /* of the random numbers that all ranks share */

static int pick(int n) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (int)((state >> 20) % (uint64_t)n);
}

/* ------------------------------------------------------------------ communicators */

/* A group of the ranks for which this holds: all but the last, the even ones, the upper half backwards. */
static MPI_Group some_ranks(MPI_Comm comm, int way) {
  MPI_Group all, some;
  int n, count = 0, ranks[MOST];
  MPI_Comm_size(comm, &n);
  MPI_Comm_group(comm, &all);
  for (int i = 0; i < n; i++) {
    if (way == 0 && (i < n - 1 || n == 1)) ranks[count++] = i;
    if (way == 1 && i % 2 == 0) ranks[count++] = i;
    if (way == 2 && i >= n / 2) ranks[count++] = n - 1 - (i - n / 2);
  }
  MPI_Group_incl(all, count, ranks, &some);
  MPI_Group_free(&all);
  return some;
}

static MPI_Comm grid(int reorder) {
  int dims[2] = {0, 0}, periods[2] = {1, 0};
  MPI_Comm comm;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, reorder, &comm);
  return comm;
}

/* Two halves that know each other, and become one in this order or the other one. */
static MPI_Comm halves(int reversed) {
  MPI_Comm half, both, one;
  const int upper = rank >= size / 2;
  if (size == 1) {
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    return one;
  }
  MPI_Comm_split(MPI_COMM_WORLD, upper, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : size / 2, 7, &both);
  MPI_Intercomm_merge(both, reversed ? !upper : upper, &one);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
  return one;
}

/* Some ranks may get MPI_COMM_NULL. */
static MPI_Comm make(int kind, int variant) {
  MPI_Comm comm = MPI_COMM_NULL, parent;
  MPI_Group group;
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  switch (kind) {
    case 0:
      return MPI_COMM_WORLD;
    case 1:
      return MPI_COMM_SELF;
    case 2: /* rows, columns, or what one rank is not in */
      MPI_Comm_split(MPI_COMM_WORLD,
                     variant == 0   ? rank % 2
                     : variant == 1 ? rank / 2
                     : rank         ? 0
                                    : MPI_UNDEFINED,
                     rank, &comm);
      break;
    case 3: /* backwards, all of them or in two parts, or turned by one */
      MPI_Comm_split(MPI_COMM_WORLD, variant == 1 ? rank % 2 : 0, variant == 2 ? right : -rank, &comm);
      break;
    case 4:
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      break;
    case 5:
      comm = grid(variant == 1);
      break;
    case 6: {
      parent = grid(0);
      const int remain[2] = {variant != 1, variant == 1};
      MPI_Cart_sub(parent, remain, &comm);
      MPI_Comm_free(&parent);
      break;
    }
    case 7: {
      const int ends[2] = {left, right}, weights[2] = {1, 1};
      MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, ends, weights, 2, ends, weights, MPI_INFO_NULL, 0, &comm);
      break;
    }
    case 8: /* of ranks of the world, or of those of a communicator that is gone at once */
      if (variant == 1) MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &parent);
      group = some_ranks(variant == 1 ? parent : MPI_COMM_WORLD, variant);
      MPI_Comm_create(variant == 1 ? parent : MPI_COMM_WORLD, group, &comm);
      if (variant == 1) MPI_Comm_free(&parent);
      MPI_Group_free(&group);
      break;
    case 9: {
      int own;
      group = some_ranks(MPI_COMM_WORLD, variant);
      MPI_Group_rank(group, &own);
      if (own != MPI_UNDEFINED) MPI_Comm_create_group(MPI_COMM_WORLD, group, 3, &comm);
      MPI_Group_free(&group);
      break;
    }
    case 10:
      return halves(variant == 1);
    default: {
      int neighbours[2 * MOST], index[MOST];
      for (int i = 0; i < size; i++) {
        index[i] = 2 * (i + 1);
        neighbours[2 * i] = (i + size - 1) % size, neighbours[2 * i + 1] = (i + 1) % size;
      }
      MPI_Graph_create(MPI_COMM_WORLD, size, index, neighbours, variant == 1, &comm);
    }
  }
  return comm;
}

static void release(MPI_Comm* comm) {
  if (*comm != MPI_COMM_NULL && *comm != MPI_COMM_WORLD && *comm != MPI_COMM_SELF) MPI_Comm_free(comm);
  *comm = MPI_COMM_NULL;
}

static void collective(MPI_Comm comm) {
  const int what = pick(5);
  static double in[4], out[4 * MOST];
  if (comm == MPI_COMM_NULL) return;
  if (what == 0) MPI_Allreduce(in, out, 2, MPI_DOUBLE, MPI_SUM, comm);
  if (what == 1) MPI_Bcast(in, 3, MPI_DOUBLE, 0, comm);
  if (what == 2) MPI_Barrier(comm);
  if (what == 3) MPI_Allgather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, comm);
  if (what == 4) { /* a ring, whose peers are ranks of this communicator */
    int own, n;
    MPI_Status status;
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &n);
    MPI_Sendrecv(in, 2, MPI_DOUBLE, (own + 1) % n, 4, out, 2, MPI_DOUBLE, (own + n - 1) % n, 4, comm, &status);
  }
}

/* ------------------------------------------------------------------ one-sided calls */

struct window {
  MPI_Win win;
  int own, n;         /* rank in it and size */
  MPI_Aint* at;       /* of a dynamic one: where each rank's cells begin */
  double *cells, *to; /* what others see, what calls bring */
  int id;
  MPI_Comm with; /* freed with the window */
};

/* Whom the caller names in iteration i; -1: nobody. All but one are what a formula of the rank in the window says. */
static int target(const struct window* w, int way, int by, int i) {
  const int power = (w->n & (w->n - 1)) == 0;
  switch (way) {
    case 0:
      return by % w->n;
    case 1:
      return (w->own + by) % w->n;
    case 2:
      return (w->own + w->n - by % w->n) % w->n;
    case 3:
      return power && by < w->n ? w->own ^ by : w->own;
    case 4:
      return w->own + 1 < w->n ? w->own + 1 : -1;
    case 5:
      return w->n - 1 - w->own;
    case 6:
      return (w->own + by + i) % w->n;
    default:
      return (7 * w->own + by * by + 3) % w->n;
  }
}

static MPI_Aint place(const struct window* w, int there, int cell) {
  return w->at && there >= 0 ? w->at[there] + cell * (MPI_Aint)sizeof(double) : cell;
}

/* One call. Cells 0 to 15 are only read, 16 to 31 only added to, those from 32 on are each written by one rank. Returns
 * whether it made a request. */
static int transfer(const struct window* w, int what, int there, int with_request, MPI_Request* request) {
  const int rank_there = there < 0 ? MPI_PROC_NULL : there, put = 32 + w->own % 16;
  static long long one = 1, old, compare;
  double* to = w->to;
  switch (what % (with_request ? 10 : 7)) {
    case 0:
      MPI_Put(to, 1, MPI_DOUBLE, rank_there, place(w, there, put), 1, MPI_DOUBLE, w->win);
      break;
    case 1:
      MPI_Get(to + 8, 3, MPI_DOUBLE, rank_there, place(w, there, 2), 3, MPI_DOUBLE, w->win);
      break;
    case 2:
      MPI_Accumulate(to, 2, MPI_DOUBLE, rank_there, place(w, there, 16), 2, MPI_DOUBLE, MPI_SUM, w->win);
      break;
    case 3:
      MPI_Get_accumulate(to, 2, MPI_DOUBLE, to + 12, 2, MPI_DOUBLE, rank_there, place(w, there, 18), 2, MPI_DOUBLE,
                         MPI_SUM, w->win);
      break;
    case 4:
      MPI_Fetch_and_op(&one, &old, MPI_LONG_LONG, rank_there, place(w, there, 24), MPI_SUM, w->win);
      break;
    case 5:
      MPI_Compare_and_swap(&one, &compare, &old, MPI_LONG_LONG, rank_there, place(w, there, 26), w->win);
      break;
    case 6:
      MPI_Get(to + 8, 1, MPI_DOUBLE, rank_there, place(w, there, 0), 1, MPI_DOUBLE, w->win);
      break;
    case 7:
      MPI_Rput(to, 1, MPI_DOUBLE, rank_there, place(w, there, put), 1, MPI_DOUBLE, w->win, request);
      return 1;
    case 8:
      MPI_Rget(to + 8, 2, MPI_DOUBLE, rank_there, place(w, there, 4), 2, MPI_DOUBLE, w->win, request);
      return 1;
    default:
      MPI_Raccumulate(to, 1, MPI_DOUBLE, rank_there, place(w, there, 16), 1, MPI_DOUBLE, MPI_SUM, w->win, request);
      return 1;
  }
  return 0;
}

/* The ranks of the window that are so far away in both directions. */
static MPI_Group neighbours(const struct window* w, int by) {
  MPI_Group all, some;
  const int right = (w->own + by) % w->n, left = (w->own + w->n - by % w->n) % w->n;
  const int ranks[2] = {right, left};
  MPI_Win_get_group(w->win, &all);
  MPI_Group_incl(all, right == left ? 1 : 2, ranks, &some);
  MPI_Group_free(&all);
  return some;
}

/* An epoch of each kind. other: a communicator for collectives, not the window's. */
static void epoch(const struct window* w, MPI_Comm other) {
  const int kind = pick(EPOCHS), what = pick(100), way = pick(8), by = 1 + pick(3), trips = 1 + pick(4), who = pick(3),
            middle = pick(2);
  const int calls = who == 0 || (who == 1 && w->own % 2 == 0) || (who == 2 && w->own == 0);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  for (int i = 0; i < trips; i++) {
    if (middle) collective(other);
    if (w->win == MPI_WIN_NULL) continue;
    const int there = target(w, way, by, i);
    if (kind == 0) {
      MPI_Win_fence(0, w->win);
      if (calls) transfer(w, what, there, 0, &request);
      MPI_Win_fence(0, w->win);
    } else if (kind == 1) {
      if (calls && there >= 0) {
        MPI_Win_lock(i % 2 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, there, 0, w->win);
        if (transfer(w, what, there, 1, &request)) MPI_Wait(&request, &status);
        if (by == 2) MPI_Win_flush(there, w->win);
        if (by == 3) MPI_Win_flush_local(there, w->win);
        MPI_Win_unlock(there, w->win);
      }
    } else if (kind == 2) {
      MPI_Win_lock_all(0, w->win);
      if (calls && transfer(w, what, there, 1, &request)) MPI_Wait(&request, &status);
      if (by == 2)
        MPI_Win_flush_all(w->win);
      else if (there >= 0)
        MPI_Win_flush(there, w->win);
      MPI_Win_unlock_all(w->win);
    } else {
      MPI_Group group = neighbours(w, by);
      MPI_Win_post(group, 0, w->win);
      MPI_Win_start(group, 0, w->win);
      if (calls) transfer(w, what, (w->own + by) % w->n, 0, &request);
      MPI_Win_complete(w->win);
      MPI_Win_wait(w->win);
      MPI_Group_free(&group);
    }
  }
}

/* What makes the window out of its communicator. */
static struct window open_window(MPI_Comm comm, int kind, int id) {
  struct window w = {MPI_WIN_NULL, 0, 0, NULL, NULL, calloc(CELLS, sizeof(double)), id, MPI_COMM_NULL};
  const MPI_Aint bytes = CELLS * sizeof(double);
  if (comm == MPI_COMM_NULL) return w;
  MPI_Comm_rank(comm, &w.own);
  MPI_Comm_size(comm, &w.n);
  if (kind == 0 || kind == 3) w.cells = calloc(CELLS, sizeof(double));
  if (kind == 0) MPI_Win_create(w.cells, bytes, sizeof(double), MPI_INFO_NULL, comm, &w.win);
  if (kind == 1) MPI_Win_allocate(bytes, sizeof(double), MPI_INFO_NULL, comm, &w.cells, &w.win);
  if (kind == 2) {
    MPI_Aint all;
    int unit;
    double* first;
    MPI_Win_allocate_shared(bytes, sizeof(double), MPI_INFO_NULL, comm, &w.cells, &w.win);
    MPI_Win_shared_query(w.win, 0, &all, &unit, &first);
  }
  if (kind == 3) {
    MPI_Aint own;
    w.at = calloc((size_t)w.n, sizeof *w.at);
    MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &w.win);
    MPI_Win_attach(w.win, w.cells, bytes);
    MPI_Get_address(w.cells, &own);
    MPI_Allgather(&own, 1, MPI_AINT, w.at, 1, MPI_AINT, comm);
  }
  return w;
}

static void close_window(struct window* w) {
  if (w->at) MPI_Win_detach(w->win, w->cells);
  const int own_cells = w->at != NULL || w->id % 2;
  if (w->win != MPI_WIN_NULL) MPI_Win_free(&w->win);
  release(&w->with);
  if (own_cells) free(w->cells);
  free(w->at);
  free(w->to);
}

int main(int argc, char** argv) {
  static struct window open[MOST];
  int opened = 0;
  const int programs = argc > 2 ? atoi(argv[2]) : 10;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  state = 0x9e3779b97f4a7c15u * (uint64_t)((argc > 1 ? atoi(argv[1]) : 1) + 1);
  for (int i = 0; i < 20; i++) pick(2);
  for (int p = 0; p < programs && size <= MOST && programs <= MOST; p++) {
    const int kind = pick(4), freed = pick(3), lives = pick(3), epochs = 1 + pick(4);
    const int of = pick(12), variant = pick(3), other_of = pick(12), other_variant = pick(3);
    MPI_Comm other = make(other_of, other_variant), comm = make(of, variant);
    struct window w = open_window(comm, kind, 2 * p + (kind == 0));
    if (FREED_EARLY && freed == 0) release(&comm);
    for (int e = 0; e < epochs; e++) {
      collective(other);
      epoch(&w, other);
      if (FREED_EARLY && freed == 1 && e == 0) release(&comm);
    }
    if (!FREED_EARLY) w.with = comm, comm = MPI_COMM_NULL;
    if (lives && opened < MOST)
      open[opened++] = w;
    else
      close_window(&w);
    if (opened > 0) epoch(&open[pick(opened)], other); /* of a program before */
    release(&other);
    release(&comm);
  }
  while (opened > 0) close_window(&open[--opened]);
  if (rank == 0) printf("%d programs\n", programs);
  MPI_Finalize();
  return 0;
}
