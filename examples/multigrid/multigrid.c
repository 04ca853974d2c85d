/* Poisson's equation on a square by multigrid V-cycles.
 *
 * Pattern: halo exchange on a hierarchy of grids. Each level has half the cells of the finer one in both directions, so
 * that messages halve from level to level: from long ones, which cost bandwidth, to ones of 2 numbers, which cost only
 * latency. The finest PERSISTENT levels exchange by persistent requests, the others by MPI_Isend and MPI_Irecv.
 *
 *   mpiexec -n 2 ./multigrid [SIZE [SOLVES [PERSISTENT]]]      SIZE x SIZE cells, default 1024 28 0; SIZE is a power of
 *                                                              two times the longer edge of the grid of ranks
 *
 * Checks the result against the known solution of the discrete equations. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kUp, kDown, kLeft, kRight, kMaxLevels = 32, kCycles = 10 };

struct level {
  int rows, columns; /* cells of this rank */
  double square;     /* of the cells' width */
  double *u, *f, *r; /* unknown, right-hand side, residual: (rows + 2) x (columns + 2), with ghost cells around */
  double *send_column[2], *receive_column[2]; /* left, right */
  int persistent;
  MPI_Request request[8];
};

struct grid {
  MPI_Comm comm;
  int neighbour[4];
  int levels;
  struct level level[kMaxLevels]; /* the finest first */
};

static double* line(double* field, const struct level* l, int row) { return field + (size_t)row * (l->columns + 2); }

