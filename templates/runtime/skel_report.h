/* Report of the slowest rank's times, printed and written: part of skel.c. */
#include "skel.h"

/* What cannot be done is said before the run, not after it. */
static void open_json(void) {
  int failed = 0;
  if (rank == 0 && json_file) {
    json_partial = malloc(strlen(json_file) + 9);
    if (!json_partial) no_memory(strlen(json_file) + 9);
    sprintf(json_partial, "%s.partial", json_file);
    FILE* out = fopen(json_partial, "w");
    failed = !out;
    if (out) fclose(out);
  }
  PMPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (failed) {
    char text[300];
    snprintf(text, sizeof text, "%.200s: cannot be written; check the directory and its permissions", json_file);
    stop(text);
  }
}

/* Seconds in which this rank was ready to run but had no core, as the kernel counts them; < 0: not known. */
static double core_wait(void) {
#ifdef SMPI_H /* the process is not the rank's */
  return -1;
#else
  double on_core = 0, waited = 0;
  FILE* const in = fopen("/proc/self/schedstat", "r");
  if (!in) return -1;
  const int known = fscanf(in, "%lf %lf", &on_core, &waited) == 2 && on_core > 0;
  fclose(in);
  return known ? 1e-9 * waited : -1;
#endif
}

static int settle(int all);

void skel_report(void) {
  settle(1);
  enter_phase(timer.current, 1);
  struct {
    double seconds;
    int rank;
  } mine = {0, rank}, most;
  for (int i = 0; i < program->phases; i++) mine.seconds += timer.counted[i];
  count_computing(mine.seconds - timer.init);
  reduce_for_all(&mine, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC);
  memcpy(slowest.seconds, timer.seconds, (size_t)program->phases * sizeof(double));
  memcpy(slowest.left_out, timer.left_out, (size_t)program->phases * sizeof(double));
  memcpy(slowest.counted, timer.counted, (size_t)program->phases * sizeof(double));
  for (int i = 0; i < program->phases; i++)
    if (timer.kinds[i]) join_kinds(&timer.spread[i], timer.kinds[i]);
  memcpy(slowest.spread, timer.spread, (size_t)program->phases * sizeof *timer.spread);
  const double waited = core_wait();
  double cores[2] = {timer.core_wait < 0 || waited < 0 ? 0 : waited - timer.core_wait, wall() - timer.start}, sums[2];
  reduce_for_all(cores, sums, 2, MPI_DOUBLE, MPI_SUM);
  slowest.core_wait = sums[1] > 0 ? sums[0] / sums[1] : 0;
  double facts[4] = {timer.init, timer.computed, work_ratio, drift};
  PMPI_Bcast(slowest.seconds, program->phases, MPI_DOUBLE, most.rank, MPI_COMM_WORLD);
  PMPI_Bcast(slowest.left_out, program->phases, MPI_DOUBLE, most.rank, MPI_COMM_WORLD);
  PMPI_Bcast(slowest.counted, program->phases, MPI_DOUBLE, most.rank, MPI_COMM_WORLD);
  PMPI_Bcast(slowest.spread, program->phases * (int)(sizeof *slowest.spread / sizeof(double)), MPI_DOUBLE, most.rank,
             MPI_COMM_WORLD);
  PMPI_Bcast(facts, 4, MPI_DOUBLE, most.rank, MPI_COMM_WORLD);
  slowest.init = facts[0], slowest.computed = facts[1], slowest.work_ratio = facts[2], slowest.drift = facts[3];
  slowest.predicted = most.seconds;
  PMPI_Barrier(MPI_COMM_WORLD);
  timer.finalize_start = wall();
}

/* How often a phase's seconds counted, on average. */
static double weight(int phase) {
  const double seconds = slowest.seconds[phase] + slowest.left_out[phase];
  return seconds > 0 ? slowest.counted[phase] / seconds : 1;
}

/* The MPI that the skeleton was compiled for, as traces name it. */
#if defined(SMPI_H)
static const char mpi_name[] = "SMPI", mpi_version[] = "";
#elif defined(OPEN_MPI)
#define TEXT(number) #number
#define VERSION(major, minor, release) TEXT(major) "." TEXT(minor) "." TEXT(release)
static const char mpi_name[] = "Open MPI",
                  mpi_version[] = VERSION(OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION);
#elif defined(I_MPI_VERSION)
static const char mpi_name[] = "Intel MPI", mpi_version[] = I_MPI_VERSION;
#elif defined(MVAPICH2_VERSION)
static const char mpi_name[] = "MVAPICH", mpi_version[] = MVAPICH2_VERSION;
#elif defined(MVAPICH_VERSION)
static const char mpi_name[] = "MVAPICH", mpi_version[] = MVAPICH_VERSION;
#elif defined(MPICH_VERSION)
static const char mpi_name[] = "MPICH", mpi_version[] = MPICH_VERSION;
#else
static const char mpi_name[] = "", mpi_version[] = "";
#endif

/* Degrees of freedom of variance(). */
static double degrees(const struct spread* s) { return s->n - s->kinds - 2; }

