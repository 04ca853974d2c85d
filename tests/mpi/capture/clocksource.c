/* A preload library in whose presence the kernel does not trust the processors' counters. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  if (strstr(path, "/available_clocksource")) {
    const int file = memfd_create("clocksource", 0);
    const ssize_t written = write(file, "hpet acpi_pm \n", 14);
    lseek(file, 0, SEEK_SET);
    return written > 0 ? file : -1;
  }
  return ((int (*)(const char*, int, ...))dlsym(RTLD_NEXT, "open"))(path, flags, mode);
}
