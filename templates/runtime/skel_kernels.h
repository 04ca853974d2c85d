/* The compute kernels by which computation is carried to another machine. Their speeds are measured at trace time, by
 * `skelgen calibrate`, and again by the skeleton; the Valgrind tool says once what a pass of each consists of. All of
 * them use exactly these loops. C11 with what GCC and Clang add to it: empty asm statements keep the operations as they are
 * written, so that none is left out, joined, or done for several elements at once, whatever optimization is asked for; without
 * any (-O0), which would add operations, GCC optimizes this file all the same. */
#ifndef SKEL_KERNELS_H
#define SKEL_KERNELS_H

#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__)
#pragma GCC push_options
#pragma GCC optimize("O2")
#define SKEL_OPTIMIZED_HERE
#endif

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "skel_kernel_names.h"

#define SKEL_KERNEL_AREA ((size_t)32 << 20) /* larger than the caches that one core has for itself */
#define SKEL_KERNEL_LINE 64
#define SKEL_KERNEL_ALIGNED ((size_t)2 << 20) /* that the area should be, for large pages */
#define SKEL_LINES_OF_PASS 32
/* Iterations in a pass of `integer`, bytes in one of `stream_32m`. */
#define SKEL_REGISTER_UNITS 8.0
#define SKEL_MEMORY_UNITS ((double)(SKEL_LINES_OF_PASS * SKEL_KERNEL_LINE))

/* What kernels of one thread work on. */
struct skel_kernels {
  char* area; /* SKEL_KERNEL_AREA bytes, all 0, aligned to lines; NULL: kernels that access memory do nothing */
  uint64_t at[SKEL_KERNELS]; /* where each of these stands */
};

typedef double skel_pair __attribute__((vector_size(16)));

#define SKEL_KEEP(x) __asm__ volatile("" : "+r"(x))
#if defined(__x86_64__) || defined(__i386__)
#define SKEL_KEEP_FP(x) __asm__ volatile("" : "+x"(x))
#elif defined(__aarch64__)
#define SKEL_KEEP_FP(x) __asm__ volatile("" : "+w"(x))
#else
#define SKEL_KEEP_FP(x) __asm__ volatile("" : "+m"(x))
#endif

/* An operation on each chain. */
#define SKEL_EACH_OF_4(OP) \
  OP(x0);                  \
  OP(x1);                  \
  OP(x2);                  \
  OP(x3);
#define SKEL_EACH_OF_8(OP) \
  SKEL_EACH_OF_4(OP)       \
  OP(x4);                  \
  OP(x5);                  \
  OP(x6);                  \
  OP(x7);
#define SKEL_4_TIMES(OP, x) \
  OP(x);                    \
  OP(x);                    \
  OP(x);                    \
  OP(x);

/* ------------------------------------------------------------------ in registers */

static inline uint64_t skel_integer(uint64_t passes) {
  uint64_t x = passes | 1, m = UINT64_C(6364136223846793005);
  SKEL_KEEP(m);
#define SKEL_STEP(x) \
  x *= m;            \
  x ^= x >> 29
  for (; passes; passes--) {
    SKEL_4_TIMES(SKEL_STEP, x)
    SKEL_4_TIMES(SKEL_STEP, x)
    SKEL_KEEP(x);
  }
#undef SKEL_STEP
  return x;
}

static inline uint64_t skel_logic(uint64_t passes) {
  uint64_t a = passes, b = 1, c = 2, d = 3, m = 5;
  SKEL_KEEP(m);
#define SKEL_STEP(m) \
  a += m;            \
  SKEL_KEEP(a);      \
  b ^= m;            \
  SKEL_KEEP(b);      \
  c -= m;            \
  SKEL_KEEP(c);      \
  d >>= 1;           \
  SKEL_KEEP(d)
  for (; passes; passes--) {
    SKEL_4_TIMES(SKEL_STEP, m)
    SKEL_4_TIMES(SKEL_STEP, m)
  }
#undef SKEL_STEP
  return a + b + c + d;
}

/* A multiplication and an addition of a chain; m and a are the function's. */
#define SKEL_MULTIPLY_ADD(x) \
  x *= m;                    \
  SKEL_KEEP_FP(x);           \
  x += a;                    \
  SKEL_KEEP_FP(x)
