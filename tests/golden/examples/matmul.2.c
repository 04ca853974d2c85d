/* Performance skeleton of an MPI program with 2 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 10.8 ms. */
#include "skel.h"

static MPI_Comm cart; /* from MPI_Cart_create */
static MPI_Status status[1];
static struct { int coords[64], rank, rank_dest, rank_source, size; } got; /* what calls return and nobody reads */

/* clang-format off */
/* Computation in seconds: a row for each place in the program, a column for each rank. */
static const double gap[][2] = {
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
};
static const struct skel_phase phases[] = {{"prologue", 0, 1, 0, 1, 1, 0, -1}, {"loop 1", 1, 10, 0, 9, 1, 0, 2},
    {"epilogue", 0, 1, 0, 1, 1, 0, -1}};
static const size_t buffer_bytes[] = {
  20736, 8, 8,
  20736, 8, 0,
};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09, NULL}};
static const struct skel_program program = {.ranks = 2, .scale = 10, .phases = 3, .phase = phases, .buffers = 3,
    .buffer_rows = 2, .buffer_bytes = buffer_bytes, .machine_rows = 1, .machine = machines};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* 607 us in the traced run */
static void prologue(void) {
  compute(gap[0]); /* 100 us */
  MPI_Comm_size(MPI_COMM_WORLD, &got.size);
  compute(gap[1]); /* 100 us */
  MPI_Cart_create(MPI_COMM_WORLD, 2, (const int[]){2, 1}, (const int[]){1, 1}, 1, &cart);
  compute(gap[2]); /* 100 us */
  MPI_Comm_rank(cart, &got.rank);
  compute(gap[3]); /* 100 us */
  MPI_Cart_coords(cart, rank_in(cart), 2, got.coords);
}

static void loop_1(void) {
  compute(gap[4]); /* 100 us */
  for (long i = 0; i < 10; i = skel_step(1, i, 10)) { /* 93.5 % of the traced time; 10 of 10 iterations run */
    if (i > 0) compute(gap[5]); /* 1 ms */
    MPI_Cart_shift(cart, 0, -1, &got.rank_source, &got.rank_dest);
    compute(gap[6]); /* 100 us */
    MPI_Sendrecv_replace(buf(0, 0), 2592, MPI_DOUBLE, (rank_in(cart) + 1) % size_of(cart), 0,
        (rank_in(cart) + 1) % size_of(cart), 0, cart, status);
  }
}

/* 303 us in the traced run */
static void epilogue(void) {
  compute(gap[7]); /* 100 us */
  MPI_Reduce(buf(1, 0), buf(2, 0), 1, MPI_DOUBLE, MPI_MAX, 0, cart);
  compute(gap[8]); /* 100 us */
  MPI_Comm_free(&cart);
  compute(gap[9]); /* 100 us */
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
