/* Texts of HEAD and TAIL of a record file: who wrote it, and how it ended. */
#ifndef SKEL_DESCRIBE_H
#define SKEL_DESCRIBE_H

#include "sink.h"

void skel_describe_begin(struct skel_text* t);
void skel_describe_end(struct skel_text* t, const char* how, struct skel_counted counted);

#endif
