/* threads [STEPS]: eight OpenMP threads of each rank exchange with the same thread of the next rank, all at once, for scripts/real-programs. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 8, CELLS = 2000 };

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 100;
  static double out[THREADS][CELLS], in[THREADS][CELLS];
  double sum = 0;
  int provided, rank, size;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (provided < MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 1);
#pragma omp parallel num_threads(THREADS) reduction(+ : sum)
  {
    const int me = omp_get_thread_num();
    for (int step = 0; step < steps; step++) {
      MPI_Request requests[2];
      MPI_Status statuses[2];
      for (int i = 0; i < CELLS; i++) out[me][i] = 0.5 * in[me][i] + rank + me;
      MPI_Irecv(in[me], CELLS, MPI_DOUBLE, (rank + size - 1) % size, me, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(out[me], CELLS, MPI_DOUBLE, (rank + 1) % size, me, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests, statuses);
      sum += in[me][step % CELLS];
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d threads, %d steps, sum %g\n", THREADS, steps, sum);
  MPI_Finalize();
  return 0;
}
