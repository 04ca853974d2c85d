/* Performance skeleton of an MPI program with 9 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 37.5 ms. */
#include "skel.h"

static MPI_Comm cart; /* from MPI_Cart_create */
static MPI_Request req[8];
static MPI_Status status[8];
static int cart_minus[2], cart_plus[2]; /* neighbours in each dimension */
static struct { int coords[64], rank, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int buf_1[] = {0, 8};
static const int count_2[] = {11, 11, 10, 11, 11, 10, 11, 11, 10};
static const int buf_3[] = {1, 9};
static const int count_4[] = {11, 11, 11, 11, 11, 11, 10, 10, 10};
static const int buf_5[] = {4, 10};
static const int buf_6[] = {5, 11};
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
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001, 0.0001},
};
static const struct skel_phase phases[] = {{"prologue", 0, 1, 0, 1, 1, 0, -1}, {"loop 1", 1, 4, 0, 3, 1, 0, 2},
    {"epilogue", 0, 1, 0, 1, 1, 0, -1}};
static const size_t buffer_bytes[] = {
  88, 88, 88, 88, 88, 88, 88, 88, 88, 88, 88, 88, 8, 8,
  88, 88, 88, 88, 88, 88, 88, 88, 88, 88, 88, 88, 8, 8,
  80, 80, 88, 88, 80, 80, 88, 88, 80, 80, 80, 80, 8, 8,
  88, 88, 88, 88, 88, 88, 88, 88, 88, 88, 88, 88, 8, 8,
  88, 88, 88, 88, 88, 88, 88, 88, 88, 88, 88, 88, 8, 8,
  80, 80, 88, 88, 80, 80, 88, 88, 80, 80, 80, 80, 8, 8,
  88, 88, 80, 80, 88, 88, 80, 80, 88, 88, 88, 88, 8, 8,
  88, 88, 80, 80, 88, 88, 80, 80, 88, 88, 88, 88, 8, 8,
  80, 80, 80, 80, 80, 80, 80, 80, 80, 80, 80, 80, 8, 8,
};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09, NULL}};
static const struct skel_program program = {.ranks = 9, .scale = 10, .phases = 3, .phase = phases, .buffers = 14,
    .buffer_rows = 9, .buffer_bytes = buffer_bytes, .machine_rows = 1, .machine = machines};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* 9.85 ms in the traced run */
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
  for (long i = 0; i < 2; i++) { /* 2.9 % of the traced time */
    if (i > 0) compute(gap[6]); /* 1 ms */
    MPI_Cart_shift(cart, (int)i, 1, &cart_minus[i], &cart_plus[i]);
  }
}

static void loop_1(void) {
  compute(gap[7]); /* 100 us */
  for (long i = 0; i < 4; i = skel_step(1, i, 4)) { /* 95.2 % of the traced time; 4 of 4 iterations run */
    if (i > 0) compute(gap[8]); /* 1 ms */
    for (long j = 0; j < 5; j++) { /* 85.8 % of the traced time */
      if (j > 0) compute(gap[9]); /* 1 ms */
      MPI_Irecv(buf(buf_1[(i * 5 + j) % 2], 0), count_2[rank], MPI_DOUBLE, cart_minus[0], 1, cart, &req[0]);
      compute(gap[10]); /* 100 us */
      MPI_Irecv(buf(buf_3[(i * 5 + j) % 2], 0), count_2[rank], MPI_DOUBLE, cart_plus[0], 0, cart, &req[1]);
      compute(gap[11]); /* 100 us */
      MPI_Irecv(buf(2, 0), count_4[rank], MPI_DOUBLE, cart_minus[1], 3, cart, &req[2]);
      compute(gap[12]); /* 100 us */
      MPI_Irecv(buf(3, 0), count_4[rank], MPI_DOUBLE, cart_plus[1], 2, cart, &req[3]);
      compute(gap[13]); /* 100 us */
      MPI_Isend(buf(buf_5[(i * 5 + j) % 2], 0), count_2[rank], MPI_DOUBLE, cart_minus[0], 0, cart, &req[4]);
      compute(gap[14]); /* 100 us */
      MPI_Isend(buf(buf_6[(i * 5 + j) % 2], 0), count_2[rank], MPI_DOUBLE, cart_plus[0], 1, cart, &req[5]);
      compute(gap[15]); /* 100 us */
      MPI_Isend(buf(6, 0), count_4[rank], MPI_DOUBLE, cart_minus[1], 2, cart, &req[6]);
      compute(gap[16]); /* 100 us */
      MPI_Isend(buf(7, 0), count_4[rank], MPI_DOUBLE, cart_plus[1], 3, cart, &req[7]);
      compute(gap[17]); /* 100 us */
      MPI_Waitall(8, req, status);
    }
    compute(gap[18]); /* 100 us */
    MPI_Allreduce(buf(12, 0), buf(13, 0), 1, MPI_DOUBLE, MPI_SUM, cart);
  }
}

/* 202 us in the traced run */
static void epilogue(void) {
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