static inline uint64_t skel_fp_chain(uint64_t passes) {
  double x = 1, m = 1, a = 0;
  SKEL_KEEP_FP(m);
  SKEL_KEEP_FP(a);
  for (; passes; passes--) {
    SKEL_4_TIMES(SKEL_MULTIPLY_ADD, x)
    SKEL_4_TIMES(SKEL_MULTIPLY_ADD, x)
  }
  return (uint64_t)x;
}

static inline uint64_t skel_fp_add(uint64_t passes) {
  double x0 = 0, x1 = 1, x2 = 2, x3 = 3, x4 = 4, x5 = 5, x6 = 6, x7 = 7, a = 1;
  SKEL_KEEP_FP(a);
#define SKEL_STEP(x) \
  x += a;            \
  SKEL_KEEP_FP(x)
  for (; passes; passes--) {
    SKEL_EACH_OF_8(SKEL_STEP)
    SKEL_EACH_OF_8(SKEL_STEP)
    SKEL_EACH_OF_8(SKEL_STEP)
    SKEL_EACH_OF_8(SKEL_STEP)
  }
#undef SKEL_STEP
  return (uint64_t)(x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7);
}

static inline uint64_t skel_fp_mul(uint64_t passes) {
  double x0 = 0, x1 = 1, x2 = 2, x3 = 3, x4 = 4, x5 = 5, x6 = 6, x7 = 7, m = 1;
  SKEL_KEEP_FP(m);
#define SKEL_STEP(x) \
  x *= m;            \
  SKEL_KEEP_FP(x)
  for (; passes; passes--) {
    SKEL_EACH_OF_8(SKEL_STEP)
    SKEL_EACH_OF_8(SKEL_STEP)
    SKEL_EACH_OF_8(SKEL_STEP)
    SKEL_EACH_OF_8(SKEL_STEP)
  }
#undef SKEL_STEP
  return (uint64_t)(x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7);
}

static inline uint64_t skel_fp_divide(uint64_t passes) {
  double x0 = 1, x1 = 1.5, x2 = 2.5, x3 = 3, m = 1.0625;
  SKEL_KEEP_FP(m);
#define SKEL_STEP(x) \
  x = m / x;         \
  SKEL_KEEP_FP(x)
  for (; passes; passes--) {
    SKEL_EACH_OF_4(SKEL_STEP)
    SKEL_EACH_OF_4(SKEL_STEP)
  }
#undef SKEL_STEP
  return (uint64_t)(x0 + x1 + x2 + x3);
}

/* x becomes its square root in one instruction: a library's function would test for negative numbers. Elsewhere a division,
 * which takes about as long; m is the function's. */
#if defined(__x86_64__)
#define SKEL_SQRT(x) __asm__ volatile("sqrtsd %0, %0" : "+x"(x))
#elif defined(__aarch64__)
#define SKEL_SQRT(x) __asm__ volatile("fsqrt %d0, %d0" : "+w"(x))
#else
#define SKEL_SQRT(x) \
  x = m / x;         \
  SKEL_KEEP_FP(x)
#endif
static inline uint64_t skel_fp_sqrt(uint64_t passes) {
  double x0 = 1.5, x1 = 2.5, x2 = 3, x3 = 5, m = 1.0625;
  SKEL_KEEP_FP(m);
  for (; passes; passes--) {
    SKEL_EACH_OF_4(SKEL_SQRT)
    SKEL_EACH_OF_4(SKEL_SQRT)
  }
#undef SKEL_SQRT
  return (uint64_t)(x0 + x1 + x2 + x3);
}

static inline uint64_t skel_packed(uint64_t passes) {
  skel_pair x0 = {0, 1}, x1 = x0, x2 = x0, x3 = x0, x4 = x0, x5 = x0, x6 = x0, x7 = x0, m = {1, 1}, a = {0, 0};
  SKEL_KEEP_FP(m);
  SKEL_KEEP_FP(a);
  for (; passes; passes--) {
    SKEL_EACH_OF_8(SKEL_MULTIPLY_ADD)
    SKEL_EACH_OF_8(SKEL_MULTIPLY_ADD)
  }
  x0 += x1 + x2 + x3 + x4 + x5 + x6 + x7;
  return (uint64_t)(x0[0] + x0[1]);
}

