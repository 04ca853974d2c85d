/* Performance skeleton of an MPI program with 4 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 32.6 ms. */
#include "skel.h"

static MPI_Status status[1];
static struct { int rank, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int64_t sendcount_values_1[] = {1005, 1010, 1002, 1000, 1010, 1006, 1004, 1006, 1006, 1003, 1002, 1010,
    1000, 1007, 1007, 1001, 1003, 1001, 1003, 1009, 1007, 1010, 1006, 1006, 1005, 1002, 1010, 1007, 1004, 1002};
static const int64_t sendcount_values_2[] = {1010, 1001, 1007, 1010, 1000, 1006, 1007, 1008, 1007, 1004, 1001, 1006,
    1010, 1001, 1004, 1001, 1005, 1004, 1002, 1002, 1000, 1007, 1005, 1010, 1010, 1002, 1004, 1005, 1003, 1001};
static const int64_t sendcount_values_3[] = {1008, 1006, 1009, 1006, 1005, 1009, 1006, 1001, 1008, 1005, 1000, 1010,
    1005, 1007, 1002, 1005, 1006, 1001, 1004, 1009, 1003, 1006, 1008, 1010, 1003, 1004, 1002, 1003, 1001, 1009};
static const int64_t sendcount_values_4[] = {1001, 1005, 1009, 1002, 1006, 1002, 1000, 1006, 1004, 1003, 1010, 1008,
    1002, 1005, 1008, 1007, 1001, 1010, 1006, 1004, 1005, 1005, 1003, 1009, 1002, 1008, 1006, 1005, 1006, 1005};
static const struct skel_sequence sendcount_5[] = {{0, 0, 30, sendcount_values_1}, {0, 0, 30, sendcount_values_2},
    {0, 0, 30, sendcount_values_3}, {0, 0, 30, sendcount_values_4}};
static const int sendcount_of_6[] = {0, 1, 2, 3};
static const int64_t recvcount_values_7[] = {1001, 1005, 1009, 1002, 1006, 1002, 1000, 1006, 1004, 1003, 1010, 1008,
    1002, 1005, 1008, 1007, 1001, 1010, 1006, 1004, 1005, 1005, 1003, 1009, 1002, 1008, 1006, 1005, 1006, 1005};
static const int64_t recvcount_values_8[] = {1005, 1010, 1002, 1000, 1010, 1006, 1004, 1006, 1006, 1003, 1002, 1010,
    1000, 1007, 1007, 1001, 1003, 1001, 1003, 1009, 1007, 1010, 1006, 1006, 1005, 1002, 1010, 1007, 1004, 1002};
static const int64_t recvcount_values_9[] = {1010, 1001, 1007, 1010, 1000, 1006, 1007, 1008, 1007, 1004, 1001, 1006,
    1010, 1001, 1004, 1001, 1005, 1004, 1002, 1002, 1000, 1007, 1005, 1010, 1010, 1002, 1004, 1005, 1003, 1001};
static const int64_t recvcount_values_10[] = {1008, 1006, 1009, 1006, 1005, 1009, 1006, 1001, 1008, 1005, 1000, 1010,
    1005, 1007, 1002, 1005, 1006, 1001, 1004, 1009, 1003, 1006, 1008, 1010, 1003, 1004, 1002, 1003, 1001, 1009};
static const struct skel_sequence recvcount_11[] = {{0, 0, 30, recvcount_values_7}, {0, 0, 30, recvcount_values_8},
    {0, 0, 30, recvcount_values_9}, {0, 0, 30, recvcount_values_10}};
static const int recvcount_of_12[] = {0, 1, 2, 3};
/* Computation in seconds: a row for each place in the program, a column for each rank. */
static const double gap[][4] = {
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.001, 0.001, 0.001, 0.001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
};
static const struct skel_phase phases[] = {{"prologue", 0, 1, 0, 1, 1, 0, -1}, {"loop 1", 1, 30, 0, 29, 1, 0, 2},
    {"epilogue", 0, 1, 0, 1, 1, 0, -1}};
static const size_t buffer_bytes[] = {8080, 8080, 8, 8, 8, 8};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09, NULL}};
static const struct skel_program program = {.ranks = 4, .scale = 10, .phases = 3, .phase = phases, .buffers = 6,
    .buffer_rows = 1, .buffer_bytes = buffer_bytes, .machine_rows = 1, .machine = machines};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* 405 us in the traced run */
static void prologue(void) {
  compute(gap[0]); /* 100 us */
  MPI_Comm_rank(MPI_COMM_WORLD, &got.rank);
  compute(gap[1]); /* 100 us */
  MPI_Comm_size(MPI_COMM_WORLD, &got.size);
}

static void loop_1(void) {
  compute(gap[2]); /* 100 us */
  for (long i = 0; i < 30; i = skel_step(1, i, 30)) { /* 98.8 % of the traced time; 30 of 30 iterations run */
    if (i > 0) compute(gap[3]); /* 1 ms */
    MPI_Sendrecv(buf(0, 0), (int)skel_at(&sendcount_5[sendcount_of_6[rank]], i), MPI_DOUBLE, (rank + 1) % size, 0,
        buf(1, 0), (int)skel_at(&recvcount_11[recvcount_of_12[rank]], i), MPI_DOUBLE, (rank + size - 1) % size, 0,
        MPI_COMM_WORLD, status);
    compute(gap[4]); /* 100 us */
    MPI_Allreduce(buf(2, 0), buf(3, 0), 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

/* 202 us in the traced run */
static void epilogue(void) {
  compute(gap[5]); /* 100 us */
  MPI_Allreduce(buf(4, 0), buf(5, 0), 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  compute(gap[6]); /* 100 us */
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
