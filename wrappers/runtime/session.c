/* Begin and end of a run: who we are, where the trace goes, HEAD, TAIL and meta.json, the time-only mode. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "json.h"
#include "wrap.h"

struct run { /* what rank 0 decides for all */
  uint64_t id;
  char directory[sizeof((struct skel_state*)0)->directory];
};

static void read_line(const char* path, char* text, size_t size) {
  text[0] = 0;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  const ssize_t length = read(fd, text, size - 1);
  close(fd);
  text[length > 0 ? length : 0] = 0;
  text[strcspn(text, "\n")] = 0;
}

static void command_line(char* text, size_t size, char* application, size_t application_size) {
  const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  const ssize_t length = fd < 0 ? 0 : read(fd, text, size - 1);
  if (fd >= 0) close(fd);
  text[length > 0 ? length : 0] = 0;
  const char* slash = strrchr(text, '/');
  snprintf(application, application_size, "%s", slash ? slash + 1 : text);
  for (ssize_t i = 0; i + 1 < length; i++)
    if (!text[i]) text[i] = ' ';
}

static void mpi_name(const char** name, char version[64]) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  real.MPI_Get_library_version(text, &length);
  *name = strstr(text, "MPICH") ? "MPICH" : strstr(text, "Open MPI") ? "Open MPI" : "MPI";
  const char* digit = text;
  while (*digit && (*digit < '0' || *digit > '9')) digit++;
  size_t i = 0;
  while (i < 63 && ((digit[i] >= '0' && digit[i] <= '9') || digit[i] == '.')) i++;
  memcpy(version, digit, i);
  version[i] = 0;
}

/* Writes `text` under `name` in the trace directory: first beside it, then renamed. */
static void write_whole(const struct skel_state* s, const char* name, const char* text, size_t length) {
  char path[4400], partial[4420];
  snprintf(path, sizeof path, "%s/%s", s->directory, name);
  snprintf(partial, sizeof partial, "%s.partial", path);
  const int fd = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return;
  const int good = write(fd, text, length) == (ssize_t)length;
  if (close(fd) == 0 && good)
    rename(partial, path);
  else
    unlink(partial);
}

static void choose_run(struct run* run, const char* application) {
  memset(run, 0, sizeof *run);
  if (getrandom(&run->id, sizeof run->id, 0) != sizeof run->id) run->id = skel_monotonic_ns();
  run->id |= 1;
  const char* wanted = getenv("SKELGEN_OUT");
  char here[2048];
  if (wanted && *wanted) {
    snprintf(run->directory, sizeof run->directory, "%s", wanted);
  } else {
    const time_t now = time(NULL);
    struct tm local;
    char stamp[32];
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", localtime_r(&now, &local));
    snprintf(run->directory, sizeof run->directory, "%s/skelgen-%s-%s.trace", getcwd(here, sizeof here) ? here : ".",
             application, stamp);
  }
}

static void write_meta(const struct skel_state* s, const char* command) {
  static char text[16384];
  struct skel_json json = {.text = text, .size = sizeof text};
  const char* name;
  char version[64], started[32];
  const time_t now = time(NULL);
  struct tm utc;
  mpi_name(&name, version);
  strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  skel_json_add(&json,
                "{\"format\":%d,\"run_id\":\"%016llx\",\"ranks\":%d,\"mpi\":{\"name\":\"%s\",\"version\":\"%s\"},"
                "\"application\":",
                SKT_VERSION, (unsigned long long)s->run_id, s->ranks, name, version);
  skel_json_string(&json, s->application);
  skel_json_add(&json, ",\"started\":\"%s\",\"command\":", started);
  const size_t before = json.length;
  skel_json_string(&json, command);
  if (json.full) {
    json.full = 0;
    json.length = before;
    skel_json_add(&json, "\"\"");
  }
  skel_json_add(&json, "}\n");
  write_whole(s, "meta.json", text, json.length);
}

