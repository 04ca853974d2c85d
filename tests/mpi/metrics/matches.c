// matches PATTERNS [MESSAGES]: MESSAGES of each rank to itself, then so many random exchanges of messages that carry who sent them and which of its messages they are.
// Each rank writes what it received, in the order of completion, to received-RANK.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMost = 64, kTags = 3, kComms = 4 };

// How the receives of a rank in one communicator name their messages. one_channel: all messages are of one source and
// one tag, so each receive may name them as it likes.
enum naming { exactly, any_source, any_tag, anything, one_channel, namings };

struct message {
  int comm, source, destination, tag;  // ranks of the communicator
};

static MPI_Comm comms[kComms];
static int rank, size, sent;
static FILE* received;

static unsigned long common, own;
static int draw(unsigned long* state, int below) {
  *state = *state * 6364136223846793005ul + 1442695040888963407ul;
  return (int)((*state >> 33) % (unsigned long)below);
}

static void shuffle(int* order, int n) {
  for (int i = 0; i < n; ++i) order[i] = i;
  for (int i = n - 1; i > 0; --i) {
    const int other = draw(&own, i + 1), kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
}

static void note(const int* payload) { fprintf(received, "%d %d\n", payload[0], payload[1]); }

static void complete(int n, MPI_Request* requests, int (*payloads)[2]) {
  int done = 0, index, count, indices[kMost], flag;
  MPI_Status status, statuses[kMost];
  while (done < n) {
    switch (draw(&own, 6)) {
      case 0:
        MPI_Waitall(n, requests, draw(&own, 2) ? MPI_STATUSES_IGNORE : statuses);
        for (int i = 0; i < n; ++i)
          if (payloads[i][0] >= 0) note(payloads[i]);
        return;
      case 1:
        MPI_Waitany(n, requests, &index, draw(&own, 2) ? MPI_STATUS_IGNORE : &status);
        note(payloads[index]);
        payloads[index][0] = -1;
        ++done;
        break;
      case 2:
        MPI_Waitsome(n, requests, &count, indices, statuses);
        for (int i = 0; i < count; ++i) {
          note(payloads[indices[i]]);
          payloads[indices[i]][0] = -1;
        }
        done += count;
        break;
      case 3:
        MPI_Testsome(n, requests, &count, indices, MPI_STATUSES_IGNORE);
        for (int i = 0; i < count; ++i) {
          note(payloads[indices[i]]);
          payloads[indices[i]][0] = -1;
        }
        done += count;
        break;
      case 4:
        index = draw(&own, n);
        if (requests[index] == MPI_REQUEST_NULL) break;
        MPI_Wait(&requests[index], MPI_STATUS_IGNORE);
        note(payloads[index]);
        payloads[index][0] = -1;
        ++done;
        break;
      default:
        index = draw(&own, n);
        if (requests[index] == MPI_REQUEST_NULL) break;
        MPI_Test(&requests[index], &flag, &status);
        if (!flag) break;
        note(payloads[index]);
        payloads[index][0] = -1;
        ++done;
    }
  }
}

static void pattern(void) {
  struct message messages[kMost], incoming[kMost];
  enum naming named[kComms][16];
  int n = 1 + draw(&common, 24), expected = 0, outgoing = 0;
  for (int c = 0; c < kComms; ++c)
    for (int r = 0; r < 16; ++r) named[c][r] = (enum naming)draw(&common, namings);
  for (int i = 0; i < n; ++i) {
    // Every rank draws the same; the communicators of the halves are taken as the one of whoever it concerns.
    const int comm = draw(&common, kComms), members = comm == 3 ? size / 2 : size;
    struct message m = {comm, draw(&common, members), draw(&common, members), draw(&common, kTags)};
    if (named[comm][m.destination] == one_channel) m.source = m.tag = 0;
    messages[i] = m;
  }
  int own_rank[kComms];
  for (int c = 0; c < kComms; ++c) MPI_Comm_rank(comms[c], &own_rank[c]);
  for (int i = 0; i < n; ++i) {
    outgoing += messages[i].source == own_rank[messages[i].comm];
    if (messages[i].destination == own_rank[messages[i].comm]) incoming[expected++] = messages[i];
  }
  // Everything is sent before anything blocks; receives are posted in any order, before, between and behind.
  static int out[kMost][2], in[kMost][2];
  MPI_Request sends[kMost], receives[kMost];
  int order[kMost], next = 0, posted = 0, started = 0;
  shuffle(order, expected);
  for (int i = 0; i < n || next < expected;) {
    const int is_send = i < n && messages[i].source == own_rank[messages[i].comm];
    if (i < n && (!is_send || next == expected || draw(&own, 2))) {
      if (is_send) {
        out[started][0] = rank;
        out[started][1] = sent++;
        MPI_Isend(out[started], 2, MPI_INT, messages[i].destination, messages[i].tag, comms[messages[i].comm],
                  &sends[started]);
        ++started;
      }
      ++i;
      continue;
    }
    const struct message* m = &incoming[order[next++]];
    const enum naming how = named[m->comm][m->destination];
    const int free = how == one_channel ? draw(&own, 4) : 0;
    const int source = how == any_source || how == anything || free & 1 ? MPI_ANY_SOURCE : m->source;
    const int tag = how == any_tag || how == anything || free & 2 ? MPI_ANY_TAG : m->tag;
    const int blocking = started == outgoing ? draw(&own, 4) : 3;
    int payload[2];
    MPI_Message matched;
    if (blocking == 0) {
      MPI_Recv(payload, 2, MPI_INT, source, tag, comms[m->comm], MPI_STATUS_IGNORE);
      note(payload);
    } else if (blocking == 1) {
      MPI_Mprobe(source, tag, comms[m->comm], &matched, MPI_STATUS_IGNORE);
      MPI_Mrecv(payload, 2, MPI_INT, &matched, MPI_STATUS_IGNORE);
      note(payload);
    } else {
      MPI_Irecv(in[posted], 2, MPI_INT, source, tag, comms[m->comm], &receives[posted]);
      ++posted;
    }
  }
  complete(posted, receives, in);
  MPI_Waitall(started, sends, MPI_STATUSES_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);  // so that messages of the next exchange cannot be taken in this one
}

int main(int argc, char** argv) {
  char name[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  comms[0] = MPI_COMM_WORLD;
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &comms[2]);           // backwards
  MPI_Comm_split(MPI_COMM_WORLD, rank / (size / 2), rank, &comms[3]);  // halves
  snprintf(name, sizeof name, "received-%d", rank);
  received = fopen(name, "w");
  if (argc > 2)  // each rank does so much by itself
    for (int i = 0; i < atoi(argv[2]); ++i)
      MPI_Sendrecv(&i, 1, MPI_INT, 0, i % 100, &sent, 1, MPI_INT, 0, i % 100, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  for (int i = 0; i < atoi(argv[1]); ++i) {
    common = 1000003ul * (unsigned long)i;
    own = common + 7919ul * (unsigned long)(rank + 1);
    pattern();
  }
  fclose(received);
  MPI_Finalize();
  return 0;
}
