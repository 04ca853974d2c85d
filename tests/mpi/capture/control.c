/* control [SECONDS]: while the recording is stopped, handles come to mean something else, and time passes twice. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static void pass(double seconds) {
  struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
  nanosleep(&time, NULL);
}

int main(int argc, char** argv) {
  int rank, size;
  const double seconds = argc > 1 ? atof(argv[1]) : 0;
  double data[100] = {0};
  MPI_Count bytes;
  MPI_Comm comm;
  MPI_Datatype type;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Type_contiguous(2, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  MPI_Bcast(data, 1, type, 0, comm);
  MPI_Pcontrol(0);
  pass(seconds);
  MPI_Comm_free(&comm);
  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &comm);
  MPI_Type_free(&type);
  MPI_Type_contiguous(50, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  MPI_Send_init(data, 1, type, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
  for (int i = 0; i < 10; i++) MPI_Barrier(MPI_COMM_WORLD);
  pass(seconds);
  MPI_Pcontrol(1);
  MPI_Comm_size(comm, &size);
  MPI_Type_size_x(type, &bytes);
  MPI_Bcast(data, 1, type, 0, comm);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  MPI_Finalize();
  return 0;
}
