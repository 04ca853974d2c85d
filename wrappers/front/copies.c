/* SimGrid's SMPI gives each rank the program's variables by loading a copy of the program for it (smpi/privatization:dlopen), in a way
 * (RTLD_DEEPBIND) that makes the copy find MPI in its own libraries and not here. So once libsimgrid has loaded a copy, what it and its libraries
 * refer to by the names of this library is led here. Libraries loaded in the usual way look here first and are left alone. */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "front.h"

#if defined(__x86_64__)
enum { BY_CALL = R_X86_64_JUMP_SLOT, BY_TABLE = R_X86_64_GLOB_DAT, BY_ADDRESS = R_X86_64_64 };
#else
enum { BY_CALL = R_AARCH64_JUMP_SLOT, BY_TABLE = R_AARCH64_GLOB_DAT, BY_ADDRESS = R_AARCH64_ABS64 };
#endif

/* What a loaded object says of itself. */
struct object {
  uintptr_t base;
  const ElfW(Sym) * symbols;
  const char* names;
  const ElfW(Rela) * tables[2]; /* references to data and functions, calls */
  size_t bytes[2];
};

/* glibc has added the base to addresses already, except in objects that cannot be written to. */
static void* at(const struct object* object, uintptr_t address) {
  return (void*)(address < object->base ? object->base + address : address);
}

static struct object read_object(uintptr_t base, const ElfW(Dyn) * entry) {
  struct object object = {.base = base};
  for (; entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag == DT_SYMTAB) object.symbols = at(&object, entry->d_un.d_ptr);
    if (entry->d_tag == DT_STRTAB) object.names = at(&object, entry->d_un.d_ptr);
    if (entry->d_tag == DT_RELA) object.tables[0] = at(&object, entry->d_un.d_ptr);
    if (entry->d_tag == DT_RELASZ) object.bytes[0] = entry->d_un.d_val;
    if (entry->d_tag == DT_JMPREL) object.tables[1] = at(&object, entry->d_un.d_ptr);
    if (entry->d_tag == DT_PLTRELSZ) object.bytes[1] = entry->d_un.d_val;
  }
  return object;
}

/* The place may lie in memory that became read-only when its object was loaded; it does not matter any more. */
static void write_at(void** place, void* value) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  if (*place == value) return;
  if (mprotect((void*)((uintptr_t)place & ~(page - 1)), page, PROT_READ | PROT_WRITE) == 0) *place = value;
}

/* Leads the object's references to names for which `stands_for` has an address there. */
static void redirect(uintptr_t base, const ElfW(Dyn) * dynamic, void* (*stands_for)(const char* name)) {
  const struct object object = read_object(base, dynamic);
  if (!object.symbols || !object.names) return;
  for (int table = 0; table < 2; table++) {
    const size_t count = object.tables[table] ? object.bytes[table] / sizeof(ElfW(Rela)) : 0;
    for (size_t i = 0; i < count; i++) {
      const ElfW(Rela)* const reference = &object.tables[table][i];
      const unsigned type = (unsigned)ELF64_R_TYPE(reference->r_info);
      const ElfW(Sym)* const symbol = &object.symbols[ELF64_R_SYM(reference->r_info)];
      if (type != BY_CALL && type != BY_TABLE && (type != BY_ADDRESS || reference->r_addend)) continue;
      if (symbol->st_shndx != SHN_UNDEF || !symbol->st_name) continue;
      void* const wanted = stands_for(object.names + symbol->st_name);
      if (wanted) write_at((void**)(base + reference->r_offset), wanted);
    }
  }
}

/* Of this library, or of a tool that was preloaded before it. PMPI is for who does not want to be seen. */
static void* own_name(const char* name) {
  return name[0] != 'P' && skel_front_has(name) ? dlsym(RTLD_DEFAULT, name) : NULL;
}

static void* load_for_simgrid(const char* file, int flags) {
  void* const handle = dlopen(file, flags);
  struct link_map* map = NULL;
  if (handle && flags & RTLD_DEEPBIND && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0)
    for (; map; map = map->l_next) /* what it brought with it stands behind it */
      redirect(map->l_addr, map->l_ld, own_name);
  return handle;
}

static void* its_loading(const char* name) { return strcmp(name, "dlopen") ? NULL : (void*)load_for_simgrid; }

static int find_simgrid(struct dl_phdr_info* info, size_t bytes, void* unused) {
  (void)bytes, (void)unused;
  if (!strstr(info->dlpi_name, "/libsimgrid.so")) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      redirect(info->dlpi_addr, (const ElfW(Dyn)*)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr), its_loading);
  return 1;
}

__attribute__((constructor)) static void follow_simgrid(void) { dl_iterate_phdr(find_simgrid, NULL); }
