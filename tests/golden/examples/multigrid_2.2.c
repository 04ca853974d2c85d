/* Performance skeleton of an MPI program with 2 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 426 ms. */
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
static const int64_t buf_22[] = {SKEL_AT(8, 0), SKEL_AT(8, 0), SKEL_AT(8, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(8, 0), SKEL_AT(8, 0), SKEL_AT(8, 0)};
static const int count_23[] = {8, 8, 8, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
    4, 4, 4, 4, 8, 8, 8};
static const int64_t buf_24[] = {SKEL_AT(9, 0), SKEL_AT(9, 0), SKEL_AT(9, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(9, 0), SKEL_AT(9, 0), SKEL_AT(9, 0)};
static const int64_t buf_values_25[] = {SKEL_AT(10, 0), SKEL_AT(10, 0), SKEL_AT(10, 0), SKEL_AT(18, 0), SKEL_AT(18, 0),
    SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0),
    SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0),
    SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0),
    SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0),
    SKEL_AT(18, 0), SKEL_AT(10, 0), SKEL_AT(10, 0), SKEL_AT(10, 0)};
static const int64_t buf_values_26[] = {SKEL_AT(8, 0), SKEL_AT(8, 0), SKEL_AT(8, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(8, 0), SKEL_AT(8, 0), SKEL_AT(8, 0)};
static const struct skel_sequence buf_27[] = {{0, 0, 37, buf_values_25}, {0, 0, 37, buf_values_26}};
static const int request_28[] = {10, 8};
static const int64_t buf_values_29[] = {SKEL_AT(11, 0), SKEL_AT(11, 0), SKEL_AT(11, 0), SKEL_AT(19, 0), SKEL_AT(19, 0),
    SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0),
    SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0),
    SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0),
    SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0),
    SKEL_AT(19, 0), SKEL_AT(11, 0), SKEL_AT(11, 0), SKEL_AT(11, 0)};
