/* Only MPICH has it: partitioned messages, exchanges that do not wait, calls with large counts. */
#include <mpi.h>

static int rank, size;

/* A message in parts that are ready one after the other; the receiver looks at a part, or waits for all. */
static void parts(int times) {
  enum { kParts = 4, kNumbers = 100 };
  static double out[kParts * kNumbers], in[kParts * kNumbers];
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int later[] = {1, 3};
  MPI_Request requests[2];
  MPI_Status statuses[2];
  int there = 0;
  MPI_Psend_init(out, kParts, kNumbers, MPI_DOUBLE, right, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(in, kParts, kNumbers, MPI_DOUBLE, left, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  for (int i = 0; i < times; i++) {
    MPI_Startall(2, requests);
    if (i % 2 == 0) {
      for (int k = 0; k < kParts; k++) MPI_Pready(k, requests[0]);
    } else {
      MPI_Pready(0, requests[0]);
      MPI_Pready_range(2, 2, requests[0]);
      MPI_Pready_list(2, later, requests[0]);
    }
    for (there = 0; !there;) MPI_Parrived(requests[1], 2, &there);
    MPI_Waitall(2, requests, statuses);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void exchanges(void) {
  int out[64] = {0}, in[64], both[32] = {0}, done = 0;
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Request requests[2];
  MPI_Status status, statuses[2];
  for (int i = 0; i < 5; i++) {
    MPI_Isendrecv(out, 64, MPI_INT, right, 1, in, 64, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isendrecv_replace(both, 32, MPI_INT, left, 2, i % 2 ? MPI_ANY_SOURCE : right, 2, MPI_COMM_WORLD, &requests[1]);
    while (!done) MPI_Request_get_status(requests[0], &done, &status);
    MPI_Waitall(2, requests, statuses);
    done = 0;
  }
}

static void large(void) {
  static double values[1000], sums[1000];
  MPI_Datatype column;
  MPI_Request request;
  MPI_Status status;
  MPI_Count counts[16], places[16], elements;
  MPI_Type_vector_c(10, 1, 10, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  if (rank == 0) {
    MPI_Send_c(values, 2, column, 1, 3, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Recv_c(values, 2, column, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
    MPI_Get_count_c(&status, column, &elements);
  }
  MPI_Irecv_c(sums, 10, MPI_DOUBLE, (rank + 1) % size, 4, MPI_COMM_WORLD, &request);
  MPI_Ssend_c(values, 10, MPI_DOUBLE, (rank + size - 1) % size, 4, MPI_COMM_WORLD);
  MPI_Wait(&request, &status);
  MPI_Allreduce_c(values, sums, 1000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < size; i++) counts[i] = 5 + i, places[i] = 20 * i;
  MPI_Aint displacements[16];
  for (int i = 0; i < size; i++) displacements[i] = places[i];
  MPI_Allgatherv_c(values, counts[rank], MPI_DOUBLE, sums, counts, displacements, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Bcast_c(values, 100, MPI_DOUBLE, size - 1, MPI_COMM_WORLD);
  MPI_Type_free(&column);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  parts(6);
  exchanges();
  large();
  MPI_Finalize();
  return 0;
}
