// random_calls SEED STEPS: calls of every kind that wait for others, between random ranks. All ranks draw the same numbers;
// computation differs. More than 4,096 bytes are not sent, so that no time decides what a standard send depends on.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static unsigned long long state;
static unsigned draw(unsigned below) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)(state >> 33) % below;
}

static volatile double sink;
static void compute(unsigned microseconds) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    for (int i = 0; i < 100; ++i) sink += i;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1e6 + (now.tv_nsec - begin.tv_nsec) * 1e-3 < microseconds);
}

static char out[65536], in[65536];

// A message of a random kind from one rank to another one.
static void message(MPI_Comm comm, int rank, int from, int to) {
  int tag = (int)draw(3);
  const int count = (int)draw(4096), kind = (int)draw(8);
  if (kind == 1) tag = 3;  // a receive of any source takes no message that another one is to get
  MPI_Request request[2];
  MPI_Status status, statuses[2];
  MPI_Message matched;
  if (rank == from && kind == 0) MPI_Send(out, count, MPI_BYTE, to, tag, comm);
  if (rank == to && kind == 0) MPI_Recv(in, 4096, MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE);
  if (rank == from && kind == 1) MPI_Ssend(out, count, MPI_BYTE, to, tag, comm);
  if (rank == to && kind == 1) MPI_Recv(in, 4096, MPI_BYTE, MPI_ANY_SOURCE, tag, comm, &status);
  if (rank == from && kind == 2) {
    MPI_Issend(out, count, MPI_BYTE, to, tag, comm, &request[0]);
    compute(draw(50));
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
  } else if (rank == to && kind == 2) {
    MPI_Irecv(in, 4096, MPI_BYTE, from, tag, comm, &request[0]);
    compute(draw(50));
    MPI_Wait(&request[0], &status);
  } else if (kind == 2) {
    draw(50);
  }
  if (rank == from && kind == 3) MPI_Send(out, count, MPI_BYTE, to, tag, comm);
  if (rank == to && kind == 3) {
    MPI_Probe(from, tag, comm, &status);
    MPI_Recv(in, 4096, MPI_BYTE, from, tag, comm, &status);
  }
  if (rank == from && kind == 4) MPI_Send(out, count, MPI_BYTE, to, tag, comm);
  if (rank == to && kind == 4) {
    MPI_Mprobe(from, tag, comm, &matched, &status);
    MPI_Mrecv(in, 4096, MPI_BYTE, &matched, &status);
  }
  if (rank == from && kind == 5) {
    MPI_Send_init(out, count, MPI_BYTE, to, tag, comm, &request[0]);
    MPI_Start(&request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&request[0]);
  }
  if (rank == to && kind == 5) {
    MPI_Recv_init(in, 4096, MPI_BYTE, from, tag, comm, &request[0]);
    MPI_Start(&request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&request[0]);
  }
  if (kind == 6 && (rank == from || rank == to)) {
    const int peer = rank == from ? to : from;
    MPI_Sendrecv(out, count, MPI_BYTE, peer, tag, in, 4096, MPI_BYTE, peer, tag, comm, &status);
  }
  if (kind == 7 && (rank == from || rank == to)) {
    const int peer = rank == from ? to : from;
    MPI_Irecv(in, 4096, MPI_BYTE, peer, tag, comm, &request[0]);
    MPI_Isend(out, count, MPI_BYTE, peer, tag, comm, &request[1]);
    MPI_Waitall(2, request, statuses);
  }
}

static void collective(MPI_Comm comm, int size) {
  const int root = (int)draw((unsigned)size);
  MPI_Request request;
  switch (draw(12)) {
    case 0:
      MPI_Barrier(comm);
      break;
    case 1:
      MPI_Bcast(out, 64, MPI_BYTE, root, comm);
      break;
    case 2:
      MPI_Reduce(out, in, 8, MPI_INT, MPI_SUM, root, comm);
      break;
    case 3:
      MPI_Allreduce(out, in, 8, MPI_INT, MPI_SUM, comm);
      break;
    case 4:
      MPI_Gather(out, 8, MPI_INT, in, 8, MPI_INT, root, comm);
      break;
    case 5:
      MPI_Scatter(out, 8, MPI_INT, in, 8, MPI_INT, root, comm);
      break;
    case 6:
      MPI_Allgather(out, 8, MPI_INT, in, 8, MPI_INT, comm);
      break;
    case 7:
      MPI_Alltoall(out, 8, MPI_INT, in, 8, MPI_INT, comm);
      break;
    case 8:
      MPI_Scan(out, in, 8, MPI_INT, MPI_SUM, comm);
      break;
    case 9:
      MPI_Exscan(out, in, 8, MPI_INT, MPI_SUM, comm);
      break;
    case 10:
      MPI_Iallreduce(out, in, 8, MPI_INT, MPI_SUM, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    default:
      MPI_Ibcast(out, 64, MPI_BYTE, root, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  int rank, size, part_rank, part_size;
  MPI_Comm part, same;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  for (int i = 0; i < 10; ++i) draw(2);
  const int steps = argc > 2 ? atoi(argv[2]) : 100;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
  MPI_Comm_dup(MPI_COMM_WORLD, &same);
  MPI_Comm_rank(part, &part_rank);
  MPI_Comm_size(part, &part_size);
  for (int i = 0; i < steps; ++i) {
    const unsigned most = draw(4) ? 50 : 500, slow = draw((unsigned)size), kind = draw(6);
    compute(draw(most) * (slow == (unsigned)rank ? 4 : 1) * (1 + (unsigned)(rank * 7 + i) % 3) / 2);
    const int from = (int)draw((unsigned)size), to = (from + 1 + (int)draw((unsigned)size - 1)) % size;
    if (kind < 3) {
      message(draw(2) ? MPI_COMM_WORLD : same, rank, from, to);
    } else if (kind < 5) {
      collective(draw(2) ? MPI_COMM_WORLD : same, size);
    } else {  // in each part, of its own size
      const unsigned long long before = state;
      collective(part, part_size);
      state = before;
      draw(2);
    }
  }
  MPI_Finalize();
  return 0;
}
