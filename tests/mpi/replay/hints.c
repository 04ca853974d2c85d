/* Info objects: hints that change what MPI does are given again, those that name hosts or files are not. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 6 };

static int rank, size;

static MPI_Info info_of(const char* key, const char* value) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, key, value);
  return info;
}

static void windows(double* own) {
  MPI_Info info = info_of("no_locks", "true"), more;
  MPI_Win win;
  void* base;
  MPI_Info_set(info, "same_size", "true");
  MPI_Info_dup(info, &more);
  MPI_Info_set(more, "accumulate_ordering", "none");
  MPI_Info_delete(more, "same_size");
  MPI_Win_create(own, 8 * sizeof *own, sizeof *own, info, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  MPI_Accumulate(own, 1, MPI_DOUBLE, 0, 1, 1, MPI_DOUBLE, MPI_SUM, win);
  MPI_Win_fence(0, win);
  MPI_Win_set_info(win, more);
  MPI_Win_free(&win);
  MPI_Info_free(&info);
  MPI_Win_allocate(64, 1, more, MPI_COMM_WORLD, &base, &win);
  MPI_Win_free(&win);
  MPI_Info_free(&more);
}

static void communicators(void) {
  MPI_Info info = info_of("mpi_assert_allow_overtaking", "true"), used, own = info_of("company", "secret.example");
  MPI_Comm copy, node;
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &copy);
  MPI_Comm_set_info(copy, own);
  MPI_Comm_get_info(copy, &used);
  MPI_Info_free(&used);
  MPI_Comm_split_type(copy, MPI_COMM_TYPE_SHARED, 0, rank % 2 ? MPI_INFO_NULL : info, &node);
  MPI_Info_set(info, "mpi_assert_no_any_tag", rank % 2 ? "true" : "false");
  MPI_Comm_set_info(copy, info);
  MPI_Barrier(copy);
  MPI_Comm_free(&node);
  MPI_Comm_free(&copy);
  MPI_Info_free(&own);
  MPI_Info_free(&info);
}

/* Another one in each step. */
static void files(void) {
  MPI_File file;
  for (int i = 0; i < STEPS; i++) {
    char size_of_buffer[20];
    double value = i;
    snprintf(size_of_buffer, sizeof size_of_buffer, "%d", 65536 << i % 3);
    MPI_Info info = info_of("cb_buffer_size", size_of_buffer);
    MPI_Info_set(info, "cb_config_list", "*:1");
    MPI_Info_set(info, "romio_cb_write", "enable");
    MPI_File_open(MPI_COMM_WORLD, "hints.data", MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
    MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
    MPI_File_set_info(file, info);
    MPI_File_write_at_all(file, rank, &value, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Info_free(&info);
  }
}

int main(int argc, char** argv) {
  double* own = calloc(8, sizeof *own);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  windows(own);
  communicators();
  files();
  free(own);
  MPI_Finalize();
  return 0;
}
