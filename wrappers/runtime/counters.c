/* Columns of every event, over the gap before the call: hardware counters by PAPI (SKELGEN_COUNTERS=LIST) and the
 * thread's CPU time (SKELGEN_CPU_TIME=1, column cpu_ns); and where the call is made (SKELGEN_SITES=1, column site, the
 * last one). */
#include "counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "callers.h"
#include "front.h"
#include "papi_set.h"
#include "report.h"

static int papi_count, cpu_time, sites;

int skel_records_sites(void) { return sites; }
int skel_counter_count(void) { return papi_count + cpu_time + sites; }
const char* skel_counter_name(int i) {
  if ((unsigned)i < (unsigned)papi_count) return skel_papi_name(i);
  return cpu_time && i == papi_count ? "cpu_ns" : "site";
}

static int first_rank(void) {
  const char* const rank = skel_rank_in_environment();
  return !rank || !strcmp(rank, "0");
}

static void refuse(const char* name, const char* reason) {
  if (first_rank()) skel_say("counter %s is not available here (%s); going on without", name, reason);
}

static void choose_papi(const char* list) {
  while (*list) {
    const size_t length = strcspn(list, ",");
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), list);
    list += length + (list[length] == ',');
    if (!*name) continue;
    const char* const problem = skel_papi_choose(name);
    if (problem) refuse(name, problem);
  }
  papi_count = skel_papi_count();
}

void skel_counters_choose(void) {
  const char* const list = getenv("SKELGEN_COUNTERS");
  if (list && *list) choose_papi(list);
  const char* const where = getenv("SKELGEN_SITES");
  sites = where && !strcmp(where, "1");
#ifndef SKEL_SMPI
  const char* const cpu = getenv("SKELGEN_CPU_TIME");
  cpu_time = cpu && !strcmp(cpu, "1");
#endif
}

static void read_counters(const struct skel_stream* s, uint64_t* values) {
  if (papi_count) skel_papi_read(s->counter_set, values);
  if (cpu_time) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    values[papi_count] = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  }
}

int skel_counters_start(struct skel_stream* s, int since_birth) {
  if (papi_count) s->counter_set = skel_papi_start(); /* without one this thread's columns stay 0 */
  read_counters(s, s->counters_before);
  if (cpu_time && since_birth) s->counters_before[papi_count] = 0;
  return papi_count + cpu_time + sites;
}

void skel_counters_end(struct skel_stream* s) {
  if (papi_count) skel_papi_end(s->counter_set);
}

uint64_t skel_counter_cpu(const struct skel_stream* s) { return cpu_time ? s->counters_gap[papi_count] : 0; }

void skel_read_counters_before(struct skel_stream* s, const void* returns_to) {
  uint64_t now[SKEL_MAX_COUNTERS];
  memcpy(now, s->counters_before, sizeof now);
  read_counters(s, now);
  for (int i = 0; i < s->columns; i++) s->counters_gap[i] = now[i] - s->counters_before[i];
  if (sites) s->counters_gap[s->columns - 1] = skel_call_site(returns_to);
}

void skel_read_counters_after(struct skel_stream* s) { read_counters(s, s->counters_before); }
