/* churn STEPS: a step makes a datatype and an operation, uses them and forty that were made before, and frees them. */
#include <mpi.h>
#include <stdlib.h>

static void add(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)in, (void)inout, (void)length, (void)type;
}

int main(int argc, char** argv) {
  enum { LIVE = 40 };
  MPI_Datatype live[LIVE], type;
  MPI_Op op;
  double in[1000] = {0}, out[1000];
  struct {
    double value;
    int place;
  } mine = {1, 2}, most;
  const int steps = atoi(argv[1]);
  MPI_Init(&argc, &argv);
  for (int i = 0; i < LIVE; i++) {
    MPI_Type_contiguous(i + 2, MPI_DOUBLE, &live[i]);
    MPI_Type_commit(&live[i]);
  }
  for (int step = 0; step < steps; step++) {
    MPI_Type_vector(2, 1, 3, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(add, 1, &op);
    for (int i = 0; i < LIVE; i++)
      MPI_Sendrecv(in, 1, live[i], 0, 0, out, 1, live[i], 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Sendrecv(in, 1, type, 0, 0, out, 1, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Allreduce(in, out, 1, MPI_DOUBLE, op, MPI_COMM_SELF);
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_SELF);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
  }
  for (int i = 0; i < LIVE; i++) MPI_Type_free(&live[i]);
  MPI_Finalize();
  return 0;
}
