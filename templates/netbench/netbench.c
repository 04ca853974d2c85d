/* How fast the network between the ranks is, pattern by pattern: `skelgen netbench` compiles this and starts it like a
 * program.
 *
 *   netbench SECONDS LARGEST PAIRS DONE POINTS REPORT
 *
 * SECONDS: time for all points together; LARGEST: longest message, bytes; PAIRS: 1: a ping-pong of every pair of ranks, too; DONE: points at the beginning of the list that
 * an earlier run with as many ranks has measured; POINTS: file to which rank 0 adds a line of JSON for each point, so that
 * a run that is ended early keeps what it measured; REPORT: written when all points are measured.
 *
 * A point is a pattern, a number of ranks and a message length. It is repeated until the 95 % interval of the median is
 * within 2 % of it, or until its share of SECONDS is used up. A repetition's time is that of the slowest rank.
 *
 * Where an MPI changes its protocol, the ping-pong's time leaps. When all points of the list are measured, lengths are added between the two
 * at which it does, at most MOST_LEAPS in all: points of the pattern "leap". */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* nanosleep */
#endif
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FEWEST = 5, MOST = 400, WINDOW = 64, WARM_UP = 2, NAME_BYTES = 64, MOST_LEAPS = 80, LENGTHS = 256 };
#define ENOUGH 0.02          /* half of the interval of the median, as a share of it */
#define SHORTEST_S 20e-6     /* of one sample of a pattern that repeats */
#define SETTLE_S 200e-6      /* in which a short message arrives */
#define MEMORY (64 << 20)    /* of a buffer of one rank */
#define OVERHEAD_LENGTH 1024 /* longest message whose send and receive overheads are measured */
#define PAIR_LENGTH 65536    /* longer one of the two of a pair */
#define SCHEMA "skelgen.points/2"
#define LEAP_SHARE 0.1  /* of a time: so far off a line is a leap */
#define LEAP_WIDTH 0.01 /* of a length: within it a leap is located */
#define LIST_SHARE 0.9  /* of SECONDS: for the points of the list */

static int world_rank, world_size;
static char *out_buffer, *in_buffer;

/* As a program does before it sends: where ranks share memory, a message that its sender does not write again stays in the
 * receiver's cache, and takes half of its time. */
static void write_messages(size_t bytes) { memset(out_buffer, 1, bytes); }

