#include "core_wait.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#ifdef SKEL_SMPI

/* The process is not the rank's. */
int64_t skel_core_wait_ns(const char* file) { return (void)file, -1; }

#else

/* The file has the time on a core, the time without one, and the number of turns. */
int64_t skel_core_wait_ns(const char* file) {
  char text[128];
  long long on_core, waiting;
  const int descriptor = open(file, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return -1;
  const ssize_t bytes = read(descriptor, text, sizeof text - 1);
  close(descriptor);
  if (bytes <= 0) return -1;
  text[bytes] = 0;
  return sscanf(text, "%lld %lld", &on_core, &waiting) == 2 && on_core > 0 ? waiting : -1;
}

#endif
