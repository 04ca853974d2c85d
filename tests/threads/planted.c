/* Programs of several threads whose computing times, and so whose waits, are known by construction.
 *
 *   planted KIND ROUNDS UNIT [THREAD FACTOR]
 *
 * Prints the seconds that it took. UNIT: turns of the loop of compute() for a microsecond of planned work ("planted
 * calibrate" prints it). THREAD, as named below, does FACTOR times its work. KINDS at the end of this file says who
 * computes how much; scripts/threads-cost-study reads the plan by "planted plan". */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rounds;
static double unit, factor = 1;
static const char* changed = "";
static volatile double sink;

static __attribute__((noinline)) void turns(double count) {
  double value = 1;
  for (long i = 0; i < (long)count; ++i) value = value * 1.0000001 + 1e-9;
  sink = value;
}

/* Work in the first and in the second half of the rounds. */
static double half(int round, double first, double second) { return round < rounds / 2 ? first : second; }

/* Work of thread `who`, in planned microseconds. */
static void compute(const char* who, double us) { turns(us * unit * (strcmp(who, changed) == 0 ? factor : 1)); }

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int by_size(const void* a, const void* b) { return *(const double*)a > *(const double*)b ? 1 : -1; }

static void* measure_turns(void* median) {
  double took[31];
  for (int i = 0; i < 31; ++i) {
    const double from = now(CLOCK_THREAD_CPUTIME_ID);
    turns(1e6);
    took[i] = now(CLOCK_THREAD_CPUTIME_ID) - from;
  }
  qsort(took, 31, sizeof *took, by_size);
  *(double*)median = took[15];
  return NULL;
}

/* Turns in a microsecond while two threads compute. */
static double calibrated(void) {
  double medians[2];
  pthread_t other;
  pthread_create(&other, NULL, measure_turns, &medians[1]);
  measure_turns(&medians[0]);
  pthread_join(other, NULL);
  return 1 / (0.5 * (medians[0] + medians[1]));
}

/* On which of the two processors a thread computes, where the plan holds only if threads that compute at the same time
 * never share one: the kernel wakes a thread up beside one that computes now and then. */
enum processor { ANY, FIRST, SECOND };

struct part {
  const char* name;
  void (*body)(const char* name);
  enum processor processor;
};

static cpu_set_t all_processors;

/* Those that a thread may compute on: all, if there are no two. */
static cpu_set_t processors(enum processor processor) {
  if (processor == ANY || CPU_COUNT(&all_processors) < 2) return all_processors;
  int cpu = 0;
  for (int left = processor;; ++cpu)
    if (CPU_ISSET(cpu, &all_processors) && --left == 0) break;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  return one;
}

static void* start(void* part) {
  const struct part* const is = part;
  pthread_setname_np(pthread_self(), is->name);
  is->body(is->name);
  return NULL;
}

static void together(struct part* parts, int count) {
  pthread_t threads[8];
  for (int i = 0; i < count; ++i) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    const cpu_set_t own = processors(parts[i].processor);
    pthread_attr_setaffinity_np(&attributes, sizeof own, &own);
    pthread_create(&threads[i], &attributes, start, &parts[i]);
    pthread_attr_destroy(&attributes);
  }
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
}
#define TOGETHER(...)                  \
  struct part parts[] = {__VA_ARGS__}; \
  together(parts, (int)(sizeof parts / sizeof *parts))

/* ---- queues on a mutex and conditions: how many are in it, at most `places` (0: any number) ---- */

struct queue {
  pthread_mutex_t lock;
  pthread_cond_t not_empty, not_full;
  int count, places;
};
#define QUEUE(places) \
  { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, places }

static void put(struct queue* queue) {
  pthread_mutex_lock(&queue->lock);
  while (queue->places && queue->count == queue->places) pthread_cond_wait(&queue->not_full, &queue->lock);
  ++queue->count;
  pthread_cond_signal(&queue->not_empty);
  pthread_mutex_unlock(&queue->lock);
}

static void take(struct queue* queue) {
  pthread_mutex_lock(&queue->lock);
  while (queue->count == 0) pthread_cond_wait(&queue->not_empty, &queue->lock);
  --queue->count;
  if (queue->places) pthread_cond_signal(&queue->not_full);
  pthread_mutex_unlock(&queue->lock);
}

/* ---- producer and consumer, any number between them ---- */

static struct queue unbounded = QUEUE(0), buffer = QUEUE(3);

static void producer(const char* me) {
  for (int i = 0; i < rounds; ++i) {
    compute(me, half(i, 8000, 2000));
    put(&unbounded);
  }
}
static void consumer(const char* me) {
  for (int i = 0; i < rounds; ++i) {
    take(&unbounded);
    compute(me, half(i, 2000, 8000));
  }
}
static void producer_consumer(void) { TOGETHER({"producer", producer, ANY}, {"consumer", consumer, ANY}); }

