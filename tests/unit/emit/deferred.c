/* deferred CASE: tests of sends that the runtime leaves for later, by themselves, on two ranks. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "skel.c"

enum { MANY = 100, PAIR = 2 };

static MPI_Request req[MANY + PAIR];
static MPI_Status ended[MANY];
static int me, answered, data[2];

int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* found_status) {
  const int error = PMPI_Request_get_status(request, flag, found_status);
  answered = *flag;
  return error;
}

static void need(int holds, const char* what) {
  if (holds) return;
  printf("rank %d: %s\n", me, what);
  fflush(stdout);
  PMPI_Abort(MPI_COMM_WORLD, 1);
}

static void send_synchronously(int slot, int tag) {
  PMPI_Issend(data, 1, MPI_INT, 1 - me, tag, MPI_COMM_WORLD, skel_set_kind(req, &req[slot], SKEL_SENDS));
}
static void receive(int tag) { PMPI_Recv(data + 1, 1, MPI_INT, 1 - me, tag, MPI_COMM_WORLD, ended); }

/* A test of many sends is left for later; tests of a pair of the next ones make it. */
static void more_room(void) {
  for (int way = 0; way < 2; way++) {
    const int index = 1, indices[PAIR] = {0, 1};
    for (int i = 0; i < MANY; i++) send_synchronously(i, i);
    skel_testall(1, MANY, req);
    for (int i = 0; i < MANY; i++) receive(i);
    PMPI_Barrier(MPI_COMM_WORLD); /* all of them are complete */
    for (int i = 0; i < PAIR; i++)
      PMPI_Irecv(data + 1, 1, MPI_INT, 1 - me, i, MPI_COMM_WORLD, skel_set_kind(req, &req[MANY + i], SKEL_OTHER));
    for (int i = 0; i < PAIR; i++) PMPI_Send(data, 1, MPI_INT, 1 - me, i, MPI_COMM_WORLD);
    if (way) skel_testsome(PAIR, indices, PAIR, req + MANY);
    if (!way) skel_testany(1, index, PAIR, req + MANY);
    need(req[MANY + 1] == MPI_REQUEST_NULL, "the request that was tested is still there");
    PMPI_Waitall(PAIR, req + MANY, ended);
    PMPI_Barrier(MPI_COMM_WORLD);
  }
}

/* MPI gives the handle of a send whose test came later to a receive: its answer is waited for. */
static void stale(void) {
  const struct timespec moment = {0, 300000000};
  send_synchronously(0, 0);
  skel_test(1, &req[0]);
  receive(0);
  PMPI_Barrier(MPI_COMM_WORLD);
  PMPI_Recv_init(data + 1, 1, MPI_INT, 1 - me, 1, MPI_COMM_WORLD, skel_set_kind(req, &req[1], SKEL_PERSISTENT));
  skel_testall(1, 1, req + 1); /* makes the one that was left */
  PMPI_Irecv(data + 1, 1, MPI_INT, 1 - me, 2, MPI_COMM_WORLD, skel_set_kind(req, &req[2], SKEL_OTHER));
  need(req[2] == req[0], "this MPI gives a receive another handle");
  if (me == 1) nanosleep(&moment, NULL);
  PMPI_Send(data, 1, MPI_INT, 1 - me, 2, MPI_COMM_WORLD);
  skel_get_status(1, &req[2]);
  need(answered, "MPI_Request_get_status found nothing");
  PMPI_Wait(&req[2], ended);
  PMPI_Request_free(&req[1]);
}

/* Messages to nobody have the same handle. A test of one that waits for other sends, too, is not made for another. */
static void alike(void) {
  send_synchronously(0, 0);
  PMPI_Isend(data, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, skel_set_kind(req, &req[1], SKEL_SENDS));
  skel_testall(1, 2, req);
  PMPI_Isend(data, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, skel_set_kind(req, &req[2], SKEL_SENDS));
  need(req[1] == req[2], "this MPI gives each message to nobody a handle of its own");
  alarm(900);
  PMPI_Request_free(skel_settled(1, &req[2]));
  receive(0);
}

/* One test or another is always left, never many. */
static void pipeline(void) {
  for (int i = 0; i < 1000; i++) {
    send_synchronously(i % 2, i);
    skel_test(1, &req[i % 2]);
    if (i > 0) receive(i - 1);
    PMPI_Barrier(MPI_COMM_WORLD);
  }
  need(deferred.end > deferred.begin && deferred.room < 100, "memory grows with the tests that have been made");
  receive(999);
}

/* A persistent request is tested before it is started again. */
static void again(void) {
  PMPI_Ssend_init(data, 1, MPI_INT, 1 - me, 0, MPI_COMM_WORLD,
                  skel_set_kind(req, &req[0], SKEL_SENDS | SKEL_PERSISTENT));
  for (int i = 0; i < 1000; i++) {
    PMPI_Start(skel_settled(1, &req[0]));
    skel_test(1, &req[0]);
    receive(0);
  }
  PMPI_Request_free(skel_settled(1, &req[0]));
}

/* A test that is left for later has those requests that it completes, not others that were active at that time: these can be
 * started again before it is made. */
static void chosen(void) {
  const int first = 0;
  for (int way = 0; way < 2; way++) {
    PMPI_Ssend_init(data, 1, MPI_INT, 1 - me, 0, MPI_COMM_WORLD,
                    skel_set_kind(req, &req[0], SKEL_SENDS | SKEL_PERSISTENT));
    PMPI_Recv_init(data + 1, 1, MPI_INT, 1 - me, 1, MPI_COMM_WORLD, skel_set_kind(req, &req[1], SKEL_PERSISTENT));
    PMPI_Startall(PAIR, req);
    if (way) skel_testsome(1, &first, PAIR, req);
    if (!way) skel_testany(1, first, PAIR, req);
    PMPI_Send(data, 1, MPI_INT, 1 - me, 1, MPI_COMM_WORLD);
    PMPI_Wait(&req[1], ended);
    alarm(900);
    PMPI_Start(skel_settled(1, &req[1]));
    receive(0);
    PMPI_Send(data, 1, MPI_INT, 1 - me, 1, MPI_COMM_WORLD);
    PMPI_Wait(&req[1], ended);
    for (int i = 0; i < PAIR; i++) PMPI_Request_free(skel_settled(1, &req[i]));
  }
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } cases[] = {{"room", more_room},    {"status", stale}, {"alike", alike},
               {"pipeline", pipeline}, {"again", again},  {"chosen", chosen}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (!strcmp(argv[1], cases[i].name)) cases[i].run();
  PMPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (me == 0) printf("done\n");
  return 0;
}
