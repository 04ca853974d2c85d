// Is cut. Each iteration makes a communicator, a group, a window and a file and frees them: others can be left out.
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <time.h>

int main(int argc, char** argv) {
  int rank, size, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const struct timespec pause = {0, 20000000};
  for (int i = 0; i < 30; i++) {
    nanosleep(&pause, NULL);  // shorter loops are run in full
    MPI_Comm half, pair;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
    MPI_Comm_free(&half);

    MPI_Group all, two;
    const int members[2] = {0, size - 1};
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 2, members, &two);
    if (rank == 0 || rank == size - 1) {
      MPI_Comm_create_group(MPI_COMM_WORLD, two, 5, &pair);
      MPI_Barrier(pair);
      MPI_Comm_free(&pair);
    }
    MPI_Group_free(&two);
    MPI_Group_free(&all);

    MPI_Win window;
    static int memory[4];
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);

    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, "made_in_loop.out", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
  MPI_Finalize();
  return 0;
}
