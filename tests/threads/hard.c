/* hard CASE: programs that make capture's life hard. What each one prints is the same with capture and without. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t done, never;
static int count;

static void* add(void* nothing) {
  pthread_mutex_lock(&mutex);
  count++;
  pthread_mutex_unlock(&mutex);
  sem_post(&done);
  return nothing;
}
static pthread_t start(void* (*function)(void*)) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, function, NULL)) abort();
  return thread;
}
static void wait_for(int threads) {
  for (int i = 0; i < threads; i++) sem_wait(&done);
}

static void detached(void) {
  for (int i = 0; i < 20; i++) pthread_detach(start(add));
  wait_for(20);
}

static void unlock(void* m) { pthread_mutex_unlock(m); }
static void* wait_cancelled(void* nothing) {
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, &mutex);
  sem_post(&done);
  for (;;) pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(1);
  return nothing;
}
static void* sem_cancelled(void* nothing) {
  sem_post(&done);
  sem_wait(&never);
  return nothing;
}
static void* exits(void* nothing) {
  add(NULL);
  pthread_exit(nothing);
}
static void cancelled(void) {
  pthread_t threads[3] = {start(wait_cancelled), start(sem_cancelled), start(exits)};
  void* value;
  wait_for(3);
  pthread_cancel(threads[0]);
  pthread_cancel(threads[1]);
  for (int i = 0; i < 3; i++) {
    pthread_join(threads[i], &value);
    count += value == PTHREAD_CANCELED;
  }
  pthread_mutex_lock(&mutex); /* the handler has given it back */
  pthread_mutex_unlock(&mutex);
}

static void* locks_on(void* nothing);
/* Is to be cancelled, which acts where the program says, though its record grows before that in a file that the program has
 * closed. */
static void* is_cancelled_late(void* nothing) {
  for (int i = 3; i < 1024; i++) close(i);
  pthread_cancel(pthread_self());
  locks_on(NULL);
  count++;
  pthread_testcancel();
  return nothing;
}
static void cancelled_late(void) {
  void* value;
  pthread_join(start(is_cancelled_late), &value);
  count += value == PTHREAD_CANCELED;
  pthread_join(start(locks_on), NULL);
}

static void* locks_on(void* nothing) {
  for (int i = 0; i < 20000; i++) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  return nothing;
}
/* The first child creates threads of its own, the second one only ends. */
static void forks(void) {
  const pthread_t beside = start(locks_on);
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&mutex); /* so that the child has it, and nobody else */
    const pid_t child = fork();
    pthread_mutex_unlock(&mutex);
    int status;
    if (child == 0) {
      if (i == 0) pthread_join(start(add), NULL);
      _exit(i + 7);
    }
    waitpid(child, &status, 0);
    count += WEXITSTATUS(status);
  }
  pthread_join(beside, NULL);
}

/* Calls for which 1 MiB of disk is too little. */
static void fills(void) {
  pthread_join(start(add), NULL);
  for (int i = 0; i < 10; i++) locks_on(NULL);
}

static void many(void) {
  for (int i = 0; i < 100; i++) {
    pthread_t threads[10];
    for (int k = 0; k < 10; k++) threads[k] = start(add);
    for (int k = 0; k < 10; k++) pthread_join(threads[k], NULL);
  }
}

/* Undefined by POSIX, done by programs all the same. */
static void destroyed(void) {
  pthread_mutex_t* const held = malloc(sizeof *held);
  pthread_mutex_init(held, NULL);
  pthread_join(start(add), NULL);
  pthread_mutex_lock(held);
  count += pthread_mutex_destroy(held) == EBUSY;
  memset(held, 0, sizeof *held);
  free(held);
}

static void* forever(void* nothing) {
  sem_post(&done);
  for (;;) locks_on(nothing);
  return nothing;
}
static void never_joined(void) {
  start(forever);
  start(forever);
  wait_for(2);
}

/* On one core: one thread computes for 40 ms, another one beside it until the process ends. */
static void* computes_on(void* nothing) {
  for (volatile int turn = 0;; turn++) continue;
  return nothing;
}
static void* computes(void* nothing) {
  struct timespec worked = {0, 0};
  while (worked.tv_nsec < 40000000) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &worked);
  return nothing;
}
static void one_core(void) {
  cpu_set_t all, one;
  CPU_ZERO(&one);
  sched_getaffinity(0, sizeof all, &all);
  for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; core++)
    if (CPU_ISSET(core, &all)) CPU_SET(core, &one);
  sched_setaffinity(0, sizeof one, &one);
  start(computes_on);
  pthread_join(start(computes), NULL);
}

