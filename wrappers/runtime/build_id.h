/* The build id of what is loaded: by it a reader knows whether a file is still what ran. */
#ifndef SKEL_BUILD_ID_H
#define SKEL_BUILD_ID_H

#include <link.h>
#include <stddef.h>

/* Writes it into `text` of that many bytes, in hexadecimal digits; "" if there is none. */
void skel_build_id(const struct dl_phdr_info* info, char* text, size_t bytes);

#endif
