/* Streams of threads and the life of their file. Off the hot path. */
#include "record.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core_wait.h"
#include "front.h"
#include "modules.h"
#include "report.h"

uint64_t skel_long_call;

static long own_pid;
static int is_launcher; /* whose threads are not the program's */
static int is_child;    /* of a fork */
static pthread_key_t thread_end;
static int has_thread_end;
static struct skel_thread first_thread;
static struct skel_thread* free_threads; /* of threads that have ended */
static int free_busy;
static int is_armed;           /* the first thread records */
static uint64_t early_dropped; /* calls before there was a file, for which there was no room */
static uint64_t cut_threads;   /* whose records end early or are not there */

static uint32_t forked_word = 1;
uint32_t* skel_not_forked = &forked_word;

static void begin_child(void);
enum skel_phase skel_phase_here(void) {
  if (SKEL_UNLIKELY(skel_is_new_child())) begin_child();
  return SKEL_UNLIKELY(skel_is_new_child()) ? SKEL_CLOSED : skel_phase();
}

int skel_is_this_process(void) {
  skel_phase_here(); /* a child that is new gets its number there */
  return syscall(SYS_getpid) == own_pid;
}

struct skel_alone skel_be_alone(void) {
  struct skel_alone before = {.error = errno};
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before.signals);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before.cancellation);
  return before;
}
void skel_be_back(const struct skel_alone* before) {
  pthread_setcancelstate(before->cancellation, NULL);
  pthread_sigmask(SIG_SETMASK, &before->signals, NULL);
  errno = before->error;
}

static struct skel_stream nobody = {.stopped = 1};

void skel_thread_ignore(void) {
  skel_own()->self = NULL;
  skel_own()->stream = &nobody;
}

/* Layers: lines `OFFSET NUMBER MODULE`, the offset in hexadecimal digits, the number from 1 to 255. */
struct layer_site {
  char module[SKEL_MODULE_PATH];
  uint64_t offset;
  int layer;
};
#define LAYER_SITES 1024
static struct layer_site* layer_sites;
static int layer_count;
static uint64_t layer_calls; /* different ones that were made at such places */

int skel_at_layers;

static int finds_callers;

/* A first time loads what looks through the stack. */
static void find_callers(void) {
  const char* const wanted = getenv("SKELGEN_SITES");
  void* frame;
  finds_callers = wanted && !strcmp(wanted, "1") && backtrace(&frame, 1) == 1;
}

SKEL_COLD const void* skel_caller(struct skel_stream* s, const void* site) {
  void* frames[8];
  const void* caller = NULL;
  if (!finds_callers || skel_self != s) return NULL;
  const int error = errno;
  struct skel_stream* const before = skel_write_begins(s); /* it may lock */
  const int count = backtrace(frames, sizeof frames / sizeof frames[0]);
  for (int i = 0; i + 1 < count && !caller; i++)
    if (frames[i] == site) caller = frames[i + 1];
  skel_write_ends(s, before);
  errno = error;
  return caller;
}

static void read_layers(const char* path) {
  FILE* const file = fopen(path, "re");
  if (!file) {
    skel_say("%s: cannot be read (%s); work is read at every call", path, strerror(errno));
    return;
  }
  layer_sites = skel_allocate(LAYER_SITES * sizeof *layer_sites);
  char line[SKEL_MODULE_PATH + 64];
  for (int number = 1; layer_sites && fgets(line, sizeof line, file); number++) {
    struct layer_site site = {0};
    unsigned long long offset;
    if (line[strspn(line, " \t\r\n")] == 0) continue;
    const int full = layer_count == LAYER_SITES;
    if (full || sscanf(line, "%llx %d %255[^\n]", &offset, &site.layer, site.module) != 3 || site.layer < 1 ||
        site.layer > 255) {
      skel_say("%s:%d: %s; this line and those behind it are left out", path, number,
               full ? "is one place too many" : "is no line OFFSET LAYER MODULE with a layer from 1 to 255");
      break;
    }
    site.offset = offset;
    layer_sites[layer_count++] = site;
  }
  fclose(file);
  skel_at_layers = layer_sites != NULL;
}

