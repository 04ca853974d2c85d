/* Multiplies and divides at places that can be told apart; one loop runs as long as the time allows. */
#include <mpi.h>

static volatile double factor = 1.0000001, result;

static void multiply(int n) {
  double value = 1;
  for (int i = 0; i < n; i++) value *= factor;
  result = value;
}

static void divide(int n) {
  double value = 1;
  for (int i = 0; i < n; i++) value /= factor;
  result = value;
}

int main(int argc, char** argv) {
  int rank, goes_on = 1;
  double given = 1, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 20; i++) {
    multiply((rank + 1) * 100000);
    MPI_Allreduce(&given, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    divide(50000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (const double begin = MPI_Wtime(); goes_on;) {
    multiply(30000);
    if (rank == 0) goes_on = MPI_Wtime() - begin < 0.1;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  divide(70000);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
