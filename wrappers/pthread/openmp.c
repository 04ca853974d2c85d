/* OpenMP by libgomp's entry points: parallel regions, barriers, critical sections, locks. What threads wait for inside of
 * libgomp is not seen, but a region's function begins in each thread when the region was forked, and is left where the
 * thread arrives at its end.
 *
 * A region is the object whose address is its function's; its events have the region's number, those of its barriers
 * that and the number of the barrier in it: what belongs together is known exactly. */
#include "modules.h"
#include "ompt.h"
#include "record.h"

#define LESS_THAN_A_REGION 16 /* bits of a barrier's number in it */

struct gomp_region {
  skel_gomp_function* function;
  void* data;
  uint64_t number;
  struct skel_stream* master;
  uint64_t barriers;     /* of this thread */
  struct skel_span left; /* by the master */
  const void* outer;
};

static uint64_t regions;

static inline const struct skel_openmp* found(enum skel_openmp_kind kind, const void* site) {
  struct skel_module* const caller = skel_module_of(site);
  const struct skel_openmp* const known = caller ? __atomic_load_n(&caller->openmp[kind], __ATOMIC_ACQUIRE) : NULL;
  return SKEL_LIKELY(known != NULL) ? known : skel_find_openmp(kind, caller);
}

/* NULL: the runtime tells by OMPT. */
static struct skel_stream* openmp_stream(const struct skel_openmp* openmp) {
  return skel_ompt_listens_to(openmp->library) ? NULL : skel_stream();
}

static struct skel_stream* region_stream(const struct skel_openmp* openmp) {
  if (skel_ompt_listens_to(openmp->library)) return NULL;
  skel_begin_threads(); /* the master is a thread, whether or not others come */
  return skel_stream();
}

/* Sites are where calls return to, behind an instruction of the program. */
static const void* inside(skel_gomp_function* function) { return (const void*)((uintptr_t)function + 1); }

/* Where a region's function ends with a call, that returns to execute(): it is the function's. */
#define SKEL_OF_EXECUTE __attribute__((section("skel_execute")))
extern const char __start_skel_execute[] __attribute__((visibility("hidden"))); /* by the linker */
extern const char __stop_skel_execute[] __attribute__((visibility("hidden")));
static const void* place(const void* site) {
  const int is_there = (const char*)site >= __start_skel_execute && (const char*)site < __stop_skel_execute;
  if (SKEL_LIKELY(!is_there) || !skel_self) return site;
  const struct gomp_region* const region = skel_thread_of(skel_self)->gomp_region;
  return region ? inside(region->function) : site;
}

SKEL_OF_EXECUTE static void execute(void* memory) {
  struct gomp_region* const region = memory;
  struct gomp_region own = *region;
  struct skel_stream* const s = skel_stream();
  struct skel_thread* const t = s ? skel_thread_of(s) : NULL;
  if (t) {
    own.outer = t->gomp_region;
    t->gomp_region = &own;
    if (s != region->master) {
      const struct skel_span now = skel_begin(s), since = {s->last, t->recorded_work};
      skel_record_span(s, SKEL_CALL(SKT_PARALLEL, SKT_WAIT, SKT_BLOCKED), (uint64_t)(uintptr_t)own.function, 0,
                       inside(own.function), since, now, own.number);
    }
  }
  own.function(own.data);
  if (!t) return;
  t->gomp_region = own.outer;
  const struct skel_span now = skel_begin(s);
  if (s == region->master)
    region->left = now;
  else
    skel_record_span(s, SKEL_CALL(SKT_PARALLEL, SKT_ARRIVE, 0), (uint64_t)(uintptr_t)own.function, 0,
                     inside(own.function), now, now, own.number);
}

static struct gomp_region begin_region(struct skel_stream* s, skel_gomp_function* function, void* data,
                                       const void* site) {
  struct gomp_region region = {function, data, __atomic_add_fetch(&regions, 1, __ATOMIC_RELAXED), s, 0, {0, 0}, NULL};
  const struct skel_span now = skel_begin(s);
  skel_record_span(s, SKEL_CALL(SKT_PARALLEL, SKT_BROADCAST, 0), (uint64_t)(uintptr_t)function, 0, site, now, now,
                   region.number);
  return region;
}

static void end_region(const struct gomp_region* region, const void* site) {
  const unsigned call = SKEL_CALL(SKT_PARALLEL, SKT_ARRIVE, 0) | skel_if_long(region->left);
  skel_record_span(region->master, call, (uint64_t)(uintptr_t)region->function, 0, site, region->left,
                   skel_end(region->master, region->left, call), region->number);
}

