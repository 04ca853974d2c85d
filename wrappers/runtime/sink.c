/* The record file: chunks in shared mappings of preallocated file space, so that a kill loses nothing and a full disk
 * shows here and not as a signal later. */
#include "sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define CHUNK_BYTES ((size_t)1 << 20) /* of a chunk with its header */
#define RESERVE 2048                  /* of each chunk: what closing still has to write when the disk is full */
#define PAGE 4096
#define FIRST_DESCRIPTOR 400 /* programs count on the low numbers */

/* Taken once per chunk, never for a call. */
static pthread_mutex_t growing = PTHREAD_MUTEX_INITIALIZER;

static uint64_t round_up(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

/* A kill may come between any two stores; what is there then must be a file that can be read. So everything is written
 * before what makes it count, and this keeps the compiler from reordering it. */
static void then(void) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

static uint64_t checksum_of(struct skt_chunk_header header, const struct skt_chunk_header* chunk) {
  XXH3_state_t state;
  header.state = SKT_SEALED;
  header.checksum = 0;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, &header, sizeof header);
  XXH3_64bits_update(&state, chunk + 1, header.capacity);
  return XXH3_64bits_digest(&state);
}

static void seal(struct skt_chunk_header* chunk) {
  chunk->checksum = checksum_of(*chunk, chunk);
  then();
  chunk->state = SKT_SEALED;
}

/* Makes room, all of it 0, a chunk with this payload. */
static void begin_chunk(struct skt_chunk_header* chunk, struct skt_chunk_header header, const void* payload) {
  const uint32_t type = header.type;
  header.type = 0; /* no chunk yet */
  *chunk = header;
  then();
  if (payload) memcpy(chunk + 1, payload, header.used);
  if (header.state == SKT_SEALED) {
    header.type = type;
    chunk->checksum = checksum_of(header, chunk);
  }
  then();
  chunk->type = type;
}

/* Whether the descriptor still stands for our file: programs close and replace numbers that they did not open. */
static int is_ours(const struct skel_process* process, int file) {
  struct stat status;
  return file >= 0 && fstat(file, &status) == 0 && (uint64_t)status.st_dev == process->device &&
         (uint64_t)status.st_ino == process->inode;
}

/* More room at the end of the file. Returns 0 or errno. */
static int extend(struct skel_process* process, uint64_t from, size_t bytes) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && from + bytes > limit.rlim_cur)
    return EFBIG; /* trying would end the program with SIGXFSZ */
  if (!is_ours(process, process->file)) {
    const int again = open(process->path, O_RDWR | O_CLOEXEC);
    if (!is_ours(process, again)) {
      if (again >= 0) close(again);
      process->file = -1;
      return EBADF;
    }
    process->file = again;
  }
  int problem;
  do problem = posix_fallocate(process->file, (off_t)from, (off_t)bytes);
  while (problem == EINTR); /* by one of the program's timers */
  return problem;
}

/* A file that is read while it is written keeps this room after its last chunk, so that TAIL can be written when the disk
 * is full. Other files need none: closing shrinks their open chunks, and TAIL takes that room. */
static size_t room_for_tail(const struct skel_process* process) {
  return process->online ? round_up(sizeof(struct skt_chunk_header) + sizeof((struct skel_text*)NULL)->bytes, PAGE) : 0;
}

/* Makes the file with its header and HEAD, up to a multiple of the page size. Returns 0 or errno. */
int skel_sink_open(const char* name, const struct skel_text* head) {
  struct skel_process* const process = skel_state();
  struct stat status;
  snprintf(process->path, sizeof process->path, "%s/%s", process->directory, name);
  if (mkdir(process->directory, 0777) && errno != EEXIST) return errno;
  if (!process->given_run) unlink(process->path);
  process->file = open(process->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (process->file < 0) return errno;
  const int high = fcntl(process->file, F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR);
  if (high >= 0) {
    close(process->file);
    process->file = high;
  }
  if (fstat(process->file, &status)) return errno;
  process->device = status.st_dev;
  process->inode = status.st_ino;
  const size_t begin = sizeof(struct skt_file_header) + sizeof(struct skt_chunk_header);
  const size_t bytes = round_up(begin + head->length, PAGE);
  const int problem = extend(process, 0, bytes + room_for_tail(process));
  if (problem) return problem;
  uint8_t* const base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, process->file, 0);
  if (base == MAP_FAILED) return errno;
  struct skt_file_header* const header = (void*)base;
  *header = (struct skt_file_header){.version = SKT_VERSION,
                                     .header_bytes = sizeof *header,
                                     .run_id = process->run_id,
                                     .rank = (uint32_t)process->rank,
                                     .ranks = (uint32_t)process->ranks};
  memcpy(header->magic, SKT_MAGIC, sizeof header->magic);
  header->checksum = XXH3_64bits(header, offsetof(struct skt_file_header, checksum));
  begin_chunk((void*)(header + 1),
              (struct skt_chunk_header){
                  .type = SKT_CHUNK_HEAD, .state = SKT_SEALED, .capacity = bytes - begin, .used = head->length},
              head->bytes);
  munmap(base, bytes);
  process->first_chunk = process->file_end = bytes;
  return 0;
}