static uint8_t layer_of(const struct skel_module* module, const void* site) {
  for (int i = 0; module && i < layer_count; i++)
    if ((uint64_t)(uintptr_t)site - module->base == layer_sites[i].offset &&
        !strcmp(module->path, layer_sites[i].module))
      return (uint8_t)layer_sites[i].layer;
  return 0;
}

static void announce(struct skel_stream* s) {
  struct skel_process* const process = skel_state();
  s->next = __atomic_load_n(&process->streams, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&process->streams, &s->next, s, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) continue;
}

/* Events after the process began to end do not count as lost. */
static int loses_events(void) {
  return skel_phase_here() == SKEL_OPEN && !__atomic_load_n(&skel_state()->closing, __ATOMIC_ACQUIRE);
}

/* The record says itself that it ends here: the chunk's reserve has room for that. */
static void give_up(struct skel_stream* s) {
  if (!s->stopped && loses_events()) {
    __atomic_add_fetch(&cut_threads, 1, __ATOMIC_RELAXED);
    if (s->mapped) skel_commit_own(s, skel_put(skel_put(s->pos, SKT_TAG_DROPPED), 1));
  }
  s->stopped = 1;
}

SKEL_COLD int skel_more_room(struct skel_stream* s, size_t bytes) {
  const struct skel_alone before = skel_be_alone();
  const uint64_t since = skel_ticks();
  const int room = !s->stopped && skel_phase_here() == SKEL_OPEN && skel_sink_chunk(s, bytes + 256) == 0;
  if (room) {
    const struct skel_clock_pair now = skel_clock_read_pair();
    uint8_t* p = skel_put(s->pos, SKT_TAG_CLOCK);
    p = skel_put(p, now.ticks);
    p = skel_put(p, now.nanoseconds);
    skel_commit(s, p);
    skel_thread_of(s)->pause += skel_ticks() - since;
  } else {
    give_up(s);
  }
  skel_be_back(&before);
  return room;
}

SKEL_COLD void skel_record_pause(struct skel_stream* s) {
  struct skel_thread* const t = skel_thread_of(s);
  s->last += t->pause;
  skel_commit_own(s, skel_put(skel_put(s->pos, SKT_TAG_PAUSE), t->pause));
  t->pause = 0;
}

static int record_module(struct skel_stream* s, const struct skel_module* module) {
  const size_t length = strlen(module->path), id_length = strlen(module->build_id);
  const size_t room = length + id_length + SKEL_EVENT_ROOM;
  if (s->limit - s->pos < (ptrdiff_t)room && !skel_more_room(s, room)) return 0;
  uint8_t* p = skel_put(s->pos, SKT_TAG_MODULE);
  p = skel_put(p, module->from);
  p = skel_put(p, module->to);
  p = skel_put(p, module->base);
  p = skel_put(p, length);
  memcpy(p, module->path, length);
  p = skel_put(p + length, id_length);
  memcpy(p, module->build_id, id_length);
  skel_commit_own(s, p + id_length);
  return 1;
}

/* A program may make new objects for ever: calls are defined anew then, under other numbers. Whole tables are written without
 * signals: where handlers fork often, their pages would be copied for ever. */
static int remember(struct skel_table* calls, uint64_t hash, uint32_t id) {
  const int is_long = calls->used >= SKEL_MOST_CALLS;
  if (!is_long && !skel_table_is_full(calls)) return skel_mark(calls, hash, id);
  const struct skel_alone before = skel_be_alone();
  if (is_long) skel_table_clear(calls);
  const int result = skel_mark(calls, hash, id);
  skel_be_back(&before);
  return result;
}

