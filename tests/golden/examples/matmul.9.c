/* Performance skeleton of an MPI program with 9 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 35.1 ms. */
#include "skel.h"

static MPI_Comm cart; /* from MPI_Cart_create */
static MPI_Status status[1];
static int cart_source, cart_dest; /* what MPI_Cart_shift returned last */
static struct { int coords[64], rank, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int direction_1[] = {1, 0};
static const int64_t disp_values_2[] = {0, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
static const int64_t disp_values_3[] = {0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
static const int64_t disp_values_4[] = {0, -2, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
static const int64_t disp_values_5[] = {-1, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
static const int64_t disp_values_6[] = {-1, -2, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
static const int64_t disp_values_7[] = {-2, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
static const int64_t disp_values_8[] = {-2, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
static const int64_t disp_values_9[] = {-2, -2, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
static const struct skel_sequence disp_10[] = {{0, 0, 32, disp_values_2}, {0, 0, 32, disp_values_3},
    {0, 0, 32, disp_values_4}, {0, 0, 31, disp_values_5}, {-1, 0, 0, NULL}, {0, 0, 31, disp_values_6},
    {0, 0, 32, disp_values_7}, {0, 0, 32, disp_values_8}, {0, 0, 32, disp_values_9}};
static const int disp_of_11[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
static const int buf_12[] = {0, 1};
/* Computation in seconds: a row for each place in the program, a column for each rank. */
static const double gap[][9] = {
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
};
static const struct skel_phase phases[] = {{"prologue", 0, 1, 0, 1, 1, 0, -1}, {"loop 1", 1, 32, 0, 31, 1, 0, 2},
    {"epilogue", 0, 1, 0, 1, 1, 0, -1}};
static const size_t buffer_bytes[] = {
  4608, 4608, 8, 8,
  4608, 4608, 8, 0,
  4608, 4608, 8, 0,
  4608, 4608, 8, 0,
  4608, 4608, 8, 0,
  4608, 4608, 8, 0,
  4608, 4608, 8, 0,
  4608, 4608, 8, 0,
  4608, 4608, 8, 0,
};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09, NULL}};
static const struct skel_program program = {.ranks = 9, .scale = 10, .phases = 3, .phase = phases, .buffers = 4,
    .buffer_rows = 9, .buffer_bytes = buffer_bytes, .machine_rows = 1, .machine = machines};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* 607 us in the traced run */
static void prologue(void) {
  compute(gap[0]); /* 100 us */
  MPI_Comm_size(MPI_COMM_WORLD, &got.size);
  compute(gap[1]); /* 100 us */
  MPI_Cart_create(MPI_COMM_WORLD, 2, (const int[]){3, 3}, (const int[]){1, 1}, 1, &cart);
  compute(gap[2]); /* 100 us */
  MPI_Comm_rank(cart, &got.rank);
  compute(gap[3]); /* 100 us */
  MPI_Cart_coords(cart, rank_in(cart), 2, got.coords);
}

static void loop_1(void) {
  compute(gap[4]); /* 100 us */
  for (long i = 0; i < 32; i = skel_step(1, i, 32)) { /* 98.0 % of the traced time; 32 of 32 iterations run */
    if (i > 0) compute(gap[5]); /* 1 ms */
    MPI_Cart_shift(cart, direction_1[i % 2], (int)skel_at(&disp_10[disp_of_11[rank]], i), &cart_source, &cart_dest);
    compute(gap[6]); /* 100 us */
    MPI_Sendrecv_replace(buf(buf_12[i % 2], 0), 576, MPI_DOUBLE, cart_dest, 0, cart_source, 0, cart, status);
  }
}

/* 303 us in the traced run */
static void epilogue(void) {
  compute(gap[7]); /* 100 us */
  MPI_Reduce(buf(2, 0), buf(3, 0), 1, MPI_DOUBLE, MPI_MAX, 0, cart);
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
