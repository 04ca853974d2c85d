/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A Valgrind tool: what the computation of a program consists of. It is linked with Valgrind's core, which is under the
 * GNU General Public License, version 2 or later; so is this file and reuse.h. The rest of skelgen starts it as a
 * program of its own.
 *
 * A superblock is cut into segments at its conditional exits, so that all of a segment is executed as often as its
 * counter says. What a segment consists of is added up once, when it is translated. While the program runs each
 * execution of a segment adds one to its counter; a segment whose counter was 0 enters a list, so that what an
 * interval of the program consists of costs as much as it has segments. Whether the line of an access is sampled is
 * decided by inlined code (reuse.h). */
#include "pub_tool_basics.h"
/* behind basics */
#include "libvex_guest_amd64.h"
#include "pub_tool_clreq.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_xarray.h"
#include "requests.h"

static void* skel_allocate_zeroed(SizeT bytes) { return VG_(calloc)("skelgen", 1, bytes); }
#include "reuse.h"

/* Floating point operations have a class for each kind, precision and number of lanes: FP_FIRST + (kind * 2 + double) * 4
 * + log2 lanes. */
enum fp_kind { FP_ADD, FP_MUL, FP_DIV, FP_SQRT, FP_FMA, FP_KINDS };
enum feature {
  INSTRUCTIONS, /* of the program's machine code */
  INTEGER,      /* add, subtract, compare, logic, shift */
  MULTIPLY,     /* of integers */
  DIVIDE,       /* of integers, with or without remainder */
  VECTOR,       /* integers in vectors, logic of vectors, shuffles */
  CONVERT,      /* between integers and floating point, and of its precision */
  FP_OTHER,     /* functions of the x87, estimates */
  PARTS,        /* instructions that write a part of a vector register: a scalar loaded or converted, one of two */
  MOVE,         /* changes of width, pieces put together: mostly no instruction of their own */
  LOADS,
  LOAD_BYTES,
  STORES,
  STORE_BYTES,
  BRANCHES, /* conditional ones */
  TAKEN,
  PATH, /* latency of the dataflow's critical path, in cycles as in latency() */
  FP_FIRST,
  FEATURES = FP_FIRST + FP_KINDS * 8
};

static const HChar* const feature_names[FP_FIRST] = {
    "instructions", "integer", "multiply",   "divide", "vector",      "convert",  "fp_other", "parts",
    "move",         "loads",   "load_bytes", "stores", "store_bytes", "branches", "taken",    "path"};
static const HChar* const fp_names[FP_KINDS] = {"add", "mul", "div", "sqrt", "fma"};

struct segment {
  ULong count; /* in the interval that is under way */
  struct segment*
      after;     /* of the exit that ends it, when it is not taken; NULL: no conditional branch of the program */
  Bool inverted; /* the program's branch is taken when the exit is not */
  UInt features[FEATURES];
};

/* A thread's interval. */
struct interval {
  Bool counts; /* the thread computes, it is not in a call of MPI */
  Bool paused; /* the histograms lack what came in pauses */
  ULong features[FEATURES];
  ULong reuse[2][SKEL_REUSE_BUCKETS]; /* of loads, of stores */
};

static const HChar *option_out = NULL, *option_stop = NULL;
static Bool option_intervals = False; /* only what is between requests counts, and each interval is told of */
static Int option_lines = 2048;
static Long option_burst = 50000; /* reuses of followed lines between two pauses; 0: no pauses */

static ULong threshold; /* reuse.threshold while the running thread counts and reuse is followed, else 0 */
static struct skel_reuse reuse;
static XArray* touched; /* of struct segment* */
static struct interval *intervals, total;
static ThreadId running = 0;
static ULong segments;
static VgFile* file;
static HChar *out_name, *partial_name;
static Bool is_child, has_begun, is_done;

/* ---- what an operation is -------------------------------------------------------------------------------------- */

static UInt fp(enum fp_kind kind, Bool is_double, UInt lanes_log2) {
  return FP_FIRST + (kind * 2u + (is_double ? 1u : 0u)) * 4u + lanes_log2;
}

#define FP_VECTORS(NAME, KIND) \
  case Iop_##NAME##32F0x4:     \
    return fp(KIND, False, 0); \
  case Iop_##NAME##32Fx2:      \
    return fp(KIND, False, 1); \
  case Iop_##NAME##32Fx4:      \
    return fp(KIND, False, 2); \
  case Iop_##NAME##64F0x2:     \
    return fp(KIND, True, 0);  \
  case Iop_##NAME##64Fx2:      \
    return fp(KIND, True, 1)
#define FP_WIDE(NAME, KIND)    \
  case Iop_##NAME##32Fx8:      \
    return fp(KIND, False, 3); \
  case Iop_##NAME##64Fx4:      \
    return fp(KIND, True, 2)