static inline uint64_t skel_convert(uint64_t passes) {
  int64_t x0 = (int64_t)(passes & 1023), x1 = x0 + 1, x2 = x0 + 2, x3 = x0 + 3;
#define SKEL_STEP(x)        \
  {                         \
    double y = (double)(x); \
    SKEL_KEEP_FP(y);        \
    (x) = (int64_t)y;       \
    SKEL_KEEP(x);           \
  }
  for (; passes; passes--) {
    SKEL_EACH_OF_4(SKEL_STEP)
    SKEL_EACH_OF_4(SKEL_STEP)
  }
#undef SKEL_STEP
  return (uint64_t)(x0 + x1 + x2 + x3);
}

/* x = x * m + a in one instruction, also where compilers may not take it by themselves. Whether x86 processors have it is
 * asked when the program runs, as libraries do. */
#if defined(__x86_64__)
#define SKEL_HAS_FMA __builtin_cpu_supports("fma")
#define SKEL_FMA(x) __asm__ volatile("vfmadd213sd %2, %1, %0" : "+x"(x) : "x"(m), "x"(a))
#elif defined(__aarch64__)
#define SKEL_HAS_FMA 1
#define SKEL_FMA(x) __asm__ volatile("fmadd %d0, %d0, %d1, %d2" : "+w"(x) : "w"(m), "w"(a))
#else
#define SKEL_HAS_FMA 0
#define SKEL_FMA(x)
#endif
static inline uint64_t skel_fma(uint64_t passes) {
  double x0 = 1, x1 = 1.5, x2 = 2.5, x3 = 3, m = 1, a = 0;
  SKEL_KEEP_FP(m);
  SKEL_KEEP_FP(a);
  for (uint64_t fused = SKEL_HAS_FMA ? passes : 0; fused; fused--, passes--) {
    SKEL_EACH_OF_4(SKEL_FMA)
    SKEL_EACH_OF_4(SKEL_FMA)
  }
  for (; passes; passes--) {
    SKEL_EACH_OF_4(SKEL_MULTIPLY_ADD)
    SKEL_EACH_OF_4(SKEL_MULTIPLY_ADD)
  }
#undef SKEL_MULTIPLY_ADD
#undef SKEL_FMA
#undef SKEL_HAS_FMA
  return (uint64_t)(x0 + x1 + x2 + x3);
}

/* As generators of random numbers do. */
static inline uint64_t skel_round(uint64_t passes) {
  double x = 1, m = 1, a = 0;
  SKEL_KEEP_FP(m);
  SKEL_KEEP_FP(a);
#define SKEL_STEP(x)    \
  {                     \
    x *= m;             \
    SKEL_KEEP_FP(x);    \
    int whole = (int)x; \
    SKEL_KEEP(whole);   \
    x = (double)whole;  \
    SKEL_KEEP_FP(x);    \
    x -= a;             \
    SKEL_KEEP_FP(x);    \
  }
  for (; passes; passes--) {
    SKEL_4_TIMES(SKEL_STEP, x)
  }
#undef SKEL_STEP
  return (uint64_t)x;
}

/* In each round one branch that is not taken, and one back to the next round that is. */
static inline uint64_t skel_branch(uint64_t passes) {
  uint64_t x = 1, n = 0;
  SKEL_KEEP(x);
  for (uint64_t rounds = 4 * passes; rounds; rounds--) {
    if (__builtin_expect(x == 0, 0)) SKEL_KEEP(n);
    SKEL_KEEP(x);
  }
  return x + n;
}

/* at: the state of the random numbers. It goes on from call to call, or processors would learn the branches of a short one. */
static inline uint64_t skel_branch_random(uint64_t* at, uint64_t passes) {
  uint64_t x = *at, m = UINT64_C(6364136223846793005), n = 0;
  SKEL_KEEP(m);
#define SKEL_STEP(bit) \
  if ((x >> (bit)) & 1) SKEL_KEEP(n)
  for (; passes; passes--) {
    x = x * m + 1442695041;
    SKEL_STEP(63);
    SKEL_STEP(62);
    SKEL_STEP(61);
    SKEL_STEP(60);
  }
#undef SKEL_STEP
  *at = x;
  return x + n;
}

