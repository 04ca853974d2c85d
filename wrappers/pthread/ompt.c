/* OpenMP by its tools' interface (OMPT), which LLVM's and Intel's runtimes have: regions, barriers and locks as openmp.c records
 * them, with the waits inside of the runtime. Declarations are the OpenMP specification's (5.1, chapter 4). */
#include "ompt.h"

#include <stdlib.h>

#include "record.h"

typedef union {
  uint64_t value;
  void* pointer;
} data;
typedef void (*interface)(void);
typedef interface (*lookup)(const char* name);
struct tool {
  int (*initialize)(lookup find, int device, data* tool);
  void (*finalize)(data* tool);
  data own;
};

enum {
  PARALLEL_BEGIN = 3,
  PARALLEL_END = 4,
  IMPLICIT_TASK = 7,
  REGION_WAIT = 16,
  RELEASED = 17,
  ACQUIRE = 26,
  ACQUIRED = 27
};
enum { BEGIN = 1, END = 2 };
enum { BARRIER_IMPLICIT = 2, TASKWAIT = 5, TASKGROUP = 6, REDUCTION = 7, BARRIER_OF_REGION = 9 };
enum { TASK_IMPLICIT = 2 };

#define RUNTIMES 8
static const void* listens_to[RUNTIMES]; /* those behind are recorded by their entry points, too */

int skel_ompt_listens_to(const void* library) {
  for (int i = 0; i < RUNTIMES && library; i++) {
    const void* const runtime = __atomic_load_n(&listens_to[i], __ATOMIC_RELAXED);
    if (!runtime || runtime == library) return runtime != NULL;
  }
  return 0;
}

