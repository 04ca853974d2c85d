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

static char out[65536], in[65536], buffer[1 << 20];

// Tests for the request until it is complete, computing between.
static void poll(MPI_Request* request) {
  for (int done = 0; !done;) {
    compute(10);
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
  }
}

// Kinds that both ranks make calls of: one sends, the other receives.
static void one_way(MPI_Comm comm, int rank, int from, int to, int tag, int count, int kind, unsigned work) {
  MPI_Request request[2];
  MPI_Status status, statuses[2];
  MPI_Message matched;
  int done = 0, index, indices[2];
  if (rank == from) {
    compute(work);
    switch (kind) {
      case 8:
        MPI_Bsend(out, count, MPI_BYTE, to, tag, comm);
        break;
      case 9:  // its receive is posted
        MPI_Recv(in, 1, MPI_BYTE, to, 4, comm, &status);
        MPI_Rsend(out, count, MPI_BYTE, to, tag, comm);
        break;
      case 10:
        MPI_Issend(out, count, MPI_BYTE, to, tag, comm, &request[0]);
        poll(&request[0]);
        break;
      case 13:  // two of one call
        MPI_Send_init(out, count, MPI_BYTE, to, tag, comm, &request[0]);
        MPI_Ssend_init(out, 1, MPI_BYTE, to, 4, comm, &request[1]);
        MPI_Startall(2, request);
        MPI_Waitall(2, request, statuses);
        MPI_Request_free(&request[0]);
        MPI_Request_free(&request[1]);
        break;
      case 14:
        MPI_Isend(out, count, MPI_BYTE, to, tag, comm, &request[0]);
        MPI_Isend(out, 1, MPI_BYTE, to, 4, comm, &request[1]);
        MPI_Waitany(2, request, &index, &status);
        MPI_Waitany(2, request, &index, &status);
        break;
      case 15:
        MPI_Ibsend(out, count, MPI_BYTE, to, tag, comm, &request[0]);
        MPI_Issend(out, 1, MPI_BYTE, to, 4, comm, &request[1]);
        for (int left = 2, some; left > 0; left -= some) MPI_Waitsome(2, request, &some, indices, statuses);
        break;
      default:
        MPI_Send(out, count, MPI_BYTE, to, tag, comm);
    }
  } else if (rank == to) {
    switch (kind) {
      case 9:
        MPI_Irecv(in, 4096, MPI_BYTE, from, tag, comm, &request[0]);
        MPI_Send(out, 1, MPI_BYTE, from, 4, comm);
        MPI_Wait(&request[0], &status);
        break;
      case 11:
        while (!done) MPI_Iprobe(from, tag, comm, &done, &status);
        MPI_Recv(in, 4096, MPI_BYTE, from, tag, comm, &status);
        break;
      case 12:
        while (!done) MPI_Improbe(from, tag, comm, &done, &matched, &status);
        MPI_Imrecv(in, 4096, MPI_BYTE, &matched, &request[0]);
        MPI_Wait(&request[0], &status);
        break;
      case 13:
      case 14:
      case 15:
        MPI_Irecv(in, 4096, MPI_BYTE, from, tag, comm, &request[0]);
        MPI_Irecv(in + 4096, 1, MPI_BYTE, from, 4, comm, &request[1]);
        if (kind == 13) {
          while (!done) MPI_Testall(2, request, &done, statuses);
        } else if (kind == 14) {
          for (int left = 2, some; left > 0; left -= some) {
            MPI_Testsome(2, request, &some, indices, statuses);
            compute(5);
          }
        } else {
          for (int left = 2; left > 0; left -= done) MPI_Testany(2, request, &index, &done, &status);
        }
        break;
      default:
        MPI_Irecv(in, 4096, MPI_BYTE, from, tag, comm, &request[0]);
        poll(&request[0]);
    }
  }
}

// A message of a random kind from one rank to another one.
static void message(MPI_Comm comm, int rank, int from, int to) {
  int tag = (int)draw(3);
  const int count = (int)draw(4096), kind = (int)draw(17);
  if (kind == 1) tag = 3;  // a receive of any source takes no message that another one is to get
  if (kind >= 8 && kind < 16) return one_way(comm, rank, from, to, tag, count, kind, draw(50));
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
  if (kind == 16 && (rank == from || rank == to)) {
    const int peer = rank == from ? to : from;
    MPI_Sendrecv_replace(in, count, MPI_BYTE, peer, tag, peer, tag, comm, &status);
  }
}

