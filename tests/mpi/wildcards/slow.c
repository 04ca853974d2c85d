/* Linked into an MPI program: what a rank computes between a receive and the next send lasts STRETCH times as long, on the rank of
 * SLOW=RANK:FACTOR another FACTOR times. It looks at the clock until then, as a skeleton does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double factor = -1, received;

static double processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void spend(double seconds) {
  for (const double end = PMPI_Wtime() + seconds; PMPI_Wtime() < end;) continue;
}

static void look(void) {
  int slow, rank;
  double times;
  const char *stretch = getenv("STRETCH"), *text = getenv("SLOW");
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  factor = stretch ? atof(stretch) : 1;
  if (text && sscanf(text, "%d:%lf", &slow, &times) == 2 && slow == rank) factor *= times;
}

int MPI_Recv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  int (*next)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);
  *(void**)&next = dlsym(RTLD_NEXT, "MPI_Recv");
  const int result = next(buf, count, type, source, tag, comm, status);
  received = processor_time();
  return result;
}

int MPI_Send(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  int (*next)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
  *(void**)&next = dlsym(RTLD_NEXT, "MPI_Send");
  if (factor < 0) look();
  if (factor > 1 && received > 0 && dest == 0) spend((factor - 1) * (processor_time() - received));
  return next(buf, count, type, dest, tag, comm);
}
