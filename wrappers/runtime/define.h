/* Definitions: what signatures, functions and handles are, written before their first use. */
#ifndef SKEL_DEFINE_H
#define SKEL_DEFINE_H

#include "encode.h"

/* A signature that was not seen before. Returns its id, 0 if it cannot be written. */
uint32_t skel_define(struct skel_stream* s, uint64_t hash, int function, const struct skel_value* values);
void skel_define_world(struct skel_stream* s);
void skel_define_file(struct skel_stream* s, MPI_File file);
void skel_define_comm(struct skel_stream* s, MPI_Comm comm, MPI_Comm like); /* like: of the same group and kind */
/* After the call that made it; `identity`: the hash of that call's signature. */
void skel_define_datatype(struct skel_stream* s, int64_t handle, uint64_t identity);
void skel_define_op(struct skel_stream* s, int64_t handle, uint64_t identity);
/* After the call that freed it. */
void skel_forget(struct skel_stream* s, int64_t handle);
/* Writes the members of `group` before the call that names it (a handle may come back for other members) and mixes them
 * into the hash. */
uint64_t skel_mix_group(struct skel_stream* s, uint64_t hash, MPI_Group group);

#endif
