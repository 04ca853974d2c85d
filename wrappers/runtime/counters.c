/* Columns of every event, over the gap before the call: hardware counters by PAPI (SKELGEN_COUNTERS=LIST) and the
 * thread's CPU time (SKELGEN_CPU_TIME=1, column cpu_ns); and where the call is made (SKELGEN_SITES=1, column site, the
 * last one). The library is loaded only when SKELGEN_COUNTERS asks for it.
 * Whether an event counts is known only after it was added and started: PAPI lists many that this machine does not
 * have. */
#include "counters.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "callers.h"
#include "front.h"
#include "report.h"

static char names[SKEL_MAX_COUNTERS][128];
static int papi_count, cpu_time, sites;

int skel_records_sites(void) { return sites; }
int skel_counter_count(void) { return papi_count + cpu_time + sites; }
const char* skel_counter_name(int i) {
  if ((unsigned)i < (unsigned)papi_count) return names[i];
  return cpu_time && i == papi_count ? "cpu_ns" : "site";
}

static int first_rank(void) {
  const char* const rank = skel_rank_in_environment();
  return !rank || !strcmp(rank, "0");
}

static void refuse(const char* name, const char* reason) {
  if (first_rank()) skel_say("counter %s is not available here (%s); going on without", name, reason);
}

#ifdef SKEL_PAPI_SONAME
#include <papi.h>

static struct {
  __typeof__(PAPI_library_init)* library_init;
  __typeof__(PAPI_thread_init)* thread_init;
  __typeof__(PAPI_create_eventset)* create_eventset;
  __typeof__(PAPI_add_named_event)* add_named_event;
  __typeof__(PAPI_cleanup_eventset)* cleanup_eventset;
  __typeof__(PAPI_destroy_eventset)* destroy_eventset;
  __typeof__(PAPI_unregister_thread)* unregister_thread;
  __typeof__(PAPI_start)* start;
  __typeof__(PAPI_stop)* stop;
  __typeof__(PAPI_read)* read;
  __typeof__(PAPI_strerror)* strerror;
} papi;

static int load(void) {
  static const char* const functions[] = {"PAPI_library_init",
                                          "PAPI_thread_init",
                                          "PAPI_create_eventset",
                                          "PAPI_add_named_event",
                                          "PAPI_cleanup_eventset",
                                          "PAPI_destroy_eventset",
                                          "PAPI_unregister_thread",
                                          "PAPI_start",
                                          "PAPI_stop",
                                          "PAPI_read",
                                          "PAPI_strerror"};
  void* const library = dlopen(SKEL_PAPI_SONAME, RTLD_NOW | RTLD_LOCAL);
  if (!library) return 0;
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
    void* const found = dlsym(library, functions[i]);
    if (!found) return 0;
    memcpy((char*)&papi + i * sizeof found, &found, sizeof found);
  }
  return papi.library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT && papi.thread_init(pthread_self) == PAPI_OK;
}

static void forget(int* set) {
  papi.cleanup_eventset(*set);
  papi.destroy_eventset(set);
}

/* Why the chosen counters and this one cannot run together; NULL if they can. */
static const char* problem_with(const char* name) {
  int set = PAPI_NULL;
  long long values[SKEL_MAX_COUNTERS];
  int status = papi.create_eventset(&set);
  for (int i = 0; i < papi_count && status == PAPI_OK; i++) status = papi.add_named_event(set, names[i]);
  if (status == PAPI_OK) status = papi.add_named_event(set, name);
  if (status == PAPI_OK) {
    status = papi.start(set);
    if (status == PAPI_OK) papi.stop(set, values);
  }
  forget(&set);
  return status == PAPI_OK ? NULL : papi.strerror(status);
}

static void choose_papi(const char* list) {
  const int loaded = load();
  while (*list) {
    const size_t length = strcspn(list, ",");
    char name[sizeof names[0]];
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), list);
    list += length + (list[length] == ',');
    if (!*name) continue;
    const char* const problem = !loaded                               ? SKEL_PAPI_SONAME " cannot be loaded"
                                : papi_count == SKEL_MAX_COUNTERS - 2 ? "too many"
                                                                      : problem_with(name);
    if (problem)
      refuse(name, problem);
    else
      memcpy(names[papi_count++], name, sizeof name);
  }
}

static void read_papi(const struct skel_stream* s, uint64_t* values) {
  long long now[SKEL_MAX_COUNTERS];
  if (s->counter_set == PAPI_NULL || papi.read(s->counter_set, now) != PAPI_OK) return;
  for (int i = 0; i < papi_count; i++) values[i] = (uint64_t)now[i];
}

static void start_papi(struct skel_stream* s) {
  int set = PAPI_NULL;
  int status = papi.create_eventset(&set);
  for (int i = 0; i < papi_count && status == PAPI_OK; i++) status = papi.add_named_event(set, names[i]);
  if (status == PAPI_OK) status = papi.start(set);
  if (status != PAPI_OK) forget(&set);
  s->counter_set = set; /* without a set this thread's columns stay 0 */
}

/* In the thread that has started them. */
static void end_papi(struct skel_stream* s) {
  long long last[SKEL_MAX_COUNTERS];
  if (s->counter_set == PAPI_NULL) return;
  papi.stop(s->counter_set, last);
  forget(&s->counter_set);
  papi.unregister_thread();
}

#else

#ifdef SKEL_SMPI
static const char lacking[] = "SMPI runs all ranks on one thread";
#else
static const char lacking[] = "built without PAPI";
#endif
static void choose_papi(const char* list) { refuse(list, lacking); }
static void start_papi(struct skel_stream* s) { (void)s; }
static void end_papi(struct skel_stream* s) { (void)s; }
static void read_papi(const struct skel_stream* s, uint64_t* values) { (void)s, (void)values; }

#endif

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
  if (papi_count) read_papi(s, values);
  if (cpu_time) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    values[papi_count] = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  }
}

int skel_counters_start(struct skel_stream* s, int since_birth) {
  if (papi_count) start_papi(s);
  read_counters(s, s->counters_before);
  if (cpu_time && since_birth) s->counters_before[papi_count] = 0;
  return papi_count + cpu_time + sites;
}

void skel_counters_end(struct skel_stream* s) {
  if (papi_count) end_papi(s);
}

uint64_t skel_counter_cpu(const struct skel_stream* s) { return cpu_time ? s->counters_gap[papi_count] : 0; }

void skel_read_counters_before(struct skel_stream* s) {
  uint64_t now[SKEL_MAX_COUNTERS];
  memcpy(now, s->counters_before, sizeof now);
  read_counters(s, now);
  for (int i = 0; i < s->columns; i++) s->counters_gap[i] = now[i] - s->counters_before[i];
  if (sites) s->counters_gap[s->columns - 1] = skel_call_site();
}

void skel_read_counters_after(struct skel_stream* s) { read_counters(s, s->counters_before); }
