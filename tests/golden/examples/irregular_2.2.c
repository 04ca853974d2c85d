/* Performance skeleton of an MPI program with 2 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 21.6 ms. */
#include "skel.h"

static struct { int rank, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int sendbuf_1[] = {2, 3};
static const int array_1[] = {16, 48};
static const int array_3[] = {16, 16};
static const int array_5[] = {2, 25};
static const int array_8[] = {6, 6};
static const int array_11[] = {1, 39};
static const int array_14[] = {2, 24};
static const int array_16[] = {0, 4};
static const int array_19[] = {12, 33};
static const int array_22[] = {2, 20};
static const int array_24[] = {13, 15};
static const int array_27[] = {7, 49};
static const int array_30[] = {5, 6};
static const int array_33[] = {28, 33};
static const int array_36[] = {0, 31};
static const int array_38[] = {5, 10};
static const int array_40[] = {12, 18};
static const int array_41[] = {7, 23};
static const int array_43[] = {21, 29};
static const int array_46[] = {6, 22};
static const int array_48[] = {5, 34};
static const int array_51[] = {11, 85};
static const int array_54[] = {10, 91};
static const int array_58[] = {34, 82};
static const int array_61[] = {25, 63};
static const int array_64[] = {2, 100};
static const int array_67[] = {45, 79};
static const int array_69[] = {10, 73};
static const int array_72[] = {26, 80};
static const int array_76[] = {43, 57};
static const int array_79[] = {4, 68};
static const int array_82[] = {56, 61};
static const int array_85[] = {3, 64};
static const int array_88[] = {15, 82};
static const int array_90[] = {25, 88};
static const int array_92[] = {18, 80};
static const int array_94[] = {43, 55};
static const int array_97[] = {7, 71};
static const int array_100[] = {33, 67};
static const int array_103[] = {25, 64};
static const int64_t sendcounts_values_2[] = {1, 3, 5, 8, 11, 14, 16, 19, 22, 24, 27, 30, 33, 36, 38, 40, 41, 43, 46,
    48};
static const int64_t sendcounts_values_3[] = {1, 51, 54, 58, 61, 64, 67, 69, 72, 76, 79, 82, 85, 88, 90, 92, 94, 97,
    100, 103};
static const struct skel_sequence sendcounts_4[] = {{0, 0, 20, sendcounts_values_2}, {0, 0, 20, sendcounts_values_3}};
static const int sendcounts_of_5[] = {0, 1};
static const int array_2[] = {0, 16};
static const int array_6[] = {0, 2};
static const int array_9[] = {0, 6};
static const int array_12[] = {0, 1};
static const int array_17[] = {0, 0};
static const int array_20[] = {0, 12};
static const int array_25[] = {0, 13};
static const int array_28[] = {0, 7};
static const int array_31[] = {0, 5};
static const int array_34[] = {0, 28};
static const int array_44[] = {0, 21};
static const int array_52[] = {0, 11};
static const int array_55[] = {0, 10};
static const int array_59[] = {0, 34};
static const int array_57[] = {0, 25};
static const int array_18[] = {0, 45};
static const int array_73[] = {0, 26};
static const int array_77[] = {0, 43};
static const int array_83[] = {0, 56};
static const int array_86[] = {0, 3};
static const int array_37[] = {0, 15};
static const int array_93[] = {0, 18};
static const int array_71[] = {0, 33};
static const int64_t sdispls_values_6[] = {2, 2, 6, 9, 12, 6, 17, 20, 6, 25, 28, 31, 34, 17, 31, 20, 28, 44, 9, 31};
static const int64_t sdispls_values_7[] = {2, 52, 55, 59, 57, 6, 18, 55, 73, 77, 16, 83, 86, 37, 57, 93, 77, 28, 71,
    57};
static const struct skel_sequence sdispls_8[] = {{0, 0, 20, sdispls_values_6}, {0, 0, 20, sdispls_values_7}};
static const int sdispls_of_9[] = {0, 1};
static const int recvbuf_10[] = {3, 2};
static const int array_4[] = {16, 11};
static const int array_7[] = {2, 10};
static const int array_10[] = {6, 34};
static const int array_13[] = {1, 25};
static const int array_15[] = {2, 2};
static const int array_21[] = {12, 10};
static const int array_23[] = {2, 26};
static const int array_26[] = {13, 43};
static const int array_29[] = {7, 4};
static const int array_32[] = {5, 56};
static const int array_35[] = {28, 3};
static const int array_39[] = {5, 25};
static const int array_42[] = {7, 43};
static const int array_45[] = {21, 7};
static const int array_47[] = {6, 33};
static const int array_49[] = {48, 48};
static const int array_53[] = {16, 85};
static const int array_56[] = {25, 91};
static const int array_60[] = {6, 82};
static const int array_62[] = {39, 63};
static const int array_65[] = {24, 100};
static const int array_68[] = {4, 79};
static const int array_70[] = {33, 73};
static const int array_74[] = {20, 80};
static const int array_78[] = {15, 57};
static const int array_80[] = {49, 68};
static const int array_84[] = {6, 61};
static const int array_87[] = {33, 64};
static const int array_89[] = {31, 82};
static const int array_91[] = {10, 88};
static const int array_95[] = {23, 55};
static const int array_98[] = {29, 71};
static const int array_101[] = {22, 67};
static const int array_104[] = {34, 64};
static const int64_t recvcounts_values_11[] = {3, 4, 7, 10, 13, 15, 18, 21, 23, 26, 29, 32, 35, 37, 39, 40, 42, 45, 47,
    39};
static const int64_t recvcounts_values_12[] = {49, 53, 56, 60, 62, 65, 68, 70, 74, 78, 80, 84, 87, 89, 91, 92, 95, 98,
    101, 104};
static const struct skel_sequence recvcounts_13[] = {{0, 0, 20, recvcounts_values_11},
    {0, 0, 20, recvcounts_values_12}};
static const int recvcounts_of_14[] = {0, 1};
static const int array_50[] = {0, 48};
static const int array_63[] = {0, 39};
static const int array_66[] = {0, 24};
static const int array_75[] = {0, 20};
static const int array_81[] = {0, 49};
static const int array_96[] = {0, 23};
static const int array_99[] = {0, 29};
static const int array_102[] = {0, 22};
static const int64_t rdispls_values_15[] = {2, 2, 6, 9, 12, 6, 17, 20, 6, 25, 28, 31, 34, 17, 31, 20, 28, 44, 9, 31};
static const int64_t rdispls_values_16[] = {50, 2, 57, 9, 63, 66, 16, 71, 75, 37, 81, 9, 71, 36, 55, 93, 96, 99, 102,
    59};
static const struct skel_sequence rdispls_17[] = {{0, 0, 20, rdispls_values_15}, {0, 0, 20, rdispls_values_16}};
static const int rdispls_of_18[] = {0, 1};
static const int* const array[] = {NULL, array_1, array_2, array_3, array_4, array_5, array_6, array_7, array_8,
    array_9, array_10, array_11, array_12, array_13, array_14, array_15, array_16, array_17, array_18, array_19,
    array_20, array_21, array_22, array_23, array_24, array_25, array_26, array_27, array_28, array_29, array_30,
    array_31, array_32, array_33, array_34, array_35, array_36, array_37, array_38, array_39, array_40, array_41,
    array_42, array_43, array_44, array_45, array_46, array_47, array_48, array_49, array_50, array_51, array_52,
    array_53, array_54, array_55, array_56, array_57, array_58, array_59, array_60, array_61, array_62, array_63,
    array_64, array_65, array_66, array_67, array_68, array_69, array_70, array_71, array_72, array_73, array_74,
    array_75, array_76, array_77, array_78, array_79, array_80, array_81, array_82, array_83, array_84, array_85,
    array_86, array_87, array_88, array_89, array_90, array_91, array_92, array_93, array_94, array_95, array_96,
    array_97, array_98, array_99, array_100, array_101, array_102, array_103, array_104};
/* Computation in seconds: a row for each place in the program, a column for each rank. */
static const double gap[][2] = {
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
};
static const struct skel_phase phases[] = {{"prologue", 0, 1, 0, 1, 1, 0, -1}, {"loop 1", 1, 20, 0, 19, 1, 0, 2},
    {"epilogue", 0, 1, 0, 1, 1, 0, -1}};
static const size_t buffer_bytes[] = {
  8, 8, 512, 400, 8, 8, 8, 8,
  8, 8, 992, 936, 8, 8, 8, 8,
};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09, NULL}};
static const struct skel_program program = {.ranks = 2, .scale = 10, .phases = 3, .phase = phases, .buffers = 8,
    .buffer_rows = 2, .buffer_bytes = buffer_bytes, .machine_rows = 1, .machine = machines};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* 405 us in the traced run */
