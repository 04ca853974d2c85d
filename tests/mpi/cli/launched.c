/* launched N: N exchanges between neighbours; every rank says who it is and what it finds in its environment.
 * SLEEP: seconds between MPI_Init and the first of them. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  const char* const set = getenv("LAUNCHED_BY");
  int rank, size, value = 0;
  MPI_Init(&argc, &argv);
  if (getenv("SLEEP")) sleep((unsigned)atoi(getenv("SLEEP")));
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < rounds; i++)
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &value, 1, MPI_INT, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("%d of %d after %d, %d rounds, %s\n", rank, size, value, rounds, set ? set : "-");
  MPI_Finalize();
  return rounds % 10 == 7 ? 7 : 0;
}
