/* A thread's set of counters is started and ended by the thread. */
#include "papi_set.h"

#include <string.h>

#ifdef SKEL_PAPI_SONAME
#include <dlfcn.h>
#include <papi.h>
#include <pthread.h>

#include "state.h"

static char names[SKEL_MAX_COUNTERS - 2][128];
static int count;

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
  for (int i = 0; i < count && status == PAPI_OK; i++) status = papi.add_named_event(set, names[i]);
  if (status == PAPI_OK) status = papi.add_named_event(set, name);
  if (status == PAPI_OK) {
    status = papi.start(set);
    if (status == PAPI_OK) papi.stop(set, values);
  }
  forget(&set);
  return status == PAPI_OK ? NULL : papi.strerror(status);
}

const char* skel_papi_choose(const char* name) {
  static int tried, loaded;
  if (!tried) loaded = load();
  tried = 1;
  if (!loaded) return SKEL_PAPI_SONAME " cannot be loaded";
  if (count == sizeof names / sizeof names[0]) return "too many";
  if (strlen(name) >= sizeof names[0]) return "too long a name";
  const char* const problem = problem_with(name);
  if (!problem) strcpy(names[count++], name);
  return problem;
}

int skel_papi_count(void) { return count; }
const char* skel_papi_name(int i) { return names[i]; }

int skel_papi_start(void) {
  int set = PAPI_NULL;
  int status = papi.create_eventset(&set);
  for (int i = 0; i < count && status == PAPI_OK; i++) status = papi.add_named_event(set, names[i]);
  if (status == PAPI_OK) status = papi.start(set);
  if (status != PAPI_OK) forget(&set);
  return set;
}

int skel_papi_read(int set, uint64_t* values) {
  long long now[SKEL_MAX_COUNTERS];
  if (set == PAPI_NULL || papi.read(set, now) != PAPI_OK) return 0;
  for (int i = 0; i < count; i++) values[i] = (uint64_t)now[i];
  return 1;
}

void skel_papi_end(int set) {
  long long last[SKEL_MAX_COUNTERS];
  if (set == PAPI_NULL) return;
  papi.stop(set, last);
  forget(&set);
  papi.unregister_thread();
}

#else

const char* skel_papi_choose(const char* name) {
  (void)name;
#ifdef SKEL_SMPI
  return "SMPI runs all ranks on one thread";
#else
  return "built without PAPI";
#endif
}
int skel_papi_count(void) { return 0; }
const char* skel_papi_name(int i) { return (void)i, ""; }
int skel_papi_start(void) { return -1; }
int skel_papi_read(int set, uint64_t* values) { return (void)set, (void)values, 0; }
void skel_papi_end(int set) { (void)set; }

#endif
