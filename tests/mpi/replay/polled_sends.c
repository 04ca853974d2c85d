/* Sends whose tests find them complete before anybody receives, where the MPI buffers messages; where it does not, the program goes on
 * after a while and completes them later. So does its skeleton: its tests go on.
 * Runs with three eager limits. */
#include <mpi.h>

enum { N = 500, STEPS = 20, PATIENCE = 10000, BURST = 5 };

static int out[3][N], in[N];
static MPI_Request persistent;

/* Every way to ask whether sends are over. */
static int over(int way, MPI_Request* sent) {
  MPI_Status statuses[3];
  int flag = 0, index, indices[3], n = 0;
  switch (way) {
    case 0:
      MPI_Test(&sent[0], &flag, statuses);
      break;
    case 1:
      MPI_Testall(2, sent, &flag, statuses);
      break;
    case 2:
      MPI_Testany(2, sent, &index, &flag, statuses);
      break;
    case 3:
      MPI_Testsome(2, sent, &n, indices, statuses);
      break;
    case 4:
      MPI_Request_get_status(sent[0], &flag, statuses);
      break;
    default:
      MPI_Test(&persistent, &flag, statuses);
  }
  return flag || (way == 3 && n > 0);
}

/* More sends than `over` asks for. */
static void burst(int right, int left) {
  MPI_Request sent[BURST];
  MPI_Status statuses[BURST];
  int flag = 0;
  for (int i = 0; i < BURST; i++) MPI_Isend(out[0], N, MPI_INT, right, 10 + i, MPI_COMM_WORLD, &sent[i]);
  for (int i = 0; i < PATIENCE && !flag; i++) MPI_Testall(BURST, sent, &flag, statuses);
  for (int i = 0; i < BURST; i++) MPI_Recv(in, N, MPI_INT, left, 10 + i, MPI_COMM_WORLD, statuses);
  MPI_Waitall(BURST, sent, statuses);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Request sent[2];
  MPI_Status statuses[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Send_init(out[2], N, MPI_INT, right, 2, MPI_COMM_WORLD, &persistent);
  for (int way = 0; way <= 5; way++)
    for (int step = 0; step < STEPS; step++) {
      if (way == 2 || way == 3) burst(right, left);
      for (int i = 0; i < 2; i++) MPI_Isend(out[i], N, MPI_INT, right, i, MPI_COMM_WORLD, &sent[i]);
      MPI_Start(&persistent);
      for (int i = 0; i < PATIENCE && !over(way, sent);) i++;
      for (int i = 0; i < 3; i++) MPI_Recv(in, N, MPI_INT, left, i, MPI_COMM_WORLD, statuses);
      MPI_Waitall(2, sent, statuses);
      MPI_Wait(&persistent, statuses);
    }
  MPI_Request_free(&persistent);
  MPI_Finalize();
  return 0;
}
