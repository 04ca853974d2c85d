/* Pipes, eventfds and pairs of sockets that the process has made itself: what one thread writes and another one reads. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>

#include "made.h"
#include "record.h"

#define DESCRIPTORS 65536 /* those beyond are not looked at */

/* By descriptor: the channel that it sends to or receives from, 0: none. */
static uint32_t sends_to[DESCRIPTORS], receives_from[DESCRIPTORS];
static uint32_t channels;
/* In a channel's number: what is written and read are values (of an eventfd), or messages, of which a read takes one whole. */
#define COUNTS 0x80000000u
#define MESSAGES 0x40000000u
#define MAY_BE_EMPTY 0x20000000u /* messages: else 0 bytes are the end */

static int inside(int descriptor) { return (unsigned)descriptor < DESCRIPTORS; }
static uint32_t new_channel(void) { return __atomic_add_fetch(&channels, 1, __ATOMIC_RELAXED); }
static void put(uint32_t* table, int descriptor, uint32_t channel) {
  if (inside(descriptor)) __atomic_store_n(&table[descriptor], channel, __ATOMIC_RELAXED);
}
static uint32_t get(const uint32_t* table, int descriptor) {
  return SKEL_LIKELY(inside(descriptor)) ? __atomic_load_n(&table[descriptor], __ATOMIC_RELAXED) : 0;
}
static void connect_to(int descriptor, uint32_t to, uint32_t from) {
  put(sends_to, descriptor, to);
  put(receives_from, descriptor, from);
}
static int is_known(int descriptor) { return get(sends_to, descriptor) || get(receives_from, descriptor); }

static void open_pipe(const int ends[2]) {
  const uint32_t channel = new_channel();
  connect_to(ends[0], 0, channel);
  connect_to(ends[1], channel, 0);
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
    const int packets = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
    const uint32_t kind = packets == SOCK_STREAM ? 0 : packets == SOCK_SEQPACKET ? MESSAGES : MESSAGES | MAY_BE_EMPTY;
    const uint32_t there = new_channel() | kind, back = new_channel() | kind;
    connect_to(ends[0], there, back);
    connect_to(ends[1], back, there);
  }
  return result;
}
SKEL_EXPORT int eventfd(unsigned count, int flags) {
  const int descriptor = SKEL_REAL(eventfd)(count, flags);
  if (descriptor < 0) return descriptor;
  const uint32_t channel = new_channel() | COUNTS;
  connect_to(descriptor, channel, channel);
  skel_made(SKT_CHANNEL, (const void*)(uintptr_t)channel, SKEL_SITE, count);
  return descriptor;
}

static int same(int result, int descriptor) {
  if (result < 0 || result == descriptor) return result;
  if ((is_known(descriptor) || is_known(result)) && skel_is_this_process())
    connect_to(result, get(sends_to, descriptor), get(receives_from, descriptor));
  return result;
}
SKEL_EXPORT int dup(int descriptor) { return same(SKEL_REAL(dup)(descriptor), descriptor); }
SKEL_EXPORT int dup2(int descriptor, int to) { return same(SKEL_REAL(dup2)(descriptor, to), descriptor); }
SKEL_EXPORT int dup3(int descriptor, int to, int flags) {
  return same(SKEL_REAL(dup3)(descriptor, to, flags), descriptor);
}
/* Whatever the command takes: nothing, a number or an address. */
#define SKEL_FCNTL(name)                                                                         \
  SKEL_EXPORT int name(int descriptor, int command, ...) {                                       \
    va_list rest;                                                                                \
    va_start(rest, command);                                                                     \
    void* const argument = va_arg(rest, void*);                                                  \
    va_end(rest);                                                                                \
    const int result = SKEL_REAL(name)(descriptor, command, argument);                           \
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? same(result, descriptor) : result; \
  }
SKEL_FCNTL(fcntl)
SKEL_FCNTL(fcntl64)

