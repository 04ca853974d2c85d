/* shared SECONDS [cpu]: all ranks spend SECONDS of computation at once; prints the sum of what they had of processors. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "skel.h"

static double processor(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char** argv) {
  static const struct skel_phase phases[] = {{"whole run", 0, 1, 0, 1, 1, 0, -1}};
  static const size_t bytes[] = {100};
  static const struct skel_machine machines[] = {{0, 0, 0, NULL}};
  const struct skel_program program = {.ranks = 3,
                                       .scale = 1,
                                       .phases = 1,
                                       .phase = phases,
                                       .buffers = 1,
                                       .buffer_rows = 1,
                                       .buffer_bytes = bytes,
                                       .cpu_time = argc > 2,
                                       .machine_rows = 1,
                                       .machine = machines};
  skel_start(1, argv);
  MPI_Init(&argc, &argv);
  skel_init(&program);
  PMPI_Barrier(MPI_COMM_WORLD);
  const double begin = processor();
  skel_compute(atof(argv[1]));
  double mine = processor() - begin, sum = 0;
  PMPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.6f\n", sum);
  MPI_Finalize();
  return 0;
}
