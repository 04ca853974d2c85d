/* kernels PASSES: runs each of the family's kernels, for scripts/kernel-features: under the Valgrind tool each is an interval, the
 * second of two, so that its lines were touched before. Of so many passes, of which kernels of small footprints need a 16th to
 * come around; prints names and passes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/valgrind.h>

#include "requests.h"
#include "skel_kernels.h"

#define REQUEST(NUMBER) VALGRIND_DO_CLIENT_REQUEST_STMT(NUMBER, 0, 0, 0, 0, 0)

int main(int argc, char** argv) {
  const uint64_t passes = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
  struct skel_kernels kernels = {.area = NULL};
  volatile uint64_t sink = 0;
  void* area = NULL;
  if (posix_memalign(&area, 4096, SKEL_KERNEL_AREA)) return 1;
  kernels.area = memset(area, 0, SKEL_KERNEL_AREA);
  REQUEST(SKEL_PROFILE_BEGIN);
  REQUEST(SKEL_PROFILE_ENTER);
  for (int k = 0; k < SKEL_KERNELS; k++) {
    const uint64_t own = skel_kernel_bytes(k) < SKEL_KERNEL_AREA && passes > 16 * 1024 ? passes / 16 : passes;
    for (int time = 0; time < 2; time++) {
      REQUEST(SKEL_PROFILE_LEAVE);
      sink += skel_kernel_run(&kernels, k, own);
      REQUEST(SKEL_PROFILE_ENTER);
    }
    printf("%s %llu\n", skel_kernel_name[k], (unsigned long long)own);
  }
  return 0;
}
