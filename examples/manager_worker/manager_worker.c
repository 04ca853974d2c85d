/* A picture of the Mandelbrot set, its rows computed by whoever has time.
 *
 * Pattern: a manager hands out tasks and takes results from MPI_ANY_SOURCE; a worker that returns a row gets the next
 * one, or a message whose tag ends its work. Rows differ in cost by more than a hundred times, so it matters who gets
 * which.
 *
 *   mpiexec -n 2 ./manager_worker [ROWS [COLUMNS [LIMIT]]]     default 1000 600 8000; at least two ranks
 *
 * Checks that every row came back once and that the upper half mirrors the lower one. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kTask, kStop, kResult };

/* Iterations until the point leaves the circle of radius 2, `limit` if it does not. */
static int escape(double x, double y, int limit) {
  double a = 0, b = 0;
  int count = 0;
  for (; count < limit && a * a + b * b <= 4; count++) {
    const double next = a * a - b * b + x;
    b = 2 * a * b + y;
    a = next;
  }
  return count;
}

/* Takes rows from the manager until it says stop. A result is the row's number and its pixels. */
static void work(int rows, int columns, int limit, int* result) {
  for (;;) {
    MPI_Status status;
    MPI_Recv(result, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == kStop) return;
    const double y = 1.2 * (2 * result[0] + 1 - rows) / rows;
    for (int i = 0; i < columns; i++) result[1 + i] = escape(-2.2 + 3.0 * (i + 0.5) / columns, y, limit);
    MPI_Send(result, 1 + columns, MPI_INT, 0, kResult, MPI_COMM_WORLD);
  }
}

/* Gives the worker the next row, or tells it to stop; returns the number of rows given. */
static int hand_out(int worker, int next, int rows) {
  MPI_Send(&next, 1, MPI_INT, worker, next < rows ? kTask : kStop, MPI_COMM_WORLD);
  return next < rows;
}

/* Returns the picture, row by row; `times` counts how often each row came back. */
static void manage(int rows, int columns, int workers, int* result, int* picture, int* times) {
  int next = 0, busy = 0;
  for (int worker = 1; worker <= workers; worker++) {
    const int given = hand_out(worker, next, rows);
    next += given;
    busy += given;
  }
  while (busy > 0) {
    MPI_Status status;
    MPI_Recv(result, 1 + columns, MPI_INT, MPI_ANY_SOURCE, kResult, MPI_COMM_WORLD, &status);
    memcpy(picture + (size_t)result[0] * columns, result + 1, columns * sizeof(int));
    times[result[0]]++;
    const int given = hand_out(status.MPI_SOURCE, next, rows);
    next += given;
    busy += given - 1;
  }
}

/* The number of rows that did not come back once or differ from their mirror image. */
static int wrong_rows(int rows, int columns, const int* picture, const int* times) {
  int wrong = 0;
  for (int i = 0; i < rows; i++) {
    const int* mirror = picture + (size_t)(rows - 1 - i) * columns;
    if (times[i] != 1 || memcmp(picture + (size_t)i * columns, mirror, columns * sizeof(int)) != 0) wrong++;
  }
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rows = argc > 1 ? atoi(argv[1]) : 1000;
  const int columns = argc > 2 ? atoi(argv[2]) : 600;
  const int limit = argc > 3 ? atoi(argv[3]) : 8000;
  int ranks, rank, wrong = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (ranks < 2 || rows < 1 || columns < 1 || limit < 1) {
    if (rank == 0) fprintf(stderr, "usage: manager_worker [ROWS [COLUMNS [LIMIT]]], with two ranks or more\n");
    MPI_Finalize();
    return 2;
  }

  int* result = calloc(1 + columns, sizeof(int));
  int* picture = calloc(rank == 0 ? (size_t)rows * columns : 1, sizeof(int));
  int* times = calloc(rank == 0 ? rows : 1, sizeof(int));
  if (!result || !picture || !times) {
    fprintf(stderr, "manager_worker: no memory for %d x %d pixels\n", rows, columns);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (rank == 0) {
    manage(rows, columns, ranks - 1, result, picture, times);
    wrong = wrong_rows(rows, columns, picture, times);
    long long iterations = 0;
    for (size_t i = 0; i < (size_t)rows * columns; i++) iterations += picture[i];
    printf("manager_worker: %d x %d pixels, %lld iterations, %d wrong rows\n", rows, columns, iterations, wrong);
  } else {
    work(rows, columns, limit, result);
  }
  free(result);
  free(picture);
  free(times);
  MPI_Finalize();
  return wrong > 0;
}
