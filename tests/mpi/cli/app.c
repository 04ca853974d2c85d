/* A ring exchange with a reduction; argv[1] says how it ends: ok, exit3 (after MPI_Finalize), kill (rank 1 kills itself on
 * the way), unsafe (ok, but sends before it receives), limited (ok, but no file may grow beyond 1.5 MB, and there are
 * many more calls). */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double work(double seconds) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const double end = now.tv_sec + 1e-9 * now.tv_nsec + seconds;
  double x = 1;
  do {
    x = x * 1.0000001 + 1e-9;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec + 1e-9 * now.tv_nsec < end);
  return x;
}

int main(int argc, char** argv) {
  const char* ending = argc > 1 ? argv[1] : "ok";
  const int iterations = argc > 2 ? atoi(argv[2]) : 200;
  static double out[128], in[128];
  int rank, size;
  double sum = 0, local = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(ending, "limited") == 0) {
    const struct rlimit limit = {1500000, 1500000};
    setrlimit(RLIMIT_FSIZE, &limit);
    for (int i = 0; i < 1000000; ++i) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  }
  for (int i = 0; i < iterations; ++i) {
    MPI_Request requests[2];
    MPI_Status statuses[2];
    local += work(1e-3) * 1e-9;
    if (strcmp(ending, "unsafe") == 0) {
      MPI_Send(out, 128, MPI_DOUBLE, (rank + 1) % size, 5, MPI_COMM_WORLD);
      MPI_Recv(in, 128, MPI_DOUBLE, (rank + size - 1) % size, 5, MPI_COMM_WORLD, &statuses[0]);
    } else {
      MPI_Irecv(in, 128, MPI_DOUBLE, (rank + size - 1) % size, 5, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(out, 128, MPI_DOUBLE, (rank + 1) % size, 5, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests, statuses);
    }
    if (i == iterations / 2 && rank == 1 && strcmp(ending, "kill") == 0) raise(SIGKILL);
    MPI_Allreduce(&local, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("sum %g\n", sum);
  MPI_Finalize();
  return strcmp(ending, "exit3") == 0 ? 3 : 0;
}
