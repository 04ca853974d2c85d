/* pool TASKS [ask] [end] [data] [probe]: a manager and its workers; a task takes 1 to 4 ms. ask: workers say
 * first that they are there, else each gets a task at first; end: all are stopped together by empty messages, not each by
 * an answer; data: tasks and results are two messages each; probe: the manager looks for a message of any source, then
 * receives from there. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kTask = 1, kStop, kResult, kData };

static int ask, end, data, probe;
static double values[50];

static void take_time(double seconds) {
  const struct timespec t = {0, (long)(1e9 * seconds)};
  nanosleep(&t, NULL);
}

static void say(void) {
  MPI_Send(values, 50, MPI_DOUBLE, 0, kResult, MPI_COMM_WORLD);
  if (data) MPI_Send(values, 20, MPI_DOUBLE, 0, kData, MPI_COMM_WORLD);
}

static void work(void) {
  int task[2];
  MPI_Status status;
  if (ask) say();
  for (;;) {
    MPI_Recv(task, 2, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == kStop) return;
    if (data) MPI_Recv(values, 10 + task[0] % 3, MPI_DOUBLE, 0, kData, MPI_COMM_WORLD, &status);
    take_time(1e-3 * (1 + task[0] * 7 % 4));
    say();
  }
}

static int hear(void) {
  MPI_Status status;
  int from = MPI_ANY_SOURCE;
  if (probe) {
    MPI_Probe(MPI_ANY_SOURCE, kResult, MPI_COMM_WORLD, &status);
    from = status.MPI_SOURCE;
  }
  MPI_Recv(values, 50, MPI_DOUBLE, from, kResult, MPI_COMM_WORLD, &status);
  from = status.MPI_SOURCE;
  if (data) MPI_Recv(values, 20, MPI_DOUBLE, from, kData, MPI_COMM_WORLD, &status);
  return from;
}

static void hand_out(int worker, int* task, int stop) {
  MPI_Send(task, stop && end ? 0 : 2, MPI_INT, worker, stop ? kStop : kTask, MPI_COMM_WORLD);
  if (data && !stop) MPI_Send(values, 10 + task[0] % 3, MPI_DOUBLE, worker, kData, MPI_COMM_WORLD);
  if (!stop) task[0]++;
}

static void manage(int tasks, int workers) {
  int task[2] = {0, 0}, open = ask ? workers : 0;
  for (int w = 1; w <= workers && !ask; w++, open++) hand_out(w, task, 0);
  for (; open > 0; open--) {
    const int worker = hear(), stop = task[0] >= tasks;
    if (!stop) open++;
    if (!stop || !end) hand_out(worker, task, stop);
  }
  for (int w = 1; w <= workers && end; w++) hand_out(w, task, 1);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 2; i < argc; i++) {
    ask |= strcmp(argv[i], "ask") == 0;
    end |= strcmp(argv[i], "end") == 0;
    data |= strcmp(argv[i], "data") == 0;
    probe |= strcmp(argv[i], "probe") == 0;
  }
  if (rank == 0)
    manage(atoi(argv[1]), size - 1);
  else
    work();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
