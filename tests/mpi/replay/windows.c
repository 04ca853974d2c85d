/* Ranks of a window are those of no other communicator: of one that was used last, of one that is gone. At most 25 statements.
 * Runs with three eager limits. */
#include <mpi.h>

int main(int argc, char** argv) {
  double own[4] = {0}, got[4];
  int rank, size, back;
  MPI_Comm row, backwards;
  MPI_Win world, turned;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_create(own, sizeof own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &world);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
  MPI_Win_create(own, sizeof own, sizeof *own, MPI_INFO_NULL, backwards, &turned);
  MPI_Comm_rank(backwards, &back);
  MPI_Comm_free(&backwards);
  for (int i = 0; i < 5; i++) {
    MPI_Allreduce(own, got, 2, MPI_DOUBLE, MPI_SUM, row);
    MPI_Win_fence(0, world);
    MPI_Get(got, 2, MPI_DOUBLE, (rank + 1) % size, 0, 2, MPI_DOUBLE, world);
    MPI_Win_fence(0, world);
    MPI_Win_lock(MPI_LOCK_SHARED, (back + 1) % size, 0, turned);
    MPI_Get(got + 2, 1, MPI_DOUBLE, (back + 1) % size, 3, 1, MPI_DOUBLE, turned);
    MPI_Win_unlock((back + 1) % size, turned);
  }
  MPI_Comm_free(&row);
  MPI_Win_fence(0, turned);
  MPI_Get(got, 1, MPI_DOUBLE, back ^ 1, 0, 1, MPI_DOUBLE, turned);
  MPI_Win_fence(0, turned);
  MPI_Win_free(&turned);
  MPI_Win_free(&world);
  MPI_Finalize();
  return 0;
}
