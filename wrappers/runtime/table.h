/* Tables of hashes: which signatures a stream has. */
#ifndef SKEL_TABLE_H
#define SKEL_TABLE_H

#include "state.h"

void* skel_allocate(size_t bytes);                                   /* zeroed; NULL without memory */
int skel_table_prepare(struct skel_table* table);                    /* empty; false without memory */
void skel_table_clear(struct skel_table* table);                     /* empty again, of the same size */
int skel_mark(struct skel_table* table, uint64_t hash, uint64_t id); /* 1: added, 0: was there, -1: no memory */

/* Two values at a time into a 64-bit hash (128-bit product, folded): a call's signature has about four such steps. */
static inline uint64_t skel_mix(uint64_t hash, uint64_t a, uint64_t b) {
  const __uint128_t product = (__uint128_t)(a ^ hash ^ UINT64_C(0xa0761d6478bd642f)) *
                              (b ^ UINT64_C(0xe7037ed1a0b428db) ^ (hash >> 32 | hash << 32));
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline int skel_table_is_full(const struct skel_table* table) { return table->used * 2 >= table->size; }

static inline uint32_t skel_find(const struct skel_table* table, uint64_t hash) {
  for (uint64_t at = hash & (table->size - 1);; at = (at + 1) & (table->size - 1)) {
    const struct skel_entry* entry = &table->entries[at];
    if (entry->hash == hash) return (uint32_t)entry->id;
    if (!entry->hash) return 0;
  }
}

#endif
