/* SPDX-License-Identifier: GPL-2.0-or-later
 * Stack distances of cache lines: how many different lines were touched since a line was touched last (Mattson, Gecsei,
 * Slutz & Traiger 1970), of a sample of the lines that is chosen by a hash and never grows beyond `most` lines (SHARDS
 * with fixed size, Waldspurger, Park, Garthwaite & Ahmad 2015). No Valgrind in here: tests include it, too. Whoever
 * includes this defines skel_allocate_zeroed(bytes). */
#ifndef SKEL_REUSE_H
#define SKEL_REUSE_H

/* 24 bits of a line's number: it is sampled if they are below the threshold. The tool's inlined code computes the same. */
#define SKEL_REUSE_MIX1 0x9E3779B97F4A7C15ull
#define SKEL_REUSE_MIX2 0xD6E8FEB86659FD93ull
#define SKEL_REUSE_BITS 24
#define SKEL_REUSE_ALL (1ull << SKEL_REUSE_BITS)

/* Buckets of distances: 0, 1, 2, 3, then four of equal width in each octave: an octave's first is a quarter of its distance wide.
 * The last one: lines that were not touched before. */
#define SKEL_REUSE_BUCKETS 160
#define SKEL_REUSE_COLD (SKEL_REUSE_BUCKETS - 1)

struct skel_reuse_line {
  unsigned long long number;
  unsigned when; /* place in `owner`; 0: free */
};

struct skel_reuse {
  unsigned long long threshold; /* of the hash */
  unsigned shift;               /* one line of 2^shift is sampled */
  unsigned most, used;          /* lines: at most, now */
  unsigned slots, times, now;   /* of the table, a power of two; of `owner`; the last one given */
  struct skel_reuse_line* table;
  unsigned* owner; /* by time: 1 + the slot of the line that was touched last then, 0: touched since */
  unsigned* tree;  /* Fenwick's: how many times before this one are some line's last */
};

static inline unsigned long long skel_reuse_hash(unsigned long long line) {
  unsigned long long x = line * SKEL_REUSE_MIX1;
  x ^= x >> 32;
  return (x * SKEL_REUSE_MIX2) >> (64 - SKEL_REUSE_BITS);
}

static inline unsigned skel_reuse_bucket(unsigned long long distance) {
  if (distance < 4) return (unsigned)distance;
  const unsigned octave = 63u - (unsigned)__builtin_clzll(distance);
  const unsigned bucket = 4 + (octave - 2) * 4 + (unsigned)(distance >> (octave - 2) & 3);
  return bucket < SKEL_REUSE_COLD ? bucket : SKEL_REUSE_COLD - 1;
}

/* most: > 0. Memory: 64 bytes a line. */
static inline void skel_reuse_begin(struct skel_reuse* r, unsigned most) {
  r->threshold = SKEL_REUSE_ALL;
  r->shift = r->used = r->now = 0;
  r->most = most;
  for (r->slots = 16; r->slots < most * 2 + 2; r->slots *= 2) continue;
  r->times = r->slots * 2;
  r->table = (struct skel_reuse_line*)skel_allocate_zeroed(r->slots * sizeof *r->table);
  r->owner = (unsigned*)skel_allocate_zeroed((r->times + 1) * sizeof *r->owner);
  r->tree = (unsigned*)skel_allocate_zeroed((r->times + 1) * sizeof *r->tree);
}

static inline void skel_reuse_mark(struct skel_reuse* r, unsigned when, int change) {
  for (; when <= r->times; when += when & -when) r->tree[when] += (unsigned)change;
}

/* How many lines were touched last at `when` or before. */
static inline unsigned skel_reuse_until(const struct skel_reuse* r, unsigned when) {
  unsigned sum = 0;
  for (; when; when &= when - 1) sum += r->tree[when];
  return sum;
}

/* The slot of a line, or the free one where it belongs. */
static inline unsigned skel_reuse_slot(const struct skel_reuse* r, unsigned long long line) {
  unsigned slot = (unsigned)(line * SKEL_REUSE_MIX1 >> 32) & (r->slots - 1);
  while (r->table[slot].when && r->table[slot].number != line) slot = (slot + 1) & (r->slots - 1);
  return slot;
}

/* Gives the lines that are still sampled the times 1, 2, ... in their order. */
static inline void skel_reuse_compact(struct skel_reuse* r) {
  unsigned kept = 0;
  /* The numbers, in order of time, are kept in `tree`'s place: two of its entries for one. A line's time is never below
   * its place in the order, and tree is not read before it is made anew. */
  for (unsigned when = 1; when <= r->now; when++) {
    if (!r->owner[when]) continue;
    const unsigned long long number = r->table[r->owner[when] - 1].number;
    r->owner[when] = 0;
    if (skel_reuse_hash(number) >= r->threshold) continue;
    r->tree[2 * kept] = (unsigned)number;
    r->tree[2 * kept + 1] = (unsigned)(number >> 32);
    kept++;
  }
  for (unsigned slot = 0; slot < r->slots; slot++) r->table[slot].when = 0;
  for (unsigned i = 0; i < kept; i++) {
    const unsigned long long number = r->tree[2 * i] | (unsigned long long)r->tree[2 * i + 1] << 32;
    const unsigned slot = skel_reuse_slot(r, number);
    r->table[slot].number = number;
    r->table[slot].when = i + 1;
    r->owner[i + 1] = slot + 1;
  }
  for (unsigned when = 0; when <= r->times; when++) r->tree[when] = 0;
  for (unsigned when = 1; when <= kept; when++) skel_reuse_mark(r, when, 1);
  r->used = r->now = kept;
}

/* A sampled line (its hash is below the threshold) is touched: returns the bucket, *weight: how many accesses this one
 * stands for. O(log lines), now and then O(lines). */
static inline unsigned skel_reuse_touch(struct skel_reuse* r, unsigned long long line, unsigned long long* weight) {
  *weight = 1ull << r->shift;
  if (r->now == r->times) skel_reuse_compact(r);
  unsigned slot = skel_reuse_slot(r, line), bucket = SKEL_REUSE_COLD;
  const unsigned before = r->table[slot].when;
  if (before) {
    bucket = skel_reuse_bucket((unsigned long long)(r->used - skel_reuse_until(r, before)) << r->shift);
    r->owner[before] = 0;
    skel_reuse_mark(r, before, -1);
  } else {
    r->used++;
  }
  r->now++;
  r->table[slot].number = line;
  r->table[slot].when = r->now;
  r->owner[r->now] = slot + 1;
  skel_reuse_mark(r, r->now, 1);
  while (r->used > r->most) {
    r->threshold /= 2;
    r->shift++;
    skel_reuse_compact(r);
  }
  return bucket;
}

#endif
