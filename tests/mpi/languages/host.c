/* host PLUGIN: no MPI program, but one that loads something which is, for itself alone, as interpreters do. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  void* const plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  void* const found = plugin ? dlsym(plugin, "run") : NULL;
  int (*run)(int, char**);
  if (!found) return puts(dlerror()), 1;
  memcpy(&run, &found, sizeof run);
  return run(argc, argv);
}