#define FP_SCALARS(NAME, KIND) \
  case Iop_##NAME##F32:        \
    return fp(KIND, False, 0); \
  case Iop_##NAME##F64:        \
    return fp(KIND, True, 0)

static UInt class_of(IROp op, IRType result) {
  switch (op) {
    FP_VECTORS(Add, FP_ADD);
    FP_WIDE(Add, FP_ADD);
    FP_SCALARS(Add, FP_ADD);
    FP_WIDE(Sub, FP_ADD);
    FP_SCALARS(Sub, FP_ADD);
    FP_VECTORS(Sub, FP_ADD);
    FP_VECTORS(Min, FP_ADD);
    FP_WIDE(Min, FP_ADD);
    FP_VECTORS(Max, FP_ADD);
    FP_WIDE(Max, FP_ADD);
    FP_VECTORS(Mul, FP_MUL);
    FP_WIDE(Mul, FP_MUL);
    FP_SCALARS(Mul, FP_MUL);
    case Iop_Div32F0x4:
      return fp(FP_DIV, False, 0);
    case Iop_Div32Fx4:
      return fp(FP_DIV, False, 2);
    case Iop_Div64F0x2:
      return fp(FP_DIV, True, 0);
    case Iop_Div64Fx2:
      return fp(FP_DIV, True, 1);
      FP_WIDE(Div, FP_DIV);
      FP_SCALARS(Div, FP_DIV);
    case Iop_Sqrt32F0x4:
      return fp(FP_SQRT, False, 0);
    case Iop_Sqrt32Fx4:
      return fp(FP_SQRT, False, 2);
    case Iop_Sqrt64F0x2:
      return fp(FP_SQRT, True, 0);
    case Iop_Sqrt64Fx2:
      return fp(FP_SQRT, True, 1);
      FP_WIDE(Sqrt, FP_SQRT);
      FP_SCALARS(Sqrt, FP_SQRT);
      FP_SCALARS(MAdd, FP_FMA);
      FP_SCALARS(MSub, FP_FMA);
    case Iop_CmpF32:
    case Iop_CmpEQ32F0x4:
    case Iop_CmpLT32F0x4:
    case Iop_CmpLE32F0x4:
    case Iop_CmpUN32F0x4:
      return fp(FP_ADD, False, 0);
    case Iop_CmpF64:
    case Iop_CmpEQ64F0x2:
    case Iop_CmpLT64F0x2:
    case Iop_CmpLE64F0x2:
    case Iop_CmpUN64F0x2:
      return fp(FP_ADD, True, 0);
    case Iop_CmpEQ32Fx4:
    case Iop_CmpLT32Fx4:
    case Iop_CmpLE32Fx4:
    case Iop_CmpUN32Fx4:
      return fp(FP_ADD, False, 2);
    case Iop_CmpEQ64Fx2:
    case Iop_CmpLT64Fx2:
    case Iop_CmpLE64Fx2:
    case Iop_CmpUN64Fx2:
      return fp(FP_ADD, True, 1);
    case Iop_F64toI16S:
    case Iop_F64toI32S:
    case Iop_F64toI32U:
    case Iop_F64toI64S:
    case Iop_F64toI64U:
    case Iop_I32StoF64:
    case Iop_I32UtoF64:
    case Iop_I64StoF64:
    case Iop_I64UtoF64:
    case Iop_I64StoF32:
    case Iop_I64UtoF32:
    case Iop_I32StoF32:
    case Iop_I32UtoF32:
    case Iop_F32toI32S:
    case Iop_F32toI32U:
    case Iop_F32toI64S:
    case Iop_F32toI64U:
    case Iop_F32toF64:
    case Iop_F64toF32:
    case Iop_RoundF64toInt:
    case Iop_RoundF32toInt:
    case Iop_RoundF64toF32:
    case Iop_I32StoF32x4:
    case Iop_I32StoF32x8:
    case Iop_F32toI32Sx4:
    case Iop_F32toI32Sx8:
      return CONVERT;
    case Iop_Mul8:
    case Iop_Mul16:
    case Iop_Mul32:
    case Iop_Mul64:
    case Iop_MullS8:
    case Iop_MullS16:
    case Iop_MullS32:
    case Iop_MullS64:
    case Iop_MullU8:
    case Iop_MullU16:
    case Iop_MullU32:
    case Iop_MullU64:
      return MULTIPLY;
    case Iop_DivU32:
    case Iop_DivS32:
    case Iop_DivU64:
    case Iop_DivS64:
    case Iop_DivModU64to32:
    case Iop_DivModS64to32:
    case Iop_DivModU128to64:
    case Iop_DivModS128to64:
    case Iop_DivModS64to64:
    case Iop_DivModU64to64:
    case Iop_DivModU32to32:
    case Iop_DivModS32to32:
      return DIVIDE;
    case Iop_8HLto16:
    case Iop_16HLto32:
    case Iop_32HLto64:
    case Iop_64HLto128:
    case Iop_64HLtoV128:
    case Iop_V128HLtoV256:
    case Iop_64x4toV256:
    case Iop_ReinterpF64asI64:
    case Iop_ReinterpI64asF64:
    case Iop_ReinterpF32asI32:
    case Iop_ReinterpI32asF32:
    case Iop_SetV128lo32:
    case Iop_SetV128lo64:
      return MOVE;
    default:
      break;
  }
  switch (result) {
    case Ity_V128:
    case Ity_V256:
      return VECTOR;
    case Ity_F16:
    case Ity_F32:
    case Ity_F64:
    case Ity_F128:
      return FP_OTHER;
    default:
      return INTEGER;
  }
}

