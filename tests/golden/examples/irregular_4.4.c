/* Performance skeleton of an MPI program with 4 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 74.8 ms. */
#include "skel.h"

static MPI_Request req[10];
static MPI_Status status[10];
static struct {
  int rank;
  int size;
} got; /* what calls return and nobody reads */

static const int trips_1[] = {12, 8, 8, 8};
static const int source_2[] = {2, 0, 1, 2};
static const int64_t buf_values_3[] = {2199023255552, 3298534883328};
static const int64_t buf_values_4[] = {1099511627776, 2199023255552};
static const struct skel_sequence buf_5[] = {{0, 0, 2, buf_values_3}, {0, 0, 2, buf_values_4}};
static const int buf_of_6[] = {0, 1, 0, 0};
static const int64_t request_values_7[] = {1, 2};
static const int64_t request_values_8[] = {0, 1};
static const struct skel_sequence request_9[] = {{0, 0, 2, request_values_7}, {0, 0, 2,
    request_values_8}};
static const int request_of_10[] = {0, 1, 0, 0};
static const int64_t buf_11[] = {0, 3298534883328, 2199023255552, 2199023255552};
static const int request_12[] = {0, 2, 1, 1};
static const int64_t buf_13[] = {4398046511104, 0, 5497558138880, 3298534883328};
static const int dest_14[] = {2, 0, 1, 2};
static const int request_15[] = {3, 0, 4, 2};
static const int64_t buf_16[] = {4398046511104, 5497558138880};
static const int request_17[] = {3, 4};
static const int64_t buf_values_18[] = {5497558138880, 6597069766656};
static const int64_t buf_values_19[] = {6597069766656, 7696581394432};
static const struct skel_sequence buf_20[] = {{0, 0, 2, buf_values_18}, {0, 0, 2, buf_values_19}};
static const int64_t request_values_21[] = {4, 5};
static const int64_t request_values_22[] = {5, 6};
static const struct skel_sequence request_23[] = {{0, 0, 2, request_values_21}, {0, 0, 2,
    request_values_22}};
