/* Time stamps of the capture library: the time-stamp counter where the processor says that it never stops or changes
 * its rate (7 ns a read), else CLOCK_MONOTONIC (16 ns). Ticks become seconds offline, from pairs of both clocks. */
#ifndef SKEL_CLOCK_H
#define SKEL_CLOCK_H

#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

static inline uint64_t skel_monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* 1 if the counter is invariant (CPUID 80000007h, EDX bit 8). */
static inline int skel_clock_is_tsc(void) {
#if defined(__x86_64__)
  unsigned a, b, c, d;
  return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d & (1u << 8));
#else
  return 0;
#endif
}

static inline uint64_t skel_ticks(int tsc) {
#if defined(__x86_64__)
  if (__builtin_expect(tsc, 1)) return __rdtsc();
#else
  (void)tsc;
#endif
  return skel_monotonic_ns();
}

#endif
