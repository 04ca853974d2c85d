/* Two groups that talk: messages, collectives, copies, and both as one communicator again. */
#include <mpi.h>

enum { N = 16, STEPS = 25 };

int main(int argc, char** argv) {
  static double in[64 * N], out[64 * N];
  int rank, size, own_rank, own_size, others, inter, counts[16], displs[16];
  MPI_Comm own, between, copy, merged;
  MPI_Group their_group;
  MPI_Request request[2];
  MPI_Status status[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  /* With 4 ranks the groups are {0, 1, 2} and {3}: ranks of one group mean nothing in the other. */
  const int second = rank >= (size == 2 ? 1 : 3);
  MPI_Comm_split(MPI_COMM_WORLD, second, rank, &own);
  MPI_Comm_rank(own, &own_rank);
  MPI_Comm_size(own, &own_size);
  MPI_Intercomm_create(own, 0, own_rank == 0 ? MPI_COMM_WORLD : MPI_COMM_NULL, second ? 0 : (size == 2 ? 1 : 3), 7,
                       &between);
  MPI_Comm_test_inter(between, &inter);
  MPI_Comm_remote_size(between, &others);
  MPI_Comm_remote_group(between, &their_group);
  MPI_Group_free(&their_group);

  /* Everybody of one group with one of the other. */
  for (int i = 0; i < STEPS; i++) {
    for (int from = second ? 0 : own_rank; from < (second ? others : own_rank + 1); from++) {
      if (!second) {
        MPI_Isend(out, N, MPI_DOUBLE, own_rank % others, 1, between, &request[0]);
        MPI_Irecv(in, N, MPI_DOUBLE, own_rank % others, 2, between, &request[1]);
        MPI_Waitall(2, request, status);
      } else if (from % own_size == own_rank) {
        MPI_Recv(in, N, MPI_DOUBLE, from, 1, between, status);
        MPI_Send(out, N, MPI_DOUBLE, from, 2, between);
      }
    }
    MPI_Barrier(between);
  }

  /* Collectives: the second group's first rank is the root, then there is none. */
  const int root = !second ? 0 : own_rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  for (int i = 0; i < 16; i++) counts[i] = 2, displs[i] = i * N;
  MPI_Bcast(out, N, MPI_DOUBLE, root, between);
  MPI_Reduce(out, in, N, MPI_DOUBLE, MPI_SUM, root, between);
  MPI_Gather(out, 3, MPI_DOUBLE, in, 3, MPI_DOUBLE, root, between);
  MPI_Scatter(out, 3, MPI_DOUBLE, in, 3, MPI_DOUBLE, root, between);
  MPI_Gatherv(out, 2, MPI_DOUBLE, in, counts, displs, MPI_DOUBLE, root, between);
  MPI_Allgather(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, between);
  MPI_Allreduce(out, in, N, MPI_DOUBLE, MPI_MAX, between);
  MPI_Alltoall(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, between);
  MPI_Alltoallv(out, counts, displs, MPI_DOUBLE, in, counts, displs, MPI_DOUBLE, between);
  MPI_Ibcast(out, N, MPI_DOUBLE, root, between, request);
  MPI_Wait(request, status);

  MPI_Comm_dup(between, &copy);
  MPI_Barrier(copy);
  MPI_Comm_free(&copy);
  MPI_Intercomm_merge(between, second, &merged);
  MPI_Comm_rank(merged, &own_rank);
  for (int i = 0; i < STEPS; i++)
    MPI_Sendrecv(out, 2, MPI_DOUBLE, (own_rank + 1) % size, 3, in, 2, MPI_DOUBLE, (own_rank + size - 1) % size, 3,
                 merged, status);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&between);
  MPI_Comm_free(&own);
  MPI_Finalize();
  return 0;
}