/* Passes of 10 us of the thread's processor time, whatever the processor: for time in which the traced one waited. */
static inline void skel_run_wait(uint64_t passes) {
  struct timespec from, to;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
  while ((uint64_t)(to.tv_sec - from.tv_sec) * UINT64_C(1000000000) + (uint64_t)to.tv_nsec - (uint64_t)from.tv_nsec <
         10000 * passes);
}

/* ------------------------------------------------------------------ accesses: from byte or line `*at` on, round and
 * round in the first `bytes` of the area */

/* Four lines of words in a pass. What is loaded is added up: what nobody reads need not be loaded. */
static inline uint64_t skel_load(const char* area, uint64_t bytes, uint64_t* at, uint64_t passes) {
  uint64_t sums[4] = {0, 0, 0, 0}, from = *at;
  for (; passes; passes--) {
    const uint64_t* p = (const uint64_t*)(const void*)(area + from);
    SKEL_KEEP(p);
#pragma GCC unroll 32
    for (int i = 0; i < 32; i++) {
      sums[i % 4] += p[i];
      SKEL_KEEP(sums[i % 4]);
    }
    from = (from + 4 * SKEL_KERNEL_LINE) & (bytes - 1);
  }
  *at = from;
  return sums[0] + sums[1] + sums[2] + sums[3];
}

static inline void skel_store(char* area, uint64_t bytes, uint64_t* at, uint64_t passes) {
  uint64_t from = *at;
  for (; passes; passes--) {
    volatile uint64_t* p = (volatile uint64_t*)(void*)(area + from);
    SKEL_KEEP(p);
#pragma GCC unroll 32
    for (int i = 0; i < 32; i++) p[i] = 0;
    from = (from + 4 * SKEL_KERNEL_LINE) & (bytes - 1);
  }
  *at = from;
}

/* Eight words of the second half in a pass, each multiplied by the word whose number stands in the first one, and added
 * to one sum: a loop that is not unrolled. All words are 0, which the compiler does not know. */
static inline uint64_t skel_gather(const char* area, uint64_t bytes, uint64_t* at, uint64_t passes) {
  const uint64_t half = bytes / 2;
  uint64_t from = *at;
  double sum = 0;
  for (uint64_t words = 8 * passes; words; words--) {
    const uint64_t number = *(const uint64_t*)(const void*)(area + from);
    double x = *(const double*)(const void*)(area + half + from);
    SKEL_KEEP_FP(x);
    x *= *(const double*)(const void*)(area + 8 * number);
    SKEL_KEEP_FP(x);
    sum += x;
    SKEL_KEEP_FP(sum);
    from = (from + 8) & (half - 1);
  }
  *at = from;
  return (uint64_t)sum;
}

/* Eight words in a pass: of three neighbours in the first half a word in the second one. */
static inline void skel_stencil(char* area, uint64_t bytes, uint64_t* at, uint64_t passes) {
  const uint64_t half = bytes / 2;
  uint64_t from = *at;
  double m = 1;
  SKEL_KEEP_FP(m);
#define SKEL_STEP(i) \
  {                  \
    double x = p[i]; \
    SKEL_KEEP_FP(x); \
    x += p[(i) + 1]; \
    SKEL_KEEP_FP(x); \
    x += p[(i) + 2]; \
    SKEL_KEEP_FP(x); \
    x *= m;          \
    SKEL_KEEP_FP(x); \
    q[i] = x;        \
  }
  for (; passes; passes--) {
    const double* p = (const double*)(const void*)(area + from);
    volatile double* q = (volatile double*)(void*)(area + half + (from ^ 768));
    SKEL_KEEP(p);
    SKEL_STEP(0);
    SKEL_STEP(1);
    SKEL_STEP(2);
    SKEL_STEP(3);
    SKEL_STEP(4);
    SKEL_STEP(5);
    SKEL_STEP(6);
    SKEL_STEP(7);
    from = (from + SKEL_KERNEL_LINE) & (half - 1);
  }
#undef SKEL_STEP
  *at = from;
}

