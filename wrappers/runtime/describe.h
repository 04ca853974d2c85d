/* Texts of HEAD and TAIL of a record file: who wrote it, and how it ended. */
#ifndef SKEL_DESCRIBE_H
#define SKEL_DESCRIBE_H

#include "sink.h"

void skel_add_mpi(struct skel_text* t); /* which one, as a member of a JSON object */
void skel_describe_begin(struct skel_text* t);
void skel_describe_end(struct skel_text* t, const char* how, struct skel_counted counted);

#endif
