/* Interning of signatures: the parameters that rarely change become one small number. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "state.h"

static void* grow(void* old, size_t old_bytes, size_t new_bytes) {
  void* block = old ? mremap(old, old_bytes, new_bytes, MREMAP_MAYMOVE)
                    : mmap(NULL, new_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return block == MAP_FAILED ? NULL : block;
}

/* Makes room for `wanted` elements; capacity doubles from `first`. 0 on success; the old block stays on failure. */
static int reserve(void** block, size_t* capacity, size_t element, size_t wanted, size_t first) {
  if (wanted <= *capacity) return 0;
  size_t size = *capacity ? *capacity : first;
  while (size < wanted) size *= 2;
  void* larger = grow(*block, *capacity * element, size * element);
  if (!larger) return -1;
  *block = larger;
  *capacity = size;
  return 0;
}

int skel_key_grow(struct skel_thread* t, size_t words) {
  return reserve((void**)&t->key, &t->key_capacity, sizeof *t->key, t->key_length + words + 64, 512);
}

uint64_t* skel_values(struct skel_thread* t, size_t count) {
  return reserve((void**)&t->values, &t->values_capacity, sizeof *t->values, count, 512) ? NULL : t->values;
}

void* skel_statuses(struct skel_thread* t, size_t bytes) {
  return reserve(&t->statuses, &t->statuses_bytes, 1, bytes, 4096) ? NULL : t->statuses;
}

int skel_defined(struct skel_handles* handles, uint64_t value) {
  for (size_t i = 0; i < handles->count; i++)
    if (handles->value[i] == value) return 1;
  if (reserve((void**)&handles->value, &handles->capacity, sizeof value, handles->count + 1, 512) == 0)
    handles->value[handles->count++] = value;
  return 0;
}

static uint64_t hash_words(const uint64_t* word, size_t count) {
  uint64_t hash = 0x9e3779b97f4a7c15u ^ count;
  for (size_t i = 0; i < count; i++) {
    hash = (hash ^ word[i]) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash | 1; /* never 0 */
}

static int rehash(struct skel_interner* in) {
  const uint64_t capacity = in->capacity ? in->capacity * 2 : 1024;
  struct skel_slot* slots = grow(NULL, 0, capacity * sizeof *slots);
  if (!slots) return -1;
  for (uint64_t i = 0; i < in->capacity; i++) {
    if (!in->slots[i].hash) continue;
    uint64_t j = in->slots[i].hash & (capacity - 1);
    while (slots[j].hash) j = (j + 1) & (capacity - 1);
    slots[j] = in->slots[i];
  }
  if (in->slots) munmap(in->slots, in->capacity * sizeof *slots);
  in->slots = slots;
  in->capacity = capacity;
  return 0;
}

/* Writes FUNCTION at the function's first use, the definitions of all handles in the key, then SIGNATURE. */
static int define(struct skel_thread* t, uint32_t id) {
  const struct skel_state* s = skel_state();
  const uint32_t number = (uint32_t)t->key[0];
  const struct skel_function* f = &s->function[number];
  size_t length = strlen(f->name);
  uint8_t* at;
  if (!t->function_defined[number]) {
    if (!(at = skel_reserve(t, 64 + length + 8 * f->parameters))) return -1;
    at = skel_put(at, SKT_TAG_FUNCTION);
    at = skel_put(at, number);
    at = skel_put(at, length);
    memcpy(at, f->name, length);
    at = skel_put(at + length, f->parameters);
    for (uint32_t i = 0; i < f->parameters; i++) {
      at = skel_put(at, f->parameter[i].role);
      at = skel_put(at, f->parameter[i].place);
    }
    skel_commit(t, at);
    t->function_defined[number] = 1;
  }
  size_t word = 1;
  for (uint32_t i = 0; i < f->parameters; i++) {
    if (f->parameter[i].place != SKT_IN_SIGNATURE) continue;
    if (f->parameter[i].is_array)
      word += 1 + t->key[word];
    else
      skel_define_handle(t, f->parameter[i].role, t->key[word++]);
  }
  if (!(at = skel_reserve(t, 32 + 10 * t->key_length))) return -1;
  at = skel_put(at, SKT_TAG_SIGNATURE);
  at = skel_put(at, id);
  at = skel_put(at, number);
  word = 1;
  for (uint32_t i = 0; i < f->parameters; i++) {
    if (f->parameter[i].place != SKT_IN_SIGNATURE) continue;
    if (f->parameter[i].is_array) {
      const uint64_t elements = t->key[word++];
      at = skel_put(at, elements);
      for (uint64_t e = 0; e < elements; e++) at = skel_put_signed(at, (int64_t)t->key[word++]);
    } else {
      at = skel_put_signed(at, (int64_t)t->key[word++]);
    }
  }
  skel_commit(t, at);
  return 0;
}

uint32_t skel_signature(struct skel_thread* t) {
  struct skel_interner* in = &t->interner;
  const uint64_t hash = hash_words(t->key, t->key_length);
  if (in->capacity) {
    for (uint64_t i = hash & (in->capacity - 1); in->slots[i].hash; i = (i + 1) & (in->capacity - 1)) {
      if (in->slots[i].hash != hash) continue;
      const uint64_t* key = in->words + in->slots[i].at;
      if (key[0] == t->key_length && memcmp(key + 1, t->key, t->key_length * sizeof *key) == 0) return in->slots[i].id;
    }
  }
  /* new: rare, so its cost is taken out of the gap that follows */
  const int tsc = skel_state()->tsc;
  const uint64_t begin = skel_ticks(tsc);
  if (2 * (in->count + 1) > in->capacity && rehash(in)) return UINT32_MAX;
  if (reserve((void**)&in->words, &in->words_capacity, sizeof *in->words, in->words_used + t->key_length + 1, 1 << 14))
    return UINT32_MAX;
  const uint32_t id = (uint32_t)in->count;
  if (define(t, id)) return UINT32_MAX;
  uint64_t i = hash & (in->capacity - 1);
  while (in->slots[i].hash) i = (i + 1) & (in->capacity - 1);
  in->slots[i] = (struct skel_slot){hash, in->words_used, id};
  in->words[in->words_used] = t->key_length;
  memcpy(in->words + in->words_used + 1, t->key, t->key_length * sizeof *t->key);
  in->words_used += t->key_length + 1;
  in->count++;
  t->pause += skel_ticks(tsc) - begin;
  return id;
}