/* Before they are closed: another thread may get the number of one at once. */
void skel_closes(unsigned first, unsigned last) {
  for (unsigned i = first; i <= last && i < DESCRIPTORS; i++)
    if (SKEL_UNLIKELY(is_known((int)i)) && skel_is_this_process()) connect_to((int)i, 0, 0);
}
SKEL_EXPORT int close(int descriptor) {
  if (is_known(descriptor)) pthread_testcancel(); /* where a thread is cancelled, the descriptor stays open */
  skel_closes((unsigned)descriptor, (unsigned)descriptor);
  return SKEL_REAL(close)(descriptor);
}

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2
#endif
/* Other flags close nothing, and glibc has the function from 2.34 on. */
SKEL_EXPORT int close_range(unsigned first, unsigned last, int flags) {
  if (!SKEL_REAL(close_range)) {
    errno = ENOSYS;
    return -1;
  }
  if (!(flags & ~CLOSE_RANGE_UNSHARE)) skel_closes(first, last);
  return skel_real.close_range(first, last, flags);
}
SKEL_EXPORT void closefrom(int first) {
  skel_closes(first < 0 ? 0 : (unsigned)first, UINT_MAX);
  SKEL_REAL(closefrom)(first);
}
SKEL_EXPORT int fclose(FILE* file) {
  const int error = errno, descriptor = fileno(file);
  errno = error;
  skel_closes((unsigned)descriptor, (unsigned)descriptor);
  return SKEL_REAL(fclose)(file);
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
  if (bytes < 0) return;
  const unsigned call = SKEL_CALL(SKT_CHANNEL, action, waited ? SKT_BLOCKED : 0);
  if (s)
    skel_record(s, call, (const void*)(uintptr_t)channel, site, from, (uint64_t)bytes);
  else
    skel_record_early(SKEL_CALL(SKT_CHANNEL, action, 0), channel, site, (uint64_t)bytes);
}

/* How much a call has moved that returned `result`: bytes; of an eventfd, the value that stands in `data`; of messages, one.
 * 0: it has waited for something, and left it there; -1: nothing that is recorded. */
static ssize_t amount(uint32_t channel, const void* data, ssize_t result, int flags, int waited) {
  eventfd_t value = 0;
  if (result < 0 || (result == 0 && !(channel & MAY_BE_EMPTY))) return -1;
  if (flags & MSG_PEEK) return waited ? 0 : -1;
  if (channel & MESSAGES) return 1;
  if (channel & COUNTS && data && result == (ssize_t)sizeof value) {
    memcpy(&value, data, sizeof value);
    result = value < INT64_MAX ? (ssize_t)value : INT64_MAX;
  }
  return result;
}

/* Between the look and the receive the thread has done nothing that is recorded. */
static void record_look(struct skel_stream* s, uint32_t channel) {
  struct skel_look* const look = &skel_thread_of(s)->look;
  if (SKEL_LIKELY(!look->site)) return;
  if (s->last <= look->from.ticks)
    skel_record_span(s, SKEL_CALL(SKT_CHANNEL, SKT_RECEIVE, SKT_BLOCKED), channel, 0, look->site, look->from, look->to,
                     0);
  look->site = NULL;
}

static const void* whole_value(const struct iovec* parts, int count) {
  return count > 0 && parts[0].iov_len >= sizeof(eventfd_t) ? parts[0].iov_base : NULL;
}

/* data: NULL where no single buffer has it. */
#define SKEL_MOVE_AT(site, table, action, event, descriptor, data, flags, call)              \
  const uint32_t channel = get(table, descriptor);                                           \
  if (SKEL_LIKELY(!channel)) return call;                                                    \
  struct skel_stream* const s = skel_stream();                                               \
  if (event == POLLIN && s) record_look(s, channel);                                         \
  const struct skel_span from = s ? skel_begin(s) : (struct skel_span){0, 0};                \
  const int waits = s && would_wait(descriptor, event);                                      \
  const ssize_t result = call;                                                               \
  moved(action, channel, site, s, from, waits, amount(channel, data, result, flags, waits)); \
  return result
