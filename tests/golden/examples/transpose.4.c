/* Performance skeleton of an MPI program with 4 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 39.5 ms. */
#include "skel.h"

static struct { int rank, size; } got; /* what calls return and nobody reads */

/* clang-format off */
/* Computation in seconds: a row for each place in the program, a column for each rank. */
static const double gap[][4] = {
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.001, 0.001, 0.001, 0.001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
};
static const struct skel_phase phases[] = {{"prologue", 0, 1, 0, 1, 1, 0, -1}, {"loop 1", 1, 40, 0, 39, 1, 0, 2},
    {"epilogue", 0, 1, 0, 1, 1, 0, -1}};
static const size_t buffer_bytes[] = {
  4096, 4096, 8, 8,
  4096, 4096, 8, 0,
  4096, 4096, 8, 0,
  4096, 4096, 8, 0,
};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09, NULL}};
static const struct skel_program program = {.ranks = 4, .scale = 10, .phases = 3, .phase = phases, .buffers = 4,
    .buffer_rows = 4, .buffer_bytes = buffer_bytes, .machine_rows = 1, .machine = machines};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* 304 us in the traced run */
static void prologue(void) {
  compute(gap[0]); /* 100 us */
  MPI_Comm_size(MPI_COMM_WORLD, &got.size);
  compute(gap[1]); /* 100 us */
  MPI_Comm_rank(MPI_COMM_WORLD, &got.rank);
}

static void loop_1(void) {
  compute(gap[2]); /* 100 us */
  for (long i = 0; i < 40; i = skel_step(1, i, 40)) { /* 99.0 % of the traced time; 40 of 40 iterations run */
    if (i > 0) compute(gap[3]); /* 1 ms */
    MPI_Alltoall(buf(0, 0), 64, MPI_C_DOUBLE_COMPLEX, buf(1, 0), 64, MPI_C_DOUBLE_COMPLEX, MPI_COMM_WORLD);
  }
}

/* 202 us in the traced run */
static void epilogue(void) {
  compute(gap[4]); /* 100 us */
  MPI_Reduce(buf(2, 0), buf(3, 0), 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  compute(gap[5]); /* 100 us */
}

int main(int argc, char** argv) {
  skel_start(argc, argv);
  MPI_Init(&argc, &argv);
  skel_init(&program);
  prologue();
  loop_1();
  epilogue();
  skel_report();
  MPI_Finalize();
  return skel_finish();
}
