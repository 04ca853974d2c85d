/* The part of skel.c that has files in place of those that the traced program used; inserted before what
 * prepares and reports. */
#include <errno.h>
#include <limits.h>

#include "skel.h"

/* Of all files of one run; the number follows. */
static struct {
  char path[PATH_MAX];
  int length;
} scratch;

const char* skel_file(int number) {
  snprintf(scratch.path + scratch.length, sizeof scratch.path - (size_t)scratch.length, "%d", number);
  return scratch.path;
}

/* What the traced program found in the file is written, so that reading it costs what it costs. */
static int fill_file(const char* path, long long bytes) {
  static char block[1 << 20];
  FILE* file = fopen(path, "wb");
  if (!file) return -1;
  for (long long left = bytes; left > 0; left -= (long long)sizeof block) {
    const size_t n = left < (long long)sizeof block ? (size_t)left : sizeof block;
    if (fwrite(block, 1, n, file) != n) return fclose(file), -1;
  }
  return fclose(file);
}

/* Every file belongs to the rank that opened it first. Rank 0's environment decides where they are. */
static void prepare_files(void) {
  if (program->files == 0) return;
  if (rank == 0) {
    const char* directory = getenv("SKEL_SCRATCH");
    if (!directory || !*directory) directory = ".";
    scratch.length = snprintf(scratch.path, sizeof scratch.path, "%s/skeleton-%ld-file", directory, (long)getpid());
  }
  PMPI_Bcast(&scratch, (int)sizeof scratch, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (scratch.length > (int)sizeof scratch.path - 16) stop("SKEL_SCRATCH is too long");
  for (int i = 0; i < program->files; i++) {
    if (program->file[i].rank != rank || program->file[i].bytes < 0) continue;
    if (fill_file(skel_file(i), program->file[i].bytes) == 0) continue;
    char text[PATH_MAX + 200];
    snprintf(text, sizeof text, "%s: cannot be written (%lld bytes): %s; set SKEL_SCRATCH to a directory with room",
             scratch.path, program->file[i].bytes, strerror(errno));
    remove(scratch.path);
    give_up(text);
  }
}

void skel_remove(MPI_Comm comm, const char* path) {
  int own;
  PMPI_Comm_rank(comm, &own);
  if (own == 0) remove(path);
  PMPI_Barrier(comm);
}

void skel_opened(MPI_Comm comm, int error) {
  const struct timespec turn = {1, 0};
  char reason[MPI_MAX_ERROR_STRING], text[PATH_MAX + MPI_MAX_ERROR_STRING + 100];
  int kind, length, own;
  if (error == MPI_SUCCESS) return;
  PMPI_Comm_rank(comm, &own);
  if (own > 0) nanosleep(&turn, NULL); /* the first one speaks for all */
  PMPI_Error_class(error, &kind);
  PMPI_Error_string(kind, reason, &length);
  snprintf(text, sizeof text, "%s: cannot be opened: %s; SKEL_SCRATCH names a directory for files", scratch.path,
           reason);
  give_up(text);
}

static void remove_files(void) {
  for (int i = 0; i < program->files; i++)
    if (program->file[i].rank == rank) remove(skel_file(i));
}