/* Each function is defined for both kinds of callers, see real.h: `of` is gnu or llvm. */
#define SKEL_EACH(define, ...) define(gnu, __VA_ARGS__) define(llvm, __VA_ARGS__)
#define SKEL_VERSIONS(name, version)                         \
  __asm__(".symver skel_gnu_" #name "," #name "@@" version); \
  __asm__(".symver skel_llvm_" #name "," #name "@VERSION");  \
  SKEL_EXPORT __typeof__(name) skel_gnu_##name, skel_llvm_##name;
SKEL_GOMP_NAMES(SKEL_VERSIONS)

#define SKEL_CALLED(of)                      \
  const void* const site = place(SKEL_SITE); \
  const struct skel_openmp* const openmp = found(skel_##of, site)

#define SKEL_REGION(of, name, ...)                                   \
  SKEL_CALLED(of);                                                   \
  struct skel_stream* const s = region_stream(openmp);               \
  if (!s) {                                                          \
    openmp->name(function, data, ##__VA_ARGS__);                     \
    return;                                                          \
  }                                                                  \
  struct gomp_region region = begin_region(s, function, data, site); \
  openmp->name(execute, &region, ##__VA_ARGS__);                     \
  end_region(&region, site)

#define SKEL_PARALLEL(of, name)                                                                         \
  void skel_##of##_##name(skel_gomp_function* function, void* data, unsigned threads, unsigned flags) { \
    SKEL_REGION(of, name, threads, flags);                                                              \
  }
SKEL_EACH(SKEL_PARALLEL, GOMP_parallel)
#define SKEL_SECTIONS(of, name)                                                                       \
  void skel_##of##_##name(skel_gomp_function* function, void* data, unsigned threads, unsigned count, \
                          unsigned flags) {                                                           \
    SKEL_REGION(of, name, threads, count, flags);                                                     \
  }
SKEL_EACH(SKEL_SECTIONS, GOMP_parallel_sections)
#define SKEL_LOOP_OF(of, name)                                                                                         \
  void skel_##of##_##name(skel_gomp_function* function, void* data, unsigned threads, long start, long end, long incr, \
                          long chunk, unsigned flags) {                                                                \
    SKEL_REGION(of, name, threads, start, end, incr, chunk, flags);                                                    \
  }
#define SKEL_LOOP(name, version) SKEL_EACH(SKEL_LOOP_OF, name)
SKEL_GOMP_LOOPS(SKEL_LOOP)
#define SKEL_RUNTIME_LOOP_OF(of, name)                                                                                 \
  void skel_##of##_##name(skel_gomp_function* function, void* data, unsigned threads, long start, long end, long incr, \
                          unsigned flags) {                                                                            \
    SKEL_REGION(of, name, threads, start, end, incr, flags);                                                           \
  }
#define SKEL_RUNTIME_LOOP(name, version) SKEL_EACH(SKEL_RUNTIME_LOOP_OF, name)
SKEL_GOMP_RUNTIME_LOOPS(SKEL_RUNTIME_LOOP)

/* ---- inside of a region ---- */

static void record_barrier(struct skel_stream* s, struct skel_span from, const void* site) {
  struct gomp_region* const region = (struct gomp_region*)(uintptr_t)skel_thread_of(s)->gomp_region;
  if (!region) return;
  const unsigned call = SKEL_CALL(SKT_BARRIER, SKT_ARRIVE, 0) | skel_if_long(from);
  const uint64_t number = region->number << LESS_THAN_A_REGION | (++region->barriers & 0xffff);
  skel_record(s, call, (const void*)(uintptr_t)region->function, site, from, number);
}

#define SKEL_BARRIER(of, type, name, returned)                                  \
  type skel_##of##_##name(void) {                                               \
    SKEL_CALLED(of);                                                            \
    struct skel_stream* const s = openmp_stream(openmp);                        \
    const struct skel_span from = s ? skel_begin(s) : (struct skel_span){0, 0}; \
    returned openmp->name();                                                    \
    if (s) record_barrier(s, from, site);                                       \
    SKEL_RETURN_##type;                                                         \
  }
