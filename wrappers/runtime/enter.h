/* Threads that record: how they begin, and how they enter and leave a call. */
#ifndef SKEL_ENTER_H
#define SKEL_ENTER_H

#include "encode.h"
#include "requests.h"

/* To the Valgrind tool of wrappers/profile. A request costs a nanosecond where no tool listens, so the flag goes first. */
#ifdef SKEL_VALGRIND
extern int skel_under_valgrind; /* set once, before the first call */
void skel_request_profile(int request, int argument);
static inline void skel_tell_profile(int request, int argument) {
  if (SKEL_UNLIKELY(skel_under_valgrind)) skel_request_profile(request, argument);
}
#else
static inline void skel_tell_profile(int request, int argument) { (void)request, (void)argument; }
#endif

/* `returns_to`: where the program goes on behind the call. */
struct skel_stream* skel_enter_first(const void* returns_to);
struct skel_stream* skel_enter_lasting_first(const void* returns_to);
void skel_leave_inner(struct skel_stream* s);

void skel_stream_main(void);
void skel_calibrate(void);
void skel_forget_after_fork(void);
/* Of the calling thread. Time that passes suspended is a gap. */
void skel_stream_suspend(void);
void skel_stream_resume(void);

/* Inlined up to the wrapper that the program has called. */
static inline __attribute__((always_inline)) struct skel_stream* skel_enter(void) {
  skel_tell_profile(SKEL_PROFILE_ENTER, 0);
  struct skel_stream* s = skel_self;
  if (SKEL_UNLIKELY(!s)) return skel_enter_first(__builtin_return_address(0));
  skel_self = NULL;
  return s;
}

/* For calls that make or free what later calls name: they are recorded while MPI_Pcontrol(0) holds, too, or handles
 * would mean afterwards what they meant before. */
static inline __attribute__((always_inline)) struct skel_stream* skel_enter_lasting(void) {
  skel_tell_profile(SKEL_PROFILE_ENTER, 0);
  struct skel_stream* s = skel_self;
  if (SKEL_UNLIKELY(!s)) return skel_enter_lasting_first(__builtin_return_address(0));
  skel_self = NULL;
  return s;
}

static inline void skel_leave(struct skel_stream* s) {
  if (SKEL_UNLIKELY(s->depth)) {
    skel_leave_inner(s);
    return;
  }
  skel_self = s;
  skel_computation_goes_on();
  skel_tell_profile(SKEL_PROFILE_LEAVE, 0);
}

static inline void skel_event_end(struct skel_stream* s, uint8_t* p) {
  skel_count(s);
  skel_commit(s, p);
  skel_leave(s);
}

#endif
