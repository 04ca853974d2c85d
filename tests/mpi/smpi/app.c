/* A program whose simulated time is the same in each run: its computation is told to SMPI in operations. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void compute(double operations) {
#ifdef SMPI_H
  smpi_execute_flops_benched(operations);
#else
  (void)operations;
#endif
}

static int passes; /* a variable of each rank's own */

int main(int argc, char** argv) {
  int rank, size, dims[2] = {0, 0}, wrap[2] = {1, 1}, up, down, left, right;
  MPI_Comm grid, row;
  MPI_Datatype column;
  double field[8][8] = {{0}}, sum = 0, all = 0;
  MPI_Init(&argc, &argv);
  const int steps = argc > 1 ? atoi(argv[1]) : 200;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, wrap, 0, &grid);
  MPI_Cart_shift(grid, 0, 1, &up, &down);
  MPI_Cart_shift(grid, 1, 1, &left, &right);
  MPI_Comm_split(MPI_COMM_WORLD, rank / dims[1], rank, &row);
  MPI_Type_vector(8, 1, 8, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < steps; i++) {
    MPI_Request request[4];
    MPI_Status status[4];
    double in[4][8];
    compute(1e6 + 1e4 * rank);
    MPI_Irecv(in[0], 8, MPI_DOUBLE, up, 1, grid, &request[0]);
    MPI_Irecv(in[1], 8, MPI_DOUBLE, right, 2, grid, &request[1]);
    MPI_Isend(field[7], 8, MPI_DOUBLE, down, 1, grid, &request[2]);
    MPI_Isend(&field[0][0], 1, column, left, 2, grid, &request[3]);
    compute(2e6);
    MPI_Waitall(4, request, status);
    MPI_Sendrecv(field[0], 8, MPI_DOUBLE, up, 3, in[2], 8, MPI_DOUBLE, down, 3, grid, &status[0]);
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, row);
    MPI_Bcast(field[3], 8, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    passes++;
  }
  /* A worker asks until something is there. */
  if (rank == 0) {
    for (int worker = 1; worker < size; worker++) MPI_Send(&sum, 1, MPI_DOUBLE, worker, 4, MPI_COMM_WORLD);
  } else {
    MPI_Request request;
    MPI_Status status;
    int there = 0;
    MPI_Irecv(&all, 1, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, &request);
    while (!there) {
      MPI_Test(&request, &there, &status);
      compute(1e5);
    }
  }
  MPI_Type_free(&column);
  MPI_Comm_free(&row);
  MPI_Comm_free(&grid);
  MPI_Barrier(MPI_COMM_WORLD);
  const double end = MPI_Wtime();
  if (rank == 0) printf("ended at %.9f\n", end);
  if (passes != steps) printf("rank %d passed %d times\n", rank, passes);
  MPI_Finalize();
  return 0;
}