#define SKEL_SEND(descriptor, data, call) \
  SKEL_MOVE_AT(SKEL_SITE, sends_to, SKT_SEND, POLLOUT, descriptor, data, 0, call)
#define SKEL_RECEIVE_BY(descriptor, data, flags, call) \
  SKEL_MOVE_AT(SKEL_SITE, receives_from, SKT_RECEIVE, POLLIN, descriptor, data, flags, call)
#define SKEL_RECEIVE(descriptor, data, call) SKEL_RECEIVE_BY(descriptor, data, 0, call)

/* read() and readv() of nothing leave a message where it is. */
static int asks_for_some(const struct iovec* parts, int count) {
  for (int i = 0; i < count; i++)
    if (parts[i].iov_len > 0) return 1;
  return 0;
}

SKEL_EXPORT ssize_t read(int from_descriptor, void* bytes, size_t count) {
  if (SKEL_UNLIKELY(!count)) return SKEL_REAL(read)(from_descriptor, bytes, count);
  SKEL_RECEIVE(from_descriptor, bytes, SKEL_REAL(read)(from_descriptor, bytes, count));
}
/* With _FORTIFY_SOURCE the compiler calls these instead where it knows the size of the buffer. */
ssize_t __read_chk(int from_descriptor, void* bytes, size_t count, size_t room);
ssize_t __recv_chk(int from_descriptor, void* bytes, size_t count, size_t room, int flags);
ssize_t __recvfrom_chk(int from_descriptor, void* bytes, size_t count, size_t room, int flags, struct sockaddr* address,
                       socklen_t* length);
extern void __chk_fail(void) __attribute__((noreturn));
SKEL_EXPORT ssize_t __read_chk(int from_descriptor, void* bytes, size_t count, size_t room) {
  if (count > room) __chk_fail();
  if (SKEL_UNLIKELY(!count)) return SKEL_REAL(read)(from_descriptor, bytes, count);
  SKEL_RECEIVE(from_descriptor, bytes, SKEL_REAL(read)(from_descriptor, bytes, count));
}
SKEL_EXPORT ssize_t readv(int from_descriptor, const struct iovec* parts, int count) {
  if (get(receives_from, from_descriptor) && !asks_for_some(parts, count))
    return SKEL_REAL(readv)(from_descriptor, parts, count);
  SKEL_RECEIVE(from_descriptor, whole_value(parts, count), SKEL_REAL(readv)(from_descriptor, parts, count));
}
SKEL_EXPORT ssize_t recv(int from_descriptor, void* bytes, size_t count, int flags) {
  SKEL_RECEIVE_BY(from_descriptor, bytes, flags, SKEL_REAL(recv)(from_descriptor, bytes, count, flags));
}
SKEL_EXPORT ssize_t recvfrom(int from_descriptor, void* bytes, size_t count, int flags, struct sockaddr* address,
                             socklen_t* length) {
  SKEL_RECEIVE_BY(from_descriptor, bytes, flags,
                  SKEL_REAL(recvfrom)(from_descriptor, bytes, count, flags, address, length));
}
SKEL_EXPORT ssize_t __recv_chk(int from_descriptor, void* bytes, size_t count, size_t room, int flags) {
  if (count > room) __chk_fail();
  SKEL_RECEIVE_BY(from_descriptor, bytes, flags, SKEL_REAL(recv)(from_descriptor, bytes, count, flags));
}
SKEL_EXPORT ssize_t __recvfrom_chk(int from_descriptor, void* bytes, size_t count, size_t room, int flags,
                                   struct sockaddr* address, socklen_t* length) {
  if (count > room) __chk_fail();
  SKEL_RECEIVE_BY(from_descriptor, bytes, flags,
                  SKEL_REAL(recvfrom)(from_descriptor, bytes, count, flags, address, length));
}
SKEL_EXPORT ssize_t recvmsg(int from_descriptor, struct msghdr* message, int flags) {
  SKEL_RECEIVE_BY(from_descriptor, NULL, flags, SKEL_REAL(recvmsg)(from_descriptor, message, flags));
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
  SKEL_MOVE_AT(site, receives_from, SKT_RECEIVE, POLLIN, descriptor, value, 0, read_event(descriptor, value));
}
static ssize_t send_event(int descriptor, eventfd_t value, const void* site) {
  SKEL_MOVE_AT(site, sends_to, SKT_SEND, POLLOUT, descriptor, &value, 0, write_event(descriptor, value));
}
SKEL_EXPORT int eventfd_read(int descriptor, eventfd_t* value) {
  return receive_event(descriptor, value, SKEL_SITE) < 0 ? -1 : 0;
}
SKEL_EXPORT int eventfd_write(int descriptor, eventfd_t value) {
  return send_event(descriptor, value, SKEL_SITE) < 0 ? -1 : 0;
}

