/* Callers: whose code makes a call, and its site in the program. */
#ifndef SKEL_CALLERS_H
#define SKEL_CALLERS_H

#include <stdint.h>

#include "report.h"

int skel_is_program(const void* address); /* whether the program's code goes on there, and not the MPI's or a tool's */
void skel_is_tool(const void* function);  /* or NULL: it belongs to another tool */
/* Where the program goes on behind the call that is being made: the first place on the stack that is neither the MPI's
 * nor a tool's; 0 if there is none. Takes microseconds, unless `returns_to`, where the call itself returns to (NULL if
 * that is not known), is such a place. */
uint64_t skel_call_site(const void* returns_to);
void skel_add_modules(struct skel_text* t); /* a JSON array of what such places are in */
/* Where the calling thread's first function returns to; NULL if that is not known. */
const void* skel_outermost(void);
/* Whether the calling thread, with that outermost place, is in no other call any more: it was left by a jump or an
 * exception. False where that is not sure. */
int skel_was_left(const void* outermost);

#endif
