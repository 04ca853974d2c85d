/* Counters and other columns of every event. */
#ifndef SKEL_COUNTERS_H
#define SKEL_COUNTERS_H

#include "ranks.h"

void skel_counters_choose(void);
/* Returns how many. The first gap's time on a processor counts from now on, or since_birth of the thread. */
int skel_counters_start(struct skel_stream* s, int since_birth);
void skel_counters_end(struct skel_stream* s); /* its thread ends */
const char* skel_counter_name(int i);
int skel_counter_count(void);
int skel_records_sites(void);
uint64_t skel_counter_cpu(const struct skel_stream* s); /* nanoseconds of the last gap, 0 if they are not recorded */
/* `returns_to`: where the call returns to, NULL if that is not known. */
void skel_read_counters_before(struct skel_stream* s, const void* returns_to);
void skel_read_counters_after(struct skel_stream* s);

#endif
