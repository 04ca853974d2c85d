/* Calls that begin and end capture (MPI_Init, MPI_Finalize, MPI_Pcontrol and their kin), whatever the language. */
#ifndef SKEL_LIFECYCLE_H
#define SKEL_LIFECYCLE_H

#include <mpi.h>
#include <stdint.h>

#include "ranks.h"

/* How the program's MPI is called: `make(with)` returns the MPI's result. */
struct skel_call {
  int (*make)(void* with);
  void* with;
};

/* `function`: SKEL_MPI_Init or SKEL_MPI_Init_thread. */
int skel_initialize(int function, int required, struct skel_call call);
int skel_finalize(struct skel_call call);
int skel_abort(MPI_Comm comm, int errorcode, struct skel_call call);

/* Around MPI_Pcontrol. Level 0 stops this thread's recording, any other resumes it; meanwhile it is as inside of a
 * call. */
struct skel_control {
  struct skel_stream* stream;
  uint64_t begin;
  uint32_t signature;
  int level;
};
struct skel_control skel_control_begin(int level);
void skel_control_end(struct skel_control now);

/* Wrappers written by hand, for C and for Fortran (`real`: what the name stood for). */
int skel_MPI_Init(int* argc, char*** argv);
int skel_MPI_Init_thread(int* argc, char*** argv, int required, int* provided);
int skel_MPI_Finalize(void);
int skel_MPI_Abort(MPI_Comm comm, int errorcode);
int skel_MPI_Pcontrol(const int level, ...);
void skel_fortran_MPI_Init(void* real, MPI_Fint* error);
void skel_fortran_MPI_Init_thread(void* real, MPI_Fint* required, MPI_Fint* provided, MPI_Fint* error);
void skel_fortran_MPI_Finalize(void* real, MPI_Fint* error);
void skel_fortran_MPI_Abort(void* real, MPI_Fint* comm, MPI_Fint* errorcode, MPI_Fint* error);
void skel_fortran_MPI_Pcontrol(void* real, MPI_Fint* level);

/* Once, before the first call goes through a wrapper. */
void skel_lifecycle_start(void);
/* For each rank that lives in this process: what its environment asks for, its first stream. */
void skel_lifecycle_begin(void);

#endif
