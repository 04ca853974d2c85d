/* Performance skeleton of an MPI program with 2 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 213 ms. */
#include "skel.h"

static MPI_Comm cart; /* from MPI_Cart_create */
static MPI_Request req[8];
static MPI_Status status[8];
static int cart_minus[2], cart_plus[2]; /* neighbours in each dimension */
static struct { int coords[64], rank, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int buf_1[] = {0, 0, 0, 8, 8, 8, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 8, 8, 8, 0, 0, 0};
static const int count_2[] = {16, 16, 16, 8, 8, 8, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
    4, 4, 4, 4, 4, 4, 4, 4, 8, 8, 8, 16, 16, 16};
static const int buf_3[] = {1, 1, 1, 9, 9, 9, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17,
    17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 9, 9, 9, 1, 1, 1};
static const int buf_4[] = {2, 2, 2, 10, 10, 10, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18,
    18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 10, 10, 10, 2, 2, 2};
static const int buf_5[] = {3, 3, 3, 11, 11, 11, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19,
    19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 11, 11, 11, 3, 3, 3};
static const int buf_6[] = {4, 6, 4, 6, 4, 6, 12, 14, 12, 14, 12, 14, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22,
    20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20,
    22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 12, 14, 12, 14, 12, 14, 4, 6, 4,
    6, 4, 6};
static const int count_7[] = {8, 8, 8, 8, 8, 8, 4, 4, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8};
static const int tag_8[] = {3, 2};
static const int request_9[] = {4, 6};
static const int buf_10[] = {5, 7, 5, 7, 5, 7, 13, 15, 13, 15, 13, 15, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23,
    21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21,
    23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 13, 15, 13, 15, 13, 15, 5, 7, 5,
    7, 5, 7};
static const int tag_11[] = {2, 3};
static const int request_12[] = {5, 7};
static const int array_3[] = {0, 2, 4, 6, 1, 3, 5, 7};
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
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
};
static const struct skel_phase phases[] = {{"prologue", 0, 1, 0, 1, 1, 0, -1}, {"loop 1", 1, 10, 0, 2, 1, 0, 3},
    {"loop 1.1", 0.222222222, 43, 0, 25, 1, 1, -1}, {"epilogue", 0, 1, 0, 1, 1, 0, -1}};
static const size_t buffer_bytes[] = {
  128, 128, 128, 128, 64, 64, 64, 64, 64, 64, 64, 64, 32, 32, 32, 32, 32, 32, 32, 32, 16, 16, 16, 16, 8, 8, 8,
};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09, NULL}};
static const struct skel_program program = {.ranks = 2, .scale = 10, .phases = 4, .phase = phases, .buffers = 27,
    .buffer_rows = 1, .buffer_bytes = buffer_bytes, .machine_rows = 1, .machine = machines};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* 3.52 ms in the traced run */
static void prologue(void) {
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
  for (long i = 0; i < 2; i++) { /* 0.1 % of the traced time */
    if (i > 0) compute(gap[6]); /* 1 ms */
    MPI_Cart_shift(cart, (int)i, 1, &cart_minus[i], &cart_plus[i]);
  }
}

static void loop_1(void) {
  compute(gap[7]); /* 100 us */
  for (long i = 0; i < 10; i = skel_step(1, i, 10)) { /* 99.8 % of the traced time; 3 of 10 iterations run */
    if (i > 0) compute(gap[8]); /* 1 ms */
    for (long j = 0; j < 43; j = skel_step(2, j, 43)) { /* 99.0 % of the traced time; 78 of 430 iterations run */
      if (j > 0) compute(gap[9]); /* 1 ms */
      MPI_Irecv(buf(buf_1[j], 0), count_2[j], MPI_DOUBLE, cart_minus[0], 1, cart, &req[0]);
      compute(gap[10]); /* 100 us */
      MPI_Isend(buf(buf_3[j], 0), count_2[j], MPI_DOUBLE, cart_minus[0], 0, cart, &req[1]);
      compute(gap[11]); /* 100 us */
      MPI_Irecv(buf(buf_4[j], 0), count_2[j], MPI_DOUBLE, cart_plus[0], 0, cart, &req[2]);
      compute(gap[12]); /* 100 us */
      MPI_Isend(buf(buf_5[j], 0), count_2[j], MPI_DOUBLE, cart_plus[0], 1, cart, &req[3]);
      compute(gap[13]); /* 100 us */
      for (long k = 0; k < 2; k++) { /* 48.1 % of the traced time */
        if (k > 0) compute(gap[14]); /* 1 ms */
        MPI_Irecv(buf(buf_6[j * 2 + k], 0), count_7[j * 2 + k], MPI_DOUBLE, MPI_PROC_NULL, tag_8[k], cart,
            &req[request_9[k]]);
        compute(gap[15]); /* 100 us */
        MPI_Isend(buf(buf_10[j * 2 + k], 0), count_7[j * 2 + k], MPI_DOUBLE, MPI_PROC_NULL, tag_11[k], cart,
            &req[request_12[k]]);
      }
      compute(gap[16]); /* 100 us */
      MPI_Waitall(8, skel_pick(req, 8, array_3), status);
      skel_put_back(req);
    }
    compute(gap[17]); /* 100 us */
    MPI_Allreduce(buf(24, 0), buf(25, 0), 1, MPI_DOUBLE, MPI_SUM, cart);
  }
}

/* 303 us in the traced run */
static void epilogue(void) {
  compute(gap[18]); /* 100 us */
  MPI_Reduce(buf(26, 0), buf(24, 0), 1, MPI_DOUBLE, MPI_MAX, 0, cart);
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
