/* Facts about this machine, and what the program uses of it. */
#ifndef SKEL_PROBE_H
#define SKEL_PROBE_H

#include "ranks.h"

void skel_probe_speeds(struct skel_speeds* speeds); /* takes about 30 ms */
void skel_plan_check(struct skel_stream* s);        /* when MPI has started */
void skel_check(struct skel_stream* s); /* at skel_stream::next_check; what it takes is not the program's time */
uint64_t skel_peak_memory(void);

#endif
