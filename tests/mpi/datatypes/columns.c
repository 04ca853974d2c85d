/* A block of a grid per rank, exchanged by columns, faces and records whose datatypes are made in many ways; some are
 * made and freed in every iteration, inner ones are freed before the outer one is used, and sums are of the program's
 * own operations. */
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>

enum { ROWS = 24 };

struct particle {
  double position[3];
  int kind;
  char tag;
};

static void add(void* in, void* inout, int* n, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *n; i++) ((double*)inout)[i] += ((double*)in)[i];
}

static void add_pairs(void* in, void* inout, int* n, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < 2 * *n; i++) ((double*)inout)[i] += 2 * ((double*)in)[i];
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size, iterations = argc > 1 ? atoi(argv[1]) : 20;
  const int columns = 10 + rank % 2; /* blocks of different width */
  double* const grid = calloc((size_t)ROWS * (size_t)columns, sizeof(double));
  double* const cube = calloc(8 * 8 * 8, sizeof(double));
  struct particle* const particles = calloc(64, sizeof(struct particle));

  /* kept over the whole run; the inner types are freed at once */
  MPI_Datatype column, face, record, raw, row, wide;
  MPI_Type_vector(ROWS, 1, columns, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  const int sizes[3] = {8, 8, 8}, subsizes[3] = {8, 1, 8}, starts[3] = {0, 3, 0};
  MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &face);
  MPI_Type_commit(&face);
  const int lengths[3] = {3, 1, 1};
  const MPI_Aint places[3] = {offsetof(struct particle, position), offsetof(struct particle, kind),
                              offsetof(struct particle, tag)};
  const MPI_Datatype kinds[3] = {MPI_DOUBLE, MPI_INT, MPI_CHAR};
  MPI_Type_create_struct(3, lengths, places, kinds, &raw);
  MPI_Type_create_resized(raw, 0, sizeof(struct particle), &record);
  MPI_Type_free(&raw);
  MPI_Type_commit(&record);
  MPI_Type_contiguous(columns, MPI_DOUBLE, &row);
  MPI_Type_create_hvector(3, 1, 2 * columns * (MPI_Aint)sizeof(double), row, &wide);
  MPI_Type_free(&row);
  MPI_Type_commit(&wide);

  MPI_Op sum, ordered;
  MPI_Op_create(add, 1, &sum);
  MPI_Op_create(add_pairs, 0, &ordered);
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
  MPI_Type_commit(&pair);

  for (int i = 0; i < iterations; i++) {
    MPI_Request requests[4];
    MPI_Irecv(grid, 1, column, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(grid + columns - 1, 1, column, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(grid + 1, 1, column, left, 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(grid + columns - 2, 1, column, right, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(cube, 1, face, right, 3, cube + 8, 1, face, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(particles, 20, record, right, 4, particles + 32, 20, record, left, 4, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);

    /* made and freed each time, of two kinds */
    MPI_Datatype some, both, copy;
    const int blocks[4] = {1, 2, 3, 1}, at[4] = {0, 4, 9, 30};
    MPI_Type_indexed(4, blocks, at, MPI_DOUBLE, &some);
    MPI_Type_dup(some, &copy);
    const int one[2] = {1, 2};
    const MPI_Aint offsets[2] = {0, 512};
    const MPI_Datatype members[2] = {some, MPI_DOUBLE_INT};
    MPI_Type_create_struct(2, one, offsets, members, &both);
    MPI_Type_free(&some);
    MPI_Type_commit(&both);
    MPI_Type_commit(&copy);
    MPI_Sendrecv(cube, 1, both, right, 5, cube + 128, 1, both, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(cube, 1, copy, i % size, MPI_COMM_WORLD);
    MPI_Type_free(&both);
    MPI_Type_free(&copy);

    double local[4] = {1, 2, 3, 4}, global[4];
    MPI_Allreduce(local, global, 4, MPI_DOUBLE, sum, MPI_COMM_WORLD);
    MPI_Reduce(local, global, 2, pair, ordered, 0, MPI_COMM_WORLD);
  }

  /* the others, once */
  MPI_Datatype types[6];
  const int where[3] = {0, 5, 7}, distribution[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, whole[2] = {16, 16};
  const int blocks[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, grid_of[2] = {size, 1};
  const MPI_Aint bytes[3] = {0, 40, 72};
  MPI_Type_create_indexed_block(3, 2, where, MPI_DOUBLE, &types[0]);
  MPI_Type_create_hindexed_block(3, 2, bytes, MPI_DOUBLE, &types[1]);
  MPI_Type_create_hindexed(3, (const int[3]){1, 2, 1}, bytes, MPI_DOUBLE, &types[2]);
  MPI_Type_create_darray(size, rank, 2, whole, distribution, blocks, grid_of, MPI_ORDER_FORTRAN, MPI_DOUBLE, &types[3]);
  MPI_Type_struct(3, (int[3]){1, 1, 1}, (MPI_Aint[3]){0, 40, 72}, (MPI_Datatype[3]){MPI_DOUBLE, MPI_INT, MPI_FLOAT},
                  &types[4]);
  MPI_Type_vector(4, 2, 3, MPI_BYTE, &types[5]);
  for (int i = 0; i < 6; i++) {
    int bytes_of;
    MPI_Aint lower, extent;
    MPI_Type_commit(&types[i]);
    MPI_Type_size(types[i], &bytes_of);
    MPI_Type_get_extent(types[i], &lower, &extent);
    MPI_Bcast(cube, 1, types[i], 0, MPI_COMM_WORLD);
  }
  for (int i = 5; i >= 0; i--) MPI_Type_free(&types[i]);
  char packed[4096];
  int position = 0, most;
  MPI_Pack_size(1, column, MPI_COMM_WORLD, &most);
  MPI_Pack(grid, 1, column, packed, sizeof packed, &position, MPI_COMM_WORLD);
  MPI_Bcast(packed, position, MPI_PACKED, 0, MPI_COMM_WORLD);
  position = 0;
  MPI_Unpack(packed, sizeof packed, &position, grid, 1, column, MPI_COMM_WORLD);

  MPI_Op_free(&ordered);
  MPI_Op_free(&sum);
  MPI_Type_free(&column);
  MPI_Type_free(&face);
  MPI_Type_free(&record);
  MPI_Type_free(&wide);
  MPI_Type_free(&pair);
  MPI_Finalize();
  free(grid);
  free(cube);
  free(particles);
  return 0;
}
