/* Linked with an emitted program: writes the calls that each rank makes to calls-RANK.txt, one a line: function, then
 * the interesting arguments. */
#include <mpi.h>
#include <stdio.h>

static FILE* out;

static int peer(int rank) { return rank == MPI_PROC_NULL ? -1 : rank == MPI_ANY_SOURCE ? -2 : rank; }

static void open_file(void) {
  char name[64];
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "calls-%d.txt", rank);
  out = fopen(name, "w");
  fprintf(out, "MPI_Init\n");
}

int MPI_Init(int* argc, char*** argv) {
  const int result = PMPI_Init(argc, argv);
  open_file();
  return result;
}
int MPI_Finalize(void) {
  fprintf(out, "MPI_Finalize\n");
  fclose(out);
  return PMPI_Finalize();
}
int MPI_Send(const void* b, int n, MPI_Datatype t, int p, int tag, MPI_Comm c) {
  fprintf(out, "MPI_Send %d %d %d\n", n, peer(p), tag);
  return PMPI_Send(b, n, t, p, tag, c);
}
int MPI_Recv(void* b, int n, MPI_Datatype t, int p, int tag, MPI_Comm c, MPI_Status* s) {
  fprintf(out, "MPI_Recv %d %d %d\n", n, peer(p), tag);
  return PMPI_Recv(b, n, t, p, tag, c, s);
}
int MPI_Isend(const void* b, int n, MPI_Datatype t, int p, int tag, MPI_Comm c, MPI_Request* r) {
  fprintf(out, "MPI_Isend %d %d %d\n", n, peer(p), tag);
  return PMPI_Isend(b, n, t, p, tag, c, r);
}
int MPI_Irecv(void* b, int n, MPI_Datatype t, int p, int tag, MPI_Comm c, MPI_Request* r) {
  fprintf(out, "MPI_Irecv %d %d %d\n", n, peer(p), tag);
  return PMPI_Irecv(b, n, t, p, tag, c, r);
}
int MPI_Waitall(int n, MPI_Request r[], MPI_Status s[]) {
  fprintf(out, "MPI_Waitall %d\n", n);
  return PMPI_Waitall(n, r, s);
}
int MPI_Wait(MPI_Request* r, MPI_Status* s) {
  fprintf(out, "MPI_Wait\n");
  return PMPI_Wait(r, s);
}
int MPI_Test(MPI_Request* r, int* flag, MPI_Status* s) {
  fprintf(out, "MPI_Test\n");
  return PMPI_Test(r, flag, s);
}
int MPI_Waitany(int n, MPI_Request r[], int* index, MPI_Status* s) {
  fprintf(out, "MPI_Waitany %d\n", n);
  return PMPI_Waitany(n, r, index, s);
}
int MPI_Waitsome(int n, MPI_Request r[], int* done, int indices[], MPI_Status s[]) {
  fprintf(out, "MPI_Waitsome %d\n", n);
  return PMPI_Waitsome(n, r, done, indices, s);
}
int MPI_Iprobe(int p, int tag, MPI_Comm c, int* flag, MPI_Status* s) {
  fprintf(out, "MPI_Iprobe %d %d\n", peer(p), tag);
  return PMPI_Iprobe(p, tag, c, flag, s);
}
int MPI_Barrier(MPI_Comm c) {
  fprintf(out, "MPI_Barrier\n");
  return PMPI_Barrier(c);
}
int MPI_Allreduce(const void* a, void* b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c) {
  fprintf(out, "MPI_Allreduce %d\n", n);
  return PMPI_Allreduce(a, b, n, t, o, c);
}
int MPI_Bcast(void* b, int n, MPI_Datatype t, int root, MPI_Comm c) {
  fprintf(out, "MPI_Bcast %d %d\n", n, root);
  return PMPI_Bcast(b, n, t, root, c);
}
int MPI_Gatherv(const void* a, int n, MPI_Datatype t, void* b, const int c[], const int d[], MPI_Datatype u, int root,
                MPI_Comm comm) {
  fprintf(out, "MPI_Gatherv %d %d\n", n, root);
  return PMPI_Gatherv(a, n, t, b, c, d, u, root, comm);
}
int MPI_Alltoallv(const void* a, const int n[], const int d[], MPI_Datatype t, void* b, const int m[], const int e[],
                  MPI_Datatype u, MPI_Comm c) {
  fprintf(out, "MPI_Alltoallv\n");
  return PMPI_Alltoallv(a, n, d, t, b, m, e, u, c);
}
int MPI_Comm_split(MPI_Comm c, int color, int key, MPI_Comm* n) {
  fprintf(out, "MPI_Comm_split\n");
  return PMPI_Comm_split(c, color, key, n);
}
