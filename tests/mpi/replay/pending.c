/* Exchanges with a datatype per rank that go on while others are begun: Open MPI looks at the lists of datatypes when they end. */
#include <mpi.h>

enum { N = 64, MOST = 8, PENDING = 3, STEPS = 30 };

static double in[2 * PENDING][MOST * N], out[MOST * N];
static int one[MOST], places[MOST];

/* Blocks of 1 + `longer` doubles for every rank. */
static void blocks(int n, int longer, MPI_Datatype* types) {
  MPI_Type_contiguous(1 + longer, MPI_DOUBLE, &types[0]);
  MPI_Type_commit(&types[0]);
  for (int i = 1; i < n; i++) types[i] = types[0];
}

int main(int argc, char** argv) {
  MPI_Datatype types[PENDING][MOST], pairs[MOST];
  MPI_Request requests[PENDING + 1];
  MPI_Status statuses[PENDING + 1];
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < size; i++) one[i] = 1, places[i] = i * N * (int)sizeof(double);
  MPI_Type_vector(2, 1, 3, MPI_DOUBLE, &pairs[0]);
  MPI_Type_commit(&pairs[0]);
  for (int i = 1; i < size; i++) pairs[i] = pairs[0];
  for (int step = 0; step < STEPS; step++) {
    for (int p = 0; p < PENDING; p++) blocks(size, p, types[p]);
    for (int p = 0; p < PENDING; p++)
      MPI_Ialltoallw(out, one, places, types[p], in[p], one, places, types[p], MPI_COMM_WORLD, &requests[p]);
    if (rank % 2)
      MPI_Ialltoallw(out, one, places, pairs, in[PENDING], one, places, pairs, MPI_COMM_WORLD, &requests[PENDING]);
    else
      MPI_Ialltoallw(out, one, places, pairs, in[PENDING + 1], one, places, pairs, MPI_COMM_WORLD, &requests[PENDING]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Waitall(PENDING + 1, requests, statuses);
    for (int p = 0; p < PENDING; p++) MPI_Type_free(&types[p][0]);
  }
  MPI_Type_free(&pairs[0]);
  MPI_Finalize();
  return 0;
}
