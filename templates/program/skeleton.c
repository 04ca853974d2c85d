/*@summary@*/
#include "skel.h"

/*@handles@*/

/* clang-format off */
/*@tables@*/
/*@program@*/
/* clang-format on */

/*@functions@*/

int main(int argc, char** argv) {
  skel_start(argc, argv);
  /*@init@*/
  skel_init(&program);
  /*@run@*/
  skel_report();
  /*@finalize@*/
  return skel_finish();
}

/*@numbers@*/
