/* Files: written and read by all kinds of calls, with views, shared and individual pointers, files of all, of some and of one. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;

/* A file that was there before: every rank reads its part, then all read all of it. */
static void input(const char* name) {
  enum { kNumbers = 1000 };
  int numbers[kNumbers];
  MPI_File file;
  MPI_Offset bytes, place;
  if (rank == 0) {
    FILE* out = fopen(name, "wb");
    for (int i = 0; out && i < size * kNumbers; i++) fwrite(&i, sizeof i, 1, out);
    if (out) fclose(out);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  MPI_File_get_size(file, &bytes);
  if (bytes != (MPI_Offset)sizeof numbers * size) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_File_read_at_all(file, (MPI_Offset)sizeof numbers * rank, numbers, kNumbers, MPI_INT, MPI_STATUS_IGNORE);
  if (numbers[1] != rank * kNumbers + 1) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_File_seek(file, (MPI_Offset)sizeof numbers * (size - 1 - rank), MPI_SEEK_SET);
  MPI_File_read(file, numbers, kNumbers, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_get_position(file, &place);
  for (int i = 0; i < 5; i++) MPI_File_read_at(file, 400 * i, numbers, 100, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

/* A checkpoint: blocks of a matrix that are interleaved in the file. */
static void checkpoint(const char* name, int step) {
  enum { kRows = 16, kColumns = 8 };
  const int sizes[] = {kRows, kColumns * size}, part[] = {kRows, kColumns}, start[] = {0, kColumns * rank};
  static double values[kRows * kColumns];
  MPI_Datatype block;
  MPI_File file;
  MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_DOUBLE, &block);
  MPI_Type_commit(&block);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_view(file, 8 * step, MPI_DOUBLE, block, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, values, kRows * kColumns, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_File_read_all(file, values, kRows * kColumns, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Type_free(&block);
}

/* What does not wait, and what begins here and ends there. */
static void later(const char* name) {
  int numbers[2][64];
  MPI_File file;
  MPI_Request requests[2];
  MPI_Status status, statuses[2];
  for (int i = 0; i < 64; i++) numbers[0][i] = numbers[1][i] = i;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_set_size(file, 4096 * size);
  MPI_File_preallocate(file, 8192 * size);
  MPI_File_set_atomicity(file, 0);
  for (int i = 0; i < 3; i++) {
    MPI_File_iwrite_at(file, 4096 * rank + 256 * i, numbers[0], 64, MPI_INT, &requests[0]);
    MPI_File_iwrite_at(file, 4096 * rank + 2048 + 256 * i, numbers[1], 64, MPI_INT, &requests[1]);
    MPI_Waitall(2, requests, statuses);
  }
  MPI_File_iread_at(file, 4096 * rank, numbers[1], 64, MPI_INT, &requests[0]);
  MPI_Wait(&requests[0], &status);
  MPI_File_iwrite_at_all(file, 4096 * rank, numbers[0], 64, MPI_INT, &requests[0]);
  MPI_Wait(&requests[0], &status);
  MPI_File_write_at_all_begin(file, 4096 * rank + 512, numbers[0], 64, MPI_INT);
  MPI_Sendrecv_replace(numbers[1], 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                       &status);
  MPI_File_write_at_all_end(file, numbers[0], &status);
  MPI_File_seek(file, -256, MPI_SEEK_END);
  MPI_File_read_all_begin(file, numbers[0], 64, MPI_INT);
  MPI_File_read_all_end(file, numbers[0], &status);
  MPI_File_close(&file);
}

/* The pointer that all share. */
static void shared(const char* name) {
  char line[32];
  MPI_File file;
  MPI_Offset place;
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
  char own[64];
  snprintf(own, sizeof own, "%s.%d", name, rank % 2);
  MPI_File_open(half, own, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  for (int i = 0; i < 4; i++) {
    snprintf(line, sizeof line, "rank %6d, line %6d\n", rank, i);
    MPI_File_write_shared(file, line, 25, MPI_CHAR, MPI_STATUS_IGNORE);
  }
  MPI_File_write_ordered(file, line, 25, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_get_position_shared(file, &place);
  MPI_File_read_ordered(file, line, 25, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Comm_free(&half);
}

/* A log of each rank's own, opened anew for each entry, and names that nobody has. */
static void alone(void) {
  char name[64];
  MPI_File file;
  snprintf(name, sizeof name, "log.%d", rank);
  MPI_File_delete(name, MPI_INFO_NULL);
  for (int i = 0; i < 4; i++) {
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_APPEND, MPI_INFO_NULL, &file);
    MPI_File_write(file, name, 5, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
  if (MPI_File_open(MPI_COMM_SELF, "nobody.has.this", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_File_delete("nobody.has.this", MPI_INFO_NULL);
}

/* A file that must be new each time; the program removes the last one without MPI. */
static void anew(const char* name) {
  MPI_File file;
  for (int i = 0; i < 3; i++) {
    if (rank == 0) remove(name);
    MPI_Barrier(MPI_COMM_WORLD);
    if (MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR, MPI_INFO_NULL, &file))
      MPI_Abort(MPI_COMM_WORLD, 4);
    MPI_File_write_ordered(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  input("input.bin");
  for (int step = 0; step < 6; step++) checkpoint("state.bin", step);
  later("later.bin");
  shared("shared.txt");
  alone();
  anew("anew.dat");
  MPI_Finalize();
  return 0;
}
