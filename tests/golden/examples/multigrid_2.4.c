/* Performance skeleton of an MPI program with 4 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 231 ms. */
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
static const int count_4[] = {4, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 4, 4, 4};
static const int buf_5[] = {9, 9, 9, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17,
    17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 9, 9, 9};
static const int buf_6[] = {10, 10, 10, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18,
    18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 10, 10, 10};
static const int buf_7[] = {11, 11, 11, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19,
    19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 11, 11, 11};
static const int buf_8[] = {12, 12, 12, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20,
    20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 12, 12, 12};
static const int buf_9[] = {13, 13, 13, 21, 21, 21, 21, 21, 21, 21, 21, 21, 21, 21, 21, 21, 21, 21, 21, 21, 21, 21, 21,
    21, 21, 21, 21, 21, 21, 21, 21, 21, 21, 21, 13, 13, 13};
static const int buf_10[] = {14, 14, 14, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22,
    22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 22, 14, 14, 14};
static const int buf_11[] = {15, 15, 15, 23, 23, 23, 23, 23, 23, 23, 23, 23, 23, 23, 23, 23, 23, 23, 23, 23, 23, 23, 23,
    23, 23, 23, 23, 23, 23, 23, 23, 23, 23, 23, 15, 15, 15};
static const int array_4[] = {8, 10, 12, 14, 9, 11, 13, 15};
static struct skel_cursor cursor_12;
static const int64_t trips_values_13[] = {0, 0, 37, 0, 0, 0};
static const struct skel_sequence trips_14[] = {{0, 0, 6, trips_values_13}};
static const int request_15[] = {0, 2, 4, 6, 1, 3, 5, 7};
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
  {0.001, 0.001, 0.001, 0.001},
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
static const struct skel_phase phases[] = {{"prologue", 0, 1, 0, 1, 1, 0, -1},
    {"loop 1", 1, 60, 0, 17, 1.00001358, 0, 2}, {"epilogue", 0, 1, 0, 1, 1, 0, -1}};
static const struct skel_chosen chosen_1[] = {{2, 3.33333333}, {4, 3.5}, {6, 3.5}, {12, 3.5}, {16, 3.5}, {18, 3.5},
    {24, 3.5}, {28, 3.5}, {34, 3.5}, {36, 3.5}, {38, 3.33333333}, {40, 3.5}, {46, 3.5}, {48, 3.5}, {50, 3.33333333},
    {52, 3.5}, {58, 3.5}};
static const struct skel_chosen* const chosen[] = {NULL, chosen_1, NULL};
static const size_t buffer_bytes[] = {
  64, 64, 64, 64, 64, 64, 64, 64, 32, 32, 32, 32, 32, 32, 32, 32, 16, 16, 16, 16, 16, 16, 16, 16, 8, 8, 8,
};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09, NULL}};
static const struct skel_program program = {.ranks = 4, .scale = 10, .phases = 3, .phase = phases, .chosen = chosen,
    .buffers = 27, .buffer_rows = 1, .buffer_bytes = buffer_bytes, .machine_rows = 1, .machine = machines};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* 13.8 ms in the traced run */
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
  for (long i = 0; i < 2; i++) { /* 0.1 % of the traced time */
    if (i > 0) compute(gap[6]); /* 1 ms */
    MPI_Cart_shift(cart, (int)i, 1, &cart_minus[i], &cart_plus[i]);
  }
  compute(gap[7]); /* 100 us */
  MPI_Recv_init(buf(0, 0), 8, MPI_DOUBLE, cart_minus[0], 1, cart, &req[0]);
  compute(gap[8]); /* 100 us */
  MPI_Send_init(buf(1, 0), 8, MPI_DOUBLE, cart_minus[0], 0, cart, &req[1]);
  compute(gap[9]); /* 100 us */
  MPI_Recv_init(buf(2, 0), 8, MPI_DOUBLE, cart_plus[0], 0, cart, &req[2]);
  compute(gap[10]); /* 100 us */
  MPI_Send_init(buf(3, 0), 8, MPI_DOUBLE, cart_plus[0], 1, cart, &req[3]);
  compute(gap[11]); /* 100 us */
  MPI_Recv_init(buf(4, 0), 8, MPI_DOUBLE, cart_minus[1], 3, cart, &req[4]);
  compute(gap[12]); /* 100 us */
  MPI_Send_init(buf(5, 0), 8, MPI_DOUBLE, cart_minus[1], 2, cart, &req[5]);
  compute(gap[13]); /* 100 us */
  MPI_Recv_init(buf(6, 0), 8, MPI_DOUBLE, cart_plus[1], 2, cart, &req[6]);
  compute(gap[14]); /* 100 us */
  MPI_Send_init(buf(7, 0), 8, MPI_DOUBLE, cart_plus[1], 3, cart, &req[7]);
}