static size_t head_json(const struct skel_state* s, const char* command, char* text, size_t size) {
  struct skel_json json = {.text = text, .size = size};
  const char* name;
  char version[64], host[256] = "", boot[64];
  mpi_name(&name, version);
  gethostname(host, sizeof host - 1);
  read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
  skel_json_add(&json, "{\"format\":%d,\"rank\":%d,\"ranks\":%d,\"run_id\":\"%016llx\",\"host\":", SKT_VERSION, s->rank,
                s->ranks, (unsigned long long)s->run_id);
  skel_json_string(&json, host);
  skel_json_add(&json, ",\"boot_id\":\"%s\",\"pid\":%d,\"mpi\":{\"name\":\"%s\",\"version\":\"%s\"},", boot,
                (int)s->pid, name, version);
  skel_json_add(&json, "\"clock\":{\"kind\":\"%s\",\"origin_ticks\":%llu,\"pairs\":[[%llu,%llu],[%llu,%llu]]},",
                s->tsc ? "tsc" : "monotonic", (unsigned long long)s->origin, (unsigned long long)s->origin,
                (unsigned long long)s->origin_ns, (unsigned long long)s->init_end, (unsigned long long)s->init_end_ns);
  skel_json_add(&json, "\"columns\":[");
  for (uint32_t c = 0; c < s->columns; c++) {
    if (c) skel_json_add(&json, ",");
    skel_json_string(&json, s->column_name[c]);
  }
  skel_json_add(&json, "],\"record_cost_ticks\":%llu,\"init_entry_ticks\":%llu,\"init_exit_ticks\":%llu,",
                (unsigned long long)s->record_cost, (unsigned long long)s->init_begin, (unsigned long long)s->init_end);
  skel_json_add(&json, "\"speeds\":{\"register\":%.6e,\"memory\":%.6e},\"application\":", s->speed_register,
                s->speed_memory);
  skel_json_string(&json, s->application);
  skel_json_add(&json, ",\"command\":");
  const size_t before = json.length;
  skel_json_string(&json, command);
  if (json.full) {
    json.full = 0;
    json.length = before;
    skel_json_add(&json, "\"\"");
  }
  skel_json_add(&json, "}");
  return json.length;
}

/* What one record costs: the least of many, into memory that is thrown away. */
static uint64_t record_cost(struct skel_thread* t) {
  struct skel_state* s = skel_state();
  uint8_t* const at = t->at;
  const uint64_t used = t->chunk ? t->chunk->header->used : 0, last_end = t->last_end, calls = t->calls,
                 pause = t->pause;
  uint64_t best = UINT64_MAX;
  if (!t->chunk || (size_t)(t->limit - t->at) < 4096) return 0;
  for (int round = 0; round < 200; round++) {
    const uint64_t begin = skel_ticks(s->tsc);
    for (int i = 0; i < 8; i++) {
      const uint64_t now = skel_ticks(s->tsc);
      skel_key_begin(t, (uint32_t)t->key[0]);
      uint8_t* end = skel_event(t, now, now, 16);
      if (!end) break;
      skel_commit(t, end);
      t->at = at;
    }
    const uint64_t cost = (skel_ticks(s->tsc) - begin) / 8;
    if (round > 8 && cost < best) best = cost;
  }
  t->at = at;
  t->chunk->header->used = used;
  t->last_end = last_end;
  t->calls = calls;
  t->pause = pause;
  return best == UINT64_MAX ? 0 : best;
}

void skel_before_init(void) { skel_state()->init_begin_ns = skel_monotonic_ns(); }

void skel_after_init(struct skel_thread* t, uint64_t begin, uint64_t end) {
  struct skel_state* s = skel_state();
  static char command[8192], head[16384];
  struct run run;
  s->init_begin = begin;
  s->init_end = end;
  s->init_end_ns = skel_monotonic_ns();
  if (real.MPI_Comm_rank(MPI_COMM_WORLD, &s->rank) || real.MPI_Comm_size(MPI_COMM_WORLD, &s->ranks)) return;
  command_line(command, sizeof command, s->application, sizeof s->application);
  choose_run(&run, s->application);
  if (real.MPI_Bcast(&run, (int)sizeof run, MPI_BYTE, 0, MPI_COMM_WORLD)) return;
  s->run_id = run.id;
  memcpy(s->directory, run.directory, sizeof s->directory);
  if (s->mode == SKEL_MODE_TIME) return;
  if (mkdir(s->directory, 0777) != 0 && errno != EEXIST) {
    snprintf(s->error, sizeof s->error, "%.180s: %s", s->directory, strerror(errno));
    atomic_store(&s->recording, 0);
    if (s->rank == 0) fprintf(stderr, "skelgen: %s; nothing is recorded\n", s->error);
    return;
  }
  skel_probe_speed(s);
  s->record_cost = record_cost(t);
  if (s->rank == 0) write_meta(s, command);
  head_json(s, command, head, sizeof head);
  if (skel_file_open(s, head)) {
    fprintf(stderr, "skelgen: %s; nothing is recorded for rank %d\n", s->error, s->rank);
    return;
  }
  skel_define_comm(t, MPI_COMM_WORLD);
  skel_define_comm(t, MPI_COMM_SELF);
  t->pause = skel_ticks(s->tsc) - end; /* all of this was ours */
  skel_sample_begin(s);
}

