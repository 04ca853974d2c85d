#include <omp.h>
#include <stdio.h>

int main(void) {
  omp_lock_t lock;
  long sum = 0, locked = 0;
  omp_init_lock(&lock);
  for (int round = 0; round < 4; round++) {
#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
      sum += omp_get_thread_num();
#pragma omp barrier
#pragma omp for
      for (int i = 0; i < 9; i++) sum += i;
#pragma omp critical
      locked++;
      omp_set_lock(&lock);
      locked++;
      omp_unset_lock(&lock);
    }
  }
  printf("%ld %ld\n", sum, locked);
  return 0;
}