/* ---- the same with a buffer of three places ---- */

static void filler(const char* me) {
  for (int i = 0; i < rounds; ++i) {
    compute(me, half(i, 2000, 8000));
    put(&buffer);
  }
}
static void emptier(const char* me) {
  for (int i = 0; i < rounds; ++i) {
    take(&buffer);
    compute(me, half(i, 8000, 2000));
  }
}
static void bounded_buffer(void) { TOGETHER({"filler", filler, ANY}, {"emptier", emptier, ANY}); }

/* ---- phases between barriers ---- */

static pthread_barrier_t barrier;

static void early(const char* me) {
  for (int i = 0; i < rounds; ++i) {
    compute(me, half(i, 8000, 2000));
    pthread_barrier_wait(&barrier);
  }
}
static void late(const char* me) {
  for (int i = 0; i < rounds; ++i) {
    compute(me, half(i, 2000, 8000));
    pthread_barrier_wait(&barrier);
  }
}
static void barrier_phases(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  TOGETHER({"early", early, ANY}, {"late", late, ANY});
}

/* ---- pipeline of four stages; the first one reads, and sleeps ---- */

static sem_t stage[3];

static void first(const char* me) {
  (void)me;
  for (int i = 0; i < rounds; ++i) {
    usleep(1000);
    sem_post(&stage[0]);
  }
}
static void second(const char* me) {
  for (int i = 0; i < rounds; ++i) {
    sem_wait(&stage[0]);
    compute(me, half(i, 8000, 2000));
    sem_post(&stage[1]);
  }
}
static void third(const char* me) {
  for (int i = 0; i < rounds; ++i) {
    sem_wait(&stage[1]);
    compute(me, half(i, 2000, 8000));
    sem_post(&stage[2]);
  }
}
static void fourth(const char* me) {
  for (int i = 0; i < rounds; ++i) {
    sem_wait(&stage[2]);
    compute(me, 1000);
  }
}
static void pipeline(void) {
  for (int i = 0; i < 3; ++i) sem_init(&stage[i], 0, 0);
  TOGETHER({"first", first, ANY}, {"second", second, ANY}, {"third", third, ANY}, {"fourth", fourth, ANY});
}

/* ---- a writer and two readers, who all sleep now and then. One reads from something slow: were three to compute when the
 * writer lets both in, it would lose its processor before it sleeps ---- */

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;

static void writer(const char* me) {
  for (int i = 0; i < rounds; ++i) {
    pthread_rwlock_wrlock(&table);
    compute(me, 4000);
    pthread_rwlock_unlock(&table);
    usleep(1500);
  }
}
static void reader(const char* me) {
  const int slow = strcmp(me, "reader_b") == 0;
  for (int i = 0; i < rounds; ++i) {
    pthread_rwlock_rdlock(&table);
    slow ? (void)usleep(1000) : compute(me, 1000);
    pthread_rwlock_unlock(&table);
    usleep(3000);
  }
}
static void reader_writer(void) {
  TOGETHER({"writer", writer, FIRST}, {"reader_a", reader, SECOND}, {"reader_b", reader, ANY});
}

/* ---- threads made and joined in each round ---- */

static void short_part(const char* me) { compute(me, 4000); }
static void long_part(const char* me) { compute(me, 10000); }
static void fork_join(void) {
  const cpu_set_t own = processors(FIRST); /* where the short part has ended when it goes on */
  sched_setaffinity(0, sizeof own, &own);
  for (int i = 0; i < rounds; ++i) {
    compute("main", 1000);
    TOGETHER({"short", short_part, FIRST}, {"long", long_part, SECOND});
  }
}

/* ---- two workers take tasks from a queue ---- */

static struct queue tasks = QUEUE(0), results = QUEUE(0);
static int open_tasks;

static int next_task(void) {
  pthread_mutex_lock(&tasks.lock);
  while (tasks.count == 0) pthread_cond_wait(&tasks.not_empty, &tasks.lock);
  --tasks.count;
  const int more = open_tasks-- > 0;
  pthread_mutex_unlock(&tasks.lock);
  return more;
}
static void worker(const char* me) {
  while (next_task()) {
    compute(me, 5000);
    put(&results);
  }
}
static void manager(const char* me) {
  (void)me;
  for (int i = 0; i < rounds + 2; ++i) put(&tasks);
  for (int i = 0; i < rounds; ++i) take(&results);
}
static void thread_pool(void) {
  open_tasks = rounds;
  TOGETHER({"worker_a", worker, ANY}, {"worker_b", worker, ANY}, {"manager", manager, ANY});
}

/* ---- two that take turns ---- */

static sem_t turn[2];

