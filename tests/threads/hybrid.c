/* Two OpenMP threads in each rank: the first one waits for the second, which sleeps 20 ms in each region. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, provided;
  long sum = 0, all = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < 3; round++) {
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 10; i++) {
      sum += i + rank;
      if (i == 9 && omp_get_thread_num() > 0) usleep(20000);
    }
    MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("%ld\n", all);
  MPI_Finalize();
  return 0;
}
