/* edge HOW: what programs may do beside MPI that capture must live with.
 *   early N     N calls before MPI_Init
 *   fork        the child of a fork behind a first call becomes the rank
 *   keys        no key for a thread's data is left; a thread that calls MPI keeps its own
 *   counters    64 threads call MPI, one after the other; prints how many more files are open than after the first
 *   peak        prints whether the program's peak of memory is what it was before MPI_Init
 *   loading LIB a library is loaded that calls MPI meanwhile, just when this thread makes the first call
 *   full        no room is left on the disk while MPI_Pcontrol(0) holds
 *   jump        an error handler leaves a call by longjmp; the program goes on less deep in its stack
 *   jump_far    the same, and the program goes on deeper than the call that was left */
#include <dirent.h>
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void work(double seconds) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const double end = now.tv_sec + 1e-9 * now.tv_nsec + seconds;
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while (now.tv_sec + 1e-9 * now.tv_nsec < end);
}

static int open_files(void) {
  int count = 0;
  DIR* const all = opendir("/proc/self/fd");
  while (readdir(all)) count++;
  closedir(all);
  return count;
}

static long peak_kb(void) {
  char line[256];
  long peak = 0;
  FILE* const file = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, file)) sscanf(line, "VmHWM: %ld", &peak);
  fclose(file);
  return peak;
}

static void* call_size(void* unused) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return unused;
}

static void* load(void* library) { return dlopen(library, RTLD_NOW); }

enum { KEYS = PTHREAD_KEYS_MAX };
static pthread_key_t keys[KEYS];
static int key_count;

static void* use_keys(void* wrong) {
  const pthread_key_t first = 0; /* a library's */
  const void* const kept = pthread_getspecific(first);
  for (int i = 0; i < key_count; i++) pthread_setspecific(keys[i], &keys[i]);
  call_size(NULL);
  *(int*)wrong = pthread_getspecific(first) != kept;
  for (int i = 0; i < key_count; i++) *(int*)wrong += pthread_getspecific(keys[i]) != &keys[i];
  return NULL;
}

static jmp_buf out;
static void jump(MPI_Comm* comm, int* error, ...) {
  (void)comm, (void)error;
  longjmp(out, 1);
}

static int deep(int depth) {
  volatile char room[512] = {0};
  return depth ? deep(depth - 1) + room[0] : MPI_Send(NULL, 0, MPI_INT, 12345, 0, MPI_COMM_WORLD);
}

/* Where the program goes on may be deeper in the stack than the call that it left. */
static int deeper_barrier(int depth) {
  volatile char room[512] = {0};
  return depth ? deeper_barrier(depth - 1) + room[0] : MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  const char* const how = argv[1];
  int flag, wrong = 0;
  if (!strcmp(how, "early"))
    for (int i = 0; i < atoi(argv[2]); i++) MPI_Initialized(&flag);
  if (!strcmp(how, "fork")) {
    MPI_Initialized(&flag);
    const pid_t child = fork();
    int status = 1;
    if (child > 0) return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  }
  if (!strcmp(how, "keys"))
    while (key_count < KEYS && pthread_key_create(&keys[key_count], NULL) == 0) key_count++;
  if (!strcmp(how, "loading")) {
    void* loaded;
    pthread_t thread;
    pthread_create(&thread, NULL, load, argv[2]);
    usleep(200000);
    MPI_Initialized(&flag);
    pthread_join(thread, &loaded);
    printf("loaded %d\n", loaded != NULL);
  }
  const size_t bytes = (size_t)200 << 20;
  if (!strcmp(how, "peak"))
    munmap(mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0), bytes);
  /* MPICH does not live with a jump out of a call while threads are told apart. */
  MPI_Init_thread(&argc, &argv, !strncmp(how, "jump", 4) ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &flag);
  if (!strcmp(how, "early"))
    for (int i = 0; i < 2000; i++) call_size(NULL);
  if (!strcmp(how, "keys")) {
    pthread_t thread;
    pthread_create(&thread, NULL, use_keys, &wrong);
    pthread_join(thread, NULL);
    printf("%d keys lost\n", wrong);
  }
  if (!strcmp(how, "counters")) {
    int before = 0;
    for (int i = 0; i < 64; i++) {
      pthread_t thread;
      pthread_create(&thread, NULL, call_size, NULL);
      pthread_join(thread, NULL);
      if (i == 0) before = open_files();
    }
    printf("%d more files\n", open_files() - before);
  }
  if (!strcmp(how, "full")) {
    const struct rlimit none = {16384, 16384};
    MPI_Comm other;
    setrlimit(RLIMIT_FSIZE, &none);
    MPI_Pcontrol(0);
    for (int i = 0; i < 60000; i++) {
      MPI_Comm_dup(MPI_COMM_SELF, &other);
      MPI_Comm_free(&other);
    }
    MPI_Pcontrol(1);
    for (int i = 0; i < 1000; i++) call_size(NULL);
  }
  if (!strcmp(how, "jump") || !strcmp(how, "jump_far")) {
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(jump, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    const int far = !strcmp(how, "jump_far");
    if (!setjmp(out)) deep(far ? 0 : 20);
    for (int i = 0; i < 3; i++) {
      work(0.02);
      deeper_barrier(far ? 20 : 0);
    }
  }
  MPI_Finalize();
  if (!strcmp(how, "peak")) printf("peak kept: %d\n", peak_kb() >= (long)(bytes >> 10));
  return 0;
}
