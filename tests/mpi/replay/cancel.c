/* Receives that are cancelled before a message comes, completed in every way; those whose message was there before; a send that was
 * received before.
 * Runs with three eager limits. */
#include <mpi.h>

enum { N = 500, STEPS = 20 };

static int in[3][N], out[N];

static void complete(int way, MPI_Request* requests) {
  MPI_Status statuses[2];
  int flag = 0, index;
  switch (way) {
    case 0:
      for (int i = 0; i < 2; i++) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
      break;
    case 1:
      MPI_Waitall(2, requests, statuses);
      break;
    case 2:
      for (int i = 0; i < 2; i++) MPI_Waitany(2, requests, &index, statuses);
      break;
    case 3:
      while (!flag) MPI_Testall(2, requests, &flag, statuses);
      break;
    default:
      for (int i = 0; i < 2; i++) MPI_Request_free(&requests[i]);
  }
  if (way == 1) MPI_Test_cancelled(&statuses[1], &flag);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Request requests[2], late, persistent;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int step = 0; step < STEPS; step++) {
    MPI_Irecv(in[0], N, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in[1], N, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 2; i++) MPI_Cancel(&requests[i]);
    complete(step % 5, requests);
    MPI_Barrier(MPI_COMM_WORLD); /* what the receives above might have taken */
    for (int tag = 1; tag <= 2; tag++) MPI_Isend(out, N, MPI_INT, right, tag, MPI_COMM_WORLD, &requests[tag - 1]);
    MPI_Recv(in[0], N, MPI_INT, left, 1, MPI_COMM_WORLD, &status);
    MPI_Probe(left, 2, MPI_COMM_WORLD, &status); /* too late */
    MPI_Irecv(in[1], N, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &late);
    MPI_Wait(&requests[0], &status);
    for (int flag = 0; !flag;) MPI_Request_get_status(late, &flag, &status);
    MPI_Cancel(&late);
    MPI_Wait(&late, &status);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Cancel(&requests[1]);
    MPI_Wait(&requests[1], &status);
  }
  MPI_Recv_init(in[2], N, MPI_INT, left, 3, MPI_COMM_WORLD, &persistent);
  for (int step = 0; step < STEPS; step++) {
    MPI_Start(&persistent);
    MPI_Cancel(&persistent);
    MPI_Wait(&persistent, &status);
  }
  MPI_Request_free(&persistent);
  MPI_Finalize();
  return 0;
}