static void ping(const char* me) {
  for (int i = 0; i < rounds; ++i) {
    compute(me, 3000);
    sem_post(&turn[0]);
    sem_wait(&turn[1]);
  }
}
static void pong(const char* me) {
  for (int i = 0; i < rounds; ++i) {
    sem_wait(&turn[0]);
    compute(me, 5000);
    sem_post(&turn[1]);
  }
}
static void ping_pong(void) {
  for (int i = 0; i < 2; ++i) sem_init(&turn[i], 0, 0);
  TOGETHER({"ping", ping, FIRST}, {"pong", pong, SECOND});
}

/* ---- a loop in a loop: four attempts for each frame, which is logged ---- */

static struct queue requests = QUEUE(0), answers = QUEUE(0), frames = QUEUE(0);

static void sender(const char* me) {
  for (int i = 0; i < rounds / 4; ++i) {
    compute(me, 4000);
    put(&frames);
    for (int attempt = 0; attempt < 4; ++attempt) {
      compute(me, 1000);
      put(&requests);
      take(&answers);
    }
  }
}
static void dispatcher(const char* me) {
  for (int i = 0; i < rounds / 4 * 4; ++i) {
    take(&requests);
    compute(me, 3000);
    put(&answers);
  }
}
static void logger(const char* me) {
  for (int i = 0; i < rounds / 4; ++i) {
    take(&frames);
    compute(me, 400); /* done before the dispatcher needs that processor */
  }
}
static void nested_loops(void) {
  TOGETHER({"sender", sender, FIRST}, {"dispatcher", dispatcher, SECOND}, {"logger", logger, SECOND});
}

/* ---- two behind one lock ---- */

static pthread_mutex_t one_lock = PTHREAD_MUTEX_INITIALIZER;

static void convoy(const char* me) {
  for (int i = 0; i < rounds; ++i) {
    compute(me, 1000);
    pthread_mutex_lock(&one_lock);
    compute(me, 5000);
    pthread_mutex_unlock(&one_lock);
  }
}
static void lock_convoy(void) { TOGETHER({"convoy_a", convoy, ANY}, {"convoy_b", convoy, ANY}); }

/* ---- */

static const struct kind {
  const char* name;
  void (*run)(void);
  /* Of each thread its work from call to call, means of all rounds, and how long it waits where it waits, means in the
   * order of size; in planned microseconds. "-": not known, as it depends on who comes first. At
   * most two compute at a time, but for short moments. */
  const char* plan;
} kinds[] = {
    {"producer-consumer", producer_consumer, "producer:5000/ consumer:5000/6000"},
    {"bounded-buffer", bounded_buffer, "filler:5000/6000 emptier:5000/6000"},
    {"barrier-phases", barrier_phases, "early:5000/6000 late:5000/6000"},
    {"pipeline", pipeline, "second:5000/ third:5000/6000 fourth:1000/-"},
    {"reader-writer", reader_writer, "writer:4000/- reader_a:1000/- reader_b:0/-"},
    {"fork-join", fork_join, "long:10000/ short:4000/ main:1000/4000,6000"},
    {"thread-pool", thread_pool, "worker_a:5000/- worker_b:5000/-"},
    {"ping-pong", ping_pong, "ping:3000/5000 pong:5000/3000"},
    {"nested-loops", nested_loops, "sender:1000,4000/3000 dispatcher:3000/2000 logger:400/19600"},
    {"lock-convoy", lock_convoy, "convoy_a:1000,5000/4000 convoy_b:1000,5000/4000"},
};

int main(int argc, char** argv) {
  const int count = (int)(sizeof kinds / sizeof *kinds);
  if (argc == 2 && strcmp(argv[1], "calibrate") == 0) return printf("%.6f\n", calibrated()) < 0;
  if (argc == 2 && strcmp(argv[1], "plan") == 0) {
    for (int i = 0; i < count; ++i) printf("%s %s\n", kinds[i].name, kinds[i].plan);
    return 0;
  }
  if (argc != 4 && argc != 6) {
    fprintf(stderr, "usage: %s KIND ROUNDS UNIT [THREAD FACTOR] | calibrate | plan\n", argv[0]);
    return 2;
  }
  rounds = atoi(argv[2]);
  unit = atof(argv[3]);
  sched_getaffinity(0, sizeof all_processors, &all_processors);
  if (argc == 6) changed = argv[4], factor = atof(argv[5]);
  for (int i = 0; i < count; ++i)
    if (strcmp(kinds[i].name, argv[1]) == 0) {
      const double from = now(CLOCK_MONOTONIC);
      kinds[i].run();
      printf("%.6f\n", now(CLOCK_MONOTONIC) - from);
      return 0;
    }
  fprintf(stderr, "%s: no such kind\n", argv[1]);
  return 2;
}
