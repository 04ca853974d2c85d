#include "modules.h"

#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "build_id.h"
#include "front.h"
#include "record.h"

#define MODULES 512 /* those beyond have sites without a module */

static struct skel_module modules[MODULES];
static int count;
static int busy; /* one thread writes */

struct search {
  uint64_t at;
  struct skel_module found;
};

static int look(struct dl_phdr_info* info, size_t bytes, void* with) {
  struct search* const search = with;
  uint64_t from = UINT64_MAX, to = 0;
  (void)bytes;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)* const part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD) continue;
    const uint64_t begin = info->dlpi_addr + part->p_vaddr, end = begin + part->p_memsz;
    if (begin < from) from = begin;
    if (end > to) to = end;
  }
  if (search->at < from || search->at >= to) return 0;
  struct skel_module* const found = &search->found;
  *found = (struct skel_module){.from = from, .to = to, .base = info->dlpi_addr};
  if (info->dlpi_name[0]) {
    snprintf(found->path, sizeof found->path, "%s", info->dlpi_name);
  } else {
    const ssize_t length = readlink("/proc/self/exe", found->path, sizeof found->path - 1);
    found->path[length > 0 ? length : 0] = 0;
  }
  skel_build_id(info, found->build_id, sizeof found->build_id);
  found->is_mpi = skel_is_mpi_library(found->path);
  return 1;
}

static struct skel_module* known(uint64_t at) {
  const int here = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
  for (int i = 0; i < here; i++)
    if (at >= modules[i].from && at < modules[i].to) return &modules[i];
  return NULL;
}

static struct skel_module* add(const struct search* search) {
  while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE)) continue; /* for a few stores */
  struct skel_module* found = known(search->at);
  if (!found && count < MODULES) {
    modules[count] = search->found;
    found = &modules[count];
    __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
  }
  __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
  return found;
}

struct skel_module* skel_module_of(const void* address) {
  struct search search = {(uint64_t)(uintptr_t)address, {0}};
  struct skel_module* found = known(search.at);
  if (found) return found;
  const struct skel_alone before = skel_be_alone(); /* locks of ours and of the loader */
  if (dl_iterate_phdr(look, &search)) found = add(&search);
  skel_be_back(&before);
  return found;
}

void skel_modules_forget(void) {
  busy = 0;
  for (int i = 0; i < count; i++) modules[i].recorded = 0;
}
