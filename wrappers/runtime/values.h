/* Values of parameters: into the hash of a signature, into bytes. */
#ifndef SKEL_VALUES_H
#define SKEL_VALUES_H

#include <string.h>

#include "encode.h"
#include "handle_identity.h"

#define SKEL_TEXT_BYTES 1000 /* recorded of a text */
#define SKEL_TEXT_ROOM (SKEL_TEXT_BYTES * 2 + SKEL_VARINT)

/* MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY of the program's MPI; in some MPIs they are variables of its library. */
extern const void *skel_unweighted, *skel_weights_empty;
/* Recorded for MPI_UNWEIGHTED: an array of one number that is no valid weight. */
extern const int skel_no_weights;

/* Whether there is an array at all. */
static inline int skel_is_array(const void* array) {
  return array && array != skel_unweighted && array != skel_weights_empty;
}

/* A number of elements as the program gave it: MPI may yet refuse it. */
static inline int skel_at_least_0(int64_t length) { return length > 0 ? (int)length : 0; }

static inline size_t skel_array_room(int length) { return ((size_t)length + 1) * SKEL_VARINT; }

static inline int skel_text_length(const char* text) { return text ? (int)strnlen(text, SKEL_TEXT_BYTES) : 0; }

static inline int64_t skel_least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Value i of an array. */
static inline int64_t skel_element(const void* array, int i, enum skel_width width) {
  switch (width) {
    case SKEL_TEXT:
      return ((const unsigned char*)array)[i];
    case SKEL_WIDE:
      return (int64_t)((const MPI_Aint*)array)[i];
    case SKEL_TYPES:
      return skel_datatype(((const MPI_Datatype*)array)[i]);
    case SKEL_INFOS:
      return skel_info(((const MPI_Info*)array)[i]);
    default:
      return ((const int*)array)[i];
  }
}

uint64_t skel_mix_texts(uint64_t hash, char* const* texts, int length);

/* `width` is a constant. */
static inline uint64_t skel_mix_values(struct skel_stream* s, uint64_t hash, const void* array, int length,
                                       enum skel_width width) {
  if (width == SKEL_INTS) return skel_mix_array(hash, array, length);
  if (width == SKEL_TEXTS) return skel_mix_texts(hash, array, length);
  hash = skel_mix(hash, (uint64_t)length, 0x61696e74);
  for (int i = 0; i < length; i++) {
    const int64_t value = skel_element(array, i, width);
    hash = skel_mix(hash, (uint64_t)value, width == SKEL_TYPES ? skel_handle_identity(s, value) : 1);
  }
  return hash;
}

static inline uint8_t* skel_put_values(uint8_t* p, const void* array, int length, enum skel_width width) {
  p = skel_put(p, (uint64_t)length);
  for (int i = 0; i < length; i++) p = skel_put_signed(p, skel_element(array, i, width));
  return p;
}

static inline int skel_sum_of(const int* values, int length) {
  int64_t sum = 0;
  for (int i = 0; i < length; i++) sum += values[i];
  return sum > 0 && sum < INT32_MAX ? (int)sum : 0;
}

static inline int skel_last_of(const int* values, int length) { return length > 0 ? values[length - 1] : 0; }

static inline int skel_texts_length(char* const* texts) {
  int length = 0;
  while (texts[length]) length++;
  return length;
}

#endif