static void loop_1(void) {
  compute(gap[15]); /* 100 us */
  for (long i = 0; i < 60; i = skel_step(1, i, 60)) { /* 98.7 % of the traced time; 18 of 60 iterations run */
    if (i > 0) compute(gap[16]); /* 1 ms */
    MPI_Startall(8, skel_pick(req, 8, array_3));
    skel_put_back(req);
    compute(gap[17]); /* 100 us */
    MPI_Waitall(8, skel_pick(req, 8, array_3), status);
    skel_put_back(req);
    compute(gap[18]); /* 100 us */
    if (trips_1[i % 6]) { /* not each time, 0.8 % of the traced time */
      MPI_Allreduce(buf(24, 0), buf(25, 0), 1, MPI_DOUBLE, MPI_SUM, cart);
    }
    compute(gap[19]); /* 100 us */
    const long first_2 = (long)skel_sum(&trips_14[0], i, &cursor_12);
    for (long j = 0; j < trips_2[i % 6]; j++) { /* 0 to 37 iterations, 89.1 % of the traced time */
      if (j > 0) compute(gap[20]); /* 1 ms */
      MPI_Irecv(buf(buf_3[(first_2 + j) % 37], 0), count_4[(first_2 + j) % 37], MPI_DOUBLE, cart_minus[0], 1, cart,
          &req[8]);
      compute(gap[21]); /* 100 us */
      MPI_Isend(buf(buf_5[(first_2 + j) % 37], 0), count_4[(first_2 + j) % 37], MPI_DOUBLE, cart_minus[0], 0, cart,
          &req[9]);
      compute(gap[22]); /* 100 us */
      MPI_Irecv(buf(buf_6[(first_2 + j) % 37], 0), count_4[(first_2 + j) % 37], MPI_DOUBLE, cart_plus[0], 0, cart,
          &req[10]);
      compute(gap[23]); /* 100 us */
      MPI_Isend(buf(buf_7[(first_2 + j) % 37], 0), count_4[(first_2 + j) % 37], MPI_DOUBLE, cart_plus[0], 1, cart,
          &req[11]);
      compute(gap[24]); /* 100 us */
      MPI_Irecv(buf(buf_8[(first_2 + j) % 37], 0), count_4[(first_2 + j) % 37], MPI_DOUBLE, cart_minus[1], 3, cart,
          &req[12]);
      compute(gap[25]); /* 100 us */
      MPI_Isend(buf(buf_9[(first_2 + j) % 37], 0), count_4[(first_2 + j) % 37], MPI_DOUBLE, cart_minus[1], 2, cart,
          &req[13]);
      compute(gap[26]); /* 100 us */
      MPI_Irecv(buf(buf_10[(first_2 + j) % 37], 0), count_4[(first_2 + j) % 37], MPI_DOUBLE, cart_plus[1], 2, cart,
          &req[14]);
      compute(gap[27]); /* 100 us */
      MPI_Isend(buf(buf_11[(first_2 + j) % 37], 0), count_4[(first_2 + j) % 37], MPI_DOUBLE, cart_plus[1], 3, cart,
          &req[15]);
      compute(gap[28]); /* 100 us */
      MPI_Waitall(8, skel_pick(req, 8, array_4), status);
      skel_put_back(req);
    }
  }
}

/* 7.41 ms in the traced run */
static void epilogue(void) {
  compute(gap[29]); /* 100 us */
  MPI_Reduce(buf(26, 0), buf(24, 0), 1, MPI_DOUBLE, MPI_MAX, 0, cart);
  compute(gap[30]); /* 100 us */
  for (long i = 0; i < 8; i++) { /* 1.0 % of the traced time */
    if (i > 0) compute(gap[31]); /* 1 ms */
    MPI_Request_free(&req[request_15[i]]);
  }
  compute(gap[32]); /* 100 us */
  MPI_Comm_free(&cart);
  compute(gap[33]); /* 100 us */
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
