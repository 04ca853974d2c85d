/* planned PATTERN TABLE: computes what the table says: a line for each step of an iteration, a column for each rank, in microseconds. Computation is told
 * to SMPI in operations, or is sleep, so that ranks that share cores do not disturb each other.
 * Each rank prints when it left MPI_Init and when it came to MPI_Finalize.
 *
 *   allreduce   steps: 1   all meet
 *   rooted      steps: 2   a root gives to all, all give to it
 *   scatter     steps: 2   as rooted, the root computes between
 *   ring        steps: 1   everybody sends to the next one (MPI_Sendrecv)
 *   halo        steps: 2   non-blocking exchange with both neighbours while it computes
 *   chain       steps: 1   the next one computes with what it gets
 *   pairs       steps: 2   synchronous sends between neighbours
 *   workers     steps: 2   rank 0 gives work to each of the others and gets it back
 *   large       steps: 1   large blocking sends to the next one, even ranks first
 *   halves      steps: 2   all of a half meet, then all */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kMostSteps = 4096, kMostRanks = 16, kSmall = 64, kLarge = 1 << 18 };

static double table[kMostSteps][kMostRanks];
static int steps, rank, size, next, before, done;
static char out[2][kLarge], in[2][kLarge];
static MPI_Status status[4];
static MPI_Comm half;

static void read_table(const char* name, int ranks) {
  FILE* const file = fopen(name, "r");
  while (file && steps < kMostSteps && fscanf(file, "%lf", &table[steps][0]) == 1) {
    for (int r = 1; r < ranks; ++r)
      if (fscanf(file, "%lf", &table[steps][r]) != 1) table[steps][r] = 0;
    ++steps;
  }
  if (file) fclose(file);
}

#ifndef SMPI
/* Ranks that wait yield: they sleep for a moment instead, so that those that compute, which is to sleep here, wake in time. */
__attribute__((visibility("default"))) int sched_yield(void) {
  const struct timespec moment = {0, 20000};
  return nanosleep(&moment, NULL);
}
#endif

/* The next step. */
static void compute(void) {
  const double microseconds = done < steps ? table[done][rank] : 0;
  ++done;
#ifdef SMPI
  smpi_execute_flops_benched(1e3 * microseconds);
#else
  const struct timespec time = {(time_t)(microseconds / 1e6), (long)(1e3 * microseconds) % 1000000000L};
  if (microseconds > 0) nanosleep(&time, NULL);
#endif
}

static void all_meet(MPI_Comm comm) {
  int mine = rank, all;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm);
}

static void allreduce(void) {
  compute();
  all_meet(MPI_COMM_WORLD);
}

static void rooted(void) {
  int mine = rank, all;
  compute();
  MPI_Bcast(out[0], kSmall, MPI_CHAR, 0, MPI_COMM_WORLD);
  compute();
  MPI_Reduce(&mine, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void scatter(void) {
  compute();
  MPI_Gather(out[0], kSmall, MPI_CHAR, in[0], kSmall, MPI_CHAR, 0, MPI_COMM_WORLD);
  compute();
  MPI_Scatter(in[0], kSmall, MPI_CHAR, out[0], kSmall, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void ring(void) {
  compute();
  MPI_Sendrecv(out[0], kSmall, MPI_CHAR, next, 1, in[0], kSmall, MPI_CHAR, before, 1, MPI_COMM_WORLD, status);
}

static void halo(void) {
  MPI_Request request[4];
  MPI_Irecv(in[0], kSmall, MPI_CHAR, before, 1, MPI_COMM_WORLD, &request[0]);
  MPI_Irecv(in[1], kSmall, MPI_CHAR, next, 2, MPI_COMM_WORLD, &request[1]);
  MPI_Isend(out[0], kSmall, MPI_CHAR, next, 1, MPI_COMM_WORLD, &request[2]);
  MPI_Isend(out[1], kSmall, MPI_CHAR, before, 2, MPI_COMM_WORLD, &request[3]);
  compute();
  MPI_Waitall(4, request, status);
  compute();
}

static void chain(void) {
  if (rank > 0) MPI_Recv(in[0], kSmall, MPI_CHAR, rank - 1, 1, MPI_COMM_WORLD, status);
  compute();
  if (rank + 1 < size) MPI_Send(out[0], kSmall, MPI_CHAR, rank + 1, 1, MPI_COMM_WORLD);
}

static void pairs(void) {
  const int partner = rank ^ 1;
  compute();
  if (rank % 2 == 0 && partner < size) MPI_Ssend(out[0], kSmall, MPI_CHAR, partner, 1, MPI_COMM_WORLD);
  if (rank % 2 == 1) MPI_Recv(in[0], kSmall, MPI_CHAR, partner, 1, MPI_COMM_WORLD, status);
  compute();
  if (rank % 2 == 1 && rank + 1 < size) MPI_Ssend(out[0], kSmall, MPI_CHAR, rank + 1, 2, MPI_COMM_WORLD);
  if (rank % 2 == 0 && rank > 0) MPI_Recv(in[0], kSmall, MPI_CHAR, rank - 1, 2, MPI_COMM_WORLD, status);
}

static void workers(void) {
  compute();
  for (int r = 1; r < size; ++r) {
    if (rank == 0) MPI_Send(out[0], kSmall, MPI_CHAR, r, 1, MPI_COMM_WORLD);
    if (rank == r) MPI_Recv(in[0], kSmall, MPI_CHAR, 0, 1, MPI_COMM_WORLD, status);
  }
  compute();
  for (int r = 1; r < size; ++r) {
    if (rank == r) MPI_Send(out[0], kSmall, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(in[0], kSmall, MPI_CHAR, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, status);
  }
}

static void large(void) {
  compute();
  for (int turn = 0; turn < 2; ++turn) {
    if (rank % 2 == turn)
      MPI_Send(out[0], kLarge, MPI_CHAR, next, 1, MPI_COMM_WORLD);
    else
      MPI_Recv(in[0], kLarge, MPI_CHAR, before, 1, MPI_COMM_WORLD, status);
  }
}

static void halves(void) {
  compute();
  all_meet(half);
  compute();
  all_meet(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } patterns[] = {{"allreduce", allreduce}, {"rooted", rooted}, {"scatter", scatter}, {"ring", ring},
                  {"halo", halo},           {"chain", chain},   {"pairs", pairs},     {"workers", workers},
                  {"large", large},         {"halves", halves}};
  void (*run)(void) = NULL;
  for (size_t i = 0; argc == 3 && i < sizeof patterns / sizeof *patterns; ++i)
    if (strcmp(argv[1], patterns[i].name) == 0) run = patterns[i].run;
  MPI_Init(&argc, &argv);
  const double begin = MPI_Wtime();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  before = (rank + size - 1) % size;
  MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2, rank, &half);
  if (run) read_table(argv[2], size);
  while (run && done < steps) run();
  MPI_Comm_free(&half);
  const double end = MPI_Wtime();
  MPI_Finalize();
  printf("%.9f %.9f\n", begin, end);
  return run ? 0 : 2;
}
