/* Graph topologies, weighted and not, and everything that neighbours do together: a ring, a grid, a star. */
#include <mpi.h>
#include <stdlib.h>

enum { N = 6, STEPS = 20 };

static int rank, size;
static double in[64 * N], out[64 * N];

/* All collectives of neighbours on a communicator in which the caller has `sources` and `destinations`. */
static void exchange(MPI_Comm comm, int sources, int destinations) {
  int send_counts[64], receive_counts[64], send_displs[64], receive_displs[64];
  MPI_Aint send_bytes[64], receive_bytes[64];
  MPI_Datatype types[64];
  MPI_Request request[5];
  MPI_Status status[5];
  for (int i = 0; i < 64; i++) {
    send_counts[i] = receive_counts[i] = 1 + i % 3;
    send_displs[i] = receive_displs[i] = i * N;
    send_bytes[i] = receive_bytes[i] = (MPI_Aint)(sizeof(double) * N) * i;
    types[i] = MPI_DOUBLE;
  }
  /* What two neighbours say of the same edge must agree: all counts are 2 here. */
  for (int i = 0; i < 64; i++) send_counts[i] = receive_counts[i] = 2;
  MPI_Neighbor_allgather(out, N, MPI_DOUBLE, in, N, MPI_DOUBLE, comm);
  MPI_Neighbor_allgatherv(out, 2, MPI_DOUBLE, in, receive_counts, receive_displs, MPI_DOUBLE, comm);
  MPI_Neighbor_alltoall(out, N, MPI_DOUBLE, in, N, MPI_DOUBLE, comm);
  MPI_Neighbor_alltoallv(out, send_counts, send_displs, MPI_DOUBLE, in, receive_counts, receive_displs, MPI_DOUBLE,
                         comm);
  MPI_Neighbor_alltoallw(out, send_counts, send_bytes, types, in, receive_counts, receive_bytes, types, comm);
  MPI_Ineighbor_allgather(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, comm, &request[0]);
  MPI_Wait(&request[0], status);
  MPI_Ineighbor_allgatherv(out, 2, MPI_DOUBLE, in, receive_counts, receive_displs, MPI_DOUBLE, comm, &request[1]);
  MPI_Ineighbor_alltoall(out, 1, MPI_DOUBLE, in + 32 * N, 1, MPI_DOUBLE, comm, &request[2]);
  MPI_Waitall(2, request + 1, status);
  MPI_Ineighbor_alltoallv(out, send_counts, send_displs, MPI_DOUBLE, in, receive_counts, receive_displs, MPI_DOUBLE,
                          comm, &request[3]);
  MPI_Wait(&request[3], status);
  MPI_Ineighbor_alltoallw(out, send_counts, send_bytes, types, in, receive_counts, receive_bytes, types, comm,
                          &request[4]);
  MPI_Wait(&request[4], status);
  (void)sources, (void)destinations;
}

/* Everybody knows its own neighbours on a ring, with weights. */
static void ring(void) {
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  const int sources[] = {left, right}, destinations[] = {right, left}, weights[] = {1 + rank, 2};
  int found_in, found_out, weighted, s[2], sw[2], d[2], dw[2];
  MPI_Comm comm;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, weights, 2, destinations, weights, MPI_INFO_NULL, 0,
                                 &comm);
  MPI_Dist_graph_neighbors_count(comm, &found_in, &found_out, &weighted);
  MPI_Dist_graph_neighbors(comm, 2, s, sw, 2, d, dw);
  for (int i = 0; i < STEPS; i++) MPI_Neighbor_alltoall(out, 3, MPI_DOUBLE, in, 3, MPI_DOUBLE, comm);
  exchange(comm, 2, 2);
  MPI_Comm_free(&comm);
}

/* Neighbours of which the ranks know no weights, all the time and where there are none, or some with weights, between. */
static void unweighted(void) {
  const int ends[] = {(rank + size - 1) % size, (rank + 1) % size}, edges[] = {1, 2};
  for (int i = 0; i < 18; i++) {
    const int n = i < 6 || i * i % 5 == 1 ? 2 : 0;
    const int* const weights = i < 12 ? MPI_UNWEIGHTED : n > 0 ? edges : MPI_WEIGHTS_EMPTY;
    MPI_Comm comm;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, n, ends, weights, n, ends, weights, MPI_INFO_NULL, 0, &comm);
    MPI_Comm_free(&comm);
  }
}

/* Rank 0 tells everybody; the others have one neighbour each way, none of them knows it. */
static void star(int weighted) {
  int degree = size - 1, me = rank, *others = malloc(sizeof(int) * (size_t)size),
      *weights = malloc(sizeof(int) * (size_t)size);
  MPI_Comm comm, copy;
  for (int i = 1; i < size; i++) others[i - 1] = i, weights[i - 1] = i;
  MPI_Dist_graph_create(MPI_COMM_WORLD, rank == 0, &me, &degree, others,
                        !weighted   ? MPI_UNWEIGHTED
                        : rank == 0 ? weights
                                    : MPI_WEIGHTS_EMPTY,
                        MPI_INFO_NULL, 0, &comm);
  MPI_Comm_dup(comm, &copy);
  exchange(copy, rank != 0, rank == 0 ? size - 1 : 0);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comm);
  free(others);
  free(weights);
}

/* The oldest form: everybody gives the whole graph, a chain. */
static void chain(void) {
  int *index = malloc(sizeof(int) * (size_t)size), *edges = malloc(sizeof(int) * 2 * (size_t)size), n = 0, nodes, all,
      kind;
  MPI_Comm comm;
  for (int i = 0; i < size; i++) {
    if (i > 0) edges[n++] = i - 1;
    if (i < size - 1) edges[n++] = i + 1;
    index[i] = n;
  }
  MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comm);
  MPI_Topo_test(comm, &kind);
  MPI_Graphdims_get(comm, &nodes, &all);
  MPI_Graph_get(comm, size, n, index, edges);
  MPI_Graph_neighbors_count(comm, rank, &n);
  MPI_Graph_neighbors(comm, rank, n, edges);
  exchange(comm, n, n);
  MPI_Comm_free(&comm);
  free(index);
  free(edges);
}

/* A grid with an open border: some neighbours are nobody. */
static void grid(void) {
  int dims[2] = {0, 0}, periods[2] = {1, 0};
  MPI_Comm comm, row;
  const int remain[2] = {0, 1};
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
  exchange(comm, 4, 4);
  MPI_Cart_sub(comm, remain, &row);
  exchange(row, 2, 2);
  MPI_Comm_free(&row);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  ring();
  unweighted();
  star(0);
  star(1);
  chain();
  grid();
  MPI_Finalize();
  return 0;
}
