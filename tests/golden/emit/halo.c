/* Performance skeleton of an MPI program with 3 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 8, expected to run 228 ms. */
#include "skel.h"

static MPI_Request req[4];
static MPI_Status status[4];

/* clang-format off */
static const int count_1[] = {10, 11, 12};
static const int offset_2[] = {0, 8, 16};
/* Computation in seconds: a row for each place in the program, a column for each rank. */
static const double gap[][3] = {
  {0.001, 0.001, 0.001},
  {0.001, 0.001, 0.001},
  {0.001, 0.001, 0.001},
  {0.0001, 0.0001, 0.0001},
};
static const struct skel_phase phases[] = {{"prologue", 0, 1, 0, 1, 1, 0, -1}, {"loop 1", 1, 600, 0, 67, 1, 0, 2},
    {"epilogue", 0, 1, 0, 1, 1, 0, -1}};
static const size_t buffer_bytes[] = {4096, 4096, 16};
static const struct skel_machine machines[] = {{1048576, 0, 0, NULL}};
static const struct skel_program program = {.ranks = 3, .scale = 8, .phases = 3, .phase = phases, .buffers = 3,
    .buffer_rows = 1, .buffer_bytes = buffer_bytes, .machine_rows = 1, .machine = machines};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* 2.01 ms in the traced run */
static void prologue(void) { MPI_Barrier(MPI_COMM_WORLD); }

static void loop_1(void) {
  for (long i = 0; i < 600; i = skel_step(1, i, 600)) { /* 100.0 % of the traced time; 76 of 600 iterations run */
    if (i > 0) compute(gap[0]); /* 1 ms */
    MPI_Irecv(buf(0, 0), count_1[i % 3], MPI_DOUBLE, skel_rank(rank - 1, size), 1, MPI_COMM_WORLD, &req[0]);
    MPI_Irecv(buf(0, 2048), count_1[i % 3], MPI_DOUBLE, skel_rank(rank + 1, size), 2, MPI_COMM_WORLD, &req[1]);
    compute(gap[1]); /* 1 ms */
    MPI_Isend(buf(1, offset_2[i % 3]), count_1[i % 3], MPI_DOUBLE, skel_rank(rank + 1, size), 1, MPI_COMM_WORLD,
        &req[2]);
    MPI_Isend(buf(1, offset_2[i % 3]), count_1[i % 3], MPI_DOUBLE, skel_rank(rank - 1, size), 2, MPI_COMM_WORLD,
        &req[3]);
    compute(gap[2]); /* 1 ms */
    MPI_Waitall(4, req, status);
    MPI_Allreduce(buf(2, 0), buf(2, 8), 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

/* 101 us in the traced run */
static void epilogue(void) { compute(gap[3]); /* 100 us */ }

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
