/* Performance skeleton of an MPI program with 2 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 467 ms. */
#include "skel.h"

static MPI_Comm cart; /* from MPI_Cart_create */
static MPI_Request req[8];
static MPI_Status status[8];
static struct { int coords[64], rank, rank_dest, rank_source, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int array_1[] = {0, 0};
static const int array_2[] = {2, 1};
static const int rank_1[] = {0, 1};
static const int64_t buf_2[] = {SKEL_AT(0, 0), SKEL_AT(0, 0), SKEL_AT(0, 0), SKEL_AT(8, 0), SKEL_AT(8, 0),
    SKEL_AT(8, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(8, 0), SKEL_AT(8, 0), SKEL_AT(8, 0),
    SKEL_AT(0, 0), SKEL_AT(0, 0), SKEL_AT(0, 0)};
static const int count_3[] = {16, 16, 16, 8, 8, 8, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
    4, 4, 4, 4, 4, 4, 4, 4, 8, 8, 8, 16, 16, 16};
static const int64_t buf_4[] = {SKEL_AT(1, 0), SKEL_AT(1, 0), SKEL_AT(1, 0), SKEL_AT(9, 0), SKEL_AT(9, 0),
    SKEL_AT(9, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(9, 0), SKEL_AT(9, 0), SKEL_AT(9, 0),
    SKEL_AT(1, 0), SKEL_AT(1, 0), SKEL_AT(1, 0)};
static const int64_t buf_values_5[] = {SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(10, 0), SKEL_AT(10, 0),
    SKEL_AT(10, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0),
    SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0),
    SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0),
    SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0),
    SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(18, 0), SKEL_AT(10, 0), SKEL_AT(10, 0), SKEL_AT(10, 0),
    SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0)};
static const int64_t buf_values_6[] = {SKEL_AT(0, 0), SKEL_AT(0, 0), SKEL_AT(0, 0), SKEL_AT(8, 0), SKEL_AT(8, 0),
    SKEL_AT(8, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0),
    SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(16, 0), SKEL_AT(8, 0), SKEL_AT(8, 0), SKEL_AT(8, 0),
    SKEL_AT(0, 0), SKEL_AT(0, 0), SKEL_AT(0, 0)};
static const struct skel_sequence buf_7[] = {{0, 0, 43, buf_values_5}, {0, 0, 43, buf_values_6}};
static const int buf_of_8[] = {0, 1};
static const int tag_9[] = {0, 1};
static const int request_10[] = {2, 0};
static const int64_t buf_values_11[] = {SKEL_AT(3, 0), SKEL_AT(3, 0), SKEL_AT(3, 0), SKEL_AT(11, 0), SKEL_AT(11, 0),
    SKEL_AT(11, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0),
    SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0),
    SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0),
    SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0),
    SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(19, 0), SKEL_AT(11, 0), SKEL_AT(11, 0), SKEL_AT(11, 0),
    SKEL_AT(3, 0), SKEL_AT(3, 0), SKEL_AT(3, 0)};
static const int64_t buf_values_12[] = {SKEL_AT(1, 0), SKEL_AT(1, 0), SKEL_AT(1, 0), SKEL_AT(9, 0), SKEL_AT(9, 0),
    SKEL_AT(9, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0),
    SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(17, 0), SKEL_AT(9, 0), SKEL_AT(9, 0), SKEL_AT(9, 0),
    SKEL_AT(1, 0), SKEL_AT(1, 0), SKEL_AT(1, 0)};
static const struct skel_sequence buf_13[] = {{0, 0, 43, buf_values_11}, {0, 0, 43, buf_values_12}};
static const int tag_14[] = {1, 0};
static const int request_15[] = {3, 1};
static const int trips_16[] = {2, 3};
static const int64_t buf_values_17[] = {SKEL_AT(4, 0), SKEL_AT(6, 0), SKEL_AT(4, 0), SKEL_AT(6, 0), SKEL_AT(4, 0),
    SKEL_AT(6, 0), SKEL_AT(12, 0), SKEL_AT(14, 0), SKEL_AT(12, 0), SKEL_AT(14, 0), SKEL_AT(12, 0), SKEL_AT(14, 0),
    SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0),
    SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0),
    SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0),
    SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0),
    SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0),
    SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0),
    SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0),
    SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0),
    SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(12, 0),
    SKEL_AT(14, 0), SKEL_AT(12, 0), SKEL_AT(14, 0), SKEL_AT(12, 0), SKEL_AT(14, 0), SKEL_AT(4, 0), SKEL_AT(6, 0),
    SKEL_AT(4, 0), SKEL_AT(6, 0), SKEL_AT(4, 0), SKEL_AT(6, 0)};
