/* Performance skeleton of an MPI program with 4 ranks: its calls, and its computation as time. Made by skelgen.
 * 1 s in the traced run; built with K = 10, expected to run 116 ms. */
#include "skel.h"

static MPI_Request req[10];
static MPI_Status status[10];
static struct { int rank, size; } got; /* what calls return and nobody reads */

/* clang-format off */
static const int64_t trips_values_1[] = {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2};
static const int64_t trips_values_2[] = {5, 5, 5, 5, 5, 5, 5, 5, 3, 3, 3, 3, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1};
static const int64_t trips_values_3[] = {4, 4, 4, 4, 4, 4, 4, 4, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 3, 3, 3};
static const int64_t trips_values_4[] = {2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0};
static const struct skel_sequence trips_5[] = {{0, 0, 30, trips_values_1}, {0, 0, 30, trips_values_2},
    {0, 0, 30, trips_values_3}, {0, 0, 30, trips_values_4}};
static const int trips_of_6[] = {0, 1, 2, 3};
static const int64_t buf_values_7[] = {SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(0, 0), SKEL_AT(1, 0),
    SKEL_AT(2, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0),
    SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(0, 0),
    SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(0, 0), SKEL_AT(1, 0),
    SKEL_AT(2, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0),
    SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(0, 0), SKEL_AT(1, 0),
    SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(0, 0),
    SKEL_AT(1, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(0, 0), SKEL_AT(1, 0),
    SKEL_AT(0, 0), SKEL_AT(1, 0)};
static const int64_t buf_values_8[] = {SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(3, 0), SKEL_AT(4, 0),
    SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(0, 0), SKEL_AT(1, 0),
    SKEL_AT(2, 0), SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(3, 0),
    SKEL_AT(4, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(0, 0),
    SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0),
    SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(3, 0), SKEL_AT(4, 0),
    SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(0, 0),
    SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(0, 0), SKEL_AT(0, 0),
    SKEL_AT(0, 0), SKEL_AT(0, 0), SKEL_AT(0, 0), SKEL_AT(0, 0), SKEL_AT(0, 0), SKEL_AT(0, 0), SKEL_AT(0, 0),
    SKEL_AT(0, 0)};
static const int64_t buf_values_9[] = {SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(3, 0), SKEL_AT(0, 0),
    SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(3, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(3, 0),
    SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(3, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0),
    SKEL_AT(3, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(3, 0), SKEL_AT(0, 0), SKEL_AT(1, 0),
    SKEL_AT(2, 0), SKEL_AT(3, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(3, 0), SKEL_AT(0, 0),
    SKEL_AT(1, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(0, 0), SKEL_AT(1, 0),
    SKEL_AT(0, 0), SKEL_AT(0, 0), SKEL_AT(0, 0), SKEL_AT(0, 0), SKEL_AT(0, 0), SKEL_AT(0, 0), SKEL_AT(0, 0),
    SKEL_AT(0, 0), SKEL_AT(0, 0), SKEL_AT(0, 0), SKEL_AT(0, 0), SKEL_AT(0, 0), SKEL_AT(0, 0), SKEL_AT(0, 0),
    SKEL_AT(0, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(2, 0)};
static const int64_t buf_values_10[] = {SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(0, 0),
    SKEL_AT(1, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(0, 0), SKEL_AT(1, 0),
    SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(0, 0), SKEL_AT(1, 0), SKEL_AT(0, 0), SKEL_AT(0, 0), SKEL_AT(0, 0),
    SKEL_AT(0, 0), SKEL_AT(0, 0), SKEL_AT(0, 0)};
static const struct skel_sequence buf_11[] = {{0, 0, 56, buf_values_7}, {0, 0, 62, buf_values_8},
    {0, 0, 61, buf_values_9}, {0, 0, 22, buf_values_10}};
static const int buf_of_12[] = {0, 1, 2, 3};
static const int64_t source_values_13[] = {2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1,
    1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 2, 2, 2, 2};
static const int64_t source_values_14[] = {2, 2, 3, 0, 0, 2, 2, 3, 0, 0, 2, 2, 3, 0, 0, 2, 2, 3, 0, 0, 2, 2, 3, 0, 0, 2,
    2, 3, 0, 0, 2, 2, 3, 0, 0, 2, 2, 3, 0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2};
static const int64_t source_values_15[] = {1, 0, 3, 1, 1, 0, 3, 1, 1, 0, 3, 1, 1, 0, 3, 1, 1, 0, 3, 1, 1, 0, 3, 1, 1, 0,
    3, 1, 1, 0, 3, 1, 0, 1, 0, 1, 0, 1, 0, 1, 3, 3, 3, 3, 3, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0};
static const int64_t source_values_16[] = {2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 2, 2, 2, 2, 2};
static const struct skel_sequence source_17[] = {{0, 0, 57, source_values_13}, {0, 0, 61, source_values_14},
    {0, 0, 64, source_values_15}, {0, 0, 22, source_values_16}};
static const int source_of_18[] = {0, 1, 2, 3};
static const int64_t request_values_19[] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0,
    1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
static const int64_t request_values_20[] = {0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4,
    0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
static const int64_t request_values_21[] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0,
    1, 2, 3, 0, 1, 2, 3, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 1, 2};
static const int64_t request_values_22[] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0};
static const struct skel_sequence request_23[] = {{0, 0, 56, request_values_19}, {0, 0, 62, request_values_20},
    {0, 0, 61, request_values_21}, {0, 0, 22, request_values_22}};
static const int request_of_24[] = {0, 1, 2, 3};
static struct skel_cursor cursor_25;
static const int64_t buf_values_26[] = {SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(5, 0), SKEL_AT(3, 0), SKEL_AT(4, 0),
    SKEL_AT(5, 0), SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(5, 0), SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(5, 0),
    SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(5, 0), SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(5, 0), SKEL_AT(3, 0),
    SKEL_AT(4, 0), SKEL_AT(5, 0), SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(5, 0), SKEL_AT(3, 0), SKEL_AT(4, 0),
    SKEL_AT(5, 0), SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(5, 0), SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(5, 0),
    SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(5, 0), SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(3, 0), SKEL_AT(4, 0),
    SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(3, 0),
    SKEL_AT(4, 0), SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(3, 0), SKEL_AT(4, 0), SKEL_AT(3, 0), SKEL_AT(4, 0),
    SKEL_AT(3, 0), SKEL_AT(4, 0)};
static const int64_t buf_values_27[] = {SKEL_AT(5, 0), SKEL_AT(6, 0), SKEL_AT(7, 0), SKEL_AT(8, 0), SKEL_AT(9, 0),
    SKEL_AT(5, 0), SKEL_AT(6, 0), SKEL_AT(7, 0), SKEL_AT(8, 0), SKEL_AT(9, 0), SKEL_AT(5, 0), SKEL_AT(6, 0),
    SKEL_AT(7, 0), SKEL_AT(8, 0), SKEL_AT(9, 0), SKEL_AT(5, 0), SKEL_AT(6, 0), SKEL_AT(7, 0), SKEL_AT(8, 0),
    SKEL_AT(9, 0), SKEL_AT(5, 0), SKEL_AT(6, 0), SKEL_AT(7, 0), SKEL_AT(8, 0), SKEL_AT(9, 0), SKEL_AT(5, 0),
    SKEL_AT(6, 0), SKEL_AT(7, 0), SKEL_AT(8, 0), SKEL_AT(9, 0), SKEL_AT(5, 0), SKEL_AT(6, 0), SKEL_AT(7, 0),
    SKEL_AT(8, 0), SKEL_AT(9, 0), SKEL_AT(5, 0), SKEL_AT(6, 0), SKEL_AT(7, 0), SKEL_AT(8, 0), SKEL_AT(9, 0),
    SKEL_AT(5, 0), SKEL_AT(6, 0), SKEL_AT(7, 0), SKEL_AT(5, 0), SKEL_AT(6, 0), SKEL_AT(7, 0), SKEL_AT(5, 0),
    SKEL_AT(6, 0), SKEL_AT(7, 0), SKEL_AT(5, 0), SKEL_AT(6, 0), SKEL_AT(7, 0), SKEL_AT(5, 0), SKEL_AT(5, 0),
    SKEL_AT(5, 0), SKEL_AT(5, 0), SKEL_AT(5, 0), SKEL_AT(5, 0), SKEL_AT(5, 0), SKEL_AT(5, 0), SKEL_AT(5, 0),
    SKEL_AT(5, 0)};
static const int64_t buf_values_28[] = {SKEL_AT(4, 0), SKEL_AT(5, 0), SKEL_AT(6, 0), SKEL_AT(7, 0), SKEL_AT(4, 0),
    SKEL_AT(5, 0), SKEL_AT(6, 0), SKEL_AT(7, 0), SKEL_AT(4, 0), SKEL_AT(5, 0), SKEL_AT(6, 0), SKEL_AT(7, 0),
    SKEL_AT(4, 0), SKEL_AT(5, 0), SKEL_AT(6, 0), SKEL_AT(7, 0), SKEL_AT(4, 0), SKEL_AT(5, 0), SKEL_AT(6, 0),
    SKEL_AT(7, 0), SKEL_AT(4, 0), SKEL_AT(5, 0), SKEL_AT(6, 0), SKEL_AT(7, 0), SKEL_AT(4, 0), SKEL_AT(5, 0),
    SKEL_AT(6, 0), SKEL_AT(7, 0), SKEL_AT(4, 0), SKEL_AT(5, 0), SKEL_AT(6, 0), SKEL_AT(7, 0), SKEL_AT(4, 0),
    SKEL_AT(5, 0), SKEL_AT(4, 0), SKEL_AT(5, 0), SKEL_AT(4, 0), SKEL_AT(5, 0), SKEL_AT(4, 0), SKEL_AT(5, 0),
    SKEL_AT(4, 0), SKEL_AT(4, 0), SKEL_AT(4, 0), SKEL_AT(4, 0), SKEL_AT(4, 0), SKEL_AT(4, 0), SKEL_AT(4, 0),
    SKEL_AT(4, 0), SKEL_AT(4, 0), SKEL_AT(4, 0), SKEL_AT(4, 0), SKEL_AT(4, 0), SKEL_AT(4, 0), SKEL_AT(4, 0),
    SKEL_AT(4, 0), SKEL_AT(4, 0), SKEL_AT(5, 0), SKEL_AT(6, 0), SKEL_AT(4, 0), SKEL_AT(5, 0), SKEL_AT(6, 0)};
static const int64_t buf_values_29[] = {SKEL_AT(2, 0), SKEL_AT(3, 0), SKEL_AT(2, 0), SKEL_AT(3, 0), SKEL_AT(2, 0),
    SKEL_AT(3, 0), SKEL_AT(2, 0), SKEL_AT(3, 0), SKEL_AT(2, 0), SKEL_AT(3, 0), SKEL_AT(2, 0), SKEL_AT(3, 0),
    SKEL_AT(2, 0), SKEL_AT(3, 0), SKEL_AT(2, 0), SKEL_AT(3, 0), SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0),
    SKEL_AT(2, 0), SKEL_AT(2, 0), SKEL_AT(2, 0)};
static const struct skel_sequence buf_30[] = {{0, 0, 56, buf_values_26}, {0, 0, 62, buf_values_27},
    {0, 0, 61, buf_values_28}, {0, 0, 22, buf_values_29}};
static const int64_t dest_values_31[] = {2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1,
    1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 2, 2, 2, 2};
static const int64_t dest_values_32[] = {2, 2, 3, 0, 0, 2, 2, 3, 0, 0, 2, 2, 3, 0, 0, 2, 2, 3, 0, 0, 2, 2, 3, 0, 0, 2,
    2, 3, 0, 0, 2, 2, 3, 0, 0, 2, 2, 3, 0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2};
static const int64_t dest_values_33[] = {1, 0, 3, 1, 1, 0, 3, 1, 1, 0, 3, 1, 1, 0, 3, 1, 1, 0, 3, 1, 1, 0, 3, 1, 1, 0,
    3, 1, 1, 0, 3, 1, 0, 1, 0, 1, 0, 1, 0, 1, 3, 3, 3, 3, 3, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0};
static const int64_t dest_values_34[] = {2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 2, 2, 2, 2, 2};
static const struct skel_sequence dest_35[] = {{0, 0, 57, dest_values_31}, {0, 0, 61, dest_values_32},
    {0, 0, 64, dest_values_33}, {0, 0, 22, dest_values_34}};
static const int dest_of_36[] = {0, 1, 2, 3};
static const int64_t request_values_37[] = {3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3,
    4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2};
static const int64_t request_values_38[] = {5, 6, 7, 8, 9, 5, 6, 7, 8, 9, 5, 6, 7, 8, 9, 5, 6, 7, 8, 9, 5, 6, 7, 8, 9,
    5, 6, 7, 8, 9, 5, 6, 7, 8, 9, 5, 6, 7, 8, 9, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const int64_t request_values_39[] = {4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4,
    5, 6, 7, 4, 5, 6, 7, 2, 3, 2, 3, 2, 3, 2, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 4, 5, 3, 4, 5, 3};
static const int64_t request_values_40[] = {2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 1, 1, 1, 1, 1, 1, 1};
static const struct skel_sequence request_41[] = {{0, 0, 57, request_values_37}, {0, 0, 63, request_values_38},
    {0, 0, 62, request_values_39}, {0, 0, 23, request_values_40}};
static struct skel_cursor cursor_42;
static const int64_t count_values_43[] = {6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 0, 0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 4, 4, 4,
    4, 4, 4, 4};
static const int64_t count_values_44[] = {10, 10, 10, 10, 10, 10, 10, 10, 6, 6, 6, 6, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2};
static const int64_t count_values_45[] = {8, 8, 8, 8, 8, 8, 8, 8, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 6, 6, 6};
static const int64_t count_values_46[] = {4, 4, 4, 4, 4, 4, 4, 4, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0};
static const struct skel_sequence count_47[] = {{0, 0, 30, count_values_43}, {0, 0, 30, count_values_44},
    {0, 0, 30, count_values_45}, {0, 0, 30, count_values_46}};
static const int count_of_48[] = {0, 1, 2, 3};
static const int array_1[] = {0, 1, 2, 3, 4, 5};
static const int array_none[1];
static const int array_2[] = {0, 1, 2, 3};
static const int array_3[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
static const int array_4[] = {0, 1};
static const int array_5[] = {0, 1, 2, 3, 4, 5, 6, 7};
static const int64_t array_of_requests_values_49[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2};
static const int64_t array_of_requests_values_50[] = {3, 3, 3, 3, 3, 3, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 4, 4, 4,
    4, 4, 4, 4, 4, 4, 4, 4};
static const int64_t array_of_requests_values_51[] = {5, 5, 5, 5, 5, 5, 5, 5, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
    4, 4, 4, 4, 4, 1, 1, 1};
static const int64_t array_of_requests_values_52[] = {2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 4, 4, 4, 4, 4, 4, 4, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0};
static const struct skel_sequence array_of_requests_53[] = {{0, 0, 30, array_of_requests_values_49},
    {0, 0, 30, array_of_requests_values_50}, {0, 0, 30, array_of_requests_values_51},
    {0, 0, 30, array_of_requests_values_52}};
static const int array_of_requests_of_54[] = {0, 1, 2, 3};
static const int64_t sendbuf_55[] = {SKEL_AT(6, 0), SKEL_AT(10, 0), SKEL_AT(8, 0), SKEL_AT(4, 0)};
static const int64_t recvbuf_56[] = {SKEL_AT(7, 0), SKEL_AT(11, 0), SKEL_AT(9, 0), SKEL_AT(5, 0)};
static const int64_t sendbuf_57[] = {SKEL_AT(8, 0), SKEL_AT(12, 0), SKEL_AT(10, 0), SKEL_AT(6, 0)};
static const int64_t recvbuf_58[] = {SKEL_AT(9, 0), SKEL_AT(13, 0), SKEL_AT(11, 0), SKEL_AT(7, 0)};
static const int* const array[] = {array_none, array_1, array_2, array_3, array_4, array_5};
/* Computation in seconds: a row for each place in the program, a column for each rank. */
static const double gap[][4] = {
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.001, 0.001, 0.001, 0.001},
  {0.001, 0.001, 0.001, 0.001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.001, 0.001, 0.001, 0.001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
  {0.0001, 0.0001, 0.0001, 0.0001},
};
static const struct skel_phase phases[] = {{"prologue", 0, 1, 0, 1, 1, 0, -1}, {"loop 1", 1, 30, 0, 29, 1, 0, 2},
    {"epilogue", 0, 1, 0, 1, 1, 0, -1}};
static const size_t buffer_bytes[] = {
  8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 0, 0, 0, 0,
  8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
  8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 0, 0,
  8, 8, 8, 8, 8, 8, 8, 8, 0, 0, 0, 0, 0, 0,
};
static const struct skel_machine machines[] = {{1048576, 1e+09, 1e+09, NULL}};
static const struct skel_program program = {.ranks = 4, .scale = 10, .phases = 3, .phase = phases, .buffers = 14,
    .buffer_rows = 4, .buffer_bytes = buffer_bytes, .machine_rows = 1, .machine = machines};
/* clang-format on */

static void compute(const double* seconds) { skel_compute(seconds[rank]); }

/* 3.17 ms in the traced run */
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
    const long first_1 = (long)skel_sum(&trips_5[trips_of_6[rank]], i, &cursor_25);
    /* 0 to 5 iterations, 31.1 % of the traced time */
    for (long j = 0; j < skel_at(&trips_5[trips_of_6[rank]], i); j++) {
      if (j > 0) compute(gap[4]); /* 1 ms */
      MPI_Irecv(skel_buffer(skel_at(&buf_11[buf_of_12[rank]], first_1 + j)), 1, MPI_DOUBLE,
          skel_peer(skel_at(&source_17[source_of_18[rank]], first_1 + j)), 0, MPI_COMM_WORLD,
          &req[skel_at(&request_23[request_of_24[rank]], first_1 + j)]);
    }
    compute(gap[5]); /* 100 us */
    const long first_2 = (long)skel_sum(&trips_5[trips_of_6[rank]], i, &cursor_42);
    /* 0 to 5 iterations, 34.3 % of the traced time */
    for (long j = 0; j < skel_at(&trips_5[trips_of_6[rank]], i); j++) {
      if (j > 0) compute(gap[6]); /* 1 ms */
      MPI_Isend(skel_buffer(skel_at(&buf_30[buf_of_12[rank]], first_2 + j)), 1, MPI_DOUBLE,
          skel_peer(skel_at(&dest_35[dest_of_36[rank]], first_2 + j)), 0, MPI_COMM_WORLD,
          &req[skel_at(&request_41[request_of_24[rank]], first_2 + j)]);
    }
    compute(gap[7]); /* 100 us */
    MPI_Waitall((int)skel_at(&count_47[count_of_48[rank]], i),
        skel_pick(req, (int)skel_at(&count_47[count_of_48[rank]], i),
            array[skel_at(&array_of_requests_53[array_of_requests_of_54[rank]], i)]),
        status);
    skel_put_back(req);
  }
}

/* 303 us in the traced run */
static void epilogue(void) {
  compute(gap[8]); /* 100 us */
  MPI_Allreduce(skel_buffer(sendbuf_55[rank]), skel_buffer(recvbuf_56[rank]), 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  compute(gap[9]); /* 100 us */
  MPI_Allreduce(skel_buffer(sendbuf_57[rank]), skel_buffer(recvbuf_58[rank]), 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
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
