/* Heat conduction on a square plate, explicit finite differences, distributed over a two-dimensional grid of ranks.
 *
 * Pattern: halo exchange with the four neighbours of a Cartesian communicator (non-blocking, two columns packed), and a
 * residual by MPI_Allreduce every few steps.
 *
 *   mpiexec -n 2 ./heat [SIZE [STEPS [CHECK_EVERY]]]        SIZE x SIZE interior points, default 1536 1800 10 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kUp, kDown, kLeft, kRight };

struct plate {
  int rows, columns;                          /* interior points of this rank */
  double *now, *next;                         /* (rows + 2) x (columns + 2), with a border of halo points */
  double *send_column[2], *receive_column[2]; /* left, right */
};

static double* line(double* field, const struct plate* p, int row) { return field + (size_t)row * (p->columns + 2); }

static int share(int total, int parts, int part) { return total / parts + (part < total % parts); }

static void* allocate(size_t count) {
  double* memory = calloc(count, sizeof(double));
  if (!memory) {
    fprintf(stderr, "heat: no memory for %zu numbers\n", count);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

static void exchange_halo(struct plate* p, MPI_Comm grid, const int neighbour[4]) {
  const int rows = p->rows, columns = p->columns;
  MPI_Request request[8];
  MPI_Status status[8];
  MPI_Irecv(line(p->now, p, 0) + 1, columns, MPI_DOUBLE, neighbour[kUp], kDown, grid, &request[0]);
  MPI_Irecv(line(p->now, p, rows + 1) + 1, columns, MPI_DOUBLE, neighbour[kDown], kUp, grid, &request[1]);
  MPI_Irecv(p->receive_column[0], rows, MPI_DOUBLE, neighbour[kLeft], kRight, grid, &request[2]);
  MPI_Irecv(p->receive_column[1], rows, MPI_DOUBLE, neighbour[kRight], kLeft, grid, &request[3]);
  for (int i = 0; i < rows; i++) {
    p->send_column[0][i] = line(p->now, p, i + 1)[1];
    p->send_column[1][i] = line(p->now, p, i + 1)[columns];
  }
  MPI_Isend(line(p->now, p, 1) + 1, columns, MPI_DOUBLE, neighbour[kUp], kUp, grid, &request[4]);
  MPI_Isend(line(p->now, p, rows) + 1, columns, MPI_DOUBLE, neighbour[kDown], kDown, grid, &request[5]);
  MPI_Isend(p->send_column[0], rows, MPI_DOUBLE, neighbour[kLeft], kLeft, grid, &request[6]);
  MPI_Isend(p->send_column[1], rows, MPI_DOUBLE, neighbour[kRight], kRight, grid, &request[7]);
  MPI_Waitall(8, request, status);
  if (neighbour[kLeft] != MPI_PROC_NULL)
    for (int i = 0; i < rows; i++) line(p->now, p, i + 1)[0] = p->receive_column[0][i];
  if (neighbour[kRight] != MPI_PROC_NULL)
    for (int i = 0; i < rows; i++) line(p->now, p, i + 1)[columns + 1] = p->receive_column[1][i];
}

/* One time step; returns the sum of the squared changes. */
static double advance(struct plate* p) {
  double change = 0;
  for (int i = 1; i <= p->rows; i++) {
    const double *above = line(p->now, p, i - 1), *here = line(p->now, p, i), *below = line(p->now, p, i + 1);
    double* out = line(p->next, p, i);
    for (int j = 1; j <= p->columns; j++) {
      const double delta = 0.2 * (above[j] + below[j] + here[j - 1] + here[j + 1] - 4 * here[j]);
      out[j] = here[j] + delta;
      change += delta * delta;
    }
  }
  double* old = p->now;
  p->now = p->next;
  p->next = old;
  return change;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int size = argc > 1 ? atoi(argv[1]) : 1536;
  const int steps = argc > 2 ? atoi(argv[2]) : 1800;
  const int check_every = argc > 3 ? atoi(argv[3]) : 10;

  int ranks, rank, dims[2] = {0, 0}, coords[2], neighbour[4];
  const int periodic[2] = {0, 0};
  MPI_Comm grid;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, 1, &grid);
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_coords(grid, rank, 2, coords);
  MPI_Cart_shift(grid, 0, 1, &neighbour[kUp], &neighbour[kDown]);
  MPI_Cart_shift(grid, 1, 1, &neighbour[kLeft], &neighbour[kRight]);
  if (size < dims[0] || size < dims[1] || steps < 1 || check_every < 1) {
    if (rank == 0) fprintf(stderr, "usage: heat [SIZE [STEPS [CHECK_EVERY]]], at least one point per rank\n");
    MPI_Finalize();
    return 2;
  }

  struct plate p = {.rows = share(size, dims[0], coords[0]), .columns = share(size, dims[1], coords[1])};
  const size_t points = (size_t)(p.rows + 2) * (p.columns + 2);
  p.now = allocate(points);
  p.next = allocate(points);
  for (int side = 0; side < 2; side++) {
    p.send_column[side] = allocate(p.rows);
    p.receive_column[side] = allocate(p.rows);
  }
  if (neighbour[kUp] == MPI_PROC_NULL) /* the upper edge of the plate is hot */
    for (int j = 0; j < p.columns + 2; j++) line(p.now, &p, 0)[j] = line(p.next, &p, 0)[j] = 100;

  double residual = 0;
  for (int step = 1; step <= steps; step++) {
    exchange_halo(&p, grid, neighbour);
    const double change = advance(&p);
    if (step % check_every == 0) MPI_Allreduce(&change, &residual, 1, MPI_DOUBLE, MPI_SUM, grid);
  }
  if (rank == 0) printf("heat: %d x %d points, %d steps, residual %.6e\n", size, size, steps, residual);

  free(p.now);
  free(p.next);
  for (int side = 0; side < 2; side++) {
    free(p.send_column[side]);
    free(p.receive_column[side]);
  }
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return 0;
}
