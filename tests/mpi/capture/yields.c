/* yields LEVEL: rank 1 comes late to a barrier; with MPI_THREAD_SERIALIZED (2), where the main thread has waited before, or
 * MPI_THREAD_MULTIPLE (3) to two messages that two threads of rank 0 wait for, one after the other or at the same time. Rank 0
 * prints how often libskelyield.so gave the core away. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static long yields;

int sched_yield(void) { /* stands before that of libc */
  Dl_info caller;
  if (dladdr(__builtin_return_address(0), &caller) && strstr(caller.dli_fname, "libskelyield"))
    __atomic_fetch_add(&yields, 1, __ATOMIC_RELAXED);
  return (int)syscall(SYS_sched_yield);
}

static void* receive(void* tag) {
  MPI_Recv(NULL, 0, MPI_INT, 1, (int)(long)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return NULL;
}

int main(int argc, char** argv) {
  const int level = atoi(argv[1]);
  int provided, rank;
  MPI_Init_thread(&argc, &argv, level, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (level == MPI_THREAD_SERIALIZED && rank == 1) usleep(500000);
  MPI_Barrier(MPI_COMM_WORLD);
  yields = 0;
  if (rank == 1) usleep(500000);
  if (level < MPI_THREAD_SERIALIZED) {
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (rank == 1) {
    for (int tag = 0; tag < 2; tag++) MPI_Send(NULL, 0, MPI_INT, 0, tag, MPI_COMM_WORLD);
  } else {
    pthread_t other;
    pthread_create(&other, NULL, receive, (void*)1L);
    if (level < MPI_THREAD_MULTIPLE) pthread_join(other, NULL);
    receive((void*)0L);
    if (level == MPI_THREAD_MULTIPLE) pthread_join(other, NULL);
  }
  if (rank == 0) printf("yields %ld of level %d\n", yields, provided);
  MPI_Finalize();
  return 0;
}