/* Changes of width, of which machine code has none of its own. */
static Bool is_move(IROp op) {
  switch (op) {
    case Iop_Not8:
    case Iop_Not16:
    case Iop_Not32:
    case Iop_Not64:
    case Iop_Clz64:
    case Iop_Ctz64:
    case Iop_Clz32:
    case Iop_Ctz32:
    case Iop_ClzNat64:
    case Iop_CtzNat64:
    case Iop_ClzNat32:
    case Iop_CtzNat32:
    case Iop_PopCount32:
    case Iop_PopCount64:
      return False;
    default:
      return True;
  }
}

/* Cycles from operands to result, as on today's x86 processors within a factor of two (Fog, Instruction tables, 2022). */
static UInt latency(UInt class) {
  if (class >= FP_FIRST) {
    static const UInt of_kind[FP_KINDS] = {4, 4, 13, 18, 4};
    return of_kind[(class - FP_FIRST) / 8];
  }
  switch (class) {
    case MOVE:
      return 0;
    case MULTIPLY:
      return 3;
    case DIVIDE:
      return 18;
    case CONVERT:
      return 5;
    case FP_OTHER:
      return 20;
    case LOADS:
      return 5;
    default:
      return 1;
  }
}

static UInt log2_of(UInt n) {
  UInt log2 = 0;
  while (n >= 2) n /= 2, log2++;
  return log2 < 3 ? log2 : 3;
}

/* ---- while the program runs ------------------------------------------------------------------------------------ */

/* Reuse is followed in bursts (as Hirzel & Chilimbi 2001 trace): after so many reuses of followed lines there is a
 * pause of kPause times as many superblocks, in which an access costs what it takes to see that. A reuse is an access
 * with others between; of those that follow each other closely kNear count as one, so that a burst comes to the same
 * lines many times. The order of the lines stays what it was, so that the first accesses behind a pause have about the
 * right distances in a program that goes on as before. Each interval begins with a burst, so that each has histograms. */
static const ULong kPause = 15, kNear = 64;
static struct {
  Bool paused;
  ULong reuses;              /* in the burst that is under way, times kNear */
  ULong begun, resumes, now; /* superblocks; resumes: 0: not known yet */
} burst;

static void set_threshold(void) { threshold = intervals[running].counts && !burst.paused ? reuse.threshold : 0; }

static void begin_burst(void) {
  burst.paused = False;
  burst.reuses = 0;
  burst.begun = burst.now;
}

/* How far the program has come is known now and then only. */
static void go_on(ULong blocks) {
  burst.now = blocks;
  if (!burst.paused) return;
  if (burst.resumes == 0) {
    burst.resumes = blocks + kPause * (blocks - burst.begun + 1);
  } else if (blocks >= burst.resumes) {
    begin_burst();
    set_threshold();
  }
}

static void touch_segment(struct segment* s) { VG_(addToXA)(touched, &s); }

static void touch_line(UWord address, UWord is_store) {
  ULong weight;
  const UInt bucket = skel_reuse_touch(&reuse, address >> 6, &weight);
  intervals[running].reuse[is_store][bucket] += weight;
  burst.reuses += bucket < 4 ? 1 : kNear;
  if (option_burst && burst.reuses >= kNear * (ULong)option_burst) {
    burst.paused = True;
    burst.resumes = 0;
    intervals[running].paused = True;
  }
  set_threshold();
}

