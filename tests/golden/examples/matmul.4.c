/* Performance skeleton of an MPI program with 4 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 14.2 ms. */
#include "skel.h"

static MPI_Comm cart; /* from MPI_Cart_create */
static MPI_Status status[1];
static struct { int coords[64], rank, rank_dest, rank_source, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int array_1[] = {2, 2};
static const int array_2[] = {1, 1};
static const int disp_1[] = {0, 0, -1, -1};
static const int disp_2[] = {0, 0, 0, -1};
static const int64_t buf_3[] = {0, SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(1, 0)};
static const int dest_4[] = {0, 1, 2, 1};
static const int source_5[] = {0, 1, 2, 1};
static const int direction_6[] = {1, 0, 1, 1};
static const int64_t buf_7[] = {SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(0, 0), SKEL_AT(0, 0)};
static const int dest_8[] = {1, 3, 3, 2};
static const int source_9[] = {1, 3, 3, 2};
static const int direction_10[] = {0, 1, 0, 0};
static const int64_t buf_11[] = {SKEL_AT(1, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(1, 0)};
static const int dest_12[] = {2, 0, 0, 1};
static const int source_13[] = {2, 0, 0, 1};
static const int64_t recvbuf_14[] = {SKEL_AT(3, 0), 0, 0, 0};
/* Computation in seconds: a row for each place in the program, a column for each rank. */
static const double gap[][4] = {
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0, 0.0001, 0.0001, 0.0001},
  {0, 0, 0.0001, 0.0001},
  {0, 0, 0.0001, 0.0001},
  {0, 0.0001, 0.0001, 0.0001},
  {0.0001, 0, 0, 0},
  {0.0001, 0, 0, 0},
  {0.001, 0, 0, 0},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.001, 0.001, 0.001, 0.001},
  {0, 0.0001, 0, 0},
  {0, 0.0001, 0, 0},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
};
static const struct skel_phase phases[] = {
  {"prologue", 0, 1, 1, 1, 1},
  {"loop 1", 1, 10, 9, 9, 1},
  {"epilogue", 0, 1, 1, 1, 1},
};
static const size_t buffer_bytes[] = {
  8192, 8192, 8, 8,
  8192, 8192, 8, 0,
  8192, 8192, 8, 0,
  8192, 8192, 8, 0,
};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09}};
static const struct skel_program program = {
  .ranks = 4, .scale = 10,
  .phases = 3, .phase = phases,
  .buffers = 4, .buffer_rows = 4, .buffer_bytes = buffer_bytes,
  .machine_rows = 1, .machine = machines,
};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* one of 10 iterations */
static void iteration_1(void) {
  MPI_Cart_shift(cart, direction_6[rank], -1, &got.rank_source, &got.rank_dest);
  compute(gap[12]); /* 100 us */
  MPI_Sendrecv_replace(skel_buffer(buf_7[rank]), 1024, MPI_DOUBLE, dest_8[rank], 0, source_9[rank], 0, cart, status);
  compute(gap[13]); /* 100 us */
  MPI_Cart_shift(cart, direction_10[rank], -1, &got.rank_source, &got.rank_dest);
  compute(gap[14]); /* 100 us */
  MPI_Sendrecv_replace(skel_buffer(buf_11[rank]), 1024, MPI_DOUBLE, dest_12[rank], 0, source_13[rank], 0, cart, status);
}

/* 2.11 ms in the traced run */
static void prologue(void) {
  compute(gap[0]); /* 100 us */
  MPI_Comm_size(MPI_COMM_WORLD, &got.size);
  compute(gap[1]); /* 100 us */
  MPI_Cart_create(MPI_COMM_WORLD, 2, array_1, array_2, 1, &cart);
  compute(gap[2]); /* 100 us */
  MPI_Comm_rank(cart, &got.rank);
  compute(gap[3]); /* 100 us */
  MPI_Cart_coords(cart, rank_in(cart), 2, got.coords);
  if (rank != 0) {
    compute(gap[4]); /* 100 us */
    MPI_Cart_shift(cart, 1, disp_1[rank], &got.rank_source, &got.rank_dest);
  }
  if (rank >= 2) {
    compute(gap[5]); /* 100 us */
    MPI_Sendrecv_replace(buf(0, 0), 1024, MPI_DOUBLE, rank_in(cart) ^ 1, 0, rank_in(cart) ^ 1, 0, cart, status);
    compute(gap[6]); /* 100 us */
    MPI_Cart_shift(cart, 0, disp_2[rank], &got.rank_source, &got.rank_dest);
  }
  if (rank != 0) {
    compute(gap[7]); /* 100 us */
    MPI_Sendrecv_replace(skel_buffer(buf_3[rank]), 1024, MPI_DOUBLE, dest_4[rank], 0, source_5[rank], 0, cart, status);
  } else {
    compute(gap[8]); /* 100 us */
    for (long i = 0; i < 2; i++) { /* 2.4 % of the traced time */
      if (i > 0) compute(gap[10]); /* 1 ms */
      MPI_Cart_shift(cart, (int)(1 - i), 0, &got.rank_source, &got.rank_dest);
      compute(gap[9]); /* 100 us */
      MPI_Sendrecv_replace(buf(i, 0), 1024, MPI_DOUBLE, 0, 0, 0, 0, cart, status);
    }
  }
  compute(gap[11]); /* 100 us */
  iteration_1();
}

/* 9 iterations after the first, 9 of them run here; 90.1 % of the traced time */
static void loop_1(void) {
  const long kept = skel_kept(1);
  for (long n = 0; n < kept; n++) {
    compute(gap[15]); /* 1 ms */
    iteration_1();
  }
}

/* 505 us in the traced run */
static void epilogue(void) {
  if (rank == 1) {
    compute(gap[16]); /* 100 us */
    MPI_Cart_shift(cart, 0, -1, &got.rank_source, &got.rank_dest);
    compute(gap[17]); /* 100 us */
    MPI_Sendrecv_replace(buf(1, 0), 1024, MPI_DOUBLE, 3, 0, 3, 0, cart, status);
  }
  compute(gap[18]); /* 100 us */
  MPI_Reduce(buf(2, 0), skel_buffer(recvbuf_14[rank]), 1, MPI_DOUBLE, MPI_MAX, 0, cart);
  compute(gap[19]); /* 100 us */
  MPI_Comm_free(&cart);
  compute(gap[20]); /* 100 us */
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
  epilogue();
  skel_report();
  MPI_Finalize();
  return skel_finish();
}
