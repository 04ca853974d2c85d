/* A program of one process. -DLIBRARY: a library that stands in for MPI and has no PMPI names. -DWEAK: without any, asks
 * by weak names whether there is an MPI, as libraries do that work with and without one. */
#include <stdio.h>
#ifdef LIBRARY
int MPI_Init(int* argc, char*** argv) { return (void)argc, (void)argv, 0; }
int MPI_Comm_size(int comm, int* size) { return (void)comm, *size = 1, 0; }
int MPI_Finalize(void) { return 0; }
void mpi_comm_rank_(int* comm, int* rank, int* error) { (void)comm, *rank = *error = 0; }
#elif defined(WEAK)
int MPI_Initialized(int* flag) __attribute__((weak));
int MPI_Comm_size(int comm, int* size) __attribute__((weak));
double MPI_Wtime(void) __attribute__((weak));
int main(void) {
  int runs = 0, size = 1;
  if (MPI_Wtime && MPI_Wtime() != 0) return 1;
  if (MPI_Initialized) MPI_Initialized(&runs);
  if (MPI_Comm_size && MPI_Comm_size(0, &size) != 0) size = 1;
  printf("running %d, %d\n", runs, size);
  return 0;
}
#else
int MPI_Init(int* argc, char*** argv);
int MPI_Comm_size(int comm, int* size);
int MPI_Finalize(void);
int PMPI_Finalize(void) __attribute__((weak));
void mpi_comm_rank_(int* comm, int* rank, int* error);
int main(int argc, char** argv) {
  int size = 0, rank = -1, error = 1, comm = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(comm, &size);
  mpi_comm_rank_(&comm, &rank, &error);
  printf("%d of %d, %d\n", rank, size, error);
  return PMPI_Finalize ? PMPI_Finalize() : MPI_Finalize();
}
#endif
