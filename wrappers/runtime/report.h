/* Text that capture writes: JSON and single lines for people. */
#ifndef SKEL_REPORT_H
#define SKEL_REPORT_H

#include <stddef.h>

#include "clock.h"

struct skel_text {
  char bytes[16384];
  size_t length;
};
void skel_add(struct skel_text* t, const char* format, ...) __attribute__((format(printf, 2, 3)));
void skel_add_string(struct skel_text* t, const char* value);
void skel_add_command(struct skel_text* t);
void skel_add_clock_pair(struct skel_text* t, struct skel_clock_pair pair);
/* "clock":{...} of HEAD: kind, origin, and two pairs. */
void skel_add_clock(struct skel_text* t, uint64_t origin, const struct skel_clock_pair pairs[2]);
const char* skel_application(void);
void skel_host_name(char* name, size_t bytes);
int skel_write_file(const char* directory, const char* name, const struct skel_text* t); /* 0 or errno */
void skel_say(const char* format, ...) __attribute__((format(printf, 1, 2)));

#endif