static inline uint64_t skel_run_sum(const char* area, uint64_t bytes, uint64_t* at, uint64_t passes) {
  double sums[4] = {0, 0, 0, 0};
  uint64_t from = *at;
  for (; passes; passes--) {
    const double* p = (const double*)(const void*)(area + from);
    SKEL_KEEP(p);
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) {
      double x = p[i];
      SKEL_KEEP_FP(x);
      sums[i % 4] += x;
      SKEL_KEEP_FP(sums[i % 4]);
    }
    from = (from + 2 * SKEL_KERNEL_LINE) & (bytes - 1);
  }
  *at = from;
  return (uint64_t)(sums[0] + sums[1] + sums[2] + sums[3]);
}

/* Loops of one element in a round, as compilers write them for most processors. A row of 256 bytes is a pass. */
#define SKEL_ROWS(n, other, each)                \
  for (; passes; passes--) {                     \
    char* p = area + from;                       \
    const char* end = p + 256;                   \
    uint64_t to = (other) + (from ^ 768) - from; \
    SKEL_KEEP(end);                              \
    SKEL_KEEP(to);                               \
    do {                                         \
      each p += (n);                             \
    } while (p != end);                          \
    from = (from + 256) & (part - 1);            \
  }                                              \
  *at = from

static inline void skel_run_copy(char* area, uint64_t bytes, uint64_t* at, uint64_t passes) {
  const uint64_t part = bytes / 2;
  uint64_t from = *at;
  SKEL_ROWS(8, part, {
    uint64_t x = *(const uint64_t*)(const void*)p;
    SKEL_KEEP(x);
    *(volatile uint64_t*)(void*)(p + to) = x;
  });
}

/* All words of the first half are 0, which the compiler does not know. */
static inline void skel_run_count(char* area, uint64_t bytes, uint64_t* at, uint64_t passes) {
  const uint64_t part = bytes / 2;
  uint64_t from = *at, none = 0;
  SKEL_KEEP(none);
  SKEL_ROWS(8, part, {
    const char* const q = p + *(const uint64_t*)(const void*)p;
    *(volatile uint64_t*)(void*)(q + to) += none;
  });
}

#define SKEL_SAXPY(NAME, TYPE, ONE)                                                    \
  static inline void NAME(char* area, uint64_t bytes, uint64_t* at, uint64_t passes) { \
    const uint64_t part = bytes / 4;                                                   \
    uint64_t from = *at;                                                               \
    TYPE m = ONE;                                                                      \
    SKEL_KEEP_FP(m);                                                                   \
    SKEL_ROWS(sizeof(TYPE), 2 * part, {                                                \
      TYPE x = *(const TYPE*)(const void*)p;                                           \
      SKEL_KEEP_FP(x);                                                                 \
      x *= m;                                                                          \
      SKEL_KEEP_FP(x);                                                                 \
      x += *(const TYPE*)(const void*)(p + part);                                      \
      SKEL_KEEP_FP(x);                                                                 \
      *(volatile TYPE*)(void*)(p + to) = x;                                            \
    });                                                                                \
  }
SKEL_SAXPY(skel_run_axpy, double, 1)
SKEL_SAXPY(skel_run_triad, skel_pair, ((skel_pair){1, 1}))
#undef SKEL_SAXPY
#undef SKEL_ROWS

