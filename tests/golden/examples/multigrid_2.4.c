/* Performance skeleton of an MPI program with 4 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 49.5 ms. */
#include "skel.h"

static MPI_Comm cart; /* from MPI_Cart_create */
static MPI_Request req[16];
static MPI_Status status[8];
static struct { int coords[64], rank, rank_dest, rank_source, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int array_1[] = {0, 0};
static const int array_2[] = {2, 2};
static const int64_t source_values_1[] = {-1, 2, -1, 1};
static const int64_t source_values_2[] = {-1, 3, 0};
static const int64_t source_values_3[] = {0, -1, -1, 3};
static const int64_t source_values_4[] = {1, -1, 2, -1};
static const struct skel_sequence source_5[] = {{0, 0, 4, source_values_1}, {0, 0, 3, source_values_2},
    {0, 0, 4, source_values_3}, {0, 0, 4, source_values_4}};
static const int source_of_6[] = {0, 1, 2, 3};
static const int tag_7[] = {1, 0, 3, 2};
static const int64_t dest_values_8[] = {-1, 2, -1, 1};
static const int64_t dest_values_9[] = {-1, 3, 0};
static const int64_t dest_values_10[] = {0, -1, -1, 3};
static const int64_t dest_values_11[] = {1, -1, 2, -1};
static const struct skel_sequence dest_12[] = {{0, 0, 4, dest_values_8}, {0, 0, 3, dest_values_9},
    {0, 0, 4, dest_values_10}, {0, 0, 4, dest_values_11}};
static const int dest_of_13[] = {0, 1, 2, 3};
static const int array_3[] = {0, 2, 4, 6, 1, 3, 5, 7};
static const int trips_14[] = {0, 0, 0, 0, 0, 1};
static const int trips_15[] = {0, 0, 37, 0, 0, 0};
static const int64_t buf_16[] = {SKEL_AT(8, 0), SKEL_AT(10, 0), SKEL_AT(12, 0), SKEL_AT(14, 0), SKEL_AT(8, 0),
    SKEL_AT(10, 0), SKEL_AT(12, 0), SKEL_AT(14, 0), SKEL_AT(8, 0), SKEL_AT(10, 0), SKEL_AT(12, 0), SKEL_AT(14, 0),
    SKEL_AT(16, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(16, 0), SKEL_AT(18, 0), SKEL_AT(20, 0),
    SKEL_AT(22, 0), SKEL_AT(16, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(16, 0), SKEL_AT(18, 0),
    SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(16, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(16, 0),
    SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(16, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0),
    SKEL_AT(16, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(16, 0), SKEL_AT(18, 0), SKEL_AT(20, 0),
    SKEL_AT(22, 0), SKEL_AT(16, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(16, 0), SKEL_AT(18, 0),
    SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(16, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(16, 0),
    SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(16, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0),
    SKEL_AT(16, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(16, 0), SKEL_AT(18, 0), SKEL_AT(20, 0),
    SKEL_AT(22, 0), SKEL_AT(16, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(16, 0), SKEL_AT(18, 0),
    SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(16, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(16, 0),
    SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(16, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0),
    SKEL_AT(16, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(16, 0), SKEL_AT(18, 0), SKEL_AT(20, 0),
    SKEL_AT(22, 0), SKEL_AT(16, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(16, 0), SKEL_AT(18, 0),
    SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(16, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(16, 0),
    SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(16, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0),
    SKEL_AT(16, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(16, 0), SKEL_AT(18, 0), SKEL_AT(20, 0),
    SKEL_AT(22, 0), SKEL_AT(16, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(8, 0), SKEL_AT(10, 0),
    SKEL_AT(12, 0), SKEL_AT(14, 0), SKEL_AT(8, 0), SKEL_AT(10, 0), SKEL_AT(12, 0), SKEL_AT(14, 0), SKEL_AT(8, 0),
    SKEL_AT(10, 0), SKEL_AT(12, 0), SKEL_AT(14, 0)};
static const int count_17[] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
    4};
static const int64_t source_values_18[] = {-1, 3, 0, -1};
static const struct skel_sequence source_19[] = {{0, 0, 4, source_values_1}, {0, 0, 4, source_values_18},
    {0, 0, 4, source_values_3}, {0, 0, 4, source_values_4}};
static const int request_20[] = {8, 10, 12, 14};
static const int64_t buf_21[] = {SKEL_AT(9, 0), SKEL_AT(11, 0), SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(9, 0),
    SKEL_AT(11, 0), SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(9, 0), SKEL_AT(11, 0), SKEL_AT(13, 0), SKEL_AT(15, 0),
    SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0),
    SKEL_AT(23, 0), SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(17, 0), SKEL_AT(19, 0),
    SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(17, 0),
    SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0),
    SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0),
    SKEL_AT(23, 0), SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(17, 0), SKEL_AT(19, 0),
    SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(17, 0),
    SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0),
    SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0),
    SKEL_AT(23, 0), SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(17, 0), SKEL_AT(19, 0),
    SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(17, 0),
    SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0),
    SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0),
    SKEL_AT(23, 0), SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(17, 0), SKEL_AT(19, 0),
    SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(17, 0),
    SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0),
    SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0),
    SKEL_AT(23, 0), SKEL_AT(17, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(9, 0), SKEL_AT(11, 0),
    SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(9, 0), SKEL_AT(11, 0), SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(9, 0),
    SKEL_AT(11, 0), SKEL_AT(13, 0), SKEL_AT(15, 0)};
static const int64_t dest_values_22[] = {-1, 3, 0, -1};
static const struct skel_sequence dest_23[] = {{0, 0, 4, dest_values_8}, {0, 0, 4, dest_values_22},
    {0, 0, 4, dest_values_10}, {0, 0, 4, dest_values_11}};
static const int tag_24[] = {0, 1, 2, 3};
static const int request_25[] = {9, 11, 13, 15};
static const int array_4[] = {8, 10, 12, 14, 9, 11, 13, 15};
static struct skel_cursor cursor_26;
static const int64_t trips_values_27[] = {0, 0, 37, 0, 0, 0};
static const struct skel_sequence trips_28[] = {{0, 0, 6, trips_values_27}};
static const int64_t recvbuf_29[] = {SKEL_AT(24, 0), 0, 0, 0};
static const int request_30[] = {0, 2, 4, 6, 1, 3, 5, 7};
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
  {0.001, 0.001, 0.001, 0.001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.001, 0.001, 0.001, 0.001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.001, 0.001, 0.001, 0.001},
  {0.001, 0.001, 0.001, 0.001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.001, 0.001, 0.001, 0.001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
};
static const struct skel_phase phases[] = {
  {"prologue", 0, 1, 1, 1, 1},
  {"loop 1", 1, 60, 7, 7, 22.5829534},
  {"epilogue", 0, 1, 1, 1, 1},
};
static const size_t buffer_bytes[] = {
  64, 64, 64, 64, 64, 64, 64, 64, 32, 32, 32, 32, 32, 32, 32, 32, 16, 16, 16, 16, 16, 16, 16, 16, 8, 8, 8,
};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09}};
static const struct skel_program program = {
  .ranks = 4, .scale = 10,
  .phases = 3, .phase = phases,
  .buffers = 27, .buffer_rows = 1, .buffer_bytes = buffer_bytes,
  .machine_rows = 1, .machine = machines,
};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* one of 60 iterations; i says which */
static void iteration_1(long i) {
  MPI_Startall(8, skel_pick(req, 8, array_3));
  skel_put_back(req);
  compute(gap[11]); /* 100 us */
  MPI_Waitall(8, skel_pick(req, 8, array_3), status);
  skel_put_back(req);
  compute(gap[12]); /* 100 us */
  if (trips_14[i % 6]) { /* not each time, 0.3 % of the traced time */
    MPI_Allreduce(buf(24, 0), buf(25, 0), 1, MPI_DOUBLE, MPI_SUM, cart);
  }
  compute(gap[13]); /* 100 us */
  const long first_2 = (long)skel_sum(&trips_28[0], i, &cursor_26);
  for (long j = 0; j < trips_15[i % 6]; j++) { /* 0 to 37 iterations, 95.2 % of the traced time */
    if (j > 0) compute(gap[17]); /* 1 ms */
    for (long k = 0; k < 4; k++) { /* 72.1 % of the traced time */
      if (k > 0) compute(gap[15]); /* 1 ms */
      MPI_Irecv(skel_buffer(buf_16[((first_2 + j) * 4 + k) % 148]), count_17[((first_2 + j) * 4 + k) % 148], MPI_DOUBLE,
          skel_peer(skel_at(&source_19[source_of_6[rank]], (first_2 + j) * 4 + k)), tag_7[k], cart,
          &req[request_20[k]]);
      compute(gap[14]); /* 100 us */
      MPI_Isend(skel_buffer(buf_21[((first_2 + j) * 4 + k) % 148]), count_17[((first_2 + j) * 4 + k) % 148], MPI_DOUBLE,
          skel_peer(skel_at(&dest_23[dest_of_13[rank]], (first_2 + j) * 4 + k)), tag_24[k], cart, &req[request_25[k]]);
    }
    compute(gap[16]); /* 100 us */
    MPI_Waitall(8, skel_pick(req, 8, array_4), status);
    skel_put_back(req);
  }
}

/* 33.2 ms in the traced run */
static void prologue(void) {
  compute(gap[0]); /* 100 us */
  MPI_Comm_size(MPI_COMM_WORLD, &got.size);
  compute(gap[1]); /* 100 us */
  skel_dims_create(4, 2, array_1);
  compute(gap[2]); /* 100 us */
  MPI_Cart_create(MPI_COMM_WORLD, 2, array_2, array_1, 1, &cart);
  compute(gap[3]); /* 100 us */
  MPI_Comm_rank(cart, &got.rank);
  compute(gap[4]); /* 100 us */
  MPI_Cart_coords(cart, rank_in(cart), 2, got.coords);
  compute(gap[5]); /* 100 us */
  for (long i = 0; i < 2; i++) { /* 0.1 % of the traced time */
    if (i > 0) compute(gap[6]); /* 1 ms */
    MPI_Cart_shift(cart, (int)(i), 1, &got.rank_source, &got.rank_dest);
  }
  compute(gap[7]); /* 100 us */
  for (long i = 0; i < 4; i++) { /* 0.2 % of the traced time */
    if (i > 0) compute(gap[9]); /* 1 ms */
    MPI_Recv_init(buf(2 * i, 0), 8, MPI_DOUBLE, skel_peer(skel_at(&source_5[source_of_6[rank]], i)), tag_7[i], cart,
        &req[2 * i]);
    compute(gap[8]); /* 100 us */
    MPI_Send_init(buf(1 + 2 * i, 0), 8, MPI_DOUBLE, skel_peer(skel_at(&dest_12[dest_of_13[rank]], i)), (int)(i), cart,
        &req[1 + 2 * i]);
  }
  compute(gap[10]); /* 100 us */
  iteration_1(0);
}

/* 59 iterations after the first, 7 of them run here; 99.3 % of the traced time */
static void loop_1(void) {
  const long kept = skel_kept(1);
  for (long n = 0; n < kept; n++) {
    compute(gap[18]); /* 1 ms */
    iteration_1(skel_iteration(1, n));
  }
}

/* 7.41 ms in the traced run */
static void epilogue(void) {
  compute(gap[19]); /* 100 us */
  MPI_Reduce(buf(26, 0), skel_buffer(recvbuf_29[rank]), 1, MPI_DOUBLE, MPI_MAX, 0, cart);
  compute(gap[20]); /* 100 us */
  for (long i = 0; i < 8; i++) { /* 0.4 % of the traced time */
    if (i > 0) compute(gap[21]); /* 1 ms */
    MPI_Request_free(&req[request_30[i]]);
  }
  compute(gap[22]); /* 100 us */
  MPI_Comm_free(&cart);
  compute(gap[23]); /* 100 us */
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
