/* The capture state of this process, or of each rank that lives in it. */
#include "ranks.h"

#include <string.h>

struct early {
  struct skt_chunk_header header;
  uint8_t payload[SKEL_EARLY_BYTES];
};

#ifdef SKEL_SMPI

#include <mpi.h>
#include <simgrid/actor.h>
#include <simgrid/host.h>
#include <stdlib.h>
#include <sys/mman.h>

struct rank {
  struct skel_own own;
  struct skel_process process;
  struct skel_stream stream;
  struct early early;
};

#define MOST ((aid_t)1 << 20) /* numbers of simulated processes; those above share a state that records nothing */
static struct rank* ranks[MOST];
static struct rank beyond = {.process = {.phase = SKEL_CLOSED}};
static struct rank* visited; /* by skel_each_rank */
static void (*begin_rank)(void);

static struct rank* make(aid_t number) {
  struct rank* const rank = mmap(NULL, sizeof *rank, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (rank == MAP_FAILED) return &beyond;
  ranks[number] = rank;
  if (begin_rank) begin_rank();
  return rank;
}

static struct rank* this_rank(void) {
  if (SKEL_UNLIKELY(visited)) return visited;
  const aid_t number = sg_actor_self_get_pid();
  if (SKEL_UNLIKELY(number < 0 || number >= MOST)) return &beyond;
  return SKEL_LIKELY(ranks[number]) ? ranks[number] : make(number);
}

struct skel_own* skel_own(void) {
  return &this_rank()->own;
}
struct skel_process* skel_state(void) {
  return &this_rank()->process;
}
struct skel_stream* skel_first_stream(void) {
  return &this_rank()->stream;
}
struct skt_chunk_header* skel_early_chunk(void) {
  return &this_rank()->early.header;
}

void skel_ranks_begin(void (*begin)(void)) {
  begin_rank = begin;
  this_rank();
}

void skel_each_rank(void (*visit)(void)) {
  for (aid_t i = 0; i < MOST; i++) {
    visited = ranks[i];
    if (visited) visit();
  }
  visited = NULL;
}

const char* skel_simulated_host(void) { return sg_host_self_get_name(); }
double skel_simulated_speed(void) { return sg_host_get_speed(sg_host_self()); }

void skel_computation_ended(void) {
  struct skel_own* const own = skel_own();
  if (!own->measured) return;
  smpi_bench_end();
  smpi_bench_begin(); /* the MPI ends it again, also in the calls that capture makes itself */
  own->in_call = 1;
}

void skel_call_begins(void) {
  if (skel_own()->in_call) smpi_bench_begin();
}

void skel_computation_goes_on(void) {
  struct skel_own* const own = skel_own();
  if (own->in_call) smpi_bench_begin();
  own->in_call = 0;
}

#else

static struct skel_process the_process;
static struct skel_stream main_stream;
static struct early early;
_Thread_local struct skel_own skel_of_thread __attribute__((tls_model("initial-exec")));

struct skel_process* skel_state(void) {
  return &the_process;
}
struct skel_stream* skel_first_stream(void) {
  return &main_stream;
}
struct skt_chunk_header* skel_early_chunk(void) {
  return &early.header;
}
void skel_ranks_begin(void (*begin)(void)) { begin(); }

#endif
