/* Streams: one per thread that calls MPI. Everything here is off the hot path. */
#include "enter.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#ifdef SKEL_VALGRIND
#include <valgrind/valgrind.h>
#endif

#include "callers.h"
#include "define.h"
#include "handles.h"
#include "pmpi.h"

#ifdef SKEL_VALGRIND
int skel_under_valgrind;

SKEL_COLD void skel_request_profile(int request, int argument) {
  VALGRIND_DO_CLIENT_REQUEST_STMT(request, argument, 0, 0, 0, 0);
}
#endif

static void announce(struct skel_stream* s) {
  struct skel_process* const process = skel_state();
  s->next = __atomic_load_n(&process->streams, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&process->streams, &s->next, s, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) continue;
}

void skel_stream_suspend(void) {
  struct skel_own* const own = skel_own();
  own->suspended = 1;
  own->self = NULL;
}

void skel_stream_resume(void) {
  struct skel_own* const own = skel_own();
  if (own->suspended && own->stream && !own->stream->stopped) own->self = own->stream;
  own->suspended = 0;
}

/* Open MPI's library for C++ makes calls when it is loaded: while the program has not begun, calls are looked at. */
static int starting;
static const char cxx_library[] = "libmpi_cxx.so";

static int library_calls(void) {
  void* frames[64];
  const int count = backtrace(frames, 64);
  for (int i = 0; i < count; i++) {
    Dl_info info;
    if (dladdr(frames[i], &info) && info.dli_fname && strstr(info.dli_fname, cxx_library)) return 1;
  }
  return 0;
}

static int find_cxx_library(struct dl_phdr_info* info, size_t bytes, void* found) {
  (void)bytes;
  if (strstr(info->dlpi_name, cxx_library)) *(int*)found = 1;
  return 0;
}

static pthread_key_t thread_end;
static int has_thread_end; /* without it what ended threads needed stays until the program ends */

static void end_thread(void* stream) {
  struct skel_stream* const s = stream;
  skel_self = NULL;
  skel_counters_end(s);
  skel_sink_leave(s);
  munmap(s->signatures.entries, s->signatures.size * sizeof(struct skel_entry));
  s->signatures.entries = NULL;
  if (s->scratch) munmap(s->scratch, s->scratch_bytes);
  s->scratch = NULL;
  s->scratch_bytes = 0;
}

void skel_stream_main(void) {
  struct skel_stream* const s = skel_first_stream();
  skel_state()->origin = skel_ticks();
#ifdef SKEL_VALGRIND
  skel_under_valgrind = RUNNING_ON_VALGRIND != 0;
#endif
  if (!skel_stream_prepare(s)) return;
  skel_begin_early(s, SKEL_EARLY_BYTES);
  s->columns = skel_counters_start(s, 0); /* every event has them, the first one too */
  s->thread = skel_state()->threads++;
  s->numbered = 1;
  announce(s);
  skel_own()->stream = s;
  if (!has_thread_end) has_thread_end = pthread_key_create(&thread_end, end_thread) == 0; /* SMPI: once for all ranks */
  dl_iterate_phdr(find_cxx_library, &starting);
  if (!starting) skel_self = s;
}

static void leave_one(struct skel_stream* s) {
  if (s->scratch) munmap(s->scratch, s->scratch_bytes);
  const struct skel_outer outer = s->outer[--s->depth];
  s->scratch = outer.scratch;
  s->scratch_bytes = outer.scratch_bytes;
  s->kept -= outer.room;
  s->limit += outer.room;
  s->room = outer.room;
  if (skel_records_sites()) s->counters_gap[s->columns - 1] = outer.site;
}

/* The calls that this thread was in will not return: an error handler has jumped out of them. */
static struct skel_stream* begin_anew(struct skel_stream* s) {
  for (int i = s->depth; i >= 0; i--) skel_drop(s);
  while (s->depth) leave_one(s);
  return s;
}

/* A call inside of another one: MPI's own, or one of a user function that MPI has called back. */
static struct skel_stream* enter_inner(struct skel_stream* s, const void* returns_to) {
  if (s->stopped) skel_drop(s);
  struct skel_own* const own = skel_own();
  if (own->suspended && !s->stopped && !s->depth && skel_is_program(returns_to))
    __atomic_store_n(&s->suspended_calls, s->suspended_calls + 1, __ATOMIC_RELAXED);
  if (s->stopped || own->suspended || skel_phase() != SKEL_OPEN || !skel_is_program(returns_to)) return NULL;
  if (skel_was_left(s->outermost)) return begin_anew(s);
  if (!SKEL_IS_SET(skel_callbacks) || s->depth == SKEL_DEPTH) return NULL;
  const size_t left = s->limit > s->pos ? (size_t)(s->limit - s->pos) : 0, room = s->room < left ? s->room : left;
  uint64_t* const site = skel_records_sites() ? &s->counters_gap[s->columns - 1] : NULL;
  s->outer[s->depth++] = (struct skel_outer){room, s->scratch, s->scratch_bytes, site ? *site : 0};
  if (site) *site = skel_call_site(returns_to);
  s->scratch = NULL;
  s->scratch_bytes = 0;
  s->kept += room;
  s->limit -= room;
  return s;
}

/* As if inside of a call, so that the thread stays suspended when it leaves. */
SKEL_COLD struct skel_stream* skel_enter_lasting_first(const void* returns_to) {
  struct skel_own* const own = skel_own();
  struct skel_stream* const s = own->stream;
  if (!s || !own->suspended || s->stopped || s->depth || skel_phase() != SKEL_OPEN || !skel_is_program(returns_to))
    return skel_enter_first(returns_to);
  s->outer[s->depth++] = (struct skel_outer){0, s->scratch, s->scratch_bytes, 0};
  s->scratch = NULL;
  s->scratch_bytes = 0;
  if (s->columns) skel_read_counters_before(s, returns_to);
  s->begin = skel_ticks();
  return s;
}

