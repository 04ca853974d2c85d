/* User functions that MPI calls back make calls of their own; which ones are recorded stands in callbacks_test.cpp. Prints how often the
 * operation was called, which is the MPI's choice. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int operations;

static void add(void* in, void* inout, int* length, MPI_Datatype* type) {
  int size;
  MPI_Type_size(*type, &size);
  for (int i = 0; i < *length; i++) ((int*)inout)[i] += ((int*)in)[i] * (size == 4);
  operations++;
}

/* Calls that end a function become jumps: they return to the MPI. */
static int copy(MPI_Comm comm, int key, void* extra, void* given, void* made, int* flag) {
  (void)key, (void)extra;
  MPI_Comm* const inner = malloc(sizeof *inner);
  *(MPI_Comm**)made = inner;
  *flag = 1;
  return MPI_Comm_dup(*(MPI_Comm*)given, inner);
}

static int drop(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)extra;
  return MPI_Comm_free(value);
}

static int last(MPI_Comm comm, int key, void* value, void* extra) {
  int rank, flag;
  (void)key, (void)value, (void)extra;
  MPI_Comm_rank(comm, &rank);
  MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  return MPI_SUCCESS;
}

static void explain(MPI_Comm* comm, int* error, ...) {
  int kind;
  (void)comm;
  MPI_Error_class(*error, &kind);
}

static int query(void* extra, MPI_Status* status) {
  (void)extra;
  MPI_Status_set_elements(status, MPI_INT, 3);
  return MPI_Status_set_cancelled(status, 0);
}
static int release(void* extra) { return (void)extra, MPI_SUCCESS; }
static int cancel(void* extra, int complete) { return (void)extra, (void)complete, MPI_SUCCESS; }

int main(int argc, char** argv) {
  int rank, size, sum[2] = {1, 2}, all[2], key, self;
  MPI_Op op;
  MPI_Comm inner, outer, copied;
  MPI_Errhandler handler;
  MPI_Request request;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Op_create(add, 1, &op);
  MPI_Allreduce(sum, all, 2, MPI_INT, op, MPI_COMM_WORLD);
  MPI_Op_free(&op);
  if (all[0] != size || all[1] != 2 * size) return 1;

  MPI_Comm_create_keyval(copy, drop, &key, NULL);
  MPI_Comm_dup(MPI_COMM_SELF, &inner);
  MPI_Comm_dup(MPI_COMM_WORLD, &outer);
  MPI_Comm_set_attr(outer, key, &inner);
  MPI_Comm_dup(outer, &copied);
  MPI_Comm_free(&copied);
  MPI_Comm_free(&outer);
  MPI_Comm_free_keyval(&key);

  MPI_Comm_create_errhandler(explain, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  if (MPI_Send(sum, 1, MPI_INT, 99, 0, MPI_COMM_WORLD) == MPI_SUCCESS) return 1;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);

  MPI_Grequest_start(query, release, cancel, NULL, &request);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, &status);

  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, last, &self, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, self, NULL);
  printf("%d operations\n", operations);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