/* Eight elements in a pass. */
#define SKEL_BLOCKS(NAME, TYPE, ONE)                                                   \
  static inline void NAME(char* area, uint64_t bytes, uint64_t* at, uint64_t passes) { \
    const uint64_t part = bytes / 4;                                                   \
    uint64_t from = *at;                                                               \
    TYPE a = ONE - ONE, b = ONE;                                                       \
    SKEL_KEEP_FP(a);                                                                   \
    SKEL_KEEP_FP(b);                                                                   \
    for (; passes; passes--) {                                                         \
      const TYPE* p = (const TYPE*)(const void*)(area + from);                         \
      const TYPE* r = (const TYPE*)(const void*)(area + part + from);                  \
      volatile TYPE* q = (volatile TYPE*)(void*)(area + 2 * part + (from ^ 768));      \
      SKEL_KEEP(p);                                                                    \
      SKEL_KEEP(r);                                                                    \
      SKEL_KEEP(q);                                                                    \
      _Pragma("GCC unroll 8") for (int i = 0; i < 8; i++) {                            \
        TYPE x = p[i], y = a;                                                          \
        SKEL_KEEP_FP(y);                                                               \
        x *= r[i];                                                                     \
        SKEL_KEEP_FP(x);                                                               \
        y *= b;                                                                        \
        SKEL_KEEP_FP(y);                                                               \
        x -= y;                                                                        \
        SKEL_KEEP_FP(x);                                                               \
        q[i] = x;                                                                      \
      }                                                                                \
      from = (from + 8 * sizeof(TYPE)) & (part - 1);                                   \
    }                                                                                  \
    *at = from;                                                                        \
  }
SKEL_BLOCKS(skel_run_block, double, 1)
SKEL_BLOCKS(skel_run_pairs, skel_pair, ((skel_pair){1, 1}))
#undef SKEL_BLOCKS

/* Eight pairs in a pass, of which each is put together from words of two rows and taken apart again. */
static inline void skel_run_lanes(char* area, uint64_t bytes, uint64_t* at, uint64_t passes) {
  const uint64_t part = bytes / 4;
  uint64_t from = *at;
  skel_pair a = {1, 1};
  SKEL_KEEP_FP(a);
  for (; passes; passes--) {
    const double *p = (const double*)(const void*)(area + from), *r = (const double*)(const void*)(area + part + from);
    volatile double* q = (volatile double*)(void*)(area + 2 * part + (from ^ 768));
    volatile double* s = (volatile double*)(void*)(area + 3 * part + (from ^ 768));
    SKEL_KEEP(p);
    SKEL_KEEP(r);
    SKEL_KEEP(q);
    SKEL_KEEP(s);
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
      skel_pair x = {p[i], r[i]};
      SKEL_KEEP_FP(x);
      x *= a;
      SKEL_KEEP_FP(x);
      q[i] = x[0];
      s[i] = x[1];
    }
    from = (from + SKEL_KERNEL_LINE) & (part - 1);
  }
  *at = from;
}

static inline uint64_t skel_stream(const char* area, uint64_t bytes, uint64_t* at, uint64_t passes) {
  uint64_t sums[4] = {0, 0, 0, 0}, from = *at;
  for (; passes; passes--) {
    const uint64_t* p = (const uint64_t*)(const void*)(area + from);
    SKEL_KEEP(p);
#pragma GCC unroll 32
    for (int i = 0; i < SKEL_LINES_OF_PASS; i++) {
      sums[i % 4] += p[i * (SKEL_KERNEL_LINE / 8)];
      SKEL_KEEP(sums[i % 4]);
    }
    from = (from + SKEL_LINES_OF_PASS * SKEL_KERNEL_LINE) & (bytes - 1);
  }
  *at = from;
  return sums[0] + sums[1] + sums[2] + sums[3];
}

static inline void skel_write(char* area, uint64_t bytes, uint64_t* at, uint64_t passes) {
  uint64_t from = *at;
  for (; passes; passes--) {
    volatile uint64_t* p = (volatile uint64_t*)(void*)(area + from);
    SKEL_KEEP(p);
#pragma GCC unroll 32
    for (int i = 0; i < SKEL_LINES_OF_PASS; i++) p[i * (SKEL_KERNEL_LINE / 8)] = 0;
    from = (from + SKEL_LINES_OF_PASS * SKEL_KERNEL_LINE) & (bytes - 1);
  }
  *at = from;
}

/* Lines in an order that visits each once before it repeats itself (a linear congruence of full period); four in a pass.
 * What is loaded is 0, which the compiler does not know. */
