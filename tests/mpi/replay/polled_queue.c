/* A queue of sends, and one message in return for each: tests for sends, receives and both in one array, also of
 * null requests, as often as it takes.
 * Runs with three eager limits. */
#include <mpi.h>

enum { N = 500, AT_ONCE = 4, MESSAGES = 40 };

static int out[AT_ONCE][N], in[AT_ONCE][N];

int main(int argc, char** argv) {
  MPI_Request requests[2 * AT_ONCE]; /* sends, receives */
  MPI_Status statuses[2 * AT_ONCE];
  int rank, size, flag, some, which[2 * AT_ONCE];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int other = rank ^ 1;
  for (int i = 0; i < 2 * AT_ONCE; i++) requests[i] = MPI_REQUEST_NULL;
  for (int sent = 0, received = 0; sent < MESSAGES || received < MESSAGES;) {
    for (int i = 0; i < AT_ONCE && sent < MESSAGES; i++) { /* into each place that is free */
      MPI_Test(&requests[i], &flag, statuses);
      MPI_Test(&requests[AT_ONCE + i], &flag, statuses);
      if (requests[i] != MPI_REQUEST_NULL || requests[AT_ONCE + i] != MPI_REQUEST_NULL) continue;
      MPI_Isend(out[i], N, MPI_INT, other, sent, MPI_COMM_WORLD, &requests[i]);
      MPI_Irecv(in[i], N, MPI_INT, other, sent++, MPI_COMM_WORLD, &requests[AT_ONCE + i]);
    }
    MPI_Testsome(2 * AT_ONCE, requests, &some, which, statuses);
    received = sent;
    for (int i = AT_ONCE; i < 2 * AT_ONCE; i++) received -= requests[i] != MPI_REQUEST_NULL;
  }
  for (flag = 0; !flag;) MPI_Testall(2 * AT_ONCE, requests, &flag, statuses);
  MPI_Finalize();
  return 0;
}
