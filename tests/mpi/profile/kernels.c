/* kernels PASSES: runs each of the family's kernels, for scripts/kernel-features: under the Valgrind tool each is an interval of
 * so many passes, the second of two, so that its lines were touched before. */
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
    for (int time = 0; time < 2; time++) {
      REQUEST(SKEL_PROFILE_LEAVE);
      sink += skel_kernel_run(&kernels, k, passes);
      REQUEST(SKEL_PROFILE_ENTER);
    }
    printf("%s\n", skel_kernel_name[k]);
  }
  return 0;
}
