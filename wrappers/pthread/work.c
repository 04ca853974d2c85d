#include "work.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "papi_set.h"
#include "record.h"

uint64_t skel_work_window, skel_work_rate, skel_work_longest = UINT64_MAX;
unsigned skel_work_reads = SKEL_CALL(0, 0, SKT_BLOCKED);
static int has_papi;
static const char* without_papi;
static double cycles_per_second;

static uint64_t processor_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Ticks per nanosecond, over a millisecond. */
static double tick_rate(void) {
  const struct skel_clock_pair from = skel_clock_read_pair();
  struct skel_clock_pair to = from;
  while (to.nanoseconds - from.nanoseconds < 1000000) to = skel_clock_read_pair();
  return (double)(to.ticks - from.ticks) / (double)(to.nanoseconds - from.nanoseconds);
}

static void measure_cycles(void) {
  struct skel_thread t = {.stream.counter_set = skel_papi_start()};
  const uint64_t began = processor_time();
  skel_work_read(&t);
  const uint64_t first = t.work;
  while (processor_time() - began < 1000000) continue;
  skel_work_read(&t);
  cycles_per_second = (double)(t.work - first) * 1e9 / (double)(processor_time() - began);
  skel_papi_end(t.stream.counter_set);
}

/* Why the system counts no cycles for us, NULL if it does: PAPI takes long to find out. */
static const char* no_cycles(void) {
  static char reason[100];
  struct perf_event_attr cycles = {
      .type = PERF_TYPE_HARDWARE, .size = sizeof cycles, .config = PERF_COUNT_HW_CPU_CYCLES, .exclude_kernel = 1};
  const long file = syscall(SYS_perf_event_open, &cycles, 0, -1, -1, 0);
  if (file < 0) snprintf(reason, sizeof reason, "perf_event_open: %s", strerror(errno));
  if (file >= 0) close((int)file);
  return file < 0 ? reason : NULL;
}

SKEL_COLD void skel_work_choose(int with_papi) {
  without_papi = "this is the child of a fork";
  if (with_papi) {
    without_papi = getenv("PAPI_CSV_EVENT_FILE") ? NULL : no_cycles(); /* the file may make cycles of something else */
    if (!without_papi) without_papi = skel_papi_choose("PAPI_TOT_CYC");
  }
  has_papi = !without_papi;
  if (has_papi) {
    skel_work_window = skel_work_rate = 0;
    measure_cycles();
  } else {
    const double ticks_per_ns = tick_rate();
    skel_work_window = skel_work_longest = (uint64_t)(20000 * ticks_per_ns);
    skel_work_rate = (uint64_t)(4294967296.0 / ticks_per_ns);
  }
  if (skel_at_layers) {
    skel_work_window = skel_work_longest = UINT64_MAX;
    skel_work_rate = skel_work_reads = 0;
  }
}

void skel_work_forget(void) { has_papi = 0; }

SKEL_COLD uint64_t skel_work_read(struct skel_thread* t) {
  uint64_t value = t->work;
  const uint64_t before = skel_ticks();
  if (skel_is_new_child()) return before; /* the counters are the parent's */
  if (has_papi)
    skel_papi_read(t->stream.counter_set, &value);
  else
    value = processor_time();
  const uint64_t after = skel_ticks();
  t->work = value;
  /* A reading that took long was interrupted, nobody knows where. */
  t->work_ticks = has_papi || after - before >= skel_work_longest ? after : before + (after - before) / 2;
  return after;
}

SKEL_COLD void skel_work_start(struct skel_thread* t) {
  t->work = 0;
  if (has_papi) t->stream.counter_set = skel_papi_start();
  skel_work_read(t);
  t->recorded_work = t->work;
}

void skel_work_end(struct skel_thread* t) {
  if (has_papi) skel_papi_end(t->stream.counter_set);
  t->stream.counter_set = -1;
}

void skel_work_describe(struct skel_text* t) {
  skel_add(t, "\"work\":{\"clock\":\"%s\",\"units_per_second\":%.6g",
           has_papi ? "PAPI_TOT_CYC" : "thread CPU time (ns)", has_papi ? cycles_per_second : 1e9);
  if (without_papi) {
    skel_add(t, ",\"without_counter\":");
    skel_add_string(t, without_papi);
  }
  if (skel_at_layers) skel_add(t, ",\"at_layers\":true");
  skel_add(t, "}");
}