static void collective(MPI_Comm comm, int size) {
  const int root = (int)draw((unsigned)size);
  MPI_Request request;
  int eights[8], places[8];
  for (int i = 0; i < 8; ++i) eights[i] = 8, places[i] = 8 * i;
  switch (draw(24)) {
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
    case 11:
      MPI_Ibcast(out, 64, MPI_BYTE, root, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    case 12:
      MPI_Gatherv(out, 8, MPI_INT, in, eights, places, MPI_INT, root, comm);
      break;
    case 13:
      MPI_Scatterv(out, eights, places, MPI_INT, in, 8, MPI_INT, root, comm);
      break;
    case 14:
      MPI_Allgatherv(out, 8, MPI_INT, in, eights, places, MPI_INT, comm);
      break;
    case 15:
      MPI_Alltoallv(out, eights, places, MPI_INT, in, eights, places, MPI_INT, comm);
      break;
    case 16:
      MPI_Reduce_scatter(out, in, eights, MPI_INT, MPI_SUM, comm);
      break;
    case 17:
      MPI_Reduce_scatter_block(out, in, 8, MPI_INT, MPI_SUM, comm);
      break;
    case 18:
      MPI_Ibarrier(comm, &request);
      poll(&request);
      break;
    case 19:
      MPI_Igather(out, 8, MPI_INT, in, 8, MPI_INT, root, comm, &request);
      compute(30);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    case 20:
      MPI_Iscan(out, in, 8, MPI_INT, MPI_SUM, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    case 21: {
      MPI_Comm copy;
      MPI_Comm_dup(comm, &copy);
      MPI_Barrier(copy);
      MPI_Comm_free(&copy);
      break;
    }
    case 22:
      MPI_Ireduce(out, in, 8, MPI_INT, MPI_SUM, root, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    default:
      MPI_Ialltoall(out, 8, MPI_INT, in, 8, MPI_INT, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

// With neighbours in a grid, with a window, with a file.
static void shared(MPI_Comm grid, MPI_Win window, MPI_File file, int rank, int size) {
  MPI_Request request;
  int value = rank;
  switch (draw(5)) {
    case 0:
      MPI_Neighbor_allgather(out, 8, MPI_INT, in, 8, MPI_INT, grid);
      break;
    case 1:
      MPI_Ineighbor_alltoall(out, 8, MPI_INT, in, 8, MPI_INT, grid, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    case 2:
      MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
      MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
      MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
      break;
    case 3:
      MPI_Win_lock(MPI_LOCK_SHARED, (rank + 1) % size, 0, window);
      MPI_Accumulate(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, MPI_SUM, window);
      MPI_Win_unlock((rank + 1) % size, window);
      break;
    default:
      MPI_File_write_at_all(file, 64 * rank, out, 64, MPI_BYTE, MPI_STATUS_IGNORE);
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
  const int dims[] = {size}, periods[] = {1};
  int* base;
  MPI_Comm grid;
  MPI_Win window;
  MPI_File file;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid);
  MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
  MPI_File_open(MPI_COMM_WORLD, "random_calls.data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_Buffer_attach(buffer, sizeof buffer);
  for (int i = 0; i < steps; ++i) {
    const unsigned most = draw(4) ? 50 : 500, slow = draw((unsigned)size), kind = draw(13);
    compute(draw(most) * (slow == (unsigned)rank ? 4 : 1) * (1 + (unsigned)(rank * 7 + i) % 3) / 2);
    const int from = (int)draw((unsigned)size), to = (from + 1 + (int)draw((unsigned)size - 1)) % size;
    if (kind < 6) {
      message(draw(2) ? MPI_COMM_WORLD : same, rank, from, to);
    } else if (kind < 10) {
      collective(draw(2) ? MPI_COMM_WORLD : same, size);
    } else if (kind < 11) {
      shared(grid, window, file, rank, size);
    } else {  // in each part, of its own size
      const unsigned long long before = state;
      collective(part, part_size);
      state = before;
      draw(2);
    }
  }
  int bytes;
  void* detached;
  MPI_Buffer_detach(&detached, &bytes);
  MPI_File_close(&file);
  MPI_Win_free(&window);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return 0;
}
