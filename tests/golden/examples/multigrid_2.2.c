/* Performance skeleton of an MPI program with 2 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 220 ms. */
#include "skel.h"

static MPI_Comm cart; /* from MPI_Cart_create */
static MPI_Request req[16];
static MPI_Status status[8];
static int cart_minus[2], cart_plus[2]; /* neighbours in each dimension */
static struct { int coords[64], rank, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int array_3[] = {0, 2, 4, 6, 1, 3, 5, 7};
static const int trips_1[] = {0, 0, 0, 0, 0, 1};
static const int trips_2[] = {0, 0, 37, 0, 0, 0};
static const int buf_3[] = {8, 8, 8, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 8, 8, 8};
static const int count_4[] = {8, 8, 8, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
    4, 4, 4, 4, 8, 8, 8};
static const int buf_5[] = {9, 9, 9, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17,
    17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 9, 9, 9};
static const int buf_6[] = {10, 10, 10, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18,
    18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 10, 10, 10};
static const int buf_7[] = {11, 11, 11, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19,
    19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 11, 11, 11};
static const int buf_8[] = {12, 14, 12, 14, 12, 14, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20,
    22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22,
    20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 20, 22, 12, 14, 12, 14, 12, 14};
static const int count_9[] = {4, 4, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 4,
    4, 4, 4, 4, 4};
static const int tag_10[] = {3, 2};
static const int request_11[] = {12, 14};
static const int buf_12[] = {13, 15, 13, 15, 13, 15, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21,
    23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23,
    21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 21, 23, 13, 15, 13, 15, 13, 15};
static const int tag_13[] = {2, 3};
static const int request_14[] = {13, 15};
static const int array_4[] = {8, 10, 12, 14, 9, 11, 13, 15};
static struct skel_cursor cursor_15;
static const int64_t trips_values_16[] = {0, 0, 37, 0, 0, 0};
static const struct skel_sequence trips_17[] = {{0, 0, 6, trips_values_16}};
static const int request_18[] = {0, 2, 4, 6, 1, 3, 5, 7};
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
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
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
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
};
static const struct skel_phase phases[] = {{"prologue", 0, 1, 0, 1, 1, 0, -1},
    {"loop 1", 1, 60, 0, 12, 0.999995604, 0, 3}, {"loop 1.1", 0.12962963, 37, 0, 35, 1, 1, -1},
    {"epilogue", 0, 1, 0, 1, 1, 0, -1}};
static const struct skel_chosen chosen_1[] = {{5, 4.9}, {9, 4.9}, {17, 4.9}, {20, 5}, {22, 4.9}, {25, 4.9}, {34, 4.9},
    {37, 4.9}, {44, 5}, {47, 4.9}, {51, 4.9}, {54, 4.9}};
static const struct skel_chosen* const chosen[] = {NULL, chosen_1, NULL, NULL};
static const size_t buffer_bytes[] = {
  128, 128, 128, 128, 64, 64, 64, 64, 64, 64, 64, 64, 32, 32, 32, 32, 32, 32, 32, 32, 16, 16, 16, 16, 8, 8, 8,
};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09, NULL}};
static const struct skel_program program = {.ranks = 2, .scale = 10, .phases = 4, .phase = phases, .chosen = chosen,
    .buffers = 27, .buffer_rows = 1, .buffer_bytes = buffer_bytes, .machine_rows = 1, .machine = machines};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* 4 ms in the traced run */
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
  compute(gap[7]); /* 100 us */
  MPI_Recv_init(buf(0, 0), 16, MPI_DOUBLE, cart_minus[0], 1, cart, &req[0]);
  compute(gap[8]); /* 100 us */
  MPI_Send_init(buf(1, 0), 16, MPI_DOUBLE, cart_minus[0], 0, cart, &req[1]);
  compute(gap[9]); /* 100 us */
  MPI_Recv_init(buf(2, 0), 16, MPI_DOUBLE, cart_plus[0], 0, cart, &req[2]);
  compute(gap[10]); /* 100 us */
  MPI_Send_init(buf(3, 0), 16, MPI_DOUBLE, cart_plus[0], 1, cart, &req[3]);
  compute(gap[11]); /* 100 us */
  for (long i = 0; i < 2; i++) { /* 0.1 % of the traced time */
    if (i > 0) compute(gap[12]); /* 1 ms */
    MPI_Recv_init(buf(4 + 2 * i, 0), 8, MPI_DOUBLE, MPI_PROC_NULL, skel_tag((3 - i)), cart, &req[4 + 2 * i]);
    compute(gap[13]); /* 100 us */
    MPI_Send_init(buf(5 + 2 * i, 0), 8, MPI_DOUBLE, MPI_PROC_NULL, (int)(2 + i), cart, &req[5 + 2 * i]);
  }
}

