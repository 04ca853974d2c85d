/* Performance skeleton of an MPI program with 2 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 221 ms. */
#include "skel.h"

static MPI_Comm split; /* from MPI_Comm_split */
static MPI_Comm split2; /* from MPI_Comm_split */
static MPI_Status status[1];
static struct { int rank, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int sendbuf_1[] = {1, 3};
static const int recvbuf_2[] = {2, 4};
static const int count_3[] = {1, 72};
static const int offset_4[] = {0, 288};
/* Computation in seconds: a row for each place in the program, a column for each rank. */
static const double gap[][2] = {
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
};
static const struct skel_phase phases[] = {{"prologue", 0, 1, 0, 1, 1, 0, -1}, {"loop 1", 1, 5, 0, 4, 1, 0, 3},
    {"loop 1.1", 1, 30, 0, 19, 1, 1, -1}, {"epilogue", 0, 1, 0, 1, 1, 0, -1}};
static const size_t buffer_bytes[] = {
  288, 8, 8, 576, 576, 288, 8, 8,
  288, 8, 8, 576, 576, 288, 8, 0,
};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09, NULL}};
static const struct skel_program program = {.ranks = 2, .scale = 10, .phases = 4, .phase = phases, .buffers = 8,
    .buffer_rows = 2, .buffer_bytes = buffer_bytes, .machine_rows = 1, .machine = machines};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* 1.91 ms in the traced run */
static void prologue(void) {
  compute(gap[0]); /* 100 us */
  MPI_Comm_size(MPI_COMM_WORLD, &got.size);
  compute(gap[1]); /* 100 us */
  MPI_Comm_rank(MPI_COMM_WORLD, &got.rank);
  compute(gap[2]); /* 100 us */
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &split);
  compute(gap[3]); /* 100 us */
  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &split2);
}

static void loop_1(void) {
  compute(gap[4]); /* 100 us */
  for (long i = 0; i < 5; i = skel_step(1, i, 5)) { /* 99.8 % of the traced time; 5 of 5 iterations run */
    if (i > 0) compute(gap[5]); /* 1 ms */
    MPI_Bcast(buf(0, 0), 36, MPI_DOUBLE_PRECISION, 0, split2);
    compute(gap[6]); /* 100 us */
    for (long j = 0; j < 30; j = skel_step(2, j, 30)) { /* 98.4 % of the traced time; 100 of 150 iterations run */
      if (j > 0) compute(gap[7]); /* 1 ms */
      for (long k = 0; k < 2; k++) { /* 45.3 % of the traced time */
        if (k > 0) compute(gap[8]); /* 1 ms */
        MPI_Allreduce(buf(sendbuf_1[k], 0), buf(recvbuf_2[k], 0), count_3[k], MPI_DOUBLE_PRECISION, MPI_SUM, split);
      }
      compute(gap[9]); /* 100 us */
      MPI_Sendrecv(buf(4, offset_4[rank]), 36, MPI_DOUBLE_PRECISION, rank, 1, buf(5, 0), 36, MPI_DOUBLE_PRECISION, rank,
          1, MPI_COMM_WORLD, status);
      compute(gap[10]); /* 100 us */
      MPI_Allreduce(buf(1, 0), buf(2, 0), 1, MPI_DOUBLE_PRECISION, MPI_SUM, split);
    }
    compute(gap[11]); /* 100 us */
    MPI_Allreduce(buf(1, 0), buf(2, 0), 1, MPI_DOUBLE_PRECISION, MPI_SUM, split);
  }
}

/* 404 us in the traced run */
static void epilogue(void) {
  compute(gap[12]); /* 100 us */
  MPI_Reduce(buf(6, 0), buf(7, 0), 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD);
  compute(gap[13]); /* 100 us */
  MPI_Comm_free(&split);
  compute(gap[14]); /* 100 us */
  MPI_Comm_free(&split2);
  compute(gap[15]); /* 100 us */
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
