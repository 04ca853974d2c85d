/* Measurements beside the calls: the speed of this processor, and how much memory the program works on. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "skel_kernels.h"
#include "state.h"

static double ticks_per_second(const struct skel_state* s) {
  if (!s->tsc) return 1e9;
  const double seconds = 1e-9 * (double)(s->init_end_ns - s->origin_ns);
  return seconds > 0 ? (double)(s->init_end - s->origin) / seconds : 1e9;
}

/* Both kernels of the skeleton, best of three, about 10 ms together; all ranks do this at the same time. */
void skel_probe_speed(struct skel_state* s) {
  const uint64_t iterations = 200000;
  volatile uint64_t sink = 0;
  for (int round = 0; round < 3; round++) {
    const uint64_t begin = skel_monotonic_ns();
    sink += skel_kernel_register(iterations);
    const double speed = 1e9 * (double)iterations / (double)(skel_monotonic_ns() - begin);
    if (speed > s->speed_register) s->speed_register = speed;
  }
  char* area = mmap(NULL, SKEL_KERNEL_AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (area == MAP_FAILED) return;
  memset(area, 1, SKEL_KERNEL_AREA);
  for (int round = 0; round < 3; round++) {
    const uint64_t begin = skel_monotonic_ns();
    sink += skel_kernel_memory(area, SKEL_KERNEL_AREA, 0, SKEL_KERNEL_AREA);
    const double speed = 1e9 * (double)SKEL_KERNEL_AREA / (double)(skel_monotonic_ns() - begin);
    if (speed > s->speed_memory) s->speed_memory = speed;
  }
  munmap(area, SKEL_KERNEL_AREA);
}

uint64_t skel_peak_memory(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024 * (uint64_t)usage.ru_maxrss : 0;
}

static int clear_references(void) {
  const int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  const int good = write(fd, "1", 1) == 1;
  close(fd);
  return good ? 0 : -1;
}

static uint64_t referenced_bytes(void) {
  char text[4096];
  const int fd = open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t length = read(fd, text, sizeof text - 1);
  close(fd);
  text[length > 0 ? length : 0] = 0;
  const char* line = strstr(text, "Referenced:");
  return line ? 1024 * strtoull(line + 11, NULL, 10) : 0;
}

/* The working set is what is referenced in a quarter of a second, half a second after the start: not what is resident.
 */
void skel_sample_begin(struct skel_state* s) {
  s->sample_at = skel_ticks(s->tsc) + (uint64_t)(0.5 * ticks_per_second(s));
}

void skel_sample_step(struct skel_state* s, struct skel_thread* t) {
  const uint64_t begin = skel_ticks(s->tsc);
  if (t->number != 0) return;
  if (s->sample_step == 0 && clear_references() == 0) {
    s->sample_step = 1;
    s->sample_at = begin + (uint64_t)(0.25 * ticks_per_second(s));
  } else {
    if (s->sample_step == 1) s->working_set = referenced_bytes();
    s->sample_at = UINT64_MAX;
  }
  t->pause += skel_ticks(s->tsc) - begin;
}
