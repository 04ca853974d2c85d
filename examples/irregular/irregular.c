/* What keeps real programs from being perfectly periodic, one kind at a time:
 *
 *   1 trips      a solver that iterates until it has converged, in each step another number of times
 *   2 counts     particles that move between ranks, in each step other numbers of them
 *   3 rare       a checkpoint every tenth step, and load balancing when chance asks for it
 *   4 neighbours partners that are drawn anew now and then, on each rank another number of them
 *   5 sizes      blocks that are cut a little differently in each step: all sizes within 1 % of each other
 *   6 roots      somebody else in each step who collects and hands out
 *   7 choices    one of several ways to share in each step, or none
 *
 *   mpiexec -n 2 ./irregular [KIND [STEPS [REGULAR]]]        default 1 400 0; any number of ranks
 *
 * With REGULAR 1 the same program does the same in every step: what its skeleton should be compared with.
 * Each kind checks that nothing was lost on the way: the sum over the ranks of what they hold does not change. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kCells = 256, kSend = 1, kBlock = 64, kLargest = 1010 };

static int rank, ranks, regular;

/* The same numbers on all ranks, 0 .. n - 1. */
static int draw(int n) {
  static unsigned long state = 12345;
  state = state * 6364136223846793005ul + 1442695040888963407ul;
  return (int)((state >> 33) % (unsigned long)n);
}

