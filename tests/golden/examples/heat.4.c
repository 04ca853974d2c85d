/* Performance skeleton of an MPI program with 4 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 73.5 ms. */
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
static const int source_3[] = {MPI_PROC_NULL, MPI_PROC_NULL, 0, 1};
static const int64_t buf_values_4[] = {SKEL_AT(1, 0), SKEL_AT(9, 0)};
static const int64_t buf_values_5[] = {SKEL_AT(0, 0), SKEL_AT(8, 0)};
static const struct skel_sequence buf_6[] = {{0, 0, 2, buf_values_4}, {0, 0, 2, buf_values_5}};
static const int buf_of_7[] = {0, 0, 1, 0};
static const int source_8[] = {2, 3, 0, MPI_PROC_NULL};
static const int tag_9[] = {0, 0, 1, 0};
static const int request_10[] = {1, 1, 0, 1};
static const int source_11[] = {MPI_PROC_NULL, 0, 0, 2};
static const int64_t buf_12[] = {SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(9, 0), SKEL_AT(2, 0)};
static const int tag_13[] = {0, 3};
static const int request_14[] = {1, 2};
static const int source_15[] = {1, MPI_PROC_NULL, 3, MPI_PROC_NULL};
static const int64_t buf_16[] = {SKEL_AT(4, 0), SKEL_AT(10, 0)};
static const int dest_17[] = {MPI_PROC_NULL, MPI_PROC_NULL, 0, 1};
static const int64_t buf_values_18[] = {SKEL_AT(5, 0), SKEL_AT(11, 0)};
static const int64_t buf_values_19[] = {SKEL_AT(4, 0), SKEL_AT(10, 0)};
static const struct skel_sequence buf_20[] = {{0, 0, 2, buf_values_18}, {0, 0, 2, buf_values_19}};
static const int dest_21[] = {2, 3, 0, MPI_PROC_NULL};
static const int tag_22[] = {1, 1, 0, 1};
static const int request_23[] = {5, 5, 4, 5};
static const int dest_24[] = {MPI_PROC_NULL, 0, 0, 2};
static const int64_t buf_25[] = {SKEL_AT(5, 0), SKEL_AT(6, 0), SKEL_AT(11, 0), SKEL_AT(6, 0)};
static const int tag_26[] = {1, 2};
static const int request_27[] = {5, 6};
static const int dest_28[] = {1, MPI_PROC_NULL, 3, MPI_PROC_NULL};
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
  {0.0001, 0.0001, 0, 0.0001},
  {0.0001, 0.0001, 0, 0.0001},
  {0, 0, 0.0001, 0},
  {0, 0, 0.001, 0},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0, 0.0001},
  {0, 0, 0.0001, 0},
  {0, 0, 0.001, 0},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.001, 0.001, 0.001, 0.001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.001, 0.001, 0.001, 0.001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
};
static const struct skel_phase phases[] = {
  {"prologue", 0, 1, 1, 1, 1},
  {"loop 1", 1, 4, 3, 3, 1},
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

/* one of 4 iterations; i says which */
static void iteration_1(long i) {
  for (long j = 0; j < 5; j++) { /* 88.6 % of the traced time */
    if (j > 0) compute(gap[20]); /* 1 ms */
    if (rank != 2) MPI_Irecv(skel_buffer(buf_2[(i * 5 + j) % 2]), 16, MPI_DOUBLE, source_3[rank], 1, cart, &req[0]);
    compute(gap[8]); /* 0 ns to 100 us */
    MPI_Irecv(skel_buffer(skel_at(&buf_6[buf_of_7[rank]], i * 5 + j)), 16, MPI_DOUBLE, source_8[rank], tag_9[rank],
        cart, &req[request_10[rank]]);
    if (rank != 2) {
      compute(gap[9]); /* 100 us */
      MPI_Irecv(buf(2, 0), 16, MPI_DOUBLE, source_11[rank], 3, cart, &req[2]);
    } else {
      compute(gap[10]); /* 100 us */
      for (long k = 0; k < 2; k++) { /* 11.9 % of the traced time */
        if (k > 0) compute(gap[11]); /* 1 ms */
        MPI_Irecv(skel_buffer(buf_12[((i * 5 + j) * 2 + k) % 4]), 16, MPI_DOUBLE, MPI_PROC_NULL, tag_13[k], cart,
            &req[request_14[k]]);
      }
    }
    compute(gap[12]); /* 100 us */
    MPI_Irecv(buf(3, 0), 16, MPI_DOUBLE, source_15[rank], 2, cart, &req[3]);
    if (rank != 2) {
      compute(gap[13]); /* 100 us */
      MPI_Isend(skel_buffer(buf_16[(i * 5 + j) % 2]), 16, MPI_DOUBLE, dest_17[rank], 0, cart, &req[4]);
    }
    compute(gap[14]); /* 100 us */
    MPI_Isend(skel_buffer(skel_at(&buf_20[buf_of_7[rank]], i * 5 + j)), 16, MPI_DOUBLE, dest_21[rank], tag_22[rank],
        cart, &req[request_23[rank]]);
    if (rank != 2) {
      compute(gap[15]); /* 100 us */
      MPI_Isend(buf(6, 0), 16, MPI_DOUBLE, dest_24[rank], 2, cart, &req[6]);
    } else {
      compute(gap[16]); /* 100 us */
      for (long k = 0; k < 2; k++) { /* 11.9 % of the traced time */
        if (k > 0) compute(gap[17]); /* 1 ms */
        MPI_Isend(skel_buffer(buf_25[((i * 5 + j) * 2 + k) % 4]), 16, MPI_DOUBLE, MPI_PROC_NULL, tag_26[k], cart,
            &req[request_27[k]]);
      }
    }
    compute(gap[18]); /* 100 us */
    MPI_Isend(buf(7, 0), 16, MPI_DOUBLE, dest_28[rank], 3, cart, &req[7]);
    compute(gap[19]); /* 100 us */
    MPI_Waitall(8, req, status);
  }
  compute(gap[21]); /* 100 us */
  MPI_Allreduce(buf(12, 0), buf(13, 0), 1, MPI_DOUBLE, MPI_SUM, cart);
}

/* 18.9 ms in the traced run */
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
  for (long i = 0; i < 2; i++) { /* 2.4 % of the traced time */
    if (i > 0) compute(gap[6]); /* 1 ms */
    MPI_Cart_shift(cart, (int)(i), 1, &got.rank_source, &got.rank_dest);
  }
  compute(gap[7]); /* 100 us */
  iteration_1(0);
}

/* 3 iterations after the first, 3 of them run here; 96.1 % of the traced time */
static void loop_1(void) {
  const long kept = skel_kept(1);
  for (long n = 0; n < kept; n++) {
    compute(gap[22]); /* 1 ms */
    iteration_1(skel_iteration(1, n));
  }
}

/* 202 us in the traced run */
static void epilogue(void) {
  compute(gap[23]); /* 100 us */
  MPI_Comm_free(&cart);
  compute(gap[24]); /* 100 us */
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
