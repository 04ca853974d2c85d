/* Records of the file threads-HOST-PID.skt, shared by the capture of threads (C11) and src/threads (C++20). Header and
 * chunks are those of skt_format.h (rank 0 of 1); what the records in EVNT mean is here, and src/trace/FORMAT.md
 * explains both.
 *
 * record = varint tag, fields; PAUSE and CLOCK are those of skt_format.h. DROPPED, of 1, is the end of a record for which
 * there was no more room. */
#ifndef THREAD_FORMAT_H
#define THREAD_FORMAT_H

#include "skt_format.h"

enum skt_thread_tag {
  SKT_TAG_CALL = 1,   /* id (0, 1, 2, ... in this stream), primitive, action, flags, object, second object, site */
  SKT_TAG_MODULE = 2, /* from, to, base, length of path, path: what sites from `from` up to `to` are in, `base` higher
                         than in the file */
  SKT_TAG_NAME = 3    /* length, name of this thread */
  /* SKT_TAG_EVENT + id: gap ticks, call ticks, work of the gap, work of the call, value */
};

/* As in src/threads/run.h, in this order. */
enum skt_primitive {
  SKT_THREAD,
  SKT_MUTEX,
  SKT_READ_WRITE_LOCK,
  SKT_SPIN_LOCK,
  SKT_CONDITION,
  SKT_BARRIER,
  SKT_SEMAPHORE,
  SKT_ONCE,
  SKT_FUTEX,
  SKT_CHANNEL,
  SKT_PARALLEL,
  SKT_MARK,
  SKT_PRIMITIVES
};

/* The first ones as in src/threads/run.h, in this order. */
enum skt_action {
  SKT_CREATE, /* object: the new thread's pthread_t; value: number of the creation */
  SKT_START,  /* object: the own pthread_t; value: number of the creation, 0 if it was not seen */
  SKT_EXIT,
  SKT_JOIN, /* object: the other's pthread_t */
  SKT_ACQUIRE,
  SKT_ACQUIRE_SHARED,
  SKT_RELEASE,
  SKT_WAIT, /* second object: the mutex that is released meanwhile; of other primitives that had to be waited for: where the function that makes the call was called, 0 if not known */
  SKT_SIGNAL,
  SKT_BROADCAST,
  SKT_ARRIVE,
  SKT_SEND,    /* value: bytes; of an eventfd, what its counter grows by */
  SKT_RECEIVE, /* the same: shrinks by */
  /* No events of a run: */
  SKT_MADE, /* value: what the semaphore or eventfd holds, for how many the barrier waits */
  SKT_DESTROYED,
  SKT_DETACH, /* object: the other's pthread_t */
  SKT_ACTIONS
};

enum skt_call_flag {
  SKT_BLOCKED = 1,
  SKT_TIMED_OUT = 2, /* nothing was consumed */
  SKT_OPENED =
      4 /* made and destroyed: one more, or one fewer, that has it open; an address that is open is one object */
};

#endif
