/* ends HOW: a thousand calls, then the program ends in one of many ways. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank;
  const char* const how = argc > 1 ? argv[1] : "";
  if (!strcmp(how, "around")) MPI_Initialized(&rank);
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 1000; i++) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!strcmp(how, "exit")) exit(0);
  if (!strcmp(how, "abort")) MPI_Abort(MPI_COMM_WORLD, 3);
  if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
  if (!strcmp(how, "fork")) {
    if (fork() == 0) {
      for (int i = 0; i < 1000; i++) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
      exit(0);
    }
    wait(NULL);
  }
  if (!strcmp(how, "terminate")) raise(SIGTERM);
  if (!strcmp(how, "control")) {
    MPI_Pcontrol(0);
    for (int i = 0; i < 1000; i++) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Pcontrol(1, "more", 2);
  }
  if (!strcmp(how, "many"))
    for (int i = 0; i < 400000; i++) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Finalize();
  if (!strcmp(how, "around")) MPI_Finalized(&rank);
  return 0;
}
