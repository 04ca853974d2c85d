/* Wrappers written by hand, and the start of the back end. */
#ifndef SKEL_LIFECYCLE_H
#define SKEL_LIFECYCLE_H

#include <mpi.h>

int skel_MPI_Init(int* argc, char*** argv);
int skel_MPI_Init_thread(int* argc, char*** argv, int required, int* provided);
int skel_MPI_Finalize(void);
int skel_MPI_Abort(MPI_Comm comm, int errorcode);

/* Once, before the first call goes through a wrapper. */
void skel_lifecycle_start(void);

#endif
