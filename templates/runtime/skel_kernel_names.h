/* The family of compute kernels (skel_kernels.h): their numbers, names and speeds. C11 and C++. */
#ifndef SKEL_KERNEL_NAMES_H
#define SKEL_KERNEL_NAMES_H

/* Number, name, and the bytes in which its accesses go round; 0: it works in registers. */
#define SKEL_KERNEL_LIST(X)                                                                                            \
  X(INTEGER, "integer", 0)             /* one chain of multiplications and shifts */                                   \
  X(LOGIC, "logic", 0)                 /* four chains of additions, logic and shifts */                                \
  X(FP_CHAIN, "fp_chain", 0)           /* one chain of multiplications and additions, double */                        \
  X(FP_ADD, "fp_add", 0)               /* eight chains of additions */                                                 \
  X(FP_MUL, "fp_mul", 0)               /* eight chains of multiplications */                                           \
  X(FP_DIVIDE, "fp_divide", 0)         /* four chains of divisions */                                                  \
  X(FP_SQRT, "fp_sqrt", 0)             /* four chains of square roots */                                               \
  X(FMA, "fma", 0)                     /* four chains of multiplications and additions in one, where there are such */ \
  X(PACKED, "packed", 0)               /* eight chains of multiplications and additions of pairs */                    \
  X(CONVERT, "convert", 0)             /* integers to floating point and back */                                       \
  X(ROUND, "round", 0)                 /* one chain: multiplied, rounded to integers, subtracted */                    \
  X(BRANCH, "branch", 0)               /* always the same way, half of them taken */                                   \
  X(BRANCH_RANDOM, "branch_random", 0) /* either way by chance */                                                      \
  X(WAIT, "wait", 0)                   /* 10 us of the thread's processor time, in which nothing is done */            \
  X(LOAD, "load", 16 << 10)            /* words, one after the other */                                                \
  X(STORE, "store", 16 << 10)                                                                                          \
  X(SUM, "sum", 16 << 10)                  /* words, double, added to four sums */                                     \
  X(COPY, "copy", 16 << 10)                /* loops of a word a round: copied */                                       \
  X(COUNT, "count", 16 << 10)              /* one whose number stands in another, increased */                         \
  X(AXPY, "axpy", 16 << 10)                /* multiplied, added to another, stored; double */                          \
  X(TRIAD, "triad", 16 << 10)              /* the same of pairs */                                                     \
  X(GATHER, "gather", 16 << 10)            /* a word, and one whose number stands in a third: multiplied, added up */  \
  X(STENCIL, "stencil", 16 << 10)          /* no loop in sight: three words added, multiplied, stored */               \
  X(BLOCK, "block", 16 << 10)              /* products subtracted and stored */                                        \
  X(PAIRS, "pairs", 16 << 10)              /* the same of pairs */                                                     \
  X(LANES, "lanes", 16 << 10)              /* pairs put together from two rows, multiplied, and taken apart */         \
  X(STREAM_256K, "stream_256k", 256 << 10) /* one load a line */                                                       \
  X(WRITE_256K, "write_256k", 256 << 10)   /* one store a line */                                                      \
  X(STREAM_2M, "stream_2m", 2 << 20)                                                                                   \
  X(WRITE_2M, "write_2m", 2 << 20)                                                                                     \
  X(DEPENDENT_2M, "dependent_2m", 2 << 20) /* lines in random order, each needs the one before */                      \
  X(TRIAD_2M, "triad_2m", 2 << 20)                                                                                     \
  X(GATHER_2M, "gather_2m", 2 << 20)                                                                                   \
  X(STENCIL_2M, "stencil_2m", 2 << 20)                                                                                 \
  X(STREAM_32M, "stream_32m", 32 << 20)                                                                                \
  X(WRITE_32M, "write_32m", 32 << 20)                                                                                  \
  X(DEPENDENT_32M, "dependent_32m", 32 << 20)                                                                          \
  X(TRIAD_32M, "triad_32m", 32 << 20)                                                                                  \
  X(GATHER_32M, "gather_32m", 32 << 20)                                                                                \
  X(STENCIL_32M, "stencil_32m", 32 << 20)

#define SKEL_KERNEL_NUMBER(NUMBER, NAME, BYTES) SKEL_##NUMBER,
enum skel_kernel { SKEL_KERNEL_LIST(SKEL_KERNEL_NUMBER) SKEL_KERNELS };
#undef SKEL_KERNEL_NUMBER

#define SKEL_KERNEL_NAME(NUMBER, NAME, BYTES) NAME,
static const char* const skel_kernel_name[SKEL_KERNELS] = {SKEL_KERNEL_LIST(SKEL_KERNEL_NAME)};
#undef SKEL_KERNEL_NAME

/* Of a kernel: passes a second, and their standard error as a share of them. */
struct skel_speed {
  double passes, noise;
};

#endif
