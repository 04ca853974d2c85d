/* The capture state of a process and the parts of the back end behind the wrappers. */
#ifndef SKEL_BACKEND_H
#define SKEL_BACKEND_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "stream.h"

enum skel_mode { SKEL_RECORD, SKEL_TIME };
enum skel_phase { SKEL_BEFORE, SKEL_OPEN, SKEL_CLOSED }; /* of the record file: not made yet, growing, no more */

struct skel_speeds {
  double register_rate; /* iterations per second */
  double memory_rate;   /* bytes per second */
};

struct skel_process {
  enum skel_mode mode;
  enum skel_phase phase;
  int rank, ranks;
  uint64_t run_id;
  char directory[4096], path[4160];
  int file, closing;
  uint64_t given_run;     /* by skelgen; 0: the ranks agree on one */
  int taken;              /* the directory has another program's files */
  int online;             /* what is recorded is read meanwhile, and may be given back */
  uint64_t device, inode; /* of the file */
  uint64_t file_end, first_chunk;
  uint32_t threads;
  struct skel_stream* streams; /* all threads' */
  uint64_t origin;             /* tick at which every stream begins */
  uint64_t init_entry, init_exit, finalize_entry, finalize_exit;
  uint64_t init_entry_ns, init_exit_ns, finalize_entry_ns, finalize_exit_ns;
  struct skel_clock_pair clock[2]; /* at Init's entry and exit */
  uint64_t record_cost, cpu_cost_ns;
  uint64_t working_set;
  int working_set_step;
  struct skel_speeds speeds;
  int failure; /* errno with which recording stopped */
  char library[256];
};

/* The one way to the state. */
struct skel_process* skel_state(void);

static inline enum skel_phase skel_phase(void) { return __atomic_load_n(&skel_state()->phase, __ATOMIC_ACQUIRE); }
static inline void skel_set_phase(enum skel_phase phase) {
  __atomic_store_n(&skel_state()->phase, phase, __ATOMIC_RELEASE);
}

/* stream.c */
void skel_stream_main(void);
void skel_pause(struct skel_stream* s, uint64_t since);
int skel_mark(struct skel_table* table, uint64_t hash, uint64_t id); /* 1: added, 0: was there, -1: no memory */
void skel_calibrate(void);
void skel_forget_after_fork(void);
/* Of the calling thread. Time that passes suspended is a gap. */
void skel_stream_suspend(void);
void skel_stream_resume(void);

/* file.c */
int skel_file_open(void); /* 0 or errno */
int skel_chunk_open(struct skel_stream* s, size_t payload);
void skel_stream_close(struct skel_stream* s);
void skel_file_close(const char* how);

/* callers.c */
int skel_is_program(const void* address); /* whether the program's code goes on there, and not the MPI's or a tool's */
void skel_is_tool(const void* function);  /* or NULL: it belongs to another tool */
struct skel_text;
/* Where the program goes on behind the call that is being made: the first place on the stack that is neither the MPI's
 * nor a tool's; 0 if there is none. Takes microseconds. */
uint64_t skel_call_site(void);
void skel_add_modules(struct skel_text* t); /* a JSON array of what such places are in */
/* Where the calling thread's first function returns to; NULL if that is not known. */
const void* skel_outermost(void);
/* Whether the calling thread, with that outermost place, is in no other call any more: it was left by a jump or an
 * exception. False where that is not sure. */
int skel_was_left(const void* outermost);

/* define.c */
void skel_define_world(struct skel_stream* s);

/* probe.c */
struct skel_speeds skel_probe_speeds(void);
void skel_plan_check(struct skel_stream* s); /* when MPI has started */
uint64_t skel_peak_memory(void);

/* counters.c */
void skel_counters_choose(void);
/* Returns how many. The first gap's time on a processor counts from now on, or since_birth of the thread. */
int skel_counters_start(struct skel_stream* s, int since_birth);
void skel_counters_end(struct skel_stream* s); /* its thread ends */
const char* skel_counter_name(int i);
int skel_counter_count(void);
int skel_records_sites(void);
uint64_t skel_counter_cpu(const struct skel_stream* s); /* nanoseconds of the last gap, 0 if they are not recorded */

/* report.c: JSON and lines for people */
struct skel_text {
  char bytes[16384];
  size_t length;
};
void skel_add(struct skel_text* t, const char* format, ...) __attribute__((format(printf, 2, 3)));
void skel_add_string(struct skel_text* t, const char* value);
void skel_add_command(struct skel_text* t);
const char* skel_application(void);
void skel_host_name(char* name, size_t bytes);
void skel_add_mpi(struct skel_text* t);
int skel_write_file(const char* directory, const char* name, const struct skel_text* t); /* 0 or errno */
void skel_say(const char* format, ...) __attribute__((format(printf, 1, 2)));

#endif
