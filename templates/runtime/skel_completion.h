/* Completion of requests in the way of the original run: part of skel.c, inserted at its end. */
#include <limits.h>

#include "skel.h"

static SKEL_LOCAL struct {
  MPI_Request* request;
  const int* slot;
  int n, room;
} picked;
static SKEL_LOCAL MPI_Status* statuses;
static SKEL_LOCAL MPI_Request* visible;
static SKEL_LOCAL int *found, room;

static void make_room(int n) {
  if (n <= room) return;
  statuses = realloc(statuses, (size_t)n * sizeof *statuses);
  found = realloc(found, (size_t)n * sizeof *found);
  visible = realloc(visible, (size_t)n * sizeof *visible);
  if (!statuses || !found || !visible) no_memory((size_t)n * (sizeof *statuses + sizeof *found + sizeof *visible));
  room = n;
}

MPI_Request* skel_pick(MPI_Request* all, int n, const int* slots) {
  if (n + 1 > picked.room) {
    picked.request = realloc(picked.request, (size_t)(n + 1) * sizeof(MPI_Request));
    if (!picked.request) no_memory((size_t)(n + 1) * sizeof(MPI_Request));
    picked.room = n + 1;
  }
  for (int i = 0; i < n; i++) picked.request[i] = slots[i] < 0 ? MPI_REQUEST_NULL : all[slots[i]];
  picked.n = n;
  picked.slot = slots;
  return picked.request;
}

void skel_put_back(MPI_Request* all) {
  for (int i = 0; i < picked.n; i++)
    if (picked.slot[i] >= 0) all[picked.slot[i]] = picked.request[i];
}

int skel_source(int given, int recorded) { return recorded_order ? recorded : given; }

int skel_source_in(int phase, int given, int recorded) {
  const struct skel_phase* p = &program->phase[phase];
  for (; p->longest > 1; p = &program->phase[p->inside]) {
    const long later = p->longest > 1 + p->last ? p->longest - 1 - p->last : 0;
    if (kept(p, later) < later) return given;
  }
  return skel_source(given, recorded);
}

#define ANSWERS 4
static SKEL_LOCAL int sources[ANSWERS]; /* the newest first */

void skel_received(const MPI_Status* status) {
  memmove(sources + 1, sources, sizeof sources - sizeof *sources);
  sources[0] = status->MPI_SOURCE;
}

int skel_from(int k) { return sources[k - 1]; }

void skel_hand_out(void* message, int64_t number) {
  const int32_t told = (int32_t)number;
  if (number >= 0) memcpy(message, &told, sizeof told);
}

long skel_task(const void* message, const MPI_Status* status, const int* ends, int n) {
  int32_t number;
  int bytes, low = 0, high = n;
  PMPI_Get_count(status, MPI_BYTE, &bytes);
  if (bytes < (int)sizeof number) return -1; /* only messages that end a loop may be so short */
  memcpy(&number, message, sizeof number);
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (ends[middle] == number) return -1;
    if (ends[middle] < number)
      low = middle + 1;
    else
      high = middle;
  }
  return number;
}

static int done(MPI_Request request) {
  int flag;
  MPI_Status status;
  if (request == MPI_REQUEST_NULL) return 1;
  PMPI_Request_get_status(request, &flag, &status);
  return flag;
}

static void until_done(MPI_Request request) {
#ifdef SMPI_H /* always says yes; but there a test that found nothing takes its time, and can be repeated */
  (void)request;
#else
  while (!done(request)) {
  }
#endif
}

/* The same of what may need calls of the rank's other threads, which have to wait for this one's where MPI takes one call
 * at a time. */
static void until_done_beside_others(MPI_Request request) {
#ifdef SKEL_THREADS
  for (unsigned long i = 0; !done(request); i++) let_others_call(i);
#else
  until_done(request);
#endif
}

/* Asks without completing: what is over now may have been open for a while in the original. */
static void ask(int n, const MPI_Request* requests) {
  for (int i = 0; i < n; i++)
    if (requests[i] != MPI_REQUEST_NULL) done(requests[i]);
}

