/* From MPI_Init to MPI_Finalize: what is set up, when, and how recording ends. */
#include "lifecycle.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "callers.h"
#include "core_wait.h"
#include "describe.h"
#include "fortran.h"
#include "front.h"
#include "probe.h"
#include "wrapper_parts.h"

struct skel_pmpi skel_pmpi, skel_next;

/* Agreed on by all ranks right after MPI_Init. */
struct agreement {
  uint64_t run_id;
  int record;
  char directory[4096];
};

static void name_directory(char* directory, size_t bytes) {
  char stamp[32];
  const time_t now = time(NULL);
  struct tm local;
  localtime_r(&now, &local);
  strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
  snprintf(directory, bytes, "skelgen-%s-%s.trace", skel_application(), stamp);
  if (mkdir(directory, 0777) && errno == EEXIST) /* of a job that began in the same second */
    snprintf(directory, bytes, "skelgen-%s-%s-%ld.trace", skel_application(), stamp, (long)getpid());
}

/* The program may change its working directory. */
static void make_absolute(char* directory, size_t bytes) {
  char here[4096], whole[8192];
  if (!directory[0] || directory[0] == '/' || !getcwd(here, sizeof here)) return;
  const int length = snprintf(whole, sizeof whole, "%s/%s", here, directory);
  if (length > 0 && (size_t)length < bytes) memcpy(directory, whole, (size_t)length + 1);
}

/* "record" or "time", and where skelgen has started the program, the run's number: "record:1f83d9abfb41bd6b". */
static int mode_is(const char* name) {
  const char* const mode = getenv("SKELGEN_MODE");
  return mode && strcspn(mode, ":") == strlen(name) && !strncmp(mode, name, strlen(name));
}

static uint64_t given_run(void) {
  const char* const mode = getenv("SKELGEN_MODE");
  const char* const colon = mode ? strchr(mode, ':') : NULL;
  return colon ? strtoull(colon + 1, NULL, 16) : 0;
}

/* skelgen gives every run a directory of its own. A script may start a second program, or a rank one of its own: they
 * would overwrite the first one's files. What is there before MPI_Init is another program's: a program's own first file
 * is written when its ranks have been in MPI_Init. */
static int is_taken(const struct skel_process* process) {
  char path[sizeof process->directory + 32];
  snprintf(path, sizeof path, "%s/%s", process->directory,
           process->mode == SKEL_RECORD ? "meta.json" : "time-000000.json");
  return process->given_run && access(path, F_OK) == 0;
}

static void tell_of_second(const char* becomes, const char* verb) {
  skel_say("%s: the second MPI program that was started; only the first one is %s: %s them one by one",
           skel_application(), becomes, verb);
}

static void decide(struct agreement* common, int tell) {
  if (common->record && skel_state()->taken) {
    common->record = 0;
    if (tell) tell_of_second("recorded", "trace");
  }
  common->run_id = skel_state()->given_run;
  if (!common->run_id && getrandom(&common->run_id, sizeof common->run_id, 0) != sizeof common->run_id)
    common->run_id = (uint64_t)time(NULL) << 16 ^ (uint64_t)getpid();
  if (!common->run_id) common->run_id = 1;
  if (!skel_state()->directory[0]) name_directory(common->directory, sizeof common->directory);
}

/* Where skelgen has given the run's number and the directory, every rank knows them: no message is needed, which ranks
 * without this library would not take. */
static void agree(void) {
  struct skel_process* const process = skel_state();
#ifdef SKEL_SMPI /* all ranks see this; no message that the program did not send */
  static struct agreement common = {.record = 1};
  if (!common.run_id) decide(&common, 1);
#else
  struct agreement common = {.record = 1};
  const int known = process->given_run && process->directory[0];
  if (known || process->rank == 0) {
    MPI_Comm parent = MPI_COMM_NULL;
    skel_pmpi.MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
      common.record = 0; /* their ranks would overwrite the files of the program that spawned them */
      if (process->rank == 0)
        skel_say("%s: spawned by MPI_Comm_spawn; such processes are not recorded", skel_application());
    }
    decide(&common, process->rank == 0);
  }
  if (!known) skel_pmpi.MPI_Bcast(&common, sizeof common, MPI_BYTE, 0, MPI_COMM_WORLD);
#endif
  process->run_id = common.run_id;
  if (!process->directory[0]) {
    memcpy(process->directory, common.directory, sizeof process->directory);
    make_absolute(process->directory, sizeof process->directory);
  }
  if (!common.record) skel_set_phase(SKEL_CLOSED);
}

