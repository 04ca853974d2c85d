/* Destination of recorded bytes: numbers into the free part of a stream's chunk, chunks into the rank's file. What the bytes
 * mean is encode.h's. */
#ifndef SKEL_SINK_H
#define SKEL_SINK_H

#include "ranks.h"
#include "report.h"

static inline uint8_t* skel_put(uint8_t* p, uint64_t value) {
  while (value >= 0x80) {
    *p++ = (uint8_t)(value | 0x80);
    value >>= 7;
  }
  *p++ = (uint8_t)value;
  return p;
}

static inline uint8_t* skel_put_signed(uint8_t* p, int64_t value) {
  return skel_put(p, ((uint64_t)value << 1) ^ (uint64_t)(value >> 63));
}

/* Makes the bytes before `p` part of the file: they stay if the process is killed. */
static inline void skel_commit(struct skel_stream* s, uint8_t* p) {
  s->pos = p;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&s->chunk->used, (uint64_t)(p - (uint8_t*)(s->chunk + 1)), __ATOMIC_RELEASE);
}

/* Makes the file, with its header and `head`, a JSON object. Returns 0 or errno. */
int skel_sink_open(const char* name, const struct skel_text* head);
/* Appends an open chunk with room for `payload` bytes (at least the usual size) and makes it the stream's; seals the one
 * before. Returns 0 or errno; the stream is unchanged then. */
int skel_sink_chunk(struct skel_stream* s, size_t payload);
/* Its thread has ended: what it recorded stays, what it needed for that goes. */
void skel_sink_leave(struct skel_stream* s);
/* Memory of its own takes the place of the file's: what is still written there is nobody's. Returns 0 or errno. */
int skel_sink_detach(struct skel_stream* s);
/* In the child of a fork, which is to have a file of its own: the parent's is left alone. */
void skel_sink_forget(void);
/* Of all threads: calls, those of them that are not recorded, and those made while recording was suspended. */
struct skel_counted {
  uint64_t calls, dropped, suspended;
};
/* Ends the recording: `describe` writes the JSON object that stands at the file's end. */
void skel_sink_close(const char* how,
                     void (*describe)(struct skel_text* t, const char* how, struct skel_counted counted));

#endif
