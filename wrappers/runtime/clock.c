#include "clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

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

#ifdef __x86_64__
/* The kernel takes a counter off this list that the processors do not have in common. */
static int kernel_trusts_tsc(void) {
  char list[256] = "";
  const int file = open("/sys/devices/system/clocksource/clocksource0/available_clocksource", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 1;
  const ssize_t length = read(file, list, sizeof list - 1);
  close(file);
  list[length > 0 ? length : 0] = 0;
  char* rest = NULL;
  for (const char* word = strtok_r(list, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
    if (!strcmp(word, "tsc")) return 1;
  return 0;
}
#endif

void skel_clock_choose(void) {
#ifdef __x86_64__
  unsigned a, b, c, d;
  skel_clock_is_tsc = __get_cpuid(0x80000007, &a, &b, &c, &d) && (d >> 8 & 1) && kernel_trusts_tsc();
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
