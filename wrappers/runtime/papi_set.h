/* Hardware counters by PAPI, a library that is loaded when the first one is wanted. Whether an event counts is known only
 * after it was added and started: PAPI lists many that this machine does not have. */
#ifndef SKEL_PAPI_SET_H
#define SKEL_PAPI_SET_H

#include <stdint.h>

/* Why the chosen counters and this one cannot run together; NULL if they can, and it is chosen. */
const char* skel_papi_choose(const char* name);
int skel_papi_count(void); /* of those chosen */
const char* skel_papi_name(int i);

int skel_papi_start(void);                     /* of the calling thread; returns its set, -1 if that cannot be */
int skel_papi_read(int set, uint64_t* values); /* whether it could; else they are unchanged */
void skel_papi_end(int set);

#endif
