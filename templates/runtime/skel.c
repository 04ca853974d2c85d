#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* large pages */
#endif
#include "skel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "skel_kernels.h"
#include "skel_processor.h"
#include "skel_sampling.h"

int rank, size;
SKEL_LOCAL char** skel_memory;
char skel_nothing[SKEL_NOTHING];
SKEL_LOCAL MPI_Request skel_no_request;

enum mode { kTime, kWork, kAuto };
static const char* const mode_name[] = {"time", "work", "auto"};

/* Gaps shorter than this are spent spinning: a look at the memory would take too long. */
#define SHORT_GAP_S 1e-6
/* Bytes read between two looks at the clock; the processor's time costs a system call. */
#define PIECE ((size_t)2048)
#define CPU_PIECE ((size_t)16384)
/* Below this working set computation is taken to live in the caches: fixed work is done in registers only; above, half
 * of its time goes to memory. */
#define CACHED ((size_t)1 << 20)
#define MEMORY_SHARE 0.5
/* Fixed work is done in slices of so many seconds of the traced machine. */
#define SLICE_S 1e-3
/* Of long computation that all ranks have in common at least this much is spent. */
#define LEAST_SPENT_S 0.01
/* Without a profile, speeds that differ less are those of the traced machine. */
#define SAME_SPEED 0.15
#define SAME_MEMORY 2.0 /* a factor: what other programs do on the machine shows in its bandwidth */
/* A kernel that is faster or slower than when traced by no more than this many of both noises, and by no more than this
 * share, is as fast. */
#define NOISES 2.0
#define LEAST_DRIFT 0.05

static const struct skel_program* program;
static struct skel_machine machine; /* of this rank */
static const char *json_file, *wrong_argument;
static char* json_partial; /* json_file until it is complete */
static int per_rank;       /* each rank's times are written, too */
static double scale;       /* in use */
static enum mode mode;
static int recorded_order;  /* of messages and completions */
static double slowness = 1; /* of this rank's computation */

struct cut_loop { /* while it runs */
  long run, kept; /* iterations after the first one: so far, of all */
  long before;    /* kept in earlier executions */
  int phase;      /* around it */
  double weight;
};
struct spread {         /* of the kept iterations of a loop: sums over their times y and their computation x */
  double begin, before; /* of the one that runs: when, and all computation until then */
  double n, x, y, xx, xy, yy;
  double kinds; /* beyond the first one: sums are around each kind's mean */
};
struct kind { /* of kept iterations, if some are chosen: those that count as often */
  double weight;
  struct spread sums;
};
static struct { /* times of this rank */
  double start, init, phase_start, finalize_start;
  double core_wait;                        /* until the start */
  double *seconds, *left_out;              /* of each phase: measured; computation that was counted instead of spent */
  double *counted, *computing_in;          /* both, each as often as it counts; the part of it that was computation */
  double planned, phase_planned, computed; /* computation so far, when the phase began; as often as it counts */
  struct spread* spread;                   /* of each phase */
  struct kind** kinds;                     /* of each phase; NULL: no iterations are chosen */
  double computing;                        /* of all phases */
  double computed_until;                   /* what the rank had computed when it looked at the clock last */
  int current;
  double weight; /* of what is measured now */
  struct cut_loop* loop;
} timer;
/* A rank takes as long as its main thread: no other one looks at the clock. */
#ifdef SKEL_THREADS
static SKEL_LOCAL struct cut_loop* loops; /* of each phase; NULL: this is the main thread */
static int is_timed(void) { return !loops; }
static struct cut_loop* loop_of(int phase) { return loops ? loops + phase : timer.loop + phase; }
static void leave_out_calls(int phase, long iterations);
#else
static int is_timed(void) { return 1; }
static struct cut_loop* loop_of(int phase) { return timer.loop + phase; }
static void leave_out_calls(int phase, long iterations) { (void)phase, (void)iterations; }
#endif
static SKEL_LOCAL double computed; /* seconds that the thread has spent computing */
/* Of the kernels, mean over the ranks. */
static struct skel_speed speed_here[SKEL_KERNELS], traced_speed[SKEL_KERNELS];
static char processor[SKEL_PROCESSOR_BYTES]; /* of rank 0 */
static int same_processor = -1;              /* of each rank as when it was traced; -1: not known */
/* This rank's computation as its kernels' speeds say: its time here by that of the trace, 0: unknown; what of that is
 * followed where computation is time. */