static void listen_to(const void* library) {
  for (int i = 0; i < RUNTIMES; i++) {
    const void* none = NULL;
    if (__atomic_compare_exchange_n(&listens_to[i], &none, library, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
  }
}

struct ompt_region {
  uint64_t number;
  const void* site;
};

/* What a thread does in a region. */
struct member {
  struct ompt_region region;
  unsigned index;
  uint64_t barriers;
  const void* outer;
};

static uint64_t regions;

static struct member* member_of(struct skel_stream* s) {
  return (struct member*)(uintptr_t)skel_thread_of(s)->ompt_member;
}
static uint64_t address(const void* of) { return (uint64_t)(uintptr_t)of; }

static void parallel_begin(data* task, const void* frame, data* parallel, unsigned threads, int flags,
                           const void* site) {
  (void)task, (void)frame, (void)threads, (void)flags;
  skel_begin_threads();
  struct skel_stream* const s = skel_stream();
  struct ompt_region* const region = s ? malloc(sizeof *region) : NULL;
  parallel->pointer = region;
  if (!region) return;
  *region = (struct ompt_region){__atomic_add_fetch(&regions, 1, __ATOMIC_RELAXED), site};
  const struct skel_span now = skel_begin(s);
  skel_record_span(s, SKEL_CALL(SKT_PARALLEL, SKT_BROADCAST, 0), address(site), 0, site, now, now, region->number);
}

static void parallel_end(data* parallel, data* task, int flags, const void* site) {
  (void)task, (void)flags, (void)site;
  free(parallel->pointer);
  parallel->pointer = NULL;
}

static void begin_task(struct skel_stream* s, const struct ompt_region* region, data* task, unsigned index) {
  struct skel_thread* const t = skel_thread_of(s);
  struct member* const member = region ? malloc(sizeof *member) : NULL;
  task->pointer = member;
  if (!member) return;
  *member = (struct member){*region, index, 0, t->ompt_member};
  t->ompt_member = member;
  if (index == 0) return; /* it has forked the region */
  const struct skel_span now = skel_begin(s), since = {s->last, t->recorded_work};
  skel_record_span(s, SKEL_CALL(SKT_PARALLEL, SKT_WAIT, SKT_BLOCKED), address(region->site), 0, region->site, since,
                   now, region->number);
}

static void implicit_task(int endpoint, data* parallel, data* task, unsigned threads, unsigned index, int flags) {
  (void)threads;
  struct skel_stream* const s = skel_stream();
  if (!s || !(flags & TASK_IMPLICIT)) return;
  if (endpoint == BEGIN) {
    begin_task(s, parallel ? parallel->pointer : NULL, task, index);
  } else if (task->pointer) {
    struct member* const member = task->pointer;
    if (skel_thread_of(s)->ompt_member == member) skel_thread_of(s)->ompt_member = member->outer;
    task->pointer = NULL;
    free(member);
  }
}

/* A member that is not the first leaves the region where it arrives at its end: until the next one it waits for work. */
static void arrive(struct skel_stream* s, const struct member* member, struct skel_span from, struct skel_span to,
                   unsigned flags) {
  skel_record_span(s, SKEL_CALL(SKT_PARALLEL, SKT_ARRIVE, 0) | flags, address(member->region.site), 0,
                   member->region.site, from, to, member->region.number);
}

/* Older runtimes name the barriers at the ends of loops and of regions alike: the latter is where the region was forked. */
static int ends_region(const struct member* member, int kind, const void* site) {
  return kind == BARRIER_OF_REGION || (kind == BARRIER_IMPLICIT && (!site || site == member->region.site));
}

static void region_wait(int kind, int endpoint, data* parallel, data* task, const void* site) {
  (void)parallel, (void)task;
  struct skel_stream* const s = skel_stream();
  struct member* const member = s ? member_of(s) : NULL;
  if (!member || kind == TASKWAIT || kind == TASKGROUP || kind == REDUCTION) return;
  struct skel_thread* const t = skel_thread_of(s);
  const int ends = ends_region(member, kind, site);
  if (endpoint == BEGIN) {
    t->wait = skel_begin(s);
    if (ends && member->index != 0) arrive(s, member, t->wait, t->wait, 0);
    return;
  }
  if (ends && member->index != 0) return;
  const unsigned flags = skel_if_long(t->wait);
  const struct skel_span to = skel_end(s, t->wait, flags);
  if (ends) {
    arrive(s, member, t->wait, to, flags);
  } else {
    const void* const at = site ? site : member->region.site;
    skel_record_span(s, SKEL_CALL(SKT_BARRIER, SKT_ARRIVE, 0) | flags, address(member->region.site), 0, at, t->wait, to,
                     member->region.number << 16 | (++member->barriers & 0xffff));
  }
}

static void mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t id, const void* site) {
  (void)kind, (void)hint, (void)implementation, (void)id, (void)site;
  struct skel_stream* const s = skel_stream();
  if (s) skel_thread_of(s)->wait = skel_begin(s);
}
static void mutex_acquired(int kind, uint64_t id, const void* site) {
  (void)kind;
  struct skel_stream* const s = skel_stream();
  if (!s) return;
  const struct skel_span from = skel_thread_of(s)->wait;
  const unsigned flags = skel_if_long(from);
  skel_record_span(s, SKEL_CALL(SKT_MUTEX, SKT_ACQUIRE, 0) | flags, id, 0, site, from, skel_end(s, from, flags), 0);
}
static void mutex_released(int kind, uint64_t id, const void* site) {
  (void)kind;
  struct skel_stream* const s = skel_stream();
  if (!s) return;
  const struct skel_span now = skel_begin(s);
  skel_record_span(s, SKEL_CALL(SKT_MUTEX, SKT_RELEASE, 0), id, 0, site, now, now, 0);
}

static int initialize(lookup find, int device, data* own) {
  (void)device, (void)own;
  int (*const set)(int which, interface callback) = (int (*)(int, interface))find("ompt_set_callback");
  if (!set) return 0;
  set(PARALLEL_BEGIN, (interface)parallel_begin);
  set(PARALLEL_END, (interface)parallel_end);
  set(IMPLICIT_TASK, (interface)implicit_task);
  set(REGION_WAIT, (interface)region_wait);
  set(ACQUIRE, (interface)mutex_acquire);
  set(ACQUIRED, (interface)mutex_acquired);
  set(RELEASED, (interface)mutex_released);
  listen_to(skel_library_of((const void*)(uintptr_t)find));
  return 1;
}
static void finalize(data* own) { (void)own; }

SKEL_EXPORT struct tool* ompt_start_tool(unsigned version, const char* runtime);
SKEL_EXPORT struct tool* ompt_start_tool(unsigned version, const char* runtime) {
  static struct tool tool = {initialize, finalize, {0}};
  (void)version, (void)runtime;
  return skel_phase_here() != SKEL_CLOSED ? &tool : NULL;
}
