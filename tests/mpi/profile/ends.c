/* Ends as its argument says. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "";
  if (!strcmp(how, "exit")) return 3;
  if (!strcmp(how, "fork")) {
    if (fork() == 0) _exit(0);
    wait(NULL);
  }
  if (!strcmp(how, "signal")) raise(SIGTERM);
  if (!strcmp(how, "wait") && write(1, "\n", 1) == 1) pause(); /* until it is killed from outside */
  return 0;
}