static void stop(const char* text) {
  const struct timespec pause = {0, 200000000}; /* lets the message through */
  fprintf(stderr, "netbench: rank %d: %s\n", world_rank, text);
  fflush(stderr);
  nanosleep(&pause, NULL);
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

/* ------------------------------------------------------------------ patterns */

struct point {
  int pattern, ranks;
  long bytes;
  int from, to; /* of a pair */
};

/* What a pattern's ranks share: a communicator, and this rank's place in it. */
struct place {
  MPI_Comm comm;
  int rank, size, bytes, rounds;
};

/* What comes is sent back. The first round is not timed: it evens out when the two have left the barrier. */
static double bounce(const struct place* at, int partner, int first) {
  double begin = 0;
  for (int i = -1; i < at->rounds; i++) {
    if (i == 0) begin = MPI_Wtime();
    if (first) MPI_Send(out_buffer, at->bytes, MPI_BYTE, partner, 0, at->comm);
    MPI_Recv(out_buffer, at->bytes, MPI_BYTE, partner, 0, at->comm, MPI_STATUS_IGNORE);
    if (!first) MPI_Send(out_buffer, at->bytes, MPI_BYTE, partner, 0, at->comm);
  }
  return (MPI_Wtime() - begin) / (2 * at->rounds);
}

/* Each returns the seconds of one repetition on this rank. */
static double pingpong(const struct place* at) {
  const double took = bounce(at, 1 - at->rank, at->rank == 0);
  return at->rank == 0 ? took : 0;
}

/* Ranks i and i + size / 2 bounce messages, all pairs at the same time. */
static double pairs(const struct place* at) {
  const int half = at->size / 2, first = at->rank < half;
  if (at->rank >= 2 * half) return 0;
  const double took = bounce(at, first ? at->rank + half : at->rank - half, first);
  return first ? took : 0;
}

static void swap(char** a, char** b) {
  char* const was = *a;
  *a = *b;
  *b = was;
}

/* Each message is the one that came before. */
static double ring(const struct place* at) {
  const int right = (at->rank + 1) % at->size, left = (at->rank + at->size - 1) % at->size;
  char *came = out_buffer, *next = in_buffer;
  double begin = 0;
  for (int i = -1; i < at->rounds; i++) {
    if (i == 0) begin = MPI_Wtime();
    MPI_Sendrecv(came, at->bytes, MPI_BYTE, right, 0, next, at->bytes, MPI_BYTE, left, 0, at->comm, MPI_STATUS_IGNORE);
    swap(&came, &next);
  }
  return (MPI_Wtime() - begin) / at->rounds;
}

static double bcast(const struct place* at) {
  const double begin = MPI_Wtime();
  MPI_Bcast(out_buffer, at->bytes, MPI_BYTE, 0, at->comm);
  return MPI_Wtime() - begin;
}

static double scatter(const struct place* at) {
  const double begin = MPI_Wtime();
  MPI_Scatter(out_buffer, at->bytes, MPI_BYTE, in_buffer, at->bytes, MPI_BYTE, 0, at->comm);
  return MPI_Wtime() - begin;
}

static double gather(const struct place* at) {
  const double begin = MPI_Wtime();
  MPI_Gather(out_buffer, at->bytes, MPI_BYTE, in_buffer, at->bytes, MPI_BYTE, 0, at->comm);
  return MPI_Wtime() - begin;
}

/* No rank leaves these three before all have come: round by round, they last from one end to the next. What came is sent
 * in the next round. */
static double barrier(const struct place* at) {
  double begin = 0;
  for (int i = -1; i < at->rounds; i++) {
    if (i == 0) begin = MPI_Wtime();
    MPI_Barrier(at->comm);
  }
  return (MPI_Wtime() - begin) / at->rounds;
}

static double allreduce(const struct place* at) {
  char *came = out_buffer, *next = in_buffer;
  double begin = 0;
  for (int i = -1; i < at->rounds; i++) {
    if (i == 0) begin = MPI_Wtime();
    MPI_Allreduce(came, next, at->bytes / 8, MPI_DOUBLE, MPI_MAX, at->comm);
    swap(&came, &next);
  }
  return (MPI_Wtime() - begin) / at->rounds;
}

static double alltoall(const struct place* at) {
  char *came = out_buffer, *next = in_buffer;
  double begin = 0;
  for (int i = -1; i < at->rounds; i++) {
    if (i == 0) begin = MPI_Wtime();
    MPI_Alltoall(came, at->bytes, MPI_BYTE, next, at->bytes, MPI_BYTE, at->comm);
    swap(&came, &next);
  }
  return (MPI_Wtime() - begin) / at->rounds;
}

/* Under SMPI a look at the clock takes 10 ns of simulated time and far more of real time. */
static void pause_a_little(void) {
#ifdef SMPI_H
  const struct timespec pause = {0, 10000};
  nanosleep(&pause, NULL);
#endif
}

/* Time until MPI_Isend returns: o_s of LogGP. */
static double send_overhead(const struct place* at) {
  MPI_Request request;
  double took = 0;
  if (at->rank == 0) {
    const double begin = MPI_Wtime();
    MPI_Isend(out_buffer, at->bytes, MPI_BYTE, 1, 0, at->comm, &request);
    took = MPI_Wtime() - begin;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(in_buffer, at->bytes, MPI_BYTE, 0, 0, at->comm, MPI_STATUS_IGNORE);
  }
  return took;
}

/* Time of MPI_Wait for a message that has arrived: o_r of LogGP. */
static double receive_overhead(const struct place* at) {
  MPI_Request request;
  if (at->rank == 0) {
    MPI_Send(out_buffer, at->bytes, MPI_BYTE, 1, 0, at->comm);
    return 0;
  }
  MPI_Irecv(in_buffer, at->bytes, MPI_BYTE, 0, 0, at->comm, &request);
  const double there = MPI_Wtime() + SETTLE_S;
  while (MPI_Wtime() < there) pause_a_little();
  const double begin = MPI_Wtime();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return MPI_Wtime() - begin;
}

/* How long a send takes whose receive begins late: whether it waits, as long messages do; and how long that receive takes.
 * The receiver is late by SETTLE_S and twice the time of such a message. */
static void late(const struct place* at, double* send, double* receive) {
  const int first = at->rank == 0;
  *send = *receive = 0;
  if (!first) MPI_Send(out_buffer, 0, MPI_BYTE, 0, 0, at->comm); /* the other one is there */
  if (first) MPI_Recv(in_buffer, 0, MPI_BYTE, 1, 0, at->comm, MPI_STATUS_IGNORE);
  double begin = MPI_Wtime();
  if (first) {
    MPI_Send(out_buffer, at->bytes, MPI_BYTE, 1, 0, at->comm);
    write_messages((size_t)at->bytes);
    begin = MPI_Wtime();
    MPI_Send(out_buffer, at->bytes, MPI_BYTE, 1, 0, at->comm);
    *send = MPI_Wtime() - begin;
    return;
  }
  MPI_Recv(in_buffer, at->bytes, MPI_BYTE, 0, 0, at->comm, MPI_STATUS_IGNORE);
  const double there = MPI_Wtime() + SETTLE_S + 2 * (MPI_Wtime() - begin);
  while (MPI_Wtime() < there) pause_a_little();
  begin = MPI_Wtime();
  MPI_Recv(in_buffer, at->bytes, MPI_BYTE, 0, 0, at->comm, MPI_STATUS_IGNORE);
  *receive = MPI_Wtime() - begin;
}

static double late_send(const struct place* at) {
  double send, receive;
  late(at, &send, &receive);
  return send;
}

static double late_receive(const struct place* at) {
  double send, receive;
  late(at, &send, &receive);
  return receive;
}

/* Time from message to message while many are under way: g of LogGP for short ones. */
static double burst(const struct place* at) {
  MPI_Request request[WINDOW];
  MPI_Status status[WINDOW];
  const double begin = MPI_Wtime();
  for (int i = 0; i < WINDOW; i++)
    if (at->rank == 0)
      MPI_Isend(out_buffer, at->bytes, MPI_BYTE, 1, 0, at->comm, &request[i]);
    else
      MPI_Irecv(in_buffer, at->bytes, MPI_BYTE, 0, 0, at->comm, &request[i]);
  MPI_Waitall(WINDOW, request, status);
  return (MPI_Wtime() - begin) / WINDOW;
}

static const struct pattern {
  const char* name;
  double (*run)(const struct place*);
  int two;     /* only two ranks take part */
  int repeats; /* a sample is of many rounds, so that a short one can be timed */
  int each;    /* the buffer holds a message for each rank */
  int least;   /* shortest message */
  int halves;  /* lengths between the powers of two, too */
} patterns[] = {{"pingpong", pingpong, 1, 1, 0, 1, 1},
                {"send overhead", send_overhead, 1, 0, 0, 1, 0},
                {"receive overhead", receive_overhead, 1, 0, 0, 1, 0},
                {"burst", burst, 1, 0, 0, 1, 0},
                {"late send", late_send, 1, 0, 0, 1, 0},
                {"late receive", late_receive, 1, 0, 0, 1, 0},
                {"pairs", pairs, 0, 1, 0, 1, 0},
                {"ring", ring, 0, 1, 0, 1, 0},
                {"bcast", bcast, 0, 0, 0, 1, 0},
                {"scatter", scatter, 0, 0, 1, 1, 0},
                {"gather", gather, 0, 0, 1, 1, 0},
                {"allreduce", allreduce, 0, 1, 0, 8, 0},
                {"alltoall", alltoall, 0, 1, 1, 1, 0},
                {"barrier", barrier, 0, 1, 0, 1, 0},
                {"pair", pingpong, 1, 1, 0, 1, 0},
                {"leap", pingpong, 1, 1, 0, 1, 0}};
enum {
  PINGPONG = 0,
  LEAP = sizeof patterns / sizeof patterns[0] - 1,
  PAIR = LEAP - 1,
  PATTERNS = PAIR
}; /* of the list by length */

/* ------------------------------------------------------------------ the list of points */

static struct point* list;
static int points;

static void add(int pattern, int ranks, long bytes) {
  if (points % 256 == 0) list = realloc(list, (size_t)(points + 256) * sizeof *list);
  if (!list) stop("no memory");
  list[points++] = (struct point){pattern, ranks, bytes, -1, -1};
}

static void add_pairs(long largest) {
  const long lengths[2] = {1, largest < PAIR_LENGTH ? largest : PAIR_LENGTH};
  for (int from = 0; from < world_size; from++)
    for (int to = from + 1; to < world_size; to++)
      for (int i = 0; i < 2; i++) {
        add(PAIR, 2, lengths[i]);
        list[points - 1].from = from;
        list[points - 1].to = to;
      }
}

static void add_lengths(int pattern, int ranks, long largest) {
  const struct pattern* const is = &patterns[pattern];
  const int short_only = is->run == send_overhead || is->run == receive_overhead || is->run == burst;
  if (short_only && largest > OVERHEAD_LENGTH) largest = OVERHEAD_LENGTH;
  if (is->each && largest > MEMORY / ranks) largest = MEMORY / ranks;
  if (is->run == barrier) largest = is->least;
  for (long bytes = is->least; bytes <= largest; bytes *= 2) {
    add(pattern, ranks, bytes);
    if (is->halves && bytes >= 2 && bytes + bytes / 2 <= largest) add(pattern, ranks, bytes + bytes / 2);
  }
}

/* Two ranks first; then 2, 4, 8, ... ranks, and all of them. */
static void make_list(long largest) {
  for (int p = 0; p < PATTERNS; p++)
    if (patterns[p].two) add_lengths(p, 2, largest);
  for (int ranks = 2; ranks <= world_size;
       ranks = ranks < world_size && 2 * ranks > world_size ? world_size : 2 * ranks)
    for (int p = 0; p < PATTERNS; p++)
      if (!patterns[p].two && !(patterns[p].run == pairs && ranks < 4)) add_lengths(p, ranks, largest);
}

/* Ranks that are spread over all: i * world_size / ranks for i below `ranks`; of two the first and the last; or a pair. */
static MPI_Comm make_comm(const struct point* of) {
  const int ranks = of->ranks;
  int member = of->from >= 0 && (world_rank == of->from || world_rank == of->to);
  for (int i = 0; i < ranks && of->from < 0; i++)
    member += world_rank == (ranks == 2 ? i * (world_size - 1) : (int)((long)i * world_size / ranks));
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, world_rank, &comm);
  return comm;
}

