/* Four threads call MPI at once; each is a location of its own. */
#include <mpi.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

/* Computes for 20 ms before its first call. */
static void* work(void* comm) {
  int rank;
  struct timespec own = {0, 0};
  while (own.tv_nsec < 20000000 && own.tv_sec == 0) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own);
  for (int i = 0; i < 100000; i++) MPI_Comm_rank(*(MPI_Comm*)comm, &rank);
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  pthread_t threads[3];
  MPI_Comm comm;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  nanosleep(&(struct timespec){0, 500000000}, NULL); /* when there are no threads yet */
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, &comm);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
