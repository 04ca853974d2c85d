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
void skel_probe_speeds(struct skel_speeds* speeds) { speeds->flops = skel_simulated_speed(); }
uint64_t skel_peak_memory(void) { return 0; }
void skel_plan_check(struct skel_stream* s) { s->next_check = UINT64_MAX; }
void skel_check(struct skel_stream* s) { skel_plan_check(s); }

#else

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

/* The kernels' memory does not count as the program's peak: where it is more than the program ever had, the peak begins
 * anew. */
void skel_probe_speeds(struct skel_speeds* speeds) {
  const char* const wanted = getenv("SKELGEN_SPEEDS");
  if (wanted && !strcmp(wanted, "0")) return;
  const uint64_t peak = skel_peak_memory();
  const size_t mapped = SKEL_KERNEL_AREA + SKEL_KERNEL_ALIGNED;
  char* const memory = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct skel_kernels kernels = {.area = NULL};
  if (memory != MAP_FAILED) {
    const size_t beyond = (uintptr_t)memory % SKEL_KERNEL_ALIGNED;
    kernels.area = skel_kernels_area(memory + (beyond ? SKEL_KERNEL_ALIGNED - beyond : 0));
  }
  skel_kernels_measure(&kernels, speeds->of);
  if (!kernels.area) return;
  munmap(memory, mapped);
  if (skel_peak_memory() > peak) write_to("/proc/self/clear_refs", "5");
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
