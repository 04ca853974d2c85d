/* Time stamps: the processor's counter where it is invariant, else CLOCK_MONOTONIC in nanoseconds; with SMPI the simulated time. */
#ifndef SKEL_CLOCK_H
#define SKEL_CLOCK_H

#include <stdint.h>
#include <time.h>

#ifdef SKEL_SMPI
#include <simgrid/engine.h>

/* One second ahead, because 0 stands for what has not happened. */
static inline uint64_t skel_nanoseconds(void) { return (uint64_t)(simgrid_get_clock() * 1e9 + 1e9 + 0.5); }
static inline uint64_t skel_ticks(void) { return skel_nanoseconds(); }
#else
extern int skel_clock_is_tsc; /* set once, before the first stamp */

static inline uint64_t skel_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t skel_ticks(void) {
#ifdef __x86_64__
  if (__builtin_expect(skel_clock_is_tsc, 1)) return __builtin_ia32_rdtsc();
#endif
  return skel_nanoseconds();
}
#endif

struct skel_clock_pair {
  uint64_t ticks, nanoseconds;
};

void skel_clock_choose(void);
const char* skel_clock_kind(void); /* "tsc", "monotonic", "simulated" */
/* The same moment on both clocks, from the closest of a few readings. */
struct skel_clock_pair skel_clock_read_pair(void);

#endif
