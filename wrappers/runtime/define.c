/* Definitions: what signatures, functions and handles are, written before their first use. */
#include "define.h"

#include <string.h>
#include <sys/mman.h>

#include "objects.h"
#include "values.h"

enum { KIND_COMM = 0x1001, KIND_DATATYPE = 0x1002, KIND_OP = 0x1003 };

static uint8_t* put_text(uint8_t* p, const char* text) {
  const size_t length = strlen(text);
  p = skel_put(p, length);
  memcpy(p, text, length);
  return p + length;
}

static uint64_t key_of(int kind, uint64_t handle, uint64_t identity) {
  return skel_mix(UINT64_C(0x9e3779b97f4a7c15), handle ^ (uint64_t)kind << 40, identity);
}

static int in_world(MPI_Group group, int rank) {
  MPI_Group world;
  int there = -1;
  if (skel_phase() == SKEL_BEFORE) return -1; /* there is no world: the group is a session's */
  skel_pmpi.MPI_Comm_group(MPI_COMM_WORLD, &world);
  skel_pmpi.MPI_Group_translate_ranks(group, 1, &rank, world, &there);
  skel_pmpi.MPI_Group_free(&world);
  return there == MPI_UNDEFINED ? -1 : there;
}

/* Writes a communicator of the group and kind of `like`; the caller looks after pauses. */
static void write_comm(struct skel_stream* s, MPI_Comm comm, MPI_Comm like) {
  MPI_Group group;
  int size = 0, rank = 0, inter = 0, leader = 0, others = 0, their_leader = -1;
  if (!skel_room(s, 10 * SKEL_VARINT)) return;
  skel_pmpi.MPI_Comm_size(like, &size);
  skel_pmpi.MPI_Comm_rank(like, &rank);
  skel_pmpi.MPI_Comm_test_inter(like, &inter);
  skel_pmpi.MPI_Comm_group(like, &group);
  if (size > 0) leader = in_world(group, 0);
  skel_pmpi.MPI_Group_free(&group);
  if (inter) {
    skel_pmpi.MPI_Comm_remote_size(like, &others);
    skel_pmpi.MPI_Comm_remote_group(like, &group);
    if (others > 0) their_leader = in_world(group, 0);
    skel_pmpi.MPI_Group_free(&group);
  }
  skel_mark(&s->signatures, key_of(KIND_COMM, (uint64_t)skel_comm(comm), 0), 1);
  uint8_t* p = skel_put(s->pos, SKT_TAG_COMM);
  p = skel_put(p, (uint64_t)skel_comm(comm));
  p = skel_put(p, (uint64_t)size);
  p = skel_put_signed(p, rank);
  p = skel_put(p, (uint64_t)(leader < 0 ? 0 : leader));
  p = skel_put(p, inter != 0);
  if (inter) p = skel_put_signed(skel_put(p, (uint64_t)others), their_leader);
  skel_commit(s, p);
}

/* Writes who is next to the caller in the topology of `like`, if it has one. */
static void write_neighbours(struct skel_stream* s, MPI_Comm comm, MPI_Comm like) {
  int inter = 0, kind = MPI_UNDEFINED;
  skel_pmpi.MPI_Comm_test_inter(like, &inter);
  if (!inter) kind = skel_topology(like);
  if (kind == MPI_UNDEFINED) return;
  const int sources = skel_neighbours(like, 1), destinations = skel_neighbours(like, 0);
  const size_t all = (size_t)sources + (size_t)destinations, bytes = 2 * (all + 1) * sizeof(int);
  if (!skel_room(s, (all + 4) * SKEL_VARINT)) return;
  int* const ranks = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (ranks == MAP_FAILED) return;
  int* const weights = ranks + all + 1;
  if (kind == MPI_DIST_GRAPH) {
    skel_pmpi.MPI_Dist_graph_neighbors(like, sources, ranks, weights, destinations, ranks + sources, weights + sources);
  } else {
    int rank = 0;
    skel_pmpi.MPI_Comm_rank(like, &rank);
    if (kind == MPI_GRAPH) skel_pmpi.MPI_Graph_neighbors(like, rank, sources, ranks);
    for (int i = 0; kind == MPI_CART && 2 * i < sources; i++)
      skel_pmpi.MPI_Cart_shift(like, i, 1, &ranks[2 * i], &ranks[2 * i + 1]);
    memcpy(ranks + sources, ranks, (size_t)destinations * sizeof(int));
  }
  uint8_t* p = skel_put(s->pos, SKT_TAG_NEIGHBOURS);
  p = skel_put(p, (uint64_t)skel_comm(comm));
  p = skel_put(p, (uint64_t)sources);
  for (int i = 0; i < sources; i++) p = skel_put_signed(p, skel_peer(ranks[i]));
  p = skel_put(p, (uint64_t)destinations);
  for (int i = 0; i < destinations; i++) p = skel_put_signed(p, skel_peer(ranks[sources + i]));
  skel_commit(s, p);
  munmap(ranks, bytes);
}

