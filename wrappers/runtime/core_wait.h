/* How long a thread was ready to run but had no core: the kernel counts it. */
#ifndef SKEL_CORE_WAIT_H
#define SKEL_CORE_WAIT_H

#include <stdint.h>

#define SKEL_MAIN_THREAD "/proc/self/schedstat"
#define SKEL_THIS_THREAD "/proc/thread-self/schedstat"

/* Of the thread of this file, since it began, in ns; -1: not known. Some microseconds. */
int64_t skel_core_wait_ns(const char* file);

#endif