/* `visible` becomes the requests that complete now; all others are hidden from the call. */
static void show(int n, const MPI_Request* requests, int chosen, const int* indices) {
  make_room(n);
  for (int i = 0; i < n; i++) visible[i] = MPI_REQUEST_NULL;
  for (int i = 0; i < chosen; i++)
    if (indices[i] >= 0 && indices[i] < n) visible[indices[i]] = requests[indices[i]];
}

static void take_back(MPI_Request* requests, int chosen, const int* indices, int n) {
  for (int i = 0; i < chosen; i++)
    if (indices[i] >= 0 && indices[i] < n) requests[indices[i]] = visible[indices[i]];
}

/* ------------------------------------------------------------------ tests of sends that may come later */

/* Kinds of the requests that were started or made last, by slot, in programs that defer such tests. */
static SKEL_LOCAL struct {
  const MPI_Request* all; /* NULL: nothing is deferred */
  char* of;
  long room;
} request_kinds;

MPI_Request* skel_set_kind(MPI_Request* all, MPI_Request* one, int kind) {
  if (one == &skel_no_request) return one;
  const long slot = one - all;
  if (slot >= request_kinds.room) {
    const long room = 2 * (slot + 1);
    request_kinds.of = realloc(request_kinds.of, (size_t)room);
    if (!request_kinds.of) no_memory((size_t)room);
    memset(request_kinds.of + request_kinds.room, 0, (size_t)(room - request_kinds.room));
    request_kinds.room = room;
  }
  request_kinds.all = all;
  request_kinds.of[slot] = (char)kind;
  return one;
}

/* The slot of requests[i]; -1: it is null, or nothing is deferred in this program. */
static long slot_of(const MPI_Request* requests, int i) {
  if (!request_kinds.all || requests[i] == MPI_REQUEST_NULL) return -1;
  return requests == picked.request ? picked.slot[i] : requests + i - request_kinds.all;
}

static int has_kind(long slot, int kind) {
  return slot >= 0 && slot < request_kinds.room && (request_kinds.of[slot] & kind);
}

static int may_come_later(const MPI_Request* requests, int i) { return has_kind(slot_of(requests, i), SKEL_SENDS); }

/* Calls to be made when their requests are complete: the oldest one first. */
struct deferred_test {
  int (*call)(int, MPI_Request*);
  int n; /* 0: it has been made */
  MPI_Request* requests;
  long* persistent; /* slots of those that can be started again, -1 of the others */
};
static SKEL_LOCAL struct {
  struct deferred_test* of;
  long begin, end, room;
} deferred;

static int test_one(int n, MPI_Request* requests) {
  int flag;
  MPI_Status status;
  (void)n;
  MPI_Test(requests, &flag, &status);
  return flag;
}

static int test_all(int n, MPI_Request* requests) {
  int flag;
  make_room(n);
  MPI_Testall(n, requests, &flag, statuses);
  return flag;
}

static int test_any(int n, MPI_Request* requests) {
  int flag, index;
  MPI_Status status;
  MPI_Testany(n, requests, &index, &flag, &status);
  return flag;
}

/* Until all are complete: with an MPI that cannot be asked before, a call may find only some of them. */
static int complete_some(int (*some)(int, MPI_Request*, int*, int*, MPI_Status*), int n, MPI_Request* requests) {
  int left = 0, got;
  make_room(n);
  for (int i = 0; i < n; i++) left += requests[i] != MPI_REQUEST_NULL;
  do {
    some(n, requests, &got, found, statuses);
    if (got != MPI_UNDEFINED) left -= got;
  } while (left > 0 && got != MPI_UNDEFINED);
  return 1;
}
static int test_some(int n, MPI_Request* requests) { return complete_some(MPI_Testsome, n, requests); }

static void make_now(struct deferred_test* test) {
  while (!test->call(test->n, test->requests)) {
  }
  free(test->requests);
  free(test->persistent);
  test->n = 0;
}

