/* Run-time part of a performance skeleton: computation, buffers, phases, the predicted time. Plain C11, needs nothing
 * but MPI. Inside, only PMPI_ functions are used wherever the original program made no call, so that tracing the
 * skeleton shows the original's calls and nothing else. */
#ifndef SKEL_H
#define SKEL_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "skel_kernel_names.h"

#ifdef SKEL_SYNC_SEND /* sends wait for their receivers: what is safe finishes all the same */
#define MPI_Send MPI_Ssend
#define MPI_Isend MPI_Issend
#define MPI_Send_init MPI_Ssend_init
#endif

/* What each thread has for itself, and which one it is: where ranks have several threads, `me` counts those of all
 * ranks in turn, of each the main thread first. */
#ifdef SKEL_THREADS
#define SKEL_LOCAL _Thread_local
extern SKEL_LOCAL int me;
#define SKEL_ME me
#else
#define SKEL_LOCAL
#define SKEL_ME rank
#endif

/* A kept iteration of a cut loop, 1 for the first one that may be left out, and how often its time counts. */
struct skel_chosen {
  long iteration;
  double weight;
};

/* A part of the run that is timed by itself. Of the iterations of a cut loop those run that skel_iteration_kept says, and
 * their time counts as often as skel_weight says, or those of skel_program::chosen, times that of what is around; but the first one of an execution, and
 * `last` at its end, always run in the phase around, the last ones of the top level in the next one. */
struct skel_phase {
  const char* name;
  double cut;     /* the share of K - 1 by which the loop is cut; 0: no loop is, or not by K */
  long longest;   /* most trips of an execution, the first ones that always run counted as one */
  long last;      /* iterations at the end of an execution that always run */
  long least;     /* iterations of an execution that take as long as can be measured, whatever K is */
  double typical; /* how much longer than a kept iteration one after the first took on average */
  int inside;     /* phase that the loop stands in */
  int next;       /* phase that follows the loop; -1: the one around it goes on */
};

/* What is known of a rank's machine and memory at trace time; 0 = unknown. */
struct skel_machine {
  size_t working_set;                  /* bytes that computation passes over */
  double register_speed, memory_speed; /* iterations of `integer`, bytes of `stream_32m` a second; simulated: operations
                                        * a second, 0 */
  const char* processor;               /* as skel_processor names it */
};

/* A file that the traced program used. */
struct skel_scratch {
  long long bytes; /* that it held before; -1: the program makes it itself */
  int rank;        /* that opened it first */
};

/* Before its call number `call` a thread waits until the thread of this number in its rank has made so many calls. */
struct skel_turn {
  long call;
  int thread;
  long calls;
};

/* Tables of many numbers stand packed, as a text, in tables.h; skel_tables.h says how. */
struct skel_table {
  void* where; /* a pointer, which is made to point to them */
  int arrays;  /* 1: to `length` pointers to arrays of numbers */
  int bytes;   /* of a number: 4 (int) or 8 (int64_t) */
  long length;
  const int* of; /* only ranks whose entry in it is `number` need them; NULL: all */
  int number;
};
#define SKEL_LETTERS 4000 /* in a row of the text, with a 0 behind them */
struct skel_packed {
  int tables;
  const struct skel_table* table;
  const char* text;
  size_t letters, bytes; /* without the 0s; what they become */
  uint64_t sum;          /* over these */
};

/* A buffer whose memory is that of all such buffers. */
#define SKEL_SHARED (SIZE_MAX / 2 + 1)