static void* allocate(size_t count, size_t size) {
  void* memory = calloc(count, size);
  if (!memory) {
    fprintf(stderr, "irregular: no memory for %zu elements\n", count);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

static double sum(const double* values, int n) {
  double total = 0;
  for (int i = 0; i < n; i++) total += values[i];
  return total;
}

/* Heat in a rod, from both ends' neighbours; repeated until the largest change is small. */
static double trips(int steps) {
  double *now = allocate(kCells + 2, sizeof *now), *next = allocate(kCells + 2, sizeof *next);
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  double lost = 0;
  for (int step = 0; step < steps; step++) {
    const double before = sum(now + 1, kCells);
    int place = draw(kCells * ranks);
    MPI_Bcast(&place, 1, MPI_INT, 0, MPI_COMM_WORLD); /* where it gets hot */
    const double source = place / kCells == rank ? 1 + step % 5 : 0;
    now[1 + place % kCells] += source;
    double change = 1, flow = 0;
    for (int i = 0; regular ? i < 8 : change > 0.05; i++) {
      MPI_Sendrecv(now + 1, 1, MPI_DOUBLE, left, 0, now + kCells + 1, 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      MPI_Sendrecv(now + kCells, 1, MPI_DOUBLE, right, 1, now, 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      if (left == MPI_PROC_NULL) now[0] = now[1];
      if (right == MPI_PROC_NULL) now[kCells + 1] = now[kCells];
      double largest = 0;
      for (int i = 1; i <= kCells; i++) {
        next[i] = now[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]);
        largest = fmax(largest, fabs(next[i] - now[i]));
      }
      flow += 0.25 * (now[0] - now[1] + now[kCells + 1] - now[kCells]);
      for (int i = 1; i <= kCells; i++) now[i] = next[i];
      MPI_Allreduce(&largest, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    lost += fabs(sum(now + 1, kCells) - before - source - flow);
  }
  free(now);
  free(next);
  return lost;
}

/* Particles are numbers; in each step every rank deals some of its own out to all. */
static double counts(int steps) {
  int *give = allocate(ranks, sizeof(int)), *take = allocate(ranks, sizeof(int));
  int *from = allocate(ranks, sizeof(int)), *to = allocate(ranks, sizeof(int));
  const int most = 4 * kBlock * ranks;
  double *own = allocate(most, sizeof *own), *arriving = allocate(most, sizeof *arriving);
  int owned = kBlock;
  for (int i = 0; i < owned; i++) own[i] = rank + 1;
  const double begin = ranks * (ranks + 1) / 2.0 * kBlock;
  double total = 0;
  for (int step = 0; step < steps; step++) {
    int left = owned;
    for (int r = 0; r < ranks; r++) {
      give[r] = r == ranks - 1 ? left : regular ? owned / ranks : draw(left / 2 + 1);
      from[r] = owned - left;
      left -= give[r];
    }
    MPI_Alltoall(give, 1, MPI_INT, take, 1, MPI_INT, MPI_COMM_WORLD);
    owned = 0;
    for (int r = 0; r < ranks; r++) {
      to[r] = owned;
      owned += take[r];
    }
    MPI_Alltoallv(own, give, from, MPI_DOUBLE, arriving, take, to, MPI_DOUBLE, MPI_COMM_WORLD);
    double* swap = own;
    own = arriving;
    arriving = swap;
  }
  double mine = sum(own, owned);
  MPI_Allreduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  free(give);
  free(take);
  free(from);
  free(to);
  free(own);
  free(arriving);
  return fabs(total - begin);
}

/* A ring of shifts, with a call now and then that most steps do not make. */
static double rare(int steps) {
  double *block = allocate(kBlock, sizeof *block), *arriving = allocate(kBlock, sizeof *arriving);
  double* all = allocate((size_t)kBlock * ranks, sizeof *all);
  for (int i = 0; i < kBlock; i++) block[i] = rank + 1;
  const double begin = ranks * (ranks + 1) / 2.0 * kBlock;
  double lost = 0;
  for (int step = 1; step <= steps; step++) {
    MPI_Sendrecv(block, kBlock, MPI_DOUBLE, (rank + 1) % ranks, 0, arriving, kBlock, MPI_DOUBLE,
                 (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < kBlock; i++) block[i] = arriving[i];
    MPI_Barrier(MPI_COMM_WORLD);
    if (regular || draw(7) == 0) { /* everybody gets the mean of each cell */
      MPI_Allreduce(block, arriving, kBlock, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      for (int i = 0; i < kBlock; i++) block[i] = arriving[i] / ranks;
    }
    if (regular || step % 10 == 0) {
      MPI_Gather(block, kBlock, MPI_DOUBLE, all, kBlock, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      if (rank == 0) lost += fabs(sum(all, kBlock * ranks) - begin);
    }
  }
  free(block);
  free(arriving);
  free(all);
  return lost;
}

/* All ranks draw the same pairs, and each keeps those that it is in. In a regular program everybody keeps both sides. */
static double neighbours(int steps) {
  int* partner = allocate(4 * ranks, sizeof(int)); /* of at most 2 ranks pairs, and a pair may be drawn again */
  double *out = allocate((size_t)4 * ranks * kSend, sizeof *out), *in = allocate((size_t)4 * ranks * kSend, sizeof *in);
  MPI_Request* request = allocate(8 * ranks, sizeof *request);
  MPI_Status* status = allocate(8 * ranks, sizeof *status);
  int partners = 0, until_new = 0;
  double own = rank + 1, total = 0;
  for (int step = 0; step < steps; step++) {
    if (regular && step == 0) {
      partner[partners++] = (rank + 1) % ranks;
      partner[partners++] = (rank + ranks - 1) % ranks;
    }
    if (!regular && until_new-- == 0) {
      until_new = 3 + draw(6);
      partners = 0;
      for (int pair = draw(2 * ranks); pair >= 0; pair--) {
        const int one = draw(ranks), other = draw(ranks);
        if (one != other && one == rank) partner[partners++] = other;
        if (one != other && other == rank) partner[partners++] = one;
      }
    }
    for (int p = 0; p < partners; p++)
      MPI_Irecv(in + p * kSend, kSend, MPI_DOUBLE, partner[p], 0, MPI_COMM_WORLD, &request[p]);
    for (int p = 0; p < partners; p++) {
      out[p * kSend] = own / (2 * partners);
      MPI_Isend(out + p * kSend, kSend, MPI_DOUBLE, partner[p], 0, MPI_COMM_WORLD, &request[partners + p]);
    }
    MPI_Waitall(2 * partners, request, status);
    if (partners > 0) own = own / 2 + sum(in, partners);
  }
  MPI_Allreduce(&own, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  free(partner);
  free(out);
  free(in);
  free(request);
  free(status);
  return fabs(total - ranks * (ranks + 1) / 2.0);
}

/* Every rank hands what it has to the next one, in blocks of some thousand cells, and works on it. */
static double sizes(int steps) {
  double *block = allocate(kLargest, sizeof *block), *arriving = allocate(kLargest, sizeof *arriving);
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  double own = rank + 1, total = 0;
  for (int step = 0; step < steps; step++) {
    int give = 0, take = 0;
    for (int r = 0; r < ranks; r++) {
      const int size = kLargest - draw(11);
      if (r == rank) give = regular ? kLargest : size;
      if (r == left) take = regular ? kLargest : size;
    }
    for (int i = 0; i < give; i++) block[i] = own / give;
    for (int pass = 0; pass < 50; pass++)
      for (int i = pass % 2; i + 1 < give; i += 2) block[i] = block[i + 1] = (block[i] + block[i + 1]) / 2;
    MPI_Sendrecv(block, give, MPI_DOUBLE, right, 0, arriving, take, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    own = sum(arriving, take);
    MPI_Allreduce(&own, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  free(block);
  free(arriving);
  return fabs(total - ranks * (ranks + 1) / 2.0);
}

/* Everybody gives half of what it has to whoever is drawn, who shares it out. */
static double roots(int steps) {
  double own = rank + 1, total = 0;
  for (int step = 0; step < steps; step++) {
    const int root = regular ? 0 : draw(ranks);
    double give = own / 2, pot = 0;
    MPI_Reduce(&give, &pot, 1, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
    MPI_Bcast(&pot, 1, MPI_DOUBLE, root, MPI_COMM_WORLD);
    own = own / 2 + pot / ranks;
  }
  MPI_Allreduce(&own, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return fabs(total - ranks * (ranks + 1) / 2.0);
}

/* What the ranks have is mixed in the way that chance chooses, now and then not at all. */
static double choices(int steps) {
  double *out = allocate(ranks, sizeof *out), *in = allocate(ranks, sizeof *in);
  double own = rank + 1, total = 0;
  for (int step = 0; step < steps; step++) {
    switch (regular ? 0 : draw(5)) {
      case 0: /* the mean */
        MPI_Allreduce(&own, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        own = total / ranks;
        break;
      case 1: /* what the next but one has */
        MPI_Allgather(&own, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, MPI_COMM_WORLD);
        own = in[(rank + 2) % ranks];
        break;
      case 2: /* something of everybody */
        for (int r = 0; r < ranks; r++) out[r] = own * (r + 1) / (ranks * (ranks + 1) / 2.0);
        MPI_Alltoall(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, MPI_COMM_WORLD);
        own = sum(in, ranks);
        break;
      case 3: /* what the left one has */
        MPI_Sendrecv(&own, 1, MPI_DOUBLE, (rank + 1) % ranks, 0, in, 1, MPI_DOUBLE, (rank + ranks - 1) % ranks, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        own = in[0];
        break;
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Allreduce(&own, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  free(out);
  free(in);
  return fabs(total - ranks * (ranks + 1) / 2.0);
}

int main(int argc, char** argv) {
  static double (*const kinds[])(int) = {trips, counts, rare, neighbours, sizes, roots, choices};
  static const char* const names[] = {"trips", "counts", "rare", "neighbours", "sizes", "roots", "choices"};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int kind = argc > 1 ? atoi(argv[1]) : 1;
  const int steps = argc > 2 ? atoi(argv[2]) : 400;
  regular = argc > 3 && atoi(argv[3]);
  if (kind < 1 || kind > 7 || steps < 1) {
    if (rank == 0)
      fprintf(stderr,
              "usage: irregular [KIND [STEPS [REGULAR]]], KIND 1 trips, 2 counts, 3 rare, 4 neighbours, 5 sizes, "
              "6 roots, 7 choices\n");
    MPI_Finalize();
    return 2;
  }
  const double lost = kinds[kind - 1](steps);
  double most = 0;
  MPI_Allreduce(&lost, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const int wrong = !(most < 1e-6);
  if (rank == 0) printf("irregular: %s, %d steps, lost %.1e%s\n", names[kind - 1], steps, most, wrong ? ": WRONG" : "");
  MPI_Finalize();
  return wrong;
}
