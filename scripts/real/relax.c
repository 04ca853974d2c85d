/* relax [STEPS]: two OpenMP threads smooth a grid; with -DMPI each rank has one, and they agree on the change after each step. For
 * scripts/threads-study. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef MPI
#include <mpi.h>
#endif

enum { SIDE = 800 };

static double now[SIDE][SIDE], next[SIDE][SIDE];

int main(int argc, char** argv) {
  int rank = 0;
#ifdef MPI
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
  const int steps = argc > 1 ? atoi(argv[1]) : 400;
  double change = 0;
  for (int i = 0; i < SIDE; i++) now[i][0] = i + rank;
  for (int step = 0; step < steps; step++) {
    change = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp for reduction(max : change)
      for (int i = 1; i < SIDE - 1; i++)
        for (int k = 1; k < SIDE - 1; k++) {
          next[i][k] = 0.25 * (now[i - 1][k] + now[i + 1][k] + now[i][k - 1] + now[i][k + 1]);
          change = fmax(change, fabs(next[i][k] - now[i][k]));
        }
#pragma omp for
      for (int i = 1; i < SIDE - 1; i++)
        for (int k = 1; k < SIDE - 1; k++) now[i][k] = next[i][k];
    }
#ifdef MPI
    MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
#endif
  }
  if (rank == 0) printf("%.12g\n", change);
#ifdef MPI
  MPI_Finalize();
#endif
  return 0;
}