struct skel_program {
  int ranks;    /* that it must be started with */
  double scale; /* K that it was built for */
  int phases;   /* number of entries in phase */
  const struct skel_phase* phase;
  const struct skel_chosen* const*
      chosen;                 /* of each phase whose iterations are of several kinds, with K = scale; or NULL */
  int buffers;                /* buffer slots of a rank */
  int buffer_rows;            /* 1: all ranks and threads have the same sizes; else one row for each of them */
  const size_t* buffer_bytes; /* [buffer_rows][buffers], maybe with SKEL_SHARED */
  int cpu_time;               /* 1: computation is time on a processor; 0: time, no matter who has the processor */
  int recorded_order;         /* 1: messages of any source come in the traced order unless SKEL_WILDCARDS is auto */
  int machine_rows;           /* 1 or one per rank or thread */
  const struct skel_machine* machine;
  const struct skel_speed (*speeds)[SKEL_KERNELS]; /* [machine_rows]: of each kernel at trace time; NULL: unknown */
  int works;
  const double (*work)[SKEL_KERNELS]; /* [works]: of the traced time what each kernel takes; [0] on average over all */
  double unexplained;                 /* share of the computation that these do not explain */
  int files;                          /* that the program uses */
  const struct skel_scratch* file;
  int attached; /* buffer slots that are attached to dynamic windows */
  const int* attached_slot;
  const struct skel_packed* packed; /* NULL: no tables are */
  int simulated;                    /* 1: traced under SimGrid's SMPI, whose times are simulated ones */
  int bsend_overhead;               /* MPI_BSEND_OVERHEAD of the traced MPI */
#ifdef SKEL_THREADS
  int at_once;                    /* 1: threads call MPI at once, as MPI_THREAD_MULTIPLE allows */
  long calls_before;              /* that a main thread has made when the others begin */
  const int* first_thread;        /* [ranks + 1]: of a rank */
  const long* first_turn;         /* [threads of all ranks + 1]: of a thread */
  const struct skel_turn* turn;   /* of all of them */
  const long* calls_of_iteration; /* [phases][threads of all ranks]: of a cut loop */
#endif
};

extern int rank, size;                         /* in MPI_COMM_WORLD, from skel_init on */
extern SKEL_LOCAL char** skel_memory;          /* buffer slots */
extern SKEL_LOCAL MPI_Request skel_no_request; /* MPI_REQUEST_NULL for calls that were given one */

/* In this order: skel_start, MPI_Init, skel_init, the program's calls, skel_report, MPI_Finalize, skel_finish. */
void skel_start(int argc, char** argv);             /* options; the clock starts */
void skel_init(const struct skel_program* program); /* buffers, calibration; its time is not counted */
void skel_report(void);                             /* ends the last phase, gathers the times */
int skel_finish(void);                              /* prints them; the exit status */

#ifdef SKEL_THREADS
/* Around the phases: the rank's other threads run all of this at once, and have ended. */
void skel_begin_threads(void (*run)(void));
void skel_end_threads(void);
/* Right before each call. */
void skel_turn(void);
#endif

/* Spends `seconds` as computation that consists of skel_program::work[work]. What a call spends too much is taken off the
 * next ones: the sum is right. */
void skel_compute_as(double seconds, int work);
static inline void skel_compute(double seconds) { skel_compute_as(seconds, 0); }

/* Spends `seconds`, of which every rank spends `common` at this place: of these only 1 / K and at least 10 ms; the rest
 * is counted. So all ranks are ahead by the same time, and meet as in the original. */
void skel_compute_long_as(double seconds, double common, int work);
static inline void skel_compute_long(double seconds, double common) { skel_compute_long_as(seconds, common, 0); }

/* Computation that varies over a cut loop: for each rank a table of rows x columns numbers, times a unit. Row 0 is the
 * loop's very first iteration, the other rows stand for equal parts of the later ones (a single row: for all), or, with the
 * K that was built for, for those from `begin` on. The columns stand for equal parts of the times that the place is passed in an iteration. */
struct skel_varying {
  const int* numbers;  /* [position][row][column] */
  const double* unit;  /* [position], seconds */
  const long* passes;  /* [position], in an iteration at most */
  const int* position; /* of each rank or thread; NULL: itself */
  long rows, columns;
  long passes_per_execution; /* of the inner loop; each has its own column: see skel_column */
  long iterations;           /* of the loop, without the first one */
  long iteration, at;        /* where it stands; at first 0, 0 */
  const long* begin;         /* of each row; NULL: equal parts */
};
/* Seconds spent in iteration i of the loop when the place is passed next. */
double skel_next(struct skel_varying* place, long i);

/* The iteration of a cut loop that runs after iteration i of `trips`; `trips` behind the last one. Begins the loop's phase
 * after the first iteration and ends it. */
long skel_step(int phase, long i, long trips);
/* The same of a loop that ranks run differently often: on this one `first` iterations, 1 or more, and `last` ones at its end
 * always run. Those between are as many on all ranks. */
long skel_step_between(int phase, long i, long trips, long first, long last);

/* A place in the rank's buffer `slot`: an allocation of its own, as large as in the original. */
static inline void* buf(long slot, size_t offset) { return skel_memory[slot] + offset; }

/* Values that change from one occurrence of a statement to the next: values[k % length], or first + step * k if length
 * is 0. */
