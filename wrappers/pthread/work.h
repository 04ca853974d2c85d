/* The work of a thread: cycles (PAPI_TOT_CYC) where this machine counts them, else nanoseconds of its time on a processor.
 *
 * Reading that time takes a system call, 0.2 us. So it is read when 20 us have passed since the last reading, and when a
 * call has blocked; in between a thread that runs works as long as time passes. Cycles are read at the beginning of every
 * call, and at its end if it blocked. */
#ifndef SKEL_WORK_H
#define SKEL_WORK_H

#include "clock.h"
#include "report.h"
#include "state.h"

struct skel_span {
  uint64_t ticks, work;
};

/* A call that has waited until descriptors are ready: the next receive took what it waited for. */
struct skel_look {
  struct skel_span from, to;
  const void* site; /* NULL: none */
};

struct skel_thread {
  struct skel_stream stream; /* first: skel_self points here */
  uint64_t work, work_ticks; /* the last reading, and when it was made */
  uint64_t recorded_work;    /* as far as the stream has it */
  uint64_t pause;            /* ticks in which capture has made room, not in the stream yet */
  uint64_t waits_since;      /* a mark's wait, 0: none */
  uint64_t waits_work;
  const void* gomp_region; /* see openmp.c */
  const void* ompt_member; /* see ompt.c */
  struct skel_span wait;   /* that OpenMP's runtime has begun */
  struct skel_look look;
  int rounds;            /* of destructors, when it ends */
  uint64_t begun;        /* tick */
  int64_t waited_before; /* for a core, ns */
  int id;                /* of the kernel; 0: has ended */
  uint8_t layer;         /* of the last call; see SKELGEN_THREAD_LAYERS */
  uint8_t* layers;       /* by the id of a call, modulo SKEL_MOST_CALLS */
  struct skel_thread* next_free;
};

extern uint64_t skel_work_window; /* ticks for which a reading holds; 0: for none */
extern uint64_t skel_work_rate;   /* work in a tick of running, times 2^32 */
extern unsigned skel_work_reads;  /* calls with one of these flags read it when they return */
/* Ticks of a call behind which it is read, too: the thread may not have run meanwhile. */
extern uint64_t skel_work_longest;

void skel_work_choose(int with_papi);
void skel_work_start(struct skel_thread* t); /* in the thread */
void skel_work_end(struct skel_thread* t);
uint64_t skel_work_read(struct skel_thread* t); /* returns the tick behind the reading */
void skel_work_forget(void);                    /* in the child of a fork: its parent's counters are not its */
void skel_work_describe(struct skel_text* t);   /* a member of HEAD's object */

static inline uint64_t skel_work_at(const struct skel_thread* t, uint64_t ticks) {
  return t->work + (ticks > t->work_ticks ? (ticks - t->work_ticks) * skel_work_rate >> 32 : 0);
}

#endif
