/* Performance skeleton of an MPI program with 9 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 205 ms. */
#include "skel.h"

static MPI_Comm cart; /* from MPI_Cart_create */
static MPI_Status status[1];
static struct { int coords[64], rank, rank_dest, rank_source, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int count_1[] = {0, 0, 0, 5, 5, 6, 5, 5, 6};
static const int64_t buf_values_2[] = {SKEL_AT(0, 0), SKEL_AT(3, 0), SKEL_AT(5, 0), SKEL_AT(7, 0), SKEL_AT(9, 0),
    SKEL_AT(11, 0), SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0),
    SKEL_AT(25, 0), SKEL_AT(27, 0), SKEL_AT(29, 0), SKEL_AT(31, 0)};
static const int64_t buf_values_3[] = {SKEL_AT(0, 0), SKEL_AT(2, 0), SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(5, 0),
    SKEL_AT(6, 0), SKEL_AT(7, 0), SKEL_AT(8, 0), SKEL_AT(9, 0), SKEL_AT(10, 0), SKEL_AT(11, 0), SKEL_AT(12, 0),
    SKEL_AT(13, 0), SKEL_AT(14, 0), SKEL_AT(15, 0), SKEL_AT(16, 0)};
static const int64_t buf_values_4[] = {SKEL_AT(1, 0), SKEL_AT(3, 0), SKEL_AT(5, 0), SKEL_AT(7, 0), SKEL_AT(9, 0),
    SKEL_AT(11, 0), SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0),
    SKEL_AT(25, 0), SKEL_AT(27, 0), SKEL_AT(29, 0), SKEL_AT(31, 0)};
static const int64_t buf_values_5[] = {SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(5, 0),
    SKEL_AT(6, 0), SKEL_AT(7, 0), SKEL_AT(8, 0), SKEL_AT(9, 0), SKEL_AT(10, 0), SKEL_AT(11, 0), SKEL_AT(12, 0),
    SKEL_AT(13, 0), SKEL_AT(14, 0), SKEL_AT(15, 0), SKEL_AT(16, 0)};
static const struct skel_sequence buf_6[] = {{0, 0, 16, buf_values_2}, {0, 0, 16, buf_values_3},
    {0, 0, 16, buf_values_4}, {0, 0, 16, buf_values_5}};
static const int buf_of_7[] = {0, 0, 1, 0, 2, 3, 0, 2, 3};
static const int count_8[] = {0, 5, 5, 0, 5, 5, 0, 6, 6};
static const int64_t buf_9[] = {SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(1, 0), SKEL_AT(0, 0), SKEL_AT(0, 0),
    SKEL_AT(0, 0), 0, 0, 0};
static const int count_10[] = {5, 5, 6, 5, 5, 6, 0, 0, 0};
static const int64_t buf_values_11[] = {SKEL_AT(2, 0), SKEL_AT(4, 0), SKEL_AT(6, 0), SKEL_AT(8, 0), SKEL_AT(10, 0),
    SKEL_AT(12, 0), SKEL_AT(14, 0), SKEL_AT(16, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(24, 0),
    SKEL_AT(26, 0), SKEL_AT(28, 0), SKEL_AT(30, 0), SKEL_AT(32, 0)};
static const struct skel_sequence buf_12[] = {{0, 0, 16, buf_values_5}, {0, 0, 16, buf_values_11}};
static const int buf_of_13[] = {0, 1, 0, 0, 1, 0, 0, 1, 0};
static const int count_14[] = {5, 5, 0, 5, 5, 0, 6, 6, 0};
static const int64_t buf_values_15[] = {SKEL_AT(17, 0), SKEL_AT(18, 0), SKEL_AT(19, 0), SKEL_AT(20, 0), SKEL_AT(21, 0),
    SKEL_AT(22, 0), SKEL_AT(23, 0), SKEL_AT(24, 0), SKEL_AT(25, 0), SKEL_AT(26, 0), SKEL_AT(27, 0), SKEL_AT(28, 0),
    SKEL_AT(29, 0), SKEL_AT(30, 0), SKEL_AT(31, 0), SKEL_AT(32, 0)};
static const int64_t buf_values_16[] = {SKEL_AT(33, 0), SKEL_AT(35, 0), SKEL_AT(37, 0), SKEL_AT(39, 0), SKEL_AT(41, 0),
    SKEL_AT(43, 0), SKEL_AT(45, 0), SKEL_AT(47, 0), SKEL_AT(49, 0), SKEL_AT(51, 0), SKEL_AT(53, 0), SKEL_AT(55, 0),
    SKEL_AT(57, 0), SKEL_AT(59, 0), SKEL_AT(61, 0), SKEL_AT(63, 0)};
static const struct skel_sequence buf_17[] = {{0, 0, 16, buf_values_15}, {0, 0, 16, buf_values_16}};
static const int64_t buf_values_18[] = {SKEL_AT(34, 0), SKEL_AT(36, 0), SKEL_AT(38, 0), SKEL_AT(40, 0), SKEL_AT(42, 0),
    SKEL_AT(44, 0), SKEL_AT(46, 0), SKEL_AT(48, 0), SKEL_AT(50, 0), SKEL_AT(52, 0), SKEL_AT(54, 0), SKEL_AT(56, 0),
    SKEL_AT(58, 0), SKEL_AT(60, 0), SKEL_AT(62, 0), SKEL_AT(64, 0)};
static const struct skel_sequence buf_19[] = {{0, 0, 16, buf_values_18}, {0, 0, 16, buf_values_15}};
static const int buf_of_20[] = {0, 0, 1, 0, 0, 1, 0, 0, 1};
static const int64_t sendbuf_21[] = {SKEL_AT(33, 0), SKEL_AT(65, 0), SKEL_AT(33, 0), SKEL_AT(33, 0), SKEL_AT(65, 0),
    SKEL_AT(33, 0), SKEL_AT(33, 0), SKEL_AT(65, 0), SKEL_AT(33, 0)};
/* Computation in seconds: a row for each place in the program, a column for each rank. */
static const double gap[][9] = {
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001},
  {0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001},
  {0, 0, 0, 0, 0.0001, 0.0001, 0, 0.0001, 0.0001},
  {0, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0, 0, 0},
  {0.0001, 0.0001, 0, 0.0001, 0.0001, 0, 0.0001, 0.0001, 0},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001},
  {0.0001, 0.0001, 0, 0.0001, 0.0001, 0, 0, 0, 0},
  {0, 0, 0, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0},
  {0, 0.0001, 0.0001, 0, 0.0001, 0.0001, 0, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
};
static const struct skel_phase phases[] = {{"prologue", 0, 1, 0, 1, 1, 0, -1}, {"loop 1", 1, 5, 0, 4, 1, 0, 2},
    {"epilogue", 0, 1, 0, 1, 1, 0, -1}};