/* A thread may make few calls, and programs may make many threads: its chunks begin small. */
static size_t usual_bytes(const struct skel_stream* s) {
  const size_t bytes = (size_t)PAGE << (2 * (s->sequence < 8 ? s->sequence : 8));
  const int is_first = s->numbered && s->thread == 0; /* others get their number with their first chunk */
  return is_first || bytes > CHUNK_BYTES ? CHUNK_BYTES : bytes;
}

static int append_chunk(struct skel_process* process, struct skel_stream* s, size_t payload) {
  const size_t wanted = round_up(sizeof(struct skt_chunk_header) + payload + s->kept + RESERVE, PAGE);
  const size_t tail = room_for_tail(process);
  size_t bytes = wanted > usual_bytes(s) ? wanted : usual_bytes(s);
  int problem = extend(process, process->file_end, bytes + tail);
  while ((problem == ENOSPC || problem == EDQUOT || problem == EFBIG) &&
         bytes > wanted) { /* what little room there is */
    bytes = bytes / 2 > wanted ? round_up(bytes / 2, PAGE) : wanted;
    problem = extend(process, process->file_end, bytes + tail);
  }
  if (problem) return problem;
  uint8_t* const base =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, process->file, (off_t)process->file_end);
  if (base == MAP_FAILED) return errno;
  if (!s->numbered) s->thread = process->threads++;
  s->numbered = 1;
  begin_chunk((void*)base,
              (struct skt_chunk_header){.type = SKT_CHUNK_EVNT,
                                        .state = SKT_OPEN,
                                        .thread = s->thread,
                                        .sequence = s->sequence++,
                                        .capacity = bytes - sizeof(struct skt_chunk_header)},
              NULL);
  if (s->mapped) {
    seal(s->chunk);
    munmap(s->chunk, s->mapped);
  }
  s->mapped = bytes;
  s->at = process->file_end;
  process->file_end += bytes;
  s->chunk = (void*)base;
  s->pos = (uint8_t*)(s->chunk + 1);
  s->limit = base + bytes - RESERVE - s->kept;
  return 0;
}

int skel_sink_chunk(struct skel_stream* s, size_t payload) {
  struct skel_process* const process = skel_state();
  pthread_mutex_lock(&growing);
  int problem = process->failure;
  if (!problem && __atomic_load_n(&process->closing, __ATOMIC_ACQUIRE))
    problem = ECANCELED;
  else if (!problem)
    problem = process->failure = append_chunk(process, s, payload);
  pthread_mutex_unlock(&growing);
  return problem;
}

void skel_sink_leave(struct skel_stream* s) {
  if (skel_phase() != SKEL_OPEN) return; /* in the child of a fork the lock may be nobody's */
  pthread_mutex_lock(&growing);
  s->stopped = 1;
  if (s->mapped) munmap(s->chunk, s->mapped);
  s->mapped = 0;
  pthread_mutex_unlock(&growing);
}