/* Adds the segments executed since the last call to the running thread's interval; drops them if the thread is in MPI. */
static void settle(void) {
  struct interval* const own = &intervals[running];
  const Word n = VG_(sizeXA)(touched);
  if (own->counts)
    for (Word i = 0; i < n; i++) {
      const struct segment* const s = *(struct segment**)VG_(indexXA)(touched, i);
      for (UInt f = 0; f < FEATURES; f++) own->features[f] += s->features[f] * s->count;
      if (!s->after) continue;
      const ULong passed = s->after->count < s->count ? s->after->count : s->count;
      own->features[TAKEN] += s->inverted ? passed : s->count - passed;
    }
  for (Word i = 0; i < n; i++) (*(struct segment**)VG_(indexXA)(touched, i))->count = 0;
  VG_(dropTailXA)(touched, n);
}

static void run_thread(ThreadId thread, ULong blocks) {
  if (blocks) go_on(blocks);
  if (thread == running) return;
  settle();
  running = thread;
  if (burst.paused) intervals[running].paused = True;
  set_threshold();
}

static void name_feature(HChar* name, UInt f) {
  if (f < FP_FIRST)
    VG_(strcpy)(name, feature_names[f]);
  else
    VG_(sprintf)
  (name, "fp%ux%u_%s", (f - FP_FIRST) / 4 % 2 ? 64u : 32u, 1u << (f - FP_FIRST) % 4, fp_names[(f - FP_FIRST) / 8]);
}

static void write_reuse(const struct interval* of, const HChar* separator, const HChar* end) {
  static const HChar* const kinds[2] = {"load", "store"};
  for (UInt k = 0; k < 2; k++)
    for (UInt b = 0; b < SKEL_REUSE_BUCKETS; b++)
      if (of->reuse[k][b]) VG_(fprintf)(file, "%s%s_reuse %u %llu%s", separator, kinds[k], b, of->reuse[k][b], end);
}

/* Intervals that were told of: equal ones are written once. Two hashes of 64 bits stand for what is in one. */
static struct {
  struct known {
    ULong hash[2];
    UInt number; /* 1 + how many different ones came before; 0: free */
  } * table;
  UInt slots, used; /* slots: a power of two */
} told;

static struct known* find_told(const ULong hash[2]) {
  UInt slot = (UInt)hash[0] & (told.slots - 1);
  while (told.table[slot].number && (told.table[slot].hash[0] != hash[0] || told.table[slot].hash[1] != hash[1]))
    slot = (slot + 1) & (told.slots - 1);
  return &told.table[slot];
}

static void hash_counts(ULong hash[2], const ULong* counts, UInt many, UInt first) {
  for (UInt i = 0; i < many; i++) {
    if (!counts[i]) continue;
    for (UInt h = 0; h < 2; h++) {
      hash[h] = (hash[h] ^ (counts[i] * 1024 + first + i)) * (h ? SKEL_REUSE_MIX1 : SKEL_REUSE_MIX2);
      hash[h] ^= hash[h] >> 29;
    }
  }
}

/* The number of an equal interval that was told of before, 1 + how many different ones came before it; 0: there is none. */
static UInt told_before(const struct interval* own) {
  if (2 * (told.used + 1) > told.slots) {
    struct known* const old = told.table;
    const UInt slots = told.slots;
    told.slots = slots ? 2 * slots : 1024;
    told.table = skel_allocate_zeroed(told.slots * sizeof *told.table);
    for (UInt i = 0; i < slots; i++)
      if (old[i].number) *find_told(old[i].hash) = old[i];
    if (old) VG_(free)(old);
  }
  ULong hash[2] = {1, 2};
  hash_counts(hash, own->features, FEATURES, 0);
  for (UInt k = 0; k < 2; k++) hash_counts(hash, own->reuse[k], SKEL_REUSE_BUCKETS, FEATURES + k * SKEL_REUSE_BUCKETS);
  struct known* const known = find_told(hash);
  if (known->number) return known->number;
  known->hash[0] = hash[0];
  known->hash[1] = hash[1];
  known->number = ++told.used;
  return 0;
}

/* What came in pauses is taken to be as what was followed: the histograms get the sums of all accesses. */
static void fill_pauses(struct interval* own) {
  static const UInt accesses[2] = {LOADS, STORES};
  for (UInt k = 0; k < 2; k++) {
    ULong sum = 0;
    for (UInt b = 0; b < SKEL_REUSE_BUCKETS; b++) sum += own->reuse[k][b];
    if (sum == 0) continue;
    for (UInt b = 0; b < SKEL_REUSE_BUCKETS; b++)
      own->reuse[k][b] = (ULong)((double)own->reuse[k][b] * (double)own->features[accesses[k]] / (double)sum);
  }
}

