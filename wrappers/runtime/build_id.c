#include "build_id.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

void skel_build_id(const struct dl_phdr_info* info, char* text, size_t bytes) {
  text[0] = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_NOTE) continue;
    const uint8_t* at = (const uint8_t*)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    const uint8_t* const end = at + info->dlpi_phdr[i].p_memsz;
    while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
      const ElfW(Nhdr)* const note = (const void*)at;
      const uint8_t *const name = at + sizeof *note, *const id = name + (note->n_namesz + 3) / 4 * 4;
      at = id + (note->n_descsz + 3) / 4 * 4;
      if (at > end || note->n_type != NT_GNU_BUILD_ID || note->n_namesz != 4 || memcmp(name, "GNU", 4)) continue;
      for (size_t k = 0; k < note->n_descsz && 2 * k + 2 < bytes; k++) snprintf(text + 2 * k, 3, "%02x", id[k]);
      return;
    }
  }
}
