/* skel.c with the program's own clock: read_ns(), in ns, which the includer defines. */
static int read_clock(struct timespec* t) {
  const uint64_t ns = read_ns();
  t->tv_sec = (time_t)(ns / 1000000000);
  t->tv_nsec = (long)(ns % 1000000000);
  return 0;
}

#define __builtin_ia32_rdtsc() (3 * read_ns())
#define clock_gettime(clock, t) read_clock(t)
#include "skel.c"
