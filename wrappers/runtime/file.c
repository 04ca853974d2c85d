/* The record file: chunks in shared mappings of preallocated file space, so that a kill loses nothing and a full disk
 * shows here and not as a signal later. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "backend.h"

#define CHUNK_BYTES ((size_t)1 << 20) /* of a chunk with its header */
#define RESERVE 2048                  /* of each chunk: what closing still has to write when the disk is full */
#define PAGE 4096

static pthread_mutex_t growing = PTHREAD_MUTEX_INITIALIZER;

static uint64_t round_up(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

static void seal(struct skt_chunk_header* chunk) {
  chunk->state = SKT_SEALED;
  chunk->checksum = 0;
  chunk->checksum = XXH3_64bits(chunk, sizeof *chunk + chunk->capacity);
}

static void add_clock_pair(struct skel_text* t, struct skel_clock_pair pair) {
  skel_add(t, "[%llu,%llu]", (unsigned long long)pair.ticks, (unsigned long long)pair.nanoseconds);
}

static void add_speeds(struct skel_text* t, struct skel_speeds speeds) {
  skel_add(t, "\"speeds\":{\"register\":%.6g,\"memory\":%.6g}", speeds.register_rate, speeds.memory_rate);
}

static void describe(struct skel_text* t) {
  const struct skel_process* const process = skel_state();
  char host[256] = "", boot[64] = "";
  gethostname(host, sizeof host - 1);
  const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    const ssize_t length = read(file, boot, sizeof boot - 1);
    boot[length > 0 ? length - (boot[length - 1] == '\n') : 0] = 0;
    close(file);
  }
  skel_add(t, "{\"format\":%d,\"rank\":%d,\"ranks\":%d,\"run_id\":\"%016llx\",\"host\":", SKT_VERSION, process->rank,
           process->ranks, (unsigned long long)process->run_id);
  skel_add_string(t, host);
  skel_add(t, ",\"boot_id\":");
  skel_add_string(t, boot);
  skel_add(t, ",\"pid\":%ld,", (long)getpid());
  skel_add_mpi(t);
  skel_add(t, ",\"clock\":{\"kind\":\"%s\",\"origin_ticks\":%llu,\"pairs\":[", skel_clock_is_tsc ? "tsc" : "monotonic",
           (unsigned long long)process->origin);
  add_clock_pair(t, process->clock[0]);
  skel_add(t, ",");
  add_clock_pair(t, process->clock[1]);
  skel_add(t, "]},\"columns\":[");
  for (int i = 0; i < skel_counter_count(); i++) {
    if (i) skel_add(t, ",");
    skel_add_string(t, skel_counter_name(i));
  }
  skel_add(t, "],\"record_cost_ticks\":%llu,\"cpu_cost_ns\":%llu,\"init_entry_ticks\":%llu,\"init_exit_ticks\":%llu,",
           (unsigned long long)process->record_cost, (unsigned long long)process->cpu_cost_ns,
           (unsigned long long)process->init_entry, (unsigned long long)process->init_exit);
  add_speeds(t, process->speeds);
  skel_add(t, ",\"application\":");
  skel_add_string(t, skel_application());
  skel_add(t, ",\"command\":");
  skel_add_command(t);
  skel_add(t, "}");
}

/* Makes the file with its header and HEAD, up to a multiple of the page size. Returns 0 or errno. */
int skel_file_open(void) {
  struct skel_process* const process = skel_state();
  static struct skel_text head;
  snprintf(process->path, sizeof process->path, "%s/rank-%06d.skt", process->directory, process->rank);
  if (mkdir(process->directory, 0777) && errno != EEXIST) return errno;
  unlink(process->path);
  process->file = open(process->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (process->file < 0) return errno;
  head.length = 0;
  describe(&head);
  const size_t begin = sizeof(struct skt_file_header) + sizeof(struct skt_chunk_header);
  const size_t bytes = round_up(begin + head.length, PAGE);
  const int problem = posix_fallocate(process->file, 0, (off_t)bytes);
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
  struct skt_chunk_header* const chunk = (void*)(header + 1);
  *chunk = (struct skt_chunk_header){.type = SKT_CHUNK_HEAD, .capacity = bytes - begin, .used = head.length};
  memcpy(chunk + 1, head.bytes, head.length);
  seal(chunk);
  munmap(base, bytes);
  process->first_chunk = process->file_end = bytes;
  return 0;
}

/* Appends an open EVNT chunk with room for `payload` bytes (at least the usual size) and makes it the stream's; seals
 * the one before. Returns 0 or errno; the stream is unchanged then. */
int skel_chunk_open(struct skel_stream* s, size_t payload) {
  struct skel_process* const process = skel_state();
  const size_t wanted = round_up(sizeof(struct skt_chunk_header) + payload + RESERVE, PAGE);
  size_t bytes = wanted > CHUNK_BYTES ? wanted : CHUNK_BYTES;
  void* base = MAP_FAILED;
  pthread_mutex_lock(&growing);
  int problem = process->failure;
  if (!problem) problem = posix_fallocate(process->file, (off_t)process->file_end, (off_t)bytes);
  while (problem == ENOSPC && bytes > wanted) { /* what little room there is */
    bytes = bytes / 2 > wanted ? round_up(bytes / 2, PAGE) : wanted;
    problem = posix_fallocate(process->file, (off_t)process->file_end, (off_t)bytes);
  }
  if (!problem) {
    base =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, process->file, (off_t)process->file_end);
    if (base == MAP_FAILED) problem = errno;
  }
  if (!problem) {
    /* The header goes in before anybody else can append behind it. */
    struct skt_chunk_header* const chunk = base;
    *chunk = (struct skt_chunk_header){.type = SKT_CHUNK_EVNT,
                                       .state = SKT_OPEN,
                                       .thread = s->thread,
                                       .sequence = s->sequence++,
                                       .capacity = bytes - sizeof *chunk};
    process->file_end += bytes;
  }
  process->failure = problem;
  pthread_mutex_unlock(&growing);
  if (problem) return problem;
  if (s->mapped) {
    seal(s->chunk);
    munmap(s->chunk, s->mapped);
  }
  s->mapped = bytes;
  s->chunk = base;
  s->pos = (uint8_t*)(s->chunk + 1);
  s->limit = (uint8_t*)base + bytes - RESERVE;
  return 0;
}

