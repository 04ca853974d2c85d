/* The part of skel.c that completes requests the way they were completed in the original run; inserted at its end. */
#include "skel.h"

static struct {
  MPI_Request* request;
  const int* slot;
  int n, room;
} picked;
static MPI_Status* statuses;
static int *found, room;

static void make_room(int n) {
  if (n <= room) return;
  statuses = realloc(statuses, (size_t)n * sizeof *statuses);
  found = realloc(found, (size_t)n * sizeof *found);
  if (!statuses || !found) no_memory((size_t)n * (sizeof *statuses + sizeof *found));
  room = n;
}

MPI_Request* skel_pick(MPI_Request* all, int n, const int* slots) {
  if (n + 1 > picked.room) {
    picked.request = realloc(picked.request, (size_t)(n + 1) * sizeof(MPI_Request));
    if (!picked.request) no_memory((size_t)(n + 1) * sizeof(MPI_Request));
    picked.room = n + 1;
  }
  for (int i = 0; i < n; i++) picked.request[i] = slots[i] < 0 ? MPI_REQUEST_NULL : all[slots[i]];
  picked.n = n;
  picked.slot = slots;
  return picked.request;
}

void skel_put_back(MPI_Request* all) {
  for (int i = 0; i < picked.n; i++)
    if (picked.slot[i] >= 0) all[picked.slot[i]] = picked.request[i];
}

static int done(MPI_Request request) {
  int flag;
  MPI_Status status;
  if (request == MPI_REQUEST_NULL) return 1;
  PMPI_Request_get_status(request, &flag, &status);
  return flag;
}

static void until_done(MPI_Request request) {
  while (!done(request)) {
  }
}

static int any_done(int n, const MPI_Request* requests) {
  for (int i = 0; i < n; i++)
    if (requests[i] != MPI_REQUEST_NULL && done(requests[i])) return 1;
  return 0;
}

/* The recorded request must be over after the call even if the call chose another one. */
static void complete_too(int index, int n, MPI_Request* requests) {
  MPI_Status status;
  if (index >= 0 && index < n && requests[index] != MPI_REQUEST_NULL) PMPI_Wait(&requests[index], &status);
}

void skel_test(int flag, MPI_Request* request) {
  MPI_Status status;
  if (!flag) {
    done(*request);
    return;
  }
  until_done(*request);
  MPI_Test(request, &flag, &status);
}

void skel_testall(int flag, int n, MPI_Request* requests) {
  make_room(n);
  for (int i = 0; i < n; i++) {
    if (flag)
      until_done(requests[i]);
    else if (!done(requests[i]))
      return;
  }
  if (flag) MPI_Testall(n, requests, &flag, statuses);
}

void skel_testany(int flag, int index, int n, MPI_Request* requests) {
  int got = MPI_UNDEFINED;
  MPI_Status status;
  if (!flag) {
    any_done(n, requests);
    return;
  }
  if (index >= 0 && index < n) until_done(requests[index]);
  MPI_Testany(n, requests, &got, &flag, &status);
  complete_too(index, n, requests);
}

void skel_testsome(int ended, const int* indices, int n, MPI_Request* requests) {
  int got;
  make_room(n);
  if (ended == 0) {
    any_done(n, requests);
    return;
  }
  for (int i = 0; i < ended; i++) until_done(requests[indices[i]]);
  MPI_Testsome(n, requests, &got, found, statuses);
  for (int i = 0; i < ended; i++) complete_too(indices[i], n, requests);
}

void skel_waitany(int index, int n, MPI_Request* requests) {
  int got;
  MPI_Status status;
  if (index >= 0 && index < n) until_done(requests[index]);
  MPI_Waitany(n, requests, &got, &status);
  complete_too(index, n, requests);
}

void skel_waitsome(int ended, const int* indices, int n, MPI_Request* requests) {
  int got;
  make_room(n);
  for (int i = 0; i < ended; i++) until_done(requests[indices[i]]);
  MPI_Waitsome(n, requests, &got, found, statuses);
  for (int i = 0; i < ended; i++) complete_too(indices[i], n, requests);
}

void skel_iprobe(int flag, int source, int tag, MPI_Comm comm) {
  MPI_Status status;
  for (int there = 0; flag && !there;) PMPI_Iprobe(source, tag, comm, &there, &status);
  MPI_Iprobe(source, tag, comm, &flag, &status);
}

void skel_improbe(int flag, int source, int tag, MPI_Comm comm, MPI_Message* message) {
  MPI_Status status;
  int there = 0;
  do PMPI_Iprobe(source, tag, comm, &there, &status);
  while (flag && !there);
  if (flag) MPI_Improbe(source, tag, comm, &there, message, &status);
}

MPI_Message* skel_message(MPI_Message* all, int64_t slot) {
  static MPI_Message none;
  if (slot >= 0) return &all[slot];
  none = slot == -2 ? MPI_MESSAGE_NO_PROC : MPI_MESSAGE_NULL;
  return &none;
}

void skel_attach(int bytes) {
  void* memory = malloc(bytes > 0 ? (size_t)bytes : 1);
  if (!memory) no_memory(bytes > 0 ? (size_t)bytes : 1);
  MPI_Buffer_attach(memory, bytes);
}

void skel_detach(void) {
  void* memory = NULL;
  int bytes;
  MPI_Buffer_detach(&memory, &bytes);
  free(memory);
}

void skel_dims_create(int nodes, int n, const int* dims) {
  int* result = malloc((size_t)(n > 0 ? n : 1) * sizeof(int));
  if (!result) no_memory((size_t)n * sizeof(int));
  for (int i = 0; i < n; i++) result[i] = dims[i];
  MPI_Dims_create(nodes, n, result);
  free(result);
}

MPI_Group skel_group(int n, const int* members) {
  static MPI_Group made;
  static int there;
  MPI_Group world;
  if (there) PMPI_Group_free(&made);
  there = n > 0;
  if (!there) return MPI_GROUP_EMPTY;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_incl(world, n, members, &made);
  PMPI_Group_free(&world);
  return made;
}

void skel_group_free(void) {
  MPI_Group group;
  PMPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Group_free(&group);
}
