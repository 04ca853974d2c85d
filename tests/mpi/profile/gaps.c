/* Between its calls: k * 1000 multiplications before the k-th MPI_Barrier; a message that the other rank sums up. */
#include <mpi.h>

static volatile double factor = 1.0000001, result;

static void multiply(int n) {
  double value = 1;
  for (int i = 0; i < n; i++) value *= factor;
  result = value;
}

int main(int argc, char** argv) {
  int rank;
  double given = 1, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int k = 1; k <= 5; k++) {
    multiply(k * 1000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Allreduce(&given, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
