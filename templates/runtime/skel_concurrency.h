/* How much of the ranks' time is computation where the skeleton runs: part of skel.c. Counted from the end of MPI_Init on,
 * each phase as often as it counts; of programs with several threads per rank it is not. */
#include "skel.h"

#ifndef SKEL_THREADS
static struct {                 /* seconds */
  double mean, most, deviation; /* of the ranks' computation: the mean distance from their mean */
  double mean_of_all, longest;  /* of their time */
} balance;

static void count_computing(double seconds) {
  double mine[2] = {timer.computing, seconds}, sum[2], most[2];
  PMPI_Allreduce(mine, sum, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  PMPI_Allreduce(mine, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  balance.mean = sum[0] / size;
  balance.most = most[0];
  balance.mean_of_all = sum[1] / size;
  balance.longest = most[1];
  const double distance = mine[0] > balance.mean ? mine[0] - balance.mean : balance.mean - mine[0];
  PMPI_Allreduce(&distance, &balance.deviation, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  balance.deviation /= size;
}

static void write_computing(FILE* out) {
  fprintf(out,
          " \"computing\": {\"mean_s\": %.9g, \"most_s\": %.9g, \"deviation_s\": %.9g, \"mean_of_all_s\": %.9g, "
          "\"longest_s\": %.9g},\n",
          balance.mean, balance.most, balance.deviation, balance.mean_of_all, balance.longest);
}
#else
static void count_computing(double seconds) { (void)seconds; }
static void write_computing(FILE* out) { (void)out; }
#endif
