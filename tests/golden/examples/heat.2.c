/* Performance skeleton of an MPI program with 2 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 111 ms. */
#include "skel.h"

static MPI_Comm cart; /* from MPI_Cart_create */
static MPI_Request req[8];
static MPI_Status status[8];
static struct { int coords[64], rank, rank_dest, rank_source, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int array_1[] = {0, 0};
static const int array_2[] = {2, 1};
static const int rank_1[] = {0, 1};
static const int64_t buf_2[] = {SKEL_AT(0, 0), SKEL_AT(8, 0)};
static const int64_t buf_values_3[] = {SKEL_AT(1, 0), SKEL_AT(9, 0)};
static const int64_t buf_values_4[] = {SKEL_AT(0, 0), SKEL_AT(8, 0)};
static const struct skel_sequence buf_5[] = {{0, 0, 2, buf_values_3}, {0, 0, 2, buf_values_4}};
static const int buf_of_6[] = {0, 1};
static const int tag_7[] = {0, 1};
static const int request_8[] = {1, 0};
static const int trips_9[] = {2, 3};
static const int64_t buf_values_10[] = {SKEL_AT(2, 0), SKEL_AT(3, 0)};
static const int64_t buf_values_11[] = {SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(3, 0), SKEL_AT(9, 0), SKEL_AT(2, 0),
    SKEL_AT(3, 0)};
static const struct skel_sequence buf_12[] = {{0, 0, 2, buf_values_10}, {0, 0, 6, buf_values_11}};
static const int64_t count_values_13[] = {32, 16, 16};
static const struct skel_sequence count_14[] = {{16, 0, 0, NULL}, {0, 0, 3, count_values_13}};
static const int count_of_15[] = {0, 1};
static const int64_t tag_values_16[] = {3, 2};
static const int64_t tag_values_17[] = {0, 3, 2};
static const struct skel_sequence tag_18[] = {{0, 0, 2, tag_values_16}, {0, 0, 3, tag_values_17}};
static const int tag_of_19[] = {0, 1};
static const int64_t request_values_20[] = {2, 3};
static const int64_t request_values_21[] = {1, 2, 3};
static const struct skel_sequence request_22[] = {{0, 0, 2, request_values_20}, {0, 0, 3, request_values_21}};
static const int request_of_23[] = {0, 1};
static const int64_t buf_24[] = {SKEL_AT(4, 0), SKEL_AT(10, 0)};
static const int64_t buf_values_25[] = {SKEL_AT(5, 0), SKEL_AT(11, 0)};
static const int64_t buf_values_26[] = {SKEL_AT(4, 0), SKEL_AT(10, 0)};
static const struct skel_sequence buf_27[] = {{0, 0, 2, buf_values_25}, {0, 0, 2, buf_values_26}};
static const int tag_28[] = {1, 0};
static const int request_29[] = {5, 4};
static const int64_t buf_values_30[] = {SKEL_AT(6, 0), SKEL_AT(7, 0)};
static const int64_t buf_values_31[] = {SKEL_AT(5, 0), SKEL_AT(6, 0), SKEL_AT(7, 0), SKEL_AT(11, 0), SKEL_AT(6, 0),
    SKEL_AT(7, 0)};
static const struct skel_sequence buf_32[] = {{0, 0, 2, buf_values_30}, {0, 0, 6, buf_values_31}};
static const int64_t tag_values_33[] = {2, 3};
static const int64_t tag_values_34[] = {1, 2, 3};
static const struct skel_sequence tag_35[] = {{0, 0, 2, tag_values_33}, {0, 0, 3, tag_values_34}};
static const int64_t request_values_36[] = {6, 7};
static const int64_t request_values_37[] = {5, 6, 7};
static const struct skel_sequence request_38[] = {{0, 0, 2, request_values_36}, {0, 0, 3, request_values_37}};
static const int trips_39[] = {0, 0, 0, 0, 1};
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
  {0.0001, 0},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
};
static const struct skel_phase phases[] = {
  {"prologue", 0, 1, 1, 1, 1},
  {"loop 1", 1, 20, 19, 19, 1},
  {"epilogue", 0, 1, 1, 1, 1},
};
static const size_t buffer_bytes[] = {256, 256, 128, 128, 256, 256, 128, 128, 256, 256, 256, 256, 8, 8};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09}};
static const struct skel_program program = {
  .ranks = 2, .scale = 10,
  .phases = 3, .phase = phases,
  .buffers = 14, .buffer_rows = 1, .buffer_bytes = buffer_bytes,
  .machine_rows = 1, .machine = machines,
};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* one of 20 iterations; i says which */
static void iteration_1(long i) {
  if (rank == 0) MPI_Irecv(skel_buffer(buf_2[i % 2]), 32, MPI_DOUBLE, MPI_PROC_NULL, 1, cart, &req[0]);
  compute(gap[8]); /* 0 ns to 100 us */
  MPI_Irecv(skel_buffer(skel_at(&buf_5[buf_of_6[rank]], i)), 32, MPI_DOUBLE, (rank_in(cart) + 1) % size_of(cart),
      tag_7[rank], cart, &req[request_8[rank]]);
  compute(gap[9]); /* 100 us */
  for (long j = 0; j < trips_9[rank]; j++) { /* 2 to 3 iterations, 34.4 % of the traced time */
    if (j > 0) compute(gap[10]); /* 1 ms */
    MPI_Irecv(skel_buffer(skel_at(&buf_12[buf_of_6[rank]], i * trips_9[rank] + j)),
        (int)skel_at(&count_14[count_of_15[rank]], i * trips_9[rank] + j), MPI_DOUBLE, MPI_PROC_NULL,
        skel_tag(skel_at(&tag_18[tag_of_19[rank]], i * trips_9[rank] + j)), cart,
        &req[skel_at(&request_22[request_of_23[rank]], i * trips_9[rank] + j)]);
  }
  if (rank == 0) {
    compute(gap[11]); /* 100 us */
    MPI_Isend(skel_buffer(buf_24[i % 2]), 32, MPI_DOUBLE, MPI_PROC_NULL, 0, cart, &req[4]);
  }
  compute(gap[12]); /* 100 us */
  MPI_Isend(skel_buffer(skel_at(&buf_27[buf_of_6[rank]], i)), 32, MPI_DOUBLE, (rank_in(cart) + 1) % size_of(cart),
      tag_28[rank], cart, &req[request_29[rank]]);
  compute(gap[13]); /* 100 us */
  for (long j = 0; j < trips_9[rank]; j++) { /* 2 to 3 iterations, 34.4 % of the traced time */
    if (j > 0) compute(gap[14]); /* 1 ms */
    MPI_Isend(skel_buffer(skel_at(&buf_32[buf_of_6[rank]], i * trips_9[rank] + j)),
        (int)skel_at(&count_14[count_of_15[rank]], i * trips_9[rank] + j), MPI_DOUBLE, MPI_PROC_NULL,
        skel_tag(skel_at(&tag_35[tag_of_19[rank]], i * trips_9[rank] + j)), cart,
        &req[skel_at(&request_38[request_of_23[rank]], i * trips_9[rank] + j)]);
  }
  compute(gap[15]); /* 100 us */
  MPI_Waitall(8, req, status);
  compute(gap[16]); /* 100 us */
  if (trips_39[i % 5]) { /* not each time, 2.2 % of the traced time */
    MPI_Allreduce(buf(12, 0), buf(13, 0), 1, MPI_DOUBLE, MPI_SUM, cart);
  }
}

/* 6.22 ms in the traced run */
static void prologue(void) {
  compute(gap[0]); /* 100 us */
  MPI_Comm_size(MPI_COMM_WORLD, &got.size);
  compute(gap[1]); /* 100 us */
  skel_dims_create(2, 2, array_1);
  compute(gap[2]); /* 100 us */
  MPI_Cart_create(MPI_COMM_WORLD, 2, array_2, array_1, 1, &cart);
  compute(gap[3]); /* 100 us */
  MPI_Comm_rank(cart, &got.rank);
  compute(gap[4]); /* 100 us */
  MPI_Cart_coords(cart, rank_1[rank], 2, got.coords);
  compute(gap[5]); /* 100 us */
  for (long i = 0; i < 2; i++) { /* 1.2 % of the traced time */
    if (i > 0) compute(gap[6]); /* 1 ms */
    MPI_Cart_shift(cart, (int)(i), 1, &got.rank_source, &got.rank_dest);
  }
  compute(gap[7]); /* 100 us */
  iteration_1(0);
}

/* 19 iterations after the first, 19 of them run here; 98.1 % of the traced time */
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
