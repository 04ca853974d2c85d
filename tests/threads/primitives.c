/* Every primitive, each so often as the test expects, between two threads; prints a sum. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "skel_mark.h"

enum { ROUNDS = 5 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t full, empty, *named;
static char name[64];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static mtx_t mtx;
static cnd_t cnd;
static int turn, sum, pipe_ends[2], event, sockets[2], flag;

static struct timespec soon(long ns) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_nsec += ns;
  if (time.tv_nsec >= 1000000000) time.tv_sec++, time.tv_nsec -= 1000000000;
  return time;
}

static void add_once(void) { sum += 1000; }

static void rounds(int self) {
  char byte = 1;
  for (int i = 0; i < ROUNDS; i++) {
    pthread_mutex_lock(&mutex);
    sum += i;
    pthread_mutex_unlock(&mutex);
    if (pthread_mutex_trylock(&mutex) == 0) pthread_mutex_unlock(&mutex);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    sum += i;
    pthread_rwlock_unlock(&lock);
    pthread_spin_lock(&spin);
    sum += i;
    pthread_spin_unlock(&spin);
    mtx_lock(&mtx);
    sum += i;
    mtx_unlock(&mtx);
    pthread_barrier_wait(&barrier);
    if (self) {
      sem_wait(&full);
      sem_post(&empty);
      read(pipe_ends[0], &byte, 1);
      eventfd_t value;
      eventfd_read(event, &value);
      recv(sockets[1], &byte, 1, 0);
      skel_mark_wait_begin(7);
      while (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) <= i) continue;
      skel_mark_wait_end(7);
    } else {
      sem_wait(&empty);
      sem_post(&full);
      write(pipe_ends[1], &byte, 1);
      eventfd_write(event, 1);
      send(sockets[0], &byte, 1, 0);
      __atomic_store_n(&flag, i + 1, __ATOMIC_RELEASE);
      skel_mark_signal(7);
    }
  }
  pthread_once(&once, add_once);
  if (self) {
    sem_t* const again = sem_open(name, 0);
    sem_post(again);
    sem_close(again);
  } else {
    sem_wait(named);
  }
}

static void* second(void* nothing) {
  rounds(1);
  pthread_mutex_lock(&mutex);
  turn = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return nothing;
}

static int third(void* nothing) {
  (void)nothing;
  mtx_lock(&mtx);
  turn = 2;
  cnd_broadcast(&cnd);
  mtx_unlock(&mtx);
  return 17;
}

int main(void) {
  pthread_t thread;
  thrd_t c11;
  int result;
  pthread_spin_init(&spin, 0);
  pthread_barrier_init(&barrier, NULL, 2);
  sem_init(&full, 0, 0);
  sem_init(&empty, 0, 1);
  snprintf(name, sizeof name, "/skelgen-primitives-%ld", (long)getpid());
  named = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
  if (named == SEM_FAILED) return 3;
  mtx_init(&mtx, mtx_plain);
  cnd_init(&cnd);
  if (pipe(pipe_ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets)) return 1;
  event = eventfd(0, 0);
  pthread_mutex_lock(&mutex);
  pthread_create(&thread, NULL, second, NULL);
  const struct timespec until = soon(1000000);
  if (pthread_cond_timedwait(&condition, &mutex, &until) != ETIMEDOUT) return 2;
  pthread_mutex_unlock(&mutex);
  rounds(0);
  pthread_mutex_lock(&mutex);
  while (turn != 1) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  mtx_lock(&mtx);
  thrd_create(&c11, third, NULL);
  while (turn != 2) cnd_wait(&cnd, &mtx);
  mtx_unlock(&mtx);
  thrd_join(c11, &result);
  pthread_barrier_destroy(&barrier);
  sem_close(named);
  sem_unlink(name);
  printf("%d %d\n", sum, result);
  return 0;
}
