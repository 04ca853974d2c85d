/* ns per call of a few MPI functions, two ranks: bench_capture [CALLS]. Rank 0 prints one line of numbers in the order
 * of capture.sh. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double ns_since(double start, int calls) { return (MPI_Wtime() - start) / calls * 1e9; }

int main(int argc, char** argv) {
  int rank, unused, flag;
  char in[8], out[8] = {0};
  MPI_Request none = MPI_REQUEST_NULL, requests[2];
  MPI_Status statuses[2];
  double result[5];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int calls = argc > 1 ? atoi(argv[1]) : 100000, other = 1 - rank;

  double start = MPI_Wtime();
  for (int i = 0; i < calls; i++) MPI_Comm_rank(MPI_COMM_WORLD, &unused);
  result[0] = ns_since(start, calls);

  start = MPI_Wtime();
  for (int i = 0; i < calls; i++) MPI_Test(&none, &flag, MPI_STATUS_IGNORE);
  result[1] = ns_since(start, calls);

  start = MPI_Wtime();
  for (int i = 0; i < calls; i++) MPI_Iprobe(other, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  result[2] = ns_since(start, calls);

  MPI_Barrier(MPI_COMM_WORLD);
  start = MPI_Wtime();
  for (int i = 0; i < calls; i++) {
    if (rank == 0) MPI_Send(out, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    MPI_Recv(in, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(out, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD);
  }
  result[3] = ns_since(start, 2 * calls);

  MPI_Barrier(MPI_COMM_WORLD);
  start = MPI_Wtime();
  for (int i = 0; i < calls; i++) {
    MPI_Irecv(in, 8, MPI_BYTE, other, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 8, MPI_BYTE, other, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
  }
  result[4] = ns_since(start, calls);

  if (rank == 0) printf("%.1f %.1f %.1f %.1f %.1f\n", result[0], result[1], result[2], result[3], result[4]);
  MPI_Finalize();
  return 0;
}