static void write_meta(void) {
  const struct skel_process* const process = skel_state();
  static struct skel_text meta;
  char started[32];
  const time_t now = time(NULL);
  struct tm utc;
  gmtime_r(&now, &utc);
  strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &utc);
  meta.length = 0;
  skel_add(&meta, "{\"format\":%d,\"run_id\":\"%016llx\",\"ranks\":%d,", SKT_VERSION,
           (unsigned long long)process->run_id, process->ranks);
  skel_add_mpi(&meta);
  skel_add(&meta, ",\"application\":");
  skel_add_string(&meta, skel_application());
  skel_add(&meta, ",\"command\":");
  skel_add_command(&meta);
  skel_add(&meta, ",\"started\":\"%s\"}\n", started);
  const int problem = skel_write_file(process->directory, "meta.json", &meta);
  if (problem)
    skel_say("%s/meta.json: cannot be written (%s); choose another directory with -o or SKELGEN_OUT",
             process->directory, strerror(problem));
}

/* Opens the file and moves there what was recorded until now. */
static void open_file(struct skel_stream* s) {
  struct skel_process* const process = skel_state();
  struct skt_chunk_header* const early_chunk = s->chunk;
  const uint8_t* const early = (uint8_t*)(early_chunk + 1);
  const size_t early_bytes = (size_t)(s->pos - early), early_mapped = s->mapped;
  static struct skel_text head;
  head.length = 0;
  skel_describe_begin(&head);
  char name[32];
  snprintf(name, sizeof name, "rank-%06d.skt", process->rank);
  snprintf(process->of_whom, sizeof process->of_whom, " of rank %d", process->rank);
  int problem = skel_sink_open(name, &head);
  s->mapped = 0; /* it is still needed when the stream has its chunk */
  if (!problem) problem = skel_sink_chunk(s, early_bytes + SKEL_EVENT_ROOM); /* and what is written around it */
  if (problem) {
    skel_set_phase(SKEL_CLOSED);
    if (process->file >= 0) {
      close(process->file);
      unlink(process->path);
    }
    skel_say("%s: cannot be written (%s); rank %d goes on unrecorded; choose another directory with SKELGEN_OUT",
             process->path, strerror(problem), process->rank);
    return;
  }
  skel_set_phase(SKEL_OPEN);
  skel_define_world(s);
  memcpy(s->pos, early, early_bytes);
  skel_commit(s, s->pos + early_bytes);
  if (early_mapped) munmap(early_chunk, early_mapped);
}

static void start_recording(struct skel_stream* s, uint64_t since) {
  struct skel_process* const process = skel_state();
  if (!s) {
    skel_set_phase(SKEL_CLOSED);
    skel_say(
        "%s: rank %d called MPI_Init from another thread than its first MPI call, or after too many calls, or has no "
        "memory; it goes on unrecorded",
        skel_application(), process->rank);
  }
  skel_fortran_try();
  agree();
  if (skel_phase() == SKEL_CLOSED) return;
  open_file(s);
  if (skel_phase() != SKEL_OPEN) return;
  if (process->rank == 0) write_meta(); /* only now: of two programs at once the other one may have made the file */
  skel_plan_check(s);
  skel_pause(s, since);
  skel_leave(s);
  skel_tell_profile(SKEL_PROFILE_BEGIN, process->rank);
}

/* A launcher of another MPI starts processes that do not find each other. Returns how many, or 0. */
static int count_alone(void) {
#ifdef SKEL_SMPI
  return 0;
#else
#ifdef MPICH
  static const char variable[] = "OMPI_COMM_WORLD_SIZE";
#else
  static const char variable[] = "PMI_SIZE";
#endif
  const char* const size = getenv(variable);
  return size && skel_state()->ranks == 1 && atoi(size) > 1 ? atoi(size) : 0;
#endif
}

/* At once, because a rank that is alone may wait for ever for another one. Where skelgen has started the program it says at
 * the end what to do: src/trace/alone.h. */
static void tell_of_alone(int processes) {
#ifdef MPICH
  static const char mpi[] = "MPICH", launcher[] = "Open MPI";
#else
  static const char mpi[] = "Open MPI", launcher[] = "MPICH";
#endif
  const struct skel_process* const process = skel_state();
  const char* const rank = skel_rank_in_environment();
  static struct skel_text text;
  text.length = 0;
  skel_add(&text, "{\"mpi\":\"%s\",\"launcher\":\"%s\",\"processes\":%d}\n", mpi, launcher, processes);
  const int first = !rank || !strcmp(rank, "0");
  if (process->given_run && process->directory[0] && !skel_write_file(process->directory, "alone.json", &text)) {
    if (first)
      skel_say("%s: %d processes run alone, each as rank 0 of 1; end it if it waits for other ranks",
               skel_application(), processes);
  } else if (first)
    skel_say(
        "%s: %d processes each ran alone: the program is %s's, the launcher %s's; start it with the launcher of %s",
        skel_application(), processes, mpi, launcher, mpi);
}

