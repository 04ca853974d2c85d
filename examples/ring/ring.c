/* Gravity between all pairs of bodies in a plane; every rank owns a block of them.
 *
 * Pattern: a ring of blocking MPI_Send and MPI_Recv. In each step a copy of every block travels once around the ring.
 * Rank 0 sends first and all others receive first, so that no message has to be buffered; the price is that the
 * messages of one turn follow each other around the ring.
 *
 *   mpiexec -n 2 ./ring [BODIES [STEPS]]        default 1024 1400; any number of ranks up to BODIES
 *
 * Checks that every rank met the whole mass in each step, and that the bodies' total momentum stays zero: whoever pulls
 * is pulled. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct body {
  double x, y, mass;
};

struct motion {
  double vx, vy, ax, ay;
};

static double mass_of(int seed, int bodies) { return (1.0 + seed % 3) / bodies; }

static int share(int total, int parts, int part) { return total / parts + (part < total % parts); }

static void* allocate(size_t count, size_t size) {
  void* memory = calloc(count, size);
  if (!memory) {
    fprintf(stderr, "ring: no memory for %zu elements\n", count);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

/* Adds the visitors' pull to the acceleration of our own bodies, a body's own pull is zero. Returns the visitors' mass.
 */
static double attract(const struct body* own, struct motion* motion, int owned, const struct body* visitor,
                      int visitors) {
  for (int i = 0; i < owned; i++)
    for (int j = 0; j < visitors; j++) {
      const double dx = visitor[j].x - own[i].x, dy = visitor[j].y - own[i].y;
      const double square = dx * dx + dy * dy + 1e-4; /* softened, so that close bodies do not collide */
      const double pull = visitor[j].mass / (square * sqrt(square));
      motion[i].ax += pull * dx;
      motion[i].ay += pull * dy;
    }
  double mass = 0;
  for (int j = 0; j < visitors; j++) mass += visitor[j].mass;
  return mass;
}

/* Hands `leaving` to the next rank and gets `arriving` from the one before. */
static void pass_on(const struct body* leaving, int leave, struct body* arriving, int arrive, int rank, int ranks) {
  const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  if (rank == 0) MPI_Send(leaving, 3 * leave, MPI_DOUBLE, next, 0, MPI_COMM_WORLD);
  MPI_Recv(arriving, 3 * arrive, MPI_DOUBLE, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank != 0) MPI_Send(leaving, 3 * leave, MPI_DOUBLE, next, 0, MPI_COMM_WORLD);
}

/* Moves our bodies by one time step: first the speed, then the place. */
static void move(struct body* own, struct motion* motion, int owned, double dt) {
  for (int i = 0; i < owned; i++) {
    motion[i].vx += dt * motion[i].ax;
    motion[i].vy += dt * motion[i].ay;
    own[i].x += dt * motion[i].vx;
    own[i].y += dt * motion[i].vy;
    motion[i].ax = motion[i].ay = 0;
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int bodies = argc > 1 ? atoi(argv[1]) : 1024;
  const int steps = argc > 2 ? atoi(argv[2]) : 1400;
  int ranks, rank;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (bodies < ranks || steps < 1) {
    if (rank == 0) fprintf(stderr, "usage: ring [BODIES [STEPS]], at least one body per rank\n");
    MPI_Finalize();
    return 2;
  }

  const int owned = share(bodies, ranks, rank), largest = share(bodies, ranks, 0);
  struct body* own = allocate(largest, sizeof(struct body));
  struct body* visitor = allocate(largest, sizeof(struct body));
  struct body* arriving = allocate(largest, sizeof(struct body));
  struct motion* motion = allocate(owned, sizeof(struct motion));
  double mass = 0, met = 0; /* of all bodies; of the visitors until now */
  for (int seed = 0; seed < bodies; seed++) mass += mass_of(seed, bodies);
  for (int i = 0; i < owned; i++) { /* bodies lie like the seeds of a sunflower */
    const int seed = rank + i * ranks;
    const double radius = sqrt((seed + 0.5) / bodies), angle = 2.39996322972865332 * seed;
    own[i] = (struct body){radius * cos(angle), radius * sin(angle), mass_of(seed, bodies)};
  }

  for (int step = 0; step < steps; step++) {
    memcpy(visitor, own, owned * sizeof(struct body));
    for (int turn = 0; turn < ranks; turn++) {
      const int home = (rank + ranks - turn) % ranks; /* whose bodies visit us */
      met += attract(own, motion, owned, visitor, share(bodies, ranks, home));
      if (turn == ranks - 1) break;
      pass_on(visitor, share(bodies, ranks, home), arriving, share(bodies, ranks, (home + ranks - 1) % ranks), rank,
              ranks);
      struct body* swap = visitor;
      visitor = arriving;
      arriving = swap;
    }
    move(own, motion, owned, 1e-4);
  }

  /* Momentum in x and y, the sum of its amounts, and the mass that was missed. */
  double local[4] = {0, 0, 0, fabs(met / steps - mass)}, total[4];
  for (int i = 0; i < owned; i++) {
    local[0] += own[i].mass * motion[i].vx;
    local[1] += own[i].mass * motion[i].vy;
    local[2] += own[i].mass * hypot(motion[i].vx, motion[i].vy);
  }
  MPI_Reduce(local, total, 4, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  int wrong = 0;
  if (rank == 0) {
    const double momentum = hypot(total[0], total[1]) / total[2], missed = total[3] / mass;
    wrong = !(momentum < 1e-10 && missed < 1e-10);
    printf("ring: %d bodies, %d steps, speed %.9e, relative momentum %.1e, mass missed %.1e%s\n", bodies, steps,
           total[2], momentum, missed, wrong ? ": WRONG" : "");
  }
  free(own);
  free(visitor);
  free(arriving);
  free(motion);
  MPI_Finalize();
  return wrong;
}
