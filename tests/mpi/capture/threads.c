/* Four threads call MPI at once; each is a location of its own. Prints how long it took at most from before a thread was made until its first call
 * had returned. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

struct thread {
  MPI_Comm comm;
  pthread_t thread;
  double made, called;
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Computes for 20 ms before its first call. */
static void* work(void* argument) {
  struct thread* const me = argument;
  int rank;
  struct timespec own = {0, 0};
  while (own.tv_nsec < 20000000 && own.tv_sec == 0) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own);
  MPI_Comm_rank(me->comm, &rank);
  me->called = now();
  for (int i = 1; i < 100000; i++) MPI_Comm_rank(me->comm, &rank);
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  struct thread threads[3];
  double most = 0;
  MPI_Comm comm;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  nanosleep(&(struct timespec){0, 500000000}, NULL); /* when there are no threads yet */
  for (int i = 0; i < 3; i++) {
    threads[i].comm = comm;
    threads[i].made = now();
    pthread_create(&threads[i].thread, NULL, work, &threads[i]);
  }
  for (int i = 0; i < 3; i++) {
    pthread_join(threads[i].thread, NULL);
    if (threads[i].called - threads[i].made > most) most = threads[i].called - threads[i].made;
  }
  printf("%.9f\n", most);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