void skel_define_world(struct skel_stream* s) {
  write_comm(s, MPI_COMM_WORLD, MPI_COMM_WORLD);
  write_comm(s, MPI_COMM_SELF, MPI_COMM_SELF);
}

SKEL_COLD void skel_define_comm(struct skel_stream* s, MPI_Comm comm, MPI_Comm like) {
  const uint64_t since = skel_ticks();
  if (comm == MPI_COMM_NULL || skel_phase() != SKEL_OPEN) return;
  write_comm(s, comm, like);
  write_neighbours(s, comm, like);
  if (skel_room(s, 2 * SKEL_VARINT)) skel_pause(s, since);
}

/* Others may have written already: the least that a rank saw is what the file held before. */
SKEL_COLD void skel_define_file(struct skel_stream* s, MPI_File file) {
  const uint64_t since = skel_ticks();
  MPI_Offset bytes = -1;
  if (file == MPI_FILE_NULL || skel_phase() != SKEL_OPEN || !skel_room(s, 4 * SKEL_VARINT)) return;
  if (skel_pmpi.MPI_File_get_size(file, &bytes) != MPI_SUCCESS) bytes = -1;
  uint8_t* p = skel_put(s->pos, SKT_TAG_FILE);
  p = skel_put(p, (uint64_t)skel_file(file));
  p = skel_put_signed(p, bytes);
  skel_commit(s, p);
  skel_pause(s, since);
}

/* Whether the definition of this handle must be written. */
static int is_new(struct skel_stream* s, int kind, int64_t handle) {
  return handle && skel_mark(&s->signatures, key_of(kind, (uint64_t)handle, skel_handle_identity(s, handle)), 1) == 1;
}

static void write_datatype(struct skel_stream* s, int64_t handle) {
  const MPI_Datatype type = SKEL_HANDLE_AS(MPI_Datatype, handle);
  char name[MPI_MAX_OBJECT_NAME] = "";
  MPI_Count size = 0;
  int length = 0, counts[3];
  MPI_Aint lower = 0, extent = 0;
  skel_pmpi.MPI_Type_size_x(type, &size);
  skel_pmpi.MPI_Type_get_extent(type, &lower, &extent);
  if (skel_envelope_of(type, counts) == MPI_COMBINER_NAMED) skel_pmpi.MPI_Type_get_name(type, name, &length);
  if (!skel_room(s, 6 * SKEL_VARINT + sizeof name)) return;
  uint8_t* p = skel_put(s->pos, SKT_TAG_DATATYPE);
  p = skel_put(p, (uint64_t)handle);
  p = skel_put_signed(p, size);
  p = skel_put_signed(p, extent);
  skel_commit(s, put_text(p, name));
}

static const char* name_of_op(MPI_Op op) {
  static const char* const names[] = {"MPI_MAX",    "MPI_MIN",    "MPI_SUM",     "MPI_PROD", "MPI_LAND",
                                      "MPI_BAND",   "MPI_LOR",    "MPI_BOR",     "MPI_LXOR", "MPI_BXOR",
                                      "MPI_MINLOC", "MPI_MAXLOC", "MPI_REPLACE", "MPI_NO_OP"};
  const MPI_Op ops[] = {MPI_MAX, MPI_MIN,  MPI_SUM,  MPI_PROD,   MPI_LAND,   MPI_BAND,    MPI_LOR,
                        MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP};
  for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
    if (ops[i] == op) return names[i];
  return "";
}

static void write_op(struct skel_stream* s, int64_t handle) {
  const MPI_Op op = SKEL_HANDLE_AS(MPI_Op, handle);
  int commutes = 0;
  if (!skel_room(s, 5 * SKEL_VARINT + 32)) return;
  skel_pmpi.MPI_Op_commutative(op, &commutes);
  uint8_t* p = skel_put(s->pos, SKT_TAG_OP);
  p = skel_put(p, (uint64_t)handle);
  p = skel_put(p, commutes != 0);
  skel_commit(s, put_text(p, name_of_op(op)));
}

/* The definition is written each time: the latest one holds, and the handle may have stood for something else before.
 */
static void define_made(struct skel_stream* s, int kind, int64_t handle, uint64_t identity) {
  const uint64_t since = skel_ticks();
  if (!handle) return;
  if (!skel_handle_changed(handle, s, identity)) skel_give_up(s);
  is_new(s, kind, handle);
  if (kind == KIND_DATATYPE)
    write_datatype(s, handle);
  else
    write_op(s, handle);
  if (skel_room(s, 2 * SKEL_VARINT)) skel_pause(s, since);
}

void skel_forget(struct skel_stream* s, int64_t handle) {
  if (handle && !skel_handle_changed(handle, NULL, 0)) skel_give_up(s);
}

void skel_define_datatype(struct skel_stream* s, int64_t handle, uint64_t identity) {
  define_made(s, KIND_DATATYPE, handle, identity);
}

void skel_define_op(struct skel_stream* s, int64_t handle, uint64_t identity) {
  define_made(s, KIND_OP, handle, identity);
}