static inline void skel_dependent(const char* area, uint64_t bytes, uint64_t* at, uint64_t passes) {
  const uint64_t mask = bytes / SKEL_KERNEL_LINE - 1;
  uint64_t line = *at;
#define SKEL_STEP(line)                                                                                          \
  line = (line * 1664525 + 1013904223 + *(const uint64_t*)(const void*)(area + line * SKEL_KERNEL_LINE)) & mask; \
  SKEL_KEEP(line)
  for (; passes; passes--) {
    SKEL_4_TIMES(SKEL_STEP, line)
  }
#undef SKEL_STEP
  *at = line;
}

static inline uint64_t skel_kernel_bytes(int kernel) {
#define SKEL_KERNEL_BYTES(NUMBER, NAME, BYTES) BYTES,
  static const uint32_t bytes[SKEL_KERNELS] = {SKEL_KERNEL_LIST(SKEL_KERNEL_BYTES)};
#undef SKEL_KERNEL_BYTES
  return bytes[kernel];
}

/* Runs so many passes of a kernel. Returns a value that depends on what was computed in registers. */
static inline uint64_t skel_kernel_run(struct skel_kernels* k, int kernel, uint64_t passes) {
  const uint64_t bytes = skel_kernel_bytes(kernel);
  uint64_t* const at = &k->at[kernel];
  if (bytes && !k->area) return 0;
  switch (kernel) {
    case SKEL_INTEGER:
      return skel_integer(passes);
    case SKEL_LOGIC:
      return skel_logic(passes);
    case SKEL_FP_CHAIN:
      return skel_fp_chain(passes);
    case SKEL_FP_ADD:
      return skel_fp_add(passes);
    case SKEL_FP_MUL:
      return skel_fp_mul(passes);
    case SKEL_FP_DIVIDE:
      return skel_fp_divide(passes);
    case SKEL_FP_SQRT:
      return skel_fp_sqrt(passes);
    case SKEL_FMA:
      return skel_fma(passes);
    case SKEL_PACKED:
      return skel_packed(passes);
    case SKEL_CONVERT:
      return skel_convert(passes);
    case SKEL_ROUND:
      return skel_round(passes);
    case SKEL_BRANCH:
      return skel_branch(passes);
    case SKEL_BRANCH_RANDOM:
      return skel_branch_random(at, passes);
    case SKEL_WAIT:
      skel_run_wait(passes);
      break;
    case SKEL_LOAD:
      return skel_load(k->area, bytes, at, passes);
    case SKEL_STORE:
      skel_store(k->area, bytes, at, passes);
      break;
    case SKEL_SUM:
      return skel_run_sum(k->area, bytes, at, passes);
    case SKEL_COPY:
      skel_run_copy(k->area, bytes, at, passes);
      break;
    case SKEL_COUNT:
      skel_run_count(k->area, bytes, at, passes);
      break;
    case SKEL_AXPY:
      skel_run_axpy(k->area, bytes, at, passes);
      break;
    case SKEL_TRIAD:
    case SKEL_TRIAD_2M:
    case SKEL_TRIAD_32M:
      skel_run_triad(k->area, bytes, at, passes);
      break;
    case SKEL_BLOCK:
      skel_run_block(k->area, bytes, at, passes);
      break;
    case SKEL_PAIRS:
      skel_run_pairs(k->area, bytes, at, passes);
      break;
    case SKEL_LANES:
      skel_run_lanes(k->area, bytes, at, passes);
      break;
    case SKEL_GATHER:
    case SKEL_GATHER_2M:
    case SKEL_GATHER_32M:
      return skel_gather(k->area, bytes, at, passes);
    case SKEL_STENCIL:
    case SKEL_STENCIL_2M:
    case SKEL_STENCIL_32M:
      skel_stencil(k->area, bytes, at, passes);
      break;
    case SKEL_STREAM_256K:
    case SKEL_STREAM_2M:
    case SKEL_STREAM_32M:
      return skel_stream(k->area, bytes, at, passes);
    case SKEL_WRITE_256K:
    case SKEL_WRITE_2M:
    case SKEL_WRITE_32M:
      skel_write(k->area, bytes, at, passes);
      break;
    default:
      skel_dependent(k->area, bytes, at, passes);
  }
  return 0;
}

/* Makes the area ready. In large pages, where the system has them: touching small ones for the first time takes 150 ms on
 * some virtual machines. */
