/* Calls of every rank in turns of 32 messages around a ring, and now and then a collective: what a program with many short messages does. Prints
 * seconds between two barriers, and how many calls a rank made there. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMessages = 32, kBytes = 8 };

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1000;
  static char out[kMessages][kBytes], in[kMessages][kBytes];
  MPI_Request requests[2 * kMessages];
  int rank, size;
  double sum = 0, one = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < kMessages; i++)
      MPI_Irecv(in[i], kBytes, MPI_BYTE, (rank + size - 1) % size, i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < kMessages; i++)
      MPI_Isend(out[i], kBytes, MPI_BYTE, (rank + 1) % size, i, MPI_COMM_WORLD, &requests[kMessages + i]);
    MPI_Waitall(2 * kMessages, requests, MPI_STATUSES_IGNORE);
    if (round % 10 == 0) MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double took = MPI_Wtime() - begin;
  if (rank == 0) printf("%.6f %d\n", took, rounds * (2 * kMessages + 1) + (rounds + 9) / 10);
  return MPI_Finalize();
}
