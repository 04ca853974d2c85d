/* At most 150 statements: problems of many sizes, as a library's test driver solves them; nothing comes twice in a row. */
#include <mpi.h>

enum { MOST = 16, PROBLEMS = 180 };
static double column[MOST * MOST], panel[MOST * MOST], in[MOST * MOST];
static unsigned state = 12345;

/* The same numbers on all ranks. */
static int below(int n) { return (int)((state = state * 1664525u + 1013904223u) >> 16) % n; }

/* Everybody has rows of each column; a panel is with the ranks of one column of the grid, and handed on in rows. */
static void factorize(MPI_Comm row, MPI_Comm col, int n, int block) {
  int rank, size;
  MPI_Comm_rank(row, &rank);
  MPI_Comm_size(row, &size);
  for (int k = 0, owner = 0; k < n; k += block, owner = (owner + 1) % size) {
    const int width = block < n - k ? block : n - k;
    for (int j = 0; j < width && rank == owner; j++) {
      MPI_Allreduce(column, in, 2, MPI_DOUBLE, MPI_MAX, col);
      if (below(1 + j) == 0) MPI_Bcast(column, n, MPI_DOUBLE, 0, col);
    }
    for (int j = 0; j < width && rank != owner; j++) (void)below(1 + j);
    MPI_Datatype of_panel;
    MPI_Type_vector(width, n - k, MOST, MPI_DOUBLE, &of_panel);
    MPI_Type_commit(&of_panel);
    MPI_Bcast(panel, 1, of_panel, owner, row);
    MPI_Type_free(&of_panel);
  }
}

/* Solutions go around the ranks of the row, each with a message number of its own. */
static int solve(MPI_Comm row, int n, int sides, int message) {
  int rank, size;
  MPI_Comm_rank(row, &rank);
  MPI_Comm_size(row, &size);
  for (int s = 0; s < sides; s++, message = (message + 1) % 1000)
    if (size > 1)
      MPI_Sendrecv(column, n, MPI_DOUBLE, (rank + 1) % size, message, in, n, MPI_DOUBLE, (rank + size - 1) % size,
                   message, row, MPI_STATUS_IGNORE);
  return message;
}

int main(int argc, char** argv) {
  int rank, size, message = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int p = 0; p < PROBLEMS;) {
    const int rows = below(3) == 0 ? 1 : below(2) ? size : size / 2, columns = size / rows;
    MPI_Comm row, col;
    MPI_Comm_split(MPI_COMM_WORLD, rank / columns, rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % columns, rank, &col);
    for (int here = 8 + below(5); here > 0; here--, p++) {
      const int n = 2 + below(MOST - 2), block = 1 + below(4);
      factorize(row, col, n, block);
      for (int s = below(3); s > 0; s--) message = solve(row, n, 1 + below(5), message);
      if (below(2)) MPI_Reduce(column, in, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    }
    MPI_Comm_free(&col);
    MPI_Comm_free(&row);
  }
  MPI_Finalize();
  return 0;
}
