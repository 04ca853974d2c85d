/* Loops of several kinds: a stencil over two arrays, reads that a random number chooses, branches that nobody foresees. */
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 4096, rounds = argc > 2 ? atoi(argv[2]) : 20;
  double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), s = 0;
  unsigned h = 1;
  for (int i = 0; i < n; i++) a[i] = i, b[i] = n - i;
  for (int r = 0; r < rounds; r++) {
    for (int i = 1; i + 1 < n; i++) b[i] = 0.25 * (a[i - 1] + a[i + 1]) + a[i] / 3;
    for (int i = 0; i < n; i++) {
      h = h * 1664525u + 1013904223u;
      if (h >> 31) s += b[h % n];
    }
    double* t = a;
    a = b;
    b = t;
  }
  printf("%g\n", s);
  return 0;
}