/* Adds the running thread's interval to the total. */
static void end_interval(Bool tell) {
  struct interval* const own = &intervals[running];
  settle();
  if (own->paused) fill_pauses(own);
  own->paused = False;
  for (UInt f = 0; f < FEATURES; f++) total.features[f] += own->features[f];
  for (UInt k = 0; k < 2; k++)
    for (UInt b = 0; b < SKEL_REUSE_BUCKETS; b++) total.reuse[k][b] += own->reuse[k][b];
  const UInt before = tell && file && !is_child ? told_before(own) : 0;
  if (before) {
    VG_(fprintf)(file, "again %u %u\n", running, before - 1);
  } else if (tell && file && !is_child) {
    VG_(fprintf)(file, "interval %u", running);
    for (UInt f = 0; f < FEATURES; f++)
      if (own->features[f]) VG_(fprintf)(file, " %u %llu", f, own->features[f]);
    write_reuse(own, " ", "");
    VG_(fprintf)(file, "\n");
  }
  VG_(memset)(own->features, 0, sizeof own->features);
  VG_(memset)(own->reuse, 0, sizeof own->reuse);
}

/* From here on nothing counts any more. */
static void write_end(void) {
  if (is_child || is_done) return;
  settle();
  for (running = 0; running < VG_N_THREADS; running++) {
    end_interval(False);
    intervals[running].counts = False;
  }
  running = 0;
  threshold = 0;
  is_done = True;
  for (UInt f = 0; f < FEATURES; f++) {
    HChar name[64];
    name_feature(name, f);
    VG_(fprintf)(file, "total %s %llu\n", name, total.features[f]);
  }
  write_reuse(&total, "", "\n");
  VG_(fprintf)(file, "segments %llu\nsampled_shift %u\nend\n", segments, reuse.shift);
  VG_(fclose)(file);
  file = NULL;
  if (VG_(rename)(partial_name, out_name) != 0) VG_(fmsg)("%s: cannot be given its name\n", out_name);
}

/* The lines written so far stay if the process is killed. */
static void save(void) {
  VG_(fclose)(file);
  file = VG_(fopen)(partial_name, VKI_O_APPEND | VKI_O_WRONLY, 0);
  if (file) return;
  VG_(fmsg)("%s: cannot be written\n", partial_name);
  VG_(exit)(1);
}

static Bool request(ThreadId thread, UWord* arguments, UWord* result) {
  if (!VG_IS_TOOL_USERREQ('S', 'G', arguments[0])) return False;
  *result = 1; /* there is a tool */
  if (arguments[0] == SKEL_PROFILE_BEGIN) {
    has_begun = True;
    if (file && !is_child) {
      VG_(fprintf)(file, "rank %lu\n", arguments[1]);
      save(); /* without its rank a profile is of no use */
    }
  }
  if (!option_intervals || !has_begun || is_done) return True;
  run_thread(thread, 0);
  struct interval* const own = &intervals[thread];
  if (arguments[0] == SKEL_PROFILE_ENTER && own->counts) {
    end_interval(True);
    own->counts = False;
    struct vg_stat status;
    if (option_stop && !sr_isError(VG_(stat)(option_stop, &status))) write_end();
  } else if (arguments[0] == SKEL_PROFILE_LEAVE || arguments[0] == SKEL_PROFILE_BEGIN) {
    settle();
    own->counts = True;
    begin_burst();
  }
  set_threshold();
  return True;
}

/* ---- translation ----------------------------------------------------------------------------------------------- */

struct translation {
  IRSB *in, *out;
  struct segment* segment;
  Bool part;           /* the instruction writes a part of a vector register */
  UInt fma, fma_class; /* of one instruction: Valgrind makes a vector's lanes one by one */
  UInt deepest, before;
  UInt* depth;          /* of temporaries */
  UInt registers[4096]; /* of the guest state, by offset */
};

static UInt depth_of(const struct translation* t, const IRExpr* e) {
  return e->tag == Iex_RdTmp ? t->depth[e->Iex.RdTmp.tmp] : 0;
}

static UInt deeper(UInt a, UInt b) { return a > b ? a : b; }

static IRExpr* assign(struct translation* t, IRType type, IRExpr* value) {
  const IRTemp tmp = newIRTemp(t->out->tyenv, type);
  addStmtToIRSB(t->out, IRStmt_WrTmp(tmp, value));
  return IRExpr_RdTmp(tmp);
}

static IRExpr* binary(struct translation* t, IROp op, IRType type, IRExpr* a, IRExpr* b) {
  return assign(t, type, IRExpr_Binop(op, a, b));
}

static IRExpr* constant(const void* address) { return IRExpr_Const(IRConst_U64((ULong)(Addr)address)); }

