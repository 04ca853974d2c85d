/* Programs whose time is decided by different things, one kind at a time; computation is told to SMPI in operations, so that their simulated time is
 * the same in each run:
 *
 *   halo       exchange with four neighbours while others compute, a sum every tenth step
 *   wander     in each step another rank has three times the work, and all meet
 *   lists      every 7 to 13 steps lists are made anew: twice the work of a step, and all ranks exchange
 *   bursts     every 7 to 13 steps another rank has four times the work
 *   sizes      every 7 to 13 steps the same statement sends a thousand times as much
 *   wavefront  a sweep over the grid of ranks and back, block by block
 *   transpose  every rank sends 2 KiB to every other; no two compute as long, or nanoseconds would decide whose message goes first
 *   phases     three loops after each other: computation, large messages, many small ones
 *
 *   smpirun -np 16 ... work KIND [STEPS [RANK]]: this rank has twice the work */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, up, down, left, right, overloaded;
static MPI_Comm grid;

static void compute(double operations) { smpi_execute_flops_benched(overloaded ? 2 * operations : operations); }

static void halo(int steps) {
  static double out[4][512], in[4][512];
  double change = 1, all;
  const int neighbour[4] = {up, down, left, right};
  for (int i = 0; i < steps; i++) {
    MPI_Request request[8];
    MPI_Status status[8];
    for (int d = 0; d < 4; d++) MPI_Irecv(in[d], 512, MPI_DOUBLE, neighbour[d], d ^ 1, grid, &request[d]);
    for (int d = 0; d < 4; d++) MPI_Isend(out[d], 512, MPI_DOUBLE, neighbour[d], d, grid, &request[4 + d]);
    compute(8e6 + 1e5 * rank);
    MPI_Waitall(8, request, status);
    compute(5e5);
    if (i % 10 == 9) MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, grid);
  }
}

static void wander(int steps) {
  double mine = 1, all;
  for (int i = 0; i < steps; i++) {
    compute((i * 7 % size == rank ? 9e6 : 3e6) + 1e4 * (i % 13));
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
}

/* Every 7 to 13 calls. */
static int is_due(void) {
  static unsigned drawn = 12345;
  static double moved;
  drawn = drawn * 1664525u + 1013904223u;
  moved += 0.077 + 0.066 * (drawn >> 8) / 16777216.0;
  if (moved < 1) return 0;
  moved = 0;
  return 1;
}

static void lists(int steps) {
  static double out[16 * 20000], in[16 * 20000];
  double mine = 1, all;
  for (int i = 0; i < steps; i++) {
    compute(5e8);
    if (is_due()) {
      MPI_Alltoall(out, 20000, MPI_DOUBLE, in, 20000, MPI_DOUBLE, MPI_COMM_WORLD);
      compute(1e9);
    }
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
}

static void bursts(int steps) {
  double mine = 1, all;
  for (int i = 0; i < steps; i++) {
    compute(is_due() && i * 7 / 10 % size == rank ? 2e9 : 5e8);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
}

static void sizes(int steps) {
  static double out[1000000], in[1000000];
  double mine = 1, all;
  for (int i = 0; i < steps; i++) {
    MPI_Status status;
    compute(1e8);
    MPI_Sendrecv(out, is_due() ? 1000000 : 1000, MPI_DOUBLE, (rank + 1) % size, 1, in, 1000000, MPI_DOUBLE,
                 (rank + size - 1) % size, 1, MPI_COMM_WORLD, &status);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
}

static void sweep(double* plane, int from, int from_too, int to, int to_too, int blocks) {
  MPI_Status status;
  for (int block = 0; block < blocks; block++) {
    MPI_Recv(plane, 200, MPI_DOUBLE, from, 1, grid, &status);
    MPI_Recv(plane + 200, 200, MPI_DOUBLE, from_too, 2, grid, &status);
    compute(2e5);
    MPI_Send(plane, 200, MPI_DOUBLE, to, 1, grid);
    MPI_Send(plane + 200, 200, MPI_DOUBLE, to_too, 2, grid);
  }
}

static void wavefront(int steps) {
  static double plane[400];
  for (int i = 0; i < steps; i++) {
    sweep(plane, up, left, down, right, 20);
    sweep(plane, down, right, up, left, 20);
    compute(1e6);
  }
}

static void transpose(int steps) {
  double* const out = calloc((size_t)size * 256, sizeof *out);
  double* const in = calloc((size_t)size * 256, sizeof *in);
  for (int i = 0; i < steps; i++) {
    compute(4e6 + 3e4 * rank);
    MPI_Alltoall(out, 256, MPI_DOUBLE, in, 256, MPI_DOUBLE, MPI_COMM_WORLD);
    compute(6e6);
  }
  free(out);
  free(in);
}

static void phases(int steps) {
  static double large[2][65536];
  MPI_Status status;
  double few = 0;
  for (int i = 0; i < steps; i++) {
    compute(5e6 + 2e5 * (rank % 3));
    MPI_Bcast(&few, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  for (int i = 0; i < steps; i++) {
    compute(1e6);
    MPI_Sendrecv(large[0], 65536, MPI_DOUBLE, (rank + 1) % size, 5, large[1], 65536, MPI_DOUBLE,
                 (rank + size - 1) % size, 5, MPI_COMM_WORLD, &status);
  }
  for (int i = 0; i < 10 * steps; i++) {
    compute(1e5);
    MPI_Sendrecv(large[0], 8, MPI_DOUBLE, rank ^ 1, 6, large[1], 8, MPI_DOUBLE, rank ^ 1, 6, MPI_COMM_WORLD, &status);
  }
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(int steps);
    int wraps;
  } kinds[] = {{"halo", halo, 1},   {"wander", wander, 0},       {"lists", lists, 0},         {"bursts", bursts, 0},
               {"sizes", sizes, 0}, {"wavefront", wavefront, 0}, {"transpose", transpose, 0}, {"phases", phases, 0}};
  MPI_Init(&argc, &argv);
  const char* const kind = argc > 1 ? argv[1] : "halo";
  const int steps = argc > 2 ? atoi(argv[2]) : 200;
  int dims[2] = {0, 0}, wraps[2] = {0, 0}, known = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  overloaded = argc > 3 && atoi(argv[3]) == rank;
  MPI_Dims_create(size, 2, dims);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (!strcmp(kind, kinds[i].name)) wraps[0] = wraps[1] = kinds[i].wraps;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, wraps, 0, &grid);
  MPI_Cart_shift(grid, 0, 1, &up, &down);
  MPI_Cart_shift(grid, 1, 1, &left, &right);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kind, kinds[i].name)) continue;
    kinds[i].run(steps);
    known = 1;
  }
  MPI_Comm_free(&grid);
  if (!known && rank == 0) fprintf(stderr, "work: no kind %s\n", kind);
  MPI_Finalize();
  return known ? 0 : 2;
}
