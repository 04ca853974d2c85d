/* Linked with an emitted program: writes what each rank makes of datatypes and operations, and what it sends of them,
 * to types-RANK.txt. */
#include <mpi.h>
#include <stdio.h>

static FILE* out;

static FILE* file(void) {
  if (!out) {
    char name[64];
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "types-%d.txt", rank);
    out = fopen(name, "w");
    setvbuf(out, NULL, _IOLBF, 0);
  }
  return out;
}

static void describe(const char* what, MPI_Datatype type) {
  int size;
  MPI_Aint lb, extent;
  PMPI_Type_size(type, &size);
  PMPI_Type_get_extent(type, &lb, &extent);
  fprintf(file(), "%s %d bytes in %ld at %ld\n", what, size, (long)extent, (long)lb);
}

int MPI_Type_commit(MPI_Datatype* type) {
  describe("commit", *type);
  return PMPI_Type_commit(type);
}
int MPI_Type_free(MPI_Datatype* type) {
  describe("free", *type);
  return PMPI_Type_free(type);
}
int MPI_Bcast(void* b, int n, MPI_Datatype t, int root, MPI_Comm c) {
  describe("bcast", t);
  return PMPI_Bcast(b, n, t, root, c);
}
int MPI_Allreduce(const void* a, void* b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c) {
  int commutes;
  PMPI_Op_commutative(o, &commutes);
  fprintf(file(), "allreduce %s\n", commutes ? "in any order" : "in order");
  return PMPI_Allreduce(a, b, n, t, o, c);
}
