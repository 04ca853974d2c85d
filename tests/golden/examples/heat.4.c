/* Performance skeleton of an MPI program with 4 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 39.1 ms. */
#include "skel.h"

static MPI_Comm cart; /* from MPI_Cart_create */
static MPI_Request req[8];
static MPI_Status status[8];
static int cart_minus[2], cart_plus[2]; /* neighbours in each dimension */
static struct { int coords[64], rank, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int64_t buf_1[] = {SKEL_AT(0, 0), SKEL_AT(8, 0)};
static const int64_t buf_2[] = {SKEL_AT(1, 0), SKEL_AT(9, 0)};
static const int64_t buf_3[] = {SKEL_AT(4, 0), SKEL_AT(10, 0)};
static const int64_t buf_4[] = {SKEL_AT(5, 0), SKEL_AT(11, 0)};
static const int trips_5[] = {0, 0, 0, 0, 1};
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
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.001, 0.001, 0.001, 0.001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
};
static const struct skel_phase phases[] = {
  {"prologue", 0, 1, 1, 1, 1},
  {"loop 1", 1, 20, 19, 19, 1},
  {"epilogue", 0, 1, 1, 1, 1},
};
static const size_t buffer_bytes[] = {128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 8, 8};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09}};
static const struct skel_program program = {
  .ranks = 4, .scale = 10,
  .phases = 3, .phase = phases,
  .buffers = 14, .buffer_rows = 1, .buffer_bytes = buffer_bytes,
  .machine_rows = 1, .machine = machines,
};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* one of 20 iterations; i says which */
static void iteration_1(long i) {
  MPI_Irecv(skel_buffer(buf_1[i % 2]), 16, MPI_DOUBLE, cart_minus[0], 1, cart, &req[0]);
  compute(gap[8]); /* 100 us */
  MPI_Irecv(skel_buffer(buf_2[i % 2]), 16, MPI_DOUBLE, cart_plus[0], 0, cart, &req[1]);
  compute(gap[9]); /* 100 us */
  MPI_Irecv(buf(2, 0), 16, MPI_DOUBLE, cart_minus[1], 3, cart, &req[2]);
  compute(gap[10]); /* 100 us */
  MPI_Irecv(buf(3, 0), 16, MPI_DOUBLE, cart_plus[1], 2, cart, &req[3]);
  compute(gap[11]); /* 100 us */
  MPI_Isend(skel_buffer(buf_3[i % 2]), 16, MPI_DOUBLE, cart_minus[0], 0, cart, &req[4]);
  compute(gap[12]); /* 100 us */
  MPI_Isend(skel_buffer(buf_4[i % 2]), 16, MPI_DOUBLE, cart_plus[0], 1, cart, &req[5]);
  compute(gap[13]); /* 100 us */
  MPI_Isend(buf(6, 0), 16, MPI_DOUBLE, cart_minus[1], 2, cart, &req[6]);
  compute(gap[14]); /* 100 us */
  MPI_Isend(buf(7, 0), 16, MPI_DOUBLE, cart_plus[1], 3, cart, &req[7]);
  compute(gap[15]); /* 100 us */
  MPI_Waitall(8, req, status);
  compute(gap[16]); /* 100 us */
  if (trips_5[i % 5]) { /* not each time, 5.1 % of the traced time */
    MPI_Allreduce(buf(12, 0), buf(13, 0), 1, MPI_DOUBLE, MPI_SUM, cart);
  }
}

/* 2.62 ms in the traced run */
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
  for (long i = 0; i < 2; i++) { /* 2.8 % of the traced time */
    if (i > 0) compute(gap[6]); /* 1 ms */
    MPI_Cart_shift(cart, (int)i, 1, &cart_minus[i], &cart_plus[i]);
  }
  compute(gap[7]); /* 100 us */
  iteration_1(0);
}

/* 19 iterations after the first, 19 of them run here; 95.4 % of the traced time */
static void loop_1(void) {
  const long kept = skel_kept(1);
  for (long n = 0; n < kept; n++) {
    compute(gap[17]); /* 1 ms */
    iteration_1(skel_iteration(1, n));
  }
}

/* 202 us in the traced run */
static void epilogue(void) {
  compute(gap[18]); /* 100 us */
  MPI_Comm_free(&cart);
  compute(gap[19]); /* 100 us */
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
