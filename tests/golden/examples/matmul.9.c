/* Performance skeleton of an MPI program with 9 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 19.8 ms. */
#include "skel.h"

static MPI_Comm cart; /* from MPI_Cart_create */
static MPI_Status status[1];
static int cart_minus[2], cart_plus[2]; /* neighbours in each dimension */
static int cart_source, cart_dest; /* what MPI_Cart_shift returned last */
static struct { int coords[64], rank, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int disp_1[] = {0, 0, 0, -1, -1, -1, -2, -2, -2};
static const int disp_2[] = {0, -1, -2, 0, -1, -2, 0, -1, -2};
/* Computation in seconds: a row for each place in the program, a column for each rank. */
static const double gap[][9] = {
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
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
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
};
static const struct skel_phase phases[] = {{"prologue", 0, 1, 0, 1, 1, 0, -1}, {"loop 1", 1, 15, 0, 14, 1, 0, 2},
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

/* 1.21 ms in the traced run */
static void prologue(void) {
  compute(gap[0]); /* 100 us */
  MPI_Comm_size(MPI_COMM_WORLD, &got.size);
  compute(gap[1]); /* 100 us */
  MPI_Cart_create(MPI_COMM_WORLD, 2, (const int[]){3, 3}, (const int[]){1, 1}, 1, &cart);
  compute(gap[2]); /* 100 us */
  MPI_Comm_rank(cart, &got.rank);
  compute(gap[3]); /* 100 us */
  MPI_Cart_coords(cart, rank_in(cart), 2, got.coords);
  compute(gap[4]); /* 100 us */
  MPI_Cart_shift(cart, 1, disp_1[rank], &cart_source, &cart_dest);
  compute(gap[5]); /* 100 us */
  MPI_Sendrecv_replace(buf(0, 0), 576, MPI_DOUBLE, cart_dest, 0, cart_source, 0, cart, status);
  compute(gap[6]); /* 100 us */
  MPI_Cart_shift(cart, 0, disp_2[rank], &cart_source, &cart_dest);
  compute(gap[7]); /* 100 us */
  MPI_Sendrecv_replace(buf(1, 0), 576, MPI_DOUBLE, cart_dest, 0, cart_source, 0, cart, status);
}

static void loop_1(void) {
  compute(gap[8]); /* 100 us */
  for (long i = 0; i < 15; i = skel_step(1, i, 15)) { /* 94.4 % of the traced time; 15 of 15 iterations run */
    if (i > 0) compute(gap[9]); /* 1 ms */
    MPI_Cart_shift(cart, 1, -1, &cart_plus[1], &cart_minus[1]);
    compute(gap[10]); /* 100 us */
    MPI_Sendrecv_replace(buf(0, 0), 576, MPI_DOUBLE, cart_minus[1], 0, cart_plus[1], 0, cart, status);
    compute(gap[11]); /* 100 us */
    MPI_Cart_shift(cart, 0, -1, &cart_plus[0], &cart_minus[0]);
    compute(gap[12]); /* 100 us */
    MPI_Sendrecv_replace(buf(1, 0), 576, MPI_DOUBLE, skel_mod(rank_in(cart) - 3, size_of(cart)), 0,
        (rank_in(cart) + 3) % size_of(cart), 0, cart, status);
  }
}

/* 303 us in the traced run */
static void epilogue(void) {
  compute(gap[13]); /* 100 us */
  MPI_Reduce(buf(2, 0), buf(3, 0), 1, MPI_DOUBLE, MPI_MAX, 0, cart);
  compute(gap[14]); /* 100 us */
  MPI_Comm_free(&cart);
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
