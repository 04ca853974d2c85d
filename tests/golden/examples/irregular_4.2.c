/* Performance skeleton of an MPI program with 2 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 102 ms. */
#include "skel.h"

static MPI_Request req[6];
static MPI_Status status[6];
static struct { int rank, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int trips_1[] = {3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 2};
static const int buf_2[] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 0, 1, 0, 1, 0,
    1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
static const int request_3[] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 0, 1, 0,
    1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
static struct skel_cursor cursor_4;
static const int64_t trips_values_5[] = {3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0,
    0, 0, 0, 2};
static const struct skel_sequence trips_6[] = {{0, 0, 30, trips_values_5}};
static const int buf_7[] = {3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 3, 4, 3, 4, 3,
    4, 3, 4, 3, 4, 3, 4, 3, 4, 3, 4, 3, 4, 3, 4, 3, 4, 3, 4, 3, 4, 3, 4, 3, 4};
static const int request_8[] = {3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 2, 3, 2, 3, 2,
    3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2};
static struct skel_cursor cursor_9;
static const int count_10[] = {6, 6, 6, 6, 6, 6, 6, 6, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 0, 0, 0, 0, 0,
    4};
static const int array_1[] = {0, 1, 2, 3, 4, 5};
static const int array_2[] = {0, 1, 2, 3};
static const int array_none[1];
static const int array_of_requests_11[] = {1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0,
    0, 0, 0, 2};
static const int* const array[] = {array_none, array_1, array_2};
/* Computation in seconds: a row for each place in the program, a column for each rank. */
static const double gap[][2] = {
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
};
static const struct skel_phase phases[] = {{"prologue", 0, 1, 0, 1, 1, 0, -1}, {"loop 1", 1, 30, 0, 29, 1, 0, 2},
    {"epilogue", 0, 1, 0, 1, 1, 0, -1}};
static const size_t buffer_bytes[] = {8, 8, 8, 8, 8, 8, 8, 8, 8, 8};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09, NULL}};
static const struct skel_program program = {.ranks = 2, .scale = 10, .phases = 3, .phase = phases, .buffers = 10,
    .buffer_rows = 1, .buffer_bytes = buffer_bytes, .machine_rows = 1, .machine = machines};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* 2.71 ms in the traced run */
static void prologue(void) {
  compute(gap[0]); /* 100 us */
  MPI_Comm_rank(MPI_COMM_WORLD, &got.rank);
  compute(gap[1]); /* 100 us */
  MPI_Comm_size(MPI_COMM_WORLD, &got.size);
}

static void loop_1(void) {
  compute(gap[2]); /* 100 us */
  for (long i = 0; i < 30; i = skel_step(1, i, 30)) { /* 99.5 % of the traced time; 30 of 30 iterations run */
    if (i > 0) compute(gap[3]); /* 1 ms */
    const long first_1 = (long)skel_sum(&trips_6[0], i, &cursor_4);
    for (long j = 0; j < trips_1[i]; j++) { /* 0 to 3 iterations, 32.5 % of the traced time */
      if (j > 0) compute(gap[4]); /* 1 ms */
      MPI_Irecv(buf(buf_2[(first_1 + j) % 56], 0), 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD,
          &req[request_3[(first_1 + j) % 56]]);
    }
    compute(gap[5]); /* 100 us */
    const long first_2 = (long)skel_sum(&trips_6[0], i, &cursor_9);
    for (long j = 0; j < trips_1[i]; j++) { /* 0 to 3 iterations, 35.4 % of the traced time */
      if (j > 0) compute(gap[6]); /* 1 ms */
      MPI_Isend(buf(buf_7[(first_2 + j) % 56], 0), 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD,
          &req[request_8[(first_2 + j) % 57]]);
    }
    compute(gap[7]); /* 100 us */
    MPI_Waitall(count_10[i], skel_pick(req, count_10[i], array[array_of_requests_11[i]]), status);
    skel_put_back(req);
  }
}

/* 303 us in the traced run */
static void epilogue(void) {
  compute(gap[8]); /* 100 us */
  MPI_Allreduce(buf(6, 0), buf(7, 0), 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  compute(gap[9]); /* 100 us */
  MPI_Allreduce(buf(8, 0), buf(9, 0), 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  compute(gap[10]); /* 100 us */
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
