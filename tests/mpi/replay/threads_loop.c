/* Three threads of each rank, the main one among them, go through 30 steps, or as many as the argument says: each sends to its like of the
 * next rank, all meet, and the main thread sums up over the ranks. */
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 3, N = 64 };

static pthread_barrier_t all;
static int rank, size, steps = 30, out[THREADS][N], in[THREADS][N], sum;

static void* work(void* number) {
  const int me = (int)(long)number, right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int i = 0; i < steps; i++) {
    usleep(300);
    MPI_Sendrecv(out[me], N, MPI_INT, right, me, in[me], N, MPI_INT, left, me, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pthread_barrier_wait(&all);
    if (me == 0) MPI_Allreduce(&in[0][0], &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int level;
  pthread_t others[THREADS];
  if (argc > 1) steps = atoi(argv[1]);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (level < MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 1);
  pthread_barrier_init(&all, NULL, THREADS);
  for (long i = 1; i < THREADS; i++)
    if (pthread_create(&others[i], NULL, work, (void*)i)) MPI_Abort(MPI_COMM_WORLD, 1);
  work(NULL);
  for (int i = 1; i < THREADS; i++) pthread_join(others[i], NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