static const int64_t buf_values_18[] = {SKEL_AT(2, 0), SKEL_AT(4, 0), SKEL_AT(6, 0), SKEL_AT(2, 0), SKEL_AT(4, 0),
    SKEL_AT(6, 0), SKEL_AT(2, 0), SKEL_AT(4, 0), SKEL_AT(6, 0), SKEL_AT(10, 0), SKEL_AT(12, 0), SKEL_AT(14, 0),
    SKEL_AT(10, 0), SKEL_AT(12, 0), SKEL_AT(14, 0), SKEL_AT(10, 0), SKEL_AT(12, 0), SKEL_AT(14, 0), SKEL_AT(18, 0),
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
    SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0),
    SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0), SKEL_AT(20, 0), SKEL_AT(22, 0), SKEL_AT(18, 0), SKEL_AT(20, 0),
    SKEL_AT(22, 0), SKEL_AT(10, 0), SKEL_AT(12, 0), SKEL_AT(14, 0), SKEL_AT(10, 0), SKEL_AT(12, 0), SKEL_AT(14, 0),
    SKEL_AT(10, 0), SKEL_AT(12, 0), SKEL_AT(14, 0), SKEL_AT(2, 0), SKEL_AT(4, 0), SKEL_AT(6, 0), SKEL_AT(2, 0),
    SKEL_AT(4, 0), SKEL_AT(6, 0), SKEL_AT(2, 0), SKEL_AT(4, 0), SKEL_AT(6, 0)};
static const struct skel_sequence buf_19[] = {{0, 0, 86, buf_values_17}, {0, 0, 129, buf_values_18}};
static const int64_t count_values_20[] = {8, 8, 8, 8, 8, 8, 4, 4, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8};
static const int64_t count_values_21[] = {16, 8, 8, 16, 8, 8, 16, 8, 8, 8, 4, 4, 8, 4, 4, 8, 4, 4, 4, 2, 2, 4, 2, 2, 4,
    2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4,
    2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4,
    2, 2, 4, 2, 2, 4, 2, 2, 8, 4, 4, 8, 4, 4, 8, 4, 4, 16, 8, 8, 16, 8, 8, 16, 8, 8};
static const struct skel_sequence count_22[] = {{0, 0, 86, count_values_20}, {0, 0, 129, count_values_21}};
static const int count_of_23[] = {0, 1};
static const int64_t tag_values_24[] = {3, 2};
static const int64_t tag_values_25[] = {0, 3, 2};
static const struct skel_sequence tag_26[] = {{0, 0, 2, tag_values_24}, {0, 0, 3, tag_values_25}};
static const int tag_of_27[] = {0, 1};
static const int64_t request_values_28[] = {4, 6};
static const int64_t request_values_29[] = {2, 4, 6};
static const struct skel_sequence request_30[] = {{0, 0, 2, request_values_28}, {0, 0, 3, request_values_29}};
static const int request_of_31[] = {0, 1};
static const int64_t buf_values_32[] = {SKEL_AT(5, 0), SKEL_AT(7, 0), SKEL_AT(5, 0), SKEL_AT(7, 0), SKEL_AT(5, 0),
    SKEL_AT(7, 0), SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(13, 0), SKEL_AT(15, 0),
    SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0),
    SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0),
    SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0),
    SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0),
    SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0),
    SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0),
    SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0),
    SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0),
    SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(13, 0),
    SKEL_AT(15, 0), SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(5, 0), SKEL_AT(7, 0),
    SKEL_AT(5, 0), SKEL_AT(7, 0), SKEL_AT(5, 0), SKEL_AT(7, 0)};
static const int64_t buf_values_33[] = {SKEL_AT(3, 0), SKEL_AT(5, 0), SKEL_AT(7, 0), SKEL_AT(3, 0), SKEL_AT(5, 0),
    SKEL_AT(7, 0), SKEL_AT(3, 0), SKEL_AT(5, 0), SKEL_AT(7, 0), SKEL_AT(11, 0), SKEL_AT(13, 0), SKEL_AT(15, 0),
    SKEL_AT(11, 0), SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(11, 0), SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(19, 0),
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
    SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0),
    SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0), SKEL_AT(21, 0), SKEL_AT(23, 0), SKEL_AT(19, 0), SKEL_AT(21, 0),
    SKEL_AT(23, 0), SKEL_AT(11, 0), SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(11, 0), SKEL_AT(13, 0), SKEL_AT(15, 0),
    SKEL_AT(11, 0), SKEL_AT(13, 0), SKEL_AT(15, 0), SKEL_AT(3, 0), SKEL_AT(5, 0), SKEL_AT(7, 0), SKEL_AT(3, 0),
    SKEL_AT(5, 0), SKEL_AT(7, 0), SKEL_AT(3, 0), SKEL_AT(5, 0), SKEL_AT(7, 0)};