SKEL_COLD uint32_t skel_define(struct skel_stream* s, uint64_t hash, unsigned call, uint64_t object, uint64_t second,
                               const void* site) {
  struct skel_module* const module = skel_module_of(site);
  const int is_mpi = module && module->is_mpi;
  uint32_t id = is_mpi ? SKEL_IGNORED : s->signature_count + 1;
  if (!is_mpi) {
    struct skel_module* const of_caller = finds_callers ? skel_module_of((const void*)(uintptr_t)second) : NULL;
    if (module && !module->recorded && record_module(s, module)) module->recorded = 1;
    if (of_caller && !of_caller->recorded && record_module(s, of_caller)) of_caller->recorded = 1;
    if (s->limit - s->pos < SKEL_EVENT_ROOM && !skel_more_room(s, SKEL_EVENT_ROOM)) return 0;
  }
  if (remember(&s->signatures, hash, id) < 0) {
    give_up(s);
    return 0;
  }
  if (!is_mpi) {
    if (skel_at_layers) {
      const uint8_t layer = layer_of(module, site);
      skel_thread_of(s)->layers[id % SKEL_MOST_CALLS] = layer;
      if (layer) __atomic_add_fetch(&layer_calls, 1, __ATOMIC_RELAXED);
    }
    uint8_t* p = skel_put(s->pos, SKT_TAG_CALL);
    p = skel_put(p, s->signature_count++);
    p = skel_put(p, call & 0xff);
    p = skel_put(p, call >> 8 & 0xff);
    p = skel_put(p, call >> 16);
    p = skel_put(p, object);
    p = skel_put(p, second);
    p = skel_put(p, (uint64_t)(uintptr_t)site);
    skel_commit_own(s, p);
  }
  return id;
}

static struct skel_thread* take_free(void) {
  while (__atomic_exchange_n(&free_busy, 1, __ATOMIC_ACQUIRE)) continue; /* for two stores */
  struct skel_thread* const t = free_threads;
  if (t) free_threads = t->next_free;
  __atomic_store_n(&free_busy, 0, __ATOMIC_RELEASE);
  return t;
}

static void give_free(struct skel_thread* t) {
  while (__atomic_exchange_n(&free_busy, 1, __ATOMIC_ACQUIRE)) continue;
  t->next_free = free_threads;
  free_threads = t;
  __atomic_store_n(&free_busy, 0, __ATOMIC_RELEASE);
}

static int prepare_tables(struct skel_thread* t) {
  t->layers = skel_at_layers ? skel_allocate(SKEL_MOST_CALLS) : NULL;
  return skel_table_prepare(&t->stream.signatures) && (!skel_at_layers || t->layers);
}

static void free_tables(struct skel_thread* t) {
  struct skel_table* const signatures = &t->stream.signatures;
  if (signatures->entries) munmap(signatures->entries, signatures->size * sizeof(struct skel_entry));
  *signatures = (struct skel_table){0};
  if (t->layers) munmap(t->layers, SKEL_MOST_CALLS);
  t->layers = NULL;
}

/* ---- time without a core: read when a thread begins to record, unless it is new, and when it or the process ends ---- */

static uint64_t core_wait_ns, observed_ticks; /* of the threads whose waits are known */

static void begin_core_wait(struct skel_thread* t, int is_new) {
  const int64_t waited = is_new ? 0 : skel_core_wait_ns(SKEL_THIS_THREAD);
  t->waited_before = waited > 0 ? waited : 0;
  t->begun = skel_ticks();
  t->id = (int)syscall(SYS_gettid);
}

/* In ns, of a thread that ends now; -1: not known. */
static int64_t core_wait_of(struct skel_thread* t, const char* file) {
  const int64_t waited = t->id ? skel_core_wait_ns(file) - t->waited_before : -1;
  t->id = 0;
  if (waited < 0) return -1;
  __atomic_add_fetch(&core_wait_ns, (uint64_t)waited, __ATOMIC_RELAXED);
  __atomic_add_fetch(&observed_ticks, skel_ticks() - t->begun, __ATOMIC_RELAXED);
  return waited;
}

static void record_core_wait(struct skel_stream* s) {
  const int64_t waited = core_wait_of(skel_thread_of(s), SKEL_THIS_THREAD);
  if (waited < 0 || (s->limit - s->pos < SKEL_EVENT_ROOM && !skel_more_room(s, SKEL_EVENT_ROOM))) return;
  uint8_t* const p = skel_put(s->pos, SKT_TAG_CORE_WAIT);
  skel_commit_own(s, skel_put(p, (uint64_t)waited));
}

