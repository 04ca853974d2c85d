/* Performance skeleton of an MPI program with 4 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 220 ms. */
#include "skel.h"

static MPI_Status status[1];
static struct { int rank, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int trips_1[] = {0, 4, 6, 7, 9, 10, 4, 6, 7, 9, 10, 4, 6, 7, 9, 10, 4, 6, 7, 9, 10, 4, 6, 7, 9, 10, 4, 6,
    7, 9};
/* Computation in seconds: a row for each place in the program, a column for each rank. */
static const double gap[][4] = {
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.001, 0.001, 0.001, 0.001},
  {0.001, 0.001, 0.001, 0.001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.001, 0.001, 0.001, 0.001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
};
static const struct skel_phase phases[] = {{"prologue", 0, 1, 0, 1, 1, 0, -1}, {"loop 1", 1, 30, 0, 24, 1, 0, 2},
    {"between 1 and 2", 0, 1, 0, 1, 1, 0, -1}, {"loop 2", 1, 10, 0, 9, 1, 2, 4}, {"epilogue", 0, 1, 0, 1, 1, 0, -1}};
static const struct skel_chosen chosen_1[] = {{1, 1.2}, {2, 1.2}, {3, 1.2}, {4, 1.2}, {5, 1.25}, {6, 1.2}, {7, 1.2},
    {8, 1.2}, {9, 1.2}, {10, 1.25}, {11, 1.2}, {12, 1.2}, {13, 1.2}, {14, 1.2}, {15, 1.25}, {16, 1.2}, {17, 1.2},
    {18, 1.2}, {19, 1.2}, {20, 1.25}, {21, 1.2}, {22, 1.2}, {23, 1.2}, {24, 1.2}};
static const struct skel_chosen* const chosen[] = {NULL, chosen_1, NULL, NULL, NULL};
static const size_t buffer_bytes[] = {4, 8, 8, 8, 8, 8, 8, 8, 8};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09, NULL}};
static const struct skel_program program = {.ranks = 4, .scale = 10, .phases = 5, .phase = phases, .chosen = chosen,
    .buffers = 9, .buffer_rows = 1, .buffer_bytes = buffer_bytes, .machine_rows = 1, .machine = machines};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* 7.7 ms in the traced run */
static void prologue(void) {
  compute(gap[0]); /* 100 us */
  MPI_Comm_rank(MPI_COMM_WORLD, &got.rank);
  compute(gap[1]); /* 100 us */
  MPI_Comm_size(MPI_COMM_WORLD, &got.size);
}

static void loop_1(void) {
  compute(gap[2]); /* 100 us */
  for (long i = 0; i < 30; i = skel_step(1, i, 30)) { /* 95.6 % of the traced time; 25 of 30 iterations run */
    if (i > 0) compute(gap[3]); /* 1 ms */
    for (long j = 0; j < trips_1[i]; j++) { /* 0 to 10 iterations, 83.4 % of the traced time */
      if (j > 0) compute(gap[4]); /* 1 ms */
      MPI_Sendrecv(buf(1, 0), 1, MPI_DOUBLE, skel_rank(rank - 1, size), 0, buf(2, 0), 1, MPI_DOUBLE,
          skel_rank(rank + 1, size), 0, MPI_COMM_WORLD, status);
      compute(gap[5]); /* 100 us */
      MPI_Sendrecv(buf(3, 0), 1, MPI_DOUBLE, skel_rank(rank + 1, size), 1, buf(4, 0), 1, MPI_DOUBLE,
          skel_rank(rank - 1, size), 1, MPI_COMM_WORLD, status);
      compute(gap[6]); /* 100 us */
      MPI_Allreduce(buf(5, 0), buf(6, 0), 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    compute(gap[7]); /* 100 us */
    MPI_Bcast(buf(0, 0), 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
}

static void loop_2(void) {
  compute(gap[8]); /* 100 us */
  for (long i = 0; i < 10; i = skel_step(3, i, 10)) { /* 4.2 % of the traced time; 10 of 10 iterations run */
    if (i > 0) compute(gap[9]); /* 1 ms */
    MPI_Sendrecv(buf(1, 0), 1, MPI_DOUBLE, skel_rank(rank - 1, size), 0, buf(2, 0), 1, MPI_DOUBLE,
        skel_rank(rank + 1, size), 0, MPI_COMM_WORLD, status);
    compute(gap[10]); /* 100 us */
    MPI_Sendrecv(buf(3, 0), 1, MPI_DOUBLE, skel_rank(rank + 1, size), 1, buf(4, 0), 1, MPI_DOUBLE,
        skel_rank(rank - 1, size), 1, MPI_COMM_WORLD, status);
    compute(gap[11]); /* 100 us */
    MPI_Allreduce(buf(5, 0), buf(6, 0), 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
}

/* 202 us in the traced run */
static void epilogue(void) {
  compute(gap[12]); /* 100 us */
  MPI_Allreduce(buf(7, 0), buf(8, 0), 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  compute(gap[13]); /* 100 us */
}

int main(int argc, char** argv) {
  skel_start(argc, argv);
  MPI_Init(&argc, &argv);
  skel_init(&program);
  prologue();
  loop_1();
  loop_2();
  epilogue();
  skel_report();
  MPI_Finalize();
  return skel_finish();
}
