/* The only accessor of the capture state. A rank is a process, and what one call after the other changes is the thread's.
 *
 * With SimGrid's SMPI all ranks live in one process, on one thread: contexts that take turns while they wait inside of
 * the MPI. There both are the rank's, found by the simulated process that runs. SMPI measures computation from the end
 * of a call to the beginning of the next one, when it becomes simulated time. So a wrapper tells it when it is entered
 * that computation has ended, and what capture takes is thrown away before the call and when the wrapper is left. Of
 * calls that SMPI measures right through (those that wait for nobody) capture's share, 0.1 us, counts as computation:
 * ending a measurement takes more than that. */
#ifndef SKEL_RANKS_H
#define SKEL_RANKS_H

#include "state.h"

#ifdef SKEL_SMPI

struct skel_own* skel_own(void);
/* Calls `visit` as each rank that was here, one after the other; for when the program ends. */
void skel_each_rank(void (*visit)(void));
/* The simulated process that runs, its host and its speed in operations per second. */
const char* skel_simulated_host(void);
double skel_simulated_speed(void);

void skel_computation_ended(void);
void skel_call_begins(void);
void skel_computation_goes_on(void);

#else

extern _Thread_local struct skel_own skel_of_thread __attribute__((tls_model("initial-exec")));
static inline struct skel_own* skel_own(void) { return &skel_of_thread; }
static inline void skel_each_rank(void (*visit)(void)) { visit(); }
static inline void skel_computation_ended(void) {}
static inline void skel_call_begins(void) {}
static inline void skel_computation_goes_on(void) {}

#endif

struct skel_process* skel_state(void);

static inline enum skel_phase skel_phase(void) { return __atomic_load_n(&skel_state()->phase, __ATOMIC_ACQUIRE); }
static inline void skel_set_phase(enum skel_phase phase) {
  __atomic_store_n(&skel_state()->phase, phase, __ATOMIC_RELEASE);
}

/* The thread's stream while it may record: NULL inside of a call, before the first call, after the end. */
#define skel_self (skel_own()->self)

/* Once, when the state can be used: `begin` is called for each rank that lives in this process, as that rank. */
void skel_ranks_begin(void (*begin)(void));

/* What a rank records first, before the name of its file is known. */
struct skel_stream* skel_first_stream(void);
#define SKEL_EARLY_BYTES (32 * 1024)
struct skt_chunk_header* skel_early_chunk(void); /* with as many bytes behind it */

#endif