/* Of the threads that are still there when the process ends. */
static void ask_for_core_waits(void) {
  for (struct skel_stream* s = __atomic_load_n(&skel_state()->streams, __ATOMIC_ACQUIRE); s; s = s->next) {
    struct skel_thread* const t = skel_thread_of(s);
    char file[64];
    snprintf(file, sizeof file, "/proc/self/task/%d/schedstat", t->id);
    const int64_t waited = core_wait_of(t, file);
    if (waited >= 0) s->core_wait = (uint64_t)waited + 1;
  }
}

static struct skel_stream* enter_thread(int is_new) {
  skel_thread_ignore(); /* memory may come by a library that locks */
  struct skel_thread* t = take_free();
  struct skel_stream* s = NULL;
  if (t) { /* exit() may go through the list meanwhile: what comes before `pos` stays */
    const size_t kept = offsetof(struct skel_stream, pos);
    memset((char*)t + kept, 0, sizeof *t - kept);
    s = &t->stream;
    skel_own()->stream = s;
  } else {
    t = skel_allocate(sizeof *t);
    if (!t) {
      if (loses_events()) __atomic_add_fetch(&cut_threads, 1, __ATOMIC_RELAXED);
      return NULL;
    }
    s = &t->stream;
    skel_own()->stream = s; /* from here on the calls below are ours */
    announce(s);
  }
  s->last = skel_state()->origin;
  s->counter_set = -1;
  if (!prepare_tables(t) || skel_sink_chunk(s, 0)) {
    give_up(s);
    skel_thread_ignore();
    free_tables(t);
    give_free(t);
    return NULL;
  }
  if (has_thread_end) pthread_setspecific(thread_end, s);
  begin_core_wait(t, is_new);
  skel_work_start(t);
  skel_own()->self = s;
  return s;
}

static void record_thread(struct skel_stream* s, unsigned action, uint64_t value) {
  const struct skel_span now = skel_begin(s);
  skel_record_span(s, SKEL_CALL(SKT_THREAD, action, 0), (uint64_t)pthread_self(), 0, NULL, now, now, value);
}

static void record_name(struct skel_stream* s) {
  char name[17] = "";
  if (prctl(PR_GET_NAME, name)) return;
  const size_t length = strlen(name);
  if (s->limit - s->pos < SKEL_EVENT_ROOM && !skel_more_room(s, SKEL_EVENT_ROOM)) return;
  uint8_t* p = skel_put(s->pos, SKT_TAG_NAME);
  p = skel_put(p, length);
  memcpy(p, name, length);
  skel_commit_own(s, p + length);
}

void skel_thread_begins(uint64_t creation) {
  const struct skel_alone before = skel_be_alone();
  struct skel_stream* const s = skel_phase_here() == SKEL_OPEN && !skel_own()->stream ? enter_thread(1) : NULL;
  skel_be_back(&before);
  if (s) record_thread(s, SKT_START, creation);
}

static void leave_thread(struct skel_stream* s) {
  if (skel_self != s) return;
  if (skel_at_layers) skel_work_read(skel_thread_of(s));
  record_thread(s, SKT_EXIT, 0);
  skel_own()->self = NULL;
  if (!s->stopped) record_name(s);
  if (!s->stopped) record_core_wait(s);
}

/* Destructors of other keys may still take locks: the last round but one is the end. A child leaves what is its parent's. */
static void end_thread(void* stream) {
  struct skel_stream* const s = stream;
  struct skel_thread* const t = skel_thread_of(s);
  const struct skel_alone before = skel_be_alone();
  if (!skel_is_new_child() && skel_own()->stream == s && (++t->rounds == 3 || pthread_setspecific(thread_end, s))) {
    leave_thread(s);
    skel_work_end(t);
    skel_sink_leave(s);
    free_tables(t);
    if (skel_phase() == SKEL_OPEN) give_free(t);
  }
  skel_be_back(&before);
}

/* ---- the file ---- */