int skel_sink_detach(struct skel_stream* s) {
  if (!s->mapped) return 0;
  void* const memory =
      mmap(s->chunk, s->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? errno : 0;
}

void skel_sink_forget(void) {
  struct skel_process* const process = skel_state();
  growing = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; /* another thread may have had it */
  if (is_ours(process, process->file)) close(process->file);
  process->file = -1;
  process->closing = process->failure = 0;
  process->threads = 0;
  process->streams = NULL;
  process->file_end = process->first_chunk = 0;
}

/* Takes the file away from a stream. Other threads may still be recording while this one ends the process: they go on
 * in memory of their own. */
static void end_stream(uint8_t* base, struct skel_stream* s) {
  const uint64_t dropped = __atomic_load_n(&s->dropped, __ATOMIC_RELAXED);
  if (skel_sink_detach(s)) return;
  if (!s->at || (!dropped && !s->core_wait)) return;
  struct skt_chunk_header* const chunk = (void*)(base + s->at);
  uint8_t* const from = (uint8_t*)(chunk + 1) + chunk->used; /* the reserve has room for it */
  uint8_t* p = from;
  if (dropped) {
    p = skel_put(p, SKT_TAG_DROPPED);
    p = skel_put(p, dropped);
  }
  if (s->core_wait) {
    p = skel_put(p, SKT_TAG_CORE_WAIT);
    p = skel_put(p, s->core_wait - 1);
  }
  then();
  chunk->used += (uint64_t)(p - from);
}

/* Shrinks an open chunk to what it holds: the rest is room that was never used. */
static void shrink(struct skt_chunk_header* chunk) {
  memset((uint8_t*)(chunk + 1) + chunk->used, 0, chunk->capacity - chunk->used);
  then();
  chunk->capacity = round_up(chunk->used, 8);
  then();
  seal(chunk);
}

static uint64_t chunk_bytes(const struct skt_chunk_header* chunk) { return sizeof *chunk + chunk->capacity; }

/* The last chunk, if it is the only open one. */
static struct skt_chunk_header* only_open(uint8_t* base, uint64_t from, uint64_t end) {
  struct skt_chunk_header* chunk = NULL;
  while (from < end) {
    chunk = (void*)(base + from);
    from += chunk_bytes(chunk);
    if (chunk->state == SKT_OPEN && from < end) return NULL;
  }
  return chunk;
}

static int write_all(int file, const void* bytes, size_t length) {
  for (size_t done = 0; done < length;) {
    const ssize_t got = write(file, (const char*)bytes + done, length - done);
    if (got < 0 && errno != EINTR) return 0;
    if (got > 0) done += (size_t)got;
  }
  return 1;
}

static int write_compact(int file, uint8_t* base, uint64_t end, const struct skel_text* tail) {
  const struct skel_process* const process = skel_state();
  static uint8_t last[sizeof(struct skt_chunk_header) + sizeof tail->bytes + 8];
  if (!write_all(file, base, process->first_chunk)) return 0;
  for (uint64_t from = process->first_chunk; from < end;) {
    const struct skt_chunk_header* const chunk = (void*)(base + from);
    struct skt_chunk_header header = *chunk;
    from += chunk_bytes(chunk);
    if (header.state == SKT_OPEN) {
      header.capacity = round_up(header.used, 8);
      memset((uint8_t*)(chunk + 1) + header.used, 0, header.capacity - header.used);
      header.checksum = checksum_of(header, chunk);
      header.state = SKT_SEALED;
    }
    if (!write_all(file, &header, sizeof header) || !write_all(file, chunk + 1, header.capacity)) return 0;
  }
  const uint64_t capacity = round_up(tail->length, 8);
  begin_chunk((void*)last,
              (struct skt_chunk_header){
                  .type = SKT_CHUNK_TAIL, .state = SKT_SEALED, .capacity = capacity, .used = tail->length},
              tail->bytes);
  return write_all(file, last, sizeof(struct skt_chunk_header) + capacity);
}

/* Several threads leave open chunks in the middle: a copy without their empty parts takes the file's place. Returns 0
 * if there is no room for it. */
static int replace_by_compact(uint8_t* base, uint64_t end, const struct skel_text* tail) {
  const struct skel_process* const process = skel_state();
  struct rlimit limit;
  char path[sizeof process->path + 8];
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < end) return 0;
  snprintf(path, sizeof path, "%s.new", process->path);
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return 0;
  const int done = write_compact(file, base, end, tail);
  if (close(file) == 0 && done && rename(path, process->path) == 0) return 1;
  unlink(path);
  return 0;
}

/* The same in place: a kill meanwhile would cost the records that are being moved. Returns where the last chunk ends. */
static uint64_t move_together(uint8_t* base, uint64_t from, uint64_t end) {
  uint64_t to = from;
  while (from < end) {
    struct skt_chunk_header* const chunk = (void*)(base + from);
    from += chunk_bytes(chunk);
    if (chunk->state == SKT_OPEN) shrink(chunk);
    const uint64_t bytes = chunk_bytes(chunk);
    if ((uint8_t*)chunk != base + to) memmove(base + to, chunk, bytes);
    to += bytes;
  }
  memset(base + to, 0, end - to);
  return to;
}