/* Makes the thread's deferred calls whose requests are complete; all: waits for them. Returns whether some are left. */
static int settle(int all) {
  for (; deferred.begin < deferred.end; deferred.begin++) {
    struct deferred_test* const test = &deferred.of[deferred.begin];
    for (int i = 0; i < test->n; i++) {
      if (!all && !done(test->requests[i])) return 1;
      until_done(test->requests[i]);
    }
    if (test->n) make_now(test);
  }
  deferred.begin = deferred.end = 0;
  return 0;
}

/* By slots: several requests may have the same handle. */
static int completes(const struct deferred_test* test, long slot) {
  for (int i = 0; i < test->n && slot >= 0; i++)
    if (test->persistent[i] == slot) return 1;
  return 0;
}

MPI_Request* skel_settled(int n, MPI_Request* requests) {
  for (long at = deferred.begin; at < deferred.end; at++) {
    struct deferred_test* const test = &deferred.of[at];
    int concerned = 0;
    for (int i = 0; i < n && !concerned; i++) concerned = completes(test, slot_of(requests, i));
    if (!concerned) continue;
    for (int i = 0; i < test->n; i++) until_done_beside_others(test->requests[i]);
    make_now(test);
  }
  return requests;
}

MPI_Request* skel_complete(int n, MPI_Request* requests) {
  for (long at = deferred.begin; at < deferred.end; at++)
    for (int i = 0; i < n; i++)
      if (completes(&deferred.of[at], slot_of(requests, i))) until_done_beside_others(requests[i]);
  return requests;
}

/* A place for one more deferred test, of n requests. */
static struct deferred_test* defer(int n) {
  if (deferred.end == deferred.room) {
    long end = 0; /* of those that have not been made */
    for (long at = deferred.begin; at < deferred.end; at++)
      if (deferred.of[at].n) deferred.of[end++] = deferred.of[at];
    deferred.begin = 0;
    deferred.end = end;
    if (2 * end >= deferred.room) {
      deferred.room = 2 * deferred.room + 16;
      deferred.of = realloc(deferred.of, (size_t)deferred.room * sizeof *deferred.of);
      if (!deferred.of) no_memory((size_t)deferred.room * sizeof *deferred.of);
    }
  }
  struct deferred_test* const test = &deferred.of[deferred.end++];
  test->n = n;
  test->requests = malloc((size_t)n * sizeof *test->requests);
  test->persistent = malloc((size_t)n * sizeof *test->persistent);
  if (!test->requests || !test->persistent) no_memory((size_t)n * sizeof *test->requests);
  return test;
}

/* Makes the call, which completes all of the requests, or leaves it for later if a send is not complete. In the array
 * `of` they stand at the same places. */
static void complete(int (*call)(int, MPI_Request*), int n, MPI_Request* requests, const MPI_Request* of) {
  int over = 1;
  for (int i = 0; i < n; i++)
    if (!may_come_later(of, i)) until_done(requests[i]);
  for (int i = 0; i < n; i++) over = over && (!may_come_later(of, i) || done(requests[i]));
  if (over) {
    while (!call(n, requests)) {
    }
    return;
  }
  struct deferred_test* const test = defer(n);
  test->call = call;
  for (int i = 0; i < n; i++) {
    const long slot = slot_of(of, i);
    test->requests[i] = requests[i];
    test->persistent[i] = requests[i] != MPI_REQUEST_NULL && has_kind(slot, SKEL_PERSISTENT) ? slot : -1;
  }
}

/* ------------------------------------------------------------------ tests and waits for some */

/* The test found these of the requests complete; indices NULL: all, or none if `completed` is 0. Deferred calls come
 * first: they may move `visible`. */
static void test(int (*call)(int, MPI_Request*), int completed, const int* indices, int n, MPI_Request* requests) {
  settle(0);
  if (completed == 0) {
    ask(n, requests);
    return;
  }
  if (indices) show(n, requests, completed, indices);
  complete(call, n, indices ? visible : requests, requests);
  if (indices) take_back(requests, completed, indices, n);
}

void skel_test(int flag, MPI_Request* request) { test(test_one, flag, NULL, 1, request); }

void skel_testall(int flag, int n, MPI_Request* requests) { test(test_all, flag, NULL, n, requests); }

