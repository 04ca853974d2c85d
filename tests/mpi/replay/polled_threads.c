/* Two threads of each rank poll their sends as polled_sends.c does, each with tags of its own; the last sends of a thread are not waited
 * for but by tests. In its skeleton, too, its tests go on.
 * Runs with three eager limits. */
#include <mpi.h>
#include <pthread.h>

enum { N = 500, STEPS = 20, PATIENCE = 10000 };

static int out[2][N], in[2][N], right, left;

static void* work(void* number) {
  const int me = (int)(long)number;
  for (int step = 0; step < STEPS; step++) {
    MPI_Request sent[2];
    MPI_Status statuses[2];
    int flag = 0;
    for (int i = 0; i < 2; i++) MPI_Isend(out[me], N, MPI_INT, right, 2 * me + i, MPI_COMM_WORLD, &sent[i]);
    for (int i = 0; i < PATIENCE && !flag; i++) MPI_Testall(2, sent, &flag, statuses);
    for (int i = 0; i < 2; i++) MPI_Recv(in[me], N, MPI_INT, left, 2 * me + i, MPI_COMM_WORLD, statuses);
    while (!flag) MPI_Testall(2, sent, &flag, statuses);
  }
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t other;
  int level, rank, size;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  right = (rank + 1) % size;
  left = (rank + size - 1) % size;
  if (level < MPI_THREAD_MULTIPLE || pthread_create(&other, NULL, work, (void*)1)) MPI_Abort(MPI_COMM_WORLD, 1);
  work(NULL);
  pthread_join(other, NULL);
  MPI_Finalize();
  return 0;
}