#define SKEL_LOOK(call)                                                                                             \
  struct skel_stream* const s = __atomic_load_n(&channels, __ATOMIC_RELAXED) ? skel_stream() : NULL;                \
  if (!s) return call;                                                                                              \
  const struct skel_span from = skel_begin(s);                                                                      \
  const int ready = call;                                                                                           \
  if (ready > 0 && skel_if_long(from))                                                                              \
    skel_thread_of(s)->look = (struct skel_look){from, skel_end(s, from, SKEL_CALL(0, 0, SKT_BLOCKED)), SKEL_SITE}; \
  return ready

int __poll_chk(struct pollfd* what, nfds_t count, int milliseconds, size_t room);
int __ppoll_chk(struct pollfd* what, nfds_t count, const struct timespec* most, const sigset_t* mask, size_t room);
SKEL_EXPORT int poll(struct pollfd* what, nfds_t count, int milliseconds) {
  SKEL_LOOK(SKEL_REAL(poll)(what, count, milliseconds));
}
SKEL_EXPORT int __poll_chk(struct pollfd* what, nfds_t count, int milliseconds, size_t room) {
  if (room / sizeof *what < count) __chk_fail();
  SKEL_LOOK(SKEL_REAL(poll)(what, count, milliseconds));
}
SKEL_EXPORT int ppoll(struct pollfd* what, nfds_t count, const struct timespec* most, const sigset_t* mask) {
  SKEL_LOOK(SKEL_REAL(ppoll)(what, count, most, mask));
}
SKEL_EXPORT int __ppoll_chk(struct pollfd* what, nfds_t count, const struct timespec* most, const sigset_t* mask,
                            size_t room) {
  if (room / sizeof *what < count) __chk_fail();
  SKEL_LOOK(SKEL_REAL(ppoll)(what, count, most, mask));
}
SKEL_EXPORT int select(int end, fd_set* read, fd_set* written, fd_set* others, struct timeval* most) {
  SKEL_LOOK(SKEL_REAL(select)(end, read, written, others, most));
}
SKEL_EXPORT int pselect(int end, fd_set* read, fd_set* written, fd_set* others, const struct timespec* most,
                        const sigset_t* mask) {
  SKEL_LOOK(SKEL_REAL(pselect)(end, read, written, others, most, mask));
}
SKEL_EXPORT int epoll_wait(int set, struct epoll_event* events, int most, int milliseconds) {
  SKEL_LOOK(SKEL_REAL(epoll_wait)(set, events, most, milliseconds));
}
SKEL_EXPORT int epoll_pwait(int set, struct epoll_event* events, int most, int milliseconds, const sigset_t* mask) {
  SKEL_LOOK(SKEL_REAL(epoll_pwait)(set, events, most, milliseconds, mask));
}
