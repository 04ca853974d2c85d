/* Which processor this is. Plain C11. */
#ifndef SKEL_PROCESSOR_H
#define SKEL_PROCESSOR_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SKEL_PROCESSOR_BYTES 120

/* What C and JSON have to write in another way becomes a space, as emit::program does with what a trace says. */
static inline void skel_processor_plain(char* text) {
  for (; *text; text++)
    if (*text < ' ' || *text > '~' || *text == '"' || *text == '\\' || *text == '?') *text = ' ';
}

#if defined(__x86_64__)

static inline void skel_cpuid(uint32_t leaf, uint32_t to[4]) {
  __asm__ volatile("cpuid" : "=a"(to[0]), "=b"(to[1]), "=c"(to[2]), "=d"(to[3]) : "0"(leaf), "2"(0));
}

/* As it calls itself, its model, and a number for the set of instructions that it says to have; what the system has turned
 * on, and on which core this runs, is left out. An emulator tells of the processor that it stands for. */
static inline void skel_processor(char text[SKEL_PROCESSOR_BYTES]) {
  uint32_t name[13] = {0}, one[4], seven[4] = {0}, most[4];
  char* const own = (char*)name;
  skel_cpuid(0x80000000, most);
  for (uint32_t i = 0; i < 3 && most[0] >= 0x80000004; i++) skel_cpuid(0x80000002 + i, name + 4 * i);
  const char* begin = own;
  while (*begin == ' ') begin++;
  size_t length = strlen(begin);
  while (length && begin[length - 1] == ' ') length--;
  skel_cpuid(0, most);
  skel_cpuid(1, one);
  if (most[0] >= 7) skel_cpuid(7, seven);
  const uint32_t sets[4] = {one[2] & ~(UINT32_C(1) << 27), one[3], seven[1], seven[2] & ~(UINT32_C(1) << 4)};
  uint32_t hash = 2166136261;
  for (int i = 0; i < 4; i++) hash = (hash ^ sets[i]) * 16777619;
  const uint32_t family = (one[0] >> 8 & 15) + ((one[0] >> 8 & 15) == 15 ? one[0] >> 20 & 255 : 0);
  snprintf(text, SKEL_PROCESSOR_BYTES, "%.*s family %u model %u.%u set %08x", (int)length, begin, (unsigned)family,
           (unsigned)((one[0] >> 4 & 15) | (one[0] >> 12 & 240)), (unsigned)(one[0] & 15), (unsigned)hash);
  skel_processor_plain(text);
}

#else

/* The first processor in /proc/cpuinfo, by its model name or, on ARM, by the numbers of its design. Empty: unknown. */
static inline void skel_processor(char text[SKEL_PROCESSOR_BYTES]) {
  static const char* const keys[] = {"model name", "CPU implementer", "CPU part", "CPU variant", "cpu"};
  char line[256];
  size_t length = 0;
  unsigned known = 0;
  text[0] = 0;
  FILE* const in = fopen("/proc/cpuinfo", "r");
  while (in && fgets(line, sizeof line, in))
    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++) {
      const char* value = strchr(line, ':');
      const size_t key = strlen(keys[i]);
      if (known >> i & 1 || !value || strncmp(line, keys[i], key) || (line[key] != ' ' && line[key] != '\t')) continue;
      known |= 1u << i;
      value += strspn(value, ": \t");
      const int n = snprintf(text + length, SKEL_PROCESSOR_BYTES - length, "%s%.*s", length ? " " : "",
                             (int)strcspn(value, "\n\"\\"), value);
      length = n > 0 && length + (size_t)n < SKEL_PROCESSOR_BYTES ? length + (size_t)n : SKEL_PROCESSOR_BYTES - 1;
    }
  if (in) fclose(in);
  skel_processor_plain(text);
}

#endif
#endif
