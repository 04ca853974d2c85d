/* Whose code makes a call that comes while another one is being made: a user function that MPI has called back, or the
 * MPI itself. Seen by where the call returns to. */
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

#include "backend.h"
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

static const struct object* look_up(const void* address, int is_tool) {
  const struct object* found = known((uintptr_t)address);
  if (found) return found;
  struct object object = {(uintptr_t)address, 0, 0};
  if (!dl_iterate_phdr(find, &object)) return NULL; /* made at run time: an interpreter's */
  if (is_tool) object.is_program = 0;
  pthread_mutex_lock(&finding);
  found = known(object.from);
  if (!found && object_count < OBJECTS) {
    objects[object_count] = object;
    found = &objects[object_count];
    __atomic_store_n(&object_count, object_count + 1, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&finding);
  return found;
}

void skel_is_tool(const void* function) {
  if (function) look_up(function, 1);
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
  const struct object* const object = look_up(address, 0);
  return !object || object->is_program || was_by_pointer(address, object);
}

#ifdef SKEL_SMPI /* ranks have stacks of their own */
int skel_was_left(void) { return 0; }
#else
int skel_was_left(void) {
  enum { FRAMES = 256 };
  void* frames[FRAMES];
  const int count = backtrace(frames, FRAMES);
  const struct object* const own = look_up((const void*)(uintptr_t)skel_was_left, 0);
  const struct object* last = NULL;
  int i = 0;
  while (i < count && look_up(frames[i], 0) == own) i++; /* this call */
  for (; i < count; i++) {
    last = look_up(frames[i], 0);
    if (!last || last == own) return 0; /* code that cannot be seen through, or the call around */
  }
  return count < FRAMES && last && last->is_program;
}
#endif
