/* About seventy different calls, the same as calls.inc makes from Fortran, with the same values: also compiled as C++, and with
 * FEWER, without what SimGrid's SMPI does not have. */
#include <mpi.h>
#include <string.h>

int main(int argc, char** argv) {
  int rank, size, flag, version, subversion, length, result, index, count, found[8], i;
  int a[64], b[64], counts[16], displs[16], one[1], two[2], periods[1], position = 0, members[2];
  char name[MPI_MAX_OBJECT_NAME], value[32], packed[256];
  double time;
  MPI_Comm ring, half, line;
  MPI_Group world, pair;
  MPI_Request request, requests[4];
  MPI_Status status, statuses[4];
  MPI_Datatype column, both, types[2];
  MPI_Aint lower, extent, places[2];
  MPI_Info info;
  MPI_Win window;
#ifndef FEWER
  MPI_Comm graph;
  MPI_File file;
  MPI_Message message;
#endif
  MPI_Init(&argc, &argv);
  MPI_Initialized(&flag);
  MPI_Get_version(&version, &subversion);
  time = MPI_Wtime();
  (void)time;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  memset(a, 0, sizeof a);
  for (i = 0; i < 16; i++) {
    counts[i] = 2;
    displs[i] = 2 * i;
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &ring);
  MPI_Comm_set_name(ring, "a ring");
  MPI_Comm_get_name(ring, name, &length);
  MPI_Comm_compare(MPI_COMM_WORLD, ring, &result);
  /* point to point */
  MPI_Irecv(b, 4, MPI_INTEGER, left, 7, ring, &request);
  MPI_Send(a, 4, MPI_INTEGER, right, 7, ring);
  MPI_Wait(&request, &status);
  MPI_Get_count(&status, MPI_INTEGER, &count);
  MPI_Irecv(b, 4, MPI_INTEGER, left, 8, ring, &request);
  MPI_Ssend(a, 4, MPI_INTEGER, right, 8, ring);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Sendrecv(a, 3, MPI_INTEGER, right, 9, b, 3, MPI_INTEGER, left, 9, ring, MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(a, 3, MPI_INTEGER, right, 9, left, 9, ring, &status);
  MPI_Isend(a, 2, MPI_INTEGER, right, 10, ring, &requests[0]);
  MPI_Probe(left, 10, ring, &status);
  MPI_Recv(b, 2, MPI_INTEGER, MPI_ANY_SOURCE, 10, ring, MPI_STATUS_IGNORE);
  requests[1] = MPI_REQUEST_NULL;
  MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
  MPI_Irecv(b, 1, MPI_INTEGER, left, 11, ring, &requests[0]);
  MPI_Irecv(b + 8, 1, MPI_INTEGER, MPI_PROC_NULL, 11, ring, &requests[1]);
  MPI_Isend(a, 1, MPI_INTEGER, right, 11, ring, &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  MPI_Waitsome(3, requests, &count, found, statuses);
  MPI_Testall(3, requests, &flag, statuses);
  MPI_Test(&requests[0], &flag, &status);
  MPI_Iprobe(MPI_PROC_NULL, 12, ring, &flag, &status);
#ifndef FEWER
  MPI_Isend(a, 5, MPI_INTEGER, right, 13, ring, &request);
  MPI_Mprobe(left, 13, ring, &message, &status);
  MPI_Mrecv(b, 5, MPI_INTEGER, &message, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
  MPI_Send_init(a, 6, MPI_INTEGER, right, 14, ring, &requests[0]);
  MPI_Recv_init(b, 6, MPI_INTEGER, left, 14, ring, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Waitall(2, requests, statuses);
  MPI_Start(&requests[1]);
  MPI_Start(&requests[0]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  /* collectives */
  MPI_Barrier(ring);
  MPI_Bcast(a, 4, MPI_INTEGER, 1, ring);
  MPI_Reduce(a, b, 4, MPI_INTEGER, MPI_MAX, 0, ring);
  MPI_Allreduce(MPI_IN_PLACE, b, 4, MPI_INTEGER, MPI_SUM, ring);
  MPI_Gather(a, 2, MPI_INTEGER, b, 2, MPI_INTEGER, 0, ring);
  MPI_Scatter(b, 2, MPI_INTEGER, a, 2, MPI_INTEGER, 0, ring);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 2, MPI_INTEGER, ring);
  MPI_Alltoall(a, 2, MPI_INTEGER, b, 2, MPI_INTEGER, ring);
  MPI_Gatherv(a, 2, MPI_INTEGER, b, counts, displs, MPI_INTEGER, 1, ring);
  MPI_Alltoallv(a, counts, displs, MPI_INTEGER, b, counts, displs, MPI_INTEGER, ring);
  MPI_Scan(a, b, 3, MPI_INTEGER, MPI_SUM, ring);
  MPI_Reduce_scatter_block(a, b, 1, MPI_INTEGER, MPI_SUM, ring);
  MPI_Ibarrier(ring, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  /* datatypes */
  MPI_Type_vector(3, 1, 4, MPI_INTEGER, &column);
  MPI_Type_commit(&column);
  MPI_Type_size(column, &count);
  MPI_Type_get_extent(column, &lower, &extent);
  MPI_Type_set_name(column, "column");
  counts[0] = counts[1] = 1;
  places[0] = 0;
  places[1] = 64;
  types[0] = column;
  types[1] = MPI_DOUBLE_PRECISION;
  MPI_Type_create_struct(2, counts, places, types, &both);
  MPI_Type_commit(&both);
  MPI_Sendrecv(a, 1, both, right, 15, b, 1, both, left, 15, ring, MPI_STATUS_IGNORE);
  MPI_Type_free(&both);
  MPI_Type_free(&column);
  counts[0] = counts[1] = 2;
  MPI_Pack_size(4, MPI_INTEGER, ring, &count);
  MPI_Pack(a, 4, MPI_INTEGER, packed, 256, &position, ring);
  position = 0;
  MPI_Unpack(packed, 256, &position, b, 4, MPI_INTEGER, ring);
  /* communicators, groups, topologies */
  MPI_Comm_split(ring, rank % 2, rank, &half);
  MPI_Comm_free(&half);
  MPI_Comm_group(ring, &world);
  members[0] = 1;
  members[1] = 0;
  MPI_Group_incl(world, 2, members, &pair);
  MPI_Group_translate_ranks(pair, 2, members, world, two);
  MPI_Group_free(&pair);
  MPI_Group_free(&world);
  one[0] = size;
  periods[0] = 1;
  MPI_Cart_create(ring, 1, one, periods, 0, &line);
  MPI_Cart_coords(line, rank, 1, one);
  MPI_Cart_shift(line, 0, 1, &two[0], &two[1]);
#ifndef FEWER
  MPI_Neighbor_allgather(a, 1, MPI_INTEGER, b, 1, MPI_INTEGER, line);
  one[0] = left;
  two[0] = right;
  MPI_Dist_graph_create_adjacent(ring, 1, one, MPI_UNWEIGHTED, 1, two, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  MPI_Neighbor_alltoallv(a, counts, displs, MPI_INTEGER, b, counts, displs, MPI_INTEGER, graph);
  MPI_Comm_free(&graph);
#endif
  MPI_Comm_free(&line);
  /* info, windows, files */
  MPI_Info_create(&info);
  MPI_Info_set(info, "colour", "blue");
  MPI_Info_get(info, "colour", 20, value, &flag);
  MPI_Info_get_nkeys(info, &count);
  MPI_Win_create(b, 64, 4, info, ring, &window);
  MPI_Win_fence(0, window);
  MPI_Put(a, 2, MPI_INTEGER, right, 3, 2, MPI_INTEGER, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
#ifndef FEWER
  MPI_File_open(ring, "languages.data", MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
  MPI_File_write_at(file, 16 * rank, a, 4, MPI_INTEGER, &status);
  MPI_File_sync(file);
  MPI_File_close(&file);
#endif
  MPI_Info_free(&info);
  MPI_Comm_free(&ring);
  MPI_Finalized(&flag);
  MPI_Finalize();
  return 0;
}