struct skel_sequence {
  int64_t first, step;
  long length;
  const int64_t* values;
};
static inline int64_t skel_at(const struct skel_sequence* s, long k) {
  return s->length ? s->values[k % s->length] : s->first + s->step * k;
}
/* Sum of the first k values. Fast if k grows from call to call with the same cursor (which starts as {0, 0}). */
struct skel_cursor {
  long k;
  int64_t sum;
};
int64_t skel_sum(const struct skel_sequence* s, long k, struct skel_cursor* cursor);

/* Values as a sequence holds them -> values of this MPI. */
static inline int skel_peer(int64_t v) {
  return v >= 0 ? (int)v : v == -1 ? MPI_PROC_NULL : v == -2 ? MPI_ANY_SOURCE : MPI_ROOT;
}
static inline int skel_tag(int64_t v) { return v == -1 ? MPI_ANY_TAG : (int)v; }
static inline int skel_color(int64_t v) { return v == -32766 ? MPI_UNDEFINED : (int)v; }
#define SKEL_OFFSET_BITS 40
/* For calls that look at the address of a buffer although it has no data; MPI wants each buffer of a call to have another. */
#define SKEL_NOTHING 3
extern char skel_nothing[SKEL_NOTHING];
/* A buffer as a number: 0 NULL (or `nothing`), 1 MPI_IN_PLACE, else a slot and an offset. */
#define SKEL_AT(slot, offset) (((int64_t)(slot) + 1) << SKEL_OFFSET_BITS | (offset))
void* skel_buffer(int64_t v);
static inline void* skel_buffer_or(int64_t v, void* nothing) { return v ? skel_buffer(v) : nothing; }

/* The caller's rank in a communicator and the communicator's size. */
static inline int rank_in(MPI_Comm comm) {
  int rank;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}
static inline int size_of(MPI_Comm comm) {
  int size;
  PMPI_Comm_size(comm, &size);
  return size;
}
/* The same of a window, whatever became of the communicator that it was made of. */
int rank_in_win(MPI_Win win);
int size_of_win(MPI_Win win);
/* (a mod n) in 0 .. n - 1 */
static inline int skel_mod(int a, int n) { return (a % n + n) % n; }
/* What is no rank of n is MPI_PROC_NULL. */
static inline int skel_rank(int rank, int n) { return rank < 0 || rank >= n ? MPI_PROC_NULL : rank; }
/* The neighbours in a Cartesian communicator that are `by` ranks further down and up in each dimension. */
void skel_neighbours(MPI_Comm comm, int by, int* minus, int* plus);

/* A slot of an array whose slot `none` is for those that get nothing. */
static inline int64_t skel_slot(int64_t slot, int64_t none) { return slot < 0 ? none : slot; }

/* A request slot; the null request if slot < 0. */
static inline MPI_Request* skel_request(MPI_Request* all, int64_t slot) {
  return slot < 0 ? &skel_no_request : &all[slot];
}

/* A slot of a message that a probe matched; if slot < 0 the null message, or MPI_MESSAGE_NO_PROC for -2. */
MPI_Message* skel_message(MPI_Message* all, int64_t slot);

/* The requests all[slots[0 .. n-1]] (a slot < 0: the null request) side by side, until skel_put_back returns them to
 * their slots. */
MPI_Request* skel_pick(MPI_Request* all, int n, const int* slots);
void skel_put_back(MPI_Request* all);

/* The group of these ranks of MPI_COMM_WORLD; valid until the next call of this function. */
MPI_Group skel_group(int n, const int* members);
/* A slot of a group; if slot < 0 a group of all ranks, which is none of `all`, instead of one that was made by a call
 * that is not replayed: its size and members said nothing about communication. */
MPI_Group* skel_made_group(MPI_Group* all, int64_t slot);

/* The address of a copy of a datatype, valid until the next call of this function: for calls that want one of a
 * predefined datatype. */
MPI_Datatype* skel_type(MPI_Datatype datatype);
/* A copy of a list of n datatypes (n = 0: of one), valid until the next call of this function for the same slot of
 * requests and the same `list`, the number of the list in the call. */
const MPI_Datatype* skel_keep_types(long slot, int list, int n, const MPI_Datatype* types);
/* MPI_Type_free of a datatype that was returned by a call that is not replayed. */
void skel_type_free(void);
/* Stands for all reduction operations of the program's own: touches nothing. */
void skel_no_reduction(void* in, void* inout, int* n, MPI_Datatype* datatype);

/* Whom a receive names that may be matched in any order: `given` (MPI_ANY_SOURCE), or with SKEL_WILDCARDS=recorded the
 * source whose message it got in the original. */