static void describe_begin(struct skel_text* t, const char* host) {
  const struct skel_process* const process = skel_state();
  const char* const rank = skel_rank_in_environment();
  skel_add(t, "{\"format\":%d,\"threads\":true,\"run_id\":\"%016llx\",\"pid\":%ld,\"host\":", SKT_VERSION,
           (unsigned long long)process->run_id, own_pid);
  skel_add_string(t, host);
  if (rank) {
    skel_add(t, ",\"rank\":");
    skel_add_string(t, rank);
  }
  skel_add(t, ",");
  skel_add_clock(t, process->origin, process->clock);
  if (early_dropped) skel_add(t, ",\"early_dropped\":%llu", (unsigned long long)early_dropped);
  skel_add(t, ",");
  skel_work_describe(t);
  skel_add(t, ",\"application\":");
  skel_add_string(t, skel_application());
  skel_add(t, ",\"command\":");
  skel_add_command(t);
  skel_add(t, "}");
}

static void describe_end(struct skel_text* t, const char* how, struct skel_counted counted) {
  skel_add(t, "{\"calls\":%llu,\"dropped\":%llu,\"clock_pair\":", (unsigned long long)counted.calls,
           (unsigned long long)cut_threads);
  skel_add_clock_pair(t, skel_clock_read_pair());
  if (skel_at_layers) skel_add(t, ",\"layer_calls\":%llu", (unsigned long long)layer_calls);
  skel_add(t, ",\"core_wait_ns\":%llu,\"observed_ticks\":%llu,\"exit\":\"%s\"}", (unsigned long long)core_wait_ns,
           (unsigned long long)observed_ticks, how);
}

static int open_named(const char* host, const struct skel_text* head) {
  char name[200];
  int problem = EEXIST;
  for (int i = 0; i < 100 && problem == EEXIST; i++) { /* a program that executes another one keeps its number */
    if (i == 0)
      snprintf(name, sizeof name, "threads-%s-%ld.skt", host, own_pid);
    else
      snprintf(name, sizeof name, "threads-%s-%ld-%d.skt", host, own_pid, i);
    problem = skel_sink_open(name, head);
  }
  return problem;
}

static void fail_to_open(int problem) {
  struct skel_process* const process = skel_state();
  skel_set_phase(SKEL_CLOSED);
  if (process->file >= 0) {
    close(process->file);
    unlink(process->path);
  }
  skel_say("%s: cannot be written (%s); the threads of %s are not recorded; choose another directory with SKELGEN_OUT",
           process->path, strerror(problem), skel_application());
}

/* The file, with the calls that were recorded before there was one. Returns 0 or errno. */
static int make_file(const char* host) {
  static struct skel_text head;
  struct skel_stream* const s = &first_thread.stream;
  const uint8_t* const early = (uint8_t*)(s->chunk + 1);
  const size_t early_bytes = (size_t)(s->pos - early);
  head.length = 0;
  describe_begin(&head, host);
  int problem = open_named(host, &head);
  if (!problem) problem = skel_sink_chunk(s, early_bytes + SKEL_EVENT_ROOM);
  if (problem) return problem;
  memcpy(s->pos, early, early_bytes);
  skel_commit(s, s->pos + early_bytes);
  skel_set_phase(SKEL_OPEN);
  return 0;
}

static void open_file(void) {
  struct skel_process* const process = skel_state();
  char host[100] = "";
  skel_work_choose(!is_child);
  process->clock[1] = skel_clock_read_pair();
  skel_long_call = skel_work_window && !skel_at_layers ? skel_work_window / 10 : 5000;
  skel_host_name(host, sizeof host);
  for (char* c = host; *c; c++)
    if (*c == '/') *c = '_';
  const int problem = make_file(host);
  if (problem) fail_to_open(problem);
}

static void start(void);

static int opening;

void skel_begin_threads(void) {
  if (SKEL_LIKELY(skel_phase_here() != SKEL_BEFORE)) return;
  start();
  if (is_launcher) return;
  const struct skel_alone before = skel_be_alone(); /* a handler's calls are early, or behind all of this */
  if (skel_phase_here() == SKEL_BEFORE && !__atomic_exchange_n(&opening, 1, __ATOMIC_ACQ_REL)) {
    if (skel_phase() == SKEL_BEFORE && first_thread.stream.chunk) open_file();
    __atomic_store_n(&opening, 0, __ATOMIC_RELEASE);
  }
  skel_be_back(&before);
}

