/* An allocator of the program's own that locks, which the library needs while it looks for what is behind it, and (in a library, with
 * -DLIBRARY) a thread that is created before the library's constructor runs. */
#include <pthread.h>

#ifdef LIBRARY

int early;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* count(void* nothing) {
  pthread_mutex_lock(&mutex);
  early++;
  pthread_mutex_unlock(&mutex);
  return nothing;
}

__attribute__((constructor)) static void begin(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, count, NULL) == 0) pthread_join(thread, NULL);
}

#else

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int early;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Alignas(16) char room[1 << 24];
static size_t used;

void* malloc(size_t bytes) {
  pthread_mutex_lock(&mutex);
  char* const p = room + used;
  used += (bytes + 15) / 16 * 16;
  const int fits = used <= sizeof room;
  pthread_mutex_unlock(&mutex);
  return fits ? p : NULL;
}
void free(void* p) {
  (void)p;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}
void* calloc(size_t count, size_t bytes) { return malloc(count * bytes); } /* what is new is 0 */
void* realloc(void* p, size_t bytes) {
  char* const q = malloc(bytes);
  for (size_t i = 0; p && q && i < bytes && (char*)p + i < q; i++) q[i] = ((char*)p)[i];
  return q;
}

static void* allocate(void* nothing) {
  for (int i = 0; i < 1000; i++) free(malloc(24));
  return nothing;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++)
    if (pthread_create(&threads[i], NULL, allocate, NULL)) return 1;
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  printf("%d %d\n", early, used >= 3 * 1000 * 32);
  return 0;
}

#endif
