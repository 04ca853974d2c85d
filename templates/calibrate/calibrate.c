/* How fast each rank's processor is, kernel by kernel: `skelgen calibrate` compiles this and starts it like a program.
 *
 *   calibrate REPORT    rank 0 writes the file REPORT: what every rank measured, as JSON
 *
 * Ranks that have a core each measure at the same time, as a program's ranks compute. Where ranks share cores, one after
 * the other measures, and the others sleep. Nothing is bound to a core that the launcher did not bind. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NAME_BYTES 256
static int rank, size;

static void stop(const char* text) {
  const struct timespec pause = {0, 200000000}; /* lets the message through */
  fprintf(stderr, "calibration: rank %d: %s\n", rank, text);
  fflush(stderr);
  nanosleep(&pause, NULL);
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

#ifdef SMPI_H

/* A simulated host says how fast it is. */
#include <simgrid/host.h>

enum { kKernels = 1, kRounds = 1 };
static const char* const kernel_name[kKernels] = {"flops"};
static int cores(void) { return 1; }
static int share_cores(void) { return 0; }
static void measure(double speed[kKernels][kRounds], int one_by_one) {
  (void)one_by_one;
  speed[0][0] = sg_host_get_speed(sg_host_self());
}

#else

#include <sched.h>
#include <unistd.h>

#include "skel_kernels.h"

enum { kKernels = 4, kRounds = 9 };
static const char* const kernel_name[kKernels] = {"integer", "floating", "stream", "random"};
#define SHORTEST_S 0.01 /* that a kernel runs for one measurement; at first up to twice as long */
#define NAP_NS 5000000

static struct skel_kernels state;
static volatile uint64_t sink; /* keeps the kernels' results alive */

static double wall(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ------------------------------------------------------------------ kernels */

/* Kernels of the family, and what a pass of them counts: iterations, multiplications with additions, bytes, loads. */
static const struct {
  int number;
  double units;
} kernel_of[kKernels] = {{SKEL_INTEGER, SKEL_REGISTER_UNITS},
                         {SKEL_PACKED, 16},
                         {SKEL_STREAM_32M, SKEL_MEMORY_UNITS},
                         {SKEL_DEPENDENT_32M, 4}};

static void make_area(void) {
  void* area = NULL;
  if (posix_memalign(&area, SKEL_KERNEL_ALIGNED, SKEL_KERNEL_AREA)) stop("no memory; start fewer ranks on a host");
  state.area = skel_kernels_area(area);
}

/* Operations, bytes, loads per second. The first time it is found out how many last long enough. */
static double speed_of(int kernel) {
  static uint64_t amount[kKernels];
  if (!amount[kernel]) amount[kernel] = 1 << 10;
  for (;;) {
    const double begin = wall();
    sink += skel_kernel_run(&state, kernel_of[kernel].number, amount[kernel]);
    const double took = wall() - begin;
    if (took >= SHORTEST_S || amount[kernel] >= UINT64_C(1) << 40)
      return kernel_of[kernel].units * (double)amount[kernel] / took;
    amount[kernel] *= 2;
  }
}

/* ------------------------------------------------------------------ who shares cores with whom */

static int cores(void) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return (int)sysconf(_SC_NPROCESSORS_ONLN); /* more than the set has room for */
}

/* On each host: whether more ranks may run on the cores of one of them than these are. */
static int share_on(MPI_Comm host) {
  cpu_set_t own, both;
  int ranks, shared = 0;
  MPI_Comm_size(host, &ranks);
  if (sched_getaffinity(0, sizeof own, &own)) return ranks > cores();
  cpu_set_t* const all = malloc((size_t)ranks * sizeof own);
  if (!all) stop("no memory");
  MPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, host);
  for (int i = 0; i < ranks; i++) {
    CPU_AND(&both, &own, &all[i]);
    shared += CPU_EQUAL(&both, &all[i]) != 0;
  }
  free(all);
  return shared > CPU_COUNT(&own);
}

static MPI_Comm of_host(void) {
  static MPI_Comm host = MPI_COMM_NULL;
  if (host == MPI_COMM_NULL) MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
  return host;
}

