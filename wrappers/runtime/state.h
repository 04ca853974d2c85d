/* Data of the capture library: streams of threads, the state of a rank. No functions; ranks.h finds the caller's. */
#ifndef SKEL_STATE_H
#define SKEL_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "clock.h"
#include "skel_kernel_names.h"
#include "skt_format.h"

#define SKEL_LIKELY(x) __builtin_expect(!!(x), 1)
#define SKEL_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define SKEL_COLD __attribute__((noinline, cold))
#define SKEL_MAX_COUNTERS 16
#define SKEL_MOST_FUNCTIONS 2048

struct skel_entry {
  uint64_t hash; /* 0: free */
  uint64_t id;
};

/* Open addressing, at most half full; `size` is a power of two. Ids of signatures are those of the file + 1: 0 is `not
 * there`. */
struct skel_table {
  struct skel_entry* entries;
  uint64_t size, used;
};

/* What a call still needs while user functions that it calls back make calls of their own. */
struct skel_outer {
  size_t room;
  uint64_t* scratch;
  size_t scratch_bytes;
  uint64_t site;
};
#define SKEL_DEPTH 8

/* What one thread records. */
struct skel_stream {
  struct skel_stream* next; /* with the counts: stays when another thread takes the stream of one that has ended */
  uint64_t calls, dropped;
  uint8_t *pos, *limit; /* free part of the open chunk */
  struct skt_chunk_header* chunk;
  uint64_t last;            /* tick at which the last recorded call (or a pause after it) ended */
  uint64_t next_check;      /* tick at which skel_check has something to do */
  uint64_t address;         /* last recorded buffer address */
  uint64_t core_wait;       /* what SKT_TAG_CORE_WAIT has, + 1: is written when the file is completed; 0: is not */
  uint64_t suspended_calls; /* made while MPI_Pcontrol(0) holds, not recorded */
  uint64_t begin;           /* tick at which the call began that is being made */
  size_t room;              /* what it may write */
  int depth;                /* how many calls wait for user functions to return */
  const void* outermost;    /* where its thread's first function returns to, if known */
  struct skel_table signatures;
  uint32_t signature_count;
  uint32_t thread, sequence;
  int columns; /* counters per event */
  int counter_set;
  int stopped;  /* nothing is recorded any more */
  int numbered; /* `thread` is its number */
  uint64_t at;  /* where its chunk is in the file; 0: not there yet */
  size_t kept;  /* room below the limit for the calls that wait */
  struct skel_outer outer[SKEL_DEPTH];
  uint64_t counters_before[SKEL_MAX_COUNTERS], counters_gap[SKEL_MAX_COUNTERS];
  size_t mapped; /* bytes of the mapping that holds `chunk`; 0: not ours to unmap */
  uint64_t* scratch;
  size_t scratch_bytes;
  uint8_t functions[SKEL_MOST_FUNCTIONS / 8]; /* which functions are defined in this stream */
};

/* Of a thread, or with SMPI of a rank. */
struct skel_own {
  struct skel_stream *self, *stream; /* see ranks.h; what `self` is outside of calls */
  struct skel_stream* writing;       /* of threads: whose record is being written, see record.h */
  int suspended;                     /* by MPI_Pcontrol */
#ifdef SKEL_SMPI
  int measured; /* by SMPI: between MPI_Init and MPI_Finalize */
  int in_call;  /* that ended computation */
  int wildcards;
#endif
};

enum skel_mode { SKEL_RECORD, SKEL_TIME };
enum skel_phase { SKEL_BEFORE, SKEL_OPEN, SKEL_CLOSED }; /* of the record file: not made yet, growing, no more */

struct skel_speeds {
  double flops; /* of a simulated host, a second */
  struct skel_speed of[SKEL_KERNELS];
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
  int64_t core_wait_ns[2]; /* see skel_core_wait_ns: when MPI_Init has ended, and MPI_Finalize */
  uint64_t working_set;
  int working_set_step;
  struct skel_speeds speeds;
  int failure;      /* errno with which recording stopped */
  char of_whom[32]; /* " of rank 3": for messages */
  char library[256];
};

#endif
