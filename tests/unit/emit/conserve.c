/* conserve CALLS SECONDS: spends SECONDS in CALLS calls of skel_compute; prints the time that it took divided by what
 * was asked for. */
#include <stdio.h>
#include <stdlib.h>

#include "skel.h"

int main(int argc, char** argv) {
  static const struct skel_phase phases[] = {{"whole run", 0, 1, 1}};
  static const size_t bytes[] = {100};
  static const struct skel_machine machines[] = {{4 << 20, 0, 0}};
  static const struct skel_program program = {1, 1, 1, phases, 1, 1, bytes, 1, machines};
  skel_start(argc, argv);
  MPI_Init(&argc, &argv);
  skel_init(&program);
  const long calls = atol(argv[1]);
  const double each = atof(argv[2]) / (double)calls;
  const double begin = PMPI_Wtime();
  for (long i = 0; i < calls; i++) skel_compute(each);
  printf("%.6f\n", (PMPI_Wtime() - begin) / ((double)calls * each));
  MPI_Finalize();
  return 0;
}