/* Locks are taken in a function of its own. */
static __attribute__((noinline)) void take(void) {
  pthread_mutex_lock(&mutex);
  count++;
}
static void* takes(void* nothing) {
  sem_post(&done);
  take();
  pthread_mutex_unlock(&mutex);
  return nothing;
}
static void wrapper(void) {
  take();
  const pthread_t other = start(takes);
  wait_for(1);
  usleep(20000);
  pthread_mutex_unlock(&mutex);
  pthread_join(other, NULL);
}

/* More calls than there is room for before the first thread is created. */
static void before_threads(void) {
  for (int i = 0; i < 20000; i++) {
    sem_post(&done);
    sem_wait(&done);
  }
  pthread_join(start(add), NULL);
}

static pthread_key_t key;
static void late(void* value) {
  add(NULL);
  if (--*(int*)value > 0) pthread_setspecific(key, value);
}
static int rounds = 3;
static void* keyed(void* nothing) {
  pthread_setspecific(key, &rounds);
  return nothing;
}
static void destructors(void) {
  pthread_key_create(&key, late);
  pthread_join(start(keyed), NULL);
}

/* Reads what several writes have added to an eventfd that held 3, and then what one more does. */
static int counter;
static void* reads_twice(void* nothing) {
  eventfd_t value = 0;
  sem_wait(&done); /* all is written */
  if (eventfd_read(counter, &value) == 0) count = (int)value;
  sem_post(&never);
  if (eventfd_read(counter, &value) == 0) count += (int)value;
  return nothing;
}
static void events(void) {
  counter = eventfd(3, 0);
  const pthread_t reader = start(reads_twice);
  const uint64_t two = 2;
  const struct iovec part = {(void*)&two, sizeof two};
  if (write(counter, &two, sizeof two) < 0 || writev(counter, &part, 1) < 0 || write(counter, &two, sizeof two) < 0)
    perror("write");
  eventfd_write(counter, 1);
  sem_post(&done);
  sem_wait(&never);
  eventfd_write(counter, 5);
  pthread_join(reader, NULL);
}

/* The first call waits, and looks at what the second one takes; by the names that they have with _FORTIFY_SOURCE. */
static int sockets[2];
extern ssize_t __recv_chk(int from, void* bytes, size_t count, size_t room, int flags);
extern ssize_t __recvfrom_chk(int from, void* bytes, size_t count, size_t room, int flags, struct sockaddr*,
                              socklen_t*);
static int looker;
static void wait_until_it_sleeps(int thread) {
  char path[64], state = 0;
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  while (state != 'S') {
    FILE* const file = fopen(path, "r");
    if (!file || fscanf(file, "%*d %*s %c", &state) != 1) abort();
    fclose(file);
  }
}
static void* looks_first(void* nothing) {
  char bytes[8];
  looker = (int)syscall(SYS_gettid);
  sem_post(&done);
  count += (int)__recv_chk(sockets[0], bytes, sizeof bytes, sizeof bytes, MSG_PEEK);
  count += (int)recv(sockets[0], bytes, sizeof bytes, MSG_PEEK);
  count += (int)__recvfrom_chk(sockets[0], bytes, sizeof bytes, sizeof bytes, 0, NULL, NULL);
  return nothing;
}
static void looks(void) {
  socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
  send(sockets[1], "abc", 3, 0);
  recv(sockets[0], (char[3]){0}, 3, 0);
  const pthread_t looking = start(looks_first);
  wait_for(1);
  wait_until_it_sleeps(looker);
  send(sockets[1], "abcde", 5, 0);
  pthread_join(looking, NULL);
}