static double* allocate(size_t count) {
  double* memory = calloc(count, sizeof(double));
  if (!memory) {
    fprintf(stderr, "multigrid: no memory for %zu numbers\n", count);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

/* Where the messages of a level lie: side by side, the border that is sent and the ghost cells that are received. */
struct border {
  double *send, *receive;
  int count;
};

static struct border border(const struct level* l, int side) {
  switch (side) {
    case kUp:
      return (struct border){line(l->u, l, 1) + 1, line(l->u, l, 0) + 1, l->columns};
    case kDown:
      return (struct border){line(l->u, l, l->rows) + 1, line(l->u, l, l->rows + 1) + 1, l->columns};
    default:
      return (struct border){l->send_column[side - kLeft], l->receive_column[side - kLeft], l->rows};
  }
}

static int opposite(int side) { return side ^ 1; }

static void make_persistent(struct level* l, const struct grid* g) {
  l->persistent = 1;
  for (int side = 0; side < 4; side++) {
    const struct border b = border(l, side);
    MPI_Recv_init(b.receive, b.count, MPI_DOUBLE, g->neighbour[side], opposite(side), g->comm, &l->request[side]);
    MPI_Send_init(b.send, b.count, MPI_DOUBLE, g->neighbour[side], side, g->comm, &l->request[4 + side]);
  }
}

static void start_messages(struct level* l, const struct grid* g) {
  if (l->persistent) {
    MPI_Startall(8, l->request);
    return;
  }
  for (int side = 0; side < 4; side++) {
    const struct border b = border(l, side);
    MPI_Irecv(b.receive, b.count, MPI_DOUBLE, g->neighbour[side], opposite(side), g->comm, &l->request[side]);
    MPI_Isend(b.send, b.count, MPI_DOUBLE, g->neighbour[side], side, g->comm, &l->request[4 + side]);
  }
}

/* Fills the ghost cells of u: by the neighbours' cells, or so that u is zero on the wall between cell and ghost. */
static void exchange(struct level* l, const struct grid* g) {
  const int rows = l->rows, columns = l->columns;
  MPI_Status status[8];
  for (int i = 1; i <= rows; i++) {
    l->send_column[0][i - 1] = line(l->u, l, i)[1];
    l->send_column[1][i - 1] = line(l->u, l, i)[columns];
  }
  start_messages(l, g);
  MPI_Waitall(8, l->request, status);
  for (int i = 1; i <= rows; i++) {
    double* u = line(l->u, l, i);
    u[0] = g->neighbour[kLeft] == MPI_PROC_NULL ? -u[1] : l->receive_column[0][i - 1];
    u[columns + 1] = g->neighbour[kRight] == MPI_PROC_NULL ? -u[columns] : l->receive_column[1][i - 1];
  }
  for (int j = 1; j <= columns; j++) {
    if (g->neighbour[kUp] == MPI_PROC_NULL) line(l->u, l, 0)[j] = -line(l->u, l, 1)[j];
    if (g->neighbour[kDown] == MPI_PROC_NULL) line(l->u, l, rows + 1)[j] = -line(l->u, l, rows)[j];
  }
}

/* r = f - A u, and the sum of its squares over the cells of this rank. */
static double residual(struct level* l, const struct grid* g) {
  double sum = 0;
  exchange(l, g);
  for (int i = 1; i <= l->rows; i++) {
    const double *above = line(l->u, l, i - 1), *here = line(l->u, l, i), *below = line(l->u, l, i + 1);
    const double* f = line(l->f, l, i);
    double* r = line(l->r, l, i);
    for (int j = 1; j <= l->columns; j++) {
      r[j] = f[j] - (4 * here[j] - above[j] - below[j] - here[j - 1] - here[j + 1]) / l->square;
      sum += r[j] * r[j];
    }
  }
  return sum;
}

/* Damped Jacobi steps. */
static void smooth(struct level* l, const struct grid* g, int times) {
  const double factor = 0.8 * l->square / 4;
  for (int time = 0; time < times; time++) {
    residual(l, g);
    for (int i = 1; i <= l->rows; i++) {
      double *u = line(l->u, l, i), *r = line(l->r, l, i);
      for (int j = 1; j <= l->columns; j++) u[j] += factor * r[j];
    }
  }
}

/* The coarse right-hand side is the mean of four fine residuals. */
static void restrict_residual(struct level* fine, struct level* coarse) {
  memset(coarse->u, 0, (size_t)(coarse->rows + 2) * (coarse->columns + 2) * sizeof(double));
  for (int i = 1; i <= coarse->rows; i++) {
    const double *upper = line(fine->r, fine, 2 * i - 1), *lower = line(fine->r, fine, 2 * i);
    double* f = line(coarse->f, coarse, i);
    for (int j = 1; j <= coarse->columns; j++)
      f[j] = 0.25 * (upper[2 * j - 1] + upper[2 * j] + lower[2 * j - 1] + lower[2 * j]);
  }
}

/* A fine cell gets half of the coarse cell that it lies in and a quarter of the two coarse cells nearest to it. */
static void add_correction(struct level* fine, struct level* coarse) {
  for (int i = 1; i <= fine->rows; i++) {
    const int row = (i + 1) / 2;
    const double *here = line(coarse->u, coarse, row), *near = line(coarse->u, coarse, i % 2 ? row - 1 : row + 1);
    double* u = line(fine->u, fine, i);
    for (int j = 1; j <= fine->columns; j++) {
      const int column = (j + 1) / 2;
      u[j] += 0.5 * here[column] + 0.25 * (near[column] + here[j % 2 ? column - 1 : column + 1]);
    }
  }
}

static void v_cycle(struct grid* g, int depth) {
  struct level *l = &g->level[depth], *coarse = l + 1;
  if (depth == g->levels - 1) {
    smooth(l, g, 30);
    return;
  }
  smooth(l, g, 2);
  residual(l, g);
  restrict_residual(l, coarse);
  v_cycle(g, depth + 1);
  exchange(coarse, g);
  add_correction(l, coarse);
  smooth(l, g, 2);
}

/* Allocates the levels until a rank has 2 rows or 2 columns; returns 0 if some level cannot be halved. */
static int make_levels(struct grid* g, int rows, int columns, int size) {
  for (g->levels = 0;; rows /= 2, columns /= 2, size /= 2) {
    struct level* l = &g->level[g->levels++];
    const size_t cells = (size_t)(rows + 2) * (columns + 2);
    *l = (struct level){.rows = rows, .columns = columns, .square = 1.0 / ((double)size * size)};
    l->u = allocate(cells);
    l->f = allocate(cells);
    l->r = allocate(cells);
    for (int side = 0; side < 2; side++) {
      l->send_column[side] = allocate(rows);
      l->receive_column[side] = allocate(rows);
    }
    if (rows == 2 || columns == 2) return 1;
    if (rows % 2 != 0 || columns % 2 != 0) return 0;
  }
}

static void free_levels(struct grid* g) {
  for (struct level* l = g->level; l < g->level + g->levels; l++) {
    for (int i = 0; i < 8 && l->persistent; i++) MPI_Request_free(&l->request[i]);
    free(l->u);
    free(l->f);
    free(l->r);
    for (int side = 0; side < 2; side++) {
      free(l->send_column[side]);
      free(l->receive_column[side]);
    }
  }
}

/* Wave (a, b) in the cell of a global row and column; it fits the walls. The discrete operator only multiplies it. */
static double wave(int a, int b, int row, int column, int size) {
  const double pi = acos(-1.0);
  return sin(a * pi * (row + 0.5) / size) * sin(b * pi * (column + 0.5) / size);
}

static double multiplier(int a, int b, int size) {
  const double pi = acos(-1.0), y = sin(a * pi / 2 / size), x = sin(b * pi / 2 / size);
  return 4.0 * size * size * (y * y + x * x);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int size = argc > 1 ? atoi(argv[1]) : 1024;
  const int solves = argc > 2 ? atoi(argv[2]) : 28;
  const int persistent = argc > 3 ? atoi(argv[3]) : 0;
  int ranks, rank, dims[2] = {0, 0}, coords[2];
  const int periodic[2] = {0, 0};
  struct grid g;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, 1, &g.comm);
  MPI_Comm_rank(g.comm, &rank);
  MPI_Cart_coords(g.comm, rank, 2, coords);
  MPI_Cart_shift(g.comm, 0, 1, &g.neighbour[kUp], &g.neighbour[kDown]);
  MPI_Cart_shift(g.comm, 1, 1, &g.neighbour[kLeft], &g.neighbour[kRight]);
  const int rows = size / dims[0], columns = size / dims[1];
  if (solves < 1 || rows < 2 || columns < 2 || size % dims[0] != 0 || size % dims[1] != 0 ||
      !make_levels(&g, rows, columns, size)) {
    if (rank == 0)
      fprintf(stderr, "usage: multigrid [SIZE [SOLVES [PERSISTENT]]], SIZE %d times a power of two, divisible by %d\n",
              dims[0], dims[1]);
    MPI_Finalize();
    return 2;
  }
  for (int i = 0; i < persistent && i < g.levels; i++) make_persistent(&g.level[i], &g);

  struct level* finest = &g.level[0];
  const int top = coords[0] * rows, left = coords[1] * columns;
  double worst = 0, norm = 0;
  for (int solve = 0; solve < solves; solve++) {
    const int a = 1 + solve % 5, b = 1 + solve % 3; /* the waves of this solve: (a, b) and (b, a + b) */
    const double first = multiplier(a, b, size), second = multiplier(b, a + b, size);
    memset(finest->u, 0, (size_t)(rows + 2) * (columns + 2) * sizeof(double));
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < columns; j++)
        line(finest->f, finest, i + 1)[j + 1] =
            first * wave(a, b, top + i, left + j, size) + second * wave(b, a + b, top + i, left + j, size);
    for (int cycle = 0; cycle < kCycles; cycle++) {
      v_cycle(&g, 0);
      const double local = residual(finest, &g);
      MPI_Allreduce(&local, &norm, 1, MPI_DOUBLE, MPI_SUM, g.comm);
    }
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < columns; j++)
        worst = fmax(worst, fabs(line(finest->u, finest, i + 1)[j + 1] - wave(a, b, top + i, left + j, size) -
                                 wave(b, a + b, top + i, left + j, size)));
  }

  double error;
  MPI_Reduce(&worst, &error, 1, MPI_DOUBLE, MPI_MAX, 0, g.comm);
  const int wrong = rank == 0 && !(error < 1e-6);
  if (rank == 0)
    printf("multigrid: %d x %d cells, %d levels, %d solves, residual %.1e, error %.1e%s\n", size, size, g.levels,
           solves, sqrt(norm) / size, error, wrong ? ": WRONG" : "");
  free_levels(&g);
  MPI_Comm_free(&g.comm);
  MPI_Finalize();
  return wrong;
}
