/* Buffers: part of skel.c, which is one file in a skeleton. */
#include "skel.h"

/* Of the calling thread. A zero-sized buffer has an address, too. */
static char* buffer_of(size_t bytes) {
  void* memory = NULL;
  if (posix_memalign(&memory, 64, bytes + 64)) no_memory(bytes + 64);
  return memset(memory, 0, bytes + 64);
}

static void prepare_buffers(void) {
  skel_memory = zeroed((size_t)program->buffers + 1, sizeof(char*));
  const size_t* bytes =
      program->buffer_bytes + (program->buffer_rows == 1 ? 0 : (size_t)SKEL_ME * (size_t)program->buffers);
  size_t largest = 0; /* of those that share their memory */
  char* shared = NULL;
  for (int i = 0; i < program->buffers; i++)
    if (bytes[i] > SKEL_SHARED + largest) largest = bytes[i] - SKEL_SHARED;
  if (largest) shared = buffer_of(largest);
  for (int i = 0; i < program->buffers; i++)
    skel_memory[i] = bytes[i] > SKEL_SHARED ? shared : buffer_of(bytes[i] & ~SKEL_SHARED);
}
