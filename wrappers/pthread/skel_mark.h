/* Marks for programs whose threads wait for each other by plain variables, which no capture can see: where a thread
 * signals and where it waits. `skelgen trace --threads` records them; without it they do nothing (a test of a variable).
 *
 *   ready = 1;                         skel_mark_wait_begin(READY);
 *   skel_mark_signal(READY);           while (!ready) continue;
 *                                      skel_mark_wait_end(READY);
 *
 * `id`: any number, the same where the same thing is meant. Data that is handed over without anybody waiting for it is
 * marked by skel_mark_send and skel_mark_receive. C99 or C++11, Linux; with glibc before 2.34 link with -ldl. */
#ifndef SKEL_MARK_H
#define SKEL_MARK_H

#include <dlfcn.h>

enum skel_mark_what { SKEL_MARK_SIGNAL, SKEL_MARK_WAIT_BEGIN, SKEL_MARK_WAIT_END, SKEL_MARK_SEND, SKEL_MARK_RECEIVE };

typedef void skel_mark_function(int, unsigned long, unsigned long);

static inline skel_mark_function* skel_mark_find(void) {
  static skel_mark_function* function;
  static int looked;
  if (!__atomic_load_n(&looked, __ATOMIC_ACQUIRE)) {
    void* const found = dlsym((void*)0, "skel_mark_event"); /* in all that is loaded */
    __builtin_memcpy(&function, &found, sizeof found);
    __atomic_store_n(&looked, 1, __ATOMIC_RELEASE);
  }
  return function;
}

/* Marks are told apart by where they are: the call is in the program's own function, and not its last instruction. */
#define SKEL_MARK_INLINE static inline __attribute__((always_inline, unused)) void
SKEL_MARK_INLINE skel_mark_tell(int what, unsigned long id, unsigned long bytes) {
  skel_mark_function* const function = skel_mark_find();
  if (!function) return;
  function(what, id, bytes);
  __asm__ volatile("");
}

/* Signals `id`: a thread that waits for it may go on. */
SKEL_MARK_INLINE skel_mark_signal(unsigned long id) { skel_mark_tell(SKEL_MARK_SIGNAL, id, 0); }
/* A wait for `id`: begin stands before the loop that tests the flag, end behind it. */
SKEL_MARK_INLINE skel_mark_wait_begin(unsigned long id) { skel_mark_tell(SKEL_MARK_WAIT_BEGIN, id, 0); }
SKEL_MARK_INLINE skel_mark_wait_end(unsigned long id) { skel_mark_tell(SKEL_MARK_WAIT_END, id, 0); }
SKEL_MARK_INLINE skel_mark_send(unsigned long id, unsigned long bytes) { skel_mark_tell(SKEL_MARK_SEND, id, bytes); }
SKEL_MARK_INLINE skel_mark_receive(unsigned long id, unsigned long bytes) {
  skel_mark_tell(SKEL_MARK_RECEIVE, id, bytes);
}

#endif
