/* Computes between barriers and fails as its argument says. */
#include <mpi.h>
#include <string.h>

static volatile double factor = 1.0000001, result;

static void multiply(int n) {
  double value = 1;
  for (int i = 0; i < n; i++) value *= factor;
  result = value;
}

__attribute__((noinline)) static void wide_add(void) { __asm__ volatile("vpaddd %%zmm0, %%zmm0, %%zmm1" ::: "memory"); }

static volatile int* volatile nowhere;
__attribute__((noinline)) static void crash(void) { *nowhere = 1; }

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "";
  if (!strcmp(how, "early")) crash();
  MPI_Init(&argc, &argv);
  for (int k = 1; k <= 5; k++) {
    multiply(1000);
    if (k == 3 && !strcmp(how, "avx512")) wide_add();
    if (k == 3 && !strcmp(how, "middle")) crash();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