static void begin_segment(struct translation* t) {
  struct segment* const s = VG_(calloc)("skelgen.segment", 1, sizeof *s);
  segments++;
  t->segment = s;
  IRExpr* const count = assign(t, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, constant(&s->count)));
  IRDirty* const first =
      unsafeIRDirty_0_N(1, "touch_segment", VG_(fnptr_to_fnentry)(&touch_segment), mkIRExprVec_1(constant(s)));
  first->guard = binary(t, Iop_CmpEQ64, Ity_I1, count, IRExpr_Const(IRConst_U64(0)));
  addStmtToIRSB(t->out, IRStmt_Dirty(first));
  IRExpr* const more = binary(t, Iop_Add64, Ity_I64, count, IRExpr_Const(IRConst_U64(1)));
  addStmtToIRSB(t->out, IRStmt_Store(Iend_LE, constant(&s->count), more));
}

static Bool is_part(Int offset, IRType type) {
  const Int first = offsetof(VexGuestAMD64State, guest_YMM0), end = offsetof(VexGuestAMD64State, guest_YMM16);
  return offset >= first && offset < end && (offset - first) % 32 < 16 && sizeofIRType(type) < 16;
}

static void end_instruction(struct translation* t) {
  if (t->fma) t->segment->features[t->fma_class + log2_of(t->fma)]++;
  if (t->part) t->segment->features[PARTS]++;
  t->fma = 0;
  t->part = False;
}

/* The path grows by what this segment made longer. */
static void end_segment(struct translation* t) {
  end_instruction(t);
  t->segment->features[PATH] = t->deepest - t->before;
  t->before = t->deepest;
}

/* guard: NULL: the access is made always. */
static void access_memory(struct translation* t, Bool is_store, IRExpr* address, UInt bytes, IRExpr* guard) {
  t->segment->features[is_store ? STORES : LOADS]++;
  t->segment->features[is_store ? STORE_BYTES : LOAD_BYTES] += bytes;
  IRExpr* const line = binary(t, Iop_Shr64, Ity_I64, address, IRExpr_Const(IRConst_U8(6)));
  IRExpr* hash = binary(t, Iop_Mul64, Ity_I64, line, IRExpr_Const(IRConst_U64(SKEL_REUSE_MIX1)));
  hash = binary(t, Iop_Xor64, Ity_I64, hash, binary(t, Iop_Shr64, Ity_I64, hash, IRExpr_Const(IRConst_U8(32))));
  hash = binary(t, Iop_Mul64, Ity_I64, hash, IRExpr_Const(IRConst_U64(SKEL_REUSE_MIX2)));
  hash = binary(t, Iop_Shr64, Ity_I64, hash, IRExpr_Const(IRConst_U8(64 - SKEL_REUSE_BITS)));
  IRExpr* const below = assign(t, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, constant(&threshold)));
  IRExpr* sampled = binary(t, Iop_CmpLT64U, Ity_I1, hash, below);
  if (guard) {
    IRExpr* const both = binary(t, Iop_And64, Ity_I64, assign(t, Ity_I64, IRExpr_Unop(Iop_1Uto64, sampled)),
                                assign(t, Ity_I64, IRExpr_Unop(Iop_1Uto64, guard)));
    sampled = assign(t, Ity_I1, IRExpr_Unop(Iop_64to1, both));
  }
  IRDirty* const call = unsafeIRDirty_0_N(2, "touch_line", VG_(fnptr_to_fnentry)(&touch_line),
                                          mkIRExprVec_2(address, IRExpr_Const(IRConst_U64(is_store))));
  call->guard = sampled;
  addStmtToIRSB(t->out, IRStmt_Dirty(call));
}

static void count_operation(struct translation* t, UInt class) {
  if (class >= FP_FIRST + FP_FMA * 8) {
    t->fma++;
    t->fma_class = class;
  } else {
    t->segment->features[class]++;
  }
}

