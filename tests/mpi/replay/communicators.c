/* Communicators that only some ranks get, and not the same ranks each time. At most 60 statements. */
#include <mpi.h>

enum { STEPS = 12 };

int main(int argc, char** argv) {
  double in = 1, out;
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Group world;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  for (int i = 0; i < STEPS; i++) {
    /* The first rank, then the first two, ...: a rank that gets none does nothing. */
    int members[64];
    const int n = i % size + 1;
    for (int each = 0; each < n; each++) members[each] = each;
    MPI_Group first;
    MPI_Comm made;
    MPI_Group_incl(world, n, members, &first);
    MPI_Comm_create(MPI_COMM_WORLD, first, &made);
    if (made != MPI_COMM_NULL) {
      MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, made);
      MPI_Comm_free(&made);
    }
    MPI_Group_free(&first);
    /* Now that of all ranks, now one that no call made. */
    int mine;
    MPI_Group_rank(i * i % 5 == 1 ? world : MPI_GROUP_EMPTY, &mine);
  }
  MPI_Group_free(&world);
  for (int i = 0; i < STEPS; i++) {
    /* Another one is left out each time. */
    MPI_Comm others;
    MPI_Comm_split(MPI_COMM_WORLD, rank == i * i % size ? MPI_UNDEFINED : 0, rank, &others);
    if (others == MPI_COMM_NULL) continue;
    MPI_Bcast(&out, 1, MPI_DOUBLE, 0, others);
    MPI_Comm_free(&others);
  }
  /* Each rank is left out in its own iterations, and all are kept. */
  MPI_Comm kept[STEPS];
  for (int i = 0; i < STEPS; i++) MPI_Comm_split(MPI_COMM_WORLD, (i + rank) % 3 ? 0 : MPI_UNDEFINED, rank, &kept[i]);
  for (int i = 0; i < STEPS; i++)
    if (kept[i] != MPI_COMM_NULL) MPI_Comm_free(&kept[i]);
  MPI_Finalize();
  return 0;
}