void skel_testany(int flag, int index, int n, MPI_Request* requests) { test(test_any, flag, &index, n, requests); }

void skel_testsome(int ended, const int* indices, int n, MPI_Request* requests) {
  test(test_some, ended, indices, n, requests);
}

void skel_get_status(int flag, MPI_Request* request) {
  MPI_Status status;
  if (!flag) {
    ask(1, request);
    return;
  }
  if (!may_come_later(request, 0)) until_done(*request);
  MPI_Request_get_status(*request, &flag, &status);
}

void skel_cancel(int outcome, MPI_Request* request) {
  if (outcome == 2) until_done(*request);
  MPI_Cancel(request);
#ifndef SMPI_H
  int flag, cancelled = 1;
  MPI_Status status;
  if (outcome != 1) return;
  PMPI_Request_get_status(*request, &flag, &status);
  if (flag) PMPI_Test_cancelled(&status, &cancelled);
  if (!cancelled) give_up("a receive that the original program cancelled already has its message here");
#endif
}

void skel_parrived(int flag, MPI_Request* request, int partition) {
#if MPI_VERSION >= 4
  int there = 0;
  do PMPI_Parrived(*request, partition, &there);
  while (flag && !there);
  if (flag) MPI_Parrived(*request, partition, &there);
#else
  (void)flag, (void)request, (void)partition;
  stop("this MPI has no MPI_Parrived");
#endif
}

void skel_waitany(int index, int n, MPI_Request* requests) {
  int got;
  MPI_Status status;
  show(n, requests, 1, &index);
  MPI_Waitany(n, visible, &got, &status);
  take_back(requests, 1, &index, n);
}

void skel_waitsome(int ended, const int* indices, int n, MPI_Request* requests) {
  for (int i = 0; i < ended; i++) until_done(requests[indices[i]]);
  show(n, requests, ended, indices);
  complete_some(MPI_Waitsome, n, visible);
  take_back(requests, ended, indices, n);
}

/* A message that was seen may not be there yet for the call itself, where threads probe at the same time: it is asked for again. */
void skel_iprobe(int flag, int source, int tag, MPI_Comm comm) {
  MPI_Status status;
  int there = 0;
  do {
    PMPI_Iprobe(source, tag, comm, &there, &status);
    if (there && flag) MPI_Iprobe(source, tag, comm, &there, &status);
  } while (flag && !there);
}

void skel_improbe(int flag, int source, int tag, MPI_Comm comm, MPI_Message* message) {
  MPI_Status status;
  int there = 0;
  do {
    PMPI_Iprobe(source, tag, comm, &there, &status);
    if (there && flag) MPI_Improbe(source, tag, comm, &there, message, &status);
  } while (flag && !there);
}

MPI_Message* skel_message(MPI_Message* all, int64_t slot) {
  static SKEL_LOCAL MPI_Message none;
  if (slot >= 0) return &all[slot];
  none = slot == -2 ? MPI_MESSAGE_NO_PROC : MPI_MESSAGE_NULL;
  return &none;
}

void skel_attach(int bytes) {
  /* Programs attach what their messages need with the MPI that they run with. Another one may need more for each, and
   * in scaled-down runs ranks may be further apart: more messages wait. */
  if (scale > 1 || MPI_BSEND_OVERHEAD > program->bsend_overhead)
    bytes = bytes < (INT_MAX - 64 * MPI_BSEND_OVERHEAD) / 2 ? 2 * bytes + 64 * MPI_BSEND_OVERHEAD : INT_MAX;
  void* memory = malloc(bytes > 0 ? (size_t)bytes : 1);
  if (!memory) no_memory(bytes > 0 ? (size_t)bytes : 1);
  MPI_Buffer_attach(memory, bytes);
}

void skel_detach(void) {
  void* memory = NULL;
  int bytes;
  MPI_Buffer_detach(&memory, &bytes);
  free(memory);
}

void skel_win_test(int flag, MPI_Win win) {
  int over = !flag;
  while (!over) MPI_Win_test(win, &over);
}

