/* harm HOW: does what a capture library could get wrong. Prints the same with and without one. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank;

static void calls(int n) {
  int size;
  for (int i = 0; i < n; i++) MPI_Comm_size(MPI_COMM_WORLD, &size);
}

static void* call_forever(void* nothing) {
  for (;;) calls(1000);
  return nothing;
}

static void* call_once(void* nothing) {
  calls(1);
  return nothing;
}

static void start_thread(pthread_t* thread, void* (*work)(void*)) {
  if (pthread_create(thread, NULL, work, NULL)) exit(4);
}

static void child(const char* how) {
  fflush(stdout);
  const pid_t pid = fork();
  if (pid) {
    int status;
    waitpid(pid, &status, 0);
    printf("rank %d: child ended with %d\n", rank, WEXITSTATUS(status));
    return;
  }
  if (!strcmp(how, "fork_exec")) execlp("sh", "sh", "-c", "exit 7", (char*)NULL);
  if (!strcmp(how, "fork_thread")) {
    pthread_t thread;
    start_thread(&thread, call_once);
    pthread_join(thread, NULL);
    pthread_exit(NULL);
  }
  if (!strcmp(how, "fork_calls")) calls(200000);
  if (!strcmp(how, "fork_quiet")) _exit(7);
  exit(7); /* the library's destructors run in the child */
}

/* Number of the descriptor of an open file whose name ends so; -1 if there is none. */
static int descriptor_of(const char* end) {
  DIR* const all = opendir("/proc/self/fd");
  int found = -1;
  for (struct dirent* one; (one = readdir(all));) {
    char link[64], target[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%s", one->d_name);
    const ssize_t length = readlink(link, target, sizeof target - 1);
    if (length < (ssize_t)strlen(end)) continue;
    target[length] = 0;
    if (!strcmp(target + length - strlen(end), end)) found = atoi(one->d_name);
  }
  closedir(all);
  return found;
}

/* The program uses the number of a descriptor that it did not open. */
static void take_descriptor(void) {
  char text[8] = "";
  const int taken = descriptor_of(".skt");
  const int own = open("own", O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (write(own, "mine", 4) != 4) exit(4);
  if (taken >= 0) dup2(own, taken);
  calls(400000);
  if (pread(own, text, sizeof text, 0) != 4) text[0] = '?';
  printf("rank %d: own file: %s\n", rank, text);
}

static volatile int ticks;
static void tick(int signal) {
  (void)signal;
  ticks++;
}

static void limit_files(void) {
  const struct rlimit limit = {1 << 21, 1 << 21};
  setrlimit(RLIMIT_FSIZE, &limit);
  calls(1000000);
}

static void with_timer(void) {
  const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
  signal(SIGALRM, tick);
  setitimer(ITIMER_REAL, &often, NULL);
  calls(1000000);
  setitimer(ITIMER_REAL, &never, NULL);
  if (!ticks) printf("no tick\n");
}

static void in_threads(int many) {
  pthread_t threads[16];
  for (int i = 0; i < many; i += 16) {
    for (int k = 0; k < 16; k++) start_thread(&threads[k], call_once);
    for (int k = 0; k < 16; k++) pthread_join(threads[k], NULL);
  }
}

static void leave_from_handler(int signal) {
  (void)signal;
  exit(5);
}

static void end(const char* how) {
  pthread_t thread;
  if (!strcmp(how, "exit")) exit(0);
  if (!strcmp(how, "exit_status")) exit(6);
  if (!strcmp(how, "quick_exit")) _exit(3);
  if (!strcmp(how, "abort")) MPI_Abort(MPI_COMM_WORLD, 3);
  if (!strcmp(how, "abort_one")) {
    PMPI_Barrier(MPI_COMM_WORLD);
    usleep(100000); /* for the launcher to read what was printed */
    if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 9);
  }
  if (!strcmp(how, "terminate")) kill(getpid(), SIGTERM);
  if (!strcmp(how, "fault")) *(volatile int*)16 = 1;
  if (!strcmp(how, "handler")) {
    signal(SIGTERM, leave_from_handler);
    kill(getpid(), SIGTERM);
  }
  if (!strcmp(how, "busy_handler")) {
    const struct itimerval soon = {{0, 0}, {0, 20000}};
    signal(SIGALRM, leave_from_handler);
    setitimer(ITIMER_REAL, &soon, NULL);
    call_forever(NULL);
  }
  if (!strcmp(how, "busy_exit") || !strcmp(how, "busy_abort")) {
    for (int i = 0; i < 3; i++) start_thread(&thread, call_forever);
    usleep(20000);
    if (!strcmp(how, "busy_abort")) MPI_Abort(MPI_COMM_WORLD, 3);
    exit(0);
  }
}

int main(int argc, char** argv) {
  const char* const how = argv[1];
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  calls(1000);
  printf("rank %d runs\n", rank);
  fflush(stdout);
  end(how);
  if (!strncmp(how, "fork", 4)) child(how);
  if (!strcmp(how, "descriptor")) take_descriptor();
  if (!strcmp(how, "limit")) limit_files();
  if (!strcmp(how, "timer")) with_timer();
  if (!strcmp(how, "threads")) in_threads(640);
  if (!strcmp(how, "many")) calls(400000);
  if (!strcmp(how, "elsewhere") && chdir("/")) return 4;
  if (!strcmp(how, "abort_one")) MPI_Barrier(MPI_COMM_WORLD);
  calls(1000);
  MPI_Finalize();
  return 0;
}
