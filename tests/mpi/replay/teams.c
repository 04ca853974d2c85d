/* Four times, or as often as the argument says, two threads of each rank send each other messages: a team of threads that have made no
 * call before and make none after. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

enum { ROUNDS = 25, N = 64 };

static int rank, size, out[3][N], in[3][N];

static void* work(void* number) {
  const int me = (int)(long)number, right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int i = 0; i < ROUNDS; i++)
    MPI_Sendrecv(out[me], N, MPI_INT, right, me, in[me], N, MPI_INT, left, me, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return NULL;
}

int main(int argc, char** argv) {
  int level;
  const int teams = argc > 1 ? atoi(argv[1]) : 4;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (level < MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int team = 0; team < teams; team++) {
    pthread_t others[2];
    for (long i = 0; i < 2; i++)
      if (pthread_create(&others[i], NULL, work, (void*)(i + 1))) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < 2; i++) pthread_join(others[i], NULL);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