int skel_source(int given, int recorded);
/* The same in the loop of a phase, where only all iterations together have the messages that were recorded: `given` if
 * some are left out. */
int skel_source_in(int phase, int given, int recorded);

/* Remembers from whom a call of MPI_ANY_SOURCE got its message; whose message the k-th last of these calls got. */
void skel_received(const MPI_Status* status);
int skel_from(int k);

/* A manager and its workers: a message tells its number to whoever gets it (< 0: it has none). skel_task gives the
 * number of the message that just came, -1 if it is one of those that end the worker's loop. */
void skel_hand_out(void* message, int64_t number);
long skel_task(const void* message, const MPI_Status* status, const int* ends, int n);

/* Calls whose outcome depends on the moment. Each waits for the outcome that was recorded, then makes its MPI call
 * once, on those of the requests that it completed. A call that found nothing in the original lets MPI work and finds
 * nothing. */
void skel_test(int flag, MPI_Request* request);
void skel_testall(int flag, int n, MPI_Request* requests);
void skel_testany(int flag, int index, int n, MPI_Request* requests);
void skel_testsome(int done, const int* indices, int n, MPI_Request* requests);
void skel_waitany(int index, int n, MPI_Request* requests);
void skel_waitsome(int done, const int* indices, int n, MPI_Request* requests);
/* A skeleton that would hang if tests of sends waited defers them: a test that could only wait for sends is made once they
 * are complete, at the latest when its thread ends (for the main thread in skel_report). skel_set_kind says what is about
 * to be started or made in a request of `all`; skel_settled makes the deferred tests that complete one of n requests, as
 * far as these are persistent. skel_complete waits until those of n requests are complete that deferred tests complete:
 * other threads may call meanwhile, which they may not while this one is in MPI_Wait where MPI takes one call at a time.
 * They return the request that they are given, or the first. */
enum { SKEL_OTHER = 0, SKEL_SENDS = 1, SKEL_PERSISTENT = 2 };
MPI_Request* skel_set_kind(MPI_Request* all, MPI_Request* one, int kind);
MPI_Request* skel_settled(int n, MPI_Request* requests);
MPI_Request* skel_complete(int n, MPI_Request* requests);
/* MPI_Cancel of a request that went on (0), was cancelled (1), or had its message already (2). */
void skel_cancel(int outcome, MPI_Request* request);
/* MPI_Request_get_status and MPI_Parrived. */
void skel_get_status(int flag, MPI_Request* request);
void skel_parrived(int flag, MPI_Request* request, int partition);
/* MPI_Win_test that found or did not find the epoch over; see above. */
void skel_win_test(int flag, MPI_Win win);
/* MPI_UNWEIGHTED, about which gcc 12 warns with Open MPI. */
const int* skel_unweighted(void);
const int* skel_weights(const int* weights); /* the same if they are a single -32766, MPI_WEIGHTS_EMPTY if NULL */
/* MPI_Dims_create with a copy of dims. */
void skel_dims_create(int nodes, int n, const int* dims);
void skel_iprobe(int flag, int source, int tag, MPI_Comm comm);
/* For one that found nothing PMPI_Iprobe stands, which cannot take a message too early. */
void skel_improbe(int flag, int source, int tag, MPI_Comm comm, MPI_Message* message);

/* Dynamic windows. skel_dynamic stands behind the call that made one. skel_target gives the address of a place (SKEL_AT)
 * in the buffers of a rank of the window; what is no place stays as it is. */
void skel_dynamic(MPI_Win* win);
MPI_Aint skel_target(MPI_Win win, int rank, int64_t place);

/* An info object with these hints, "no_locks=true;cb_nodes=4"; valid until the next call of this function. NULL:
 * MPI_INFO_NULL. */
MPI_Info skel_info(const char* hints);

/* The path of what stands for the program's file `number`, in the directory that the environment variable SKEL_SCRATCH
 * names (else the current one); valid until the next call of this function. */
const char* skel_file(int number);

/* Before all ranks of comm open a file with MPI_MODE_EXCL: removes it, as the traced program had done beside MPI. */
void skel_remove(MPI_Comm comm, const char* path);

/* Around MPI_File_open of all ranks of comm: stops the program if it failed, as MPI does not. */
void skel_opened(MPI_Comm comm, int error);

/* MPI_Buffer_attach of memory of its own, and MPI_Buffer_detach. */
void skel_attach(int bytes);
void skel_detach(void);

#endif