/* Counts what the expression does; returns when its value is there. */
static UInt evaluate(struct translation* t, const IRExpr* e) {
  const IRType type = typeOfIRExpr(t->in->tyenv, e);
  UInt class = MOVE, depth = 0;
  switch (e->tag) {
    case Iex_Get:
      return t->registers[e->Iex.Get.offset & 4095];
    case Iex_RdTmp:
      return depth_of(t, e);
    case Iex_Load:
      access_memory(t, False, e->Iex.Load.addr, sizeofIRType(type), NULL);
      return depth_of(t, e->Iex.Load.addr) + latency(LOADS);
    case Iex_Unop:
      class = class_of(e->Iex.Unop.op, type);
      if (class == INTEGER && is_move(e->Iex.Unop.op)) class = MOVE;
      depth = depth_of(t, e->Iex.Unop.arg);
      break;
    case Iex_Binop:
      class = class_of(e->Iex.Binop.op, type);
      depth = deeper(depth_of(t, e->Iex.Binop.arg1), depth_of(t, e->Iex.Binop.arg2));
      break;
    case Iex_Triop: {
      const IRTriop* const o = e->Iex.Triop.details;
      class = class_of(o->op, type);
      depth = deeper(depth_of(t, o->arg1), deeper(depth_of(t, o->arg2), depth_of(t, o->arg3)));
      break;
    }
    case Iex_Qop: {
      const IRQop* const o = e->Iex.Qop.details;
      class = class_of(o->op, type);
      depth = deeper(deeper(depth_of(t, o->arg1), depth_of(t, o->arg2)),
                     deeper(depth_of(t, o->arg3), depth_of(t, o->arg4)));
      break;
    }
    case Iex_ITE:
      class = INTEGER; /* a conditional move */
      depth =
          deeper(depth_of(t, e->Iex.ITE.cond), deeper(depth_of(t, e->Iex.ITE.iftrue), depth_of(t, e->Iex.ITE.iffalse)));
      break;
    case Iex_CCall: /* flags */
      for (UInt i = 0; e->Iex.CCall.args[i]; i++) depth = deeper(depth, depth_of(t, e->Iex.CCall.args[i]));
      return depth + 1;
    default:
      return 0;
  }
  count_operation(t, class);
  return depth + latency(class);
}

static IRSB* instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* layout,
                        const VexGuestExtents* extents, const VexArchInfo* host, IRType guest_word, IRType host_word) {
  (void)closure, (void)layout, (void)extents, (void)host, (void)guest_word, (void)host_word;
  static struct translation t; /* translations are made one by one */
  VG_(memset)(&t, 0, sizeof t);
  t.in = in;
  t.out = deepCopyIRSBExceptStmts(in);
  t.depth = VG_(calloc)("skelgen.depth", (SizeT)in->tyenv->types_used + 1, sizeof *t.depth);
  Int i = 0;
  while (i < in->stmts_used && in->stmts[i]->tag != Ist_IMark) addStmtToIRSB(t.out, in->stmts[i++]);
  Addr instruction = 0;
  UInt instruction_bytes = 0;
  begin_segment(&t);
  for (; i < in->stmts_used; i++) {
    IRStmt* const s = in->stmts[i];
    switch (s->tag) {
      case Ist_IMark:
        end_instruction(&t);
        instruction = s->Ist.IMark.addr;
        instruction_bytes = s->Ist.IMark.len;
        t.segment->features[INSTRUCTIONS]++;
        addStmtToIRSB(t.out, s);
        break;
      case Ist_WrTmp:
        t.depth[s->Ist.WrTmp.tmp] = evaluate(&t, s->Ist.WrTmp.data);
        t.deepest = deeper(t.deepest, t.depth[s->Ist.WrTmp.tmp]);
        addStmtToIRSB(t.out, s);
        break;
      case Ist_Put:
        if (is_part(s->Ist.Put.offset, typeOfIRExpr(in->tyenv, s->Ist.Put.data))) t.part = True;
        t.registers[s->Ist.Put.offset & 4095] = depth_of(&t, s->Ist.Put.data);
        addStmtToIRSB(t.out, s);
        break;
      case Ist_Store:
        access_memory(&t, True, s->Ist.Store.addr, sizeofIRType(typeOfIRExpr(in->tyenv, s->Ist.Store.data)), NULL);
        addStmtToIRSB(t.out, s);
        break;
      case Ist_StoreG: {
        const IRStoreG* const d = s->Ist.StoreG.details;
        access_memory(&t, True, d->addr, sizeofIRType(typeOfIRExpr(in->tyenv, d->data)), d->guard);
        addStmtToIRSB(t.out, s);
        break;
      }
      case Ist_LoadG: {
        const IRLoadG* const d = s->Ist.LoadG.details;
        IRType wide, narrow;
        typeOfIRLoadGOp(d->cvt, &wide, &narrow);
        access_memory(&t, False, d->addr, sizeofIRType(narrow), d->guard);
        t.depth[d->dst] = depth_of(&t, d->addr) + latency(LOADS);
        t.deepest = deeper(t.deepest, t.depth[d->dst]);
        addStmtToIRSB(t.out, s);
        break;
      }
      case Ist_CAS: {
        const IRCAS* const d = s->Ist.CAS.details;
        const UInt bytes = sizeofIRType(typeOfIRExpr(in->tyenv, d->dataLo)) * (d->dataHi ? 2u : 1u);
        access_memory(&t, False, d->addr, bytes, NULL);
        access_memory(&t, True, d->addr, bytes, NULL);
        addStmtToIRSB(t.out, s);
        break;
      }
      case Ist_Dirty: {
        const IRDirty* const d = s->Ist.Dirty.details;
        if (d->mFx == Ifx_Read || d->mFx == Ifx_Modify) access_memory(&t, False, d->mAddr, (UInt)d->mSize, NULL);
        if (d->mFx == Ifx_Write || d->mFx == Ifx_Modify) access_memory(&t, True, d->mAddr, (UInt)d->mSize, NULL);
        addStmtToIRSB(t.out, s);
        break;
      }
      case Ist_Exit: {
        struct segment* const before = t.segment;
        const Addr to = (Addr)s->Ist.Exit.dst->Ico.U64;
        /* An exit to the instruction itself is a string instruction's loop, not a branch. */
        const Bool is_branch = s->Ist.Exit.jk == Ijk_Boring && s->Ist.Exit.guard->tag != Iex_Const && to != instruction;
        if (is_branch) before->features[BRANCHES]++;
        end_segment(&t);
        addStmtToIRSB(t.out, s);
        begin_segment(&t);
        if (is_branch) {
          before->after = t.segment;
          before->inverted = to == instruction + instruction_bytes;
        }
        break;
      }
      default:
        addStmtToIRSB(t.out, s);
    }
  }
  end_segment(&t);
  VG_(free)(t.depth);
  return t.out;
}

