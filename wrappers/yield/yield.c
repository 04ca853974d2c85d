/* libskelyield.so: MPICH's ch4:ucx waits by polling without end. With more ranks than cores a waiting rank then keeps
 * the core from the one that it waits for. This library steps in at UCX's progress function and gives the core away
 * after some polls that found nothing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

enum { kIdlePolls = 20 };

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker) {
  static unsigned (*real)(void*);
  static __thread unsigned idle;
  if (__builtin_expect(!real, 0)) *(void**)&real = dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned progressed = real(worker);
  if (progressed) {
    idle = 0;
  } else if (++idle >= kIdlePolls) {
    idle = 0;
    sched_yield();
  }
  return progressed;
}