/* The first thread's stream was there before the file. */
static struct skel_stream* arm_first(void) {
  struct skel_stream* const s = &first_thread.stream;
  is_armed = 1;
  if (has_thread_end) pthread_setspecific(thread_end, s);
  begin_core_wait(&first_thread, 0);
  skel_work_start(&first_thread);
  skel_own()->self = s;
  record_thread(s, SKT_START, 0);
  return skel_self;
}

/* A thread has a stream and none to record to: a call of ours, or recording has stopped. */
SKEL_COLD struct skel_stream* skel_stream_first(void) {
  const struct skel_own* const own = skel_own();
  if (skel_phase_here() != SKEL_OPEN) return NULL;
  if (own->stream && (own->stream != &first_thread.stream || is_armed)) return NULL;
  const struct skel_alone before = skel_be_alone();
  struct skel_stream* s = NULL;
  if (skel_phase_here() == SKEL_OPEN) s = own->stream ? arm_first() : enter_thread(0);
  skel_be_back(&before);
  return s;
}

SKEL_COLD void skel_record_early(unsigned call, uint64_t object, const void* site, uint64_t value) {
  const enum skel_phase phase = skel_phase_here();
  struct skel_own* const own = skel_own();
  struct skel_stream* const s = &first_thread.stream;
  if (phase != SKEL_BEFORE || own->stream != s || own->self || is_launcher) return;
  if (s->limit - s->pos < (ptrdiff_t)sizeof(struct skel_module) + 4 * SKEL_EVENT_ROOM) {
    early_dropped++;
    return;
  }
  const struct skel_span now = {skel_ticks(), 0};
  own->self = s;
  skel_record_span(s, call, object, 0, site, now, now, value);
  own->self = NULL;
}

/* ---- the process ---- */

static void prepare_first(void) {
  struct skel_stream* const s = &first_thread.stream;
  memset(&first_thread, 0, sizeof first_thread);
  skel_own()->self = NULL;
  skel_own()->stream = s;
  skel_state()->origin = s->last = skel_ticks();
  skel_state()->clock[0] = skel_clock_read_pair();
  s->counter_set = -1;
  if (!prepare_tables(&first_thread)) return;
  s->chunk = skel_early_chunk();
  memset(s->chunk, 0, sizeof *s->chunk);
  s->chunk->capacity = SKEL_EARLY_BYTES;
  s->pos = (uint8_t*)(s->chunk + 1);
  s->limit = s->pos + SKEL_EARLY_BYTES;
  s->numbered = 1; /* 0 */
  skel_state()->threads = 1;
  skel_state()->streams = s;
}

static void begin_record_of_child(void) {
  struct skel_process* const process = skel_state();
  skel_sink_forget();
  free_threads = NULL;
  free_busy = is_armed = opening = 0;
  early_dropped = cut_threads = 0;
  core_wait_ns = observed_ticks = layer_calls = 0;
  if (has_thread_end) pthread_setspecific(thread_end, NULL);
  prepare_first();
  process->clock[1] = process->clock[0];
  skel_set_phase(SKEL_BEFORE);
}

/* The child of a fork records its threads in a file of its own, if it creates some. */
static void begin_child(void) {
  if (syscall(SYS_gettid) != syscall(SYS_getpid)) return; /* the thread that it began with does this */
  skel_modules_forget();
  if (skel_own()->writing) { /* begins behind that */
    skel_sink_detach(skel_own()->writing);
    return;
  }
  const struct skel_alone before = skel_be_alone();
  if (skel_is_new_child()) {
    const int records = skel_phase() != SKEL_CLOSED;
    own_pid = syscall(SYS_getpid);
    is_child = 1;
    skel_own()->self = NULL;
    skel_set_phase(SKEL_CLOSED); /* for other threads meanwhile */
    __atomic_store_n(skel_not_forked, 1, __ATOMIC_RELEASE);
    skel_work_forget();
    if (records) begin_record_of_child();
  }
  skel_be_back(&before);
}