/* ------------------------------------------------------------------ measuring */

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

struct summary {
  double median, least, spread; /* spread: half of the median's 95 % interval, as a share of the median */
  int samples;
};

static struct summary summarise(const double* samples, int n) {
  double sorted[MOST];
  memcpy(sorted, samples, (size_t)n * sizeof *samples);
  qsort(sorted, (size_t)n, sizeof *sorted, by_value);
  const double half = 0.98 * sqrt(n); /* order statistics of a binomial distribution */
  int low = (int)floor(n / 2.0 - half), high = (int)ceil(n / 2.0 + half);
  if (low < 0) low = 0;
  if (high > n - 1) high = n - 1;
  struct summary is = {n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2, sorted[0], 0, n};
  if (is.median > 0) is.spread = (sorted[high] - sorted[low]) / 2 / is.median;
  return is;
}

/* Seconds of a repetition by the slowest rank, on rank 0 of the pattern. */
static double repetition(const struct pattern* is, const struct place* at) {
  write_messages((size_t)at->bytes * (is->each ? (size_t)at->size : 1));
  MPI_Barrier(at->comm);
  double took = is->run(at), slowest = took;
  MPI_Reduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, at->comm);
  return slowest;
}

static struct summary measure(const struct point* what, MPI_Comm comm, double seconds) {
  const struct pattern* const is = &patterns[what->pattern];
  struct place at = {comm, 0, 0, (int)what->bytes, 1};
  double samples[MOST];
  struct summary result = {0, 0, 0, 0};
  MPI_Comm_rank(comm, &at.rank);
  MPI_Comm_size(comm, &at.size);
  const double begin = MPI_Wtime();
  for (int i = 0; i < WARM_UP; i++) {
    double took = repetition(is, &at);
    if (is->repeats && at.rank == 0 && took > 0 && took < SHORTEST_S) at.rounds = (int)ceil(SHORTEST_S / took);
    MPI_Bcast(&at.rounds, 1, MPI_INT, 0, comm);
  }
  for (int go = 1; go;) {
    samples[result.samples] = repetition(is, &at);
    result.samples++;
    if (at.rank == 0 && (result.samples % FEWEST == 0 || MPI_Wtime() - begin > seconds)) {
      result = summarise(samples, result.samples);
      go = (result.samples < FEWEST || result.spread > ENOUGH) && result.samples < MOST &&
           MPI_Wtime() - begin <= seconds;
    }
    MPI_Bcast(&go, 1, MPI_INT, 0, comm);
  }
  return result;
}

