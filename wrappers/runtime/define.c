/* What handles mean: size, name, members. Asked once per handle and stream, through the MPI's own PMPI functions. */
#include "wrap.h"

static MPI_Comm comm_of(uint64_t raw);

static int world_rank_of_first(MPI_Comm comm) {
  MPI_Group group, world;
  const int first = 0;
  int leader = -1;
  if (real.MPI_Comm_group(comm, &group)) return -1;
  if (real.MPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS) {
    real.MPI_Group_translate_ranks(group, 1, &first, world, &leader);
    real.MPI_Group_free(&world);
  }
  real.MPI_Group_free(&group);
  return leader == MPI_UNDEFINED ? -1 : leader;
}

void skel_define_comm(struct skel_thread* t, MPI_Comm comm) {
  const struct skel_state* s = skel_state();
  const uint64_t begin = skel_ticks(s->tsc);
  const uint64_t raw = SKEL_RAW(comm, MPI_COMM_NULL);
  int size = 0, rank = -1, inter = 0;
  real.MPI_Comm_size(comm, &size);
  real.MPI_Comm_rank(comm, &rank);
  real.MPI_Comm_test_inter(comm, &inter);
  const int leader = world_rank_of_first(comm);
  skel_defined(&t->defined, raw);
  uint8_t* at = skel_reserve(t, 80);
  if (at) {
    at = skel_put(at, SKT_TAG_COMM);
    at = skel_put(at, raw);
    at = skel_put(at, (uint64_t)size);
    at = skel_put_signed(at, rank);
    at = skel_put(at, (uint64_t)(leader < 0 ? 0 : leader));
    at = skel_put(at, inter != 0);
    skel_commit(t, at);
  }
  t->pause += skel_ticks(s->tsc) - begin;
}

void skel_define_group(struct skel_thread* t, MPI_Group group) {
  const struct skel_state* s = skel_state();
  const uint64_t begin = skel_ticks(s->tsc);
  int size = 0;
  if (group != MPI_GROUP_NULL) real.MPI_Group_size(group, &size);
  int* ranks = skel_statuses(t, 2 * (size_t)(size + 1) * sizeof *ranks);
  uint8_t* at = skel_reserve(t, 40 + 10 * (size_t)size);
  MPI_Group world;
  if (ranks && at && real.MPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS) {
    int* world_ranks = ranks + size + 1;
    for (int i = 0; i < size; i++) ranks[i] = i;
    if (size) real.MPI_Group_translate_ranks(group, size, ranks, world, world_ranks);
    real.MPI_Group_free(&world);
    at = skel_put(at, SKT_TAG_GROUP);
    at = skel_put(at, SKEL_RAW(group, MPI_GROUP_NULL));
    at = skel_put(at, (uint64_t)size);
    for (int i = 0; i < size; i++) at = skel_put(at, (uint64_t)(world_ranks[i] < 0 ? 0 : world_ranks[i]));
    skel_commit(t, at);
  }
  t->pause += skel_ticks(s->tsc) - begin;
}

static void define_datatype(struct skel_thread* t, uint64_t raw, MPI_Datatype type) {
  int size = 0, length = 0, integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
  MPI_Aint lower = 0, extent = 0;
  char name[MPI_MAX_OBJECT_NAME] = "";
  if (type != MPI_DATATYPE_NULL) {
    real.MPI_Type_size(type, &size);
    real.MPI_Type_get_extent(type, &lower, &extent);
    real.MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    if (combiner == MPI_COMBINER_NAMED) real.MPI_Type_get_name(type, name, &length);
  }
  uint8_t* at = skel_reserve(t, 80 + (size_t)length);
  if (!at) return;
  at = skel_put(at, SKT_TAG_DATATYPE);
  at = skel_put(at, raw);
  at = skel_put_signed(at, size);
  at = skel_put_signed(at, extent);
  at = skel_put(at, (uint64_t)length);
  memcpy(at, name, (size_t)length);
  skel_commit(t, at + length);
}

static const char* op_name(MPI_Op op) {
  const struct {
    MPI_Op op;
    const char* name;
  } known[] = {{MPI_MAX, "MPI_MAX"},         {MPI_MIN, "MPI_MIN"},       {MPI_SUM, "MPI_SUM"},
               {MPI_PROD, "MPI_PROD"},       {MPI_LAND, "MPI_LAND"},     {MPI_BAND, "MPI_BAND"},
               {MPI_LOR, "MPI_LOR"},         {MPI_BOR, "MPI_BOR"},       {MPI_LXOR, "MPI_LXOR"},
               {MPI_BXOR, "MPI_BXOR"},       {MPI_MINLOC, "MPI_MINLOC"}, {MPI_MAXLOC, "MPI_MAXLOC"},
               {MPI_REPLACE, "MPI_REPLACE"}, {MPI_NO_OP, "MPI_NO_OP"}};
  for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
    if (op == known[i].op) return known[i].name;
  return "";
}

static void define_op(struct skel_thread* t, uint64_t raw, MPI_Op op) {
  int commutes = 1;
  if (op != MPI_OP_NULL) real.MPI_Op_commutative(op, &commutes);
  const char* name = op_name(op);
  const size_t length = strlen(name);
  uint8_t* at = skel_reserve(t, 64 + length);
  if (!at) return;
  at = skel_put(at, SKT_TAG_OP);
  at = skel_put(at, raw);
  at = skel_put(at, commutes != 0);
  at = skel_put(at, length);
  memcpy(at, name, length);
  skel_commit(t, at + length);
}

/* From the recorded number back to the handle: both are the same bits. */
#define SKEL_HANDLE(type, raw, null) \
  ((raw) == 0 ? (null) : sizeof(type) == 4 ? (type)(uintptr_t)(uint32_t)(raw) : (type)(uintptr_t)(raw))

static MPI_Comm comm_of(uint64_t raw) { return SKEL_HANDLE(MPI_Comm, raw, MPI_COMM_NULL); }

/* Handles of different kinds may have equal values in MPIs whose handles are pointers: the role is part of what is
 * remembered. */
void skel_define_handle(struct skel_thread* t, uint8_t role, uint64_t raw) {
  enum { kDatatype = 5, kOp = 7, kComm = 11, kGroup = 13 };
  if (role == kComm) {
    if (raw && !skel_defined(&t->defined, raw)) skel_define_comm(t, comm_of(raw));
  } else if (role == kDatatype) {
    if (!skel_defined(&t->defined, raw ^ ((uint64_t)kDatatype << 56)))
      define_datatype(t, raw, SKEL_HANDLE(MPI_Datatype, raw, MPI_DATATYPE_NULL));
  } else if (role == kOp) {
    if (!skel_defined(&t->defined, raw ^ ((uint64_t)kOp << 56)))
      define_op(t, raw, SKEL_HANDLE(MPI_Op, raw, MPI_OP_NULL));
  } else if (role == kGroup) {
    if (!skel_defined(&t->defined, raw ^ ((uint64_t)kGroup << 56)))
      skel_define_group(t, SKEL_HANDLE(MPI_Group, raw, MPI_GROUP_NULL));
  }
}
