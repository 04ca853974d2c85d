/* A collective call in all its forms: blocking, nonblocking and, where the MPI has it, persistent. */
#pragma once
#include <mpi.h>

#if MPI_VERSION >= 4
#define AGAIN(name, ...)                                   \
  MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &request); \
  MPI_Start(&request), MPI_Wait(&request, &status);        \
  MPI_Request_free(&request)
#else
#define AGAIN(name, ...)
#endif
/* The call in all its forms; `later`: its name without MPI_I. */
#define CALL(name, later, ...)                                      \
  MPI_##name(__VA_ARGS__);                                          \
  MPI_I##later(__VA_ARGS__, &request), MPI_Wait(&request, &status); \
  AGAIN(name, __VA_ARGS__)