/* ------------------------------------------------------------------ leaps */

/* Times of the ping-pong by length, ascending, on rank 0. */
static struct length {
  long bytes;
  double seconds;
  int listed; /* 0: added at a leap */
} lengths[LENGTHS];
static int lengths_known;

static void keep_length(long bytes, double seconds, int listed) {
  int i = lengths_known;
  if (lengths_known == LENGTHS) return;
  for (; i > 0 && lengths[i - 1].bytes > bytes; i--) lengths[i] = lengths[i - 1];
  lengths[i] = (struct length){bytes, seconds, listed};
  lengths_known++;
}

/* Keeps the lengths that an earlier run has written to the file of points, and returns how many of them it added at leaps. That run had the
 * same list. */
static int read_lengths(const char* path) {
  int added = 0;
  char line[512], name[NAME_BYTES];
  FILE* const file = fopen(path, "r");
  if (!file) return 0;
  while (fgets(line, sizeof line, file)) {
    long bytes;
    double seconds;
    int ranks, all;
    if (sscanf(line, "{\"schema\":\"" SCHEMA "\",\"ranks\":%d,\"largest\":%ld,\"points\":%d", &ranks, &bytes, &all) ==
            3 &&
        all != points)
      stop(
          "the points that were measured before are of another list; remove the file of points, or measure with the "
          "same options");
    if (sscanf(line, "{\"pattern\":\"%63[a-z]\",\"ranks\":2,\"bytes\":%ld,\"seconds\":%lf", name, &bytes, &seconds) !=
        3)
      continue;
    const int leap = strcmp(name, patterns[LEAP].name) == 0;
    if (leap || strcmp(name, patterns[PINGPONG].name) == 0) keep_length(bytes, seconds, !leap);
    added += leap;
  }
  fclose(file);
  return added;
}