static const struct skel_sequence buf_34[] = {{0, 0, 86, buf_values_32}, {0, 0, 129, buf_values_33}};
static const int64_t tag_values_35[] = {2, 3};
static const int64_t tag_values_36[] = {1, 2, 3};
static const struct skel_sequence tag_37[] = {{0, 0, 2, tag_values_35}, {0, 0, 3, tag_values_36}};
static const int64_t request_values_38[] = {5, 7};
static const int64_t request_values_39[] = {3, 5, 7};
static const struct skel_sequence request_40[] = {{0, 0, 2, request_values_38}, {0, 0, 3, request_values_39}};
static const int array_3[] = {0, 2, 4, 6, 1, 3, 5, 7};
static const int64_t recvbuf_41[] = {SKEL_AT(24, 0), 0};
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
  {0.0001, 0},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
  {0.001, 0.001},
  {0.0001, 0.0001},
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
  for (long j = 0; j < 43; j++) { /* 99.1 % of the traced time */
    if (j > 0) compute(gap[15]); /* 1 ms */
    if (rank == 0) {
      MPI_Irecv(skel_buffer(buf_2[j]), count_3[j], MPI_DOUBLE, MPI_PROC_NULL, 1, cart, &req[0]);
      compute(gap[8]); /* 100 us */
      MPI_Isend(skel_buffer(buf_4[j]), count_3[j], MPI_DOUBLE, MPI_PROC_NULL, 0, cart, &req[1]);
    }
    compute(gap[9]); /* 0 ns to 100 us */
    MPI_Irecv(skel_buffer(skel_at(&buf_7[buf_of_8[rank]], i * 43 + j)), count_3[j], MPI_DOUBLE,
        (rank_in(cart) + 1) % size_of(cart), tag_9[rank], cart, &req[request_10[rank]]);
    compute(gap[10]); /* 100 us */
    MPI_Isend(skel_buffer(skel_at(&buf_13[buf_of_8[rank]], i * 43 + j)), count_3[j], MPI_DOUBLE,
        (rank_in(cart) + 1) % size_of(cart), tag_14[rank], cart, &req[request_15[rank]]);
    compute(gap[11]); /* 100 us */
    for (long k = 0; k < trips_16[rank]; k++) { /* 2 to 3 iterations, 58.6 % of the traced time */
      if (k > 0) compute(gap[13]); /* 1 ms */
      MPI_Irecv(skel_buffer(skel_at(&buf_19[buf_of_8[rank]], (i * 43 + j) * trips_16[rank] + k)),
          (int)skel_at(&count_22[count_of_23[rank]], (i * 43 + j) * trips_16[rank] + k), MPI_DOUBLE, MPI_PROC_NULL,
          skel_tag(skel_at(&tag_26[tag_of_27[rank]], (i * 43 + j) * trips_16[rank] + k)), cart,
          &req[skel_at(&request_30[request_of_31[rank]], (i * 43 + j) * trips_16[rank] + k)]);
      compute(gap[12]); /* 100 us */
      MPI_Isend(skel_buffer(skel_at(&buf_34[buf_of_8[rank]], (i * 43 + j) * trips_16[rank] + k)),
          (int)skel_at(&count_22[count_of_23[rank]], (i * 43 + j) * trips_16[rank] + k), MPI_DOUBLE, MPI_PROC_NULL,
          skel_tag(skel_at(&tag_37[tag_of_27[rank]], (i * 43 + j) * trips_16[rank] + k)), cart,
          &req[skel_at(&request_40[request_of_31[rank]], (i * 43 + j) * trips_16[rank] + k)]);
    }
    compute(gap[14]); /* 100 us */
    MPI_Waitall(8, skel_pick(req, 8, array_3), status);
    skel_put_back(req);
  }
  compute(gap[16]); /* 100 us */
  MPI_Allreduce(buf(24, 0), buf(25, 0), 1, MPI_DOUBLE, MPI_SUM, cart);
}

/* 156 ms in the traced run */
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
  compute(gap[7]); /* 100 us */
  iteration_1(0);
}

/* 9 iterations after the first, 2 of them run here; 99.9 % of the traced time */
static void loop_1(void) {
  const long kept = skel_kept(1);
  for (long n = 0; n < kept; n++) {
    compute(gap[17]); /* 1 ms */
    iteration_1(skel_iteration(1, n));
  }
}

/* 303 us in the traced run */
static void epilogue(void) {
  compute(gap[18]); /* 100 us */
  MPI_Reduce(buf(26, 0), skel_buffer(recvbuf_41[rank]), 1, MPI_DOUBLE, MPI_MAX, 0, cart);
  compute(gap[19]); /* 100 us */
  MPI_Comm_free(&cart);
  compute(gap[20]); /* 100 us */
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