/* A thread waits in calls that say which descriptors are ready, and reads then. */
static int ends[2];
static void* waits_until_ready(void* nothing) {
  struct pollfd what = {ends[0], POLLIN, 0};
  struct epoll_event event = {.events = EPOLLIN};
  fd_set set;
  const int events = epoll_create1(0);
  epoll_ctl(events, EPOLL_CTL_ADD, ends[0], &event);
  looker = (int)syscall(SYS_gettid);
  for (int i = 0; i < 3; i++) {
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    sem_post(&done);
    if (i == 0) count += poll(&what, 1, -1);
    if (i == 1) count += select(ends[0] + 1, &set, NULL, NULL, NULL);
    if (i == 2) count += epoll_wait(events, &event, 1, -1);
    count += (int)read(ends[0], (char[1]){0}, 1);
  }
  return nothing;
}
static void ready(void) {
  if (pipe(ends)) abort();
  const pthread_t waiter = start(waits_until_ready);
  for (int i = 0; i < 3; i++) {
    wait_for(1);
    wait_until_it_sleeps(looker);
    if (write(ends[1], "a", 1) != 1) abort();
  }
  pthread_join(waiter, NULL);
}

/* Messages are taken whole, however little of them is read, also one of nothing. */
static void* takes_messages(void* nothing) {
  char bytes[100];
  for (int i = 0; i < 4; i++) count += (int)read(sockets[0], bytes, i == 0 ? 4 : sizeof bytes);
  return nothing;
}
static void messages(void) {
  socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, sockets);
  char bytes[30] = "";
  const pthread_t takes = start(takes_messages);
  for (int size = 30; size >= 0; size -= 10) send(sockets[1], bytes, (size_t)size, 0);
  pthread_join(takes, NULL);
}

/* Reading nothing takes nothing; an empty message may be looked at; packets have an end, which is no message. */
static int packets[2];
static void* takes_packets(void* nothing) {
  char bytes[9];
  const struct iovec none = {bytes, 0};
  count += (int)read(sockets[0], bytes, 0);
  count += (int)readv(sockets[0], &none, 1);
  count += (int)read(sockets[0], bytes, sizeof bytes);
  looker = (int)syscall(SYS_gettid);
  sem_post(&done);
  count += (int)recv(sockets[0], bytes, sizeof bytes, MSG_PEEK);
  count += (int)read(sockets[0], bytes, sizeof bytes);
  for (int i = 0; i < 3; i++) count += (int)read(packets[0], bytes, sizeof bytes);
  return nothing;
}
static void empty_messages(void) {
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets) || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, packets)) abort();
  send(sockets[1], "a", 1, 0);
  send(packets[1], "abc", 3, 0);
  close(packets[1]);
  const pthread_t takes = start(takes_packets);
  wait_for(1);
  wait_until_it_sleeps(looker);
  send(sockets[1], "", 0, 0);
  pthread_join(takes, NULL);
}

/* Files by the numbers of pipes that were closed without close(), and a pipe by another number. */
static void numbers(void) {
  int ends[2], others[2], more[2];
  char bytes[100];
  pthread_join(start(add), NULL);
  if (pipe(ends) || pipe(others) || pipe(more)) abort();
  fclose(fdopen(ends[0], "r"));
  syscall(SYS_close, others[0]);
  close_range((unsigned)more[0], (unsigned)more[0], 0);
  for (int i = 0; i < 3; i++) count += (int)read(open("/dev/zero", O_RDONLY), bytes, 100);
  if (pipe(ends)) abort();
  count += close_range((unsigned)ends[0], (unsigned)ends[1], 1 << 20) != 0; /* no such flag: they stay open */
  count += (int)write(fcntl(ends[1], F_DUPFD_CLOEXEC, 100), "abc", 3);
  count += (int)read(ends[0], bytes, 3);
}

/* Is cancelled where it closes: the descriptor stays. */
static int pair[2];
static void* closes(void* nothing) {
  pthread_cancel(pthread_self());
  close(pair[1]);
  return nothing;
}
static void cancelled_close(void) {
  char byte;
  if (pipe(pair)) abort();
  pthread_join(start(closes), NULL);
  count += (int)write(pair[1], "a", 1);
  count += (int)read(pair[0], &byte, 1);
}

static void on_alarm(int signal) {
  (void)signal;
  sem_post(&done);
}
/* Signals while the first thread is created, which takes longer with capture. */
static void early_signals(void) {
  sem_post(&never); /* is recorded before there is a thread */
  signal(SIGALRM, on_alarm);
  ualarm(200, 200);
  const pthread_t other = start(locks_on);
  ualarm(0, 0);
  pthread_join(other, NULL);
}
static void signals(void) {
  const pthread_t beside = start(locks_on);
  signal(SIGALRM, on_alarm);
  for (int i = 0; i < 20; i++) {
    ualarm(500, 0);
    while (sem_wait(&done) && errno == EINTR) continue;
    count++;
  }
  pthread_join(beside, NULL);
}

