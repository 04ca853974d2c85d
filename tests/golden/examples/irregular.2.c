/* Performance skeleton of an MPI program with 2 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 201 ms. */
#include "skel.h"

static MPI_Status status[1];
static struct { int rank, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int trips_1[] = {1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0,
    0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0};
/* Computation in seconds: a row for each place in the program, a column for each rank. */
static const double gap[][2] = {
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
};
static const struct skel_phase phases[] = {{"prologue", 0, 1, 0, 1, 1, 0, -1},
    {"loop 1", 1, 216, 0, 154, 1.00000385, 0, 2}, {"epilogue", 0, 1, 0, 1, 1, 0, -1}};
static const size_t buffer_bytes[] = {4, 8, 8, 8, 8, 8, 8, 8, 8};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09, NULL}};
static const struct skel_program program = {.ranks = 2, .scale = 10, .phases = 3, .phase = phases, .buffers = 9,
    .buffer_rows = 1, .buffer_bytes = buffer_bytes, .machine_rows = 1, .machine = machines};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* 606 us in the traced run */
static void prologue(void) {
  compute(gap[0]); /* 100 us */
  MPI_Comm_rank(MPI_COMM_WORLD, &got.rank);
  compute(gap[1]); /* 100 us */
  MPI_Comm_size(MPI_COMM_WORLD, &got.size);
}

static void loop_1(void) {
  compute(gap[2]); /* 100 us */
  for (long i = 0; i < 216; i = skel_step(1, i, 216)) { /* 99.9 % of the traced time; 155 of 216 iterations run */
    if (i > 0) compute(gap[3]); /* 1 ms */
    if (trips_1[i % 181]) { /* not each time, 0.0 % of the traced time */
      MPI_Bcast(buf(0, 0), 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    compute(gap[4]); /* 100 us */
    MPI_Sendrecv(buf(1, 0), 1, MPI_DOUBLE, skel_rank(rank - 1, size), 0, buf(2, 0), 1, MPI_DOUBLE,
        skel_rank(rank + 1, size), 0, MPI_COMM_WORLD, status);
    compute(gap[5]); /* 100 us */
    MPI_Sendrecv(buf(3, 0), 1, MPI_DOUBLE, skel_rank(rank + 1, size), 1, buf(4, 0), 1, MPI_DOUBLE,
        skel_rank(rank - 1, size), 1, MPI_COMM_WORLD, status);
    compute(gap[6]); /* 100 us */
    MPI_Allreduce(buf(5, 0), buf(6, 0), 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
}

/* 202 us in the traced run */
static void epilogue(void) {
  compute(gap[7]); /* 100 us */
  MPI_Allreduce(buf(7, 0), buf(8, 0), 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  compute(gap[8]); /* 100 us */
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
