/* The two compute kernels by which computation is carried to another machine: their speeds are measured at trace time
 * on every rank at once, and again by the skeleton. Both sides must use exactly these loops. Plain C11.
 *
 *   register speed = iterations of skel_kernel_register per second
 *   memory speed   = bytes that skel_kernel_memory passes per second, streaming over an area of SKEL_KERNEL_AREA bytes
 * again and again */
#ifndef SKEL_KERNELS_H
#define SKEL_KERNELS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SKEL_KERNEL_AREA ((size_t)32 << 20) /* larger than the caches that one core has for itself */
#define SKEL_KERNEL_LINE 64

/* A chain of dependent multiplications and shifts in registers: as fast as the core's clock. Returns a value that
 * depends on all of it. */
static inline uint64_t skel_kernel_register(uint64_t iterations) {
  uint64_t x = iterations | 1;
  for (uint64_t i = 0; i < iterations; i++) {
    x *= UINT64_C(6364136223846793005);
    x ^= x >> 29;
  }
  return x;
}

/* Streams over `amount` bytes of `area` (bytes long) from `offset` < bytes on, starting again at its head when the end
 * is reached; one load per cache line. bytes >= 64. Returns a value that depends on all of it. */
static inline uint64_t skel_kernel_memory(const char* area, size_t bytes, size_t offset, size_t amount) {
  uint64_t sum = 0;
  const size_t end = bytes - bytes % SKEL_KERNEL_LINE;
  offset -= offset % SKEL_KERNEL_LINE;
  while (amount >= SKEL_KERNEL_LINE) {
    if (offset >= end) offset = 0;
    size_t piece = end - offset < amount ? end - offset : amount;
    piece -= piece % SKEL_KERNEL_LINE;
    for (const char *p = area + offset, *stop = p + piece; p != stop; p += SKEL_KERNEL_LINE) {
      uint64_t word;
      memcpy(&word, p, sizeof word);
      sum += word;
    }
    offset += piece;
    amount -= piece;
  }
  return sum;
}

#endif
