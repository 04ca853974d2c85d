/* What this machine can do and what the program uses of it: kernel speeds, memory. */
#include "probe.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "skel_kernels.h"

#ifdef SKEL_SMPI

/* The process is not the rank's: neither its processor nor its memory says anything. */
struct skel_speeds skel_probe_speeds(void) {
  return (struct skel_speeds){skel_simulated_speed(), 0};
}
uint64_t skel_peak_memory(void) { return 0; }
void skel_plan_check(struct skel_stream* s) { s->next_check = UINT64_MAX; }
void skel_check(struct skel_stream* s) { skel_plan_check(s); }

#else

static volatile uint64_t sink;

static int write_to(const char* path, const char* text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const int done = write(file, text, strlen(text)) == (ssize_t)strlen(text);
  close(file);
  return done;
}

/* The number behind `key` in a file of /proc, in bytes; 0 if it is not there. */
static uint64_t kilobytes_of(const char* path, const char* key) {
  char text[8192];
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  size_t length = 0;
  for (ssize_t got; length < sizeof text - 1 && (got = read(file, text + length, sizeof text - 1 - length)) > 0;)
    length += (size_t)got;
  close(file);
  text[length] = 0;
  const char* const found = strstr(text, key);
  return found ? strtoull(found + strlen(key), NULL, 10) * 1024 : 0;
}

uint64_t skel_peak_memory(void) { return kilobytes_of("/proc/self/status", "\nVmHWM:"); }

static void keep_best(double* rate, double amount, uint64_t since) {
  const uint64_t passed = skel_nanoseconds() - since;
  if (passed && amount * 1e9 / (double)passed > *rate) *rate = amount * 1e9 / (double)passed;
}

/* Best of a few, because an interruption spoils a piece this short. About 15 ms; its memory does not count as the
 * program's peak: where it is more than the program ever had, the peak begins anew. */
struct skel_speeds skel_probe_speeds(void) {
  enum { ITERATIONS = 400000, ROUNDS = 4 };
  struct skel_speeds speeds = {0, 0};
  for (int round = 0; round < ROUNDS; round++) {
    const uint64_t since = skel_nanoseconds();
    sink = skel_kernel_register(ITERATIONS);
    keep_best(&speeds.register_rate, ITERATIONS, since);
  }
  const uint64_t peak = skel_peak_memory();
  char* const area =
      mmap(NULL, SKEL_KERNEL_AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (area == MAP_FAILED) return speeds;
  for (int round = 0; round < ROUNDS; round++) {
    const uint64_t since = skel_nanoseconds();
    sink = skel_kernel_memory(area, SKEL_KERNEL_AREA, 0, SKEL_KERNEL_AREA);
    keep_best(&speeds.memory_rate, (double)SKEL_KERNEL_AREA, since);
  }
  munmap(area, SKEL_KERNEL_AREA);
  if (skel_peak_memory() > peak) write_to("/proc/self/clear_refs", "5");
  return speeds;
}

static double ticks_per_ns(void) {
  const struct skel_process* const process = skel_state();
  return (double)(process->clock[1].ticks - process->clock[0].ticks) /
         (double)(process->clock[1].nanoseconds - process->clock[0].nanoseconds + 1);
}

void skel_plan_check(struct skel_stream* s) {
  s->next_check = skel_state()->init_exit + (uint64_t)(500e6 * ticks_per_ns());
}

/* The working set is what the program touches within a quarter of a second (or until its next call after that), half a
 * second after its start. */
SKEL_COLD void skel_check(struct skel_stream* s) {
  struct skel_process* const process = skel_state();
  s->next_check = UINT64_MAX;
  if (process->working_set_step == 0) {
    if (write_to("/proc/self/clear_refs", "1")) s->next_check = skel_ticks() + (uint64_t)(250e6 * ticks_per_ns());
  } else {
    process->working_set = kilobytes_of("/proc/self/smaps_rollup", "\nReferenced:");
  }
  process->working_set_step++;
}

#endif
