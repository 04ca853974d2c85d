/* locks: nanoseconds of processor time that an uncontended lock and unlock take, for scripts/threads-study. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { PAIRS = 2000000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* nothing(void* value) { return value; }
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, nothing, NULL);
  pthread_join(thread, NULL);
  const double start = now();
  for (int i = 0; i < PAIRS; i++) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  printf("%.2f\n", (now() - start) / PAIRS);
  return 0;
}
