/* Tables of many numbers, which stand packed in tables.h: part of skel.c, which is one file in a skeleton. */
#include "skel.h"

/* Letters are digits of base 85, five for four bytes: the characters from '#' on but for '?' and '\', which are 'x' and
 * 'y'. The bytes are a stream of numbers in seven bits each, the lowest first, all but the last with 128 added: how many
 * bytes follow, these, then how many bytes more than LEAST_COPIED are copied from what came before, and from how far
 * back; and so on. What comes out are the tables, one after the other. A table begins with its width, which is 0 or
 * the bits of each number, and the unit of its numbers. Width 0: numbers as above, doubled and without sign (2 n, or
 * -2 n - 1 if n < 0), each the difference to the one before. Else the least number, likewise, and in `width` bits, the
 * lowest first, how much each is above it. Of arrays: a table of their lengths, and one of all their numbers. */
#define LEAST_COPIED 4

struct bytes {
  unsigned char* at;
  const unsigned char* end;
};

/* 0 behind the end. */
static uint64_t next_unsigned(struct bytes* from) {
  uint64_t n = 0;
  for (int shift = 0; from->at < from->end && shift < 64; shift += 7) {
    const unsigned char byte = *from->at++;
    n |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) break;
  }
  return n;
}

static int64_t next_signed(struct bytes* from) {
  const uint64_t n = next_unsigned(from);
  return n & 1 ? -(int64_t)(n >> 1) - 1 : (int64_t)(n >> 1);
}

/* The packed bytes. */
static struct bytes read_letters(const struct skel_packed* packed) {
  unsigned char* const first = zeroed(packed->letters / 5 * 4 + 4, 1);
  struct bytes out = {first, first};
  uint32_t four = 0;
  for (size_t i = 0, digits = 0; i < packed->letters; i++) {
    const char c = packed->text[i / SKEL_LETTERS * (SKEL_LETTERS + 1) + i % SKEL_LETTERS];
    four = four * 85 + (uint32_t)((c == 'x' ? '?' : c == 'y' ? '\\' : c) - '#');
    if (++digits < 5) continue;
    for (int byte = 3; byte >= 0; byte--) *out.at++ = (unsigned char)(four >> 8 * byte);
    four = 0;
    digits = 0;
  }
  out.end = out.at;
  out.at = first;
  return out;
}

/* Unpacks into the `bytes` from `to` on: the sum over them, which tells whether they are what was packed. */
static uint64_t unpack(struct bytes* from, unsigned char* to, size_t bytes) {
  uint64_t sum = UINT64_C(14695981039346656037);
  size_t n = 0;
  while (n < bytes && from->at < from->end) {
    for (uint64_t plain = next_unsigned(from); plain > 0 && n < bytes && from->at < from->end; plain--)
      to[n++] = *from->at++;
    if (n == bytes) break;
    uint64_t copied = next_unsigned(from) + LEAST_COPIED;
    const uint64_t back = next_unsigned(from);
    if (back == 0 || back > n) break;
    for (; copied > 0 && n < bytes; copied--, n++) to[n] = to[n - back];
  }
  for (size_t i = 0; i < bytes; i++) sum = (sum ^ to[i]) * UINT64_C(1099511628211);
  return sum;
}

/* A table of numbers of 4 or 8 bytes; `to` is NULL for those that this rank does not need. */
static void read_numbers(struct bytes* from, long length, int bytes, void* to) {
  const int width = (int)next_unsigned(from);
  const uint64_t unit = next_unsigned(from), least = width ? (uint64_t)next_signed(from) : 0;
  uint64_t number = 0, bits = 0;
  int left = 0; /* of bits */
  for (long i = 0; i < length; i++) {
    if (width) {
      for (; left < width && from->at < from->end; left += 8) bits |= (uint64_t)*from->at++ << left;
      number = least + (bits & ((UINT64_C(1) << width) - 1));
      bits >>= width;
      left -= width;
    } else {
      number += (uint64_t)next_signed(from);
    }
    if (to && bytes == 4) ((int*)to)[i] = (int)(int64_t)(number * unit);
    if (to && bytes == 8) ((int64_t*)to)[i] = (int64_t)(number * unit);
  }
}

/* Pointers to arrays. */
static void* read_arrays(struct bytes* from, long length, int bytes) {
  int64_t* const lengths = zeroed((size_t)length, sizeof *lengths);
  char** const arrays = zeroed((size_t)length, sizeof *arrays);
  long all = 0;
  read_numbers(from, length, sizeof *lengths, lengths);
  for (long i = 0; i < length; i++) all += (long)lengths[i];
  char* next = zeroed((size_t)all + 1, (size_t)bytes);
  read_numbers(from, all, bytes, next);
  for (long i = 0; i < length; next += lengths[i++] * bytes) arrays[i] = next;
  free(lengths);
  return arrays;
}

/* Says how they are damaged, if they are. */
static const char* prepare_tables(const struct skel_packed* packed) {
  if (!packed) return NULL;
  struct bytes letters = read_letters(packed), all;
  unsigned char* const packed_bytes = letters.at;
  unsigned char* const bytes = zeroed(packed->bytes + 1, 1);
  const int damaged = unpack(&letters, bytes, packed->bytes) != packed->sum;
  free(packed_bytes);
  all = (struct bytes){bytes, bytes + packed->bytes};
  for (int t = 0; t < packed->tables && !damaged; t++) {
    const struct skel_table* const table = &packed->table[t];
    void* to = NULL;
    if (table->arrays) {
      to = read_arrays(&all, table->length, table->bytes);
    } else {
#ifdef SKEL_THREADS /* a rank's threads need different ones */
      const int needed = 1;
#else
      const int needed = !table->of || table->of[rank] == table->number;
#endif
      if (needed) to = zeroed((size_t)table->length, (size_t)table->bytes);
      read_numbers(&all, table->length, table->bytes, to);
    }
    memcpy(table->where, &to, sizeof to);
  }
  free(bytes);
  return damaged ? "the numbers in tables.h are damaged; build the skeleton anew" : NULL;
}
