/* Info objects: part of skel.c, which is one file in a skeleton. */
#include "skel.h"

/* By the functions that the program called for its own, so that tracing a skeleton shows what they hold. */
MPI_Info skel_info(const char* hints) {
  static SKEL_LOCAL MPI_Info info;
  static SKEL_LOCAL int made;
  if (made) MPI_Info_free(&info);
  made = hints != NULL;
  if (!hints) return MPI_INFO_NULL;
  MPI_Info_create(&info);
  while (*hints) {
    const size_t key = strcspn(hints, "="), value = strcspn(hints + key + 1, ";");
    char text[2][80];
    snprintf(text[0], sizeof text[0], "%.*s", (int)key, hints);
    snprintf(text[1], sizeof text[1], "%.*s", (int)value, hints + key + 1);
    MPI_Info_set(info, text[0], text[1]);
    hints += key + 1 + value;
    if (*hints) hints++;
  }
  return info;
}