static const int64_t buf_24[] = {0, 8796093022208, 6597069766656, 4398046511104};
static const int request_25[] = {0, 7, 5, 3};
static const int64_t buf_26[] = {9895604649984, 10995116277760};
static const int request_27[] = {8, 9};
static const int count_28[] = {6, 10, 8, 4};
static const int array_1[] = {0, 1, 2, 3, 4, 5};
static const int array_3[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
static const int array_5[] = {0, 1, 2, 3, 4, 5, 6, 7};
static const int array_2[] = {0, 1, 2, 3};
static const int array_of_requests_29[] = {1, 3, 5, 2};
static const int trips_30[] = {0, 4, 4, 3};
static const int64_t buf_31[] = {0, 1099511627776, 2199023255552, 0};
static const int request_32[] = {0, 0, 1, 0};
static const int64_t buf_33[] = {2199023255552, 3298534883328};
static const int request_34[] = {1, 2};
static const int64_t buf_35[] = {7696581394432, 8796093022208};
static const int request_36[] = {4, 5};
static const int count_37[] = {0, 6, 4, 0};
static const int array_of_requests_38[] = {0, 1, 2, 0};
static const int count_39[] = {0, 2, 2, 2, 2, 2, 2};
static const int array_4[] = {0, 1};
static const int array_of_requests_40[] = {0, 4, 4, 4, 4, 4, 4};
static const int64_t buf_41[] = {0, 0, 5497558138880, 3298534883328};
static const int count_42[] = {0, 0, 2, 0};
static const int array_of_requests_43[] = {0, 0, 4, 0};
static const int source_44[] = {2, 0, 0, 0};
static const int64_t buf_45[] = {4398046511104, 6597069766656, 5497558138880, 0};
static const int dest_46[] = {2, 0, 0, 0};
static const int request_47[] = {2, 1, 1, 0};
static const int count_48[] = {4, 2, 2, 0};
static const int array_of_requests_49[] = {2, 4, 4, 0};
static const int trips_50[] = {3, 3, 3, 12};
static const struct skel_sequence buf_51[] = {{0, 0, 2, buf_values_4}, {0, 0, 2, buf_values_3}};
static const int buf_of_52[] = {0, 0, 1, 0};
static const struct skel_sequence request_53[] = {{0, 0, 2, request_values_8}, {0, 0, 2,
    request_values_7}};
static const int request_of_54[] = {0, 0, 1, 0};
static const int64_t buf_55[] = {0, 6597069766656, 5497558138880, 0};
static const int request_56[] = {0, 1, 3, 0};
static const int64_t buf_values_57[] = {4398046511104, 5497558138880};
static const struct skel_sequence buf_58[] = {{0, 0, 2, buf_values_57}, {0, 0, 2, buf_values_19}};
static const int64_t request_values_59[] = {2, 3};
static const struct skel_sequence request_60[] = {{0, 0, 2, request_values_59}, {0, 0, 2,
    request_values_21}};
static const int64_t count_values_61[] = {2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
static const struct skel_sequence count_62[] = {{4, 0, 0, NULL}, {2, 0, 0, NULL}, {6, 0, 0, NULL},
    {0, 0, 12, count_values_61}};
static const int count_of_63[] = {0, 1, 2, 3};
static const int64_t array_of_requests_values_64[] = {4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
static const struct skel_sequence array_of_requests_65[] = {{2, 0, 0, NULL}, {4, 0, 0, NULL}, {1, 0,
    0, NULL}, {0, 0, 12, array_of_requests_values_64}};
static const int array_of_requests_of_66[] = {0, 1, 2, 3};
static const int64_t sendbuf_67[] = {7696581394432, 12094627905536, 9895604649984, 5497558138880};
static const int64_t recvbuf_68[] = {8796093022208, 13194139533312, 10995116277760, 6597069766656};
static const int64_t sendbuf_69[] = {9895604649984, 14293651161088, 12094627905536, 7696581394432};
static const int64_t recvbuf_70[] = {10995116277760, 15393162788864, 13194139533312, 8796093022208};
static const int* const array[] = {NULL, array_1, array_2, array_3, array_4, array_5};
/* Computation in seconds: a row for each place in the program, a column for each rank. */
static const double gap[][4] = {
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0, 0, 0},
  {0.001, 0.001, 0, 0},
  {0, 0.0001, 0.0001, 0.0001},
  {0, 0, 0.0001, 0},
  {0, 0, 0.0001, 0},
  {0.0001, 0, 0.0001, 0.0001},
  {0, 0.0001, 0, 0},
  {0, 0.001, 0, 0},
  {0.0001, 0.0001, 0, 0},
  {0.001, 0.001, 0, 0},
  {0, 0.0001, 0.0001, 0.0001},
  {0, 0, 0.0001, 0},
  {0, 0, 0.0001, 0},
  {0, 0.0001, 0, 0},
  {0, 0.001, 0, 0},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.001, 0.001, 0.001, 0.001},
  {0, 0.0001, 0.0001, 0.0001},
  {0, 0, 0.0001, 0},
  {0, 0, 0.0001, 0},
  {0, 0.0001, 0, 0},
  {0, 0.001, 0, 0},
  {0, 0.0001, 0.0001, 0},
  {0, 0.0001, 0, 0},
  {0, 0.001, 0, 0},
  {0, 0.0001, 0.0001, 0},
  {0, 0.001, 0.001, 0.001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0, 0, 0, 0.0001},
  {0, 0, 0.0001, 0.0001},
  {0, 0, 0.0001, 0},
  {0.001, 0.001, 0.001, 0.001},
  {0.0001, 0.0001, 0.0001, 0},
  {0.0001, 0, 0, 0},
  {0.0001, 0.0001, 0.0001, 0},
  {0.0001, 0, 0, 0},
  {0.0001, 0.0001, 0.0001, 0},
  {0.001, 0.001, 0.001, 0},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0, 0, 0.0001, 0},
  {0.001, 0, 0.001, 0},
  {0, 0.0001, 0.0001, 0},
  {0.0001, 0, 0.0001, 0},
  {0.001, 0, 0.001, 0},
  {0.0001, 0.0001, 0.0001, 0},
  {0.001, 0.001, 0.001, 0.001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
};

static const struct skel_phase phases[] = {
  {"whole run", 0, 1, 1, 1, 1},
};
static const size_t buffer_bytes[] = {
  8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 0, 0, 0, 0,
  8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
  8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 0, 0,
  8, 8, 8, 8, 8, 8, 8, 8, 0, 0, 0, 0, 0, 0,
};
static const struct skel_machine machines[] = {
  {1048576, 1e+09, 1e+09},
};
static const struct skel_program program = {
  .ranks = 4,
  .scale = 10,
  .phases = 1,
  .phase = phases,
  .buffers = 14,
  .buffer_rows = 4,
  .buffer_bytes = buffer_bytes,
  .machine_rows = 1,
  .machine = machines,
};

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* 74.8 ms in the traced run */
static void whole_run(void) {
  compute(gap[0]); /* 100 us */
  MPI_Comm_rank(MPI_COMM_WORLD, &got.rank);
  compute(gap[1]); /* 100 us */
  MPI_Comm_size(MPI_COMM_WORLD, &got.size);
  compute(gap[2]); /* 100 us */
  /* 8 to 12 iterations, 49.9 % of the traced time */
  for (long i = 0; i < trips_1[rank]; i++) {
    if (i > 0) compute(gap[19]); /* 1 ms */
    if (rank != 1) {
      MPI_Irecv(buf(0, 0), 1, MPI_DOUBLE, source_2[rank], 0, MPI_COMM_WORLD, &req[0]);
    }
    if (rank <= 1) {
      compute(gap[3]); /* 0 ns to 100 us */
      /* 2 iterations, 9.8 % of the traced time */
      for (long j = 0; j < 2; j++) {
        if (j > 0) compute(gap[4]); /* 1 ms */
        MPI_Irecv(skel_buffer(skel_at(&buf_5[buf_of_6[rank]], i * 2 + j)), 1, MPI_DOUBLE, rank + 1, 0,
            MPI_COMM_WORLD, &req[skel_at(&request_9[request_of_10[rank]], i * 2 + j)]);
      }
    }
    if (rank != 0) {
      compute(gap[5]); /* 100 us */
      MPI_Irecv(skel_buffer(buf_11[rank]), 1, MPI_DOUBLE, (rank + 2) % size, 0, MPI_COMM_WORLD,
          &req[request_12[rank]]);
    }
    if (rank == 2) {
      compute(gap[6]); /* 100 us */
      MPI_Irecv(buf(2, 0), 1, MPI_DOUBLE, 3, 0, MPI_COMM_WORLD, &req[2]);
      compute(gap[7]); /* 100 us */
      MPI_Irecv(buf(3, 0), 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &req[3]);
    }
    if (rank != 1) {
      compute(gap[8]); /* 100 us */
      MPI_Isend(skel_buffer(buf_13[rank]), 1, MPI_DOUBLE, dest_14[rank], 0, MPI_COMM_WORLD,
          &req[request_15[rank]]);
    } else {
      compute(gap[9]); /* 100 us */
      /* 2 iterations, 4.1 % of the traced time */
      for (long j = 0; j < 2; j++) {
        if (j > 0) compute(gap[10]); /* 1 ms */
        MPI_Irecv(skel_buffer(buf_16[(i * 2 + j) % 2]), 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD,
            &req[request_17[(i * 2 + j) % 2]]);
      }
    }
    if (rank <= 1) {
      compute(gap[11]); /* 100 us */
      /* 2 iterations, 10.2 % of the traced time */
      for (long j = 0; j < 2; j++) {
        if (j > 0) compute(gap[12]); /* 1 ms */
        MPI_Isend(skel_buffer(skel_at(&buf_20[buf_of_6[rank]], i * 2 + j)), 1, MPI_DOUBLE, rank + 1, 0,
            MPI_COMM_WORLD, &req[skel_at(&request_23[request_of_10[rank]], i * 2 + j)]);
      }
    }
    if (rank != 0) {
      compute(gap[13]); /* 100 us */
      MPI_Isend(skel_buffer(buf_24[rank]), 1, MPI_DOUBLE, (rank + 2) % size, 0, MPI_COMM_WORLD,
          &req[request_25[rank]]);
    }
    if (rank == 2) {
      compute(gap[14]); /* 100 us */
      MPI_Isend(buf(6, 0), 1, MPI_DOUBLE, 3, 0, MPI_COMM_WORLD, &req[6]);
      compute(gap[15]); /* 100 us */
      MPI_Isend(buf(7, 0), 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &req[7]);
    }
    if (rank == 1) {
      compute(gap[16]); /* 100 us */
      /* 2 iterations, 4.1 % of the traced time */
      for (long j = 0; j < 2; j++) {
        if (j > 0) compute(gap[17]); /* 1 ms */
        MPI_Isend(skel_buffer(buf_26[(i * 2 + j) % 2]), 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD,
            &req[request_27[(i * 2 + j) % 2]]);
      }
    }
    compute(gap[18]); /* 100 us */
    MPI_Waitall(count_28[rank], skel_pick(req, count_28[rank], array[array_of_requests_29[rank]]),
        status);
    skel_put_back(req);
  }
  if (rank != 0) {
    compute(gap[20]); /* 100 us */
    /* 3 to 4 iterations, 9.0 % of the traced time */
    for (long i = 0; i < trips_30[rank]; i++) {
      if (i > 0) compute(gap[29]); /* 1 ms */
      if (rank == 2) {
        MPI_Irecv(buf(0, 0), 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &req[0]);
      }
      if (rank != 3) {
        compute(gap[21]); /* 0 ns to 100 us */
        MPI_Irecv(skel_buffer(buf_31[rank]), 1, MPI_DOUBLE, rank ^ 3, 0, MPI_COMM_WORLD,
            &req[request_32[rank]]);
      }
      if (rank == 2) {
        compute(gap[22]); /* 100 us */
        MPI_Isend(buf(4, 0), 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &req[2]);
      }
      if (rank == 1) {
        compute(gap[23]); /* 100 us */
        /* 2 iterations, 2.0 % of the traced time */
        for (long j = 0; j < 2; j++) {
          if (j > 0) compute(gap[24]); /* 1 ms */
          MPI_Irecv(skel_buffer(buf_33[(i * 2 + j) % 2]), 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD,
              &req[request_34[(i * 2 + j) % 2]]);
        }
      }
      if (rank != 3) {
        compute(gap[25]); /* 100 us */
        MPI_Isend(buf(5, 0), 1, MPI_DOUBLE, rank ^ 3, 0, MPI_COMM_WORLD, &req[3]);
      }
      if (rank == 1) {
        compute(gap[26]); /* 100 us */
        /* 2 iterations, 2.0 % of the traced time */
        for (long j = 0; j < 2; j++) {
          if (j > 0) compute(gap[27]); /* 1 ms */
          MPI_Isend(skel_buffer(buf_35[(i * 2 + j) % 2]), 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD,
              &req[request_36[(i * 2 + j) % 2]]);
        }
      }
      compute(gap[28]); /* 0 ns to 100 us */
      MPI_Waitall(count_37[rank], skel_pick(req, count_37[rank], array[array_of_requests_38[rank]]),
          status);
      skel_put_back(req);
    }
  }
  compute(gap[30]); /* 100 us */
  /* 7 iterations, 12.6 % of the traced time */
  for (long i = 0; i < 7; i++) {
    if (i > 0) compute(gap[34]); /* 1 ms */
    if (rank == 3) {
      MPI_Waitall(count_39[i], skel_pick(req, count_39[i], array[array_of_requests_40[i]]), status);
      skel_put_back(req);
    }
    if (rank >= 2) {
      compute(gap[31]); /* 0 ns to 100 us */
      MPI_Irecv(buf(0, 0), 1, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD, &req[0]);
      compute(gap[32]); /* 100 us */
      MPI_Isend(skel_buffer(buf_41[rank]), 1, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD, &req[1]);
    }
    if (rank != 3) {
      compute(gap[33]); /* 0 ns to 100 us */
      MPI_Waitall(count_42[rank], skel_pick(req, count_42[rank], array[array_of_requests_43[rank]]),
          status);
      skel_put_back(req);
    }
  }
  if (rank != 3) {
    compute(gap[35]); /* 100 us */
    /* 8 iterations, 12.8 % of the traced time */
    for (long i = 0; i < 8; i++) {
      if (i > 0) compute(gap[40]); /* 1 ms */
      MPI_Irecv(buf(0, 0), 1, MPI_DOUBLE, source_44[rank], 0, MPI_COMM_WORLD, &req[0]);
      if (rank == 0) {
        compute(gap[36]); /* 100 us */
        MPI_Irecv(buf(1, 0), 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &req[1]);
      }
      compute(gap[37]); /* 100 us */
      MPI_Isend(skel_buffer(buf_45[rank]), 1, MPI_DOUBLE, dest_46[rank], 0, MPI_COMM_WORLD,
          &req[request_47[rank]]);
      if (rank == 0) {
        compute(gap[38]); /* 100 us */
        MPI_Isend(buf(4, 0), 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &req[3]);
      }
      compute(gap[39]); /* 100 us */
      MPI_Waitall(count_48[rank], skel_pick(req, count_48[rank], array[array_of_requests_49[rank]]),
          status);
      skel_put_back(req);
    }
  }
  compute(gap[41]); /* 100 us */
  /* 3 to 12 iterations, 14.7 % of the traced time */
  for (long i = 0; i < trips_50[rank]; i++) {
    if (i > 0) compute(gap[48]); /* 1 ms */
    if (rank >= 1 && rank <= 2) {
      MPI_Irecv(buf(0, 0), 1, MPI_DOUBLE, rank ^ 3, 0, MPI_COMM_WORLD, &req[0]);
    }
    if (rank % 2 == 0) {
      compute(gap[42]); /* 0 ns to 100 us */
      /* 2 iterations, 2.9 % of the traced time */
      for (long j = 0; j < 2; j++) {
        if (j > 0) compute(gap[43]); /* 1 ms */
        MPI_Irecv(skel_buffer(skel_at(&buf_51[buf_of_52[rank]], i * 2 + j)), 1, MPI_DOUBLE,
            (rank + 2) % size, 0, MPI_COMM_WORLD, &req[skel_at(&request_53[request_of_54[rank]],
            i * 2 + j)]);
      }
    }
    if (rank >= 1 && rank <= 2) {
      compute(gap[44]); /* 100 us */
      MPI_Isend(skel_buffer(buf_55[rank]), 1, MPI_DOUBLE, rank ^ 3, 0, MPI_COMM_WORLD,
          &req[request_56[rank]]);
    }
    if (rank % 2 == 0) {
      compute(gap[45]); /* 100 us */
      /* 2 iterations, 3.1 % of the traced time */
      for (long j = 0; j < 2; j++) {
        if (j > 0) compute(gap[46]); /* 1 ms */
        MPI_Isend(skel_buffer(skel_at(&buf_58[buf_of_52[rank]], i * 2 + j)), 1, MPI_DOUBLE,
            (rank + 2) % size, 0, MPI_COMM_WORLD, &req[skel_at(&request_60[request_of_54[rank]],
            i * 2 + j)]);
      }
    }
    compute(gap[47]); /* 0 ns to 100 us */
    MPI_Waitall((int)skel_at(&count_62[count_of_63[rank]], i), skel_pick(req,
        (int)skel_at(&count_62[count_of_63[rank]], i),
        array[skel_at(&array_of_requests_65[array_of_requests_of_66[rank]], i)]), status);
    skel_put_back(req);
  }
  compute(gap[49]); /* 100 us */
  MPI_Allreduce(skel_buffer(sendbuf_67[rank]), skel_buffer(recvbuf_68[rank]), 1, MPI_DOUBLE, MPI_SUM,
      MPI_COMM_WORLD);
  compute(gap[50]); /* 100 us */
  MPI_Allreduce(skel_buffer(sendbuf_69[rank]), skel_buffer(recvbuf_70[rank]), 1, MPI_DOUBLE, MPI_MAX,
      MPI_COMM_WORLD);
  compute(gap[51]); /* 100 us */
}

int main(int argc, char** argv) {
  skel_start(argc, argv);
  MPI_Init(&argc, &argv);
  skel_init(&program);
  skel_phase(0);
  whole_run();
  skel_report();
  MPI_Finalize();
  return skel_finish();
}
