/* Performance skeleton of an MPI program with 2 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 21.5 ms. */
#include "skel.h"

static MPI_Status status[1];
static struct { int rank, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int buf_1[] = {0, 1};
static const int64_t buf_values_2[] = {SKEL_AT(1, 0), SKEL_AT(0, 0)};
static const int64_t buf_values_3[] = {SKEL_AT(0, 0), SKEL_AT(1, 0)};
static const struct skel_sequence buf_4[] = {{0, 0, 2, buf_values_2}, {0, 0, 2, buf_values_3}};
static const int buf_of_5[] = {0, 1};
static const int buf_6[] = {1, 0};
/* Computation in seconds: a row for each place in the program, a column for each rank. */
static const double gap[][2] = {
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0},
  {0, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
};
static const struct skel_phase phases[] = {{"prologue", 0, 1, 0, 1, 1, 0, -1}, {"loop 1", 1, 20, 0, 19, 1, 0, 2},
    {"epilogue", 0, 1, 0, 1, 1, 0, -1}};
static const size_t buffer_bytes[] = {
  768, 768, 32, 32,
  768, 768, 32, 0,
};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09, NULL}};
static const struct skel_program program = {.ranks = 2, .scale = 10, .phases = 3, .phase = phases, .buffers = 4,
    .buffer_rows = 2, .buffer_bytes = buffer_bytes, .machine_rows = 1, .machine = machines};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* 405 us in the traced run */
static void prologue(void) {
  compute(gap[0]); /* 100 us */
  MPI_Comm_size(MPI_COMM_WORLD, &got.size);
  compute(gap[1]); /* 100 us */
  MPI_Comm_rank(MPI_COMM_WORLD, &got.rank);
}

static void loop_1(void) {
  compute(gap[2]); /* 100 us */
  for (long i = 0; i < 20; i = skel_step(1, i, 20)) { /* 98.1 % of the traced time; 20 of 20 iterations run */
    if (i > 0) compute(gap[3]); /* 1 ms */
    if (rank == 0) MPI_Send(buf(buf_1[i % 2], 0), 96, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    compute(gap[4]); /* 0 ns to 100 us */
    MPI_Recv(skel_buffer(skel_at(&buf_4[buf_of_5[rank]], i)), 96, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD,
        status);
    if (rank == 1) {
      compute(gap[5]); /* 100 us */
      MPI_Send(buf(buf_6[i % 2], 0), 96, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    }
  }
}

/* 202 us in the traced run */
static void epilogue(void) {
  compute(gap[6]); /* 100 us */
  MPI_Reduce(buf(2, 0), buf(3, 0), 4, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  compute(gap[7]); /* 100 us */
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