static double work_ratio, drift = 1;
static double* drifts; /* of each work; NULL: 1 */
static struct {        /* of the slowest rank, after skel_report */
  double predicted, init, computed, work_ratio, drift;
  double core_wait; /* share of all ranks' time without a core */
  double *seconds, *left_out, *counted;
  struct spread* spread;
} slowest;

/* For what all ranks find wrong alike: each must call it, one of them says it. */
static void stop(const char* text) {
  int started = 0, ended = 0;
  PMPI_Initialized(&started);
  PMPI_Finalized(&ended);
  if (rank == 0) fprintf(stderr, "skeleton: %s\n", text);
  fflush(stderr);
  if (started && !ended) PMPI_Finalize();
  exit(1);
}

/* For what a single rank may meet, while the others wait for it. The pause lets the message through: a launcher may
 * drop what it has not read yet when a rank aborts. */
static void give_up(const char* text) {
  const struct timespec pause = {0, 200000000};
  fprintf(stderr, "skeleton: rank %d: %s\n", rank, text);
  fflush(stderr);
  nanosleep(&pause, NULL);
  PMPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

static void no_memory(size_t bytes) {
  char text[100];
  snprintf(text, sizeof text, "no memory for %zu bytes; start fewer ranks on a host", bytes);
  give_up(text);
}

static void* zeroed(size_t n, size_t bytes) {
  void* memory = calloc(n, bytes);
  if (!memory) no_memory(n * bytes);
  return memory;
}

/* MPI_Allreduce with 2 (n - 1) messages in place of some n log2(n): each costs time where one machine simulates many ranks. */
static void reduce_for_all(const void* own, void* result, int count, MPI_Datatype datatype, MPI_Op op) {
  PMPI_Reduce(own, result, count, datatype, op, 0, MPI_COMM_WORLD);
  PMPI_Bcast(result, count, datatype, 0, MPI_COMM_WORLD);
}

/* ------------------------------------------------------------------ clocks */

static double wall(void) {
#ifdef SMPI_H
  return PMPI_Wtime(); /* simulated */
#else
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#endif
}

#ifndef SMPI_H
static inline uint64_t ticks(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
#endif
}

struct compute_state {
  double per_second; /* ticks */
  double owed;       /* ticks still to be spent; below 0: spent too much */
  double call;       /* ticks that a call costs by itself */
  char* area;        /* memory that computation passes over */
  size_t bytes, offset, piece;
  struct skel_kernels kernels; /* fixed work */
  double passes_owed[SKEL_KERNELS];
};
static SKEL_LOCAL struct compute_state compute;
static SKEL_LOCAL volatile uint64_t sink; /* keeps the kernels' results alive */

/* The same moment on both clocks: of several readings the one that took least, so that an interruption does not spoil
 * it. */
struct moment {
  uint64_t ticks;
  double wall;
};
static struct moment first;

static struct moment read_clocks(void) {
  struct moment best = {0, 0};
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < 10; i++) {
    const uint64_t before = ticks();
    const double seconds = wall();
    const uint64_t took = ticks() - before;
    if (took < least) {
      least = took;
      best = (struct moment){before + took / 2, seconds};
    }
  }
  return best;
}

static void calibrate_clock(void) {
  struct moment now;
  do now = read_clocks(); /* usually once: MPI_Init took long enough */
  while (now.wall - first.wall < 0.02);
  compute.per_second = program->cpu_time ? 1e9 : (double)(now.ticks - first.ticks) / (now.wall - first.wall);
  compute.piece = program->cpu_time ? CPU_PIECE : PIECE;
}
#endif

