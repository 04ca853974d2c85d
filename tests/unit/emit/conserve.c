/* conserve CALLS SECONDS [cpu]: spends SECONDS in CALLS calls of skel_compute; prints the time that it took divided by what
 * was asked for, as time or as time on a processor. The time is that of a clock which goes on only when it is read, and now and then by far too much, as
 * if the program had been interrupted. So the result is the same on every machine, busy or not. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kRead = 40, kInterruption = 20000 }; /* ns */
static uint64_t now = 1000000000, random_state = 1;
static int undisturbed; /* the next reading is not late */

static uint64_t read_ns(void) {
  random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  now += kRead;
  if (!undisturbed && (random_state >> 33) % 500 == 0) now += kInterruption;
  undisturbed = 0;
  return now;
}

#include "own_clock.h"

int main(int argc, char** argv) {
  static const struct skel_phase phases[] = {{"whole run", 0, 1, 0, 1, 1, 0, -1}};
  static const size_t bytes[] = {100};
  static const struct skel_machine machines[] = {{4 << 20, 0, 0, NULL}};
  const struct skel_program conserve = {.ranks = 1,
                                        .scale = 1,
                                        .phases = 1,
                                        .phase = phases,
                                        .buffers = 1,
                                        .buffer_rows = 1,
                                        .buffer_bytes = bytes,
                                        .cpu_time = argc > 3,
                                        .machine_rows = 1,
                                        .machine = machines};
  skel_start(1, argv);
  MPI_Init(&argc, &argv);
  skel_init(&conserve);
  const long calls = atol(argv[1]);
  const double each = atof(argv[2]) / (double)calls;
  const uint64_t begin = now;
  for (long i = 0; i < calls; i++) {
    undisturbed = 1; /* between two calls time belongs to somebody else */
    skel_compute(each);
  }
  printf("%.6f\n", (double)(now - begin) * 1e-9 / ((double)calls * each));
  MPI_Finalize();
  return 0;
}