static void loop_1(void) {
  compute(gap[14]); /* 100 us */
  for (long i = 0; i < 60; i = skel_step(1, i, 60)) { /* 99.0 % of the traced time; 13 of 60 iterations run */
    if (i > 0) compute(gap[15]); /* 1 ms */
    MPI_Startall(8, skel_pick(req, 8, array_3));
    skel_put_back(req);
    compute(gap[16]); /* 100 us */
    MPI_Waitall(8, skel_pick(req, 8, array_3), status);
    skel_put_back(req);
    compute(gap[17]); /* 100 us */
    if (trips_1[i % 6]) { /* not each time, 0.6 % of the traced time */
      MPI_Allreduce(buf(24, 0), buf(25, 0), 1, MPI_DOUBLE, MPI_SUM, cart);
    }
    compute(gap[18]); /* 100 us */
    const long trips_now_2 = trips_2[i % 6];
    const long first_3 = (long)skel_sum(&trips_17[0], i, &cursor_15);
    /* 0 to 37 iterations, 92.4 % of the traced time; 72 of 370 iterations run */
    for (long j = 0; j < trips_now_2; j = skel_step(2, j, trips_now_2)) {
      if (j > 0) compute(gap[19]); /* 1 ms */
      MPI_Irecv(buf(buf_3[(first_3 + j) % 37], 0), count_4[(first_3 + j) % 37], MPI_DOUBLE, cart_minus[0], 1, cart,
          &req[8]);
      compute(gap[20]); /* 100 us */
      MPI_Isend(buf(buf_5[(first_3 + j) % 37], 0), count_4[(first_3 + j) % 37], MPI_DOUBLE, cart_minus[0], 0, cart,
          &req[9]);
      compute(gap[21]); /* 100 us */
      MPI_Irecv(buf(buf_6[(first_3 + j) % 37], 0), count_4[(first_3 + j) % 37], MPI_DOUBLE, cart_plus[0], 0, cart,
          &req[10]);
      compute(gap[22]); /* 100 us */
      MPI_Isend(buf(buf_7[(first_3 + j) % 37], 0), count_4[(first_3 + j) % 37], MPI_DOUBLE, cart_plus[0], 1, cart,
          &req[11]);
      compute(gap[23]); /* 100 us */
      for (long k = 0; k < 2; k++) { /* 44.7 % of the traced time */
        if (k > 0) compute(gap[24]); /* 1 ms */
        MPI_Irecv(buf(buf_8[((first_3 + j) * 2 + k) % 74], 0), count_9[((first_3 + j) * 2 + k) % 74], MPI_DOUBLE,
            MPI_PROC_NULL, tag_10[k], cart, &req[request_11[k]]);
        compute(gap[25]); /* 100 us */
        MPI_Isend(buf(buf_12[((first_3 + j) * 2 + k) % 74], 0), count_9[((first_3 + j) * 2 + k) % 74], MPI_DOUBLE,
            MPI_PROC_NULL, tag_13[k], cart, &req[request_14[k]]);
      }
      compute(gap[26]); /* 100 us */
      MPI_Waitall(8, skel_pick(req, 8, array_4), status);
      skel_put_back(req);
    }
  }
}

/* 7.41 ms in the traced run */
static void epilogue(void) {
  compute(gap[27]); /* 100 us */
  MPI_Reduce(buf(26, 0), buf(24, 0), 1, MPI_DOUBLE, MPI_MAX, 0, cart);
  compute(gap[28]); /* 100 us */
  for (long i = 0; i < 8; i++) { /* 0.7 % of the traced time */
    if (i > 0) compute(gap[29]); /* 1 ms */
    MPI_Request_free(&req[request_18[i]]);
  }
  compute(gap[30]); /* 100 us */
  MPI_Comm_free(&cart);
  compute(gap[31]); /* 100 us */
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
