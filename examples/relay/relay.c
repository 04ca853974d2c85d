/* Sending part of a message relay: the example of Cheng, Wang, Zhang & Zhang (2004), which sends positions of vehicles.
 *
 * Pattern: three threads that wait for each other's signals. The sender takes frame after frame and tries to send it, up
 * to four times; the dispatcher carries out each attempt and says whether it failed; the controller keeps a pause between
 * attempts and lets the sender go on. No MPI.
 *
 *   ./relay [FRAMES [WORK]]                     default 400 1; WORK: how much there is to do for each attempt
 *
 * Signals: frame-wait (to the controller: a pause is due), send-ready (to the sender: go on), send-start (to the
 * dispatcher: here is a frame), send-end (to the sender: the attempt is over); beside them data, send-fault: whether it
 * failed. Signals are condition variables, or with -DFLAGS plain variables, which a tool sees by the marks of skel_mark.h
 * only.
 *
 * Which attempts fail is decided by the numbers of frame and attempt. Checks that all frames were sent or given up, and
 * what arrived. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { ATTEMPTS = 4, BYTES = 4096 };

/* ---- a signal: somebody sets it, somebody waits until it is set and takes it back ---- */

#ifdef FLAGS

#include <stdatomic.h>

#include "skel_mark.h"

struct signal {
  unsigned long id;
  atomic_int set;
};
enum { FRAME_WAIT, SEND_READY, SEND_START, SEND_END, SEND_FAULT };
static struct signal frame_wait = {FRAME_WAIT, 0}, send_ready = {SEND_READY, 0}, send_start = {SEND_START, 0},
                     send_end = {SEND_END, 0};

static void produce(struct signal* signal) {
  skel_mark_signal(signal->id);
  atomic_store(&signal->set, 1);
}

static void consume(struct signal* signal) {
  skel_mark_wait_begin(signal->id);
  while (!atomic_load(&signal->set)) sched_yield();
  atomic_store(&signal->set, 0);
  skel_mark_wait_end(signal->id);
}

#else

struct signal {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int set;
};
static struct signal frame_wait = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0},
                     send_ready = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0},
                     send_start = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0},
                     send_end = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};

static void produce(struct signal* signal) {
  pthread_mutex_lock(&signal->lock);
  signal->set = 1;
  pthread_cond_signal(&signal->changed);
  pthread_mutex_unlock(&signal->lock);
}

static void consume(struct signal* signal) {
  pthread_mutex_lock(&signal->lock);
  while (!signal->set) pthread_cond_wait(&signal->changed, &signal->lock);
  signal->set = 0;
  pthread_mutex_unlock(&signal->lock);
}

#endif

/* ---- what is sent ---- */

static int frames = 400, work = 1;
static unsigned char frame[BYTES];
static int send_fault;                  /* data: written before send-end, read after it */
static unsigned long arrived, expected; /* checksums */
static int sent, given_up;

static int fails(int number, int attempt) {
  const unsigned mixed = (number * 4u + attempt + 1u) * 2654435761u;
  return (mixed >> 16) % 100 < 45;
}

static int attempts_of(int number) {
  int attempt = 1;
  while (attempt < ATTEMPTS && fails(number, attempt)) ++attempt;
  return attempt;
}

static void prepare(int number) {
  for (int i = 0; i < BYTES; ++i) frame[i] = (unsigned char)(number * 31 + i);
}

static unsigned long checksum(int times) {
  unsigned long sum = 0;
  for (int t = 0; t < times; ++t)
    for (int i = 0; i < BYTES; ++i) sum = sum * 33 + frame[i];
  return sum;
}

static volatile unsigned long clock_register;

static void pause_between_attempts(void) {
  for (int i = 0; i < 2000 * work; ++i) clock_register = clock_register + 1;
}

/* ---- the threads ---- */

static void* sender(void* unused) {
  (void)unused;
  for (int number = 0; number < frames; ++number) { /* l1 */
    prepare(number);
    produce(&frame_wait);
    consume(&send_ready);
    int fault = 1;
    for (int attempt = 1; fault && attempt <= ATTEMPTS; ++attempt) { /* l2 */
      produce(&send_start);
      consume(&send_end);
#ifdef FLAGS
      skel_mark_receive(SEND_FAULT, sizeof send_fault);
#endif
      fault = send_fault;
      consume(&send_ready);
    }
    fault ? ++given_up : ++sent;
  }
  return NULL;
}

static void* dispatcher(void* unused) {
  (void)unused;
  int total = 0, number = 0, attempt = 1;
  for (int i = 0; i < frames; ++i) total += attempts_of(i);
  for (int i = 0; i < total; ++i) { /* l3 */
    consume(&send_start);
    const unsigned long sum = checksum(4 * work);
    send_fault = fails(number, attempt);
#ifdef FLAGS
    skel_mark_send(SEND_FAULT, sizeof send_fault);
#endif
    if (!send_fault) arrived += sum;
    if (!send_fault || attempt == ATTEMPTS)
      ++number, attempt = 1;
    else
      ++attempt;
    produce(&frame_wait);
    produce(&send_end);
  }
  return NULL;
}

static void* controller(void* unused) {
  (void)unused;
  int total = frames;
  for (int i = 0; i < frames; ++i) total += attempts_of(i);
  for (int i = 0; i < total; ++i) { /* l4 */
    consume(&frame_wait);
    pause_between_attempts();
    produce(&send_ready);
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc > 1) frames = atoi(argv[1]);
  if (argc > 2) work = atoi(argv[2]);
  if (argc > 3 || frames < 1 || work < 1) {
    fprintf(stderr, "usage: %s [FRAMES [WORK]]\n", argv[0]);
    return 2;
  }
  void* (*const parts[])(void*) = {sender, dispatcher, controller};
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i)
    if (pthread_create(&threads[i], NULL, parts[i], NULL)) return 1;
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  int good = 0;
  for (int number = 0; number < frames; ++number) {
    const int last = attempts_of(number);
    if (fails(number, last)) continue;
    ++good;
    prepare(number);
    expected += checksum(4 * work);
  }
  printf("%d frames: %d sent, %d given up\n", frames, sent, given_up);
  return sent == good && sent + given_up == frames && arrived == expected ? 0 : 1;
}
