/* Performance skeleton of an MPI program with 2 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 158 ms. */
#include "skel.h"

static MPI_Comm cart; /* from MPI_Cart_create */
static MPI_Status status[1];
static struct { int coords[64], rank, rank_dest, rank_source, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int trips_1[] = {5, 6};
static const int64_t trips_values_2[] = {0, 16, 16, 16, 16, 16};
static const struct skel_sequence trips_3[] = {{16, 0, 0, NULL}, {0, 0, 6, trips_values_2}};
static const int trips_of_4[] = {0, 1};
static const int tag_5[] = {1, 3};
static const int64_t trips_values_6[] = {16, 16, 16, 16, 16, 0};
static const struct skel_sequence trips_7[] = {{16, 0, 0, NULL}, {0, 0, 6, trips_values_6}};
static const int tag_8[] = {3, 1};
static const int64_t recvbuf_9[] = {SKEL_AT(2, 0), 0};
/* Computation in seconds: a row for each place in the program, a column for each rank. */
static const double gap[][2] = {
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
};
static const struct skel_phase phases[] = {
  {"whole run", 0, 1, 1, 1, 1},
};
static const size_t buffer_bytes[] = {
  128, 8, 8,
  128, 8, 0,
};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09}};
static const struct skel_program program = {
  .ranks = 2, .scale = 10,
  .phases = 1, .phase = phases,
  .buffers = 3, .buffer_rows = 2, .buffer_bytes = buffer_bytes,
  .machine_rows = 1, .machine = machines,
};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* 158 ms in the traced run */
static void whole_run(void) {
  compute(gap[0]); /* 100 us */
  MPI_Comm_size(MPI_COMM_WORLD, &got.size);
  compute(gap[1]); /* 100 us */
  skel_dims_create(2, 2, (const int[]){0, 0});
  compute(gap[2]); /* 100 us */
  MPI_Cart_create(MPI_COMM_WORLD, 2, (const int[]){2, 1}, (const int[]){0, 0}, 1, &cart);
  compute(gap[3]); /* 100 us */
  MPI_Comm_rank(cart, &got.rank);
  compute(gap[4]); /* 100 us */
  MPI_Cart_coords(cart, rank_in(cart), 2, got.coords);
  compute(gap[5]); /* 100 us */
  for (long i = 0; i < 2; i++) { /* 0.7 % of the traced time */
    if (i > 0) compute(gap[6]); /* 1 ms */
    MPI_Cart_shift(cart, (int)i, 1, &got.rank_source, &got.rank_dest);
  }
  compute(gap[7]); /* 100 us */
  for (long i = 0; i < trips_1[rank]; i++) { /* 5 to 6 iterations, 98.8 % of the traced time */
    if (i > 0) compute(gap[11]); /* 1 ms */
    /* 0 to 16 iterations, 47.8 % of the traced time */
    for (long j = 0; j < skel_at(&trips_3[trips_of_4[rank]], i); j++) {
      if (j > 0) compute(gap[8]); /* 1 ms */
      MPI_Send(buf(0, 0), 16, MPI_DOUBLE_PRECISION, (rank_in(cart) + 1) % size_of(cart), tag_5[rank], cart);
    }
    compute(gap[9]); /* 100 us */
    /* 0 to 16 iterations, 48.1 % of the traced time */
    for (long j = 0; j < skel_at(&trips_7[trips_of_4[rank]], i); j++) {
      if (j > 0) compute(gap[10]); /* 1 ms */
      MPI_Recv(buf(0, 0), 16, MPI_DOUBLE_PRECISION, (rank_in(cart) + 1) % size_of(cart), tag_8[rank], cart, status);
    }
  }
  compute(gap[12]); /* 100 us */
  MPI_Reduce(buf(1, 0), skel_buffer(recvbuf_9[rank]), 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, cart);
  compute(gap[13]); /* 100 us */
  MPI_Comm_free(&cart);
  compute(gap[14]); /* 100 us */
}

int main(int argc, char** argv) {
  skel_start(argc, argv);
  MPI_Init(&argc, &argv);
  skel_init(&program);
  skel_phase(0);
  whole_run();
  skel_report();
  MPI_Finalize();
  return skel_finish();
}