const int* skel_unweighted(void) { return MPI_UNWEIGHTED; }
const int* skel_weights(const int* weights) {
  return !weights ? MPI_WEIGHTS_EMPTY : *weights == -32766 ? MPI_UNWEIGHTED : weights;
}

void skel_neighbours(MPI_Comm comm, int by, int* minus, int* plus) {
  int dimensions = 0;
  PMPI_Cartdim_get(comm, &dimensions);
  for (int d = 0; d < dimensions; d++) PMPI_Cart_shift(comm, d, by, &minus[d], &plus[d]);
}

void skel_dims_create(int nodes, int n, const int* dims) {
  int* result = malloc((size_t)(n > 0 ? n : 1) * sizeof(int));
  if (!result) no_memory((size_t)n * sizeof(int));
  for (int i = 0; i < n; i++) result[i] = dims[i];
  MPI_Dims_create(nodes, n, result);
  free(result);
}

void* skel_buffer(int64_t v) {
  if (v == 0) return NULL;
  if (v == 1) return MPI_IN_PLACE;
  return skel_memory[(v >> SKEL_OFFSET_BITS) - 1] + (v & ((INT64_C(1) << SKEL_OFFSET_BITS) - 1));
}

int64_t skel_sum(const struct skel_sequence* s, long k, struct skel_cursor* cursor) {
  if (!s->length) return s->first * k + s->step * (k * (k - 1) / 2);
  if (k < cursor->k) cursor->k = cursor->sum = 0;
  for (; cursor->k < k; cursor->k++) cursor->sum += skel_at(s, cursor->k);
  return cursor->sum;
}

MPI_Datatype* skel_type(MPI_Datatype datatype) {
  static SKEL_LOCAL MPI_Datatype copy;
  copy = datatype;
  return &copy;
}

const MPI_Datatype* skel_keep_types(long slot, int list, int n, const MPI_Datatype* types) {
  static SKEL_LOCAL struct { MPI_Datatype* of[2]; } * kept;
  static SKEL_LOCAL long slots;
  const size_t bytes = (size_t)(n > 0 ? n : 1) * sizeof *types;
  if (slot >= slots) {
    kept = realloc(kept, (size_t)(slot + 1) * sizeof *kept);
    if (!kept) no_memory((size_t)(slot + 1) * sizeof *kept);
    memset(kept + slots, 0, (size_t)(slot + 1 - slots) * sizeof *kept);
    slots = slot + 1;
  }
  MPI_Datatype** const own = &kept[slot].of[list];
  *own = realloc(*own, bytes);
  if (!*own) no_memory(bytes);
  return memcpy(*own, types, bytes);
}

void skel_type_free(void) {
  MPI_Datatype datatype;
  PMPI_Type_contiguous(1, MPI_BYTE, &datatype);
  MPI_Type_free(&datatype);
}

void skel_no_reduction(void* in, void* inout, int* n, MPI_Datatype* datatype) {
  (void)in, (void)inout, (void)n, (void)datatype;
}

MPI_Group skel_group(int n, const int* members) {
  static SKEL_LOCAL MPI_Group made;
  static SKEL_LOCAL int there;
  MPI_Group world;
  if (there) PMPI_Group_free(&made);
  there = n > 0;
  if (!there) return MPI_GROUP_EMPTY;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_incl(world, n, members, &made);
  PMPI_Group_free(&world);
  return made;
}

MPI_Group* skel_made_group(MPI_Group* all, int64_t slot) {
  static SKEL_LOCAL MPI_Group made;
  static SKEL_LOCAL int there;
  MPI_Group world;
  int everyone[1][3] = {{0, 0, 1}};
  if (slot >= 0) return &all[slot];
  if (there && made != MPI_GROUP_NULL) return &made; /* the program may free it */
  /* A group of its own: that of MPI_COMM_WORLD may be one of `all`. */
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_size(world, &everyone[0][1]);
  everyone[0][1]--;
  PMPI_Group_range_incl(world, 1, everyone, &made);
  PMPI_Group_free(&world);
  there = 1;
  return &made;
}
