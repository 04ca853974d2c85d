/* tasks NUMBER: a thread for each task, one after the other. Says how large the trace and its memory are then, in kB. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void* task(void* unused) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return unused;
}

int main(int argc, char** argv) {
  const int tasks = atoi(argv[1]);
  int provided;
  char path[4096];
  struct stat file = {0};
  struct rusage usage;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  for (int i = 0; i < tasks; i++) {
    pthread_create(&thread, NULL, task, NULL);
    pthread_join(thread, NULL);
  }
  snprintf(path, sizeof path, "%s/rank-000000.skt", getenv("SKELGEN_OUT"));
  stat(path, &file);
  getrusage(RUSAGE_SELF, &usage);
  printf("%ld %ld\n", (long)(file.st_size / 1024), usage.ru_maxrss);
  MPI_Finalize();
  return 0;
}
