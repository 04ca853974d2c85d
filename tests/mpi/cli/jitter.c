/* Messages whose sizes jitter: a shift around the ring, an exchange of all with all, a broadcast, and a receive with room for the largest.
 * mpiexec -n N ./jitter STEPS PER_MILLE: sizes are up to PER_MILLE / 1000 above or below their mean. */
#include <mpi.h>
#include <stdlib.h>

enum { kMost = 4000 };

/* The same on all ranks: a size of about `mean` for this step and pair of ranks. */
static int size_of(int mean, int per_mille, int step, int from, int to) {
  unsigned long x =
      (unsigned long)step * 1000003ul + (unsigned long)from * 10007ul + (unsigned long)to * 101ul + 12345ul;
  for (int i = 0; i < 3; i++) x = x * 6364136223846793005ul + 1442695040888963407ul;
  const int most = mean * per_mille / 1000;
  return mean - most + (int)((x >> 33) % (unsigned long)(2 * most + 1));
}

int main(int argc, char** argv) {
  static double out[kMost], in[kMost];
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int steps = argc > 1 ? atoi(argv[1]) : 100, per_mille = argc > 2 ? atoi(argv[2]) : 10;
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks, place = kMost / ranks;
  int *give = malloc(4 * (size_t)ranks * sizeof *give), *take = give + ranks, *from = take + ranks, *to = from + ranks;
  for (int step = 0; step < steps; step++) {
    MPI_Request request[2];
    MPI_Status status[2];
    MPI_Irecv(in, size_of(1000, per_mille, step, left, rank), MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(out, size_of(1000, per_mille, step, rank, right), MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, status);
    MPI_Sendrecv(out, size_of(500, per_mille, step, rank, left), MPI_DOUBLE, left, 1, in, kMost, MPI_DOUBLE, right, 1,
                 MPI_COMM_WORLD, status);
    for (int r = 0; r < ranks; r++) {
      give[r] = size_of(300 + 200 * r, per_mille, step, rank, r);
      take[r] = size_of(300 + 200 * rank, per_mille, step, r, rank);
      from[r] = to[r] = r * place;
    }
    MPI_Alltoallv(out, give, from, MPI_DOUBLE, in, take, to, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Bcast(in, size_of(2000, per_mille, step, 0, 0), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  free(give);
  MPI_Finalize();
  return 0;
}