/* ------------------------------------------------------------------ computation */

static double slower_by(int work) { return drifts ? slowness * drifts[work] : slowness; }

#ifdef SMPI_H

/* Simulated. Work: a second of the traced machine is so many operations of the platform file's hosts. */
static double flops;
void skel_compute_as(double seconds, int work) {
  if (is_timed()) timer.planned += seconds;
  seconds *= slower_by(work);
  if (seconds <= 0) return;
  const double begin = wall();
  if (mode == kTime)
    smpi_execute_benched(seconds);
  else
    smpi_execute_flops_benched(seconds * flops);
  computed += wall() - begin;
}
static void prepare_compute(void) {
  const char* given = getenv("SKEL_FLOPS");
  flops = given && atof(given) > 0 ? atof(given) : program->simulated ? machine.register_speed : 1e9;
  if (mode == kAuto) mode = kWork;
}

#else

/* Of the clock that computation is measured with. */
static inline uint64_t compute_ticks(void) {
  struct timespec t;
  if (!program->cpu_time) return ticks();
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

#ifdef SKEL_THREADS
static void between_calls(void); /* others may wait for the call before the computation */
#endif

/* One load a line. */
static void pass_over(size_t amount) {
  for (size_t line = 0; line < amount; line += SKEL_KERNEL_LINE) {
    (void)*(const volatile char*)(compute.area + compute.offset);
    compute.offset += SKEL_KERNEL_LINE;
    if (compute.offset >= compute.bytes) compute.offset = 0;
  }
}

/* Kernels of a work, and how many passes of each make up a second of the traced machine. */
struct recipe {
  int kernels;
  struct {
    int kernel;
    double passes;
  } of[SKEL_KERNELS];
};
static struct recipe* recipes; /* by work */

static void spend(double seconds, const struct recipe* recipe) {
  for (int i = 0; i < recipe->kernels; i++) {
    const int k = recipe->of[i].kernel;
    compute.passes_owed[k] += seconds * recipe->of[i].passes;
    if (compute.passes_owed[k] < 1) continue;
    const uint64_t whole = (uint64_t)compute.passes_owed[k];
    sink += skel_kernel_run(&compute.kernels, k, whole);
    compute.passes_owed[k] -= (double)whole;
  }
}

/* So many seconds of the traced machine: of each kernel the passes that it made there in its share of them. In slices, so
 * that all of the time consists of the same, for caches, memory and other ranks. */
static void work_as(double seconds, int work) {
  for (; seconds > SLICE_S; seconds -= SLICE_S) spend(SLICE_S, &recipes[work]);
  spend(seconds, &recipes[work]);
}

void skel_compute_as(double seconds, int work) {
#ifdef SKEL_THREADS
  between_calls();
#endif
  if (is_timed()) timer.planned += seconds;
  seconds *= slower_by(work);
  const uint64_t begin = compute_ticks();
  if (mode == kWork) {
    work_as(seconds, work);
    computed += (double)(compute_ticks() - begin) / compute.per_second;
    return;
  }
  computed += seconds;
  compute.owed += seconds * compute.per_second - compute.call;
  if (compute.owed <= 0) return;
  const uint64_t due = (uint64_t)compute.owed;
  uint64_t spent;
  if (compute.owed < SHORT_GAP_S * compute.per_second || !compute.bytes) {
    do spent = compute_ticks() - begin;
    while (spent < due);
  } else {
    do {
      pass_over(compute.piece);
      spent = compute_ticks() - begin;
    } while (spent < due);
  }
  compute.owed -= (double)spent;
}

static char* touched(size_t bytes) {
  char* memory = NULL;
  if (bytes && posix_memalign((void**)&memory, 4096, bytes) == 0) memset(memory, 0, bytes);
  return memory;
}

/* Shares of the traced time: the profile's, or a guess, half of the time for memory where the working set is large. */
static const double (*shares(void))[SKEL_KERNELS] {
  static double guess[1][SKEL_KERNELS];
  if (program->works) return program->work;
  const int both = machine.memory_speed > 0 && machine.working_set >= CACHED && compute.kernels.area;
  guess[0][SKEL_STREAM_32M] = both ? MEMORY_SHARE : 0;
  guess[0][SKEL_INTEGER] = 1 - guess[0][SKEL_STREAM_32M];
  return (const double(*)[SKEL_KERNELS])guess;
}

/* Shares of the traced time and the traced machine's speeds become passes. */
static void prepare_work(const struct skel_speed traced[SKEL_KERNELS]) {
  const int works = program->works ? program->works : 1;
  recipes = zeroed((size_t)works, sizeof *recipes);
  for (int i = 0; i < works; i++)
    for (int k = 0; k < SKEL_KERNELS; k++) {
      const double share = shares()[i][k];
      if (!(share > 0)) continue;
      const int n = recipes[i].kernels++;
      recipes[i].of[n].kernel = k;
      recipes[i].of[n].passes = share * traced[k].passes;
    }
}

/* How much longer computation of these shares takes here than on the traced machine: a ratio. A kernel whose speed differs by
 * no more than the noise counts as equally fast; all: every difference counts. */
static double slower(const double share[SKEL_KERNELS], const struct skel_speed traced[SKEL_KERNELS],
                     const struct skel_speed here[SKEL_KERNELS], int all) {
  double sum = 0;
  for (int k = 0; k < SKEL_KERNELS; k++) {
    if (!(share[k] > 0)) continue;
    double ratio = here[k].passes > 0 && traced[k].passes > 0 ? traced[k].passes / here[k].passes : 1;
    const double noise = NOISES * (traced[k].noise + here[k].noise);
    const double margin = all ? 1 : 1 + (noise > LEAST_DRIFT ? noise : LEAST_DRIFT);
    sum += share[k] * (ratio > margin ? ratio / margin : ratio < 1 / margin ? ratio * margin : 1);
  }
  return sum;
}

/* The mean over the ranks of what each of them has. */
static void mean_speeds(const struct skel_speed of[SKEL_KERNELS], struct skel_speed mean[SKEL_KERNELS]) {
  reduce_for_all(of, mean, 2 * SKEL_KERNELS, MPI_DOUBLE, MPI_SUM);
  for (int k = 0; k < SKEL_KERNELS; k++) mean[k] = (struct skel_speed){mean[k].passes / size, mean[k].noise / size};
}

/* Measures the kernels on all ranks at once, if the trace has speeds, and decides between time and work. The processor
 * decides: another one has work to do, the same one takes the traced time, with a profile as much longer as its kernels are
 * slower now. Where the traced processor is not known, the speeds of two kernels decide. */
static void prepare_compute(void) {
  struct skel_speed here[SKEL_KERNELS] = {{0, 0}}, traced[SKEL_KERNELS] = {{0, 0}};
  if (program->speeds) {
    memcpy(traced, program->speeds[program->machine_rows == 1 ? 0 : SKEL_ME], sizeof traced);
  } else {
    traced[SKEL_INTEGER].passes = machine.register_speed / SKEL_REGISTER_UNITS;
    traced[SKEL_STREAM_32M].passes = machine.memory_speed / SKEL_MEMORY_UNITS;
  }
  calibrate_clock();
  enum { known, alike, named, same, facts };
  int own[facts], all[facts];
  own[known] = machine.register_speed > 0 && !program->simulated;
  void* area = NULL;
  if (own[known] && posix_memalign(&area, SKEL_KERNEL_ALIGNED, SKEL_KERNEL_AREA) == 0)
    compute.kernels.area = skel_kernels_area(area);
  PMPI_Barrier(MPI_COMM_WORLD);
  if (own[known]) skel_kernels_measure(&compute.kernels, here);
  mean_speeds(here, speed_here);
  mean_speeds(traced, traced_speed);
  skel_processor(processor);
  const double now[4] = {here[SKEL_INTEGER].passes, here[SKEL_STREAM_32M].passes, traced[SKEL_INTEGER].passes,
                         traced[SKEL_STREAM_32M].passes};
  own[alike] = own[known] && now[0] > (1 - SAME_SPEED) * now[2] && now[0] < (1 + SAME_SPEED) * now[2] &&
               (now[3] <= 0 || (now[1] > now[3] / SAME_MEMORY && now[1] < now[3] * SAME_MEMORY));
  own[named] = machine.processor != NULL;
  own[same] = own[named] && strcmp(machine.processor, processor) == 0;
  reduce_for_all(own, all, facts, MPI_INT, MPI_MIN);
  if (all[named]) same_processor = all[same];
  if (mode == kWork && !all[known]) stop("the trace has no speeds of its machine; use SKEL_COMPUTE=time");
  if (all[known]) work_ratio = slower(shares()[0], traced, here, 1);
  if (mode == kAuto && program->works && same_processor == 1) {
    drifts = zeroed((size_t)program->works, sizeof *drifts);
    for (int i = 0; i < program->works; i++) drifts[i] = slower(shares()[i], traced, here, 0);
    drift = drifts[0];
    work_ratio /= drift;
  }
  if (mode == kAuto) mode = !all[known] || (same_processor >= 0 ? same_processor : all[alike]) ? kTime : kWork;
  if (mode == kWork) {
    prepare_work(traced);
  } else {
    free(compute.kernels.area);
    compute.kernels.area = NULL;
    const size_t lines = machine.working_set / SKEL_KERNEL_LINE * SKEL_KERNEL_LINE;
    compute.area = touched(lines);
    compute.bytes = compute.area ? lines : 0;
  }
  /* What a call costs by itself: calls that find more than enough spent already; the fastest of several rounds. */
  compute.call = 0;
  compute.owed = -1e18;
  double least = 1e18;
  for (int round = 0; round < 20 && mode != kWork; round++) {
    const uint64_t begin = compute_ticks();
    for (int i = 0; i < 100; i++) skel_compute(0);
    const double each = (double)(compute_ticks() - begin) / 100;
    if (each < least) least = each;
  }
  if (mode != kWork) compute.call = least;
  compute.owed = 0;
}

#endif

double skel_next(struct skel_varying* v, long i) {
  if (i != v->iteration) {
    v->iteration = i;
    v->at = 0;
  }
  const int position = v->position ? v->position[SKEL_ME] : SKEL_ME;
  /* Which iterations run with another K, the rows are not made for. */
  const long row =
      (long)(v->begin && scale == program->scale ? skel_row_from((uint64_t)i, (uint64_t)v->rows, v->begin)
                                                 : skel_row((uint64_t)i, (uint64_t)v->rows, (uint64_t)v->iterations));
  const long column = (long)skel_column((uint64_t)v->at, (uint64_t)v->columns, (uint64_t)v->passes[position],
                                        (uint64_t)v->passes_per_execution);
  v->at++;
  return v->unit[position] * v->numbers[(position * v->rows + row) * v->columns + column];
}

void skel_compute_long_as(double seconds, double common, int work) {
  const double spend = common / scale > LEAST_SPENT_S ? common / scale : LEAST_SPENT_S;
  const double left_out = scale > 1 && spend < common ? common - spend : 0;
  const double begin = wall();
  skel_compute_as(seconds - left_out, work);
  /* A second of work is a second of this machine only if it is as fast as the traced one, a second on a processor only
   * if there is one for each rank. */
  const int longer = mode == kWork || program->cpu_time;
  const double counts = left_out * (longer ? (wall() - begin) / (seconds - left_out) : slower_by(work));
  timer.planned += left_out;
  timer.left_out[timer.current] += counts;
  timer.computing += timer.weight * counts;
  timer.computing_in[timer.current] += timer.weight * counts;
  timer.counted[timer.current] += timer.weight * counts;
}

/* ------------------------------------------------------------------ phases */

/* How many of `all` iterations of an execution that may be left out run. */
static long kept(const struct skel_phase* p, long all) {
  const long least = p->least < all ? p->least : all;
  return all < 1 ? 0 : (long)skel_iterations_kept((uint64_t)all, skel_loop_scale(scale, p->cut), (uint64_t)least);
}

/* The time since the last look at the clock counts for the phase at hand. */
static void enter_phase(int number, double weight) {
  if (!is_timed()) return;
  const double now = wall(), seconds = now - timer.phase_start;
  timer.seconds[timer.current] += seconds;
  timer.counted[timer.current] += timer.weight * seconds;
  timer.computing += timer.weight * (computed - timer.computed_until);
  timer.computing_in[timer.current] += timer.weight * (computed - timer.computed_until);
  timer.computed_until = computed;
  timer.computed += timer.weight * (timer.planned - timer.phase_planned);
  timer.phase_planned = timer.planned;
  timer.current = number;
  timer.weight = weight;
  timer.phase_start = now;
}

enum { KINDS = 32 }; /* that are told apart; more are one with the last */

/* Sums for the iterations of a phase that count so often. */
static struct spread* sums_of(int phase, double weight) {
  if (!timer.kinds[phase]) timer.kinds[phase] = zeroed(KINDS, sizeof **timer.kinds);
  struct kind* kind = timer.kinds[phase];
  while (kind->weight > 0 && kind->weight != weight && kind < timer.kinds[phase] + KINDS - 1) kind++;
  if (!(kind->weight > 0)) kind->weight = weight;
  return &kind->sums;
}

/* How far iterations of different kinds are apart is no chance. */
static void join_kinds(struct spread* all, const struct kind* kinds) {
  for (int k = 0; k < KINDS && kinds[k].sums.n > 0; k++) {
    const struct spread* s = &kinds[k].sums;
    all->kinds = k;
    all->n += s->n, all->xx += s->xx - s->x * s->x / s->n;
    all->xy += s->xy - s->x * s->y / s->n, all->yy += s->yy - s->y * s->y / s->n;
  }
}

/* A kept iteration ends, unless it is the first one of an execution, and the next one begins. sums: where it is added; NULL: none
 * ends. */
static void note_iteration(struct spread* of, struct spread* sums) {
  const double now = wall();
  if (sums) {
    const double x = timer.planned - of->before, y = now - of->begin;
    sums->n++, sums->x += x, sums->y += y, sums->xx += x * x, sums->xy += x * y, sums->yy += y * y;
  }
  of->begin = now;
  of->before = timer.planned;
}

static long next_iteration(int phase, long i, long trips, long first, long last) {
  const struct skel_phase* p = &program->phase[phase];
  struct cut_loop* loop = loop_of(phase);
  const struct skel_chosen* chosen = program->chosen && scale == program->scale ? program->chosen[phase] : NULL;
  const long later = trips > first + last ? trips - first - last : 0;
  if (i + 1 < first) return i + 1;
  if (i + 1 == first) {
    loop->before += loop->kept;
    loop->run = 0;
    loop->kept = kept(p, later);
    if (is_timed()) {
      loop->phase = timer.current;
      loop->weight = timer.weight;
    }
    if (loop->kept > 0)
      enter_phase(phase, loop->weight * skel_weight((uint64_t)later, (uint64_t)loop->kept,
                                                    scale == program->scale ? p->typical : 1));
  }
  if (is_timed() && loop->kept > 0 && loop->run <= loop->kept)
    note_iteration(&timer.spread[phase], loop->run == 0 ? NULL
                                         : chosen       ? sums_of(phase, chosen[loop->before + loop->run - 1].weight)
                                                        : &timer.spread[phase]);
  if (loop->run < loop->kept && chosen) {
    chosen += loop->before + loop->run++;
    enter_phase(phase, loop->weight * p->typical * chosen->weight);
    return first - 1 + chosen->iteration;
  }
  if (loop->run < loop->kept)
    return first - 1 +
           (long)skel_iteration_kept((uint64_t)loop->run++, (uint64_t)loop->kept, (uint64_t)later,
                                     (uint64_t)loop->before);
  if (loop->run++ > loop->kept) return i + 1;
  enter_phase(p->next >= 0 ? p->next : loop->phase, loop->weight);
  return first + later;
}

long skel_step_between(int phase, long i, long trips, long first, long last) {
  const long next = next_iteration(phase, i, trips, first, last);
  leave_out_calls(phase, next - i - 1);
  return next;
}

long skel_step(int phase, long i, long trips) {
  return skel_step_between(phase, i, trips, 1, program->phase[phase].last);
}

#include "skel_concurrency.h"
#include "skel_files.h"
#include "skel_report.h"

/* ------------------------------------------------------------------ memory, threads */

#include "skel_hints.h"
#include "skel_memory.h"
#include "skel_tables.h"
#include "skel_windows.h"

#ifdef SKEL_THREADS
#include "skel_threads.h"
#endif

/* ------------------------------------------------------------------ start */

void skel_start(int argc, char** argv) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--json") == 0 && i + 1 < argc)
      json_file = argv[++i];
    else if (strcmp(argv[i], "--per-rank") == 0)
      per_rank = 1;
    else
      wrong_argument = argv[i];
#ifndef SMPI_H /* there the clock starts at 0 */
  first = read_clocks();
  timer.start = wall();
  timer.core_wait = core_wait();
#endif
}