/* ---- begin and end --------------------------------------------------------------------------------------------- */

static void forget_in_child(ThreadId thread) {
  (void)thread;
  is_child = True; /* the file is the parent's */
}

static Bool read_option(const HChar* argument) {
  if VG_STR_CLO (argument, "--out", option_out) {
  } else if VG_STR_CLO (argument, "--stop", option_stop) {
  } else if VG_BOOL_CLO (argument, "--intervals", option_intervals) {
  } else if VG_BINT_CLO (argument, "--lines", option_lines, 16, 1 << 20) {
  } else if VG_BINT_CLO (argument, "--burst", option_burst, 0, 1ll << 40) {
  } else {
    return False;
  }
  return True;
}

static void print_usage(void) {
  VG_(printf)
  ("    --out=FILE          where the profile goes; %%p: the process [skelgen-profile.%%p]\n"
   "    --intervals=no|yes  only between requests; one line for each interval [no]\n"
   "    --stop=FILE         with --intervals=yes: the profile ends when there is such a file\n"
   "    --lines=N           lines whose reuse is followed at a time [2048]\n"
   "    --burst=N           reuses of these lines between pauses, 0: no pauses [50000]\n");
}

static void print_debug_usage(void) { VG_(printf)("    (none)\n"); }

/* Under its own name there is only ever a whole file. */
static void begin(void) {
  out_name = VG_(expand_file_name)("--out", option_out ? option_out : "skelgen-profile.%p");
  partial_name = VG_(malloc)("skelgen.name", VG_(strlen)(out_name) + sizeof ".partial");
  VG_(sprintf)(partial_name, "%s.partial", out_name);
  file = VG_(fopen)(partial_name, VKI_O_CREAT | VKI_O_TRUNC | VKI_O_WRONLY,
                    VKI_S_IRUSR | VKI_S_IWUSR | VKI_S_IRGRP | VKI_S_IROTH);
  if (!file) {
    VG_(fmsg)("%s: cannot be written\n", partial_name);
    VG_(exit)(1);
  }
  VG_(fprintf)(file, "skelgen-profile 1\n");
  for (UInt f = 0; f < FEATURES; f++) {
    HChar name[64];
    name_feature(name, f);
    VG_(fprintf)(file, "feature %u %s\n", f, name);
  }
  skel_reuse_begin(&reuse, (UInt)option_lines);
  touched = VG_(newXA)(VG_(malloc), "skelgen.touched", VG_(free), sizeof(struct segment*));
  intervals = VG_(calloc)("skelgen.intervals", VG_N_THREADS, sizeof *intervals);
  for (UInt i = 0; i < VG_N_THREADS; i++) intervals[i].counts = !option_intervals;
  set_threshold();
  VG_(atfork)(NULL, NULL, forget_in_child);
}

static void finish(Int status) {
  (void)status;
  write_end();
}

static void describe(void) {
  VG_(details_name)("skelgen profile");
  VG_(details_version)(NULL);
  VG_(details_description)("what the computation of a program consists of");
  VG_(details_copyright_author)("Under the GNU General Public License, version 2 or later.");
  VG_(details_bug_reports_to)("skelgen's issue tracker");
  VG_(details_avg_translation_sizeB)(400);
  VG_(basic_tool_funcs)(begin, instrument, finish);
  VG_(needs_command_line_options)(read_option, print_usage, print_debug_usage);
  VG_(needs_client_requests)(request);
  VG_(track_start_client_code)(run_thread);
}

VG_DETERMINE_INTERFACE_VERSION(describe)