SKEL_COLD void skel_record_in_child(unsigned call, uint64_t object, const void* site, uint64_t value) {
  const unsigned primitive = call & 0xff, action = call >> 8 & 0xff;
  if (primitive == SKT_SEMAPHORE || primitive == SKT_CHANNEL || action == SKT_MADE)
    skel_record_early(call & ~SKEL_CALL(0, 0, SKT_BLOCKED), object, site, value);
}

static void in_child(void) {
  forked_word = 0;
  skel_phase_here();
}

/* The kernel wipes a page in every child that has memory of its own: handlers of pthread_atfork run only in those of fork(),
 * behind the handlers of libraries that began earlier. Linux before 4.14 wipes none. */
static void watch_for_forks(void) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  uint32_t* const word = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (word != MAP_FAILED && madvise(word, page, MADV_WIPEONFORK) == 0) {
    *word = 1;
    skel_not_forked = word;
  } else if (word != MAP_FAILED) {
    munmap(word, page);
  }
  pthread_atfork(NULL, NULL, in_child);
}

static void find_directory(void) {
  struct skel_process* const process = skel_state();
  const char *const out = getenv("SKELGEN_OUT"), *const path = out && *out ? out : ".";
  char here[2048] = "";
  if (path[0] == '/' || !getcwd(here, sizeof here))
    snprintf(process->directory, sizeof process->directory, "%s", path);
  else
    snprintf(process->directory, sizeof process->directory, "%s/%s", here, path);
}

static int names_a_launcher(const char* name) {
  static const char* const beginnings[] = {"mpiexec", "mpirun", "orte", "prte", "hydra_", "srun"};
  for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
    if (!strncmp(name, beginnings[i], strlen(beginnings[i]))) return 1;
  return 0;
}

/* By the constructor, or before it by the constructor of a library that creates a thread. */
static void start(void) {
  static int started;
  struct skel_process* const process = skel_state();
  if (__atomic_exchange_n(&started, 1, __ATOMIC_ACQ_REL)) return;
  const int error = errno;
  const char *const mode = getenv("SKELGEN_MODE"), *const run = mode ? strchr(mode, ':') : NULL;
  const char* const layers = getenv("SKELGEN_THREAD_LAYERS");
  own_pid = syscall(SYS_getpid);
  is_launcher = names_a_launcher(program_invocation_short_name);
  process->file = -1;
  process->ranks = 1;
  process->given_run = 1; /* what is there stays */
  process->run_id = run ? strtoull(run + 1, NULL, 16) : 0;
  if (!process->run_id) process->run_id = (uint64_t)own_pid << 32 | 1;
  find_directory();
  skel_clock_choose();
  if (layers && *layers && !is_launcher) read_layers(layers);
  if (!is_launcher) find_callers();
  has_thread_end = pthread_key_create(&thread_end, end_thread) == 0;
  watch_for_forks();
  prepare_first();
  errno = error;
}

__attribute__((constructor)) static void begin_process(void) {
  if (!skel_real_found) skel_find_real();
  start();
}

static void end_record(void) {
  struct skel_stream* const s = skel_own()->stream;
  if (s && s != &nobody) leave_thread(s);
  ask_for_core_waits();
  skel_sink_close("exit", describe_end);
  static int said;
  const uint64_t cut = __atomic_load_n(&cut_threads, __ATOMIC_RELAXED);
  if (cut && !__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
    skel_say("%s: of %llu thread%s not all is recorded (%s); free space there and trace again", skel_state()->path,
             (unsigned long long)cut, cut == 1 ? "" : "s",
             skel_state()->failure ? strerror(skel_state()->failure) : "no memory");
}

void skel_end_process(void) {
  if (skel_phase_here() != SKEL_OPEN) return;
  const struct skel_alone before = skel_be_alone();
  if (skel_phase_here() == SKEL_OPEN) end_record();
  skel_be_back(&before);
}

__attribute__((destructor)) static void at_exit(void) { skel_end_process(); }
