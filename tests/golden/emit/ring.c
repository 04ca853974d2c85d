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
static const struct skel_phase phases[] = {{"prologue", 0, 1, 1, 1, 1}, {"loop 1", 1, 1001, 250, 200, 1},
    {"epilogue", 0, 1, 1, 1, 1}};
static const size_t buffer_bytes[] = {800};
static const struct skel_machine machines[] = {{1048576, 0, 0}};
static const struct skel_program program = {.ranks = 4, .scale = 4, .phases = 3, .phase = phases, .buffers = 1,
    .buffer_rows = 1, .buffer_bytes = buffer_bytes, .machine_rows = 1, .machine = machines};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* one of 1001 iterations */
static void iteration_1(void) {
  if (rank == 0) {
    MPI_Send(buf(0, 0), 100, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);
    MPI_Recv(buf(0, 0), 100, MPI_DOUBLE, 3, 7, MPI_COMM_WORLD, status);
  } else {
    MPI_Recv(buf(0, 0), 100, MPI_DOUBLE, (rank + size - 1) % size, 7, MPI_COMM_WORLD, status);
    MPI_Send(buf(0, 0), 100, MPI_DOUBLE, (rank + 1) % size, 7, MPI_COMM_WORLD);
  }
}

/* 3 us in the traced run */
static void prologue(void) { iteration_1(); }

/* 1000 iterations after the first, 250 of them run here; 100.0 % of the traced time */
static void loop_1(void) {
  const long kept = skel_kept(1);
  for (long n = 0; n < kept; n++) {
    compute(gap[0]); /* 1 ms */
    iteration_1();
  }
}

/* 101 us in the traced run */
static void epilogue(void) { compute(gap[1]); /* 100 us */ }

int main(int argc, char** argv) {
  skel_start(argc, argv);
  MPI_Init(&argc, &argv);
  skel_init(&program);
  skel_run(0, prologue);
  skel_run(1, loop_1);
  skel_run(2, epilogue);
  skel_report();
  MPI_Finalize();
  return skel_finish();
}
