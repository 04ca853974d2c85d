/* Receives that wait, any of which takes the next message: an iteration leaves them in another order than it found, so that the
 * next one waits for another one first, and none may be left out. */
#include <mpi.h>

enum { WAITING = 4, ITERATIONS = 300 };

int main(int argc, char** argv) {
  int in[WAITING], out = 0, rank, next = 0;
  unsigned chance = 1;
  MPI_Request requests[WAITING];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < WAITING; i++) {
    MPI_Recv_init(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
    MPI_Start(&requests[i]);
  }
  for (int i = 0; i < ITERATIONS; i++) {
    chance = chance * 1103515245 + 12345;
    for (unsigned messages = 1 + chance / 65536 % 3; messages > 0; messages--) {
      MPI_Send(&out, 1, MPI_INT, rank ^ 1, 7, MPI_COMM_WORLD);
      MPI_Wait(&requests[next], MPI_STATUS_IGNORE);
      MPI_Start(&requests[next]);
      next = (next + 1) % WAITING;
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (int i = 0; i < WAITING; i++) {
    MPI_Cancel(&requests[i]);
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[i]);
  }
  MPI_Finalize();
  return 0;
}