/* Of an iteration's time around the line by which its computation explains it, in seconds squared; degrees() >= 1. */
static double variance(const struct spread* s) {
  const double xx = s->xx - s->x * s->x / s->n, xy = s->xy - s->x * s->y / s->n;
  const double explained = xx > 1e-9 * s->xx ? xy * xy / xx : 0, rest = s->yy - s->y * s->y / s->n - explained;
  return rest > 0 ? rest / degrees(s) : 0;
}

static void write_speeds(FILE* out, const char* name, const struct skel_speed* of) {
  fprintf(out, ",\n \"%s\": {", name);
  for (int k = 0; k < SKEL_KERNELS; k++)
    fprintf(out, "%s\"%s\": [%.6g, %.3g]", k ? ", " : "", skel_kernel_name[k], of[k].passes, of[k].noise);
  fprintf(out, "}");
}

static int write_json(double predicted, double run, double finalize) {
  FILE* out = fopen(json_partial, "w");
  if (!out) {
    fprintf(stderr, "skeleton: %s: cannot be written\n", json_partial);
    return 1;
  }
  fprintf(out,
          "{\"schema\": \"skelgen.skeleton/1\", \"predicted_s\": %.9g, \"skeleton_s\": %.9g, \"scale\": %.9g, "
          "\"compute\": \"%s\", \"mpi\": {\"name\": \"%s\", \"version\": \"%s\"},\n",
          predicted, run, scale, mode_name[mode], mpi_name, mpi_version);
  fprintf(out, " \"computed_s\": %.9g, \"work_ratio\": %.6g, \"drift\": %.6g, \"core_wait\": %.4g,\n", slowest.computed,
          slowest.work_ratio, slowest.drift, slowest.core_wait);
  fprintf(out, " \"init_s\": %.9g, \"finalize_s\": %.9g, \"phases\": [", slowest.init, finalize);
  for (int i = 0; i < program->phases; i++) {
    const struct spread* const of = &slowest.spread[i];
    fprintf(out,
            "%s\n  {\"name\": \"%s\", \"weight\": %.9g, \"seconds\": %.9g, \"left_out_s\": %.9g, \"iterations\": %.9g, "
            "\"variance_s2\": ",
            i ? "," : "", program->phase[i].name, weight(i), slowest.seconds[i] + slowest.left_out[i],
            slowest.left_out[i], of->n);
    if (of->n > 0 && degrees(of) < 1) /* too few iterations to tell */
      fprintf(out, "null}");
    else
      fprintf(out, "%.6g}", of->n > 0 ? variance(of) : 0);
  }
  fprintf(out, "],\n");
  write_computing(out);
  fprintf(out, " \"processor\": {\"traced\": \"%s\", \"here\": \"%s\", \"same\": %s}",
          machine.processor ? machine.processor : "", processor,
          same_processor < 0 ? "null"
          : same_processor   ? "true"
                             : "false");
  write_speeds(out, "speeds", speed_here);
  write_speeds(out, "traced_speeds", traced_speed);
  if (program->works) fprintf(out, ",\n \"unexplained\": %.4g", program->unexplained);
  fprintf(out, "}\n");
  int failed = ferror(out);
  failed |= fclose(out);
  failed |= !failed && rename(json_partial, json_file);
  if (failed) {
    fprintf(stderr, "skeleton: %s: cannot be written\n", json_file);
    remove(json_partial);
  }
  return failed ? 1 : 0;
}

/* Computation that was counted instead of spent is shown where there is any. */
static void print_row(const char* name, double weighs, double measured, int shows_left_out, double left_out,
                      double counted) {
  printf("%-28s%12.3f%14.6f", name, weighs, measured);
  if (shows_left_out) printf("%14.6f", left_out);
  printf("%15.6f\n", counted);
}

int skel_finish(void) {
  remove_files();
  if (rank != 0) return 0;
  const double finalize = wall() - timer.finalize_start, predicted = slowest.predicted + finalize;
  double run = finalize;
  int left_out = 0;
  for (int i = 0; i < program->phases; i++) {
    run += slowest.seconds[i];
    left_out |= slowest.left_out[i] > 0;
  }
  printf("predicted time of the original  %12.6f s   (scale %g, compute: %s)\n", predicted, scale, mode_name[mode]);
  printf("time of this run                %12.6f s\n", run);
  if (slowest.core_wait >= 0.005)
    printf("time without a core             %12.0f %% of the ranks' time: other work, or more ranks than cores\n",
           100 * slowest.core_wait);
  printf("\n%-28s%12s%14s%s%15s\n", "phase", "weight", "measured s", left_out ? "    left out s" : "", "counts as s");
  for (int i = 0; i < program->phases; i++)
    print_row(program->phase[i].name, weight(i), slowest.seconds[i], left_out, slowest.left_out[i], slowest.counted[i]);
  print_row("finalize", 1.0, finalize, left_out, 0, finalize);
  fflush(stdout);
  return json_file ? write_json(predicted, run, finalize) : 0;
}
