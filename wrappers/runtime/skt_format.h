/* The record file rank-NNNNNN.skt. Shared by the capture library (C11) and src/trace (C++20); FORMAT.md explains it.
 *
 *   file  = file header, chunk...   everything little endian
 *   chunk = chunk header, payload   chunks start at multiples of 8; unknown types are skipped
 *   HEAD  = JSON: who wrote this (rank, ranks, run id, MPI, host, clock, columns), written after MPI_Init returned
 *   EVNT  = records of one thread, in order; fixed capacity, `used` grows record by record; sealed when full or at the
 *           end
 *   TAIL  = JSON: how it ended (calls, dropped, last clock pair, working set, speeds); last chunk of a complete file
 *
 * A sealed chunk's checksum covers its header (checksum field as 0) and its whole payload. The file of a killed
 * process has one open EVNT chunk per thread and no TAIL: what `used` covers is valid. The file header's checksum
 * covers the bytes before it. A complete file is cut behind TAIL, so that every byte of it is under a checksum.
 *
 * record = varint tag, fields. Tags: see enum skt_tag; varints are LEB128 (7 bits a byte, low first), signed ones
 * zigzag. */
#ifndef SKT_FORMAT_H
#define SKT_FORMAT_H

#include <stdint.h>

#define SKT_MAGIC "SKELTRC\n"
#define SKT_VERSION 1

struct skt_file_header {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes; /* of this struct: the first chunk starts there */
  uint64_t run_id;       /* the same for all ranks of a run, never 0 */
  uint32_t rank, ranks;
  uint64_t checksum; /* XXH3_64bits of the bytes before */
};

#define SKT_CHUNK_HEAD 0x44414548u /* "HEAD" */
#define SKT_CHUNK_EVNT 0x544e5645u /* "EVNT" */
#define SKT_CHUNK_TAIL 0x4c494154u /* "TAIL" */

enum skt_chunk_state { SKT_OPEN = 1, SKT_SEALED = 2 };

struct skt_chunk_header {
  uint32_t type;
  uint32_t state;    /* enum skt_chunk_state */
  uint32_t thread;   /* 0 for HEAD and TAIL */
  uint32_t sequence; /* of the thread's EVNT chunks, from 0 */
  uint64_t capacity; /* payload bytes that follow, a multiple of 8 */
  uint64_t used;     /* bytes of the payload that hold data; the rest is 0 */
  uint64_t checksum; /* XXH3_64bits of this header with checksum = 0, then (same stream) of the payload; 0 while open */
};

/* Every record of a stream begins with one of these, or with SKT_TAG_EVENT + signature id.
 * Definitions stand in the stream of each thread before their first use there (ids are per thread stream). */
enum skt_tag {
  SKT_TAG_FUNCTION = 1,  /* id, length of name, name, number of parameters, then per parameter: role, place (enum
                            skt_place) */
  SKT_TAG_SIGNATURE = 2, /* id, function id, then every SKT_IN_SIGNATURE parameter in order: see values below */
  SKT_TAG_COMM = 3,      /* a communicator as this rank sees it, after the event that made it (WORLD and SELF: before
                            all): handle, size, my rank in it (zigzag), world rank of its rank 0, 0; of an
                            intercommunicator these are of the own group, then 1 for the 0, size of the other group,
                            world rank of its rank 0 (zigzag, -1: not of this run) */
  SKT_TAG_DATATYPE = 4,  /* handle, size in bytes (zigzag), extent (zigzag), length of name, canonical name ("" if
                            derived) */
  SKT_TAG_OP = 5,        /* handle, commutes (0/1), length of name, canonical name ("" if user-defined) */
  SKT_TAG_PAUSE = 6,     /* ticks that are neither gap nor call: the tracer's own and, before the first event of a
                            thread that is not the first one, those in which it had no processor; they pass before the
                            next event's gap */
  SKT_TAG_CLOCK = 7,     /* ticks, nanoseconds of CLOCK_MONOTONIC at the same moment (both absolute) */
  SKT_TAG_DROPPED = 8,   /* number of calls that could not be recorded here */
  SKT_TAG_GROUP = 9,     /* handle, size, world ranks of its members (before the first signature that names the
                            handle) */
  SKT_TAG_NEIGHBOURS =
      10,              /* of a communicator with a topology, behind its COMM: handle, number of sources, their ranks in
                              it (zigzag), the same of destinations; in the order of the neighbourhood collectives */
  SKT_TAG_FILE = 11,   /* behind the event that opened it: handle, bytes that it held then (zigzag, -1: not known) */
  SKT_TAG_FAILED = 12, /* before the event of a call that returned an error: its class, a number of the MPI's own */
  SKT_TAG_CORE_WAIT = 13, /* ns that this thread was ready to run but had no core; of threads' files alone */
  SKT_TAG_EVENT = 16      /* + signature id: gap ticks, call ticks, columns (as many as HEAD lists), then every
                            SKT_IN_EVENT parameter */
};

/* Where a parameter's value stands. */
enum skt_place { SKT_IN_SIGNATURE = 1, SKT_IN_EVENT = 2, SKT_NOT_RECORDED = 3 };

/* Values
 *
 *   scalar roles      one zigzag varint
 *   array roles       varint length, as many zigzag varints (counts, displs, datatypes, requests, status, statuses,
 *                     indices, integers)
 *   buffer            in an event: 0 NULL, 1 MPI_IN_PLACE, else 2 + zigzag(address - the stream's last recorded
 *                     address), first one against 0
 *   handles           request, message, comm, group, datatype, op: raw values as the MPI has them (0 = the null handle,
 *                     1 = MPI_MESSAGE_NO_PROC); request arrays as they were before the call
 *   ranks, tags and   in the canonical encoding of src/mpi/mpi.h (PROC_NULL -1, ANY_SOURCE -2, ROOT -3, ANY_TAG -1,
 *   undefined values  UNDEFINED -32766)
 *   split_type        1 = MPI_COMM_TYPE_SHARED, 0 = a type that only this MPI knows
 *   status            source, tag; source SKT_CANCELLED: the request was cancelled */
enum { SKT_CANCELLED = -4 };

#endif
