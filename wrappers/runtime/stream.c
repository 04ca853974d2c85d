/* The record file: chunks in shared mappings, records appended to the open chunk of each thread. */
#define _GNU_SOURCE
#define XXH_INLINE_ALL
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "state.h"

enum { PAGE = 4096 };

static uint8_t* payload(const struct skel_chunk* chunk) { return (uint8_t*)(chunk->header + 1); }

static uint64_t checksum(const struct skt_chunk_header* header) {
  struct skt_chunk_header plain = *header;
  plain.checksum = 0;
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, &plain, sizeof plain);
  XXH3_64bits_update(&state, header + 1, header->capacity);
  return XXH3_64bits_digest(&state);
}

static void stop_recording(struct skel_state* s, const char* what, int error) {
  if (!s->error[0]) snprintf(s->error, sizeof s->error, "%.150s: %.90s", what, strerror(error));
  atomic_store(&s->recording, 0);
}

struct skel_chunk* skel_chunk_new(struct skel_state* s, struct skel_thread* t) {
  void* memory;
  uint64_t offset = 0;
  if (s->fd < 0) {
    memory = mmap(NULL, SKEL_CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  } else {
    offset = atomic_fetch_add(&s->file_end, SKEL_CHUNK_BYTES);
    const int error = posix_fallocate(s->fd, (off_t)offset, SKEL_CHUNK_BYTES);
    if (error) {
      stop_recording(s, "no room for the trace", error);
      return NULL;
    }
    memory = mmap(NULL, SKEL_CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, s->fd, (off_t)offset);
  }
  if (memory == MAP_FAILED) {
    stop_recording(s, "no memory for the trace", errno);
    return NULL;
  }
  struct skel_chunk* chunk = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (chunk == MAP_FAILED) {
    munmap(memory, SKEL_CHUNK_BYTES);
    stop_recording(s, "no memory for the trace", errno);
    return NULL;
  }
  chunk->header = memory;
  chunk->offset = offset;
  *chunk->header = (struct skt_chunk_header){.type = SKT_CHUNK_EVNT,
                                             .state = SKT_OPEN,
                                             .thread = t->number,
                                             .sequence = t->sequence++,
                                             .capacity = SKEL_CHUNK_BYTES - sizeof(struct skt_chunk_header)};
  t->chunk = chunk;
  t->at = payload(chunk);
  t->limit = t->at + chunk->header->capacity;
  return chunk;
}

static void chunk_free(struct skel_chunk* chunk) {
  munmap(chunk->header, SKEL_CHUNK_BYTES);
  munmap(chunk, PAGE);
}

static void seal(struct skel_chunk* chunk) {
  chunk->header->state = SKT_SEALED;
  chunk->header->checksum = checksum(chunk->header);
  chunk_free(chunk);
}

uint8_t* skel_reserve(struct skel_thread* t, size_t bytes) {
  if (__builtin_expect(t->chunk && (size_t)(t->limit - t->at) >= bytes, 1)) return t->at;
  struct skel_state* s = skel_state();
  if (!t->chunk) return NULL;
  if (bytes > SKEL_CHUNK_BYTES / 2)
    return NULL; /* a single call with more than about 50,000 values: counted as dropped */
  const uint64_t begin = skel_ticks(s->tsc);
  struct skel_chunk* full = t->chunk;
  if (s->fd < 0) { /* the memory from before MPI_Init is used up */
    t->chunk = NULL;
    chunk_free(full);
    return NULL;
  }
  seal(full);
  t->chunk = NULL;
  uint8_t* at = skel_chunk_new(s, t) ? t->at : NULL;
  t->pause += skel_ticks(s->tsc) - begin;
  return at;
}

uint8_t* skel_event(struct skel_thread* t, uint64_t begin, uint64_t end, size_t bytes) {
  struct skel_state* s = skel_state();
  const uint64_t pause = t->pause; /* before this call: of the work for earlier ones */
  const uint64_t last_end = t->last_end;
  t->pause = 0;
  t->last_end = end;
  t->calls++;
  const uint32_t id = skel_signature(t);
  uint8_t* at = id == UINT32_MAX ? NULL : skel_reserve(t, bytes + 64 + 10 * SKEL_MAX_COLUMNS);
  if (!at) {
    t->dropped++;
    return NULL;
  }
  uint64_t gap = begin - last_end;
  if (__builtin_expect(pause != 0, 0)) {
    const uint64_t ours = pause < gap ? pause : gap;
    at = skel_put(at, SKT_TAG_PAUSE);
    at = skel_put(at, ours);
    gap -= ours;
  }
  at = skel_put(at, SKT_TAG_EVENT + (uint64_t)id);
  at = skel_put(at, gap);
  at = skel_put(at, end - begin);
  for (uint32_t c = 0; c < s->columns; c++) {
    at = skel_put(at, t->column_begin[c] - t->column_end[c]);
  }
  return at;
}

int skel_file_open(struct skel_state* s, const char* head_json) {
  char path[4352];
  snprintf(path, sizeof path, "%s/rank-%06d.skt", s->directory, s->rank);
  const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) {
    stop_recording(s, path, errno);
    return -1;
  }
  const size_t json = strlen(head_json);
  const size_t bytes =
      (sizeof(struct skt_file_header) + sizeof(struct skt_chunk_header) + json + PAGE - 1) / PAGE * PAGE;
  struct skt_file_header* file = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (file == MAP_FAILED) {
    close(fd);
    stop_recording(s, path, errno);
    return -1;
  }
  memcpy(file->magic, SKT_MAGIC, sizeof file->magic);
  file->version = SKT_VERSION;
  file->header_bytes = sizeof *file;
  file->run_id = s->run_id;
  file->rank = (uint32_t)s->rank;
  file->ranks = (uint32_t)s->ranks;
  file->checksum = XXH3_64bits(file, offsetof(struct skt_file_header, checksum));
  struct skt_chunk_header* head = (struct skt_chunk_header*)(file + 1);
  *head = (struct skt_chunk_header){
      .type = SKT_CHUNK_HEAD, .state = SKT_SEALED, .capacity = bytes - sizeof *file - sizeof *head, .used = json};
  memcpy(head + 1, head_json, json);
  head->checksum = checksum(head);
  const ssize_t written = pwrite(fd, file, bytes, 0);
  const int error = written < 0 ? errno : ENOSPC;
  munmap(file, bytes);
  if (written != (ssize_t)bytes) {
    close(fd);
    stop_recording(s, path, error);
    return -1;
  }
  s->fd = fd;
  atomic_store(&s->file_end, bytes);
  /* move what was recorded in memory so far */
  for (struct skel_thread* t = atomic_load(&s->threads); t; t = t->next) {
    struct skel_chunk* early = t->chunk;
    t->chunk = NULL;
    t->sequence = 0;
    if (!early) continue;
    const uint64_t used = early->header->used;
    if (skel_chunk_new(s, t)) {
      memcpy(payload(t->chunk), payload(early), used);
      skel_commit(t, payload(t->chunk) + used);
    }
    chunk_free(early);
  }
  return 0;
}