void skel_before_finalize(struct skel_thread* t) {
  struct skel_state* s = skel_state();
  s->finalize_begin = skel_ticks(s->tsc);
  s->finalize_begin_ns = skel_monotonic_ns();
  (void)t;
}

static void close_trace(struct skel_state* s, const char* how) {
  static char text[4096];
  struct skel_json json = {.text = text, .size = sizeof text};
  uint64_t calls = 0, dropped = 0;
  for (struct skel_thread* t = atomic_load(&s->threads); t; t = t->next) {
    calls += t->calls;
    dropped += t->dropped;
  }
  if (!s->working_set) s->working_set = skel_peak_memory();
  const uint64_t ticks = skel_ticks(s->tsc), ns = skel_monotonic_ns();
  skel_json_add(&json, "{\"calls\":%llu,\"dropped\":%llu,\"clock_pair\":[%llu,%llu],", (unsigned long long)calls,
                (unsigned long long)dropped, (unsigned long long)ticks, (unsigned long long)ns);
  skel_json_add(&json, "\"finalize_entry_ticks\":%llu,\"finalize_exit_ticks\":%llu,\"working_set_bytes\":%llu,",
                (unsigned long long)s->finalize_begin, (unsigned long long)s->finalize_end,
                (unsigned long long)s->working_set);
  skel_json_add(&json, "\"speeds\":{\"register\":%.6e,\"memory\":%.6e},\"exit\":\"%s\"}", s->speed_register,
                s->speed_memory, how);
  skel_file_close(s, text);
  if (s->error[0])
    fprintf(stderr, "skelgen: rank %d: %s; %llu of its %llu calls are missing in the trace\n", s->rank, s->error,
            (unsigned long long)dropped, (unsigned long long)(calls));
}

static void write_times(const struct skel_state* s, uint64_t finalize_end_ns) {
  char text[512], name[64];
  struct skel_json json = {.text = text, .size = sizeof text};
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  skel_json_add(&json, "{\"rank\":%d,\"ranks\":%d,\"host\":", s->rank, s->ranks);
  skel_json_string(&json, host);
  skel_json_add(&json,
                ",\"init_entry_ns\":%llu,\"init_exit_ns\":%llu,\"finalize_entry_ns\":%llu,\"finalize_exit_ns\":%llu}\n",
                (unsigned long long)s->init_begin_ns, (unsigned long long)s->init_end_ns,
                (unsigned long long)s->finalize_begin_ns, (unsigned long long)finalize_end_ns);
  snprintf(name, sizeof name, "time-%06d.json", s->rank);
  write_whole(s, name, text, json.length);
}

void skel_after_finalize(struct skel_thread* t, uint64_t end) {
  struct skel_state* s = skel_state();
  (void)t;
  s->finalize_end = end;
  if (s->mode == SKEL_MODE_TIME)
    write_times(s, skel_monotonic_ns());
  else
    close_trace(s, "finalize");
}

void skel_before_abort(struct skel_thread* t) {
  (void)t;
  if (skel_state()->mode == SKEL_MODE_RECORD) close_trace(skel_state(), "abort");
}

/* The program ends without MPI_Finalize, but in an orderly way. */
__attribute__((destructor)) static void at_exit(void) {
  struct skel_state* s = skel_state();
  if (s->mode == SKEL_MODE_RECORD && s->fd >= 0 && s->pid == getpid()) close_trace(s, "exit");
}
