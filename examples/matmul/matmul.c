/* The product of two dense matrices, none of which fits one rank.
 *
 * Pattern: blocks that rotate by MPI_Sendrecv_replace on a periodic Cartesian communicator. On q x q ranks this is
 * Cannon's algorithm: blocks of A move left along the rows, blocks of B up along the columns. Other numbers of ranks
 * form a ring: every rank owns whole rows, and the rows of B go round.
 *
 *   mpiexec -n 2 ./matmul [SIZE [TIMES]]     SIZE x SIZE numbers, default 1024 16: the product is made 16 times; the
 * number of ranks, or its root if it is a square, divides SIZE
 *
 * Checks the product: the matrix of the sine transform is its own inverse. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block of a matrix: rows x columns numbers, row by row. */
struct block {
  int rows, columns, top, left;
  double* value;
};

static struct block make_block(int rows, int columns, int top, int left) {
  struct block b = {rows, columns, top, left, calloc((size_t)rows * columns, sizeof(double))};
  if (!b.value) {
    fprintf(stderr, "matmul: no memory for %d x %d numbers\n", rows, columns);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return b;
}

static void fill(struct block* b, int size) {
  const double pi = acos(-1.0);
  for (int i = 0; i < b->rows; i++)
    for (int j = 0; j < b->columns; j++)
      b->value[(size_t)i * b->columns + j] =
          sqrt(2.0 / (size + 1)) * sin(pi * (b->top + i + 1) * (b->left + j + 1) / (size + 1));
}

/* C += (columns of A from `left` on) B */
static void multiply_add(const struct block* a, int left, const struct block* b, struct block* c) {
  for (int i = 0; i < c->rows; i++)
    for (int k = 0; k < b->rows; k++) {
      const double factor = a->value[(size_t)i * a->columns + left + k];
      const double* from = b->value + (size_t)k * b->columns;
      double* to = c->value + (size_t)i * c->columns;
      for (int j = 0; j < c->columns; j++) to[j] += factor * from[j];
    }
}

/* Moves the blocks of all ranks by `distance` down (dimension 0) or to the right (dimension 1). */
static void rotate(struct block* b, MPI_Comm comm, int dimension, int distance) {
  int from, to;
  MPI_Cart_shift(comm, dimension, distance, &from, &to);
  MPI_Sendrecv_replace(b->value, b->rows * b->columns, MPI_DOUBLE, to, 0, from, 0, comm, MPI_STATUS_IGNORE);
}

/* Cannon's algorithm. The blocks must be skewed; they are again afterwards. */
static void multiply_cannon(struct block* a, struct block* b, struct block* c, MPI_Comm comm, int q) {
  for (int step = 0; step < q; step++) {
    multiply_add(a, 0, b, c);
    rotate(a, comm, 1, -1);
    rotate(b, comm, 0, -1);
  }
}

static void multiply_ring(const struct block* a, struct block* b, struct block* c, MPI_Comm comm, int rank, int ranks) {
  for (int step = 0; step < ranks; step++) {
    const int home = (rank + step) % ranks; /* whose rows of B are here */
    multiply_add(a, home * b->rows, b, c);
    rotate(b, comm, 0, -1);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int size = argc > 1 ? atoi(argv[1]) : 1024;
  const int times = argc > 2 ? atoi(argv[2]) : 16;
  int ranks, rank, coords[2] = {0, 0};
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int root = (int)(sqrt(ranks) + 0.5), square = root * root == ranks;
  const int dims[2] = {square ? root : ranks, square ? root : 1}, periodic[2] = {1, 1};
  MPI_Comm comm;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, 1, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Cart_coords(comm, rank, 2, coords);
  if (size < dims[0] || size % dims[0] != 0 || times < 1) {
    if (rank == 0) fprintf(stderr, "usage: matmul [SIZE [TIMES]], here with a SIZE that %d divides\n", dims[0]);
    MPI_Finalize();
    return 2;
  }

  const int rows = size / dims[0], columns = size / dims[1];
  struct block a = make_block(rows, columns, coords[0] * rows, coords[1] * columns);
  struct block b = make_block(rows, columns, a.top, a.left), c = make_block(rows, columns, a.top, a.left);
  fill(&a, size);
  fill(&b, size);
  if (square) { /* skew: row i by i to the left, column j by j upwards */
    rotate(&a, comm, 1, -coords[0]);
    rotate(&b, comm, 0, -coords[1]);
  }
  for (int time = 0; time < times; time++) {
    memset(c.value, 0, (size_t)rows * columns * sizeof(double));
    if (square)
      multiply_cannon(&a, &b, &c, comm, root);
    else
      multiply_ring(&a, &b, &c, comm, rank, ranks);
  }

  double error = 0, largest;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      error = fmax(error, fabs(c.value[(size_t)i * columns + j] - (c.top + i == c.left + j)));
  MPI_Reduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, 0, comm);
  const int wrong = rank == 0 && !(largest < 1e-9);
  if (rank == 0)
    printf("matmul: %d x %d, %s, %d times, error %.1e%s\n", size, size, square ? "Cannon" : "ring", times, largest,
           wrong ? ": WRONG" : "");
  free(a.value);
  free(b.value);
  free(c.value);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return wrong;
}