static int share_cores(void) {
  const int here = share_on(of_host());
  int anywhere = 0;
  MPI_Allreduce(&here, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return anywhere;
}

/* ------------------------------------------------------------------ measuring */

/* Without taking the core from the one that measures. */
static void sleep_until(MPI_Request* request) {
  const struct timespec nap = {0, NAP_NS};
  int done = 0;
  while (MPI_Test(request, &done, MPI_STATUS_IGNORE), !done) nanosleep(&nap, NULL);
}

static void all_kernels(double speed[kKernels]) {
  for (int k = 0; k < kKernels; k++) speed[k] = speed_of(k);
}

static void in_turn(double speed[kKernels]) {
  MPI_Request request;
  int here, ranks;
  char token = 0;
  MPI_Comm_rank(of_host(), &here);
  MPI_Comm_size(of_host(), &ranks);
  if (here > 0) {
    MPI_Irecv(&token, 1, MPI_CHAR, here - 1, 0, of_host(), &request);
    sleep_until(&request);
  }
  all_kernels(speed);
  if (here + 1 < ranks) MPI_Send(&token, 1, MPI_CHAR, here + 1, 0, of_host());
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  sleep_until(&request);
}

static void at_once(double speed[kKernels]) {
  for (int k = 0; k < kKernels; k++) {
    MPI_Barrier(MPI_COMM_WORLD);
    speed[k] = speed_of(k);
  }
}

/* Rounds over all kernels and ranks: a machine that becomes slower meanwhile does so for all. The first one warms up. */
static void measure(double speed[kKernels][kRounds], int one_by_one) {
  make_area();
  for (int round = -1; round < kRounds; round++) {
    double now[kKernels];
    if (one_by_one)
      in_turn(now);
    else
      at_once(now);
    for (int k = 0; k < kKernels; k++)
      if (round >= 0) speed[k][round] = now[k];
  }
  free(state.area);
}

#endif

/* ------------------------------------------------------------------ report */

struct result { /* of a rank */
  double speed[kKernels][kRounds];
  int cores;
  char host[NAME_BYTES];
};

/* Ranks of another MPI than the launcher's are alone in their world: each is rank 0 and has a report to write. */
static void not_alone(const char* path) {
  char mark[4096];
  snprintf(mark, sizeof mark, "%s.more", path);
  FILE* const out = fopen(mark, "w");
  if (out) fclose(out);
  stop("the ranks do not find each other, each was started with 1; another one wrote the report");
}

static void write_report(const char* path, const struct result* all, int one_by_one) {
  FILE* const out = fopen(path, "wx");
  if (!out && errno == EEXIST) not_alone(path);
  if (!out) stop("the report cannot be written");
  fprintf(out, "{\"schema\":\"skelgen.speeds/1\",\"one_by_one\":%s,\"ranks\":[", one_by_one ? "true" : "false");
  for (int r = 0; r < size; r++) {
    fprintf(out, "%s\n{\"host\":\"%s\",\"cores\":%d", r ? "," : "", all[r].host, all[r].cores);
    for (int k = 0; k < kKernels; k++) {
      fprintf(out, ",\"%s\":[", kernel_name[k]);
      for (int i = 0; i < kRounds; i++) fprintf(out, "%s%.17g", i ? "," : "", all[r].speed[k][i]);
      fprintf(out, "]");
    }
    fprintf(out, "}");
  }
  fprintf(out, "\n]}\n");
  if (fclose(out)) stop("the report cannot be written");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 2) stop("one argument is needed: where to write the report");
  struct result own;
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  memset(&own, 0, sizeof own);
  MPI_Get_processor_name(name, &length);
  snprintf(own.host, sizeof own.host, "%.*s", NAME_BYTES - 1, name);
  for (char* c = own.host; *c; c++)
    if (*c < ' ' || *c > '~' || *c == '"' || *c == '\\') *c = '?';
  own.cores = cores();
  const int one_by_one = share_cores();
  measure(own.speed, one_by_one);
  struct result* const all = rank == 0 ? calloc((size_t)size, sizeof *all) : NULL;
  if (rank == 0 && !all) stop("no memory");
  MPI_Gather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (rank == 0) write_report(argv[1], all, one_by_one);
  free(all);
  return MPI_Finalize();
}
