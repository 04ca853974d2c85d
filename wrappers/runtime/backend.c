/* What the front library asks of a back end. */
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "callers.h"
#include "fortran.h"
#include "front.h"
#include "lifecycle.h"
#include "pmpi.h"

extern void* const skel_wrappers[];

#ifdef MPICH
static const void* value_of(const void* variable) { return variable ? *(const void* const*)variable : NULL; }
#else
uintptr_t skel_static[4];

/* Where the program and the MPI have their variables: predefined handles are addresses of such, others of the heap. */
static int find_variables(struct dl_phdr_info* info, size_t bytes, void* pmpi_init) {
  (void)bytes;
  int own = 0;
  const uintptr_t init = (uintptr_t)pmpi_init;
  uintptr_t from = 0, length = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)* const part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD) continue;
    if (init - (info->dlpi_addr + part->p_vaddr) < part->p_memsz) own = 1;
    if (!(part->p_flags & PF_W)) continue;
    from = info->dlpi_addr + part->p_vaddr;
    length = part->p_memsz;
  }
  const int first = skel_static[1] == 0; /* the program comes first */
  if (!first && !own) return 0;
  skel_static[first ? 0 : 2] = from;
  skel_static[first ? 1 : 3] = length;
  return own;
}
#endif

__attribute__((visibility("default"))) void skel_backend_open(void* (*find)(const char*),
                                                              void* (*find_tool)(const char*)) {
  for (int i = 0; i < SKEL_FUNCTIONS; i++) {
    char name[128] = "P";
    strncat(name, skel_functions[i].name, sizeof name - 2);
    void* const found = find(name);
    void* const tool = found ? find_tool(skel_functions[i].name) : NULL;
    skel_is_tool(tool);
    memcpy((char*)&skel_pmpi + (size_t)i * sizeof found, &found, sizeof found);
    memcpy((char*)&skel_next + (size_t)i * sizeof found, tool ? &tool : &found, sizeof found);
  }
  skel_fortran_open(find, find_tool);
#ifdef MPICH
  skel_unweighted = value_of(find("MPI_UNWEIGHTED"));
  skel_weights_empty = value_of(find("MPI_WEIGHTS_EMPTY"));
#else
  skel_unweighted = MPI_UNWEIGHTED;
  skel_weights_empty = MPI_WEIGHTS_EMPTY;
  dl_iterate_phdr(find_variables, find("PMPI_Init"));
#endif
  skel_lifecycle_start();
}

__attribute__((visibility("default"))) void skel_backend_open_again(void* (*find)(const char*),
                                                                    void* (*find_tool)(const char*)) {
  skel_fortran_open_again(find, find_tool);
}

static int by_name(const void* name, const void* function) {
  return strcmp(name, ((const struct skel_function*)function)->name);
}

static int by_fortran_name(const void* name, const void* entry) {
  return strcmp(name, ((const struct skel_fortran_name*)entry)->name);
}

/* Whether calls of this function are wrapped at all. */
static int is_wanted(int function) {
  return skel_state()->mode != SKEL_TIME || function == SKEL_MPI_Init || function == SKEL_MPI_Init_thread ||
         function == SKEL_MPI_Finalize;
}

static void* fortran_wrapper(const char* name) {
  const struct skel_fortran_name* const found =
      bsearch(name, skel_fortran_names, (size_t)skel_fortran_count, sizeof *found, by_fortran_name);
  if (!found || !skel_fortran_real[found - skel_fortran_names] || !is_wanted(found->function)) return NULL;
  return found->wrapper;
}

__attribute__((visibility("default"))) void* skel_backend_wrapper(const char* name) {
  if (name[0] == 'P') name++; /* called by a tool that comes before this one */
  if (name[0] != 'M') return fortran_wrapper(name);
  const struct skel_function* const found = bsearch(name, skel_functions, SKEL_FUNCTIONS, sizeof *found, by_name);
  if (!found) return NULL;
  const ptrdiff_t i = found - skel_functions;
  void* pmpi;
  memcpy(&pmpi, (char*)&skel_pmpi + (size_t)i * sizeof pmpi, sizeof pmpi);
  return pmpi && is_wanted((int)i) ? skel_wrappers[i] : NULL;
}
