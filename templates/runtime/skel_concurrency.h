/* How much of the ranks' time is computation where the skeleton runs: part of skel.c. Counted from the end of MPI_Init on,
 * each phase as often as it counts; of programs with several threads per rank it is not. */
#include "skel.h"

#ifndef SKEL_THREADS
static struct {                 /* seconds */
  double mean, most, deviation; /* of the ranks' computation: the mean distance from their mean */
  double mean_of_all, longest;  /* of their time */
} balance;
static struct
{ /* at rank 0, of each rank, phase by phase, as often as it counts: its time, the part that was computation */
  double *seconds, *computing;
} of_ranks;

static void count_computing(double seconds) {
  double mine[2] = {timer.computing, seconds}, sum[2], most[2];
  reduce_for_all(mine, sum, 2, MPI_DOUBLE, MPI_SUM);
  reduce_for_all(mine, most, 2, MPI_DOUBLE, MPI_MAX);
  balance.mean = sum[0] / size;
  balance.most = most[0];
  balance.mean_of_all = sum[1] / size;
  balance.longest = most[1];
  const double distance = mine[0] > balance.mean ? mine[0] - balance.mean : balance.mean - mine[0];
  reduce_for_all(&distance, &balance.deviation, 1, MPI_DOUBLE, MPI_SUM);
  balance.deviation /= size;
  if (!per_rank) return;
  const int phases = program->phases;
  if (rank == 0) {
    of_ranks.seconds = zeroed((size_t)size * (size_t)phases, sizeof(double));
    of_ranks.computing = zeroed((size_t)size * (size_t)phases, sizeof(double));
  }
  PMPI_Gather(timer.counted, phases, MPI_DOUBLE, of_ranks.seconds, phases, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  PMPI_Gather(timer.computing_in, phases, MPI_DOUBLE, of_ranks.computing, phases, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

/* A list of each rank's phases. */
static void write_ranks(FILE* out, const char* name, const double* of) {
  fprintf(out, "\"%s\": [", name);
  for (int r = 0; r < size; r++)
    for (int i = 0; i < program->phases; i++)
      fprintf(out, "%s%.12g%s",
              i   ? ", "
              : r ? ", ["
                  : "[",
              of[r * program->phases + i], i + 1 < program->phases ? "" : "]");
  fprintf(out, "]");
}

static void write_computing(FILE* out) {
  fprintf(out,
          " \"computing\": {\"mean_s\": %.9g, \"most_s\": %.9g, \"deviation_s\": %.9g, \"mean_of_all_s\": %.9g, "
          "\"longest_s\": %.9g},\n",
          balance.mean, balance.most, balance.deviation, balance.mean_of_all, balance.longest);
  if (!per_rank) return;
  fprintf(out, " \"per_rank\": {");
  write_ranks(out, "seconds", of_ranks.seconds);
  fprintf(out, ",\n  ");
  write_ranks(out, "computing_s", of_ranks.computing);
  fprintf(out, "},\n");
}
#else
static void count_computing(double seconds) { (void)seconds; }
static void write_computing(FILE* out) { (void)out; }
#endif
