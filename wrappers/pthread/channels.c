/* Pipes, eventfds and pairs of sockets that the process has made itself: what one thread writes and another one reads. */
#include <errno.h>
#include <string.h>

#include "made.h"
#include "record.h"

#define DESCRIPTORS 65536 /* those beyond are not looked at */

/* By descriptor: the channel that it sends to or receives from, 0: none. */
static uint32_t sends_to[DESCRIPTORS], receives_from[DESCRIPTORS];
static uint32_t channels;
#define COUNTS 0x80000000u /* in the number of an eventfd's channel: what is written and read are values, not bytes */

static int inside(int descriptor) { return (unsigned)descriptor < DESCRIPTORS; }
static uint32_t new_channel(void) { return __atomic_add_fetch(&channels, 1, __ATOMIC_RELAXED); }
static void put(uint32_t* table, int descriptor, uint32_t channel) {
  if (inside(descriptor)) __atomic_store_n(&table[descriptor], channel, __ATOMIC_RELAXED);
}
static uint32_t get(const uint32_t* table, int descriptor) {
  return SKEL_LIKELY(inside(descriptor)) ? __atomic_load_n(&table[descriptor], __ATOMIC_RELAXED) : 0;
}

static void open_pipe(const int ends[2]) {
  const uint32_t channel = new_channel();
  put(receives_from, ends[0], channel);
  put(sends_to, ends[1], channel);
}
SKEL_EXPORT int pipe(int ends[2]) {
  const int result = SKEL_REAL(pipe)(ends);
  if (!result) open_pipe(ends);
  return result;
}
SKEL_EXPORT int pipe2(int ends[2], int flags) {
  const int result = SKEL_REAL(pipe2)(ends, flags);
  if (!result) open_pipe(ends);
  return result;
}
SKEL_EXPORT int socketpair(int domain, int type, int protocol, int ends[2]) {
  const int result = SKEL_REAL(socketpair)(domain, type, protocol, ends);
  if (!result) {
    open_pipe((const int[]){ends[0], ends[1]});
    open_pipe((const int[]){ends[1], ends[0]});
  }
  return result;
}
SKEL_EXPORT int eventfd(unsigned count, int flags) {
  const int descriptor = SKEL_REAL(eventfd)(count, flags);
  if (descriptor < 0) return descriptor;
  const uint32_t channel = new_channel() | COUNTS;
  put(receives_from, descriptor, channel);
  put(sends_to, descriptor, channel);
  skel_made(SKT_CHANNEL, (const void*)(uintptr_t)channel, SKEL_SITE, count);
  return descriptor;
}

static int same(int result, int descriptor) {
  if (result < 0 || result == descriptor) return result;
  const uint32_t to = get(sends_to, descriptor), from = get(receives_from, descriptor);
  if ((to || from || get(sends_to, result) || get(receives_from, result)) && skel_is_this_process()) {
    put(sends_to, result, to);
    put(receives_from, result, from);
  }
  return result;
}
SKEL_EXPORT int dup(int descriptor) { return same(SKEL_REAL(dup)(descriptor), descriptor); }
SKEL_EXPORT int dup2(int descriptor, int to) { return same(SKEL_REAL(dup2)(descriptor, to), descriptor); }
SKEL_EXPORT int dup3(int descriptor, int to, int flags) {
  return same(SKEL_REAL(dup3)(descriptor, to, flags), descriptor);
}
SKEL_EXPORT int close(int descriptor) {
  if ((get(sends_to, descriptor) || get(receives_from, descriptor)) && skel_is_this_process()) {
    put(sends_to, descriptor, 0);
    put(receives_from, descriptor, 0);
  }
  return SKEL_REAL(close)(descriptor);
}

static int would_wait(int descriptor, short events) {
  const int error = errno;
  struct pollfd what = {descriptor, events, 0};
  const int ready = SKEL_REAL(poll)(&what, 1, 0);
  errno = error;
  return ready == 0;
}

static void moved(unsigned action, uint32_t channel, const void* site, struct skel_stream* s, struct skel_span from,
                  int waited, ssize_t bytes) {
  if (bytes <= 0) return;
  const unsigned call = SKEL_CALL(SKT_CHANNEL, action, waited ? SKT_BLOCKED : 0);
  if (s)
    skel_record(s, call, (const void*)(uintptr_t)channel, site, from, (uint64_t)bytes);
  else
    skel_record_early(SKEL_CALL(SKT_CHANNEL, action, 0), channel, site, (uint64_t)bytes);
}

/* How much a call has moved that returned `result`: bytes; of an eventfd, the value that stands in `data`. */
static ssize_t amount(uint32_t channel, const void* data, ssize_t result) {
  eventfd_t value = 0;
  if (!(channel & COUNTS) || !data || result != (ssize_t)sizeof value) return result;
  memcpy(&value, data, sizeof value);
  return value < INT64_MAX ? (ssize_t)value : INT64_MAX;
}

static const void* whole_value(const struct iovec* parts, int count) {
  return count > 0 && parts[0].iov_len >= sizeof(eventfd_t) ? parts[0].iov_base : NULL;
}

