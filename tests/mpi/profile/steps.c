/* Many steps with a loop inside, as many as its argument says. */
#include <mpi.h>
#include <stdlib.h>

static volatile double factor = 1.0000001, result;

static void multiply(int n) {
  double value = 1;
  for (int i = 0; i < n; i++) value *= factor;
  result = value;
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 1000;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < steps; i++) {
    multiply(50000);
    for (int j = 0; j < 4; j++) {
      MPI_Barrier(MPI_COMM_WORLD);
      multiply(10000);
    }
    double given = 1, sum;
    MPI_Allreduce(&given, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
