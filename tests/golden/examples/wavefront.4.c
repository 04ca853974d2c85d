/* Performance skeleton of an MPI program with 4 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 173 ms. */
#include "skel.h"

static MPI_Comm cart; /* from MPI_Cart_create */
static MPI_Status status[1];
static struct { int coords[64], rank, rank_dest, rank_source, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int64_t buf_values_1[] = {SKEL_AT(0, 0), SKEL_AT(2, 0), SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(5, 0),
    SKEL_AT(6, 0), SKEL_AT(7, 0), SKEL_AT(8, 0), SKEL_AT(9, 0), SKEL_AT(10, 0), SKEL_AT(11, 0), SKEL_AT(12, 0),
    SKEL_AT(13, 0), SKEL_AT(14, 0), SKEL_AT(15, 0), SKEL_AT(16, 0)};
static const int64_t buf_values_2[] = {SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(5, 0),
    SKEL_AT(6, 0), SKEL_AT(7, 0), SKEL_AT(8, 0), SKEL_AT(9, 0), SKEL_AT(10, 0), SKEL_AT(11, 0), SKEL_AT(12, 0),
    SKEL_AT(13, 0), SKEL_AT(14, 0), SKEL_AT(15, 0), SKEL_AT(16, 0)};
static const struct skel_sequence buf_3[] = {{0, 0, 16, buf_values_1}, {0, 0, 16, buf_values_2}};
static const int buf_of_4[] = {0, 0, 0, 1};
static const int64_t buf_5[] = {SKEL_AT(0, 0), SKEL_AT(1, 0), 0, 0};
static const int buf_6[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static const int buf_7[] = {17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
/* Computation in seconds: a row for each place in the program, a column for each rank. */
static const double gap[][4] = {
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.001, 0.001, 0.001, 0.001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.001, 0.001, 0.001, 0.001},
  {0.001, 0.001, 0.001, 0.001},
  {0, 0, 0, 0.0001},
  {0, 0.0001, 0, 0},
  {0.0001, 0, 0.0001, 0},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.001, 0.001, 0.001, 0.001},
  {0.0001, 0, 0, 0},
  {0, 0, 0.0001, 0},
  {0, 0.0001, 0, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
};
static const struct skel_phase phases[] = {{"prologue", 0, 1, 0, 1, 1, 0, -1}, {"loop 1", 1, 5, 0, 4, 1, 0, 2},
    {"epilogue", 0, 1, 0, 1, 1, 0, -1}};
static const size_t buffer_bytes[] = {
  64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 8, 8,
  64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 8, 0,
  64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 8, 0,
  64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 64, 64, 8, 0,
};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09, NULL}};
static const struct skel_program program = {.ranks = 4, .scale = 10, .phases = 3, .phase = phases, .buffers = 35,
    .buffer_rows = 4, .buffer_bytes = buffer_bytes, .machine_rows = 1, .machine = machines};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* 35.1 ms in the traced run */
static void prologue(void) {
  compute(gap[0]); /* 100 us */
  MPI_Comm_size(MPI_COMM_WORLD, &got.size);
  compute(gap[1]); /* 100 us */
  skel_dims_create(4, 2, (const int[]){0, 0});
  compute(gap[2]); /* 100 us */
  MPI_Cart_create(MPI_COMM_WORLD, 2, (const int[]){2, 2}, (const int[]){0, 0}, 1, &cart);
  compute(gap[3]); /* 100 us */
  MPI_Comm_rank(cart, &got.rank);
  compute(gap[4]); /* 100 us */
  MPI_Cart_coords(cart, rank_in(cart), 2, got.coords);
  compute(gap[5]); /* 100 us */
  for (long i = 0; i < 2; i++) { /* 0.6 % of the traced time */
    if (i > 0) compute(gap[6]); /* 1 ms */
    MPI_Cart_shift(cart, (int)i, 1, &got.rank_source, &got.rank_dest);
  }
}

static void loop_1(void) {
  compute(gap[7]); /* 100 us */
  for (long i = 0; i < 5; i = skel_step(1, i, 5)) { /* 98.9 % of the traced time; 5 of 5 iterations run */
    if (i > 0) compute(gap[8]); /* 1 ms */
    for (long j = 0; j < 16; j++) { /* 48.1 % of the traced time */
      if (j > 0) compute(gap[9]); /* 1 ms */
      if (rank >= 2) MPI_Recv(buf(0, 0), 8, MPI_DOUBLE_PRECISION, rank_in(cart) - 2, 1, cart, status);
      if (rank % 2 == 1) {
        compute(gap[10]); /* 0 ns to 100 us */
        MPI_Recv(skel_buffer(skel_at(&buf_3[buf_of_4[rank]], i * 16 + j)), 8, MPI_DOUBLE_PRECISION, rank_in(cart) - 1,
            2, cart, status);
      }
      if (rank <= 1) {
        compute(gap[11]); /* 0 ns to 100 us */
        MPI_Send(skel_buffer(buf_5[rank]), 8, MPI_DOUBLE_PRECISION, rank_in(cart) + 2, 1, cart);
      }
      if (rank % 2 == 0) {
        compute(gap[12]); /* 100 us */
        MPI_Send(buf(buf_6[j], 0), 8, MPI_DOUBLE_PRECISION, rank_in(cart) + 1, 2, cart);
      }
    }
    compute(gap[13]); /* 100 us */
    for (long j = 0; j < 16; j++) { /* 48.4 % of the traced time */
      if (j > 0) compute(gap[14]); /* 1 ms */
      if (rank <= 1) MPI_Recv(skel_buffer(buf_5[rank]), 8, MPI_DOUBLE_PRECISION, rank_in(cart) + 2, 3, cart, status);
      if (rank % 2 == 0) {
        compute(gap[15]); /* 0 ns to 100 us */
        MPI_Recv(buf(buf_7[j], 0), 8, MPI_DOUBLE_PRECISION, rank_in(cart) + 1, 4, cart, status);
      }
      if (rank >= 2) {
        compute(gap[16]); /* 0 ns to 100 us */
        MPI_Send(buf(0, 0), 8, MPI_DOUBLE_PRECISION, rank_in(cart) - 2, 3, cart);
      }
      if (rank % 2 == 1) {
        compute(gap[17]); /* 100 us */
        MPI_Send(buf(buf_7[j], 0), 8, MPI_DOUBLE_PRECISION, rank_in(cart) - 1, 4, cart);
      }
    }
  }
}

/* 303 us in the traced run */
static void epilogue(void) {
  compute(gap[18]); /* 100 us */
  MPI_Reduce(buf(33, 0), buf(34, 0), 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, cart);
  compute(gap[19]); /* 100 us */
  MPI_Comm_free(&cart);
  compute(gap[20]); /* 100 us */
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
