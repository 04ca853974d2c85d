/* Wrappers written by hand: what they have in common is in lifecycle.c. */
#include <string.h>

#include "fortran.h"
#include "lifecycle.h"
#include "pmpi.h"

struct start {
  int *argc, required, *provided;
  char*** argv;
};

static int init(void* with) {
  const struct start* const start = with;
  return skel_next.MPI_Init(start->argc, start->argv);
}

int skel_MPI_Init(int* argc, char*** argv) {
  struct start start = {argc, 0, NULL, argv};
  return skel_initialize(SKEL_MPI_Init, 0, (struct skel_call){init, &start});
}

static int init_thread(void* with) {
  const struct start* const start = with;
  return skel_next.MPI_Init_thread(start->argc, start->argv, start->required, start->provided);
}

int skel_MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  struct start start = {argc, required, provided, argv};
  return skel_initialize(SKEL_MPI_Init_thread, required, (struct skel_call){init_thread, &start});
}

static int finalize(void* with) {
  (void)with;
  return skel_next.MPI_Finalize();
}

int skel_MPI_Finalize(void) { return skel_finalize((struct skel_call){finalize, NULL}); }

struct end {
  MPI_Comm comm;
  int errorcode;
};

static int stop(void* with) {
  const struct end* const end = with;
  return skel_next.MPI_Abort(end->comm, end->errorcode);
}

int skel_MPI_Abort(MPI_Comm comm, int errorcode) {
  struct end end = {comm, errorcode};
  return skel_abort(comm, errorcode, (struct skel_call){stop, &end});
}

/* Whatever stands behind `level` is handed on: as much of the stack as a few arguments take. */
int skel_MPI_Pcontrol(const int level, ...) {
  void* const arguments = __builtin_apply_args();
  const struct skel_control now = skel_control_begin(level);
  void* const result = __builtin_apply((void (*)())(uintptr_t)skel_next.MPI_Pcontrol, arguments, 64);
  skel_control_end(now);
  __builtin_return(result);
}

/* Fortran: addresses, and the error code as the last one (optional in mpi_f08). */

struct fortran {
  void* real;
  MPI_Fint *a, *b, *error;
};

static int error_of(const struct fortran* call) { return call->error ? *call->error : MPI_SUCCESS; }

static int with_error(void* with) {
  const struct fortran* const call = with;
  void (*real)(MPI_Fint*);
  memcpy(&real, &call->real, sizeof real);
  real(call->error);
  return error_of(call);
}

static int with_two(void* with) {
  const struct fortran* const call = with;
  void (*real)(MPI_Fint*, MPI_Fint*, MPI_Fint*);
  memcpy(&real, &call->real, sizeof real);
  real(call->a, call->b, call->error);
  return error_of(call);
}

void skel_fortran_MPI_Init(void* real, MPI_Fint* error) {
  struct fortran call = {real, NULL, NULL, error};
  skel_initialize(SKEL_MPI_Init, 0, (struct skel_call){with_error, &call});
}

void skel_fortran_MPI_Init_thread(void* real, MPI_Fint* required, MPI_Fint* provided, MPI_Fint* error) {
  struct fortran call = {real, required, provided, error};
  skel_initialize(SKEL_MPI_Init_thread, *required, (struct skel_call){with_two, &call});
}

void skel_fortran_MPI_Finalize(void* real, MPI_Fint* error) {
  struct fortran call = {real, NULL, NULL, error};
  skel_finalize((struct skel_call){with_error, &call});
}

void skel_fortran_MPI_Abort(void* real, MPI_Fint* comm, MPI_Fint* errorcode, MPI_Fint* error) {
  struct fortran call = {real, comm, errorcode, error};
  skel_abort(skel_f2c_MPI_Comm(*comm), *errorcode, (struct skel_call){with_two, &call});
}

void skel_fortran_MPI_Pcontrol(void* given, MPI_Fint* level) {
  void (*real)(MPI_Fint*);
  const struct skel_control now = skel_control_begin(*level);
  memcpy(&real, &given, sizeof real);
  real(level);
  skel_control_end(now);
}