#define SKEL_RETURN_void
#define SKEL_RETURN__Bool return result
SKEL_EACH(SKEL_BARRIER, void, GOMP_barrier, )
SKEL_EACH(SKEL_BARRIER, void, GOMP_loop_end, )
SKEL_EACH(SKEL_BARRIER, void, GOMP_sections_end, )
SKEL_EACH(SKEL_BARRIER, _Bool, GOMP_barrier_cancel, const _Bool result =)
SKEL_EACH(SKEL_BARRIER, _Bool, GOMP_loop_end_cancel, const _Bool result =)
SKEL_EACH(SKEL_BARRIER, _Bool, GOMP_sections_end_cancel, const _Bool result =)

static char critical, atomic, ordered; /* those without a name: their addresses stand for them */

static void taken(struct skel_stream* s, const void* lock, const void* site, struct skel_span from) {
  if (s) skel_record(s, SKEL_CALL(SKT_MUTEX, SKT_ACQUIRE, 0) | skel_if_long(from), lock, site, from, 0);
}
static void given(struct skel_stream* s, const void* lock, const void* site, struct skel_span from) {
  if (s) skel_record(s, SKEL_CALL(SKT_MUTEX, SKT_RELEASE, 0), lock, site, from, 0);
}

#define SKEL_SECTION(of, name, parameter, argument, record, lock)               \
  void skel_##of##_##name(parameter) {                                          \
    SKEL_CALLED(of);                                                            \
    struct skel_stream* const s = openmp_stream(openmp);                        \
    const struct skel_span from = s ? skel_begin(s) : (struct skel_span){0, 0}; \
    openmp->name(argument);                                                     \
    record(s, lock, site, from);                                                \
  }
SKEL_EACH(SKEL_SECTION, GOMP_critical_start, void, , taken, &critical)
SKEL_EACH(SKEL_SECTION, GOMP_critical_end, void, , given, &critical)
SKEL_EACH(SKEL_SECTION, GOMP_critical_name_start, void** name, name, taken, name)
SKEL_EACH(SKEL_SECTION, GOMP_critical_name_end, void** name, name, given, name)
SKEL_EACH(SKEL_SECTION, GOMP_atomic_start, void, , taken, &atomic)
SKEL_EACH(SKEL_SECTION, GOMP_atomic_end, void, , given, &atomic)
SKEL_EACH(SKEL_SECTION, GOMP_ordered_start, void, , taken, &ordered)
SKEL_EACH(SKEL_SECTION, GOMP_ordered_end, void, , given, &ordered)

/* LLVM 14 does not tell of these. */
#define SKEL_UNSET(of, name)                                                    \
  void skel_##of##_##name(omp_lock* lock) {                                     \
    SKEL_CALLED(of);                                                            \
    struct skel_stream* const s = skel_stream();                                \
    const struct skel_span from = s ? skel_begin(s) : (struct skel_span){0, 0}; \
    const uint64_t told = s ? s->calls : 0;                                     \
    openmp->name(lock);                                                         \
    if (s && s->calls == told) given(s, lock, site, from);                      \
  }
SKEL_EACH(SKEL_UNSET, omp_unset_lock)
SKEL_EACH(SKEL_UNSET, omp_unset_nest_lock)

#define SKEL_SET(of, name, test)                                                                             \
  void skel_##of##_##name(omp_lock* lock) {                                                                  \
    SKEL_CALLED(of);                                                                                         \
    struct skel_stream* const s = openmp_stream(openmp);                                                     \
    const struct skel_span from = s ? skel_begin(s) : (struct skel_span){0, 0};                              \
    const int blocks = s && !openmp->test(lock);                                                             \
    if (!s || blocks) openmp->name(lock);                                                                    \
    if (s) skel_record(s, SKEL_CALL(SKT_MUTEX, SKT_ACQUIRE, blocks ? SKT_BLOCKED : 0), lock, site, from, 0); \
  }
SKEL_EACH(SKEL_SET, omp_set_lock, omp_test_lock)
SKEL_EACH(SKEL_SET, omp_set_nest_lock, omp_test_nest_lock)
#define SKEL_TEST(of, name)                                                                     \
  int skel_##of##_##name(omp_lock* lock) {                                                      \
    SKEL_CALLED(of);                                                                            \
    struct skel_stream* const s = openmp_stream(openmp);                                        \
    const struct skel_span from = s ? skel_begin(s) : (struct skel_span){0, 0};                 \
    const int result = openmp->name(lock);                                                      \
    if (s && result) skel_record(s, SKEL_CALL(SKT_MUTEX, SKT_ACQUIRE, 0), lock, site, from, 0); \
    return result;                                                                              \
  }
SKEL_EACH(SKEL_TEST, omp_test_lock)
SKEL_EACH(SKEL_TEST, omp_test_nest_lock)
