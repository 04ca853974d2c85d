/* Performance skeleton of an MPI program with 4 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 4, expected to run 251 ms. */
#include "skel.h"

static MPI_Status status[1];

/* clang-format off */
/* Computation in seconds: a row for each place in the program, a column for each rank. */
static const double gap[][4] = {
  {0.001, 0.001, 0.001, 0.001},
  {0.0001, 0.0001, 0.0001, 0.0001},
};
static const struct skel_phase phases[] = {{"prologue", 0, 1, 0, 1, 1, 0, -1}, {"loop 1", 1, 1001, 0, 200, 1, 0, 2},
    {"epilogue", 0, 1, 0, 1, 1, 0, -1}};
static const size_t buffer_bytes[] = {800};
static const struct skel_machine machines[] = {{1048576, 0, 0, NULL}};
static const struct skel_program program = {.ranks = 4, .scale = 4, .phases = 3, .phase = phases, .buffers = 1,
    .buffer_rows = 1, .buffer_bytes = buffer_bytes, .machine_rows = 1, .machine = machines};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

static void loop_1(void) {
  for (long i = 0; i < 1001; i = skel_step(1, i, 1001)) { /* 100.0 % of the traced time; 251 of 1001 iterations run */
    if (i > 0) compute(gap[0]); /* 1 ms */
    if (rank == 0) {
      MPI_Send(buf(0, 0), 100, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);
      MPI_Recv(buf(0, 0), 100, MPI_DOUBLE, 3, 7, MPI_COMM_WORLD, status);
    } else {
      MPI_Recv(buf(0, 0), 100, MPI_DOUBLE, (rank + size - 1) % size, 7, MPI_COMM_WORLD, status);
      MPI_Send(buf(0, 0), 100, MPI_DOUBLE, (rank + 1) % size, 7, MPI_COMM_WORLD);
    }
  }
}

/* 101 us in the traced run */
static void epilogue(void) { compute(gap[1]); /* 100 us */ }

int main(int argc, char** argv) {
  skel_start(argc, argv);
  MPI_Init(&argc, &argv);
  skel_init(&program);
  loop_1();
  epilogue();
  skel_report();
  MPI_Finalize();
  return skel_finish();
}
