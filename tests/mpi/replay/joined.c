/* A thread of each odd rank takes two messages, its main thread one of the same envelope, in any order, and receives it late: when the
 * other thread has ended mostly. Of the three the even rank sends two one after the other. The main thread joins after that only. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <pthread.h>
#include <time.h>

enum { TEAMS = 6, N = 100 };

static int rank, cells[2][N];

static void sleep_ms(long ms) {
  const struct timespec pause = {0, ms * 1000000};
  nanosleep(&pause, NULL);
}

static void take(int me) {
  MPI_Message message;
  MPI_Status status;
  MPI_Mprobe(rank - 1, 5, MPI_COMM_WORLD, &message, &status);
  if (me == 0) sleep_ms(20);
  MPI_Mrecv(cells[me], N, MPI_INT, &message, &status);
}

static void* work(void* number) {
  const int me = (int)(long)number;
  if (rank % 2 == 0) sleep_ms(10);
  for (int i = 0; i <= me; i++) {
    if (rank % 2 == 0)
      MPI_Send(cells[me], N, MPI_INT, rank + 1, 5, MPI_COMM_WORLD);
    else
      take(me);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int team = 0; team < TEAMS; team++) {
    pthread_t other;
    if (level < MPI_THREAD_MULTIPLE || pthread_create(&other, NULL, work, (void*)1)) MPI_Abort(MPI_COMM_WORLD, 1);
    work(NULL);
    pthread_join(other, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
