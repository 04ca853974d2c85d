/* Performance skeleton of an MPI program with 2 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 177 ms. */
#include "skel.h"

static MPI_Comm cart; /* from MPI_Cart_create */
static MPI_Request req[16];
static MPI_Status status[8];
static struct { int coords[64], rank, rank_dest, rank_source, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int array_1[] = {0, 0};
static const int array_2[] = {2, 1};
static const int rank_1[] = {0, 1};
static const int64_t buf_2[] = {SKEL_AT(2, 0), SKEL_AT(0, 0)};
static const int tag_3[] = {0, 1};
static const int request_4[] = {2, 0};
static const int64_t buf_5[] = {SKEL_AT(3, 0), SKEL_AT(1, 0)};
static const int tag_6[] = {1, 0};
static const int request_7[] = {3, 1};
static const int trips_8[] = {2, 3};
static const struct skel_sequence buf_9[] = {{SKEL_AT(4, 0), 2199023255552, 0, NULL},
    {SKEL_AT(2, 0), 2199023255552, 0, NULL}};
static const int buf_of_10[] = {0, 1};
static const int64_t count_values_11[] = {16, 8, 8};
static const struct skel_sequence count_12[] = {{8, 0, 0, NULL}, {0, 0, 3, count_values_11}};
static const int count_of_13[] = {0, 1};
static const int64_t tag_values_14[] = {0, 3, 2};
static const struct skel_sequence tag_15[] = {{3, -1, 0, NULL}, {0, 0, 3, tag_values_14}};
static const int tag_of_16[] = {0, 1};
static const struct skel_sequence request_17[] = {{4, 2, 0, NULL}, {2, 2, 0, NULL}};
static const int request_of_18[] = {0, 1};
static const struct skel_sequence buf_19[] = {{SKEL_AT(5, 0), 2199023255552, 0, NULL},
    {SKEL_AT(3, 0), 2199023255552, 0, NULL}};
static const struct skel_sequence tag_20[] = {{2, 1, 0, NULL}, {1, 1, 0, NULL}};
static const struct skel_sequence request_21[] = {{5, 2, 0, NULL}, {3, 2, 0, NULL}};
static const int array_3[] = {0, 2, 4, 6, 1, 3, 5, 7};
static const int trips_22[] = {0, 0, 0, 0, 0, 1};
static const int trips_23[] = {0, 0, 37, 0, 0, 0};
static const int64_t buf_24[] = {SKEL_AT(8, 0), SKEL_AT(8, 0), SKEL_AT(8, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(8, 0), SKEL_AT(8, 0), SKEL_AT(8, 0)};
static const int count_25[] = {8, 8, 8, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
    4, 4, 4, 4, 8, 8, 8};
static const int64_t buf_26[] = {SKEL_AT(9, 0), SKEL_AT(9, 0), SKEL_AT(9, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(9, 0), SKEL_AT(9, 0), SKEL_AT(9, 0)};
static const int64_t buf_values_27[] = {SKEL_AT(10, 0), SKEL_AT(10, 0), SKEL_AT(10, 0), SKEL_AT(18, 0), SKEL_AT(18, 0),
    SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0),
    SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0),
    SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0),
    SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0),
    SKEL_AT(18, 0), SKEL_AT(10, 0), SKEL_AT(10, 0), SKEL_AT(10, 0)};
static const int64_t buf_values_28[] = {SKEL_AT(8, 0), SKEL_AT(8, 0), SKEL_AT(8, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(8, 0), SKEL_AT(8, 0), SKEL_AT(8, 0)};
static const struct skel_sequence buf_29[] = {{0, 0, 37, buf_values_27}, {0, 0, 37, buf_values_28}};
static const int request_30[] = {10, 8};
static const int64_t buf_values_31[] = {SKEL_AT(11, 0), SKEL_AT(11, 0), SKEL_AT(11, 0), SKEL_AT(19, 0), SKEL_AT(19, 0),
    SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0),
    SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0),
    SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0),
    SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0),
    SKEL_AT(19, 0), SKEL_AT(11, 0), SKEL_AT(11, 0), SKEL_AT(11, 0)};