/* data: NULL where no single buffer has it. */
#define SKEL_MOVE_AT(site, table, action, event, descriptor, data, call)       \
  const uint32_t channel = get(table, descriptor);                             \
  if (SKEL_LIKELY(!channel)) return call;                                      \
  struct skel_stream* const s = skel_stream();                                 \
  const struct skel_span from = s ? skel_begin(s) : (struct skel_span){0, 0};  \
  const int waits = s && would_wait(descriptor, event);                        \
  const ssize_t result = call;                                                 \
  moved(action, channel, site, s, from, waits, amount(channel, data, result)); \
  return result
#define SKEL_SEND(descriptor, data, call) SKEL_MOVE_AT(SKEL_SITE, sends_to, SKT_SEND, POLLOUT, descriptor, data, call)
#define SKEL_RECEIVE(descriptor, data, call) \
  SKEL_MOVE_AT(SKEL_SITE, receives_from, SKT_RECEIVE, POLLIN, descriptor, data, call)

SKEL_EXPORT ssize_t read(int from_descriptor, void* bytes, size_t count) {
  SKEL_RECEIVE(from_descriptor, bytes, SKEL_REAL(read)(from_descriptor, bytes, count));
}
/* With _FORTIFY_SOURCE the compiler calls this one instead of read() where it knows the size of the buffer. */
ssize_t __read_chk(int from_descriptor, void* bytes, size_t count, size_t room);
extern void __chk_fail(void) __attribute__((noreturn));
SKEL_EXPORT ssize_t __read_chk(int from_descriptor, void* bytes, size_t count, size_t room) {
  if (count > room) __chk_fail();
  SKEL_RECEIVE(from_descriptor, bytes, SKEL_REAL(read)(from_descriptor, bytes, count));
}
SKEL_EXPORT ssize_t readv(int from_descriptor, const struct iovec* parts, int count) {
  SKEL_RECEIVE(from_descriptor, whole_value(parts, count), SKEL_REAL(readv)(from_descriptor, parts, count));
}
SKEL_EXPORT ssize_t recv(int from_descriptor, void* bytes, size_t count, int flags) {
  SKEL_RECEIVE(from_descriptor, bytes, SKEL_REAL(recv)(from_descriptor, bytes, count, flags));
}
SKEL_EXPORT ssize_t recvfrom(int from_descriptor, void* bytes, size_t count, int flags, struct sockaddr* address,
                             socklen_t* length) {
  SKEL_RECEIVE(from_descriptor, bytes, SKEL_REAL(recvfrom)(from_descriptor, bytes, count, flags, address, length));
}
SKEL_EXPORT ssize_t recvmsg(int from_descriptor, struct msghdr* message, int flags) {
  SKEL_RECEIVE(from_descriptor, NULL, SKEL_REAL(recvmsg)(from_descriptor, message, flags));
}
SKEL_EXPORT ssize_t write(int to, const void* bytes, size_t count) {
  SKEL_SEND(to, bytes, SKEL_REAL(write)(to, bytes, count));
}
SKEL_EXPORT ssize_t writev(int to, const struct iovec* parts, int count) {
  SKEL_SEND(to, whole_value(parts, count), SKEL_REAL(writev)(to, parts, count));
}
SKEL_EXPORT ssize_t send(int to, const void* bytes, size_t count, int flags) {
  SKEL_SEND(to, bytes, SKEL_REAL(send)(to, bytes, count, flags));
}
SKEL_EXPORT ssize_t sendto(int to, const void* bytes, size_t count, int flags, const struct sockaddr* address,
                           socklen_t length) {
  SKEL_SEND(to, bytes, SKEL_REAL(sendto)(to, bytes, count, flags, address, length));
}
SKEL_EXPORT ssize_t sendmsg(int to, const struct msghdr* message, int flags) {
  SKEL_SEND(to, NULL, SKEL_REAL(sendmsg)(to, message, flags));
}

#define EVENT_BYTES (ssize_t)sizeof(eventfd_t)
static ssize_t read_event(int descriptor, eventfd_t* value) {
  return SKEL_REAL(eventfd_read)(descriptor, value) ? -1 : EVENT_BYTES;
}
static ssize_t write_event(int descriptor, eventfd_t value) {
  return SKEL_REAL(eventfd_write)(descriptor, value) ? -1 : EVENT_BYTES;
}
static ssize_t receive_event(int descriptor, eventfd_t* value, const void* site) {
  SKEL_MOVE_AT(site, receives_from, SKT_RECEIVE, POLLIN, descriptor, value, read_event(descriptor, value));
}
static ssize_t send_event(int descriptor, eventfd_t value, const void* site) {
  SKEL_MOVE_AT(site, sends_to, SKT_SEND, POLLOUT, descriptor, &value, write_event(descriptor, value));
}
SKEL_EXPORT int eventfd_read(int descriptor, eventfd_t* value) {
  return receive_event(descriptor, value, SKEL_SITE) < 0 ? -1 : 0;
}
SKEL_EXPORT int eventfd_write(int descriptor, eventfd_t value) {
  return send_event(descriptor, value, SKEL_SITE) < 0 ? -1 : 0;
}