static int handler_locks;
/* A child that no handler sees goes on with calls, creates a thread, and ends as programs do. */
static void raw_fork(void) {
  pthread_join(start(add), NULL);
  const long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0) {
    for (int i = 0; i < 5; i++) locks_on(NULL); /* more than a chunk holds */
    pthread_join(start(add), NULL);
    exit(7);
  }
  int status;
  waitpid((pid_t)child, &status, 0);
  count += WEXITSTATUS(status);
  locks_on(NULL);
}
/* The child of a vfork has the memory of its parent, which waits for it. */
static void vfork_locks(void) {
  pthread_join(start(add), NULL);
  const pid_t child = vfork();
  if (child == 0) {
    locks_on(NULL);
    _exit(7);
  }
  int status;
  waitpid(child, &status, 0);
  count += WEXITSTATUS(status);
  locks_on(NULL);
}

/* Children that begin in the middle of a call of their parent, make calls, and go on with it. */
static void on_fork_signal(int signal) {
  (void)signal;
  if (count == 20 || handler_locks) return;
  count++;
  if (fork() != 0) return;
  sem_post(&done);
  handler_locks = 1;
}
static void handler_forks(void) {
  pthread_join(start(add), NULL);
  signal(SIGALRM, on_fork_signal);
  ualarm(1000, 1000);
  while (count < 20 && !handler_locks) locks_on(NULL);
  ualarm(0, 0);
  for (int i = 0; i < 5; i++) locks_on(NULL);
  if (handler_locks) _exit(0);
  int status;
  while (wait(&status) > 0)
    if (status) count += 100; /* has crashed */
}

/* Capture calls these, too. Where it does, a signal comes, whose handler forks: the child goes on with what was interrupted. */
static volatile int forks_here, is_child;
static void on_user_signal(int signal) {
  (void)signal;
  if (fork() != 0) return;
  is_child = 1;
  alarm(20);
}
static void interrupt(void) {
  if (forks_here && !is_child) raise(SIGUSR1);
}
int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) {
  interrupt();
  return sigprocmask(how, set, old) ? errno : 0;
}
void* mmap(void* at, size_t bytes, int protection, int flags, int file, off_t offset) {
  interrupt();
  return (void*)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}
int madvise(void* at, size_t bytes, int advice) { /* of a system that has not MADV_WIPEONFORK */
  if (advice != MADV_WIPEONFORK || !getenv("NO_WIPE")) return (int)syscall(SYS_madvise, at, bytes, advice);
  errno = EINVAL;
  return -1;
}
static void forks_anywhere(void) {
  static pthread_mutex_t mutexes[6000];
  signal(SIGUSR1, on_user_signal);
  forks_here = 1;
  const pthread_t other = start(locks_on);
  if (is_child) _exit(0);
  for (int i = 0; i < 6000; i++) { /* the table of calls grows */
    pthread_mutex_lock(&mutexes[i]);
    pthread_mutex_unlock(&mutexes[i]);
    if (is_child) _exit(0);
  }
  pthread_join(other, NULL);
  if (is_child) _exit(0);
  int status;
  while (wait(&status) > 0)
    if (status) count += 100; /* has crashed */
}

static pid_t fork_by(int is_raw) { return is_raw ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork(); }
/* What a child's semaphore holds at first is known, though it is the child's first call. */
static void* takes_two(void* nothing) {
  for (int i = 0; i < 2; i++) sem_wait(&never);
  return nothing;
}
static void child_semaphores(void) {
  pthread_join(start(locks_on), NULL);
  for (int i = 0; i < 2; i++) {
    const pid_t child = fork_by(i);
    if (child == 0) {
      sem_init(&never, 0, 2);
      pthread_join(start(takes_two), NULL);
      _exit(7);
    }
    int status;
    waitpid(child, &status, 0);
    count += WEXITSTATUS(status);
  }
}
/* Children in which libc creates a thread that makes calls at once, before and while the first one does. */
static volatile int has_ticked;
static void on_timer(union sigval value) {
  (void)value;
  for (int i = 0; i < 1000; i++, has_ticked = 1) sem_post(&never);
}
static void timer_forks(void) {
  pthread_join(start(locks_on), NULL);
  for (int i = 0; i < 20; i++) {
    const pid_t child = fork_by(i % 2);
    if (child == 0) {
      struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer};
      const struct itimerspec soon = {{0, 0}, {0, 100000}};
      timer_t timer;
      timer_create(CLOCK_MONOTONIC, &event, &timer);
      timer_settime(timer, 0, &soon, NULL);
      while (!has_ticked) continue;
      for (int k = 0; k < 1000; k++) sem_post(&never);
      pthread_join(start(add), NULL);
      _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    if (status) count += 100;
  }
}

