/* Performance skeleton of an MPI program with 4 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 75.1 ms. */
#include "skel.h"

static MPI_Comm cart; /* from MPI_Cart_create */
static MPI_Request req[8];
static MPI_Status status[8];
static struct { int coords[64], rank, rank_dest, rank_source, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int array_1[] = {0, 0};
static const int array_2[] = {2, 2};
static const int rank_1[] = {0, 1, 2, 3};
static const int64_t buf_2[] = {SKEL_AT(0, 0), SKEL_AT(8, 0)};
static const int source_3[] = {0, MPI_PROC_NULL, 0, 0};
static const int64_t buf_values_4[] = {SKEL_AT(0, 0), SKEL_AT(2, 0), SKEL_AT(8, 0), SKEL_AT(2, 0)};
static const int64_t buf_values_5[] = {SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(9, 0), SKEL_AT(2, 0)};
static const struct skel_sequence buf_6[] = {{0, 0, 4, buf_values_4}, {0, 0, 4, buf_values_5}};
static const int buf_of_7[] = {0, 1, 1, 0};
static const int64_t source_values_8[] = {3, 0};
static const int64_t source_values_9[] = {1, 2};
static const struct skel_sequence source_10[] = {{-1, 0, 0, NULL}, {0, 0, 2, source_values_8},
    {0, 0, 2, source_values_9}};
static const int source_of_11[] = {0, 1, 0, 2};
static const int64_t tag_values_12[] = {1, 3};
static const int64_t tag_values_13[] = {0, 3};
static const struct skel_sequence tag_14[] = {{0, 0, 2, tag_values_12}, {0, 0, 2, tag_values_13}};
static const int tag_of_15[] = {0, 1, 1, 0};
static const int64_t request_values_16[] = {0, 2};
static const int64_t request_values_17[] = {1, 2};
static const struct skel_sequence request_18[] = {{0, 0, 2, request_values_16}, {0, 0, 2, request_values_17}};
static const int request_of_19[] = {0, 1, 1, 0};
static const int64_t buf_20[] = {SKEL_AT(1, 0), SKEL_AT(3, 0), SKEL_AT(9, 0), SKEL_AT(3, 0)};
static const int64_t source_values_21[] = {2, 1};
static const struct skel_sequence source_22[] = {{0, 0, 2, source_values_21}, {-1, 0, 0, NULL}};
static const int source_of_23[] = {0, 0, 0, 1};
static const int tag_24[] = {0, 2};
static const int request_25[] = {1, 3};
static const int source_26[] = {0, MPI_PROC_NULL, 3, 0};
static const int64_t buf_27[] = {SKEL_AT(4, 0), SKEL_AT(10, 0)};
static const int dest_28[] = {0, MPI_PROC_NULL, 0, 0};
static const int64_t buf_values_29[] = {SKEL_AT(4, 0), SKEL_AT(6, 0), SKEL_AT(10, 0), SKEL_AT(6, 0)};
static const int64_t buf_values_30[] = {SKEL_AT(5, 0), SKEL_AT(6, 0), SKEL_AT(11, 0), SKEL_AT(6, 0)};
static const struct skel_sequence buf_31[] = {{0, 0, 4, buf_values_29}, {0, 0, 4, buf_values_30}};
static const int64_t dest_values_32[] = {3, 0};
static const int64_t dest_values_33[] = {1, 2};
static const struct skel_sequence dest_34[] = {{-1, 0, 0, NULL}, {0, 0, 2, dest_values_32}, {0, 0, 2, dest_values_33}};
static const int dest_of_35[] = {0, 1, 0, 2};
static const int64_t tag_values_36[] = {0, 2};
static const int64_t tag_values_37[] = {1, 2};
static const struct skel_sequence tag_38[] = {{0, 0, 2, tag_values_36}, {0, 0, 2, tag_values_37}};
static const int64_t request_values_39[] = {4, 6};
static const int64_t request_values_40[] = {5, 6};
static const struct skel_sequence request_41[] = {{0, 0, 2, request_values_39}, {0, 0, 2, request_values_40}};
static const int64_t buf_42[] = {SKEL_AT(5, 0), SKEL_AT(7, 0), SKEL_AT(11, 0), SKEL_AT(7, 0)};
static const int64_t dest_values_43[] = {2, 1};
static const struct skel_sequence dest_44[] = {{0, 0, 2, dest_values_43}, {-1, 0, 0, NULL}};
static const int dest_of_45[] = {0, 0, 0, 1};
static const int tag_46[] = {1, 3};
static const int request_47[] = {5, 7};
static const int dest_48[] = {0, MPI_PROC_NULL, 3, 0};
static const int trips_49[] = {0, 0, 0, 0, 1};
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
  {0, 0.0001, 0.0001, 0},
  {0.0001, 0, 0, 0.0001},
  {0.001, 0.001, 0.001, 0.001},
  {0, 0.0001, 0.0001, 0},
  {0, 0.0001, 0.0001, 0},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0, 0, 0.0001},
  {0.001, 0.001, 0.001, 0.001},
  {0, 0.0001, 0.0001, 0},
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
  if (rank >= 1 && rank <= 2) MPI_Irecv(skel_buffer(buf_2[i % 2]), 16, MPI_DOUBLE, source_3[rank], 1, cart, &req[0]);
  compute(gap[8]); /* 0 ns to 100 us */
  for (long j = 0; j < 2; j++) { /* 30.7 % of the traced time */
    if (j > 0) compute(gap[10]); /* 1 ms */
    MPI_Irecv(skel_buffer(skel_at(&buf_6[buf_of_7[rank]], i * 2 + j)), 16, MPI_DOUBLE,
        skel_peer(skel_at(&source_10[source_of_11[rank]], i * 2 + j)),
        skel_tag(skel_at(&tag_14[tag_of_15[rank]], i * 2 + j)), cart,
        &req[skel_at(&request_18[request_of_19[rank]], i * 2 + j)]);
    if (rank < 1 || rank > 2) {
      compute(gap[9]); /* 100 us */
      MPI_Irecv(skel_buffer(buf_20[(i * 2 + j) % 4]), 16, MPI_DOUBLE,
          skel_peer(skel_at(&source_22[source_of_23[rank]], i * 2 + j)), tag_24[j], cart, &req[request_25[j]]);
    }
  }
  if (rank >= 1 && rank <= 2) {
    compute(gap[11]); /* 100 us */
    MPI_Irecv(buf(3, 0), 16, MPI_DOUBLE, source_26[rank], 2, cart, &req[3]);
    compute(gap[12]); /* 100 us */
    MPI_Isend(skel_buffer(buf_27[i % 2]), 16, MPI_DOUBLE, dest_28[rank], 0, cart, &req[4]);
  }
  compute(gap[13]); /* 100 us */
  for (long j = 0; j < 2; j++) { /* 32.0 % of the traced time */
    if (j > 0) compute(gap[15]); /* 1 ms */
    MPI_Isend(skel_buffer(skel_at(&buf_31[buf_of_7[rank]], i * 2 + j)), 16, MPI_DOUBLE,
        skel_peer(skel_at(&dest_34[dest_of_35[rank]], i * 2 + j)),
        skel_tag(skel_at(&tag_38[tag_of_15[rank]], i * 2 + j)), cart,
        &req[skel_at(&request_41[request_of_19[rank]], i * 2 + j)]);
    if (rank < 1 || rank > 2) {
      compute(gap[14]); /* 100 us */
      MPI_Isend(skel_buffer(buf_42[(i * 2 + j) % 4]), 16, MPI_DOUBLE,
          skel_peer(skel_at(&dest_44[dest_of_45[rank]], i * 2 + j)), tag_46[j], cart, &req[request_47[j]]);
    }
  }
  if (rank >= 1 && rank <= 2) {
    compute(gap[16]); /* 100 us */
    MPI_Isend(buf(7, 0), 16, MPI_DOUBLE, dest_48[rank], 3, cart, &req[7]);
  }
  compute(gap[17]); /* 100 us */
  MPI_Waitall(8, req, status);
  compute(gap[18]); /* 100 us */
  if (trips_49[i % 5]) { /* not each time, 2.7 % of the traced time */
    MPI_Allreduce(buf(12, 0), buf(13, 0), 1, MPI_DOUBLE, MPI_SUM, cart);
  }
}

/* 4.42 ms in the traced run */
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
  MPI_Cart_coords(cart, rank_1[rank], 2, got.coords);
  compute(gap[5]); /* 100 us */
  for (long i = 0; i < 2; i++) { /* 1.5 % of the traced time */
    if (i > 0) compute(gap[6]); /* 1 ms */
    MPI_Cart_shift(cart, (int)(i), 1, &got.rank_source, &got.rank_dest);
  }
  compute(gap[7]); /* 100 us */
  iteration_1(0);
}

/* 19 iterations after the first, 19 of them run here; 97.6 % of the traced time */
static void loop_1(void) {
  const long kept = skel_kept(1);
  for (long n = 0; n < kept; n++) {
    compute(gap[19]); /* 1 ms */
    iteration_1(skel_iteration(1, n));
  }
}

/* 202 us in the traced run */
static void epilogue(void) {
  compute(gap[20]); /* 100 us */
  MPI_Comm_free(&cart);
  compute(gap[21]); /* 100 us */
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
