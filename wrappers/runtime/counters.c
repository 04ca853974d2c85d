/* Extra columns of every record: PAPI events (SKELGEN_COUNTERS=LIST) and the thread's CPU time (SKELGEN_CPU_TIME=1),
 * over the gap before the call. What a machine cannot count is said in one line and left out. */
#define _GNU_SOURCE
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

static int event_set = PAPI_NULL;
static int papi_columns, cpu_column;

static void add_papi(struct skel_state* s, char* list) {
  const int version = PAPI_library_init(PAPI_VER_CURRENT);
  if (version != PAPI_VER_CURRENT) {
    fprintf(stderr, "skelgen: counters are not available here (PAPI does not start: %s); going on without\n",
            PAPI_strerror(version));
    return;
  }
  if (PAPI_create_eventset(&event_set) != PAPI_OK) return;
  char* rest = list;
  for (char* name; (name = strtok_r(rest, ",", &rest)) && s->columns < SKEL_MAX_COLUMNS - 1;) {
    int error = PAPI_add_named_event(event_set, name);
    if (error == PAPI_OK) {
      /* only starting tells whether the machine really counts it */
      error = PAPI_start(event_set);
      if (error == PAPI_OK) {
        long long unused[SKEL_MAX_COLUMNS];
        PAPI_stop(event_set, unused);
        s->column_name[s->columns++] = name;
        papi_columns++;
        continue;
      }
      PAPI_remove_named_event(event_set, name);
    }
    fprintf(stderr, "skelgen: counter %s is not available here (%s); going on without\n", name, PAPI_strerror(error));
  }
  if (papi_columns && PAPI_start(event_set) != PAPI_OK) s->columns = papi_columns = 0;
}

void skel_counters_start(struct skel_state* s) {
  const char* wanted = getenv("SKELGEN_COUNTERS");
  const char* cpu = getenv("SKELGEN_CPU_TIME");
  if (wanted && *wanted) {
    char* list = strdup(wanted); /* the names live as long as the process */
    if (list) add_papi(s, list);
  }
  if (cpu && *cpu == '1') {
    cpu_column = 1;
    s->column_name[s->columns++] = "cpu_ns";
  }
}

void skel_counters_read(struct skel_state* s, uint64_t* values) {
  if (papi_columns) {
    long long counts[SKEL_MAX_COLUMNS] = {0};
    PAPI_read(event_set, counts);
    for (int c = 0; c < papi_columns; c++) values[c] = (uint64_t)counts[c];
  }
  if (cpu_column) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    values[s->columns - 1] = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  }
}
