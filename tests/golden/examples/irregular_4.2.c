/* Performance skeleton of an MPI program with 2 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 98.1 ms. */
#include "skel.h"

static MPI_Request req[6];
static MPI_Status status[6];
static struct { int rank, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int64_t buf_1[] = {SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0)};
static const int request_2[] = {0, 1, 2};
static const int64_t buf_3[] = {SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(5, 0)};
static const int request_4[] = {3, 4, 5};
static const int64_t buf_5[] = {SKEL_AT(0, 0), SKEL_AT(1, 0)};
static const int request_6[] = {0, 1};
static const int64_t buf_7[] = {SKEL_AT(3, 0), SKEL_AT(4, 0)};
static const int request_8[] = {2, 3};
/* Computation in seconds: a row for each place in the program, a column for each rank. */
static const double gap[][2] = {
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
};
static const struct skel_phase phases[] = {
  {"prologue", 0, 1, 1, 1, 1},
  {"loop 1", 1, 8, 7, 7, 1},
  {"between 1 and 2", 0, 1, 1, 1, 1},
  {"loop 2", 1, 16, 15, 15, 1},
  {"between 2 and 3", 0, 1, 1, 1, 1},
  {"loop 3", 1, 5, 4, 4, 1},
  {"epilogue", 0, 1, 1, 1, 1},
};
static const size_t buffer_bytes[] = {8, 8, 8, 8, 8, 8, 8, 8, 8, 8};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09}};
static const struct skel_program program = {
  .ranks = 2, .scale = 10,
  .phases = 7, .phase = phases,
  .buffers = 10, .buffer_rows = 1, .buffer_bytes = buffer_bytes,
  .machine_rows = 1, .machine = machines,
};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* one of 8 iterations */
static void iteration_1(void) {
  for (long j = 0; j < 3; j++) { /* 16.3 % of the traced time */
    if (j > 0) compute(gap[3]); /* 1 ms */
    MPI_Irecv(skel_buffer(buf_1[j]), 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &req[request_2[j]]);
  }
  compute(gap[4]); /* 100 us */
  for (long j = 0; j < 3; j++) { /* 17.2 % of the traced time */
    if (j > 0) compute(gap[5]); /* 1 ms */
    MPI_Isend(skel_buffer(buf_3[j]), 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &req[request_4[j]]);
  }
  compute(gap[6]); /* 100 us */
  MPI_Waitall(6, req, status);
}

/* 4.51 ms in the traced run */
static void prologue(void) {
  compute(gap[0]); /* 100 us */
  MPI_Comm_rank(MPI_COMM_WORLD, &got.rank);
  compute(gap[1]); /* 100 us */
  MPI_Comm_size(MPI_COMM_WORLD, &got.size);
  compute(gap[2]); /* 100 us */
  iteration_1();
}

/* 7 iterations after the first, 7 of them run here; 41.6 % of the traced time */
static void loop_1(void) {
  const long kept = skel_kept(1);
  for (long n = 0; n < kept; n++) {
    compute(gap[7]); /* 1 ms */
    iteration_1();
  }
}

/* one of 16 iterations */
static void iteration_2(void) {
  for (long j = 0; j < 2; j++) { /* 16.4 % of the traced time */
    if (j > 0) compute(gap[9]); /* 1 ms */
    MPI_Irecv(skel_buffer(buf_5[j]), 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &req[request_6[j]]);
  }
  compute(gap[10]); /* 100 us */
  for (long j = 0; j < 2; j++) { /* 18.0 % of the traced time */
    if (j > 0) compute(gap[11]); /* 1 ms */
    MPI_Isend(skel_buffer(buf_7[j]), 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &req[request_8[j]]);
  }
  compute(gap[12]); /* 100 us */
  MPI_Waitall(4, req, status);
}

/* 2.3 ms in the traced run */
static void between_1_and_2(void) {
  compute(gap[8]); /* 100 us */
  iteration_2();
}

/* 15 iterations after the first, 15 of them run here; 51.4 % of the traced time */
static void loop_2(void) {
  const long kept = skel_kept(3);
  for (long n = 0; n < kept; n++) {
    compute(gap[13]); /* 1 ms */
    iteration_2();
  }
}

/* one of 5 iterations */
static void iteration_3(void) { MPI_Waitall(0, NULL, status); }

/* 101 us in the traced run */
static void between_2_and_3(void) {
  compute(gap[14]); /* 100 us */
  iteration_3();
}

/* 4 iterations after the first, 4 of them run here; 4.2 % of the traced time */
static void loop_3(void) {
  const long kept = skel_kept(5);
  for (long n = 0; n < kept; n++) {
    compute(gap[15]); /* 1 ms */
    iteration_3();
  }
}

/* 2.61 ms in the traced run */
static void epilogue(void) {
  compute(gap[16]); /* 100 us */
  for (long i = 0; i < 2; i++) { /* 1.1 % of the traced time */
    if (i > 0) compute(gap[17]); /* 1 ms */
    MPI_Irecv(buf(i, 0), 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &req[i]);
  }
  compute(gap[18]); /* 100 us */
  for (long i = 0; i < 2; i++) { /* 1.1 % of the traced time */
    if (i > 0) compute(gap[19]); /* 1 ms */
    MPI_Isend(buf(3 + i, 0), 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &req[2 + i]);
  }
  compute(gap[20]); /* 100 us */
  MPI_Waitall(4, req, status);
  compute(gap[21]); /* 100 us */
  MPI_Allreduce(buf(6, 0), buf(7, 0), 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  compute(gap[22]); /* 100 us */
  MPI_Allreduce(buf(8, 0), buf(9, 0), 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  compute(gap[23]); /* 100 us */
}

int main(int argc, char** argv) {
  skel_start(argc, argv);
  MPI_Init(&argc, &argv);
  skel_init(&program);
  skel_phase(0);
  prologue();
  skel_phase(1);
  loop_1();
  skel_phase(2);
  between_1_and_2();
  skel_phase(3);
  loop_2();
  skel_phase(4);
  between_2_and_3();
  skel_phase(5);
  loop_3();
  skel_phase(6);
  epilogue();
  skel_report();
  MPI_Finalize();
  return skel_finish();
}