static const int64_t buf_values_32[] = {SKEL_AT(9, 0), SKEL_AT(9, 0), SKEL_AT(9, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(9, 0), SKEL_AT(9, 0), SKEL_AT(9, 0)};
static const struct skel_sequence buf_33[] = {{0, 0, 37, buf_values_31}, {0, 0, 37, buf_values_32}};
static const int request_34[] = {11, 9};
static const int64_t buf_values_35[] = {SKEL_AT(12, 0), SKEL_AT(14, 0), SKEL_AT(12, 0), SKEL_AT(14, 0), SKEL_AT(12, 0),
    SKEL_AT(14, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0),
    SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0),
    SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0),
    SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0),
    SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0),
    SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0),
    SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0),
    SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0),
    SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0),
    SKEL_AT(12, 0), SKEL_AT(14, 0), SKEL_AT(12, 0), SKEL_AT(14, 0), SKEL_AT(12, 0), SKEL_AT(14, 0)};
static const int64_t buf_values_36[] = {SKEL_AT(10, 0), SKEL_AT(12, 0), SKEL_AT(14, 0), SKEL_AT(10, 0), SKEL_AT(12, 0),
    SKEL_AT(14, 0), SKEL_AT(10, 0), SKEL_AT(12, 0), SKEL_AT(14, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0),
    SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0),
    SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0), SKEL_AT(20, 0),
    SKEL_AT(22, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0),
    SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0),
    SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0), SKEL_AT(20, 0),
    SKEL_AT(22, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0),
    SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0),
    SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0), SKEL_AT(20, 0),
    SKEL_AT(22, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0),
    SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0),
    SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0), SKEL_AT(20, 0),
    SKEL_AT(22, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0),
    SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(10, 0),
    SKEL_AT(12, 0), SKEL_AT(14, 0), SKEL_AT(10, 0), SKEL_AT(12, 0), SKEL_AT(14, 0), SKEL_AT(10, 0), SKEL_AT(12, 0),
    SKEL_AT(14, 0)};
static const struct skel_sequence buf_37[] = {{0, 0, 74, buf_values_35}, {0, 0, 111, buf_values_36}};
static const int64_t count_values_38[] = {4, 4, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 4, 4, 4, 4, 4, 4};
static const int64_t count_values_39[] = {8, 4, 4, 8, 4, 4, 8, 4, 4, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2,
    2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2,
    2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 8, 4,
    4, 8, 4, 4, 8, 4, 4};
static const struct skel_sequence count_40[] = {{0, 0, 74, count_values_38}, {0, 0, 111, count_values_39}};
static const int64_t tag_values_41[] = {3, 2};
static const struct skel_sequence tag_42[] = {{0, 0, 2, tag_values_41}, {0, 0, 3, tag_values_14}};
static const int64_t request_values_43[] = {12, 14};
static const int64_t request_values_44[] = {10, 12, 14};
static const struct skel_sequence request_45[] = {{0, 0, 2, request_values_43}, {0, 0, 3, request_values_44}};
static const int64_t buf_values_46[] = {SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(13, 0),
    SKEL_AT(15, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0),
    SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0),
    SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0),
    SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0),
    SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0),
    SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0),
    SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0),
    SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0),
    SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0),
    SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(13, 0), SKEL_AT(15, 0)};
static const int64_t buf_values_47[] = {SKEL_AT(11, 0), SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(11, 0), SKEL_AT(13, 0),
    SKEL_AT(15, 0), SKEL_AT(11, 0), SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0),
    SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0),
    SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0), SKEL_AT(21, 0),
    SKEL_AT(23, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0),
    SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0),
    SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0), SKEL_AT(21, 0),
    SKEL_AT(23, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0),
    SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0),
    SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0), SKEL_AT(21, 0),
    SKEL_AT(23, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0),
    SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0),
    SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0), SKEL_AT(21, 0),
    SKEL_AT(23, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0),
    SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(11, 0),
    SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(11, 0), SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(11, 0), SKEL_AT(13, 0),
    SKEL_AT(15, 0)};
