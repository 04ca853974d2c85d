/* Diffusion on a periodic square by Fourier transforms, as spectral codes do it.
 *
 * Pattern: transposition of a distributed matrix by MPI_Alltoall. A rank owns whole rows and transforms them; to
 * transform the columns, the matrix is transposed: every rank packs one tile for each rank, already turned.
 *
 *   mpiexec -n 2 ./transpose [SIZE [STEPS]]     SIZE x SIZE points, default 512 340; SIZE a power of two that the
 * number of ranks divides
 *
 * Checks the result against the known solution. */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double complex number;

struct field {
  int size, rows, first;  /* SIZE, rows of this rank, the first of them */
  number* value;          /* rows x size */
  number *send, *receive; /* a tile of rows x rows for every rank */
  number* root;           /* exp(-2 pi i k / size), k < size / 2 */
};

static number* allocate(size_t count) {
  number* memory = calloc(count, sizeof(number));
  if (!memory) {
    fprintf(stderr, "transpose: no memory for %zu numbers\n", count);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

/* Discrete Fourier transform of one row in place, radix 2; the inverse without its factor 1 / size. */
static void transform(number* row, const struct field* f, int inverse) {
  const int n = f->size;
  for (int i = 1, j = 0; i < n; i++) { /* j: the bits of i in reverse */
    int bit = n / 2;
    for (; j & bit; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) {
      const number swap = row[i];
      row[i] = row[j];
      row[j] = swap;
    }
  }
  for (int half = 1; half < n; half *= 2)
    for (int i = 0; i < n; i += 2 * half)
      for (int k = 0; k < half; k++) {
        const number w = f->root[k * (n / 2 / half)];
        const number product = (inverse ? conj(w) : w) * row[i + half + k];
        row[i + half + k] = row[i + k] - product;
        row[i + k] += product;
      }
}

static void transform_rows(struct field* f, int inverse) {
  for (int i = 0; i < f->rows; i++) transform(f->value + (size_t)i * f->size, f, inverse);
}

static void transpose(struct field* f) {
  const int rows = f->rows, size = f->size, ranks = size / rows, tile = rows * rows;
  for (int rank = 0; rank < ranks; rank++)
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < rows; j++)
        f->send[(size_t)rank * tile + j * rows + i] = f->value[(size_t)i * size + rank * rows + j];
  MPI_Alltoall(f->send, tile, MPI_C_DOUBLE_COMPLEX, f->receive, tile, MPI_C_DOUBLE_COMPLEX, MPI_COMM_WORLD);
  for (int rank = 0; rank < ranks; rank++)
    for (int i = 0; i < rows; i++)
      memcpy(f->value + (size_t)i * size + rank * rows, f->receive + (size_t)rank * tile + i * rows,
             rows * sizeof(number));
}

/* Lets every wave fade as long as one time step takes. The matrix is transposed here: rows are waves in y. */
static void fade(struct field* f, double dt) {
  for (int i = 0; i < f->rows; i++)
    for (int j = 0; j < f->size; j++) {
      const int y = f->first + i, x = j;
      const double ky = y < f->size / 2 ? y : y - f->size, kx = x < f->size / 2 ? x : x - f->size;
      f->value[(size_t)i * f->size + j] *= exp(-(kx * kx + ky * ky) * dt) / ((double)f->size * f->size);
    }
}

/* Two waves that fade: the solution of du/dt = (second derivatives of u in x and y). */
static double solution(const struct field* f, int row, int column, double time) {
  const double step = 2 * acos(-1.0) / f->size, x = column * step, y = row * step;
  return exp(-5 * time) * cos(x + 2 * y) + exp(-13 * time) * sin(3 * x - 2 * y);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int size = argc > 1 ? atoi(argv[1]) : 512;
  const int steps = argc > 2 ? atoi(argv[2]) : 340;
  int ranks, rank;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (size < 4 || (size & (size - 1)) != 0 || size % ranks != 0 || steps < 1) {
    if (rank == 0)
      fprintf(stderr, "usage: transpose [SIZE [STEPS]], SIZE a power of two that the number of ranks divides\n");
    MPI_Finalize();
    return 2;
  }

  struct field f = {.size = size, .rows = size / ranks, .first = rank * (size / ranks)};
  const size_t points = (size_t)f.rows * size;
  f.value = allocate(points);
  f.send = allocate(points);
  f.receive = allocate(points);
  f.root = allocate(size / 2);
  for (int k = 0; k < size / 2; k++) f.root[k] = cexp(-2 * acos(-1.0) * I * k / size);
  for (int i = 0; i < f.rows; i++)
    for (int j = 0; j < size; j++) f.value[(size_t)i * size + j] = solution(&f, f.first + i, j, 0);

  const double end = 0.1;
  for (int step = 0; step < steps; step++) {
    transform_rows(&f, 0);
    transpose(&f);
    transform_rows(&f, 0);
    fade(&f, end / steps);
    transform_rows(&f, 1);
    transpose(&f);
    transform_rows(&f, 1);
  }

  double error = 0, largest;
  for (int i = 0; i < f.rows; i++)
    for (int j = 0; j < size; j++)
      error = fmax(error, cabs(f.value[(size_t)i * size + j] - solution(&f, f.first + i, j, end)));
  MPI_Reduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  const int wrong = rank == 0 && !(largest < 1e-9);
  if (rank == 0)
    printf("transpose: %d x %d points, %d steps, error %.1e%s\n", size, size, steps, largest, wrong ? ": WRONG" : "");

  free(f.value);
  free(f.send);
  free(f.receive);
  free(f.root);
  MPI_Finalize();
  return wrong;
}
