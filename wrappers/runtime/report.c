/* Text that capture writes: JSON and single lines for people. */
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ranks.h"

void skel_add(struct skel_text* t, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const size_t room = sizeof t->bytes - t->length;
  const int length = vsnprintf(t->bytes + t->length, room, format, arguments);
  va_end(arguments);
  if (length > 0) t->length += (size_t)length < room ? (size_t)length : room - 1;
}

/* Bytes of the UTF-8 character at `text`, 0 if it is none. */
static int character_length(const unsigned char* text) {
  const int length = text[0] < 0x80                      ? 1
                     : text[0] >= 0xc2 && text[0] < 0xe0 ? 2
                     : text[0] >= 0xe0 && text[0] < 0xf0 ? 3
                     : text[0] >= 0xf0 && text[0] < 0xf5 ? 4
                                                         : 0;
  for (int i = 1; i < length; i++)
    if ((text[i] & 0xc0) != 0x80) return 0;
  if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] >= 0xa0) ||
      (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] >= 0x90))
    return 0;
  return length;
}

static void add_characters(struct skel_text* t, const char* value) {
  for (const unsigned char* at = (const unsigned char*)value; *at;) {
    const int length = character_length(at);
    if (*at == '"' || *at == '\\')
      skel_add(t, "\\%c", *at);
    else if (*at < 0x20)
      skel_add(t, "\\u%04x", *at);
    else if (length == 0)
      skel_add(t, "?");
    else
      skel_add(t, "%.*s", length, (const char*)at);
    at += length ? length : 1;
  }
}

void skel_add_string(struct skel_text* t, const char* value) {
  skel_add(t, "\"");
  add_characters(t, value);
  skel_add(t, "\"");
}

void skel_add_clock_pair(struct skel_text* t, struct skel_clock_pair pair) {
  skel_add(t, "[%llu,%llu]", (unsigned long long)pair.ticks, (unsigned long long)pair.nanoseconds);
}

void skel_add_clock(struct skel_text* t, uint64_t origin, const struct skel_clock_pair pairs[2]) {
  skel_add(t, "\"clock\":{\"kind\":\"%s\",\"origin_ticks\":%llu,\"pairs\":[", skel_clock_kind(),
           (unsigned long long)origin);
  skel_add_clock_pair(t, pairs[0]);
  skel_add(t, ",");
  skel_add_clock_pair(t, pairs[1]);
  skel_add(t, "]}");
}

/* The command line, its words separated by blanks; cut when it is long. */
void skel_add_command(struct skel_text* t) {
  char words[2000] = "";
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? 0 : read(file, words, sizeof words - 1);
  if (file >= 0) close(file);
  if (length < 0) length = 0;
  for (ssize_t i = 0; i + 1 < length; i++)
    if (!words[i]) words[i] = ' ';
  words[length] = 0;
  skel_add_string(t, words);
}

#ifdef SKEL_SMPI /* smpimain PROGRAM ... */
const char* skel_application(void) {
  static char words[4096];
  const int file = words[0] ? -1 : open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    if (read(file, words, sizeof words - 2) < 0) words[0] = 0;
    close(file);
  }
  const char* const program = words + strlen(words) + 1;
  const char* const slash = strrchr(program, '/');
  return slash ? slash + 1 : program;
}

void skel_host_name(char* name, size_t bytes) { snprintf(name, bytes, "%s", skel_simulated_host()); }
#else
const char* skel_application(void) { return program_invocation_short_name; }

void skel_host_name(char* name, size_t bytes) {
  gethostname(name, bytes - 1);
  name[bytes - 1] = 0;
}
#endif

int skel_write_file(const char* directory, const char* name, const struct skel_text* t) {
  char temporary[4200], final[4200];
  if (mkdir(directory, 0777) && errno != EEXIST) return errno;
  snprintf(final, sizeof final, "%s/%s", directory, name);
  snprintf(temporary, sizeof temporary, "%s/.%s.%ld", directory, name, (long)getpid());
  const int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return errno;
  int problem = write(file, t->bytes, t->length) == (ssize_t)t->length ? 0 : errno ? errno : ENOSPC;
  if (close(file) && !problem) problem = errno;
  if (!problem && rename(temporary, final)) problem = errno;
  if (problem) unlink(temporary);
  return problem;
}

void skel_say(const char* format, ...) {
  char line[8192];
  va_list arguments;
  va_start(arguments, format);
  int length = snprintf(line, sizeof line, "skelgen: ");
  length += vsnprintf(line + length, sizeof line - 2 - (size_t)length, format, arguments);
  va_end(arguments);
  if (length > (int)sizeof line - 2) length = (int)sizeof line - 2;
  line[length++] = '\n';
  if (write(2, line, (size_t)length) < 0) return; /* nobody to tell */
}