static const struct skel_sequence buf_48[] = {{0, 0, 74, buf_values_46}, {0, 0, 111, buf_values_47}};
static const int64_t tag_values_49[] = {2, 3};
static const int64_t tag_values_50[] = {1, 2, 3};
static const struct skel_sequence tag_51[] = {{0, 0, 2, tag_values_49}, {0, 0, 3, tag_values_50}};
static const int64_t request_values_52[] = {13, 15};
static const int64_t request_values_53[] = {11, 13, 15};
static const struct skel_sequence request_54[] = {{0, 0, 2, request_values_52}, {0, 0, 3, request_values_53}};
static const int array_4[] = {8, 10, 12, 14, 9, 11, 13, 15};
static struct skel_cursor cursor_55;
static const int64_t trips_values_56[] = {0, 0, 37, 0, 0, 0};
static const struct skel_sequence trips_57[] = {{0, 0, 6, trips_values_56}};
static const int64_t recvbuf_58[] = {SKEL_AT(24, 0), 0};
static const int request_59[] = {0, 2, 4, 6, 1, 3, 5, 7};
/* Computation in seconds: a row for each place in the program, a column for each rank. */
static const double gap[][2] = {
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0},
  {0.0001, 0},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0},
  {0.0001, 0},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
};
static const struct skel_phase phases[] = {
  {"prologue", 0, 1, 1, 1, 1},
  {"loop 1", 1, 60, 9, 9, 1.47714965},
  {"epilogue", 0, 1, 1, 1, 1},
};
static const size_t buffer_bytes[] = {
  128, 128, 128, 128, 64, 64, 64, 64, 64, 64, 64, 64, 32, 32, 32, 32, 32, 32, 32, 32, 16, 16, 16, 16, 8, 8, 8,
};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09}};
static const struct skel_program program = {
  .ranks = 2, .scale = 10,
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
  compute(gap[15]); /* 100 us */
  MPI_Waitall(8, skel_pick(req, 8, array_3), status);
  skel_put_back(req);
  compute(gap[16]); /* 100 us */
  if (trips_22[i % 6]) { /* not each time, 0.5 % of the traced time */
    MPI_Allreduce(buf(24, 0), buf(25, 0), 1, MPI_DOUBLE, MPI_SUM, cart);
  }
  compute(gap[17]); /* 100 us */
  const long first_2 = (long)skel_sum(&trips_57[0], i, &cursor_55);
  for (long j = 0; j < trips_23[i % 6]; j++) { /* 0 to 37 iterations, 93.4 % of the traced time */
    if (j > 0) compute(gap[25]); /* 1 ms */
    if (rank == 0) {
      MPI_Irecv(skel_buffer(buf_24[(first_2 + j) % 37]), count_25[(first_2 + j) % 37], MPI_DOUBLE, MPI_PROC_NULL, 1,
          cart, &req[8]);
      compute(gap[18]); /* 100 us */
      MPI_Isend(skel_buffer(buf_26[(first_2 + j) % 37]), count_25[(first_2 + j) % 37], MPI_DOUBLE, MPI_PROC_NULL, 0,
          cart, &req[9]);
    }
    compute(gap[19]); /* 0 ns to 100 us */
    MPI_Irecv(skel_buffer(skel_at(&buf_29[buf_of_10[rank]], first_2 + j)), count_25[(first_2 + j) % 37], MPI_DOUBLE,
        (rank_in(cart) + 1) % size_of(cart), tag_3[rank], cart, &req[request_30[rank]]);
    compute(gap[20]); /* 100 us */
    MPI_Isend(skel_buffer(skel_at(&buf_33[buf_of_10[rank]], first_2 + j)), count_25[(first_2 + j) % 37], MPI_DOUBLE,
        (rank_in(cart) + 1) % size_of(cart), tag_6[rank], cart, &req[request_34[rank]]);
    compute(gap[21]); /* 100 us */
    for (long k = 0; k < trips_8[rank]; k++) { /* 2 to 3 iterations, 55.0 % of the traced time */
      if (k > 0) compute(gap[23]); /* 1 ms */
      MPI_Irecv(skel_buffer(skel_at(&buf_37[buf_of_10[rank]], (first_2 + j) * trips_8[rank] + k)),
          (int)skel_at(&count_40[count_of_13[rank]], (first_2 + j) * trips_8[rank] + k), MPI_DOUBLE, MPI_PROC_NULL,
          skel_tag(skel_at(&tag_42[tag_of_16[rank]], (first_2 + j) * trips_8[rank] + k)), cart,
          &req[skel_at(&request_45[request_of_18[rank]], (first_2 + j) * trips_8[rank] + k)]);
      compute(gap[22]); /* 100 us */
      MPI_Isend(skel_buffer(skel_at(&buf_48[buf_of_10[rank]], (first_2 + j) * trips_8[rank] + k)),
          (int)skel_at(&count_40[count_of_13[rank]], (first_2 + j) * trips_8[rank] + k), MPI_DOUBLE, MPI_PROC_NULL,
          skel_tag(skel_at(&tag_51[tag_of_16[rank]], (first_2 + j) * trips_8[rank] + k)), cart,
          &req[skel_at(&request_54[request_of_18[rank]], (first_2 + j) * trips_8[rank] + k)]);
    }
    compute(gap[24]); /* 100 us */
    MPI_Waitall(8, skel_pick(req, 8, array_4), status);
    skel_put_back(req);
  }
}

