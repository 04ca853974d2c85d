/* SPDX-License-Identifier: Apache-2.0
 * Requests to the Valgrind tool, from libskeltrace.so in the program that runs under it. */
#ifndef SKEL_PROFILE_REQUESTS_H
#define SKEL_PROFILE_REQUESTS_H

/* Valgrind's numbers for the requests of the tool 'S', 'G': VG_USERREQ_TOOL_BASE('S', 'G') is the first one. */
enum {
  SKEL_PROFILE_BEGIN = ('S' << 24) | ('G' << 16), /* MPI_Init is left: before that nothing counts, and no request but
                                                    this one. Its argument is the rank in MPI_COMM_WORLD */
  SKEL_PROFILE_LEAVE,                             /* an MPI call was left: the thread's computation begins */
  SKEL_PROFILE_ENTER                              /* one is entered: it ends */
};

#endif
