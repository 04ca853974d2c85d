/* JSON into a fixed buffer: what does not fit is cut at a key, never half-written (the caller checks `full`). */
#ifndef SKEL_JSON_H
#define SKEL_JSON_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

struct skel_json {
  char* text;
  size_t size, length;
  int full;
};

__attribute__((format(printf, 2, 3))) static inline void skel_json_add(struct skel_json* json, const char* format,
                                                                       ...) {
  va_list arguments;
  va_start(arguments, format);
  const int written = vsnprintf(json->text + json->length, json->size - json->length, format, arguments);
  va_end(arguments);
  if (written < 0 || (size_t)written >= json->size - json->length) {
    json->text[json->length] = 0;
    json->full = 1;
  } else {
    json->length += (size_t)written;
  }
}

/* A quoted string; bytes outside printable ASCII as \u00XX, so that the text is valid JSON whatever the bytes are. */
static inline void skel_json_string(struct skel_json* json, const char* text) {
  skel_json_add(json, "\"");
  for (const unsigned char* c = (const unsigned char*)text; *c; c++) {
    if (*c == '"' || *c == '\\')
      skel_json_add(json, "\\%c", *c);
    else if (*c < 32 || *c > 126)
      skel_json_add(json, "\\u%04x", *c);
    else
      skel_json_add(json, "%c", *c);
  }
  skel_json_add(json, "\"");
}

#endif