/* 26.7 ms in the traced run */
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
  for (long i = 0; i < 2; i++) { /* 0.1 % of the traced time */
    if (i > 0) compute(gap[6]); /* 1 ms */
    MPI_Cart_shift(cart, (int)(i), 1, &got.rank_source, &got.rank_dest);
  }
  if (rank == 0) {
    compute(gap[7]); /* 100 us */
    MPI_Recv_init(buf(0, 0), 16, MPI_DOUBLE, MPI_PROC_NULL, 1, cart, &req[0]);
    compute(gap[8]); /* 100 us */
    MPI_Send_init(buf(1, 0), 16, MPI_DOUBLE, MPI_PROC_NULL, 0, cart, &req[1]);
  }
  compute(gap[9]); /* 100 us */
  MPI_Recv_init(skel_buffer(buf_2[rank]), 16, MPI_DOUBLE, (rank_in(cart) + 1) % size_of(cart), tag_3[rank], cart,
      &req[request_4[rank]]);
  compute(gap[10]); /* 100 us */
  MPI_Send_init(skel_buffer(buf_5[rank]), 16, MPI_DOUBLE, (rank_in(cart) + 1) % size_of(cart), tag_6[rank], cart,
      &req[request_7[rank]]);
  compute(gap[11]); /* 100 us */
  for (long i = 0; i < trips_8[rank]; i++) { /* 2 to 3 iterations, 0.1 % of the traced time */
    if (i > 0) compute(gap[13]); /* 1 ms */
    MPI_Recv_init(skel_buffer(skel_at(&buf_9[buf_of_10[rank]], i)), (int)skel_at(&count_12[count_of_13[rank]], i),
        MPI_DOUBLE, MPI_PROC_NULL, skel_tag(skel_at(&tag_15[tag_of_16[rank]], i)), cart,
        &req[skel_at(&request_17[request_of_18[rank]], i)]);
    compute(gap[12]); /* 100 us */
    MPI_Send_init(skel_buffer(skel_at(&buf_19[buf_of_10[rank]], i)), (int)skel_at(&count_12[count_of_13[rank]], i),
        MPI_DOUBLE, MPI_PROC_NULL, skel_tag(skel_at(&tag_20[tag_of_16[rank]], i)), cart,
        &req[skel_at(&request_21[request_of_18[rank]], i)]);
  }
  compute(gap[14]); /* 100 us */
  iteration_1(0);
}

/* 59 iterations after the first, 9 of them run here; 99.1 % of the traced time */
static void loop_1(void) {
  const long kept = skel_kept(1);
  for (long n = 0; n < kept; n++) {
    compute(gap[26]); /* 1 ms */
    iteration_1(skel_iteration(1, n));
  }
}

/* 7.41 ms in the traced run */
static void epilogue(void) {
  compute(gap[27]); /* 100 us */
  MPI_Reduce(buf(26, 0), skel_buffer(recvbuf_58[rank]), 1, MPI_DOUBLE, MPI_MAX, 0, cart);
  compute(gap[28]); /* 100 us */
  for (long i = 0; i < 8; i++) { /* 0.6 % of the traced time */
    if (i > 0) compute(gap[29]); /* 1 ms */
    MPI_Request_free(&req[request_59[i]]);
  }
  compute(gap[30]); /* 100 us */
  MPI_Comm_free(&cart);
  compute(gap[31]); /* 100 us */
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
