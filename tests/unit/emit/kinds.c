/* kinds: runs a loop of which ten iterations are chosen: eight take 39 or 41 ms in turns, two 160 ms, by a clock of its own. Prints the
 * variance of their times that counts as chance, in ms^2. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t now = 1000000000; /* ns */

static uint64_t read_ns(void) { return now += 40; }

#include "own_clock.h"

int main(int argc, char** argv) {
  static const struct skel_phase phases[] = {
      {"prologue", 0, 1, 0, 1, 1, 0, -1}, {"loop 1", 1, 100, 0, 1, 1, 0, 2}, {"epilogue", 0, 1, 0, 1, 1, 0, -1}};
  static const struct skel_chosen chosen_1[] = {{5, 12},  {15, 12}, {25, 1.5}, {35, 12}, {45, 12},
                                                {55, 12}, {65, 12}, {75, 1.5}, {85, 12}, {95, 12}};
  static const struct skel_chosen* const chosen[] = {NULL, chosen_1, NULL};
  static const size_t bytes[] = {100};
  static const struct skel_machine machines[] = {{4 << 20, 0, 0, NULL}};
  const struct skel_program program_here = {.ranks = 1,
                                            .scale = 10,
                                            .phases = 3,
                                            .phase = phases,
                                            .chosen = chosen,
                                            .buffers = 1,
                                            .buffer_rows = 1,
                                            .buffer_bytes = bytes,
                                            .machine_rows = 1,
                                            .machine = machines};
  skel_start(1, argv);
  MPI_Init(&argc, &argv);
  skel_init(&program_here);
  for (long i = 0; i < 100; i = skel_step(1, i, 100))
    now += i == 0 ? 0 : i == 25 || i == 75 ? 160000000 : i / 10 % 2 ? 41000000 : 39000000;
  skel_report();
  printf("%.9g\n", 1e6 * variance(&slowest.spread[1]));
  MPI_Finalize();
  return 0;
}
