/* patterns NAME [ROUNDS]: ways to use messages of any source, polls, and completion in any order; each 20 times. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size;
static double in[64][8], out[8];
static MPI_Request request[64];
static MPI_Status status, statuses[64];

/* Rank 0 takes one message of everybody, in the order in which they come. */
static void collect(int round) {
  if (rank > 0) MPI_Send(out, 8, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD);
  for (int i = 1; rank == 0 && i < size; i++)
    MPI_Recv(in[i], 8, MPI_DOUBLE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
  MPI_Bcast(&round, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

/* The same, but the senders may be rounds ahead of each other: nothing holds them up. In some rounds one is so late that others are ahead for sure. */
static void drift(int round) {
  const struct timespec t = {0, 2000000L * (1 + (round * 7 + rank * 3) % 4)}, late = {0, 40000000L};
  int sum;
  nanosleep(&t, NULL);
  MPI_Reduce(&round, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == size - 1 && round % 20 == 10) nanosleep(&late, NULL);
  if (rank > 0) MPI_Send(out, 8, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD);
  for (int i = 1; rank == 0 && i < size; i++)
    MPI_Recv(in[i], 8, MPI_DOUBLE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
}

/* Everybody takes one message of each of two neighbours. */
static void neighbours(int round) {
  (void)round;
  for (int i = 0; i < 2; i++) MPI_Irecv(in[i], 8, MPI_DOUBLE, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &request[i]);
  MPI_Isend(out, 8, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &request[2]);
  MPI_Isend(out, 8, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &request[3]);
  MPI_Waitall(4, request, statuses);
}

/* Messages of several sizes and tags, looked at before they are received. */
static void probe(int round) {
  int count;
  if (rank > 0) MPI_Send(out, 1 + (rank + round) % 8, MPI_DOUBLE, 0, 10 + (rank + round) % 3, MPI_COMM_WORLD);
  for (int i = 1; rank == 0 && i < size; i++) {
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    MPI_Recv(in[i], count, MPI_DOUBLE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Polls until something comes: how often is up to the moment. */
static void poll(int round) {
  int there = 0, done = 0, n = 0, which[2];
  (void)round;
  MPI_Irecv(in[0], 8, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &request[0]);
  MPI_Send(out, 8, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD);
  while (!done) MPI_Test(&request[0], &done, &status);
  MPI_Send(out, 8, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD);
  while (!there) MPI_Iprobe((rank + size - 1) % size, 1, MPI_COMM_WORLD, &there, &status);
  MPI_Recv(in[0], 8, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &status);
  for (int i = 0; i < 2; i++)
    MPI_Irecv(in[i], 8, MPI_DOUBLE, (rank + size - 1) % size, 2 + i, MPI_COMM_WORLD, &request[i]);
  MPI_Send(out, 8, MPI_DOUBLE, (rank + 1) % size, 2, MPI_COMM_WORLD);
  do MPI_Testsome(2, request, &n, which, statuses);
  while (n == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(out, 8, MPI_DOUBLE, (rank + 1) % size, 3, MPI_COMM_WORLD);
  while (!MPI_Testany(2, request, &n, &done, statuses) && !done) continue;
}

/* Polls for a message, and in turn for one that never comes, and looks at the clock. */
static void turns(int round) {
  int stop = 0, done = 0;
  (void)round;
  MPI_Irecv(in[0], 8, MPI_DOUBLE, (rank + size - 1) % size, 5, MPI_COMM_WORLD, &request[0]);
  MPI_Send(out, 8, MPI_DOUBLE, (rank + 1) % size, 5, MPI_COMM_WORLD);
  for (double start = MPI_Wtime(); !stop && MPI_Wtime() - start < 60;) {
    MPI_Test(&request[0], &done, &status);
    if (done) break;
    MPI_Iprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &stop, &status);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* A message of everybody, whichever is complete first. */
static void any(int round) {
  int which;
  (void)round;
  for (int i = 1; rank == 0 && i < size; i++) MPI_Irecv(in[i], 8, MPI_DOUBLE, i, 4, MPI_COMM_WORLD, &request[i - 1]);
  if (rank > 0) MPI_Send(out, 8, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD);
  for (int i = 1; rank == 0 && i < size; i++) MPI_Waitany(size - 1, request, &which, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  const struct {
    const char* name;
    void (*step)(int);
  } patterns[] = {{"collect", collect}, {"neighbours", neighbours}, {"probe", probe},
                  {"poll", poll},       {"turns", turns},           {"any", any},
                  {"drift", drift}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int p = 0; argc > 1 && p < 7; p++)
    if (strcmp(patterns[p].name, argv[1]) == 0)
      for (int round = 0; round < (argc > 2 ? atoi(argv[2]) : 20); round++) patterns[p].step(round);
  MPI_Finalize();
  return 0;
}
