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
/* The first probe of each kind finds nothing in a rank, though the message was seen: so it may be where threads probe at the same time. */
static int finds_nothing(int* probes, int* flag) {
  if ((*probes)++ > 0) return 0;
  *flag = 0;
  return 1;
}
int MPI_Iprobe(int p, int tag, MPI_Comm c, int* flag, MPI_Status* s) {
  static int probes;
  if (finds_nothing(&probes, flag)) return MPI_SUCCESS;
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
int MPI_Ssend(const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f) {
  fprintf(out, "MPI_Ssend %d %d %d\n", b, peer(d), e);
  return PMPI_Ssend(a, b, c, d, e, f);
}
int MPI_Bsend(const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f) {
  fprintf(out, "MPI_Bsend %d %d %d\n", b, peer(d), e);
  return PMPI_Bsend(a, b, c, d, e, f);
}
int MPI_Rsend(const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f) {
  fprintf(out, "MPI_Rsend %d %d %d\n", b, peer(d), e);
  return PMPI_Rsend(a, b, c, d, e, f);
}
int MPI_Issend(const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g) {
  fprintf(out, "MPI_Issend %d %d %d\n", b, peer(d), e);
  return PMPI_Issend(a, b, c, d, e, f, g);
}
int MPI_Ibsend(const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g) {
  fprintf(out, "MPI_Ibsend %d %d %d\n", b, peer(d), e);
  return PMPI_Ibsend(a, b, c, d, e, f, g);
}
int MPI_Irsend(const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g) {
  fprintf(out, "MPI_Irsend %d %d %d\n", b, peer(d), e);
  return PMPI_Irsend(a, b, c, d, e, f, g);
}
int MPI_Sendrecv_replace(void* a, int b, MPI_Datatype c, int d, int e, int f, int g, MPI_Comm h, MPI_Status* i) {
  fprintf(out, "MPI_Sendrecv_replace %d %d %d %d %d\n", b, peer(d), e, peer(f), g);
  return PMPI_Sendrecv_replace(a, b, c, d, e, f, g, h, i);
}
int MPI_Buffer_attach(void* a, int b) {
  fprintf(out, "MPI_Buffer_attach\n");
  return PMPI_Buffer_attach(a, b);
}
int MPI_Buffer_detach(void* a, int* b) {
  fprintf(out, "MPI_Buffer_detach\n");
  return PMPI_Buffer_detach(a, b);
}
int MPI_Send_init(const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g) {
  fprintf(out, "MPI_Send_init %d %d %d\n", b, peer(d), e);
  return PMPI_Send_init(a, b, c, d, e, f, g);
}
int MPI_Ssend_init(const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g) {
  fprintf(out, "MPI_Ssend_init %d %d %d\n", b, peer(d), e);
  return PMPI_Ssend_init(a, b, c, d, e, f, g);
}
int MPI_Bsend_init(const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g) {
  fprintf(out, "MPI_Bsend_init %d %d %d\n", b, peer(d), e);
  return PMPI_Bsend_init(a, b, c, d, e, f, g);
}
int MPI_Rsend_init(const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g) {
  fprintf(out, "MPI_Rsend_init %d %d %d\n", b, peer(d), e);
  return PMPI_Rsend_init(a, b, c, d, e, f, g);
}
int MPI_Recv_init(void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g) {
  fprintf(out, "MPI_Recv_init %d %d %d\n", b, peer(d), e);
  return PMPI_Recv_init(a, b, c, d, e, f, g);
}
int MPI_Start(MPI_Request* a) {
  fprintf(out, "MPI_Start\n");
  return PMPI_Start(a);
}
int MPI_Startall(int a, MPI_Request b[]) {
  fprintf(out, "MPI_Startall %d\n", a);
  return PMPI_Startall(a, b);
}
int MPI_Request_free(MPI_Request* a) {
  fprintf(out, "MPI_Request_free\n");
  return PMPI_Request_free(a);
}
int MPI_Exscan(const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f) {
  fprintf(out, "MPI_Exscan %d\n", c);
  return PMPI_Exscan(a, b, c, d, e, f);
}
int MPI_Reduce_scatter(const void* a, void* b, const int c[], MPI_Datatype d, MPI_Op e, MPI_Comm f) {
  fprintf(out, "MPI_Reduce_scatter\n");
  return PMPI_Reduce_scatter(a, b, c, d, e, f);
}
int MPI_Reduce_scatter_block(const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f) {
  fprintf(out, "MPI_Reduce_scatter_block %d\n", c);
  return PMPI_Reduce_scatter_block(a, b, c, d, e, f);
}
int MPI_Reduce_local(const void* a, void* b, int c, MPI_Datatype d, MPI_Op e) {
  fprintf(out, "MPI_Reduce_local %d\n", c);
  return PMPI_Reduce_local(a, b, c, d, e);
}
int MPI_Ibarrier(MPI_Comm a, MPI_Request* b) {
  fprintf(out, "MPI_Ibarrier\n");
  return PMPI_Ibarrier(a, b);
}
int MPI_Ibcast(void* a, int b, MPI_Datatype c, int d, MPI_Comm e, MPI_Request* f) {
  fprintf(out, "MPI_Ibcast %d %d\n", b, d);
  return PMPI_Ibcast(a, b, c, d, e, f);
}
int MPI_Ireduce(const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, int f, MPI_Comm g, MPI_Request* h) {
  fprintf(out, "MPI_Ireduce %d %d\n", c, f);
  return PMPI_Ireduce(a, b, c, d, e, f, g, h);
}
int MPI_Iallreduce(const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f, MPI_Request* g) {
  fprintf(out, "MPI_Iallreduce %d\n", c);
  return PMPI_Iallreduce(a, b, c, d, e, f, g);
}
int MPI_Iscan(const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f, MPI_Request* g) {
  fprintf(out, "MPI_Iscan %d\n", c);
  return PMPI_Iscan(a, b, c, d, e, f, g);
}
int MPI_Iexscan(const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f, MPI_Request* g) {
  fprintf(out, "MPI_Iexscan %d\n", c);
  return PMPI_Iexscan(a, b, c, d, e, f, g);
}
int MPI_Igather(const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, int g, MPI_Comm h,
                MPI_Request* i) {
  fprintf(out, "MPI_Igather %d %d %d\n", b, e, g);
  return PMPI_Igather(a, b, c, d, e, f, g, h, i);
}
int MPI_Igatherv(const void* a, int b, MPI_Datatype c, void* d, const int e[], const int f[], MPI_Datatype g, int h,
                 MPI_Comm i, MPI_Request* j) {
  fprintf(out, "MPI_Igatherv %d %d\n", b, h);
  return PMPI_Igatherv(a, b, c, d, e, f, g, h, i, j);
}
int MPI_Iscatter(const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, int g, MPI_Comm h,
                 MPI_Request* i) {
  fprintf(out, "MPI_Iscatter %d %d %d\n", b, e, g);
  return PMPI_Iscatter(a, b, c, d, e, f, g, h, i);
}
int MPI_Iscatterv(const void* a, const int b[], const int c[], MPI_Datatype d, void* e, int f, MPI_Datatype g, int h,
                  MPI_Comm i, MPI_Request* j) {
  fprintf(out, "MPI_Iscatterv %d %d\n", f, h);
  return PMPI_Iscatterv(a, b, c, d, e, f, g, h, i, j);
}
int MPI_Iallgather(const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, MPI_Comm g, MPI_Request* h) {
  fprintf(out, "MPI_Iallgather %d %d\n", b, e);
  return PMPI_Iallgather(a, b, c, d, e, f, g, h);
}
int MPI_Iallgatherv(const void* a, int b, MPI_Datatype c, void* d, const int e[], const int f[], MPI_Datatype g,
                    MPI_Comm h, MPI_Request* i) {
  fprintf(out, "MPI_Iallgatherv %d\n", b);
  return PMPI_Iallgatherv(a, b, c, d, e, f, g, h, i);
}
int MPI_Ialltoall(const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, MPI_Comm g, MPI_Request* h) {
  fprintf(out, "MPI_Ialltoall %d %d\n", b, e);
  return PMPI_Ialltoall(a, b, c, d, e, f, g, h);
}
int MPI_Ialltoallv(const void* a, const int b[], const int c[], MPI_Datatype d, void* e, const int f[], const int g[],
                   MPI_Datatype h, MPI_Comm i, MPI_Request* j) {
  fprintf(out, "MPI_Ialltoallv\n");
  return PMPI_Ialltoallv(a, b, c, d, e, f, g, h, i, j);
}
int MPI_Ireduce_scatter(const void* a, void* b, const int c[], MPI_Datatype d, MPI_Op e, MPI_Comm f, MPI_Request* g) {
  fprintf(out, "MPI_Ireduce_scatter\n");
  return PMPI_Ireduce_scatter(a, b, c, d, e, f, g);
}
int MPI_Ireduce_scatter_block(const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f, MPI_Request* g) {
  fprintf(out, "MPI_Ireduce_scatter_block %d\n", c);
  return PMPI_Ireduce_scatter_block(a, b, c, d, e, f, g);
}
int MPI_Mprobe(int a, int b, MPI_Comm c, MPI_Message* d, MPI_Status* e) {
  fprintf(out, "MPI_Mprobe %d %d\n", peer(a), b);
  return PMPI_Mprobe(a, b, c, d, e);
}
int MPI_Improbe(int a, int b, MPI_Comm c, int* d, MPI_Message* e, MPI_Status* f) {
  static int probes;
  if (finds_nothing(&probes, d)) return MPI_SUCCESS;
  fprintf(out, "MPI_Improbe %d %d\n", peer(a), b);
  return PMPI_Improbe(a, b, c, d, e, f);
}
int MPI_Mrecv(void* a, int b, MPI_Datatype c, MPI_Message* d, MPI_Status* e) {
  fprintf(out, "MPI_Mrecv %d\n", b);
  return PMPI_Mrecv(a, b, c, d, e);
}
int MPI_Imrecv(void* a, int b, MPI_Datatype c, MPI_Message* d, MPI_Request* e) {
  fprintf(out, "MPI_Imrecv %d\n", b);
  return PMPI_Imrecv(a, b, c, d, e);
}
int MPI_Comm_dup_with_info(MPI_Comm a, MPI_Info b, MPI_Comm* c) {
  fprintf(out, "MPI_Comm_dup_with_info\n");
  return PMPI_Comm_dup_with_info(a, b, c);
}
int MPI_Comm_idup(MPI_Comm a, MPI_Comm* b, MPI_Request* c) {
  fprintf(out, "MPI_Comm_idup\n");
  return PMPI_Comm_idup(a, b, c);
}
int MPI_Comm_split_type(MPI_Comm a, int b, int c, MPI_Info d, MPI_Comm* e) {
  fprintf(out, "MPI_Comm_split_type\n");
  return PMPI_Comm_split_type(a, b, c, d, e);
}
int MPI_Comm_create_group(MPI_Comm a, MPI_Group b, int c, MPI_Comm* d) {
  fprintf(out, "MPI_Comm_create_group %d\n", c);
  return PMPI_Comm_create_group(a, b, c, d);
}
int MPI_Group_union(MPI_Group a, MPI_Group b, MPI_Group* c) {
  fprintf(out, "MPI_Group_union\n");
  return PMPI_Group_union(a, b, c);
}
int MPI_Testall(int a, MPI_Request b[], int* c, MPI_Status d[]) {
  fprintf(out, "MPI_Testall %d\n", a);
  return PMPI_Testall(a, b, c, d);
}
int MPI_Alltoallw(const void* a, const int b[], const int c[], const MPI_Datatype d[], void* e, const int f[],
                  const int g[], const MPI_Datatype h[], MPI_Comm i) {
  fprintf(out, "MPI_Alltoallw\n");
  return PMPI_Alltoallw(a, b, c, d, e, f, g, h, i);
}
int MPI_Ialltoallw(const void* a, const int b[], const int c[], const MPI_Datatype d[], void* e, const int f[],
                   const int g[], const MPI_Datatype h[], MPI_Comm i, MPI_Request* j) {
  fprintf(out, "MPI_Ialltoallw\n");
  return PMPI_Ialltoallw(a, b, c, d, e, f, g, h, i, j);
}
