/* openmp LIBRARY...: rounds of its own, if it is compiled with OpenMP, and of each library (the same with -DLIBRARY). */
#include <dlfcn.h>
#include <stdio.h>

#ifdef _OPENMP
#include <omp.h>

void rounds(void) {
  omp_lock_t lock;
  long sum = 0, locked = 0, in_section = 0; /* each has one lock */
  omp_init_lock(&lock);
  for (int round = 0; round < 4; round++) {
#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
      sum += omp_get_thread_num();
#pragma omp barrier
#pragma omp for
      for (int i = 0; i < 9; i++) sum += i;
#pragma omp critical
      in_section++;
      omp_set_lock(&lock);
      locked++;
      omp_unset_lock(&lock);
    }
#pragma omp parallel num_threads(3)
    {
#pragma omp critical
      in_section++; /* the function's last call may return to its caller's */
    }
  }
  printf("%ld %ld\n", sum, locked + in_section);
}
#else
static void rounds(void) {}
#endif

#ifndef LIBRARY
int main(int count, char** libraries) {
  rounds();
  for (int i = 1; i < count; i++) {
    void* const library = dlopen(libraries[i], RTLD_NOW);
    void (*const of_library)(void) = (void (*)(void))dlsym(library, "rounds");
    of_library();
  }
  return 0;
}
#endif