/* A handler of pthread_atfork that is there before any library's, so runs first in the child. */
static void in_child(void) {
  for (int i = 0; i < 5 && handler_locks; i++) locks_on(NULL);
}
static void register_first(void) { pthread_atfork(NULL, NULL, in_child); }
__attribute__((section(".preinit_array"), used)) static void (*const registers)(void) = register_first;
static void fork_handler(void) {
  pthread_join(start(add), NULL);
  handler_locks = 1;
  const pid_t child = fork();
  if (child == 0) _exit(7);
  int status;
  waitpid(child, &status, 0);
  count += WEXITSTATUS(status);
  locks_on(NULL);
}

static int asked; /* how often a thread's time was, by the thread that had the mutex */
int clock_gettime(clockid_t clock, struct timespec* now) {
  if (clock == CLOCK_THREAD_CPUTIME_ID && mutex.__data.__owner == gettid()) asked++;
  return (int)syscall(SYS_clock_gettime, clock, now);
}
static void work_for(long microseconds) {
  struct timespec from, now;
  clock_gettime(CLOCK_MONOTONIC, &from);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - from.tv_sec) * 1000000 + (now.tv_nsec - from.tv_nsec) / 1000 < microseconds);
}
static void* long_sections(void* nothing) {
  for (int i = 0; i < 50; i++) {
    work_for(30);
    pthread_mutex_lock(&mutex);
    work_for(30);
    pthread_mutex_unlock(&mutex);
  }
  return nothing;
}
static void held(void) {
  pthread_join(start(long_sections), NULL);
  count = asked;
}

int main(int argc, char** argv) {
  const char* const name = argc > 1 ? argv[1] : "";
  sem_init(&done, 0, 0);
  sem_init(&never, 0, 0);
  if (!strcmp(name, "detached")) detached();
  if (!strcmp(name, "cancelled")) cancelled();
  if (!strcmp(name, "cancelled_late")) cancelled_late();
  if (!strcmp(name, "forks")) forks();
  if (!strcmp(name, "raw_fork")) raw_fork();
  if (!strcmp(name, "vfork_locks")) vfork_locks();
  if (!strcmp(name, "fork_handler")) fork_handler();
  if (!strcmp(name, "handler_forks")) handler_forks();
  if (!strcmp(name, "held")) held();
  if (!strcmp(name, "forks_anywhere")) forks_anywhere();
  if (!strcmp(name, "child_semaphores")) child_semaphores();
  if (!strcmp(name, "timer_forks")) timer_forks();
  if (!strcmp(name, "many")) many();
  if (!strncmp(name, "fills", 5)) fills();
  if (!strcmp(name, "fills_killed")) raise(SIGKILL);
  if (!strcmp(name, "destroyed")) destroyed();
  if (!strcmp(name, "never_joined")) never_joined();
  if (!strcmp(name, "destructors")) destructors();
  if (!strcmp(name, "signals")) signals();
  if (!strcmp(name, "early_signals")) early_signals();
  if (!strcmp(name, "events")) events();
  if (!strcmp(name, "looks")) looks();
  if (!strcmp(name, "ready")) ready();
  if (!strcmp(name, "messages")) messages();
  if (!strcmp(name, "empty_messages")) empty_messages();
  if (!strcmp(name, "numbers")) numbers();
  if (!strcmp(name, "cancelled_close")) cancelled_close();
  if (!strcmp(name, "one_core")) one_core();
  if (!strcmp(name, "wrapper")) wrapper();
  if (!strcmp(name, "before_threads")) before_threads();
  if (!strcmp(name, "early")) never_joined();
  if (!strcmp(name, "killed")) {
    pthread_join(start(locks_on), NULL);
    raise(SIGKILL);
  }
  printf("%s %d\n", name, count);
  fflush(stdout);
  if (!strcmp(name, "early")) _exit(3);
  if (!strcmp(name, "main_leaves")) {
    start(add);
    pthread_exit(NULL);
  }
  return 0;
}
