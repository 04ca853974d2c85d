/* Objects that are made and destroyed: the same address is another object then. */
#ifndef SKEL_MADE_H
#define SKEL_MADE_H

#include <stdint.h>

void skel_made(unsigned primitive, const void* object, const void* site, uint64_t value);
void skel_destroyed(unsigned primitive, const void* object, const void* site);
void skel_closes(unsigned first, unsigned last); /* descriptors that may be channels' */

#endif