static const int64_t buf_values_30[] = {SKEL_AT(9, 0), SKEL_AT(9, 0), SKEL_AT(9, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(9, 0), SKEL_AT(9, 0), SKEL_AT(9, 0)};
static const struct skel_sequence buf_31[] = {{0, 0, 37, buf_values_29}, {0, 0, 37, buf_values_30}};
static const int request_32[] = {11, 9};
static const int64_t buf_values_33[] = {SKEL_AT(12, 0), SKEL_AT(14, 0), SKEL_AT(12, 0), SKEL_AT(14, 0), SKEL_AT(12, 0),
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
static const int64_t buf_values_34[] = {SKEL_AT(10, 0), SKEL_AT(12, 0), SKEL_AT(14, 0), SKEL_AT(10, 0), SKEL_AT(12, 0),
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
static const struct skel_sequence buf_35[] = {{0, 0, 74, buf_values_33}, {0, 0, 111, buf_values_34}};
static const int64_t count_values_36[] = {4, 4, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 4, 4, 4, 4, 4, 4};
static const int64_t count_values_37[] = {8, 4, 4, 8, 4, 4, 8, 4, 4, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2,
    2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2,
    2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 8, 4,
    4, 8, 4, 4, 8, 4, 4};
static const struct skel_sequence count_38[] = {{0, 0, 74, count_values_36}, {0, 0, 111, count_values_37}};
static const int64_t tag_values_39[] = {3, 2};
static const struct skel_sequence tag_40[] = {{0, 0, 2, tag_values_39}, {0, 0, 3, tag_values_14}};
static const int64_t request_values_41[] = {12, 14};
static const int64_t request_values_42[] = {10, 12, 14};
static const struct skel_sequence request_43[] = {{0, 0, 2, request_values_41}, {0, 0, 3, request_values_42}};
static const int64_t buf_values_44[] = {SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(13, 0),
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
static const int64_t buf_values_45[] = {SKEL_AT(11, 0), SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(11, 0), SKEL_AT(13, 0),
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
static const struct skel_sequence buf_46[] = {{0, 0, 74, buf_values_44}, {0, 0, 111, buf_values_45}};
static const int64_t tag_values_47[] = {2, 3};
static const int64_t tag_values_48[] = {1, 2, 3};
static const struct skel_sequence tag_49[] = {{0, 0, 2, tag_values_47}, {0, 0, 3, tag_values_48}};
static const int64_t request_values_50[] = {13, 15};
static const int64_t request_values_51[] = {11, 13, 15};
static const struct skel_sequence request_52[] = {{0, 0, 2, request_values_50}, {0, 0, 3, request_values_51}};
static const int array_4[] = {8, 10, 12, 14, 9, 11, 13, 15};
static const int64_t recvbuf_53[] = {SKEL_AT(24, 0), 0};
static const int request_54[] = {0, 2, 4, 6, 1, 3, 5, 7};
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
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.0001, 0},
  {0.0001, 0},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.001, 0.001},
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
  {"loop 1", 1, 10, 2, 2, 1},
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

/* one of 10 iterations; i says which */
static void iteration_1(long i) {
  for (long j = 0; j < 3; j++) { /* 1.9 % of the traced time */
    if (j > 0) compute(gap[16]); /* 1 ms */
    MPI_Startall(8, skel_pick(req, 8, array_3));
    skel_put_back(req);
    compute(gap[15]); /* 100 us */
    MPI_Waitall(8, skel_pick(req, 8, array_3), status);
    skel_put_back(req);
  }
  compute(gap[17]); /* 100 us */
  for (long j = 0; j < 37; j++) { /* 94.4 % of the traced time */
    if (j > 0) compute(gap[25]); /* 1 ms */
    if (rank == 0) {
      MPI_Irecv(skel_buffer(buf_22[j]), count_23[j], MPI_DOUBLE, MPI_PROC_NULL, 1, cart, &req[8]);
      compute(gap[18]); /* 100 us */
      MPI_Isend(skel_buffer(buf_24[j]), count_23[j], MPI_DOUBLE, MPI_PROC_NULL, 0, cart, &req[9]);
    }
    compute(gap[19]); /* 0 ns to 100 us */
    MPI_Irecv(skel_buffer(skel_at(&buf_27[buf_of_10[rank]], i * 37 + j)), count_23[j], MPI_DOUBLE,
        (rank_in(cart) + 1) % size_of(cart), tag_3[rank], cart, &req[request_28[rank]]);
    compute(gap[20]); /* 100 us */
    MPI_Isend(skel_buffer(skel_at(&buf_31[buf_of_10[rank]], i * 37 + j)), count_23[j], MPI_DOUBLE,
        (rank_in(cart) + 1) % size_of(cart), tag_6[rank], cart, &req[request_32[rank]]);
    compute(gap[21]); /* 100 us */
    for (long k = 0; k < trips_8[rank]; k++) { /* 2 to 3 iterations, 55.9 % of the traced time */
      if (k > 0) compute(gap[23]); /* 1 ms */
      MPI_Irecv(skel_buffer(skel_at(&buf_35[buf_of_10[rank]], (i * 37 + j) * trips_8[rank] + k)),
          (int)skel_at(&count_38[count_of_13[rank]], (i * 37 + j) * trips_8[rank] + k), MPI_DOUBLE, MPI_PROC_NULL,
          skel_tag(skel_at(&tag_40[tag_of_16[rank]], (i * 37 + j) * trips_8[rank] + k)), cart,
          &req[skel_at(&request_43[request_of_18[rank]], (i * 37 + j) * trips_8[rank] + k)]);
      compute(gap[22]); /* 100 us */
      MPI_Isend(skel_buffer(skel_at(&buf_46[buf_of_10[rank]], (i * 37 + j) * trips_8[rank] + k)),
          (int)skel_at(&count_38[count_of_13[rank]], (i * 37 + j) * trips_8[rank] + k), MPI_DOUBLE, MPI_PROC_NULL,
          skel_tag(skel_at(&tag_49[tag_of_16[rank]], (i * 37 + j) * trips_8[rank] + k)), cart,
          &req[skel_at(&request_52[request_of_18[rank]], (i * 37 + j) * trips_8[rank] + k)]);
    }
    compute(gap[24]); /* 100 us */
    MPI_Waitall(8, skel_pick(req, 8, array_4), status);
    skel_put_back(req);
  }
  compute(gap[26]); /* 100 us */
  for (long j = 0; j < 3; j++) { /* 2.0 % of the traced time */
    if (j > 0) compute(gap[28]); /* 1 ms */
    MPI_Startall(8, skel_pick(req, 8, array_3));
    skel_put_back(req);
    compute(gap[27]); /* 100 us */
    MPI_Waitall(8, skel_pick(req, 8, array_3), status);
    skel_put_back(req);
  }
  compute(gap[29]); /* 100 us */
  MPI_Allreduce(buf(24, 0), buf(25, 0), 1, MPI_DOUBLE, MPI_SUM, cart);
}

/* 142 ms in the traced run */
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
  for (long i = 0; i < trips_8[rank]; i++) { /* 2 to 3 iterations, 0.2 % of the traced time */
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

/* 9 iterations after the first, 2 of them run here; 99.1 % of the traced time */
static void loop_1(void) {
  const long kept = skel_kept(1);
  for (long n = 0; n < kept; n++) {
    compute(gap[30]); /* 1 ms */
    iteration_1(skel_iteration(1, n));
  }
}

/* 7.41 ms in the traced run */
static void epilogue(void) {
  compute(gap[31]); /* 100 us */
  MPI_Reduce(buf(26, 0), skel_buffer(recvbuf_53[rank]), 1, MPI_DOUBLE, MPI_MAX, 0, cart);
  compute(gap[32]); /* 100 us */
  for (long i = 0; i < 8; i++) { /* 0.6 % of the traced time */
    if (i > 0) compute(gap[33]); /* 1 ms */
    MPI_Request_free(&req[request_54[i]]);
  }
  compute(gap[34]); /* 100 us */
  MPI_Comm_free(&cart);
  compute(gap[35]); /* 100 us */
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
