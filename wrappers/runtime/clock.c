#include "clock.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

#ifdef SKEL_SMPI

void skel_clock_choose(void) {}
const char* skel_clock_kind(void) { return "simulated"; }

struct skel_clock_pair skel_clock_read_pair(void) {
  const uint64_t now = skel_nanoseconds();
  return (struct skel_clock_pair){now, now};
}

#else

int skel_clock_is_tsc;

const char* skel_clock_kind(void) { return skel_clock_is_tsc ? "tsc" : "monotonic"; }

void skel_clock_choose(void) {
#ifdef __x86_64__
  unsigned a, b, c, d;
  skel_clock_is_tsc = __get_cpuid(0x80000007, &a, &b, &c, &d) && (d >> 8 & 1);
#endif
}

struct skel_clock_pair skel_clock_read_pair(void) {
  struct skel_clock_pair best = {0, 0};
  uint64_t closest = UINT64_MAX;
  for (int i = 0; i < 8; i++) {
    const uint64_t before = skel_ticks(), now = skel_nanoseconds(), after = skel_ticks();
    if (after - before < closest) {
      closest = after - before;
      best = (struct skel_clock_pair){before + (after - before) / 2, now};
    }
  }
  if (!skel_clock_is_tsc) best.ticks = best.nanoseconds;
  return best;
}

#endif