/* Rank 0's environment decides: launchers do not always forward it. */
static void read_environment(void) {
  double asked[5] = {program->scale, kAuto, program->recorded_order, -1, 1}; /* the last: rank, factor */
  if (rank == 0) {
    const char* text = getenv("SKEL_SCALE");
    if (text && *text) {
      char* end;
      asked[0] = strtod(text, &end);
      if (*end || !(asked[0] >= 1) || asked[0] > 1e15) asked[0] = -1;
    }
    text = getenv("SKEL_COMPUTE");
    if (text && *text) {
      asked[1] = -1;
      for (int i = kTime; i <= kAuto; i++)
        if (strcmp(text, mode_name[i]) == 0) asked[1] = i;
    }
    text = getenv("SKEL_WILDCARDS");
    if (text && *text) asked[2] = strcmp(text, "recorded") == 0 ? 1 : strcmp(text, "auto") == 0 ? 0 : -1;
    text = getenv("SKEL_SLOW");
    char rest;
    int slow;
    if (text && *text) {
      const int read = sscanf(text, "%d:%lf%c", &slow, &asked[4], &rest);
      const int right = read == 2 && slow >= 0 && slow < program->ranks && asked[4] > 0 && asked[4] <= 1e6;
      asked[3] = right ? slow : -1;
      if (!right) asked[4] = -1;
    }
  }
  PMPI_Bcast(asked, 5, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (asked[0] < 0) stop("SKEL_SCALE must be a number >= 1");
  if (asked[1] < 0) stop("SKEL_COMPUTE must be time, work or auto");
  if (asked[2] < 0) stop("SKEL_WILDCARDS must be auto or recorded");
  if (asked[4] < 0) stop("SKEL_SLOW must be RANK:FACTOR, a rank of the program and a number > 0");
  if (rank == (int)asked[3]) slowness = asked[4];
  scale = asked[0];
  mode = (enum mode)asked[1];
  recorded_order = asked[2] > 0;
}

#ifdef SMPI_H
/* MPI_Init lets all ranks go at one simulated moment, a barrier one after the other. Where messages share links, these
 * microseconds may decide how they meet for the whole run. */
static void start_together(void) {
  double now = wall(), last;
  reduce_for_all(&now, &last, 1, MPI_DOUBLE, MPI_MAX);
  const double rest = last + 10 - wall(); /* more than any of them needs to learn it */
  const struct timespec pause = {(time_t)rest, (long)(1e9 * (rest - (double)(time_t)rest))};
  nanosleep(&pause, NULL);
}
#else
/* Ranks that wait take the core from those that compute. */
static void look_for_cores(void) {
  MPI_Comm host;
  int here, most;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  PMPI_Comm_size(host, &here);
  PMPI_Comm_free(&host);
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  int too_many = cores > 0 && here > cores ? here : 0;
  reduce_for_all(&too_many, &most, 1, MPI_INT, MPI_MAX);
  if (rank == 0 && most > 0)
    fprintf(
        stderr,
        "skeleton (note): %d ranks share the cores of a host (%ld here): waiting ranks steal CPU from computing ones, "
        "so timings are unreliable; skelgen predict makes waiting ranks yield\n",
        most, cores);
}
#endif

/* Processes that a launcher of another MPI has started each are rank 0 of 1. What it tells them in the environment. */
static int first_of_launch(void) {
  const char* const names[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"};
  for (int i = 0; i < 3; i++) {
    const char* const value = getenv(names[i]);
    if (value && atoi(value) > 0) return 0;
  }
  return 1;
}

static const char* compiler_of_launcher(void) {
  return getenv("OMPI_COMM_WORLD_SIZE") ? "mpicc.openmpi" : getenv("PMI_SIZE") ? "mpicc.mpich" : "...";
}

void skel_init(const struct skel_program* p) {
  timer.init = wall() - timer.start;
  program = p;
  skel_no_request = MPI_REQUEST_NULL;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != p->ranks) {
    char text[240];
    if (size == 1 && !first_of_launch()) { /* the first one says it, before the launcher ends it because of this one */
      const struct timespec pause = {1, 0};
      nanosleep(&pause, NULL);
      PMPI_Finalize();
      exit(1);
    }
    if (size == 1)
      snprintf(text, sizeof text,
               "compiled for another MPI than the launcher's, or started with 1 rank instead of %d: make -B MPICC=%s",
               p->ranks, compiler_of_launcher());
    else
      snprintf(text, sizeof text, "built for %d ranks, started with %d; start it with %d", p->ranks, size, p->ranks);
    stop(text);
  }
  if (wrong_argument) {
    char text[300];
    snprintf(text, sizeof text, "%.200s: not understood; it takes --json FILE and --per-rank", wrong_argument);
    stop(text);
  }
  const char* const damaged = prepare_tables(p->packed);
  if (damaged) stop(damaged);
  open_json();
#ifdef SKEL_THREADS
  take_place(0);
#endif
#ifndef SMPI_H
  look_for_cores();
#endif
  machine = p->machine[p->machine_rows == 1 ? 0 : SKEL_ME];
  read_environment();
  timer.seconds = zeroed((size_t)p->phases, sizeof(double));
  timer.left_out = zeroed((size_t)p->phases, sizeof(double));
  timer.counted = zeroed((size_t)p->phases, sizeof(double));
  timer.computing_in = zeroed((size_t)p->phases, sizeof(double));
  timer.loop = zeroed((size_t)p->phases, sizeof *timer.loop);
  timer.spread = zeroed((size_t)p->phases, sizeof *timer.spread);
  timer.kinds = zeroed((size_t)p->phases, sizeof *timer.kinds);
  timer.weight = 1;
  slowest.seconds = zeroed((size_t)p->phases, sizeof(double));
  slowest.left_out = zeroed((size_t)p->phases, sizeof(double));
  slowest.counted = zeroed((size_t)p->phases, sizeof(double));
  slowest.spread = zeroed((size_t)p->phases, sizeof *slowest.spread);
  prepare_buffers();
  prepare_compute();
  prepare_files();
  prepare_windows();
#ifdef SKEL_THREADS
  prepare_threads();
#endif
  PMPI_Barrier(MPI_COMM_WORLD);
#ifdef SMPI_H
  start_together();
#endif
  timer.seconds[0] = timer.counted[0] = timer.init;
  timer.computed_until = computed;
  timer.current = 0;
  timer.planned = timer.phase_planned = timer.computed = 0;
  timer.phase_start = wall();
}

#include "skel_completion.h"
