/* Conversion of Fortran's arguments to C. */
#ifndef SKEL_FORTRAN_H
#define SKEL_FORTRAN_H

#include <string.h>

#include "handles.h"
#include "pmpi.h"
#include "wrapper_parts.h"

/* A Fortran name of the program's MPI that does not arrive as the C call. */
struct skel_fortran_name {
  const char *name, *real; /* what it stands for once this library has it: the PMPI entry */
  void* wrapper;
  int function;
};
extern const struct skel_fortran_name skel_fortran_names[]; /* generated, ordered by name */
extern const int skel_fortran_count;
extern void* skel_fortran_real[]; /* same order */

/* Fortran's special addresses, NULL where there are none, and what MPI_Waitany and its kin call the first request. */
struct skel_fortran_constants {
  void *in_place, *bottom, *status_ignore, *statuses_ignore, *unweighted, *weights_empty;
  int first_index;
};
extern struct skel_fortran_constants skel_fortran;

/* As skel_backend_open and skel_backend_open_again have them. */
void skel_fortran_open(void* (*find)(const char* name), void* (*find_tool)(const char* name));
void skel_fortran_open_again(void* (*find)(const char* name), void* (*find_tool)(const char* name));

/* Once MPI has started: finds out what can only be tried. */
void skel_fortran_try(void);

#ifdef MPICH /* a handle is the same number in both languages */
#define skel_f2c_MPI_Comm(h) ((MPI_Comm)(h))
#define skel_f2c_MPI_Group(h) ((MPI_Group)(h))
#define skel_f2c_MPI_Datatype(h) ((MPI_Datatype)(h))
#define skel_f2c_MPI_Op(h) ((MPI_Op)(h))
#define skel_f2c_MPI_Request(h) ((MPI_Request)(h))
#define skel_f2c_MPI_Message(h) ((MPI_Message)(h))
#define skel_f2c_MPI_Win(h) ((MPI_Win)(h))
#define skel_f2c_MPI_Info(h) ((MPI_Info)(h))
#define skel_f2c_MPI_Errhandler(h) ((MPI_Errhandler)(h))
#define skel_f2c_MPI_Session(h) ((MPI_Session)(h))
#else
#define skel_f2c_MPI_Comm(h) skel_pmpi.MPI_Comm_f2c(h)
#define skel_f2c_MPI_Group(h) skel_pmpi.MPI_Group_f2c(h)
#define skel_f2c_MPI_Datatype(h) skel_pmpi.MPI_Type_f2c(h)
#define skel_f2c_MPI_Op(h) skel_pmpi.MPI_Op_f2c(h)
#define skel_f2c_MPI_Request(h) skel_pmpi.MPI_Request_f2c(h)
#define skel_f2c_MPI_Message(h) skel_pmpi.MPI_Message_f2c(h)
#define skel_f2c_MPI_Win(h) skel_pmpi.MPI_Win_f2c(h)
#define skel_f2c_MPI_Info(h) skel_pmpi.MPI_Info_f2c(h)
#define skel_f2c_MPI_Errhandler(h) skel_pmpi.MPI_Errhandler_f2c(h)
#endif
#define skel_f2c_MPI_File(h) skel_pmpi.MPI_File_f2c(h)

/* Room for arrays that have to be converted. */
#define SKEL_FEW 128
static inline size_t skel_bytes(int count, size_t each) { return ((size_t)count * each + 7) & ~(size_t)7; }
static inline char* skel_converted(struct skel_stream* s, uint64_t* few, size_t bytes) {
  if (SKEL_LIKELY(bytes <= SKEL_FEW * sizeof *few)) return (char*)few;
  return s->scratch_bytes >= bytes ? (void*)s->scratch : skel_scratch(s, bytes);
}

static inline void* skel_fortran_buffer(void* buffer) {
  if (SKEL_UNLIKELY(buffer == skel_fortran.in_place)) return MPI_IN_PLACE;
  if (SKEL_UNLIKELY(buffer == skel_fortran.bottom)) return MPI_BOTTOM;
  return buffer;
}

/* A status is the same memory in both languages. */
static inline MPI_Status* skel_fortran_status(MPI_Fint* status) {
  return (void*)status == skel_fortran.status_ignore ? MPI_STATUS_IGNORE : (MPI_Status*)(void*)status;
}

static inline MPI_Status* skel_fortran_statuses(MPI_Fint* statuses) {
  return (void*)statuses == skel_fortran.statuses_ignore ? MPI_STATUSES_IGNORE : (MPI_Status*)(void*)statuses;
}

static inline const int* skel_fortran_weights(const MPI_Fint* weights) {
  if ((const void*)weights == skel_fortran.unweighted) return skel_unweighted;
  if ((const void*)weights == skel_fortran.weights_empty) return skel_weights_empty;
  return weights;
}

/* The text without the blanks behind it; `text` has room for SKEL_TEXT_BYTES + 1. */
static inline void skel_fortran_text(char* text, const char* given, size_t bytes) {
  while (bytes && given[bytes - 1] == ' ') bytes--;
  if (bytes > SKEL_TEXT_BYTES) bytes = SKEL_TEXT_BYTES;
  memcpy(text, given, bytes);
  text[bytes] = 0;
}

static inline struct skel_before* skel_keep_fortran(struct skel_stream* s, size_t count, const MPI_Fint* requests) {
  struct skel_before* const before = skel_keep_room(s, count);
  for (size_t i = 0; before && i < count; i++) before->requests[i] = skel_f2c_MPI_Request(requests[i]);
  return before;
}

#endif