void skel_file_close(struct skel_state* s, const char* tail_json) {
  atomic_store(&s->recording, 0);
  if (s->fd < 0) return;
  uint64_t end = atomic_load(&s->file_end);
  for (struct skel_thread* t = atomic_load(&s->threads); t; t = t->next) {
    struct skel_chunk* chunk = t->chunk;
    t->chunk = NULL;
    if (!chunk) continue;
    if (chunk->offset + SKEL_CHUNK_BYTES == end) { /* the file's last chunk gives back what it did not use */
      chunk->header->capacity = (chunk->header->used + 7) / 8 * 8;
      end = chunk->offset + sizeof *chunk->header + chunk->header->capacity;
    }
    seal(chunk);
  }
  const size_t json = strlen(tail_json), capacity = (json + 7) / 8 * 8;
  uint64_t room[1024] = {0};
  struct skt_chunk_header* tail = (struct skt_chunk_header*)room;
  if (sizeof *tail + capacity <= sizeof room) {
    *tail = (struct skt_chunk_header){.type = SKT_CHUNK_TAIL, .state = SKT_SEALED, .capacity = capacity, .used = json};
    memcpy(tail + 1, tail_json, json);
    tail->checksum = checksum(tail);
    const ssize_t bytes = (ssize_t)(sizeof *tail + capacity);
    if (pwrite(s->fd, tail, (size_t)bytes, (off_t)end) == bytes) end += (uint64_t)bytes;
    if (ftruncate(s->fd, (off_t)end) != 0 && !s->error[0])
      snprintf(s->error, sizeof s->error, "cannot cut the trace: %s", strerror(errno));
  }
  close(s->fd);
  s->fd = -1;
}