static double on_line(struct length a, struct length b, double bytes) {
  return a.seconds + (b.seconds - a.seconds) * (bytes - (double)a.bytes) / (double)(b.bytes - a.bytes);
}

/* The length to measure next; 0: none. A leap lies between two neighbours of the list, b and c, if both the line through b and the one before
 * it, and the line through c and the one behind it, miss the other neighbour by LEAP_SHARE. Lengths between b and c belong to the nearer line; the leap
 * is halved until it is between two lengths that differ by LEAP_WIDTH. */
static long next_length(void) {
  int four[4], found = 0;
  for (int i = 0; i < lengths_known; i++) {
    if (!lengths[i].listed) continue;
    if (found == 4) {
      memmove(four, four + 1, 3 * sizeof *four);
      found = 3;
    }
    four[found++] = i;
    if (found < 4) continue;
    const struct length a = lengths[four[0]], b = lengths[four[1]], c = lengths[four[2]], d = lengths[four[3]];
    if (fabs(on_line(a, b, (double)c.bytes) - c.seconds) < LEAP_SHARE * c.seconds ||
        fabs(on_line(c, d, (double)b.bytes) - b.seconds) < LEAP_SHARE * b.seconds)
      continue;
    int before = four[1];
    for (; before + 1 < four[2]; before++) {
      const struct length* const is = &lengths[before + 1];
      const double bytes = (double)is->bytes;
      if (fabs(on_line(a, b, bytes) - is->seconds) > fabs(on_line(c, d, bytes) - is->seconds)) break;
    }
    const long low = lengths[before].bytes, high = lengths[before + 1].bytes;
    if ((double)(high - low) > 1 + LEAP_WIDTH * (double)low) return low + (high - low) / 2;
  }
  return 0;
}

/* ------------------------------------------------------------------ report */

static void write_line(FILE* file, const char* line) {
  if (fputs(line, file) < 0 || fflush(file)) stop("the points cannot be written");
}

static FILE* open_points(const char* path, int done) {
  FILE* const file = fopen(path, done ? "a" : "w");
  if (!file) stop("the points cannot be written");
  return file;
}

