/* Eight threads of each rank call MPI at once: communicators of their own, tags of their own in a common one, collectives that they make
 * in turn, persistent requests; then one more alone. The main thread makes all communicators, the datatype and the operation. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 8, ROUNDS = 3, CELLS = 64 };

static MPI_Comm own[THREADS], common;
static MPI_Datatype column;
static MPI_Op largest;
static pthread_barrier_t all;
static int rank, size;
static double cells[THREADS][2][CELLS], sums[THREADS];

static void take_larger(void* in, void* inout, int* n, MPI_Datatype* type) {
  const double* const left = in;
  double* const right = inout;
  (void)type;
  for (int i = 0; i < *n; i++)
    if (left[i] > right[i]) right[i] = left[i];
}

/* To the same thread of the next rank: blocking in a communicator of its own, non-blocking in the common one. */
static void exchange(int me) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  double* const out = cells[me][0];
  double* const in = cells[me][1];
  MPI_Request requests[2];
  MPI_Status statuses[2];
  for (int i = 0; i < CELLS; i++) out[i] = in[i] + me + rank;
  MPI_Sendrecv(out, 1 + me, MPI_DOUBLE, next, 5, in, 1 + me, MPI_DOUBLE, before, MPI_ANY_TAG, own[me], &statuses[0]);
  MPI_Irecv(in, 1, column, before, me, common, &requests[0]);
  MPI_Isend(out, 1, column, next, me, common, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  if (me % 2 == 0) MPI_Allreduce(&in[0], &sums[me], 1, MPI_DOUBLE, largest, own[me]);
}

/* All ranks' threads meet in the same order: round by round, each time one of the threads. */
static void in_turn(int me, int round) {
  pthread_barrier_wait(&all);
  if (round % THREADS == me) MPI_Allreduce(MPI_IN_PLACE, &sums[me], 1, MPI_DOUBLE, MPI_SUM, common);
  pthread_barrier_wait(&all);
}

static void again_and_again(int me) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Send_init(cells[me][0], 3, MPI_DOUBLE, (rank + 1) % size, 9, own[me], &requests[0]);
  MPI_Recv_init(cells[me][1], 3, MPI_DOUBLE, (rank + size - 1) % size, 9, own[me], &requests[1]);
  for (int i = 0; i < 4; i++) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, statuses);
  }
  for (int i = 0; i < 2; i++) MPI_Request_free(&requests[i]);
}

static void* work(void* number) {
  const int me = (int)(long)number;
  for (int round = 0; round < ROUNDS; round++) {
    exchange(me);
    in_turn(me, round);
  }
  if (me == 3) again_and_again(me);
  return NULL;
}

static void* alone(void* unused) {
  int size_here;
  (void)unused;
  MPI_Comm_size(common, &size_here);
  MPI_Barrier(common);
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  pthread_t threads[THREADS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &common);
  for (int i = 0; i < THREADS; i++) MPI_Comm_dup(common, &own[i]);
  MPI_Type_vector(CELLS / 4, 1, 4, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Op_create(take_larger, 1, &largest);
  pthread_barrier_init(&all, NULL, THREADS);
  for (long i = 1; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void*)i);
  work(NULL);
  for (int i = 1; i < THREADS; i++) pthread_join(threads[i], NULL);
  pthread_create(&threads[0], NULL, alone, NULL);
  pthread_join(threads[0], NULL);
  pthread_barrier_destroy(&all);
  MPI_Op_free(&largest);
  MPI_Type_free(&column);
  for (int i = 0; i < THREADS; i++) MPI_Comm_free(&own[i]);
  MPI_Comm_free(&common);
  MPI_Allreduce(MPI_IN_PLACE, sums, THREADS, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("%g\n", sums[0]);
  MPI_Finalize();
  return 0;
}