/* What the counters counted before the outer call was written with the first event; nothing is left for the others. */
SKEL_COLD void skel_leave_inner(struct skel_stream* s) {
  memset(s->counters_gap, 0, sizeof s->counters_gap);
  leave_one(s);
}

/* Nanoseconds that the calling thread has had a processor. */
static uint64_t processor_time(void) {
  struct timespec time;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)) return 0;
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Before its first call a thread computed as long as it had a processor. The rest of the time since MPI began it waited,
 * or was not there. */
static void skip_before_thread(struct skel_stream* s, uint64_t computed_ns) {
#ifndef SKEL_SMPI /* all ranks' computation is that of one thread */
  const struct skel_clock_pair now = skel_clock_read_pair(), then = skel_state()->clock[0];
  if (now.nanoseconds <= then.nanoseconds) return;
  const double rate = (double)(now.ticks - then.ticks) / (double)(now.nanoseconds - then.nanoseconds);
  skel_pause(s, s->last + (uint64_t)(rate * (double)computed_ns));
#else
  (void)s, (void)computed_ns;
#endif
}

static struct skel_stream* enter_thread(void) {
  const uint64_t computed_ns = processor_time();
  struct skel_stream* const s = skel_allocate(sizeof *s);
  if (!s) return NULL;
  skel_own()->stream = s; /* from here on skel_self stays NULL: the calls below are ours */
  if (!skel_stream_prepare(s)) {
    s->stopped = 1;
    return NULL;
  }
  announce(s);
  if (skel_sink_chunk(s, 0)) {
    s->stopped = 1;
    skel_drop(s);
    return NULL;
  }
  if (has_thread_end) pthread_setspecific(thread_end, s);
  s->outermost = skel_outermost();
  s->columns = skel_counters_start(s, 1);
  skel_define_world(s);
  skip_before_thread(s, computed_ns);
  return s;
}

SKEL_COLD struct skel_stream* skel_enter_first(const void* returns_to) {
  struct skel_stream* const own = skel_own()->stream;
  if (!own) return skel_state()->mode == SKEL_RECORD && skel_phase() == SKEL_OPEN ? enter_thread() : NULL;
  if (SKEL_UNLIKELY(starting) && !library_calls()) {
    starting = 0;
    return own;
  }
  return enter_inner(own, returns_to);
}

#ifndef SKEL_SMPI
/* One call of MPI_Comm_rank as a wrapper records it, around nothing. Returns the ticks that it took for a call. */
static __attribute__((noinline)) uint64_t record_nothing(int value) {
  struct skel_stream* const s = skel_enter();
  const int64_t comm = skel_comm(MPI_COMM_WORLD);
  uint64_t hash = skel_mix(0, SKEL_MPI_Comm_rank, 2);
  hash = skel_mix(hash, (uint64_t)comm, 0);
  const uint32_t id = skel_find(&s->signatures, hash);
  if (!skel_room(s, SKEL_EVENT_ROOM)) return 0;
  const uint64_t begin = skel_begin(s);
  __asm__ volatile("" : : "r"(value) : "memory");
  const uint64_t end = skel_ticks();
  skel_event_end(s, skel_event(s, id, begin, end));
  return end - begin;
}
#endif

void skel_calibrate(void) {
#ifndef SKEL_SMPI /* simulated time stands still meanwhile */
  enum { batches = 10, calls = 100 };
  static struct {
    struct skt_chunk_header header;
    uint8_t payload[calls * 32 + SKEL_EVENT_ROOM];
  } sink;
  static struct skel_stream measured;
  struct skel_stream* const before = skel_self;
  uint64_t best = UINT64_MAX, least_cpu = UINT64_MAX;
  if (!skel_stream_prepare(&measured)) return;
  measured.chunk = &sink.header;
  measured.limit = sink.payload + sizeof sink.payload;
  measured.columns = skel_first_stream()->columns; /* reading them is part of the cost */
  measured.counter_set = skel_first_stream()->counter_set;
  skel_self = &measured;
  for (int batch = 0; batch < batches; batch++) {
    uint64_t inside = 0;
    measured.pos = sink.payload;
    const uint64_t start = skel_ticks();
    for (int i = 0; i < calls; i++) {
      inside += record_nothing(i);
      const uint64_t cpu = skel_counter_cpu(&measured);
      if (i > 0 && cpu < least_cpu) least_cpu = cpu;
    }
    const uint64_t all = skel_ticks() - start;
    const uint64_t own_cost = all > inside ? (all - inside) / calls : 0;
    if (own_cost < best) best = own_cost;
  }
  skel_self = before;
  munmap(measured.signatures.entries, measured.signatures.size * sizeof(struct skel_entry));
  memset(&measured, 0, sizeof measured);
  skel_state()->record_cost = best;
  skel_state()->cpu_cost_ns = least_cpu;
#endif
}

/* The child of a fork must not touch its parent's file, whose pages it shares. Before there is one, the child may be
 * what becomes the rank. */
void skel_forget_after_fork(void) {
  struct skel_own* const own = skel_own();
  if (skel_phase() == SKEL_BEFORE && own->stream == skel_first_stream()) return;
  skel_set_phase(SKEL_CLOSED);
  own->self = NULL;
  if (!own->stream) own->stream = skel_first_stream();
  own->suspended = 0;
}
