/* Every kind of call beside the plain ones, in a loop: modes of sending, persistent requests, matched probes, reductions that scatter,
 * non-blocking collectives, ways to make communicators. argv[1]: iterations. Ends with 1 if a result is wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMost = 8, kCount = 64 };

static int rank, size, right, left, wrong;
static MPI_Status status, statuses[8];
static double out[kMost * kCount], in[kMost * kCount], more[kMost * kCount];

static void check(int good, const char* what) {
  if (!good && !wrong++) printf("rank %d: wrong result of %s\n", rank, what);
}

/* Tests until the request is complete, once as a rule: the others have come. */
static void finish(MPI_Request* request) {
  int done = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  while (!done) MPI_Test(request, &done, &status);
}

static void modes(void) {
  MPI_Request requests[4];
  for (int i = 0; i < kCount; i++) out[i] = rank;
  MPI_Irecv(in, kCount, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Ssend(out, kCount, MPI_DOUBLE, right, 1, MPI_COMM_WORLD);
  MPI_Wait(&requests[0], &status);
  check(in[1] == left, "Ssend");
  MPI_Bsend(out, kCount / 2, MPI_DOUBLE, right, 2, MPI_COMM_WORLD);
  MPI_Recv(in, kCount, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &status);
  MPI_Irecv(in, kCount, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Rsend(out, 3, MPI_DOUBLE, right, 3, MPI_COMM_WORLD);
  MPI_Wait(&requests[0], &status);
  MPI_Irecv(in, kCount, MPI_DOUBLE, left, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Irsend(out, 4, MPI_DOUBLE, right, 4, MPI_COMM_WORLD, &requests[1]);
  MPI_Issend(out, 5, MPI_DOUBLE, right, 5, MPI_COMM_WORLD, &requests[2]);
  MPI_Ibsend(out, 6, MPI_DOUBLE, right, 6, MPI_COMM_WORLD, &requests[3]);
  MPI_Recv(more, kCount, MPI_DOUBLE, left, 5, MPI_COMM_WORLD, &status);
  MPI_Recv(more, kCount, MPI_DOUBLE, left, 6, MPI_COMM_WORLD, &status);
  MPI_Waitall(4, requests, statuses);
  in[0] = rank;
  MPI_Sendrecv_replace(in, 2, MPI_DOUBLE, right, 7, left, 7, MPI_COMM_WORLD, &status);
  check(in[0] == left, "Sendrecv_replace");
}

static void matched_probes(MPI_Comm comm) {
  MPI_Request requests[3];
  MPI_Message message, other;
  int there = 0;
  MPI_Isend(out, 7, MPI_DOUBLE, right, 8, comm, &requests[0]);
  MPI_Isend(out, 8, MPI_DOUBLE, right, 9, comm, &requests[1]);
  MPI_Mprobe(left, 9, comm, &message, &status);
  MPI_Barrier(comm);
  while (!there) MPI_Improbe(left, 8, comm, &there, &other, &status);
  MPI_Mrecv(in, kCount, MPI_DOUBLE, &other, &status);
  check(in[0] == left, "Mrecv");
  MPI_Imrecv(in, kCount, MPI_DOUBLE, &message, &requests[2]);
  MPI_Waitall(3, requests, statuses);
  MPI_Mprobe(MPI_PROC_NULL, 1, comm, &message, &status);
  MPI_Mrecv(in, 0, MPI_DOUBLE, &message, &status);
}

static void collectives(MPI_Comm comm) {
  int counts[kMost];
  for (int i = 0; i < size; i++) counts[i] = i + 1;
  for (int i = 0; i < kMost * kCount; i++) out[i] = rank + 1;
  in[0] = 0;
  MPI_Exscan(out, in, 2, MPI_DOUBLE, MPI_SUM, comm);
  check(in[0] == rank * (rank + 1) / 2, "Exscan");
  MPI_Reduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, comm);
  check(in[rank] == size * (size + 1) / 2, "Reduce_scatter");
  MPI_Reduce_scatter_block(out, in, 5, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Reduce_scatter(MPI_IN_PLACE, more, counts, MPI_DOUBLE, MPI_MAX, comm);
  MPI_Reduce_scatter_block(MPI_IN_PLACE, more, 3, MPI_DOUBLE, MPI_MAX, comm);
  MPI_Reduce_local(out, in, 4, MPI_DOUBLE, MPI_SUM);
}

/* A datatype per rank: each gets a row of one and a column of another. */
static void types(MPI_Comm comm) {
  MPI_Datatype column, sends[kMost], receives[kMost];
  MPI_Request request;
  int counts[kMost], places[kMost], apart[kMost];
  MPI_Type_vector(4, 1, 8, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < size; i++) {
    counts[i] = (i + rank) % 2 ? 4 : 1; /* 4 numbers, in two ways */
    sends[i] = (i + rank) % 2 ? MPI_DOUBLE : column;
    receives[i] = sends[i];
    places[i] = i * (int)sizeof(double);
    apart[i] = 32 * i * (int)sizeof(double);
  }
  for (int i = 0; i < kMost * kCount; i++) out[i] = rank;
  MPI_Alltoallw(out, counts, places, sends, in, counts, apart, receives, comm);
  for (int i = 0; i < size; i++) check(in[32 * i] == i && in[32 * i + ((i + rank) % 2 ? 3 : 24)] == i, "Alltoallw");
  MPI_Ialltoallw(out, counts, apart, sends, more, counts, apart, receives, comm, &request);
  MPI_Wait(&request, &status);
  check(more[32 * (size - 1)] == size - 1, "Ialltoallw");
  MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, counts, apart, receives, comm);
  MPI_Type_free(&column);
}

static void later(MPI_Comm comm, int iteration) {
  MPI_Request r[4];
  int counts[kMost], displs[kMost], sum = 0, flag = 0, index, done, indices[4];
  const int root = iteration % 2;
  for (int i = 0; i < size; i++) {
    counts[i] = i + 1;
    displs[i] = sum;
    sum += counts[i];
  }
  for (int i = 0; i < kMost * kCount; i++) out[i] = rank;
  MPI_Ibarrier(comm, &r[0]);
  finish(&r[0]);
  MPI_Ibcast(more, 9, MPI_DOUBLE, root, comm, &r[0]);
  MPI_Iallreduce(out, in, 10, MPI_DOUBLE, MPI_SUM, comm, &r[1]);
  MPI_Waitall(2, r, statuses);
  check(in[3] == size * (size - 1) / 2, "Iallreduce");
  MPI_Ireduce(out, in, 11, MPI_DOUBLE, MPI_MIN, root, comm, &r[0]);
  MPI_Iscan(out, in + kCount, 12, MPI_DOUBLE, MPI_SUM, comm, &r[1]);
  MPI_Iexscan(out, in + 2 * kCount, 13, MPI_DOUBLE, MPI_SUM, comm, &r[2]);
  MPI_Waitall(2, r, statuses);
  MPI_Waitsome(1, r + 2, &done, indices, statuses);
  MPI_Igather(out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, root, comm, &r[0]);
  MPI_Wait(&r[0], &status);
  MPI_Igatherv(out, rank + 1, MPI_DOUBLE, in, counts, displs, MPI_DOUBLE, root, comm, &r[0]);
  MPI_Waitany(1, r, &index, &status);
  MPI_Iscatter(out, 3, MPI_DOUBLE, in, 3, MPI_DOUBLE, root, comm, &r[0]);
  MPI_Iscatterv(out, counts, displs, MPI_DOUBLE, more, rank + 1, MPI_DOUBLE, root, comm, &r[1]);
  MPI_Barrier(comm);
  while (!flag) MPI_Testall(2, r, &flag, statuses);
  check(in[0] == root, "Iscatter");
  MPI_Iallgather(out, 4, MPI_DOUBLE, in, 4, MPI_DOUBLE, comm, &r[0]);
  MPI_Wait(&r[0], &status);
  check(in[4] == 1, "Iallgather");
  MPI_Iallgatherv(out, rank + 1, MPI_DOUBLE, in, counts, displs, MPI_DOUBLE, comm, &r[0]);
  MPI_Ialltoall(out, 5, MPI_DOUBLE, more, 5, MPI_DOUBLE, comm, &r[1]);
  MPI_Waitall(2, r, statuses);
  for (int i = 0; i < size; i++) counts[i] = 2, displs[i] = 2 * i;
  MPI_Ialltoallv(out, counts, displs, MPI_DOUBLE, in, counts, displs, MPI_DOUBLE, comm, &r[0]);
  MPI_Ireduce_scatter(out, more, counts, MPI_DOUBLE, MPI_SUM, comm, &r[1]);
  MPI_Ireduce_scatter_block(out, more + kCount, 6, MPI_DOUBLE, MPI_SUM, comm, &r[2]);
  MPI_Waitall(3, r, statuses);
  check(in[2] == 1 && more[0] == size * (size - 1) / 2, "Ireduce_scatter");
}

int main(int argc, char** argv) {
  const int iterations = argc > 1 ? atoi(argv[1]) : 20;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  right = (rank + 1) % size;
  left = (rank + size - 1) % size;

  MPI_Comm twin, node, half, same;
  MPI_Request request;
  MPI_Comm_idup(MPI_COMM_WORLD, &twin, &request);
  MPI_Wait(&request, &status);
  MPI_Comm_dup_with_info(twin, MPI_INFO_NULL, &same);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Group world, low, high, both;
  int ranges[1][3] = {{0, size / 2 - 1, 1}}, answer;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_range_incl(world, 1, ranges, &low);
  MPI_Group_range_excl(world, 1, ranges, &high);
  MPI_Comm_create_group(MPI_COMM_WORLD, rank < size / 2 ? low : high, 5, &half);
  MPI_Group_union(high, low, &both);
  MPI_Group_compare(both, world, &answer);
  check(answer == MPI_SIMILAR || (size == 1 && answer == MPI_IDENT), "Group_union");
  MPI_Group_free(&both);
  MPI_Group_intersection(high, world, &both);
  MPI_Group_free(&both);
  MPI_Group_difference(world, high, &both);
  MPI_Group_free(&both);
  MPI_Comm_compare(twin, MPI_COMM_WORLD, &answer);
  check(answer == MPI_CONGRUENT, "Comm_idup");

  /* Only their time is recorded. */
  MPI_Info info;
  int key, there, *value;
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "value");
  MPI_Info_free(&info);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(twin, key, &answer);
  MPI_Comm_get_attr(twin, key, &value, &there);
  check(there && value == &answer, "Comm_get_attr");
  MPI_Comm_delete_attr(twin, key);
  MPI_Comm_free_keyval(&key);
  MPI_Comm_set_errhandler(twin, MPI_ERRORS_ARE_FATAL);

  void* memory = malloc(65536);
  int bytes = 65536;
  MPI_Buffer_attach(memory, bytes);
  static double sent[4][kCount], received[4][kCount];
  MPI_Request persistent[8];
  for (int i = 0; i < 4; i++) MPI_Recv_init(received[i], kCount, MPI_DOUBLE, left, 20 + i, twin, &persistent[i]);
  MPI_Send_init(sent[0], 10, MPI_DOUBLE, right, 20, twin, &persistent[4]);
  MPI_Ssend_init(sent[1], 11, MPI_DOUBLE, right, 21, twin, &persistent[5]);
  MPI_Bsend_init(sent[2], 12, MPI_DOUBLE, right, 22, twin, &persistent[6]);
  MPI_Rsend_init(sent[3], 13, MPI_DOUBLE, right, 23, twin, &persistent[7]);

  for (int i = 0; i < iterations; i++) {
    MPI_Request own;
    modes();
    for (int k = 0; k < 4; k++) sent[k][0] = 100 * rank + i;
    MPI_Startall(4, persistent);
    MPI_Barrier(twin);
    for (int k = 4; k < 8; k++) MPI_Start(&persistent[k]);
    MPI_Wait(&persistent[4], &status);
    MPI_Wait(&persistent[4], &status); /* inactive */
    MPI_Waitall(4, persistent, statuses);
    MPI_Waitall(3, persistent + 5, statuses);
    for (int k = 0; k < 4; k++) check(received[k][0] == 100 * left + i, "Startall");
    MPI_Send_init(sent[0], 1, MPI_DOUBLE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &own);
    MPI_Start(&own);
    finish(&own);
    MPI_Request_free(&own);
    matched_probes(twin);
    collectives(same);
    types(same);
    later(twin, i);
    if (half != MPI_COMM_NULL) MPI_Barrier(half);
    MPI_Barrier(node);
  }

  for (int i = 0; i < 8; i++) MPI_Request_free(&persistent[i]);
  MPI_Buffer_detach(&memory, &bytes);
  free(memory);
  MPI_Group_free(&low);
  MPI_Group_free(&high);
  MPI_Group_free(&world);
  MPI_Comm_free(&half);
  MPI_Comm_free(&node);
  MPI_Comm_free(&same);
  MPI_Comm_free(&twin);
  MPI_Finalize();
  return wrong != 0;
}