static void begin_points(FILE* file, long largest) {
  char line[512], version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(version, &length);
  version[strcspn(version, "\n")] = 0;
  for (char* c = version; *c; c++)
    if (*c < ' ' || *c > '~' || *c == '"' || *c == '\\') *c = ' ';
  snprintf(line, sizeof line,
           "{\"schema\":\"" SCHEMA "\",\"ranks\":%d,\"largest\":%ld,\"points\":%d,\"mpi\":\"%.*s\"}\n", world_size,
           largest, points, NAME_BYTES, version);
  write_line(file, line);
}

/* The ranks of the last point, and their communicator. */
struct group {
  MPI_Comm comm;
  struct point of;
};

/* Measures a point and adds it to the file of rank 0. share: seconds for it. */
static void measure_point(struct group* group, const struct point* now, double share, FILE* file) {
  struct summary is = {0, 0, 0, 0};
  MPI_Bcast(&share, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (now->ranks != group->of.ranks || now->from != group->of.from || now->to != group->of.to) {
    if (group->comm != MPI_COMM_NULL) MPI_Comm_free(&group->comm);
    group->comm = make_comm(now);
    group->of = *now;
  }
  if (group->comm != MPI_COMM_NULL) is = measure(now, group->comm, share);
  if (now->from > 0 && world_rank == now->from) MPI_Send(&is, sizeof is, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
  if (now->from > 0 && world_rank == 0)
    MPI_Recv(&is, sizeof is, MPI_BYTE, now->from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (!file) return;
  if (now->pattern == PINGPONG || now->pattern == LEAP) keep_length(now->bytes, is.median, now->pattern == PINGPONG);
  char line[512], of[64] = "";
  if (now->from >= 0) snprintf(of, sizeof of, ",\"from\":%d,\"to\":%d", now->from, now->to);
  snprintf(line, sizeof line,
           "{\"pattern\":\"%s\",\"ranks\":%d,\"bytes\":%ld,\"seconds\":%.9g,\"least_s\":%.9g,\"spread\":%.4g,"
           "\"samples\":%d%s}\n",
           patterns[now->pattern].name, now->ranks, now->bytes, is.median, is.least, is.spread, is.samples, of);
  write_line(file, line);
}

/* There is no network to measure: the report says so. */
static int alone(const char* path) {
  FILE* const report = fopen(path, "w");
  if (!report || fprintf(report, "{\"ranks\":1}\n") < 0 || fclose(report)) stop("the report cannot be written");
  MPI_Finalize();
  return 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  if (argc != 7)
    stop("six arguments are needed: seconds, longest message, pairs, points done, files of points and report");
  if (world_size < 2) return alone(argv[6]);
  const double seconds = atof(argv[1]);
  const long largest = atol(argv[2]);
  const int done = atoi(argv[4]);
  FILE* const file = world_rank == 0 ? open_points(argv[5], done) : NULL;
  out_buffer = calloc(1, MEMORY);
  in_buffer = calloc(1, MEMORY);
  if (!out_buffer || !in_buffer) stop("no memory; start fewer ranks on a host");
  make_list(largest);
  if (atoi(argv[3]) && world_size > 2) add_pairs(largest);
  if (file && !done) begin_points(file, largest);
  int added = file && done ? read_lengths(argv[5]) : 0;
  struct group group = {MPI_COMM_NULL, {0}};
  const double begin = MPI_Wtime();
  for (int p = done; p < points; p++)
    measure_point(&group, &list[p], (LIST_SHARE * seconds - (MPI_Wtime() - begin)) / (points - p), file);
  for (;;) {
    const double left = seconds - (MPI_Wtime() - begin);
    struct point leap = {LEAP, 2, file && left > 0 && added < MOST_LEAPS ? next_length() : 0, -1, -1};
    MPI_Bcast(&leap.bytes, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (leap.bytes == 0) break;
    measure_point(&group, &leap, left / (MOST_LEAPS - added), file);
    added++;
  }
  if (group.comm != MPI_COMM_NULL) MPI_Comm_free(&group.comm);
  if (file) {
    if (fclose(file)) stop("the points cannot be written");
    FILE* const report = fopen(argv[6], "w");
    if (!report || fprintf(report, "{\"points\":%d}\n", points) < 0 || fclose(report))
      stop("the report cannot be written");
  }
  free(list);
  free(out_buffer);
  free(in_buffer);
  return MPI_Finalize();
}
