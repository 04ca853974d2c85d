/* Sampling of loops: which iterations run, which rows and columns of tables these and their passes use, and the weights
 * of their times. skelgen, which writes the tables, and the skeletons' runtime, which reads them, both
 * include this. C11 and C++.
 *
 * `later` are the iterations of a loop after the first one, its trips - 1, of which `kept` run; both are 1 or more. */
#ifndef SKEL_SAMPLING_H
#define SKEL_SAMPLING_H

#include <stdint.h>

/* How many of the later iterations run with K = scale >= 1: not fewer than `least` (1 .. later). */
static inline uint64_t skel_iterations_kept(uint64_t later, double scale, uint64_t least) {
  const uint64_t kept = (uint64_t)((double)later / scale + 0.5);
  return kept < least ? least : kept;
}

/* The K of a loop that is cut by `share` of K - 1. */
static inline double skel_loop_scale(double scale, double share) { return 1 + share * (scale - 1); }

/* How often the time of the kept iterations counts. typical: how much longer than a kept iteration a later one took on
 * average. */
static inline double skel_weight(uint64_t later, uint64_t kept, double typical) {
  return typical * (double)later / (double)kept;
}

/* The iteration (1 .. later) that the n-th kept one is, n = 0 .. kept - 1: one of each of `kept` equal parts, not always at
 * the same place in it: what comes every so many iterations is met as often as it should be. In parts so short that two of
 * them could take the same iteration it is the first one. before: iterations that were kept in earlier executions of the
 * loop. */
static inline uint64_t skel_iteration_kept(uint64_t n, uint64_t kept, uint64_t later, uint64_t before) {
  const double turn = (double)(before + n + 1) * 0.6180339887498949;
  const double place = (double)later < 1.62 * (double)kept ? 0 : turn - (double)(uint64_t)turn;
  const uint64_t iteration = 1 + (uint64_t)(((double)n + place) * (double)later / (double)kept);
  return iteration < later ? iteration : later;
}

/* The row of a table of `rows` that an iteration (0 .. later) uses: row 0 is the first one's, the others are for equal parts
 * of the later ones; a single row is for all. */
static inline uint64_t skel_row(uint64_t iteration, uint64_t rows, uint64_t later) {
  return iteration > 0 && rows > 1 ? 1 + (iteration - 1) * (rows - 1) / later : 0;
}

/* The same where row r > 0 is for the iterations from begin[r] on. */
static inline uint64_t skel_row_from(uint64_t iteration, uint64_t rows, const long* begin) {
  uint64_t low = iteration > 0 && rows > 1, high = rows; /* the row is below `high` */
  while (low + 1 < high) {
    const uint64_t middle = (low + high) / 2;
    if ((uint64_t)begin[middle] <= iteration)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* The part of `parts` in which `number` of `all` is: equal ones, the last one for what comes behind them; a part for each if there are no
 * fewer parts. */
static inline uint64_t skel_part(uint64_t number, uint64_t parts, uint64_t all) {
  const uint64_t part = parts < all ? number * parts / all : number;
  return part < parts - 1 ? part : parts - 1;
}

/* The column of `columns` that a pass uses, counted from 0 within an iteration of `passes`: a column for each pass if there are no fewer
 * columns; else there are groups of `per_execution` columns, one for each pass of an execution of the loop around the place, and a
 * group is for an equal part of the executions. per_execution: divides columns and passes, 1 or more. */
static inline uint64_t skel_column(uint64_t pass, uint64_t columns, uint64_t passes, uint64_t per_execution) {
  if (columns >= passes) return skel_part(pass, columns, columns);
  return skel_part(pass / per_execution, columns / per_execution, passes / per_execution) * per_execution +
         pass % per_execution;
}

#ifdef __cplusplus /* what only skelgen needs */

/* The iteration (0 .. later) that row `row` of `rows` samples has: the first one, then evenly spread over the later ones.
 * rows <= later + 1. */
static inline uint64_t skel_iteration_sampled(uint64_t row, uint64_t rows, uint64_t later) {
  return row == 0 ? 0 : 1 + (2 * row - 1) * later / (2 * (rows - 1));
}

/* The first one in a part, and in the one behind the last. */
static inline uint64_t skel_first_in(uint64_t part, uint64_t parts, uint64_t all) {
  return parts < all ? (part * all + parts - 1) / parts : part;
}

#endif

#endif