/* The end of a file that is read while it is written: nothing of it is looked at again, for what was read has no place
 * on the disk any more. Returns 0 or errno. */
static int append_tail(const struct skel_text* tail) {
  struct skel_process* const process = skel_state();
  const size_t bytes = round_up(sizeof(struct skt_chunk_header) + tail->length, PAGE);
  const int problem = extend(process, process->file_end, bytes);
  if (problem) return problem;
  if (ftruncate(process->file, (off_t)(process->file_end + bytes))) return errno;
  struct skt_chunk_header* const chunk =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, process->file, (off_t)process->file_end);
  if (chunk == MAP_FAILED) return errno;
  begin_chunk(chunk,
              (struct skt_chunk_header){
                  .type = SKT_CHUNK_TAIL, .state = SKT_SEALED, .capacity = bytes - sizeof *chunk, .used = tail->length},
              tail->bytes);
  munmap(chunk, bytes);
  return 0;
}

/* Writes what is missing to a complete file. Returns 0 or errno. */
static int complete(uint8_t* base, uint64_t end, const struct skel_text* tail) {
  const struct skel_process* const process = skel_state();
  if (process->online) return append_tail(tail);
  struct skt_chunk_header* const last = only_open(base, process->first_chunk, end);
  uint64_t to;
  if (last) {
    if (last->state == SKT_OPEN) shrink(last);
    to = (uint64_t)((uint8_t*)last - base) + chunk_bytes(last);
  } else {
    if (replace_by_compact(base, end, tail)) return 0;
    to = move_together(base, process->first_chunk, end);
  }
  const uint64_t capacity = round_up(tail->length, 8), all = to + sizeof(struct skt_chunk_header) + capacity;
  if (all > end) return ENOSPC;
  if (is_ours(process, process->file) ? ftruncate(process->file, (off_t)all) : truncate(process->path, (off_t)all))
    return errno;
  begin_chunk((void*)(base + to),
              (struct skt_chunk_header){
                  .type = SKT_CHUNK_TAIL, .state = SKT_SEALED, .capacity = capacity, .used = tail->length},
              tail->bytes);
  return 0;
}

/* The lock, unless this thread was interrupted while it had it: a signal handler may call exit. */
static int try_for_a_second(void) {
  for (int i = 0; i < 1000; i++) {
    if (pthread_mutex_trylock(&growing) == 0) return 1;
    usleep(1000);
  }
  return 0;
}

void skel_sink_close(const char* how,
                     void (*describe)(struct skel_text* t, const char* how, struct skel_counted counted)) {
  struct skel_process* const process = skel_state();
  static struct skel_text tail;
  struct skel_counted all = {0, 0, 0};
  if (skel_phase() != SKEL_OPEN || __atomic_exchange_n(&process->closing, 1, __ATOMIC_ACQ_REL)) return;
  if (!try_for_a_second()) {
    skel_say("%s: cannot be completed (the program ended in the middle); what was recorded is there", process->path);
    return;
  }
  const uint64_t end = process->file_end;
  if (!is_ours(process, process->file)) extend(process, 0, 1); /* opens it again */
  uint8_t* const base = mmap(NULL, end, PROT_READ | PROT_WRITE, MAP_SHARED, process->file, 0);
  int problem = base == MAP_FAILED ? errno : 0;
  if (!problem) {
    for (struct skel_stream* s = process->streams; s; s = s->next) {
      end_stream(base, s);
      const uint64_t lost = __atomic_load_n(&s->dropped, __ATOMIC_RELAXED);
      all.calls += __atomic_load_n(&s->calls, __ATOMIC_RELAXED) + lost;
      all.dropped += lost;
      all.suspended += __atomic_load_n(&s->suspended_calls, __ATOMIC_RELAXED);
    }
    tail.length = 0;
    describe(&tail, how, all);
    problem = complete(base, end, &tail);
    munmap(base, end);
  }
  skel_set_phase(SKEL_CLOSED);
  if (is_ours(process, process->file)) close(process->file);
  pthread_mutex_unlock(&growing);
  if (problem) skel_say("%s: cannot be completed (%s); what was recorded is there", process->path, strerror(problem));
  if (all.dropped)
    skel_say("%s: %llu of %llu calls%s are not in the trace (%s); free space there and trace again", process->path,
             (unsigned long long)all.dropped, (unsigned long long)all.calls, process->of_whom,
             process->failure ? strerror(process->failure) : "no memory, or left by a jump or an exception");
}
