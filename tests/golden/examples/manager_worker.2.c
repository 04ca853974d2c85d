/* Performance skeleton of an MPI program with 2 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 43.6 ms. */
#include "skel.h"

static MPI_Status status[1];
static struct { int rank, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int64_t buf_values_1[] = {SKEL_AT(0, 0), SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0),
    SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0),
    SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0),
    SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0),
    SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0),
    SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0)};
static const struct skel_sequence buf_2[] = {{0, 0, 40, buf_values_1}, {SKEL_AT(0, 0), 0, 0, NULL}};
static const int buf_of_3[] = {0, 1};
static const int count_4[] = {1, 61};
static const int tag_5[] = {0, 2};
/* Computation in seconds: a row for each place in the program, a column for each rank. */
static const double gap[][2] = {
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0, 0.0001},
  {0.0001, 0},
  {0.0001, 0},
  {0, 0.0001},
  {0.0001, 0.0001},
};
static const struct skel_phase phases[] = {{"prologue", 0, 1, 0, 1, 1, 0, -1}, {"loop 1", 1, 40, 0, 39, 1, 0, 2},
    {"epilogue", 0, 1, 0, 1, 1, 0, -1}};
static const size_t buffer_bytes[] = {
  4, 244, 4,
  244, 0, 0,
};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09, NULL}};
static const struct skel_program program = {.ranks = 2, .scale = 10, .phases = 3, .phase = phases, .buffers = 3,
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
  for (long i = 0; i < 40; i = skel_step(1, i, 40)) { /* 99.1 % of the traced time; 40 of 40 iterations run */
    if (i > 0) compute(gap[3]); /* 1 ms */
    if (rank == 1) MPI_Recv(buf(0, 0), 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, status);
    compute(gap[4]); /* 0 ns to 100 us */
    MPI_Send(skel_buffer(skel_at(&buf_2[buf_of_3[rank]], i)), count_4[rank], MPI_INT, (rank + 1) % size, tag_5[rank],
        MPI_COMM_WORLD);
    if (rank == 0) {
      compute(gap[5]); /* 100 us */
      MPI_Recv(buf(1, 0), 61, MPI_INT, 1, 2, MPI_COMM_WORLD, status);
    }
  }
}

/* 202 us in the traced run */
static void epilogue(void) {
  if (rank == 0) {
    compute(gap[6]); /* 100 us */
    MPI_Send(buf(2, 0), 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  } else {
    compute(gap[7]); /* 100 us */
    MPI_Recv(buf(0, 0), 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, status);
  }
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
