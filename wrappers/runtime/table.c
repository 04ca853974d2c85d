/* Off the hot path. */
#include "table.h"

#include <string.h>
#include <sys/mman.h>

#define FIRST_TABLE 4096

void* skel_allocate(size_t bytes) {
  void* const p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

static int grow(struct skel_table* table) {
  const uint64_t size = table->size ? table->size * 2 : FIRST_TABLE;
  struct skel_entry* const entries = skel_allocate(size * sizeof *entries);
  if (!entries) return 0;
  for (uint64_t i = 0; i < table->size; i++) {
    if (!table->entries[i].hash) continue;
    uint64_t at = table->entries[i].hash & (size - 1);
    while (entries[at].hash) at = (at + 1) & (size - 1);
    entries[at] = table->entries[i];
  }
  if (table->entries) munmap(table->entries, table->size * sizeof *entries);
  table->entries = entries;
  table->size = size;
  return 1;
}

int skel_mark(struct skel_table* table, uint64_t hash, uint64_t id) {
  if (skel_table_is_full(table) && !grow(table)) return -1;
  uint64_t at = hash & (table->size - 1);
  for (; table->entries[at].hash; at = (at + 1) & (table->size - 1))
    if (table->entries[at].hash == hash) return 0;
  table->entries[at] = (struct skel_entry){hash, id};
  table->used++;
  return 1;
}

int skel_table_prepare(struct skel_table* table) { return grow(table); }

void skel_table_clear(struct skel_table* table) {
  memset(table->entries, 0, table->size * sizeof *table->entries);
  table->used = 0;
}
