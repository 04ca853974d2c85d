/* killed FILE THREADS: every rank's threads count the calls that have returned to them, in memory that outlives them. */
#include "killed.h"

#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static struct killed_counts* counts;

static void* work(void* thread) {
  const int number = (int)(intptr_t)thread;
  int rank, flag;
  for (int i = 0; i < KILLED_STEPS; i++) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    counts->calls[number]++;
    if (i % 8) continue;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    counts->calls[number]++;
  }
  return NULL;
}

int main(int argc, char** argv) {
  int rank, provided;
  const int threads = atoi(argv[2]), file = open(argv[1], O_RDWR);
  pthread_t others[KILLED_THREADS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  counts =
      (struct killed_counts*)mmap(NULL, KILLED_RANKS * sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) +
      rank;
  counts->calls[0] = 1;
  counts->process = getpid();
  for (int i = 1; i < threads; i++) pthread_create(&others[i], NULL, work, (void*)(intptr_t)i);
  work(0);
  for (int i = 1; i < threads; i++) pthread_join(others[i], NULL);
  MPI_Finalize();
  counts->calls[0]++;
  return 0;
}