static void end_stream(struct skel_stream* s) {
  if (!s->mapped) return;
  if (s->dropped) { /* the reserve has room for it */
    uint8_t* p = skel_put(s->pos, SKT_TAG_DROPPED);
    skel_commit(s, skel_put(p, s->dropped));
  }
  s->limit = s->pos;
}

/* Shrinks every open chunk to what it holds, closes the gaps, seals. Returns where the last chunk ends. */
static uint64_t compact(uint8_t* base, uint64_t from, uint64_t end) {
  uint64_t to = from;
  while (from < end) {
    struct skt_chunk_header* const chunk = (void*)(base + from);
    const uint64_t next = from + sizeof *chunk + chunk->capacity;
    const int open = chunk->state == SKT_OPEN;
    if (open) chunk->capacity = round_up(chunk->used, 8);
    const uint64_t bytes = sizeof *chunk + chunk->capacity;
    if (to != from) memmove(base + to, base + from, bytes);
    if (open) seal((void*)(base + to));
    from = next;
    to += bytes;
  }
  return to;
}

static void add_tail(struct skel_text* t, const char* how, uint64_t calls, uint64_t dropped) {
  const struct skel_process* const process = skel_state();
  skel_add(t, "{\"calls\":%llu,\"dropped\":%llu,\"clock_pair\":", (unsigned long long)calls,
           (unsigned long long)dropped);
  add_clock_pair(t, skel_clock_read_pair());
  if (process->finalize_entry) {
    skel_add(t, ",\"finalize_entry_ticks\":%llu", (unsigned long long)process->finalize_entry);
    if (process->finalize_exit)
      skel_add(t, ",\"finalize_exit_ticks\":%llu", (unsigned long long)process->finalize_exit);
  }
  skel_add(t, ",\"working_set_bytes\":%llu,",
           (unsigned long long)(process->working_set ? process->working_set : skel_peak_memory()));
  add_speeds(t, process->finalize_exit ? skel_probe_speeds() : process->speeds);
  skel_add(t, ",\"exit\":\"%s\"}", how);
}

/* Ends the recording; `how` goes into TAIL. */
void skel_file_close(const char* how) {
  struct skel_process* const process = skel_state();
  static struct skel_text tail;
  uint64_t calls = 0, dropped = 0;
  if (process->phase != SKEL_OPEN) return;
  process->phase = SKEL_CLOSED;
  for (struct skel_stream* s = process->streams; s; s = s->next) {
    end_stream(s);
    calls += s->calls + s->dropped;
    dropped += s->dropped;
  }
  tail.length = 0;
  add_tail(&tail, how, calls, dropped);
  uint8_t* const base = mmap(NULL, process->file_end, PROT_READ | PROT_WRITE, MAP_SHARED, process->file, 0);
  if (base == MAP_FAILED) {
    skel_say("%s: cannot be completed (%s); what was recorded is there", process->path, strerror(errno));
    return;
  }
  const uint64_t end = compact(base, process->first_chunk, process->file_end);
  struct skt_chunk_header* const chunk = (void*)(base + end);
  const uint64_t capacity = round_up(tail.length, 8), all = end + sizeof *chunk + capacity;
  if (all <= process->file_end) {
    *chunk = (struct skt_chunk_header){.type = SKT_CHUNK_TAIL, .capacity = capacity, .used = tail.length};
    memset(chunk + 1, 0, capacity);
    memcpy(chunk + 1, tail.bytes, tail.length);
    seal(chunk);
  }
  munmap(base, process->file_end);
  if (ftruncate(process->file, (off_t)all))
    skel_say("%s: cannot be cut to its length (%s); what was recorded is there", process->path, strerror(errno));
  close(process->file);
  if (dropped)
    skel_say("%s: %llu of %llu calls of rank %d are not in the trace (%s); free space there and trace again",
             process->path, (unsigned long long)dropped, (unsigned long long)calls, process->rank,
             process->failure ? strerror(process->failure) : "no memory, or too many before MPI_Init");
}
