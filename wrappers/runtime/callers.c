/* Whose code makes a call that comes while another one is being made: a user function that MPI has called back, or the
 * MPI itself. Seen by where the call returns to. And where in the program calls are made (SKELGEN_SITES=1). */
#include "callers.h"

#include <elf.h>
#include <execinfo.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build_id.h"
#include "front.h"

/* What is loaded where; grows as callers are seen. */
struct object {
  uintptr_t from, to;
  int is_program;
};
#define OBJECTS 256
static struct object objects[OBJECTS];
static int object_count;
static pthread_mutex_t finding = PTHREAD_MUTEX_INITIALIZER;

static const struct object* known(uintptr_t at) {
  const int count = __atomic_load_n(&object_count, __ATOMIC_ACQUIRE);
  for (int i = 0; i < count; i++)
    if (at >= objects[i].from && at < objects[i].to) return &objects[i];
  return NULL;
}

static int find(struct dl_phdr_info* info, size_t bytes, void* with) {
  struct object* const object = with;
  const uintptr_t at = object->from;
  uintptr_t from = UINTPTR_MAX, to = 0;
  (void)bytes;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)* const part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD) continue;
    const uintptr_t begin = info->dlpi_addr + part->p_vaddr, end = begin + part->p_memsz;
    if (begin < from) from = begin;
    if (end > to) to = end;
  }
  if (at < from || at >= to) return 0;
  *object = (struct object){from, to, !skel_is_mpi_library(info->dlpi_name)};
  return 1;
}

/* What an address lies in. False for code that was made at run time: an interpreter's. */
static int look_up(const void* address, int is_tool, struct object* object) {
  const struct object* const found = known((uintptr_t)address);
  *object = found ? *found : (struct object){(uintptr_t)address, 0, 0};
  if (found) return 1;
  if (!dl_iterate_phdr(find, object)) return 0;
  if (is_tool) object->is_program = 0;
  if (pthread_mutex_trylock(&finding)) return 1; /* perhaps a signal handler's call: it is looked up the next time */
  if (!known(object->from) && object_count < OBJECTS) {
    objects[object_count] = *object;
    __atomic_store_n(&object_count, object_count + 1, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&finding);
  return 1;
}

void skel_is_tool(const void* function) {
  struct object object;
  if (function) look_up(function, 1, &object);
}

/* Whether the call that returns here went to an address that is only known at run time. A user function that ends with
 * a call may leave that to a jump, so that the call returns to where MPI called the user function back. MPI's own calls
 * name what they call. */
static int was_by_pointer(const uint8_t* at, const struct object* object) {
#if defined(__x86_64__)
  int32_t distance;
  memcpy(&distance, at - 4, sizeof distance);
  const uintptr_t target = (uintptr_t)at + (uintptr_t)(intptr_t)distance;
  if (at[-5] == 0xe8 && target >= object->from && target < object->to) return 0;
  if (at[-6] == 0xff && at[-5] == 0x15) return 0; /* through the table of imports */
  return (at[-2] == 0xff && ((at[-1] & 0xf8) == 0xd0 || (at[-1] & 0xf8) == 0x10)) ||
         (at[-3] == 0xff && ((at[-2] & 0xf8) == 0x50 || at[-2] == 0x14)) || (at[-4] == 0xff && at[-3] == 0x54) ||
         (at[-6] == 0xff && (at[-5] & 0xf8) == 0x90) || (at[-7] == 0xff && at[-6] == 0x94);
#elif defined(__aarch64__)
  uint32_t instruction;
  memcpy(&instruction, at - 4, sizeof instruction);
  (void)object;
  return (instruction & 0xfffffc1fu) == 0xd63f0000u;
#else
  (void)at, (void)object;
  return 0;
#endif
}

int skel_is_program(const void* address) {
  struct object object;
  return !look_up(address, 0, &object) || object.is_program || was_by_pointer(address, &object);
}

static int in_this_library(const void* address) {
  struct object own, object;
  return look_up((const void*)(uintptr_t)in_this_library, 0, &own) && look_up(address, 0, &object) &&
         object.from == own.from;
}

/* The first frame behind those of the call that is being made; a sanitizer's backtrace() stands before them. */
static int behind_call(void* const* frames, int count) {
  int i = 0;
  while (i < count && !in_this_library(frames[i])) i++;
  while (i < count && in_this_library(frames[i])) i++;
  return i;
}

uint64_t skel_call_site(const void* returns_to) {
  struct object object;
  if (returns_to && !in_this_library(returns_to) && look_up(returns_to, 0, &object) && object.is_program)
    return (uint64_t)(uintptr_t)returns_to;
  void* frames[32];
  const int n = backtrace(frames, 32);
  for (int i = behind_call(frames, n); i < n; i++)
    if (look_up(frames[i], 0, &object) && object.is_program) return (uint64_t)(uintptr_t)frames[i];
  return 0;
}

static int add_module(struct dl_phdr_info* info, size_t bytes, void* with) {
  struct skel_text* const t = with;
  struct object object = {0, 0, 0};
  char path[PATH_MAX] = "/proc/self/exe", whole[PATH_MAX], id[80];
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD) {
      object.from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
      break;
    }
  if (!find(info, bytes, &object)) return 0;
  const struct object* const seen = known(object.from);
  if (!seen || !seen->is_program || t->length + 2 * PATH_MAX > sizeof t->bytes) return 0;
  if (info->dlpi_name[0]) snprintf(path, sizeof path, "%s", info->dlpi_name);
  skel_build_id(info, id, sizeof id);
  skel_add(t, "%s{\"from\":%llu,\"to\":%llu,\"base\":%llu,\"build_id\":\"%s\",\"path\":",
           t->bytes[t->length - 1] == '[' ? "" : ",", (unsigned long long)object.from, (unsigned long long)object.to,
           (unsigned long long)info->dlpi_addr, id);
  skel_add_string(t, realpath(path, whole) ? whole : path);
  skel_add(t, "}");
  return 0;
}

void skel_add_modules(struct skel_text* t) {
  skel_add(t, "[");
  dl_iterate_phdr(add_module, t);
  skel_add(t, "]");
}

#ifdef SKEL_SMPI /* ranks have stacks of their own */
const void* skel_outermost(void) { return NULL; }
int skel_was_left(const void* outermost) { return (void)outermost, 0; }
#else
enum { FRAMES = 256 };

/* The last of all the frames, NULL if there are more. */
static const void* end_of(void* const frames[FRAMES], int count) {
  return count > 0 && count < FRAMES ? frames[count - 1] : NULL;
}

const void* skel_outermost(void) {
  void* frames[FRAMES];
  return end_of(frames, backtrace(frames, FRAMES));
}

int skel_was_left(const void* outermost) {
  void* frames[FRAMES];
  struct object last = {0, 0, 0};
  const int count = backtrace(frames, FRAMES);
  /* Behind code without unwind tables, or on another stack, frames cannot be seen. */
  if (!outermost || end_of(frames, count) != outermost) return 0;
  for (int i = behind_call(frames, count); i < count; i++)
    if (!look_up(frames[i], 0, &last) || in_this_library(frames[i]))
      return 0; /* code made at run time, or the call around */
  return last.is_program;
}
#endif