static uint32_t signature_of(struct skel_stream* s, int function, int64_t value, int has_value) {
  const struct skel_value values[] = {{value, NULL, 0}};
  const uint64_t hash = skel_mix(0, (uint64_t)function, (uint64_t)value);
  const uint32_t id = skel_find(&s->signatures, hash);
  return id ? id : skel_define(s, hash, function, has_value ? values : NULL);
}

int skel_initialize(int function, int required, struct skel_call call) {
  struct skel_process* const process = skel_state();
  if (process->init_entry_ns) return call.make(call.with); /* a second time: MPI will say what it thinks of it */
  struct skel_stream* s = NULL;
  uint32_t id = 0;
  if (process->mode == SKEL_RECORD) {
    /* Before the clock of the run starts. */
    const uint64_t since = skel_ticks();
    skel_probe_speeds(&process->speeds);
    skel_calibrate();
    s = skel_enter();
    if (s) {
      s->outermost = skel_outermost();
      if (skel_room(s, SKEL_EVENT_ROOM)) skel_pause(s, since);
      id = signature_of(s, function, required, function == SKEL_MPI_Init_thread);
      if (!id || !skel_room(s, SKEL_EVENT_ROOM)) s = NULL;
    }
  }
  process->taken = is_taken(process);
  process->clock[0] = skel_clock_read_pair();
  if (s && s->columns) skel_read_counters_before(s, NULL);
  process->init_entry_ns = skel_nanoseconds();
  process->init_entry = skel_ticks();
  const int result = call.make(call.with);
  process->init_exit = skel_ticks();
  process->init_exit_ns = skel_nanoseconds();
  process->clock[1] = skel_clock_read_pair();
  process->core_wait_ns[0] = skel_core_wait_ns(SKEL_MAIN_THREAD);
  if (result != MPI_SUCCESS) return result;
#ifdef SKEL_SMPI
  skel_own()->measured = skel_own()->in_call = 1;
#endif
  skel_pmpi.MPI_Comm_rank(MPI_COMM_WORLD, &process->rank);
  skel_pmpi.MPI_Comm_size(MPI_COMM_WORLD, &process->ranks);
  const int alone = process->mode == SKEL_RECORD || process->mode == SKEL_TIME ? count_alone() : 0;
  if (alone) {
    process->taken = 1; /* nothing is written */
    skel_set_phase(SKEL_CLOSED);
    tell_of_alone(alone);
  } else if (process->mode == SKEL_RECORD) {
    if (s) {
      skel_count(s);
      skel_commit(s, skel_event(s, id, process->init_entry, process->init_exit));
    }
    start_recording(s, process->init_exit);
  } else if (process->taken && process->rank == 0) {
    tell_of_second("timed", "time");
  }
  skel_computation_goes_on();
  return result;
}

static void write_times(void) {
  const struct skel_process* const process = skel_state();
  static struct skel_text times;
  char name[32], host[256] = "";
  skel_host_name(host, sizeof host);
  times.length = 0;
  snprintf(name, sizeof name, "time-%06d.json", process->rank);
  skel_add(&times, "{\"rank\":%d,\"ranks\":%d,\"host\":", process->rank, process->ranks);
  skel_add_string(&times, host);
  skel_add(&times,
           ",\"clock\":\"%s\",\"init_entry_ns\":%llu,\"init_exit_ns\":%llu,\"finalize_entry_ns\":%llu,\"finalize_exit_"
           "ns\":%llu}\n",
           skel_clock_kind(), (unsigned long long)process->init_entry_ns, (unsigned long long)process->init_exit_ns,
           (unsigned long long)process->finalize_entry_ns, (unsigned long long)process->finalize_exit_ns);
  const int problem = skel_write_file(process->directory, name, &times);
  if (problem)
    skel_say("%s/%s: cannot be written (%s); choose another directory with SKELGEN_OUT", process->directory, name,
             strerror(problem));
}

