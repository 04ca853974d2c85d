// bottlenecks slow|late|places|chain|collective: four ranks, one thing that makes the run long. Computation is sleep, so that
// ranks that share cores do not disturb each other.
#include <mpi.h>
#include <string.h>
#include <time.h>

enum { kTurns = 8 };

static void compute(int milliseconds) {
  const struct timespec time = {0, milliseconds * 1000000L};
  nanosleep(&time, NULL);
}

static void slow_sum(void* in, void* out, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)out)[i] += ((int*)in)[i];
  compute(15);
}

int main(int argc, char** argv) {
  int rank, size, value = 1, sum;
  MPI_Op op;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Op_create(slow_sum, 1, &op);
  const char* what = argc > 1 ? argv[1] : "";
  for (int turn = 0; turn < kTurns; ++turn) {
    if (strcmp(what, "slow") == 0) {  // rank 2 has four times as much to compute
      compute(rank == 2 ? 40 : 10);
      MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    } else if (strcmp(what, "late") == 0) {  // rank 0 could send before it computes
      if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      compute(rank == 0 ? 30 : 5);
      if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (strcmp(what, "places") == 0) {  // the same, received in two places
      if (rank == 1 && turn != 3) MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank == 1 && turn == 3) MPI_Recv(&sum, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      compute(rank == 0 ? 30 : 5);
      if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (strcmp(what, "chain") == 0) {  // one after the other
      if (rank > 0) MPI_Recv(&value, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      compute(15);
      if (rank + 1 < size) MPI_Send(&value, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
      MPI_Barrier(MPI_COMM_WORLD);
    } else {  // the collective itself is slow
      compute(10);
      MPI_Allreduce(&value, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    }
  }
  MPI_Op_free(&op);
  MPI_Finalize();
  return 0;
}
