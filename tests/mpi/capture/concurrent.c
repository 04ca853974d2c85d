/* Eight threads of each rank call MPI at once, made by pthreads, or by OpenMP where that is compiled in: thread k makes k + 1 calls of MPI_Comm_rank
 * between every two messages to the same thread of the next rank, so that a lost, doubled or misplaced call shows. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 8, ROUNDS = 60 };
static MPI_Comm comms[THREADS];

static void work(int number) {
  int rank, size, value, sum = 0;
  MPI_Comm_size(comms[number], &size);
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i <= number; i++) MPI_Comm_rank(comms[number], &rank);
    MPI_Sendrecv(&round, 1, MPI_INT, (rank + 1) % size, number, &value, 1, MPI_INT, (rank + size - 1) % size, number,
                 comms[number], MPI_STATUS_IGNORE);
    sum += value;
  }
  if (sum != ROUNDS * (ROUNDS - 1) / 2) printf("thread %d: wrong sum\n", number);
}

#ifdef _OPENMP
#include <omp.h>
static void all(void) {
#pragma omp parallel num_threads(THREADS)
  work(omp_get_thread_num());
}
#else
static void* start(void* number) {
  work((int)(long)number);
  return NULL;
}

static void all(void) {
  pthread_t threads[THREADS];
  for (long i = 1; i < THREADS; i++) pthread_create(&threads[i], NULL, start, (void*)i);
  work(0);
  for (int i = 1; i < THREADS; i++) pthread_join(threads[i], NULL);
}
#endif

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) return 1;
  for (int i = 0; i < THREADS; i++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  all();
  for (int i = 0; i < THREADS; i++) MPI_Comm_free(&comms[i]);
  MPI_Comm_rank(MPI_COMM_WORLD, &provided);
  if (provided == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