int skel_finalize(struct skel_call call) {
  struct skel_process* const process = skel_state();
  skel_stream_resume();
  struct skel_stream* s = process->mode == SKEL_RECORD ? skel_enter() : NULL;
  uint32_t id = 0;
  if (s) {
    skel_may_wait(s);
    id = signature_of(s, SKEL_MPI_Finalize, 0, 0);
    if (!id || !skel_room(s, SKEL_EVENT_ROOM)) s = NULL;
  }
  if (s && s->columns) skel_read_counters_before(s, NULL);
  skel_call_begins();
  process->finalize_entry_ns = skel_nanoseconds();
  process->finalize_entry = skel_ticks();
  if (s) s->begin = process->finalize_entry;
  const int result = call.make(call.with);
  process->finalize_exit = skel_ticks();
  process->finalize_exit_ns = skel_nanoseconds();
  process->core_wait_ns[1] = skel_core_wait_ns(SKEL_MAIN_THREAD);
#ifdef SKEL_SMPI
  skel_own()->measured = skel_own()->in_call = 0;
#endif
  if (s) {
    skel_count(s);
    skel_commit(s, skel_event(s, id, process->finalize_entry, process->finalize_exit));
  }
  if (process->mode == SKEL_RECORD) skel_sink_close("finalize", skel_describe_end);
  if (process->mode == SKEL_TIME && process->init_entry_ns && !process->taken) write_times();
  return result;
}

int skel_abort(MPI_Comm comm, int errorcode, struct skel_call call) {
  skel_stream_resume();
  struct skel_stream* const s = skel_enter();
  if (s) { /* it will not come back: written before the call */
    skel_may_wait(s);
    const struct skel_value values[] = {{skel_comm(comm), NULL, 0}, {errorcode, NULL, 0}};
    const uint64_t hash = skel_mix(skel_mix(0, SKEL_MPI_Abort, (uint64_t)errorcode), (uint64_t)values[0].scalar, 0);
    uint32_t id = skel_find(&s->signatures, hash);
    if (!id) id = skel_define(s, hash, SKEL_MPI_Abort, values);
    if (id && skel_room(s, SKEL_EVENT_ROOM)) {
      const uint64_t now = skel_begin(s);
      skel_count(s);
      skel_commit(s, skel_event(s, id, now, now));
    }
  }
  skel_sink_close("abort", skel_describe_end);
  return call.make(call.with);
}

struct skel_control skel_control_begin(int level) {
  if (level) skel_stream_resume();
  struct skel_control now = {skel_enter(), 0, 0, level};
  if (!now.stream) return now;
  now.signature = signature_of(now.stream, SKEL_MPI_Pcontrol, level, 1);
  if (now.signature && skel_room(now.stream, SKEL_EVENT_ROOM)) now.begin = skel_begin(now.stream);
  return now;
}

void skel_control_end(struct skel_control now) {
  if (!now.begin) return;
  skel_event_end(now.stream, skel_event(now.stream, now.signature, now.begin, skel_ticks()));
  if (!now.level) skel_stream_suspend();
}

/* MPI runs, but its start did not come by here: a Fortran compiler that writes names in another way. */
static void tell_of_unseen_start(void) {
  const struct skel_process* const process = skel_state();
  const char* const rank = skel_rank_in_environment();
  int running = 0;
  if (process->mode != SKEL_RECORD || skel_phase() != SKEL_BEFORE || process->init_entry_ns) return;
  if (rank && strcmp(rank, "0")) return;
  if (skel_pmpi.MPI_Initialized && skel_pmpi.MPI_Initialized(&running) == MPI_SUCCESS && running)
    skel_say(
        "%s: its MPI_Init was not seen, so nothing was recorded (its compiler names MPI's Fortran routines in a way "
        "that is not known)",
        skel_application());
}

static void end_rank(void) {
  tell_of_unseen_start();
  skel_sink_close("exit", skel_describe_end);
}

/* The program ends, perhaps without MPI_Finalize. */
__attribute__((destructor)) static void at_exit(void) { skel_each_rank(end_rank); }

void skel_lifecycle_begin(void) {
  struct skel_process* const process = skel_state();
  const char *const out = getenv("SKELGEN_OUT"), *const online = getenv("SKELGEN_ONLINE");
  process->online = online && !strcmp(online, "1");
  process->mode = mode_is("time") ? SKEL_TIME : SKEL_RECORD;
  process->given_run = given_run();
  process->file = -1;
  if (out && strlen(out) < sizeof process->directory) strcpy(process->directory, out);
  if (process->mode == SKEL_TIME && !process->directory[0]) strcpy(process->directory, ".");
  make_absolute(process->directory, sizeof process->directory);
  int length = 0;
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  if (skel_pmpi.MPI_Get_library_version) skel_pmpi.MPI_Get_library_version(library, &length);
  snprintf(process->library, sizeof process->library, "%s", library);
  if (process->mode == SKEL_RECORD) skel_stream_main();
}

void skel_lifecycle_start(void) {
  skel_clock_choose();
  if (!mode_is("time")) skel_counters_choose();
#ifdef SKEL_SMPI
  struct rlimit files; /* one for each rank */
  if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
#endif
  skel_ranks_begin(skel_lifecycle_begin);
  if (skel_state()->mode == SKEL_RECORD) pthread_atfork(NULL, NULL, skel_forget_after_fork);
}