SKEL_COLD uint64_t skel_mix_group(struct skel_stream* s, uint64_t hash, MPI_Group group) {
  int size = 0;
  if (group == MPI_GROUP_NULL) return hash;
  const uint64_t since = skel_ticks();
  skel_pmpi.MPI_Group_size(group, &size);
  if (!skel_room(s, ((size_t)size + 8) * SKEL_VARINT)) return hash;
  uint8_t* p = skel_put(s->pos, SKT_TAG_GROUP);
  p = skel_put(p, (uint64_t)skel_group(group));
  p = skel_put(p, (uint64_t)size);
  hash = skel_mix(hash, (uint64_t)size, 0);
  for (int i = 0; i < size; i++) {
    const int member = in_world(group, i);
    hash = skel_mix(hash, (uint64_t)member, 1);
    p = skel_put(p, (uint64_t)(member < 0 ? 0 : member));
  }
  skel_commit(s, p);
  skel_pause(s, since);
  return hash;
}

_Static_assert(SKEL_FUNCTIONS <= SKEL_MOST_FUNCTIONS, "mpi.h declares more functions than a stream has bits for");

static void define_function(struct skel_stream* s, int function) {
  const struct skel_function* const f = &skel_functions[function];
  if (s->functions[function / 8] >> function % 8 & 1) return;
  if (!skel_room(s, strlen(f->name) + 4 * SKEL_VARINT + (size_t)f->count * 2)) return;
  s->functions[function / 8] |= (uint8_t)(1 << function % 8);
  uint8_t* p = skel_put(s->pos, SKT_TAG_FUNCTION);
  p = skel_put(p, (uint64_t)function);
  p = put_text(p, f->name);
  p = skel_put(p, (uint64_t)f->count);
  for (int i = 0; i < f->count; i++) {
    p = skel_put(p, f->parameters[i].role);
    p = skel_put(p, f->parameters[i].place);
  }
  skel_commit(s, p);
}

static size_t text_bytes(char* const* texts, int length) {
  size_t bytes = 0;
  for (int i = 0; i < length; i++) bytes += (size_t)skel_text_length(texts[i]) + 1;
  return bytes;
}

static uint8_t* put_values(uint8_t* p, const struct skel_value* value, enum skel_width width) {
  if (width != SKEL_TEXTS) return skel_put_values(p, value->array, value->length, width);
  char* const* const texts = value->array;
  p = skel_put(p, text_bytes(texts, value->length));
  for (int i = 0; i < value->length; i++) {
    const int length = skel_text_length(texts[i]);
    for (int k = 0; k < length; k++) p = skel_put_signed(p, (unsigned char)texts[i][k]);
    p = skel_put_signed(p, 0);
  }
  return p;
}

/* Its definition and those of what it names. */
SKEL_COLD uint32_t skel_define(struct skel_stream* s, uint64_t hash, int function, const struct skel_value* values) {
  const struct skel_function* const f = &skel_functions[function];
  const uint64_t since = skel_ticks();
  size_t room = (8 + (size_t)f->count * 2) * SKEL_VARINT;
  define_function(s, function);
  for (int i = 0; i < f->count; i++) {
    if (f->parameters[i].place != SKT_IN_SIGNATURE) continue;
    const int64_t value = values[i].scalar;
    room += (f->parameters[i].width == SKEL_TEXTS ? text_bytes(values[i].array, values[i].length)
                                                  : (size_t)values[i].length) *
            SKEL_VARINT;
    if (f->parameters[i].role == SKEL_ROLE_datatype && is_new(s, KIND_DATATYPE, value)) write_datatype(s, value);
    if (f->parameters[i].role == SKEL_ROLE_op && is_new(s, KIND_OP, value)) write_op(s, value);
    for (int k = 0; f->parameters[i].width == SKEL_TYPES && k < values[i].length; k++) {
      const int64_t type = skel_element(values[i].array, k, SKEL_TYPES);
      if (is_new(s, KIND_DATATYPE, type)) write_datatype(s, type);
    }
    if (f->parameters[i].role == SKEL_ROLE_comm && value &&
        !skel_find(&s->signatures, key_of(KIND_COMM, (uint64_t)value, 0)) && skel_phase() == SKEL_OPEN)
      write_comm(s, SKEL_HANDLE_AS(MPI_Comm, value), SKEL_HANDLE_AS(MPI_Comm, value));
  }
  if (!skel_room(s, room)) return 0;
  const uint32_t id = s->signature_count + 1;
  if (skel_mark(&s->signatures, hash, id) != 1) {
    skel_give_up(s);
    return 0;
  }
  s->signature_count = id;
  uint8_t* p = skel_put(s->pos, SKT_TAG_SIGNATURE);
  p = skel_put(p, id - 1);
  p = skel_put(p, (uint64_t)function);
  for (int i = 0; i < f->count; i++) {
    if (f->parameters[i].place != SKT_IN_SIGNATURE) continue;
    const enum skel_width width = f->parameters[i].width;
    p = width == SKEL_ONE ? skel_put_signed(p, values[i].scalar) : put_values(p, &values[i], width);
  }
  skel_commit(s, p);
  skel_pause(s, since);
  return id;
}