static void prologue(void) {
  compute(gap[0]); /* 100 us */
  MPI_Comm_rank(MPI_COMM_WORLD, &got.rank);
  compute(gap[1]); /* 100 us */
  MPI_Comm_size(MPI_COMM_WORLD, &got.size);
}

static void loop_1(void) {
  compute(gap[2]); /* 100 us */
  for (long i = 0; i < 20; i = skel_step(1, i, 20)) { /* 97.7 % of the traced time; 20 of 20 iterations run */
    if (i > 0) compute(gap[3]); /* 1 ms */
    MPI_Alltoall(buf(0, 0), 1, MPI_INT, buf(1, 0), 1, MPI_INT, MPI_COMM_WORLD);
    compute(gap[4]); /* 100 us */
    MPI_Alltoallv(buf(sendbuf_1[i % 2], 0), array[skel_at(&sendcounts_4[sendcounts_of_5[rank]], i)],
        array[skel_at(&sdispls_8[sdispls_of_9[rank]], i)], MPI_DOUBLE, buf(recvbuf_10[i % 2], 0),
        array[skel_at(&recvcounts_13[recvcounts_of_14[rank]], i)], array[skel_at(&rdispls_17[rdispls_of_18[rank]], i)],
        MPI_DOUBLE, MPI_COMM_WORLD);
  }
}

/* 303 us in the traced run */
static void epilogue(void) {
  compute(gap[5]); /* 100 us */
  MPI_Allreduce(buf(4, 0), buf(5, 0), 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  compute(gap[6]); /* 100 us */
  MPI_Allreduce(buf(6, 0), buf(7, 0), 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  compute(gap[7]); /* 100 us */
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
