/* What killed.c leaves for kill_test.cpp: an array of KILLED_RANKS of these in a file. */
#ifndef KILLED_H
#define KILLED_H

#include <stdint.h>

#define KILLED_RANKS 2
#define KILLED_THREADS 2
#define KILLED_STEPS 100000
#define KILLED_CALLS (1 + KILLED_STEPS + KILLED_STEPS / 8) /* of a first thread before MPI_Finalize */

struct killed_counts {
  volatile int64_t process; /* 0 until MPI_Init has returned */
  volatile int64_t calls[KILLED_THREADS];
};

#endif