static const size_t buffer_bytes[] = {
  40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40,
    40, 40, 40, 40, 8, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40,
    40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40,
    40, 40, 40, 40, 40, 40, 40, 8,
  40, 48, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40,
    40, 40, 40, 40, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40,
    40, 40, 40, 40, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40,
    40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40,
    40, 40, 40, 40, 40, 40, 40, 8,
  48, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40,
    40, 40, 40, 40, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  40, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48,
    48, 48, 48, 48, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  40, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48,
    48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48,
    48, 48, 48, 48, 48, 48, 48, 8,
  48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48,
    48, 48, 48, 48, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09, NULL}};
static const struct skel_program program = {.ranks = 9, .scale = 10, .phases = 3, .phase = phases, .buffers = 66,
    .buffer_rows = 9, .buffer_bytes = buffer_bytes, .machine_rows = 1, .machine = machines};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* 41.5 ms in the traced run */
static void prologue(void) {
  compute(gap[0]); /* 100 us */
  MPI_Comm_size(MPI_COMM_WORLD, &got.size);
  compute(gap[1]); /* 100 us */
  skel_dims_create(9, 2, (const int[]){0, 0});
  compute(gap[2]); /* 100 us */
  MPI_Cart_create(MPI_COMM_WORLD, 2, (const int[]){3, 3}, (const int[]){0, 0}, 1, &cart);
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
  for (long i = 0; i < 5; i = skel_step(1, i, 5)) { /* 99.0 % of the traced time; 5 of 5 iterations run */
    if (i > 0) compute(gap[8]); /* 1 ms */
    for (long j = 0; j < 16; j++) { /* 48.2 % of the traced time */
      if (j > 0) compute(gap[9]); /* 1 ms */
      if (rank >= 3) MPI_Recv(buf(0, 0), count_1[rank], MPI_DOUBLE_PRECISION, rank_in(cart) - 3, 1, cart, status);
      if (rank % 3 >= 1) {
        compute(gap[10]); /* 0 ns to 100 us */
        MPI_Recv(skel_buffer(skel_at(&buf_6[buf_of_7[rank]], i * 16 + j)), count_8[rank], MPI_DOUBLE_PRECISION,
            rank_in(cart) - 1, 2, cart, status);
      }
      if (rank <= 5) {
        compute(gap[11]); /* 0 ns to 100 us */
        MPI_Send(skel_buffer(buf_9[rank]), count_10[rank], MPI_DOUBLE_PRECISION, rank_in(cart) + 3, 1, cart);
      }
      if (rank % 3 < 2) {
        compute(gap[12]); /* 100 us */
        MPI_Send(skel_buffer(skel_at(&buf_12[buf_of_13[rank]], i * 16 + j)), count_14[rank], MPI_DOUBLE_PRECISION,
            rank_in(cart) + 1, 2, cart);
      }
    }
    compute(gap[13]); /* 100 us */
    for (long j = 0; j < 16; j++) { /* 48.5 % of the traced time */
      if (j > 0) compute(gap[14]); /* 1 ms */
      if (rank <= 5)
        MPI_Recv(skel_buffer(buf_9[rank]), count_10[rank], MPI_DOUBLE_PRECISION, rank_in(cart) + 3, 3, cart, status);
      if (rank % 3 < 2) {
        compute(gap[15]); /* 0 ns to 100 us */
        MPI_Recv(skel_buffer(skel_at(&buf_17[buf_of_13[rank]], i * 16 + j)), count_14[rank], MPI_DOUBLE_PRECISION,
            rank_in(cart) + 1, 4, cart, status);
      }
      if (rank >= 3) {
        compute(gap[16]); /* 0 ns to 100 us */
        MPI_Send(buf(0, 0), count_1[rank], MPI_DOUBLE_PRECISION, rank_in(cart) - 3, 3, cart);
      }
      if (rank % 3 >= 1) {
        compute(gap[17]); /* 100 us */
        MPI_Send(skel_buffer(skel_at(&buf_19[buf_of_20[rank]], i * 16 + j)), count_8[rank], MPI_DOUBLE_PRECISION,
            rank_in(cart) - 1, 4, cart);
      }
    }
  }
}

/* 303 us in the traced run */
static void epilogue(void) {
  compute(gap[18]); /* 100 us */
  MPI_Reduce(skel_buffer(sendbuf_21[rank]), buf(34, 0), 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, cart);
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
