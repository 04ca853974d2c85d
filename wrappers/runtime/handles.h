/* Handles and special values of this MPI in the encoding of the record format: 0 for null handles, canonical special
 * values. */
#ifndef SKEL_HANDLES_H
#define SKEL_HANDLES_H

#include <mpi.h>
#include <stdint.h>

#ifdef MPICH
#define SKEL_HANDLE(h) ((int64_t)(uint32_t)(h))
#define SKEL_HANDLE_AS(type, value) ((type)(uint32_t)(value))
#define SKEL_PREDEFINED(h) ((uint32_t)(h) >> 30 == 1)
#else
#define SKEL_HANDLE(h) ((int64_t)(intptr_t)(h))
#define SKEL_HANDLE_AS(type, value) ((type)(intptr_t)(value))
extern uintptr_t skel_static[4]; /* two ranges: address, bytes */
#define SKEL_PREDEFINED(h) \
  ((uintptr_t)(h)-skel_static[0] < skel_static[1] || (uintptr_t)(h)-skel_static[2] < skel_static[3])
#endif

static inline int64_t skel_comm(MPI_Comm h) { return h == MPI_COMM_NULL ? 0 : SKEL_HANDLE(h); }
static inline int64_t skel_group(MPI_Group h) { return h == MPI_GROUP_NULL ? 0 : SKEL_HANDLE(h); }
static inline int64_t skel_request(MPI_Request h) { return h == MPI_REQUEST_NULL ? 0 : SKEL_HANDLE(h); }
static inline int64_t skel_datatype(MPI_Datatype h) { return h == MPI_DATATYPE_NULL ? 0 : SKEL_HANDLE(h); }
static inline int64_t skel_op(MPI_Op h) { return h == MPI_OP_NULL ? 0 : SKEL_HANDLE(h); }
static inline int64_t skel_message(MPI_Message h) {
  return h == MPI_MESSAGE_NULL ? 0 : h == MPI_MESSAGE_NO_PROC ? 1 : SKEL_HANDLE(h);
}

static inline int64_t skel_win(MPI_Win h) { return h == MPI_WIN_NULL ? 0 : SKEL_HANDLE(h); }
static inline int64_t skel_file(MPI_File h) { return h == MPI_FILE_NULL ? 0 : (int64_t)(intptr_t)h; }
static inline int64_t skel_info(MPI_Info h) { return h == MPI_INFO_NULL ? 0 : SKEL_HANDLE(h); }
static inline int64_t skel_errhandler(MPI_Errhandler h) { return h == MPI_ERRHANDLER_NULL ? 0 : SKEL_HANDLE(h); }
#ifdef MPI_SESSION_NULL
static inline int64_t skel_session(MPI_Session h) { return h == MPI_SESSION_NULL ? 0 : SKEL_HANDLE(h); }
#endif

#ifdef SKEL_SMPI /* where it is 0, and there are no intercommunicators */
#define SKEL_IS_ROOT(rank) 0
#else
#define SKEL_IS_ROOT(rank) ((rank) == MPI_ROOT)
#endif

static inline int64_t skel_peer(int rank) {
  return rank == MPI_PROC_NULL    ? -1
         : rank == MPI_ANY_SOURCE ? -2
         : SKEL_IS_ROOT(rank)     ? -3
         : rank == MPI_UNDEFINED  ? -32766
                                  : rank;
}
static inline int64_t skel_tag(int tag) { return tag == MPI_ANY_TAG ? -1 : tag; }
static inline int64_t skel_or_undefined(int value) { return value == MPI_UNDEFINED ? -32766 : value; }

#endif