static inline char* skel_kernels_area(void* area) {
#ifdef MADV_HUGEPAGE
  madvise(area, SKEL_KERNEL_AREA, MADV_HUGEPAGE);
#endif
  return memset(area, 0, SKEL_KERNEL_AREA);
}

static inline double skel_kernel_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double skel_kernel_time(struct skel_kernels* k, int kernel, uint64_t passes) {
  const double begin = skel_kernel_clock();
  uint64_t sink = skel_kernel_run(k, kernel, passes);
  SKEL_KEEP(sink);
  return skel_kernel_clock() - begin;
}

/* The middle one of n numbers, which it sorts. */
static inline double skel_kernel_median(double* of, int n) {
  for (int i = 1; i < n; i++)
    for (int at = i; at > 0 && of[at - 1] > of[at]; at--) {
      const double greater = of[at - 1];
      of[at - 1] = of[at];
      of[at] = greater;
    }
  return of[n / 2];
}

/* So many passes of a kernel as last `shortest_s`, whatever interrupts it; not more than no clock needs. */
static inline uint64_t skel_kernel_passes(struct skel_kernels* k, int kernel, double shortest_s) {
  const uint64_t most = 1 << 16;
  for (uint64_t passes = 16; passes < most;) {
    double s = skel_kernel_time(k, kernel, passes);
    if (s > shortest_s / 2) {
      const double again = skel_kernel_time(k, kernel, passes);
      if (again < s) s = again;
    }
    if (s > shortest_s / 2) return passes;
    passes = s > shortest_s / 8 ? (uint64_t)((double)passes * shortest_s / s) + 1 : 4 * passes;
  }
  return most;
}

/* Brings the first bytes of the area into the caches. */
static inline void skel_kernels_touch(struct skel_kernels* k, uint64_t bytes) {
  uint64_t at = 0, sink = skel_stream(k->area, bytes, &at, bytes / (SKEL_LINES_OF_PASS * SKEL_KERNEL_LINE));
  SKEL_KEEP(sink);
}

/* Of each kernel the speed; 0 for those that need an area without one. About 20 ms. In rounds over all kernels, in each of
 * them as many passes as last 60 us, from caches that hold what fits there. What counts is the median of the rounds, so
 * that interruptions do not; the noise is that of the median, by the rounds' absolute deviations. */
static inline void skel_kernels_measure(struct skel_kernels* k, struct skel_speed speed[SKEL_KERNELS]) {
  enum { rounds = 9 };
  const double shortest_s = 60e-6, error_of_median = 1.2533 * 1.4826 / 3 /* the root of the rounds */;
  uint64_t passes[SKEL_KERNELS] = {0};
  double took[SKEL_KERNELS][rounds];
  for (int round = -1; round < rounds; round++)
    for (int kernel = 0; kernel < SKEL_KERNELS; kernel++) {
      const uint64_t bytes = skel_kernel_bytes(kernel);
      if (bytes && !k->area) continue;
      if (kernel > 0 && bytes > skel_kernel_bytes(kernel - 1) && bytes < SKEL_KERNEL_AREA) skel_kernels_touch(k, bytes);
      if (round < 0)
        passes[kernel] = skel_kernel_passes(k, kernel, shortest_s);
      else
        took[kernel][round] = skel_kernel_time(k, kernel, passes[kernel]);
    }
  for (int kernel = 0; kernel < SKEL_KERNELS; kernel++) {
    speed[kernel] = (struct skel_speed){0, 0};
    if (!passes[kernel]) continue;
    const double middle = skel_kernel_median(took[kernel], rounds);
    for (int round = 0; round < rounds; round++)
      took[kernel][round] = took[kernel][round] > middle ? took[kernel][round] - middle : middle - took[kernel][round];
    speed[kernel].passes = (double)passes[kernel] / middle;
    speed[kernel].noise = error_of_median * skel_kernel_median(took[kernel], rounds) / middle;
  }
}

#ifdef SKEL_OPTIMIZED_HERE
#pragma GCC pop_options
#undef SKEL_OPTIMIZED_HERE
#endif

#endif
